// RUN: tirx-opt %s -split-input-file -verify-diagnostics

// A copy goes somewhere.
func.func @f(%A: !tirx.buffer<64xf16, global>) {
  // expected-error@+1 {{'tirx.copy' op must have either a destination buffer or a result tile}}
  "tirx.copy"(%A) : (!tirx.buffer<64xf16, global>) -> ()
  return
}

// -----

// But to one place.
!tile = tensor<128xf16, #tirx.layout<S[128:1@tid_in_wg]>>
func.func @f(%A: !tirx.buffer<128xf16, global>) {
  // expected-error@+1 {{'tirx.copy' op must have either a destination buffer or a result tile}}
  %0 = "tirx.copy"(%A, %A) : (!tirx.buffer<128xf16, global>, !tirx.buffer<128xf16, global>) -> !tile
  return
}

// -----

// An argument of unknown size is no tile.
func.func @f(%A: !tirx.buffer<?xf16, global>, %B: !tirx.buffer<64xf16, global>) {
  // expected-error@+1 {{'tirx.copy' op needs static extents, not '!tirx.buffer<?xf16, global>': take a tirx.slice of it}}
  tirx.copy %A to %B : !tirx.buffer<?xf16, global> to !tirx.buffer<64xf16, global>
  return
}

// -----

// Nor as a destination.
func.func @f(%A: !tirx.buffer<?xf16, global>, %B: !tirx.buffer<64xf16, global>) {
  // expected-error@+1 {{'tirx.copy' op needs static extents, not '!tirx.buffer<?xf16, global>': take a tirx.slice of it}}
  tirx.copy %B to %A : !tirx.buffer<64xf16, global> to !tirx.buffer<?xf16, global>
  return
}

// -----

// A copy does not convert.
func.func @f(%A: !tirx.buffer<64xf16, global>, %B: !tirx.buffer<64xf32, global>) {
  // expected-error@+1 {{'tirx.copy' op copies elements of 'f16' into 'f32'}}
  tirx.copy %A to %B : !tirx.buffer<64xf16, global> to !tirx.buffer<64xf32, global>
  return
}

// -----

// Nor does it cut.
func.func @f(%A: !tirx.buffer<128x64xf16, global>, %B: !tirx.buffer<64x64xf16, global>) {
  // expected-error@+1 {{'tirx.copy' op copies 128x64xf16 into 64x64xf16}}
  tirx.copy %A to %B : !tirx.buffer<128x64xf16, global> to !tirx.buffer<64x64xf16, global>
  return
}

// -----

// Nor does it reshape.
func.func @f(%A: !tirx.buffer<4096xf16, global>, %B: !tirx.buffer<64x64xf16, global>) {
  // expected-error@+1 {{'tirx.copy' op copies 4096xf16 into 64x64xf16}}
  tirx.copy %A to %B : !tirx.buffer<4096xf16, global> to !tirx.buffer<64x64xf16, global>
  return
}

// -----

// An SSA value need not be copied.
!tile = tensor<128xf16, #tirx.layout<S[128:1@tid_in_wg]>>
func.func @f(%t: !tile) {
  // expected-error@+1 {{'tirx.copy' op copies a register tile into a register tile: use the value itself}}
  %0 = tirx.copy %t : !tile to !tile
  return
}

// -----

// A tensor without a layout lies nowhere.
func.func @f(%t: tensor<128xf16>, %A: !tirx.buffer<128xf16, global>) {
  // expected-error@+1 {{'tirx.copy' op operand #0 must be a tile of memory or register tile (a tensor with a #tirx.layout encoding), but got 'tensor<128xf16>'}}
  tirx.copy %t to %A : tensor<128xf16> to !tirx.buffer<128xf16, global>
  return
}

// -----

// Likewise.
func.func @f(%A: !tirx.buffer<128xf16, global>) {
  // expected-error@+1 {{'tirx.copy' op result #0 must be register tile (a tensor with a #tirx.layout encoding), but got 'tensor<128xf16>'}}
  %0 = tirx.copy %A : !tirx.buffer<128xf16, global> to tensor<128xf16>
  return
}

// -----

// A variant has a name.
func.func @f(%A: !tirx.buffer<64xf16, global>) {
  // expected-error@+1 {{invalid kind of attribute specified}}
  tirx.copy %A to %A dispatch(1) : !tirx.buffer<64xf16, global> to !tirx.buffer<64xf16, global>
  return
}

// -----

// Only asynchronous copies signal.
func.func @f(%A: !tirx.buffer<64xf16, global>, %bar: !tirx.barrier<1>) {
  // expected-error@+1 {{expected ':'}}
  tirx.copy %A to %A signal(%bar : !tirx.barrier<1>) : !tirx.buffer<64xf16, global> to !tirx.buffer<64xf16, global>
  return
}

// -----

// Both types are written.
func.func @f(%A: !tirx.buffer<64xf16, global>) {
  // expected-error@+1 {{expected 'to'}}
  tirx.copy %A to %A : !tirx.buffer<64xf16, global>, !tirx.buffer<64xf16, global>
  return
}

// -----

// Only extents of 1 may lead.
!s = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)]>, shared>
func.func @f(%A: !tirx.buffer<2x128x64xf16, global>, %s: !s) {
  // expected-error@+1 {{'tirx.copy' op copies 2x128x64xf16 into 128x64xf16}}
  tirx.copy %A to %s : !tirx.buffer<2x128x64xf16, global> to !s
  return
}

// -----

// And only of global memory: a ring's stage is a slice of it.
!s = !tirx.buffer<1x64x64xf16, #tirx.layout<S[(64,64):(64,1)]>, shared>
func.func @f(%A: !tirx.buffer<64x64xf16, global>, %s: !s) {
  // expected-error@+1 {{'tirx.copy' op copies 64x64xf16 into 1x64x64xf16}}
  tirx.copy %A to %s : !tirx.buffer<64x64xf16, global> to !s
  return
}
