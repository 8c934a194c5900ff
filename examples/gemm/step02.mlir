// Step 2: a loop over K.
//
//   D[128, 128] = A[128, K] * B[128, K]^T, K a multiple of 64
//
// New against step 1: the accumulator stays in tensor memory while K tiles pass
// through shared memory. The barrier is used again and again, so its waiters
// must say which phase they mean: the parity flips with every round. Without the
// flip the second wait would return at once, on the first round's completion.

#operand = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
#accumulator = #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>
#rows = #tirx.layout<S[(128,128):(1@tid_in_wg,1)]>

!matrix = !tirx.buffer<?x?xf16, global>
!tile = !tirx.buffer<128x64xf16, global>
!out = !tirx.buffer<128x128xf16, global>
!operand = !tirx.buffer<128x64xf16, #operand, shared>
!accumulator = !tirx.buffer<128x128xf32, #accumulator, tmem>

tirx.kernel @gemm_step02(%A: !matrix, %B: !matrix, %D: !matrix) {
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
  tirx.require %okM, "M (rows of A) must be 128: step 2 computes one tile"
  %okN = arith.cmpi eq, %N, %c128 : index
  tirx.require %okN, "N (rows of B) must be 128: step 2 computes one tile"
  %restK = arith.remui %K, %c64 : index
  %okK = arith.cmpi eq, %restK, %c0 : index
  tirx.require %okK, "K (columns of A) must be a multiple of 64"
  %someK = arith.cmpi ne, %K, %c0 : index
  tirx.require %someK, "K (columns of A) must not be 0"
  %okKB = arith.cmpi eq, %K, %KB : index
  tirx.require %okKB, "A and B must have the same number of columns (K)"
  %okMD = arith.cmpi eq, %M, %MD : index
  tirx.require %okMD, "D must have as many rows as A (M)"
  %okND = arith.cmpi eq, %N, %ND : index
  tirx.require %okND, "D must have as many columns as B has rows (N)"

  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %false = arith.constant false
    %true = arith.constant true
    %As = tirx.shared.alloc : !operand
    %Bs = tirx.shared.alloc : !operand
    %done = tirx.mbarrier.alloc : !tirx.barrier<1>
    %acc = tirx.tmem.alloc : !accumulator
    tirx.elect {
      tirx.mbarrier.init %done count(1) : !tirx.barrier<1>
      tirx.fence mbarrier_init
    }
    tirx.cta_sync

    scf.for %k = %c0 to %K step %c64 iter_args(%phase = %false) -> (i1) {
      %Ak = tirx.slice %A[%c0, %k] : !matrix to !tile
      %Bk = tirx.slice %B[%c0, %k] : !matrix to !tile
      tirx.copy %Ak to %As : !tile to !operand
      tirx.copy %Bk to %Bs : !tile to !operand
      tirx.fence proxy_async
      tirx.cta_sync

      // The first product overwrites the accumulator, the others add to it.
      %accumulate = arith.cmpi ne, %k, %c0 : index
      tirx.elect {
        tirx.gemm_async %acc, %As, %Bs accumulate(%accumulate) : !accumulator, !operand, !operand
        tirx.tcgen05.commit %done : !tirx.barrier<1>
      }
      // When the product is done, As and Bs may be overwritten.
      tirx.mbarrier.wait %done parity(%phase) : !tirx.barrier<1>
      %next = arith.xori %phase, %true : i1
      scf.yield %next : i1
    }
    tirx.fence tcgen05_after_thread_sync

    %f32 = tirx.copy %acc : !accumulator to tensor<128x128xf32, #rows>
    %f16 = arith.truncf %f32 : tensor<128x128xf32, #rows> to tensor<128x128xf16, #rows>
    %D0 = tirx.slice %D[%c0, %c0] : !matrix to !out
    tirx.copy %f16 to %D0 : tensor<128x128xf16, #rows> to !out

    tirx.tmem.dealloc %acc : !accumulator
  }
}
