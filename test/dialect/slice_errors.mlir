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

// The window lies within the buffer.
!s = !tirx.buffer<64xf16, #tirx.layout<S[64:1]>, shared>
func.func @f(%s: !s) {
  %c48 = arith.constant 48 : index
  // expected-error@+1 {{'tirx.slice' op the window [48, 80) of axis 0 exceeds the extent 64}}
  %0 = tirx.slice %s[%c48] : !s to !tirx.buffer<32xf16, #tirx.layout<S[32:1]>, shared>
  return
}

// -----

// The result has the window's layout.
!t = !tirx.buffer<128x64xf32, #tirx.layout<S[(128,64):(1@TLane,1@TCol)]>, tmem>
func.func @f(%t: !t) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{'tirx.slice' op the window's layout is S[(128,32):(1@TLane,1@TCol)], the result's S[(128,32):(1@TLane,2@TCol)]}}
  %0 = tirx.slice %t[%c0, %c0] : !t to !tirx.buffer<128x32xf32, #tirx.layout<S[(128,32):(1@TLane,2@TCol)]>, tmem>
  return
}

// -----

// A swizzled tile moves by whole patterns.
#ring = #tirx.layout<S[(2,128,64):(8192,64,1)] swizzle(3,3,3)>
#tile = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
!ring = !tirx.buffer<2x128x64xf16, #ring, shared>
!half = !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(64,1)] swizzle(3,3,3)>, shared>
func.func @f(%r: !ring, %i: index) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{'tirx.slice' op the offset along axis 1 must be constant: it moves the tile by 64 elements, no multiple of the swizzle's period of 512}}
  %0 = tirx.slice %r[%i, %i, %c0] : !ring to !half
  return
}

// -----

#ring = #tirx.layout<S[(2,128,64):(8192,64,1)] swizzle(3,3,3)>
!ring = !tirx.buffer<2x128x64xf16, #ring, shared>
!part = !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(64,1)] swizzle(3,3,3)>, shared>
func.func @f(%r: !ring) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  // expected-error@+1 {{'tirx.slice' op the window begins 256 elements into the buffer, no multiple of the swizzle's period of 512}}
  %0 = tirx.slice %r[%c0, %c4, %c0] : !ring to !part
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
