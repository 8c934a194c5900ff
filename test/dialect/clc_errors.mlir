// RUN: tirx-opt %s -split-input-file -verify-diagnostics

// A response has 16 bytes, in a row of its own.
!r = !tirx.buffer<2x8xi8, #tirx.layout<S[(2,8):(8,1)]>, shared>
func.func @f(%r: !r, %bar: !tirx.barrier<1>, %i: index) {
  // expected-error@+1 {{'tirx.clc.try_cancel' op responses must be Nx16xi8 without gaps, not '!tirx.buffer<2x8xi8, #tirx.layout<S[(2,8):(8,1)]>, shared>'}}
  tirx.clc.try_cancel %r[%i] signal(%bar) : !r, !tirx.barrier<1>
  return
}

// -----

!r = !tirx.buffer<16xi8, #tirx.layout<S[(16):(1)]>, shared>
func.func @f(%r: !r) {
  // expected-error@+1 {{'tirx.clc.query_cancel' op responses must be Nx16xi8 without gaps}}
  %more = tirx.clc.query_cancel is_canceled %r : !r -> i1
  return
}

// -----

// Rows 32 bytes apart.
!r = !tirx.buffer<2x16xi8, #tirx.layout<S[(2,16):(32,1)]>, shared>
func.func @f(%r: !r, %i: index) {
  // expected-error@+1 {{'tirx.clc.query_cancel' op responses must be Nx16xi8 without gaps}}
  %more = tirx.clc.query_cancel is_canceled %r[%i] : !r -> i1
  return
}

// -----

// The bytes of a response follow each other.
!r = !tirx.buffer<16x16xi8, #tirx.layout<S[(16,16):(1,16)]>, shared>
func.func @f(%r: !r, %i: index) {
  // expected-error@+1 {{'tirx.clc.query_cancel' op responses must be Nx16xi8 without gaps}}
  %more = tirx.clc.query_cancel is_canceled %r[%i] : !r -> i1
  return
}

// -----

!r = !tirx.buffer<2x16xi8, #tirx.layout<S[(2,16):(16,1)]>, shared>
func.func @f(%r: !r, %bar: !tirx.barrier<1>) {
  // expected-error@+1 {{'tirx.clc.try_cancel' op must say which of the 2 responses it means, as in %responses[%index]}}
  tirx.clc.try_cancel %r signal(%bar) : !r, !tirx.barrier<1>
  return
}

// -----

!r = !tirx.buffer<2x16xi8, #tirx.layout<S[(2,16):(16,1)]>, shared>
func.func @f(%r: !r, %bar: !tirx.barrier<1>) {
  %c2 = arith.constant 2 : index
  // expected-error@+1 {{'tirx.clc.try_cancel' op index 2 is outside [0, 1], the responses of the buffer}}
  tirx.clc.try_cancel %r[%c2] signal(%bar) : !r, !tirx.barrier<1>
  return
}

// -----

!r = !tirx.buffer<2x16xi8, #tirx.layout<S[(2,16):(16,1)]>, shared>
func.func @f(%r: !r, %bar: !tirx.barrier<2>, %i: index) {
  // expected-error@+1 {{'tirx.clc.try_cancel' op must say which of the 2 barriers it means, as in %bar[%slot]}}
  tirx.clc.try_cancel %r[%i] signal(%bar) : !r, !tirx.barrier<2>
  return
}

// -----

!r = !tirx.buffer<2x16xi8, #tirx.layout<S[(2,16):(16,1)]>, shared>
func.func @f(%r: !r, %i: index) {
  // expected-error@+1 {{'tirx.clc.query_cancel' op is_canceled gives i1, not 'index'}}
  %more = tirx.clc.query_cancel is_canceled %r[%i] : !r -> index
  return
}

// -----

!r = !tirx.buffer<2x16xi8, #tirx.layout<S[(2,16):(16,1)]>, shared>
func.func @f(%r: !r, %i: index) {
  // expected-error@+1 {{'tirx.clc.query_cancel' op first_ctaid_x gives index, not 'i1'}}
  %x = tirx.clc.query_cancel first_ctaid_x %r[%i] : !r -> i1
  return
}

// -----

!r = !tirx.buffer<2x16xi8, #tirx.layout<S[(2,16):(16,1)]>, shared>
func.func @f(%r: !r, %i: index) {
  // expected-error@+1 {{unknown clc query 'canceled': expected is_canceled, first_ctaid_x, first_ctaid_y or first_ctaid_z}}
  %more = tirx.clc.query_cancel canceled %r[%i] : !r -> i1
  return
}
