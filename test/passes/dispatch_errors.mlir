// What tirx-dispatch refuses, and the reasons that it gives. The good twins are
// in dispatch.mlir and lower_tiles.mlir.
//
// RUN: tirx-opt %s --tirx-dispatch -split-input-file -verify-diagnostics

// Names.
#accumulator = #tirx.layout<S[(128,64):(1@TLane,1@TCol)]>
#rows = #tirx.layout<S[(128,64):(1@tid_in_wg,1)]>
!operand = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
!tile = !tirx.buffer<128x64xf16, global>
!accumulator = !tirx.buffer<128x64xf32, #accumulator, tmem>
!b = !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(64,1)] swizzle(3,3,3)>, shared>
tirx.kernel @names(%A: !tirx.buffer<?x?xf16, global>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %false = arith.constant false
    %As = tirx.shared.alloc : !operand
    %Bs = tirx.shared.alloc : !b
    %bar = tirx.mbarrier.alloc : !tirx.barrier<1>
    %acc = tirx.tmem.alloc : !accumulator
    %tile = tirx.slice %A[%c0, %c0] : !tirx.buffer<?x?xf16, global> to !tile
    // expected-error@+1 {{has no dispatch variant 'tma'; it has 'tcgen05_ld', 'tcgen05_st', 'vector'}}
    tirx.copy %tile to %As dispatch("tma") : !tile to !operand
    // expected-error@+1 {{has no dispatch variant 'vector'; it has 'tma', 'tcgen05_ld', 'tcgen05_st'}}
    tirx.copy_async %tile to %As signal(%bar : !tirx.barrier<1>) dispatch("vector") : !tile to !operand
    // expected-error@+1 {{has no dispatch variant 'wgmma'; it has 'tcgen05'}}
    tirx.gemm_async %acc, %As, %Bs accumulate(%false) dispatch("wgmma") : !accumulator, !operand, !b
    // A name is a demand: nothing else is tried.
    // expected-error@+1 {{cannot be dispatched to 'tcgen05_ld': the source is in global memory, not in tensor memory}}
    tirx.copy %tile to %As dispatch("tcgen05_ld") : !tile to !operand
    // expected-error@+1 {{cannot be dispatched to 'vector': the memory is tensor memory}}
    %f = tirx.copy %acc dispatch("vector") : !accumulator to tensor<128x64xf32, #rows>
    tirx.tmem.dealloc %acc : !accumulator
  }
}

// -----

// Places that no variant connects.
#plain = #tirx.layout<S[(128,64):(64,1)]>
#accumulator = #tirx.layout<S[(128,64):(1@TLane,1@TCol)]>
!shared = !tirx.buffer<128x64xf32, #plain, shared>
!accumulator = !tirx.buffer<128x64xf32, #accumulator, tmem>
tirx.kernel @places() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %a = tirx.shared.alloc : !shared
    %b = tirx.shared.alloc : !shared
    %acc = tirx.tmem.alloc : !accumulator
    // expected-error@+4 {{no dispatch variant of tirx.copy applies}}
    // expected-note@+3 {{tcgen05_ld: the source is in shared memory, not in tensor memory}}
    // expected-note@+2 {{tcgen05_st: the destination is in shared memory, not in tensor memory}}
    // expected-note@+1 {{vector: the source is in shared memory, the destination in shared memory; it copies between global and shared memory}}
    tirx.copy %a to %b : !shared to !shared
    // expected-error@+4 {{no dispatch variant of tirx.copy applies}}
    // expected-note@+3 {{tcgen05_ld: it copies between tensor memory and registers}}
    // expected-note@+2 {{tcgen05_st: the destination is in shared memory, not in tensor memory}}
    // expected-note@+1 {{vector: the source is in tmem memory, the destination in shared memory; it copies between global and shared memory}}
    tirx.copy %acc to %a : !accumulator to !shared
    // expected-error@+4 {{no dispatch variant of tirx.copy_async applies}}
    // expected-note@+3 {{tma: the source is in shared memory, the destination in shared memory; it copies between global and shared memory}}
    // expected-note@+2 {{tcgen05_ld: the source is in shared memory, not in tensor memory}}
    // expected-note@+1 {{tcgen05_st: the destination is in shared memory, not in tensor memory}}
    tirx.copy_async %a to %b : !shared to !shared
    tirx.tmem.dealloc %acc : !accumulator
  }
}

// -----

// Global tiles that no address can be made of.
!matrix = !tirx.buffer<?x?xf16, global>
!fixed = !tirx.buffer<64x64xf16, global>
!shared = !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(64,1)]>, shared>
tirx.kernel @global(%A: !matrix, %B: !matrix, %F: !fixed, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %some = arith.cmpi ne, %n, %c0 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %s = tirx.shared.alloc : !shared
    // expected-error@+1 {{cannot be dispatched to 'vector': the global buffer is a whole argument: take a tirx.slice of it}}
    tirx.copy %F to %s dispatch("vector") : !fixed to !shared
    %outer = tirx.slice %A[%c0, %c0] : !matrix to !tirx.buffer<128x64xf16, global>
    %inner = tirx.slice %outer[%c0, %c0] : !tirx.buffer<128x64xf16, global> to !fixed
    // expected-error@+1 {{cannot be dispatched to 'vector': the global tile is a slice of a slice: slice the argument itself}}
    tirx.copy %inner to %s dispatch("vector") : !fixed to !shared
    %b = tirx.slice %B[%c0, %c0] : !matrix to !fixed
    %a = tirx.slice %A[%c0, %c0] : !matrix to !fixed
    %either = scf.if %some -> (!fixed) {
      scf.yield %a : !fixed
    } else {
      scf.yield %b : !fixed
    }
    // expected-error@+1 {{cannot be dispatched to 'vector': the global tile is no slice of a kernel argument}}
    tirx.copy %either to %s dispatch("vector") : !fixed to !shared
    scf.for %i = %c0 to %n step %c1 iter_args(%X = %A) -> (!matrix) {
      %x = tirx.slice %X[%c0, %c0] : !matrix to !fixed
      // expected-error@+1 {{cannot be dispatched to 'vector': the global tile is no slice of a kernel argument}}
      tirx.copy %x to %s dispatch("vector") : !fixed to !shared
      // expected-error@+1 {{cannot be dispatched to 'vector': the global tile is no slice of a kernel argument}}
      %f = tirx.copy %x dispatch("vector") : !fixed to tensor<64x64xf16, #tirx.layout<S[(64,64):(1@tx,1)]>>
      scf.yield %B : !matrix
    }
    tirx.elect {
      // expected-error@+1 {{cannot be dispatched to 'tma': the global tile is a slice of a slice: slice the argument itself}}
      tirx.copy_async %s to %inner dispatch("tma") : !shared to !fixed
    }
  }
}

// -----

// Register tiles whose elements a thread cannot find.
!shared = !tirx.buffer<64x64xf32, #tirx.layout<S[(64,64):(64,1)]>, shared>
!few = !tirx.buffer<6x4xf32, #tirx.layout<S[(6,4):(4,1)]>, shared>
tirx.kernel @registers() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(64) {
    %s = tirx.shared.alloc : !shared
    %few = tirx.shared.alloc : !few
    // Loads may have replicas, where there are threads for them.
    // expected-error@+1 {{'vector': the register tile is distributed over 128 threads, the launch has 64}}
    %a = tirx.copy %s dispatch("vector") : !shared to tensor<64x64xf32, #tirx.layout<S[(2,32,64):(1@wid_in_wg,1@laneid,1)] + R[2:2@wid_in_wg]>>
    %all = arith.constant dense<1.0> : tensor<6x4xf32, #tirx.layout<S[(6,4):(4,1)] + R[32:1@laneid]>>
    // expected-error@+1 {{'vector': the register tile is replicated over threads, which would all store it}}
    tirx.copy %all to %few dispatch("vector") : tensor<6x4xf32, #tirx.layout<S[(6,4):(4,1)] + R[32:1@laneid]>> to !few
    // expected-error@+1 {{'vector': the register tile's layout has an offset}}
    %b = tirx.copy %s dispatch("vector") : !shared to tensor<64x64xf32, #tirx.layout<S[(64,64):(1@tx,1)] + 64@tx>>
    // expected-error@+1 {{'vector': the register tile leaves gaps on axis tx}}
    %c = tirx.copy %s dispatch("vector") : !shared to tensor<64x64xf32, #tirx.layout<S[(64,64):(2@tx,1)]>>
    // expected-error@+1 {{'vector': the register tile leaves gaps on axis m}}
    %d = tirx.copy %s dispatch("vector") : !shared to tensor<64x64xf32, #tirx.layout<S[(64,64):(1@tx,2)]>>
    // expected-error@+1 {{'vector': the register tile is distributed over 128 threads, the launch has 64}}
    %e = tirx.copy %s dispatch("vector") : !shared to tensor<64x64xf32, #tirx.layout<S[(64,2,32):(2@tid_in_wg,1@tid_in_wg,1)]>>
    // expected-error@+1 {{'vector': the register tile is distributed over 256 threads, the launch has 64}}
    %f = tirx.copy %s dispatch("vector") : !shared to tensor<64x64xf32, #tirx.layout<S[(2,32,64):(1@wgid,1@tid_in_wg,1)]>>
    // expected-error@+1 {{'vector': the register tile is distributed over 128 threads, the launch has 64}}
    %g = tirx.copy %s dispatch("vector") : !shared to tensor<64x64xf32, #tirx.layout<S[(4,16,64):(1@warpid,1@laneid,1)]>>
    // expected-error@+1 {{'vector': the register tile is distributed over axis cbx, which numbers no threads of a CTA}}
    %h = tirx.copy %s dispatch("vector") : !shared to tensor<64x64xf32, #tirx.layout<S[(4,16,64):(1@cbx,1@tx,1)]>>
    // expected-error@+1 {{'vector': the register tile's layout does not follow its dimensions}}
    %i = tirx.copy %few dispatch("vector") : !few to tensor<6x4xf32, #tirx.layout<S[(4,6):(1@tx,1)]>>
  }
}

// -----

// Elements that ld and st, or TMA, do not have.
!shared = !tirx.buffer<64x64xi24, #tirx.layout<S[(64,64):(64,1)]>, shared>
!tile = !tirx.buffer<64x64xi24, global>
tirx.kernel @elements(%A: !tirx.buffer<?x?xi24, global>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(64) {
    %s = tirx.shared.alloc : !shared
    %tile = tirx.slice %A[%c0, %c0] : !tirx.buffer<?x?xi24, global> to !tile
    // expected-error@+1 {{'vector': elements of 24 bits: ld and st move 8, 16, 32 or 64}}
    tirx.copy %tile to %s dispatch("vector") : !tile to !shared
    // expected-error@+1 {{'vector': elements of 24 bits: ld and st move 8, 16, 32 or 64}}
    %f = tirx.copy %s dispatch("vector") : !shared to tensor<64x64xi24, #tirx.layout<S[(64,64):(1@tx,1)]>>
    tirx.elect {
      // expected-error@+1 {{'tma': there is no tensor-map type for its elements}}
      tirx.copy_async %s to %tile dispatch("tma") : !shared to !tile
    }
  }
}

// -----

// Shared tiles that TMA cannot fill.
!tile = !tirx.buffer<64x64xf16, global>
tirx.kernel @tma(%A: !tirx.buffer<?x?xf16, global>, %S: !tirx.buffer<?x?x?x?x?x?xf16, global>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(64) {
    %columns = tirx.shared.alloc : !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(1,64)]>, shared>
    %atoms = tirx.shared.alloc : !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(64,1)] swizzle(4,2,3)>, shared>
    %short = tirx.shared.alloc : !tirx.buffer<64x4xf16, #tirx.layout<S[(64,4):(4,1)]>, shared>
    %padded = tirx.shared.alloc : !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(72,1)]>, shared>
    %six = tirx.shared.alloc : !tirx.buffer<1x1x1x1x8x8xf16, #tirx.layout<S[(8,8):(8,1)]>, shared>
    %tile = tirx.slice %A[%c0, %c0] : !tirx.buffer<?x?xf16, global> to !tile
    %strip = tirx.slice %A[%c0, %c0] : !tirx.buffer<?x?xf16, global> to !tirx.buffer<64x4xf16, global>
    %deep = tirx.slice %S[%c0, %c0, %c0, %c0, %c0, %c0] : !tirx.buffer<?x?x?x?x?x?xf16, global> to !tirx.buffer<1x1x1x1x8x8xf16, global>
    tirx.elect {
      // expected-error@+1 {{cannot be dispatched to 'tma': the innermost global axis 1 has stride 64 in the shared tile; TMA needs 1}}
      tirx.copy_async %columns to %tile dispatch("tma") : !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(1,64)]>, shared> to !tile
      // expected-error@+1 {{cannot be dispatched to 'tma': swizzle(4,2,3) over 16-bit elements is no hardware swizzle; 128B is (3,3,3)}}
      tirx.copy_async %atoms to %tile dispatch("tma") : !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(64,1)] swizzle(4,2,3)>, shared> to !tile
      // expected-error@+1 {{cannot be dispatched to 'tma': the inner box is 4 elements of 16 bits; TMA needs a multiple of 16 bytes}}
      tirx.copy_async %short to %strip dispatch("tma") : !tirx.buffer<64x4xf16, #tirx.layout<S[(64,4):(4,1)]>, shared> to !tirx.buffer<64x4xf16, global>
      // expected-error@+1 {{cannot be dispatched to 'tma': a box would start at shared byte 144; TMA needs multiples of 128}}
      tirx.copy_async %padded to %tile dispatch("tma") : !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(72,1)]>, shared> to !tile
      // expected-error@+1 {{cannot be dispatched to 'tma': tensor rank 6 is outside [1, 5]}}
      tirx.copy_async %six to %deep dispatch("tma") : !tirx.buffer<1x1x1x1x8x8xf16, #tirx.layout<S[(8,8):(8,1)]>, shared> to !tirx.buffer<1x1x1x1x8x8xf16, global>
    }
  }
}

// -----

// Tensor memory that tcgen05.ld does not read into these registers.
!accumulator = !tirx.buffer<128x64xf32, #tirx.layout<S[(128,64):(1@TLane,1@TCol)]>, tmem>
!half = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(1@TLane,1@TCol)]>, tmem>
!cube = !tirx.buffer<128x4x16xf32, #tirx.layout<S[(128,64):(1@TLane,1@TCol)]>, tmem>
!across = !tirx.buffer<64x128xf32, #tirx.layout<S[(64,128):(1@TCol,1@TLane)]>, tmem>
tirx.kernel @tmem() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %acc = tirx.tmem.alloc : !accumulator
    %half = tirx.tmem.alloc : !half
    %cube = tirx.tmem.alloc : !cube
    %across = tirx.tmem.alloc : !across
    // expected-error@+1 {{'tcgen05_ld': the tile must be a matrix}}
    %a = tirx.copy %cube dispatch("tcgen05_ld") : !cube to tensor<128x4x16xf32, #tirx.layout<S[(128,64):(1@tid_in_wg,1)]>>
    // expected-error@+1 {{'tcgen05_ld': elements must have 32 bits, not 16}}
    %b = tirx.copy %half dispatch("tcgen05_ld") : !half to tensor<128x64xf16, #tirx.layout<S[(128,64):(1@tid_in_wg,1)]>>
    // expected-error@+1 {{'tcgen05_ld': the layout S[(64,128):(1@TCol,1@TLane)] of 64 rows is no accumulator of tcgen05.mma}}
    %c = tirx.copy %across dispatch("tcgen05_ld") : !across to tensor<64x128xf32, #tirx.layout<S[(64,128):(1,1@tid_in_wg)]>>
    // expected-error@+1 {{'tcgen05_ld': the register tile's layout S[(128,64):(1@tx,1)] is none that tcgen05.ld gives for this accumulator: S[(128,64):(1@tid_in_wg,1)]}}
    %d = tirx.copy %acc dispatch("tcgen05_ld") : !accumulator to tensor<128x64xf32, #tirx.layout<S[(128,64):(1@tx,1)]>>
    // expected-error@+1 {{'tcgen05_st': the register tile's layout S[(128,64):(1@tx,1)] is none that}}
    tirx.copy %d to %acc dispatch("tcgen05_st") : tensor<128x64xf32, #tirx.layout<S[(128,64):(1@tx,1)]>> to !accumulator
    tirx.tmem.dealloc %acc : !accumulator
    tirx.tmem.dealloc %half : !half
    tirx.tmem.dealloc %cube : !cube
    tirx.tmem.dealloc %across : !across
  }
}

// -----

// A warpgroup reads tensor memory: two warps reach half of the lanes.
!accumulator = !tirx.buffer<128x64xf32, #tirx.layout<S[(128,64):(1@TLane,1@TCol)]>, tmem>
tirx.kernel @half_warpgroup() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(64) {
    %acc = tirx.tmem.alloc : !accumulator
    // expected-error@+1 {{'tcgen05_ld': the register tile is distributed over 128 threads, the launch has 64}}
    %a = tirx.copy %acc dispatch("tcgen05_ld") : !accumulator to tensor<128x64xf32, #tirx.layout<S[(128,64):(1@tid_in_wg,1)]>>
    tirx.tmem.dealloc %acc : !accumulator
  }
}

// -----

// Outside of a launch nothing says how many threads there are.
!shared = !tirx.buffer<64x64xf32, #tirx.layout<S[(64,64):(64,1)]>, shared>
func.func @no_launch(%s: !shared) {
  // expected-error@+1 {{'vector': it is not in a tirx.launch, which says how many threads there are}}
  %a = tirx.copy %s dispatch("vector") : !shared to tensor<64x64xf32, #tirx.layout<S[(64,64):(1@tx,1)]>>
  return
}

// -----

// Products that kind::f16 does not have.
#k64 = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
!f16 = !tirx.buffer<128x64xf16, #k64, shared>
!bf16 = !tirx.buffer<128x64xbf16, #k64, shared>
!f32 = !tirx.buffer<128x64xf32, #tirx.layout<S[(128,64):(64,1)]>, shared>
!plain = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)]>, shared>
!atoms = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(4,2,3)>, shared>
!k24 = !tirx.buffer<128x24xf16, #tirx.layout<S[(128,3,8):(8,1024,1)]>, shared>
!m96 = !tirx.buffer<96x64xf16, #tirx.layout<S[(96,64):(64,1)] swizzle(3,3,3)>, shared>
!n12 = !tirx.buffer<12x64xf16, #tirx.layout<S[(12,64):(64,1)] swizzle(3,3,3)>, shared>
!acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
!acc16 = !tirx.buffer<128x128xf16, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
!accTurned = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TCol,1@TLane)]>, tmem>
!acc96 = !tirx.buffer<96x128xf32, #tirx.layout<S[(96,128):(1@TLane,1@TCol)]>, tmem>
!acc12 = !tirx.buffer<128x12xf32, #tirx.layout<S[(128,12):(1@TLane,1@TCol)]>, tmem>
!out = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(128,1)]>, shared>
tirx.kernel @gemm() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %yes = arith.constant true
    %f16 = tirx.shared.alloc : !f16
    %bf16 = tirx.shared.alloc : !bf16
    %f32 = tirx.shared.alloc : !f32
    %plain = tirx.shared.alloc : !plain
    %atoms = tirx.shared.alloc : !atoms
    %k24 = tirx.shared.alloc : !k24
    %m96 = tirx.shared.alloc : !m96
    %n12 = tirx.shared.alloc : !n12
    %out = tirx.shared.alloc : !out
    %acc = tirx.tmem.alloc : !acc
    %acc16 = tirx.tmem.alloc : !acc16
    %accTurned = tirx.tmem.alloc : !accTurned
    %acc96 = tirx.tmem.alloc : !acc96
    %acc12 = tirx.tmem.alloc : !acc12
    %accA = tirx.tmem.alloc : !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(1@TLane,1@TCol)]>, tmem>
    tirx.elect {
      // expected-error@+2 {{no dispatch variant of tirx.gemm_async applies}}
      // expected-note@+1 {{tcgen05: D is not in tensor memory}}
      tirx.gemm_async %out, %f16, %f16 accumulate(%yes) : !out, !f16, !f16
      // expected-error@+2 {{no dispatch variant}}
      // expected-note@+1 {{tcgen05: A and B must be in shared memory}}
      tirx.gemm_async %acc, %accA, %f16 accumulate(%yes) : !acc, !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(1@TLane,1@TCol)]>, tmem>, !f16
      // expected-error@+2 {{no dispatch variant}}
      // expected-note@+1 {{tcgen05: it multiplies f16 by f16, bf16 by bf16, f32 by f32 (as tf32), or f8E4M3FN and f8E5M2 by each other}}
      tirx.gemm_async %acc, %f16, %bf16 accumulate(%yes) : !acc, !f16, !bf16
      // expected-error@+2 {{no dispatch variant}}
      // expected-note@+1 {{MN-major: MN-major 32-bit operands need swizzle 128B_ATOM_32B, not none}}
      tirx.gemm_async %acc, %f32, %f32 accumulate(%yes) : !acc, !f32, !f32
      // expected-error@+2 {{no dispatch variant}}
      // expected-note@+1 {{tcgen05: the accumulator must be f32}}
      tirx.gemm_async %acc16, %f16, %f16 accumulate(%yes) : !acc16, !f16, !f16
      // expected-error@+2 {{no dispatch variant}}
      // expected-note@+1 {{tcgen05: the accumulator's layout S[(128,128):(1@TCol,1@TLane)] is not the S[(128,128):(1@TLane,1@TCol)] that M = 128 leaves}}
      tirx.gemm_async %accTurned, %f16, %f16 accumulate(%yes) : !accTurned, !f16, !f16
      // expected-error@+2 {{no dispatch variant}}
      // expected-note@+1 {{tcgen05: tcgen05.mma has no M = 96 with cta_group::1; M is 64 or 128 (cta_group::1)}}
      tirx.gemm_async %acc96, %m96, %f16 accumulate(%yes) : !acc96, !m96, !f16
      // expected-error@+2 {{no dispatch variant}}
      // expected-note@+1 {{tcgen05: A: layout S[(128,64):(64,1)] of shape (128,64) with swizzle none is no matrix operand: K-major: row 1 of its slice is 128 bytes from the slice's start; the hardware reads byte 16}}
      tirx.gemm_async %acc, %plain, %f16 accumulate(%yes) : !acc, !plain, !f16
      // expected-error@+2 {{no dispatch variant}}
      // expected-note@+1 {{tcgen05: B: layout S[(128,64):(64,1)] of shape (128,64) with swizzle none is no matrix operand}}
      tirx.gemm_async %acc, %f16, %plain accumulate(%yes) : !acc, !f16, !plain
      // expected-error@+2 {{no dispatch variant}}
      // expected-note@+1 {{tcgen05: A: swizzle(4,2,3) over 16-bit elements is no hardware swizzle; 128B is (3,3,3)}}
      tirx.gemm_async %acc, %atoms, %atoms accumulate(%yes) : !acc, !atoms, !atoms
      // expected-error@+2 {{no dispatch variant}}
      // expected-note@+1 {{tcgen05: A: K = 24 is not a multiple of 16, the K of one instruction for 16-bit elements}}
      tirx.gemm_async %acc, %k24, %k24 accumulate(%yes) : !acc, !k24, !k24
      // expected-error@+2 {{no dispatch variant}}
      // expected-note@+1 {{tcgen05: B: an instruction slice of 12 rows does not divide 12 rows into multiples of 8}}
      tirx.gemm_async %acc12, %f16, %n12 accumulate(%yes) : !acc12, !f16, !n12
    }
    tirx.tmem.dealloc %acc : !acc
    tirx.tmem.dealloc %acc16 : !acc16
    tirx.tmem.dealloc %accTurned : !accTurned
    tirx.tmem.dealloc %acc96 : !acc96
    tirx.tmem.dealloc %acc12 : !acc12
    tirx.tmem.dealloc %accA : !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(1@TLane,1@TCol)]>, tmem>
  }
}

// -----

// A role has fewer threads than the launch, and not always whole warpgroups.
!shared = !tirx.buffer<64x64xf32, #tirx.layout<S[(64,64):(64,1)]>, shared>
!accumulator = !tirx.buffer<128x64xf32, #tirx.layout<S[(128,64):(1@TLane,1@TCol)]>, tmem>
tirx.kernel @roles() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(384) {
    %s = tirx.shared.alloc : !shared
    %acc = tirx.tmem.alloc : !accumulator
    tirx.roles {
      tirx.role "half" warps(0 to 2) {
        // expected-error@+1 {{'tcgen05_ld': the register tile is distributed over 128 threads, role "half" has 64}}
        %a = tirx.copy %acc dispatch("tcgen05_ld") : !accumulator to tensor<128x64xf32, #tirx.layout<S[(128,64):(1@tid_in_wg,1)]>>
        // expected-error@+1 {{'vector': the register tile is distributed over 128 threads, role "half" has 64}}
        %b = tirx.copy %s dispatch("vector") : !shared to tensor<64x64xf32, #tirx.layout<S[(4,16,64):(1@warpid,1@laneid,1)]>>
      }
      tirx.role "across" warps(2 to 6) {
        // expected-error@+1 {{'tcgen05_ld': the register tile is distributed over 128 threads of a warpgroup, role "across" has only a part of one: warps 2 to 5}}
        %a = tirx.copy %acc dispatch("tcgen05_ld") : !accumulator to tensor<128x64xf32, #tirx.layout<S[(128,64):(1@tid_in_wg,1)]>>
        // expected-error@+1 {{'vector': the register tile is distributed over the CTA's first 64 threads, role "across" begins at warp 2}}
        %b = tirx.copy %s dispatch("vector") : !shared to tensor<64x64xf32, #tirx.layout<S[(64,64):(1@tx,1)]>>
      }
      tirx.role "rest" warps(8 to 11) {
        // expected-error@+1 {{'vector': the register tile is distributed over 128 threads, role "rest" has 96}}
        %a = tirx.copy %s dispatch("vector") : !shared to tensor<64x64xf32, #tirx.layout<S[(64,2,32):(1@tid_in_wg,64@tid_in_wg,1)]>>
      }
    }
    tirx.role "more" warps(0 to 5) {
      // expected-error@+1 {{'vector': the register tile is distributed over 64 threads of a warpgroup, role "more" has only a part of one: warps 0 to 4}}
      %a = tirx.copy %s dispatch("vector") : !shared to tensor<64x64xf32, #tirx.layout<S[(64,64):(1@tid_in_wg,1)]>>
    }
    tirx.tmem.dealloc %acc : !accumulator
  }
}
