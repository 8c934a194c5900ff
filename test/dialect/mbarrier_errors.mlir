// RUN: tirx-opt %s -split-input-file -verify-diagnostics

// A barrier that some threads would not have.
func.func @f() {
  tirx.elect {
    // expected-error@+1 {{'tirx.mbarrier.alloc' op must be directly in the region of tirx.launch}}
    %bar = tirx.mbarrier.alloc : !tirx.barrier<1>
  }
  return
}

// -----

// An mbarrier is a 64-bit word.
func.func @f() {
  // expected-error@+1 {{'tirx.mbarrier.alloc' op offset(4) must be a non-negative multiple of 8}}
  %bar = tirx.mbarrier.alloc offset(4) : !tirx.barrier<1>
  return
}

// -----

// It is not a buffer.
func.func @f() {
  // expected-error@+1 {{'tirx.mbarrier.alloc' op result #0 must be an array of mbarrier objects in shared memory, but got '!tirx.buffer<1xi64, global>'}}
  %bar = tirx.mbarrier.alloc : !tirx.buffer<1xi64, global>
  return
}

// -----

// A phase without arrivals would never end.
func.func @f(%bar: !tirx.barrier<1>) {
  // expected-error@+1 {{'tirx.mbarrier.init' op count(0) is outside [1, 1048575] (PTX ISA, mbarrier.init)}}
  tirx.mbarrier.init %bar count(0) : !tirx.barrier<1>
  return
}

// -----

// 20 bits count arrivals.
func.func @f(%bar: !tirx.barrier<1>) {
  // expected-error@+1 {{'tirx.mbarrier.init' op count(1048576) is outside [1, 1048575] (PTX ISA, mbarrier.init)}}
  tirx.mbarrier.init %bar count(1048576) : !tirx.barrier<1>
  return
}

// -----

// A number that is not a barrier.
func.func @f(%x: f32) {
  // expected-error@+1 {{'tirx.mbarrier.init' op operand #0 must be an array of mbarrier objects in shared memory, but got 'f32'}}
  "tirx.mbarrier.init"(%x) <{count = 1 : i64}> : (f32) -> ()
  return
}

// -----

// Bytes are derived or written, not both.
!s = !tirx.buffer<64xf32, #tirx.layout<S[64:1]>, shared>
func.func @f(%bar: !tirx.barrier<1>, %s: !s) {
  // expected-error@+1 {{'tirx.mbarrier.arrive' op takes either expect(...) or expect_tx(...), not both}}
  tirx.mbarrier.arrive %bar expect(%s : !s) expect_tx(256) : !tirx.barrier<1>
  return
}

// -----

// 20 bits count bytes.
func.func @f(%bar: !tirx.barrier<1>) {
  // expected-error@+1 {{'tirx.mbarrier.arrive' op expects 1048576 bytes, outside the [0, 1048575] that an mbarrier can count (PTX ISA, mbarrier tx-count)}}
  tirx.mbarrier.arrive %bar expect_tx(1048576) : !tirx.barrier<1>
  return
}

// -----

// Of all buffers together.
!s = !tirx.buffer<131072xf32, #tirx.layout<S[131072:1]>, shared>
func.func @f(%bar: !tirx.barrier<1>, %s: !s) {
  // expected-error@+1 {{'tirx.mbarrier.arrive' op expects 1048576 bytes, outside the [0, 1048575]}}
  tirx.mbarrier.arrive %bar expect(%s, %s : !s, !s) : !tirx.barrier<1>
  return
}

// -----

// Nobody delivers less than nothing.
func.func @f(%bar: !tirx.barrier<1>) {
  // expected-error@+1 {{'tirx.mbarrier.arrive' op expects -16 bytes, outside the [0, 1048575]}}
  tirx.mbarrier.arrive %bar expect_tx(-16) : !tirx.barrier<1>
  return
}

// -----

// TMA delivers to shared memory.
func.func @f(%bar: !tirx.barrier<1>, %A: !tirx.buffer<64xf32, global>) {
  // expected-error@+1 {{'tirx.mbarrier.arrive' op can only expect shared buffers, not '!tirx.buffer<64xf32, global>'}}
  tirx.mbarrier.arrive %bar expect(%A : !tirx.buffer<64xf32, global>) : !tirx.barrier<1>
  return
}

// -----

// Which of the four?
func.func @f(%ring: !tirx.barrier<4>) {
  // expected-error@+1 {{'tirx.mbarrier.arrive' op must say which of the 4 barriers it means, as in %bar[%slot]}}
  tirx.mbarrier.arrive %ring : !tirx.barrier<4>
  return
}

// -----

// Likewise.
func.func @f(%ring: !tirx.barrier<4>, %phase: i1) {
  // expected-error@+1 {{'tirx.mbarrier.wait' op must say which of the 4 barriers it means, as in %bar[%slot]}}
  tirx.mbarrier.wait %ring parity(%phase) : !tirx.barrier<4>
  return
}

// -----

// Likewise.
func.func @f(%ring: !tirx.barrier<4>, %phase: i1) {
  // expected-error@+1 {{'tirx.mbarrier.try_wait' op must say which of the 4 barriers it means, as in %bar[%slot]}}
  %0 = tirx.mbarrier.try_wait %ring parity(%phase) : !tirx.barrier<4>
  return
}

// -----

// Slots 0 to 3.
func.func @f(%ring: !tirx.barrier<4>, %phase: i1) {
  %c4 = arith.constant 4 : index
  // expected-error@+1 {{'tirx.mbarrier.wait' op slot 4 is outside [0, 3], the slots of '!tirx.barrier<4>'}}
  tirx.mbarrier.wait %ring[%c4] parity(%phase) : !tirx.barrier<4>
  return
}

// -----

// Likewise.
func.func @f(%ring: !tirx.barrier<4>) {
  %c-1 = arith.constant -1 : index
  // expected-error@+1 {{'tirx.mbarrier.arrive' op slot -1 is outside [0, 3], the slots of '!tirx.barrier<4>'}}
  tirx.mbarrier.arrive %ring[%c-1] : !tirx.barrier<4>
  return
}

// -----

// Of a single barrier slot 0 only.
func.func @f(%bar: !tirx.barrier<1>, %phase: i1) {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'tirx.mbarrier.try_wait' op slot 1 is outside [0, 0], the slots of '!tirx.barrier<1>'}}
  %0 = tirx.mbarrier.try_wait %bar[%c1] parity(%phase) : !tirx.barrier<1>
  return
}

// -----

// A parity is one bit.
// expected-note@+1 {{prior use here}}
func.func @f(%bar: !tirx.barrier<1>, %phase: i32) {
  // expected-error@+1 {{use of value '%phase' expects different type than prior uses: 'i1' vs 'i32'}}
  tirx.mbarrier.wait %bar parity(%phase) : !tirx.barrier<1>
  return
}

// -----

// Who owns the barrier expects its bytes.
func.func @f(%bar: !tirx.barrier<1>, %rank: index) {
  // expected-error@+1 {{'tirx.mbarrier.arrive' op an arrival at another CTA cannot expect bytes: let the CTA that owns the barrier expect them}}
  tirx.mbarrier.arrive %bar expect_tx(16) cta(%rank) : !tirx.barrier<1>
  return
}

// -----

// Likewise.
!s = !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(64,1)]>, shared>
func.func @f(%bar: !tirx.barrier<1>, %s: !s, %rank: index) {
  // expected-error@+1 {{'tirx.mbarrier.arrive' op an arrival at another CTA cannot expect bytes: let the CTA that owns the barrier expect them}}
  tirx.mbarrier.arrive %bar expect(%s : !s) cta(%rank) : !tirx.barrier<1>
  return
}

// -----

// A rank is an index.
// expected-note@+1 {{prior use here}}
func.func @f(%bar: !tirx.barrier<1>, %rank: i32) {
  // expected-error@+1 {{use of value '%rank' expects different type than prior uses: 'index' vs 'i32'}}
  tirx.mbarrier.arrive %bar cta(%rank) : !tirx.barrier<1>
  return
}
