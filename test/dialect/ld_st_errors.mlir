// RUN: tirx-opt %s -split-input-file -verify-diagnostics

// Tensor memory has instructions of its own.
!Acc = !tirx.buffer<128x64xf32, #tirx.layout<S[(128,64):(1@TLane,1@TCol)]>, tmem>
func.func @f(%acc: !Acc, %i: index) {
  // expected-error@+1 {{'tirx.ld' op cannot access tensor memory: use tirx.tcgen05.ld and tirx.tcgen05.st}}
  %0 = tirx.ld %acc[%i] : index, !Acc -> vector<4xf32>
  return
}

// -----

// For stores, too.
!Acc = !tirx.buffer<128x64xf32, #tirx.layout<S[(128,64):(1@TLane,1@TCol)]>, tmem>
func.func @f(%acc: !Acc, %v: vector<4xf32>, %i: index) {
  // expected-error@+1 {{'tirx.st' op cannot access tensor memory: use tirx.tcgen05.ld and tirx.tcgen05.st}}
  tirx.st %v, %acc[%i] : vector<4xf32>, index to !Acc
  return
}

// -----

// An access does not convert.
func.func @f(%A: !tirx.buffer<64xf16, global>, %i: index) {
  // expected-error@+1 {{'tirx.ld' op vector element 'f32' is not the buffer's 'f16'}}
  %0 = tirx.ld %A[%i] : index, !tirx.buffer<64xf16, global> -> vector<4xf32>
  return
}

// -----

// Likewise.
func.func @f(%A: !tirx.buffer<64xf16, global>, %v: vector<4xbf16>, %i: index) {
  // expected-error@+1 {{'tirx.st' op vector element 'bf16' is not the buffer's 'f16'}}
  tirx.st %v, %A[%i] : vector<4xbf16>, index to !tirx.buffer<64xf16, global>
  return
}

// -----

// More than 16 bytes.
func.func @f(%A: !tirx.buffer<64xf16, global>, %i: index) {
  // expected-error@+1 {{'tirx.ld' op 'vector<16xf16>' has 256 bits, ld takes 8, 16, 32, 64 or 128}}
  %0 = tirx.ld %A[%i] : index, !tirx.buffer<64xf16, global> -> vector<16xf16>
  return
}

// -----

// No instruction moves three elements.
func.func @f(%A: !tirx.buffer<64xf16, global>, %v: vector<3xf16>, %i: index) {
  // expected-error@+1 {{'tirx.st' op 'vector<3xf16>' has 48 bits, st takes 8, 16, 32, 64 or 128}}
  tirx.st %v, %A[%i] : vector<3xf16>, index to !tirx.buffer<64xf16, global>
  return
}

// -----

// Vectors have one dimension ...
func.func @f(%A: !tirx.buffer<64xf16, global>, %i: index) {
  // expected-error@+1 {{'tirx.ld' op result #0 must be fixed-length vector of any type values of ranks 1, but got 'vector<2x2xf16>'}}
  %0 = tirx.ld %A[%i] : index, !tirx.buffer<64xf16, global> -> vector<2x2xf16>
  return
}

// -----

// ... and a length.
func.func @f(%A: !tirx.buffer<64xf16, global>, %i: index) {
  // expected-error@+1 {{'tirx.ld' op result #0 must be fixed-length vector of any type values of ranks 1, but got 'vector<[4]xf16>'}}
  %0 = tirx.ld %A[%i] : index, !tirx.buffer<64xf16, global> -> vector<[4]xf16>
  return
}

// -----

// Offsets have 32 bits (as an index) or 64.
func.func @f(%A: !tirx.buffer<64xf16, global>, %i: i32) {
  // expected-error@+1 {{'tirx.ld' op operand #1 must be 64-bit signless integer or index, but got 'i32'}}
  %0 = tirx.ld %A[%i] : i32, !tirx.buffer<64xf16, global> -> vector<4xf16>
  return
}

// -----

// Register tiles are values.
!tile = tensor<128xf16, #tirx.layout<S[128:1@tid_in_wg]>>
func.func @f(%t: !tile, %i: index) {
  // expected-error@+1 {{'tirx.ld' op operand #0 must be a tile of memory, but got 'tensor<128xf16}}
  %0 = "tirx.ld"(%t, %i) : (!tile, index) -> vector<1xf16>
  return
}
