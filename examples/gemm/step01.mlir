// Step 1: one tile, one thing after the other.
//
//   D[128, 128] = A[128, 64] * B[128, 64]^T      f16 in, f32 accumulator, f16 out
//
// One CTA of 128 threads (a warpgroup) computes one output tile with one K tile:
//
//   global --copy--> shared --tcgen05.mma--> tensor memory --tcgen05.ld--> registers --copy--> global
//
// Run it without a GPU:
//   tirxc run step01.mlir --arg A=128x64:f16:random --arg B=128x64:f16:random \
//     --arg D=128x128:f16:poison --out D=D.npy

// Where things lie. An operand of the tensor core is 128 rows of 64 f16, that is
// 128 bytes, in the 128-byte swizzle: 16-byte pieces of a row are permuted by
// the row's number, so that reading a column touches all banks.
#operand = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
// The accumulator: row r in lane r of tensor memory, column c in column c.
#accumulator = #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>
// The register tile: row r in thread r of the warpgroup, 128 values each.
#rows = #tirx.layout<S[(128,128):(1@tid_in_wg,1)]>

!matrix = !tirx.buffer<?x?xf16, global>
!tile = !tirx.buffer<128x64xf16, global>
!out = !tirx.buffer<128x128xf16, global>
!operand = !tirx.buffer<128x64xf16, #operand, shared>
!accumulator = !tirx.buffer<128x128xf32, #accumulator, tmem>

tirx.kernel @gemm_step01(%A: !matrix, %B: !matrix, %D: !matrix) {
  // The host part: evaluated before the launch, on the shapes of the arguments.
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %M = tirx.dim %A, 0 : !matrix
  %K = tirx.dim %A, 1 : !matrix
  %N = tirx.dim %B, 0 : !matrix
  %KB = tirx.dim %B, 1 : !matrix
  %MD = tirx.dim %D, 0 : !matrix
  %ND = tirx.dim %D, 1 : !matrix
  %okM = arith.cmpi eq, %M, %c128 : index
  tirx.require %okM, "M (rows of A) must be 128: step 1 computes one tile"
  %okN = arith.cmpi eq, %N, %c128 : index
  tirx.require %okN, "N (rows of B) must be 128: step 1 computes one tile"
  %okK = arith.cmpi eq, %K, %c64 : index
  tirx.require %okK, "K (columns of A) must be 64: step 1 computes one tile"
  %okKB = arith.cmpi eq, %K, %KB : index
  tirx.require %okKB, "A and B must have the same number of columns (K)"
  %okMD = arith.cmpi eq, %M, %MD : index
  tirx.require %okMD, "D must have as many rows as A (M)"
  %okND = arith.cmpi eq, %N, %ND : index
  tirx.require %okND, "D must have as many columns as B has rows (N)"

  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %false = arith.constant false
    %As = tirx.shared.alloc : !operand
    %Bs = tirx.shared.alloc : !operand
    %done = tirx.mbarrier.alloc : !tirx.barrier<1>
    %acc = tirx.tmem.alloc : !accumulator

    // One thread prepares the barrier that the MMA will complete.
    tirx.elect {
      tirx.mbarrier.init %done count(1) : !tirx.barrier<1>
      tirx.fence mbarrier_init
    }
    tirx.cta_sync

    // All threads copy A and B into shared memory.
    %A0 = tirx.slice %A[%c0, %c0] : !matrix to !tile
    %B0 = tirx.slice %B[%c0, %c0] : !matrix to !tile
    tirx.copy %A0 to %As : !tile to !operand
    tirx.copy %B0 to %Bs : !tile to !operand
    // The tensor core reads shared memory through the async proxy: what threads
    // wrote must be fenced towards it, by each of them, before they meet.
    tirx.fence proxy_async
    tirx.cta_sync

    // One thread starts the product; the barrier tells when it is done.
    tirx.elect {
      tirx.gemm_async %acc, %As, %Bs accumulate(%false) : !accumulator, !operand, !operand
      tirx.tcgen05.commit %done : !tirx.barrier<1>
    }
    tirx.mbarrier.wait %done parity(%false) : !tirx.barrier<1>
    tirx.fence tcgen05_after_thread_sync

    // Each thread takes its row, rounds it to f16 and writes it.
    %f32 = tirx.copy %acc : !accumulator to tensor<128x128xf32, #rows>
    %f16 = arith.truncf %f32 : tensor<128x128xf32, #rows> to tensor<128x128xf16, #rows>
    %D0 = tirx.slice %D[%c0, %c0] : !matrix to !out
    tirx.copy %f16 to %D0 : tensor<128x128xf16, #rows> to !out

    tirx.tmem.dealloc %acc : !accumulator
  }
}
