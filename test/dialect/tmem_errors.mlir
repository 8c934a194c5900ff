// RUN: tirx-opt %s -split-input-file -verify-diagnostics

// A tile is the whole CTA's.
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(128) {
    scf.for %i = %n to %n step %n {
      // expected-error@+1 {{'tirx.tmem.alloc' op must be directly in the region of tirx.launch}}
      %0 = tirx.tmem.alloc : !Acc
    }
  }
}

// -----

// Tensor memory has 512 columns.
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
func.func @f() {
  // expected-error@+1 {{'tirx.tmem.alloc' op column(512) is outside [0, 511] (PTX ISA, Tensor Memory)}}
  %0 = tirx.tmem.alloc column(512) : !Acc
  return
}

// -----

// Columns count from 0.
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
func.func @f() {
  // expected-error@+1 {{'tirx.tmem.alloc' op column(-1) is outside [0, 511] (PTX ISA, Tensor Memory)}}
  %0 = tirx.tmem.alloc column(-1) : !Acc
  return
}

// -----

// Shared memory is not tensor memory.
func.func @f() {
  // expected-error@+1 {{'tirx.tmem.alloc' op result #0 must be tmem buffer, but got '!tirx.buffer<64xf32, #tirx.layout<S[64:1]>, shared>'}}
  %0 = tirx.tmem.alloc : !tirx.buffer<64xf32, #tirx.layout<S[64:1]>, shared>
  return
}

// -----

// What was not allocated cannot be given back.
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
func.func @f(%acc: !Acc) {
  // expected-error@+1 {{'tirx.tmem.dealloc' op operand must be the result of a tirx.tmem.alloc}}
  tirx.tmem.dealloc %acc : !Acc
  return
}

// -----

// All threads give it back.
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
func.func @f() {
  %0 = tirx.tmem.alloc : !Acc
  tirx.elect {
    // expected-error@+1 {{'tirx.tmem.dealloc' op must be directly in the region of tirx.launch}}
    tirx.tmem.dealloc %0 : !Acc
  }
  return
}

// -----

// Not a power of two.
func.func @f() {
  // expected-error@+1 {{'tirx.tcgen05.alloc' op columns(96) must be a power of two between 32 and 512}}
  tirx.tcgen05.alloc columns(96) address_offset(0)
  return
}

// -----

// Too few.
func.func @f() {
  // expected-error@+1 {{'tirx.tcgen05.alloc' op columns(16) must be a power of two between 32 and 512}}
  tirx.tcgen05.alloc columns(16) address_offset(0)
  return
}

// -----

// More than there are.
func.func @f() {
  // expected-error@+1 {{'tirx.tcgen05.alloc' op columns(1024) must be a power of two between 32 and 512}}
  tirx.tcgen05.alloc columns(1024) address_offset(0)
  return
}

// -----

// The address is a word.
func.func @f() {
  // expected-error@+1 {{'tirx.tcgen05.alloc' op address_offset(2) must be a non-negative multiple of 4}}
  tirx.tcgen05.alloc columns(32) address_offset(2)
  return
}

// -----

// In shared memory.
func.func @f() {
  // expected-error@+1 {{'tirx.tcgen05.alloc' op address_offset(-4) must be a non-negative multiple of 4}}
  tirx.tcgen05.alloc columns(32) address_offset(-4)
  return
}

// -----

// What cannot be allocated cannot be freed.
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
func.func @f(%acc: !Acc) {
  // expected-error@+1 {{'tirx.tcgen05.dealloc' op columns(100) must be a power of two between 32 and 512}}
  tirx.tcgen05.dealloc %acc columns(100) : !Acc
  return
}

// -----

// Only tensor memory is freed.
func.func @f(%A: !tirx.buffer<64xf32, global>) {
  // expected-error@+1 {{'tirx.tcgen05.dealloc' op operand #0 must be tmem buffer, but got '!tirx.buffer<64xf32, global>'}}
  tirx.tcgen05.dealloc %A columns(32) : !tirx.buffer<64xf32, global>
  return
}

// -----

// One CTA or a pair.
func.func @f() {
  // expected-error@+1 {{'tirx.tcgen05.alloc' op cta_group(3) must be 1 or 2 (PTX ISA, .cta_group)}}
  tirx.tcgen05.alloc columns(64) address_offset(0) cta_group(3)
  return
}

// -----

// Likewise.
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
func.func @f(%acc: !Acc) {
  // expected-error@+1 {{'tirx.tcgen05.dealloc' op cta_group(-1) must be 1 or 2 (PTX ISA, .cta_group)}}
  tirx.tcgen05.dealloc %acc columns(64) cta_group(-1) : !Acc
  return
}
