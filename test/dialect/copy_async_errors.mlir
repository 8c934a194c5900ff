// RUN: tirx-opt %s -split-input-file -verify-diagnostics

// Nobody would know when the bytes are there.
!s = !tirx.buffer<64xf16, #tirx.layout<S[64:1]>, shared>
func.func @f(%A: !tirx.buffer<64xf16, global>, %s: !s) {
  // expected-error@+1 {{'tirx.copy_async' op a TMA load needs signal(...): the mbarrier that its bytes complete on}}
  tirx.copy_async %A to %s : !tirx.buffer<64xf16, global> to !s
  return
}

// -----

// TMA stores do not signal a barrier.
!s = !tirx.buffer<64xf16, #tirx.layout<S[64:1]>, shared>
func.func @f(%A: !tirx.buffer<64xf16, global>, %s: !s, %bar: !tirx.barrier<1>) {
  // expected-error@+1 {{'tirx.copy_async' op signal(...) is for copies from global to shared memory: TMA stores complete by tirx.bulk.wait_group, copies of tensor memory by tirx.tcgen05.wait}}
  tirx.copy_async %s to %A signal(%bar : !tirx.barrier<1>) : !s to !tirx.buffer<64xf16, global>
  return
}

// -----

// Nor does tcgen05.ld.
!t = !tirx.buffer<128x64xf32, #tirx.layout<S[(128,64):(1@TLane,1@TCol)]>, tmem>
!tile = tensor<128x64xf32, #tirx.layout<S[(128,64):(1@tid_in_wg,1)]>>
func.func @f(%t: !t, %bar: !tirx.barrier<1>) {
  // expected-error@+1 {{'tirx.copy_async' op signal(...) is for copies from global to shared memory}}
  %0 = tirx.copy_async %t signal(%bar : !tirx.barrier<1>) : !t to !tile
  return
}

// -----

// Which of the four?
!s = !tirx.buffer<64xf16, #tirx.layout<S[64:1]>, shared>
func.func @f(%A: !tirx.buffer<64xf16, global>, %s: !s, %ring: !tirx.barrier<4>) {
  // expected-error@+1 {{'tirx.copy_async' op must say which of the 4 barriers it means, as in %bar[%slot]}}
  tirx.copy_async %A to %s signal(%ring : !tirx.barrier<4>) : !tirx.buffer<64xf16, global> to !s
  return
}

// -----

// Slots 0 to 3.
!s = !tirx.buffer<64xf16, #tirx.layout<S[64:1]>, shared>
func.func @f(%A: !tirx.buffer<64xf16, global>, %s: !s, %ring: !tirx.barrier<4>) {
  %c4 = arith.constant 4 : index
  // expected-error@+1 {{'tirx.copy_async' op slot 4 is outside [0, 3], the slots of '!tirx.barrier<4>'}}
  tirx.copy_async %A to %s signal(%ring[%c4] : !tirx.barrier<4>) : !tirx.buffer<64xf16, global> to !s
  return
}

// -----

// The barrier is a barrier.
!s = !tirx.buffer<64xf16, #tirx.layout<S[64:1]>, shared>
func.func @f(%A: !tirx.buffer<64xf16, global>, %s: !s, %i: i64) {
  // expected-error@+1 {{'tirx.copy_async' op operand #2 must be an array of mbarrier objects in shared memory, but got 'i64'}}
  tirx.copy_async %A to %s signal(%i : i64) : !tirx.buffer<64xf16, global> to !s
  return
}

// -----

// A barrier has a type.
!s = !tirx.buffer<64xf16, #tirx.layout<S[64:1]>, shared>
func.func @f(%A: !tirx.buffer<64xf16, global>, %s: !s, %bar: !tirx.barrier<1>) {
  // expected-error@+1 {{expected ':'}}
  tirx.copy_async %A to %s signal(%bar) : !tirx.buffer<64xf16, global> to !s
  return
}

// -----

// As for tirx.copy.
func.func @f(%A: !tirx.buffer<64xf16, global>) {
  // expected-error@+1 {{'tirx.copy_async' op must have either a destination buffer or a result tile}}
  "tirx.copy_async"(%A) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (!tirx.buffer<64xf16, global>) -> ()
  return
}

// -----

// As for tirx.copy.
!s = !tirx.buffer<64xf16, #tirx.layout<S[64:1]>, shared>
func.func @f(%A: !tirx.buffer<?xf16, global>, %s: !s) {
  // expected-error@+1 {{'tirx.copy_async' op needs static extents, not '!tirx.buffer<?xf16, global>': take a tirx.slice of it}}
  tirx.copy_async %s to %A : !s to !tirx.buffer<?xf16, global>
  return
}

// -----

// As for tirx.copy.
!s = !tirx.buffer<64xf16, #tirx.layout<S[64:1]>, shared>
func.func @f(%A: !tirx.buffer<64xbf16, global>, %s: !s) {
  // expected-error@+1 {{'tirx.copy_async' op copies elements of 'f16' into 'bf16'}}
  tirx.copy_async %s to %A : !s to !tirx.buffer<64xbf16, global>
  return
}

// -----

// As for tirx.copy.
!s = !tirx.buffer<64xf16, #tirx.layout<S[64:1]>, shared>
func.func @f(%A: !tirx.buffer<32xf16, global>, %s: !s) {
  // expected-error@+1 {{'tirx.copy_async' op copies 64xf16 into 32xf16}}
  tirx.copy_async %s to %A : !s to !tirx.buffer<32xf16, global>
  return
}

// -----

// As for tirx.copy.
!tile = tensor<128xf16, #tirx.layout<S[128:1@tid_in_wg]>>
func.func @f(%t: !tile) {
  // expected-error@+1 {{'tirx.copy_async' op copies a register tile into a register tile: use the value itself}}
  %0 = tirx.copy_async %t : !tile to !tile
  return
}

// -----

// Threads share no tile.
!s = !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(64,1)]>, shared>
!g = !tirx.buffer<64x64xf16, global>
func.func @f(%g: !g, %s: !s, %bar: !tirx.barrier<1>) {
  // expected-error@+1 {{'tirx.copy_async' op multicast(tx) must name an axis of the cluster: cbx, cby or cbz}}
  tirx.copy_async %g to %s signal(%bar : !tirx.barrier<1>) multicast(tx) : !g to !s
  return
}

// -----

// No axis at all.
!s = !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(64,1)]>, shared>
!g = !tirx.buffer<64x64xf16, global>
func.func @f(%g: !g, %s: !s, %bar: !tirx.barrier<1>) {
  // expected-error@+1 {{unknown thread axis 'rows': expected bx, by}}
  tirx.copy_async %g to %s signal(%bar : !tirx.barrier<1>) multicast(rows) : !g to !s
  return
}

// -----

// One CTA or a pair.
!s = !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(64,1)]>, shared>
!g = !tirx.buffer<64x64xf16, global>
func.func @f(%g: !g, %s: !s, %bar: !tirx.barrier<1>) {
  // expected-error@+1 {{'tirx.copy_async' op cta_group(4) must be 1 or 2 (PTX ISA, .cta_group)}}
  tirx.copy_async %g to %s signal(%bar : !tirx.barrier<1>) cta_group(4) : !g to !s
  return
}

// -----

// Only loads are told to others.
!s = !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(64,1)]>, shared>
!g = !tirx.buffer<64x64xf16, global>
func.func @f(%g: !g, %s: !s) {
  // expected-error@+1 {{'tirx.copy_async' op multicast(...) is for copies from global to shared memory}}
  tirx.copy_async %s to %g multicast(cbx) : !s to !g
  return
}

// -----

// Likewise.
!s = !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(64,1)]>, shared>
!g = !tirx.buffer<64x64xf16, global>
func.func @f(%g: !g, %s: !s) {
  // expected-error@+1 {{'tirx.copy_async' op cta_group(2) is for copies from global to shared memory}}
  tirx.copy_async %s to %g cta_group(2) : !s to !g
  return
}
