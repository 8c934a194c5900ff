// RUN: tirx-opt %s -split-input-file -verify-diagnostics

// Only extents of 1 grow.
!s = tensor<32xf32, #tirx.layout<S[32:1] + R[32:1@laneid]>>
!r = tensor<32x64xf32, #tirx.layout<S[(32,64):(1@laneid,1)]>>
func.func @f(%s: !s) {
  // expected-error@+1 {{'tirx.broadcast' op cannot broadcast 32xf32 to 32x64xf32}}
  %0 = tirx.broadcast %s : !s to !r
  return
}

// -----

// Dimensions do not go away.
!s = tensor<32x64xf32, #tirx.layout<S[(32,64):(1@laneid,1)]>>
!r = tensor<64xf32, #tirx.layout<S[64:1] + R[32:1@laneid]>>
func.func @f(%s: !s) {
  // expected-error@+1 {{'tirx.broadcast' op cannot broadcast 32x64xf32 to 64xf32}}
  %0 = tirx.broadcast %s : !s to !r
  return
}

// -----

// Nothing is converted.
!s = tensor<64xf16, #tirx.layout<S[64:1] + R[32:1@laneid]>>
!r = tensor<32x64xf32, #tirx.layout<S[(32,64):(1@laneid,1)]>>
func.func @f(%s: !s) {
  // expected-error@+1 {{'tirx.broadcast' op cannot broadcast 64xf16 to 32x64xf32}}
  %0 = tirx.broadcast %s : !s to !r
  return
}

// -----

// Plain tensors are no register tiles.
!s = tensor<64xf32>
!r = tensor<32x64xf32, #tirx.layout<S[(32,64):(1@laneid,1)]>>
func.func @f(%s: !s) {
  // expected-error@+1 {{'tirx.broadcast' op operand #0 must be register tile}}
  %0 = tirx.broadcast %s : !s to !r
  return
}
