// Step 4: let TMA move the tiles.
//
//   D[M, N] = A[M, K] * B[N, K]^T, any M, N and K whose rows are multiples of
//   16 bytes
//
// New against step 3:
// - One thread starts two asynchronous copies, and the barrier `loaded` counts
//   their bytes; no register ever holds A or B. TMA writes through the async
//   proxy, as the tensor core reads: there is no fence between them.
// - The result goes through shared memory, too: threads write their rows there,
//   fence them towards the async proxy, meet, and one thread stores the tile.
// - TMA knows the extents. What lies outside of A and B reads as zero, which
//   adds nothing to the products, and is not written to D: edges need no care.

#operand = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
#accumulator = #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>
#rows = #tirx.layout<S[(128,128):(1@tid_in_wg,1)]>
// The staging tile: two columns of swizzled 128-byte rows, one TMA box each.
#staging = #tirx.layout<S[(128,2,64):(64,8192,1)] swizzle(3,3,3)>

!matrix = !tirx.buffer<?x?xf16, global>
!tile = !tirx.buffer<128x64xf16, global>
!out = !tirx.buffer<128x128xf16, global>
!operand = !tirx.buffer<128x64xf16, #operand, shared>
!staging = !tirx.buffer<128x128xf16, #staging, shared>
!accumulator = !tirx.buffer<128x128xf32, #accumulator, tmem>

tirx.kernel @gemm_step04(%A: !matrix, %B: !matrix, %D: !matrix) {
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
  %okKB = arith.cmpi eq, %K, %KB : index
  tirx.require %okKB, "A and B must have the same number of columns (K)"
  %someK = arith.cmpi ne, %K, %c0 : index
  tirx.require %someK, "K (columns of A) must not be 0"
  %okMD = arith.cmpi eq, %M, %MD : index
  tirx.require %okMD, "D must have as many rows as A (M)"
  %okND = arith.cmpi eq, %N, %ND : index
  tirx.require %okND, "D must have as many columns as B has rows (N)"
  %gridM = arith.ceildivui %M, %c128 : index
  %gridN = arith.ceildivui %N, %c128 : index

  tirx.launch grid(%gridM, %gridN, %c1) threads(128) {
    %false = arith.constant false
    %true = arith.constant true
    %As = tirx.shared.alloc : !operand
    %Bs = tirx.shared.alloc : !operand
    %Ds = tirx.shared.alloc : !staging
    %loaded = tirx.mbarrier.alloc : !tirx.barrier<1>
    %done = tirx.mbarrier.alloc : !tirx.barrier<1>
    %acc = tirx.tmem.alloc : !accumulator
    tirx.elect {
      tirx.mbarrier.init %loaded count(1) : !tirx.barrier<1>
      tirx.mbarrier.init %done count(1) : !tirx.barrier<1>
      tirx.fence mbarrier_init
    }
    tirx.cta_sync

    %bx = tirx.id bx
    %by = tirx.id by
    %m = arith.muli %bx, %c128 : index
    %n = arith.muli %by, %c128 : index

    // Both barriers complete once a round: one phase serves both.
    scf.for %k = %c0 to %K step %c64 iter_args(%phase = %false) -> (i1) {
      tirx.elect {
        %Ak = tirx.slice %A[%m, %k] : !matrix to !tile
        %Bk = tirx.slice %B[%n, %k] : !matrix to !tile
        // How many bytes to expect follows from the tiles that receive them.
        tirx.mbarrier.arrive %loaded expect(%As, %Bs : !operand, !operand) : !tirx.barrier<1>
        tirx.copy_async %Ak to %As signal(%loaded : !tirx.barrier<1>) : !tile to !operand
        tirx.copy_async %Bk to %Bs signal(%loaded : !tirx.barrier<1>) : !tile to !operand
      }
      tirx.mbarrier.wait %loaded parity(%phase) : !tirx.barrier<1>

      %accumulate = arith.cmpi ne, %k, %c0 : index
      tirx.elect {
        tirx.gemm_async %acc, %As, %Bs accumulate(%accumulate) : !accumulator, !operand, !operand
        tirx.tcgen05.commit %done : !tirx.barrier<1>
      }
      tirx.mbarrier.wait %done parity(%phase) : !tirx.barrier<1>
      // A parity tells a phase from the one before, not from the one before
      // that: no warp may fall two rounds behind the one that issues.
      tirx.cta_sync
      %next = arith.xori %phase, %true : i1
      scf.yield %next : i1
    }
    tirx.fence tcgen05_after_thread_sync

    %f32 = tirx.copy %acc : !accumulator to tensor<128x128xf32, #rows>
    %f16 = arith.truncf %f32 : tensor<128x128xf32, #rows> to tensor<128x128xf16, #rows>
    tirx.copy %f16 to %Ds : tensor<128x128xf16, #rows> to !staging
    tirx.fence proxy_async
    tirx.cta_sync
    tirx.elect {
      %D0 = tirx.slice %D[%m, %n] : !matrix to !out
      tirx.copy_async %Ds to %D0 : !staging to !out
      tirx.bulk.commit_group
      // Shared memory must live until it has been read.
      tirx.bulk.wait_group 0
    }

    tirx.tmem.dealloc %acc : !accumulator
  }
}
