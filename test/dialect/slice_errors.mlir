// RUN: tirx-opt %s -split-input-file -verify-diagnostics

// One offset an axis.
func.func @f(%A: !tirx.buffer<?x?xf16, global>, %i: index) {
  // expected-error@+1 {{'tirx.slice' op has 1 offsets, but the source has rank 2}}
  %0 = tirx.slice %A[%i] : !tirx.buffer<?x?xf16, global> to !tirx.buffer<128x64xf16, global>
  return
}

// -----

// A view copies nothing.
func.func @f(%A: !tirx.buffer<?xf16, global>, %i: index) {
  // expected-error@+1 {{'tirx.slice' op changes the memory space from global to shared}}
  %0 = tirx.slice %A[%i] : !tirx.buffer<?xf16, global> to !tirx.buffer<64xf16, #tirx.layout<S[64:1]>, shared>
  return
}

// -----

// Windows of shared memory.
!s = !tirx.buffer<64xf16, #tirx.layout<S[64:1]>, shared>
func.func @f(%s: !s, %i: index) {
  // expected-error@+1 {{'tirx.slice' op slices of shared buffers are not supported}}
  %0 = tirx.slice %s[%i] : !s to !tirx.buffer<32xf16, #tirx.layout<S[32:1]>, shared>
  return
}

// -----

// Windows of tensor memory.
!t = !tirx.buffer<128x64xf32, #tirx.layout<S[(128,64):(1@TLane,1@TCol)]>, tmem>
func.func @f(%t: !t, %i: index) {
  // expected-error@+1 {{'tirx.slice' op slices of tmem buffers are not supported}}
  %0 = tirx.slice %t[%i, %i] : !t to !t
  return
}

// -----

// A view does not convert.
func.func @f(%A: !tirx.buffer<?xf16, global>, %i: index) {
  // expected-error@+1 {{'tirx.slice' op changes the element type from 'f16' to 'bf16'}}
  %0 = tirx.slice %A[%i] : !tirx.buffer<?xf16, global> to !tirx.buffer<64xbf16, global>
  return
}

// -----

// It keeps all axes.
func.func @f(%A: !tirx.buffer<?x?xf16, global>, %i: index) {
  // expected-error@+1 {{'tirx.slice' op changes the rank from 2 to 1}}
  %0 = tirx.slice %A[%i, %i] : !tirx.buffer<?x?xf16, global> to !tirx.buffer<64xf16, global>
  return
}

// -----

// Tiles have a size.
func.func @f(%A: !tirx.buffer<?x?xf16, global>, %i: index) {
  // expected-error@+1 {{'tirx.slice' op result must have static extents, not '!tirx.buffer<128x?xf16, global>'}}
  %0 = tirx.slice %A[%i, %i] : !tirx.buffer<?x?xf16, global> to !tirx.buffer<128x?xf16, global>
  return
}

// -----

// Register tiles have no windows.
func.func @f(%t: tensor<128x16xf32, #tirx.layout<S[(128,16):(1@tid_in_wg,1)]>>, %i: index) {
  // expected-error@+1 {{'tirx.slice' op operand #0 must be a tile of memory, but got 'tensor<128x16xf32, #tirx.layout<S[(128,16):(1@tid_in_wg,1)]>>'}}
  %0 = "tirx.slice"(%t, %i, %i) : (tensor<128x16xf32, #tirx.layout<S[(128,16):(1@tid_in_wg,1)]>>, index, index) -> !tirx.buffer<8x8xf32, global>
  return
}
