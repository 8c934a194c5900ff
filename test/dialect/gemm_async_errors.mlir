// RUN: tirx-opt %s -split-input-file -verify-diagnostics

// A is a matrix.
func.func @f(%D: !tirx.buffer<64x64xf32, global>, %A: !tirx.buffer<1x64x16xf16, global>,
             %B: !tirx.buffer<64x16xf16, global>, %flag: i1) {
  // expected-error@+1 {{'tirx.gemm_async' op operand A must be a static matrix, not '!tirx.buffer<1x64x16xf16, global>'}}
  tirx.gemm_async %D, %A, %B accumulate(%flag)
    : !tirx.buffer<64x64xf32, global>, !tirx.buffer<1x64x16xf16, global>, !tirx.buffer<64x16xf16, global>
  return
}

// -----

// Of a size known to the compiler.
func.func @f(%D: !tirx.buffer<?x64xf32, global>, %A: !tirx.buffer<64x16xf16, global>, %flag: i1) {
  // expected-error@+1 {{'tirx.gemm_async' op operand D must be a static matrix, not '!tirx.buffer<?x64xf32, global>'}}
  tirx.gemm_async %D, %A, %A accumulate(%flag)
    : !tirx.buffer<?x64xf32, global>, !tirx.buffer<64x16xf16, global>, !tirx.buffer<64x16xf16, global>
  return
}

// -----

// B, too.
func.func @f(%D: !tirx.buffer<64x64xf32, global>, %A: !tirx.buffer<64x16xf16, global>,
             %B: !tirx.buffer<64xf16, global>, %flag: i1) {
  // expected-error@+1 {{'tirx.gemm_async' op operand B must be a static matrix, not '!tirx.buffer<64xf16, global>'}}
  tirx.gemm_async %D, %A, %B accumulate(%flag)
    : !tirx.buffer<64x64xf32, global>, !tirx.buffer<64x16xf16, global>, !tirx.buffer<64xf16, global>
  return
}

// -----

// D has A's rows.
func.func @f(%D: !tirx.buffer<128x64xf32, global>, %A: !tirx.buffer<64x16xf16, global>, %flag: i1) {
  // expected-error@+1 {{'tirx.gemm_async' op M of A is 64, M of D is 128}}
  tirx.gemm_async %D, %A, %A accumulate(%flag)
    : !tirx.buffer<128x64xf32, global>, !tirx.buffer<64x16xf16, global>, !tirx.buffer<64x16xf16, global>
  return
}

// -----

// D has as many columns as B has rows.
func.func @f(%D: !tirx.buffer<64x128xf32, global>, %A: !tirx.buffer<64x16xf16, global>, %flag: i1) {
  // expected-error@+1 {{'tirx.gemm_async' op N of B is 64, N of D is 128}}
  tirx.gemm_async %D, %A, %A accumulate(%flag)
    : !tirx.buffer<64x128xf32, global>, !tirx.buffer<64x16xf16, global>, !tirx.buffer<64x16xf16, global>
  return
}

// -----

// A and B have the same columns: B is N x K, not K x N.
func.func @f(%D: !tirx.buffer<64x64xf32, global>, %A: !tirx.buffer<64x16xf16, global>,
             %B: !tirx.buffer<64x32xf16, global>, %flag: i1) {
  // expected-error@+1 {{'tirx.gemm_async' op K of A is 16, K of B is 32}}
  tirx.gemm_async %D, %A, %B accumulate(%flag)
    : !tirx.buffer<64x64xf32, global>, !tirx.buffer<64x16xf16, global>, !tirx.buffer<64x32xf16, global>
  return
}

// -----

// Registers hold no operands.
!tile = tensor<128x16xf16, #tirx.layout<S[(128,16):(1@tid_in_wg,1)]>>
func.func @f(%D: !tirx.buffer<128x64xf32, global>, %A: !tile, %B: !tirx.buffer<64x16xf16, global>, %flag: i1) {
  // expected-error@+1 {{'tirx.gemm_async' op operand #1 must be a tile of memory, but got 'tensor<128x16xf16}}
  tirx.gemm_async %D, %A, %B accumulate(%flag)
    : !tirx.buffer<128x64xf32, global>, !tile, !tirx.buffer<64x16xf16, global>
  return
}

// -----

// Whether to accumulate is said.
func.func @f(%D: !tirx.buffer<64x64xf32, global>, %A: !tirx.buffer<64x16xf16, global>) {
  // expected-error@+1 {{expected 'accumulate'}}
  tirx.gemm_async %D, %A, %A : !tirx.buffer<64x64xf32, global>, !tirx.buffer<64x16xf16, global>, !tirx.buffer<64x16xf16, global>
  return
}

// -----

// A pair's B is two halves.
!D = !tirx.buffer<128x128xf32, global>
!A = !tirx.buffer<128x16xf16, global>
func.func @f(%D: !D, %A: !A, %flag: i1) {
  // expected-error@+1 {{'tirx.gemm_async' op N of B is 2 x 128 over the pair of CTAs, N of D is 128: with cta_group(2) each CTA holds half of B's rows and all of D's columns}}
  tirx.gemm_async %D, %A, %A accumulate(%flag) cta_group(2) : !D, !A, !A
  return
}

// -----

// D's rows are those of one CTA.
!D = !tirx.buffer<256x256xf32, global>
!A = !tirx.buffer<128x16xf16, global>
func.func @f(%D: !D, %A: !A, %flag: i1) {
  // expected-error@+1 {{'tirx.gemm_async' op M of A is 128, M of D is 256}}
  tirx.gemm_async %D, %A, %A accumulate(%flag) cta_group(2) : !D, !A, !A
  return
}

// -----

// One CTA or a pair.
!D = !tirx.buffer<128x128xf32, global>
!A = !tirx.buffer<128x16xf16, global>
func.func @f(%D: !D, %A: !A, %flag: i1) {
  // expected-error@+1 {{'tirx.gemm_async' op cta_group(0) must be 1 or 2 (PTX ISA, .cta_group)}}
  tirx.gemm_async %D, %A, %A accumulate(%flag) cta_group(0) : !D, !A, !A
  return
}
