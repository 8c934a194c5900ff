// RUN: tirx-opt %s -split-input-file -verify-diagnostics

// Rows and columns change places.
!s = !tirx.buffer<64x128xf16, #tirx.layout<S[(64,128):(128,1)]>, shared>
!r = !tirx.buffer<64x128xf16, #tirx.layout<S[(64,128):(128,1)]>, shared>
func.func @f(%s: !s) {
  // expected-error@+1 {{'tirx.transpose' op of 64x128xf16 cannot be 64x128xf16}}
  %0 = tirx.transpose %s : !s to !r
  return
}

// -----

// Bits are not read anew.
!s = !tirx.buffer<64x128xf16, #tirx.layout<S[(64,128):(128,1)]>, shared>
!r = !tirx.buffer<128x64xbf16, #tirx.layout<S[(128,64):(1,128)]>, shared>
func.func @f(%s: !s) {
  // expected-error@+1 {{'tirx.transpose' op of 64x128xf16 cannot be 128x64xbf16}}
  %0 = tirx.transpose %s : !s to !r
  return
}

// -----

// Elements stay where they are.
!s = !tirx.buffer<64x128xf16, #tirx.layout<S[(64,128):(128,1)]>, shared>
!r = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)]>, shared>
func.func @f(%s: !s) {
  // expected-error@+1 {{'tirx.transpose' op the transposed layout is S[(128,64):(1,128)], the result's S[(128,64):(64,1)]}}
  %0 = tirx.transpose %s : !s to !r
  return
}

// -----

// So does the swizzle.
!s = !tirx.buffer<64x128xf16, #tirx.layout<S[(64,128):(128,1)]>, shared>
!r = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(1,128)] swizzle(3,3,3)>, shared>
func.func @f(%s: !s) {
  // expected-error@+1 {{'tirx.transpose' op the transposed layout is S[(128,64):(1,128)], the result's S[(128,64):(1,128)] swizzle(3,3,3)}}
  %0 = tirx.transpose %s : !s to !r
  return
}

// -----

// A vector has no columns.
!s = !tirx.buffer<64xf16, #tirx.layout<S[64:1]>, shared>
!r = !tirx.buffer<64xf16, #tirx.layout<S[64:1]>, shared>
func.func @f(%s: !s) {
  // expected-error@+1 {{'tirx.transpose' op transposes matrices, not 64xf16}}
  %0 = tirx.transpose %s : !s to !r
  return
}

// -----

// An iter of both has no part that is rows.
!s = !tirx.buffer<6x4xf16, #tirx.layout<S[(4,6):(6,1)]>, shared>
!r = !tirx.buffer<4x6xf16, #tirx.layout<S[(4,6):(6,1)]>, shared>
func.func @f(%s: !s) {
  // expected-error@+1 {{'tirx.transpose' op cannot transpose the layout: }}
  %0 = tirx.transpose %s : !s to !r
  return
}
