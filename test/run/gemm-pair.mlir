// Two CTAs multiply together: each loads its half of A's rows and of B's, both
// halves' bytes arrive at the even CTA's barrier, that CTA issues the MMA and
// tells both, and each stores its half of D.
//
// RUN: tirxc run %s --arg A=256x64:f16:random --arg B=256x64:f16:random --arg D=256x256:f16:poison --out D=%t.npy --expect D=gemm:A,B | FileCheck %s
// RUN: tirxc run %s --arg A=256x64:f16:random --arg B=256x64:f16:random --arg D=256x256:f16:poison --out D=%t.npy --expect D=gemm:A,B --delivery=lazy | FileCheck %s
// CHECK: D: 0 of {{[0-9]+}} elements differ

#operand = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
#accumulator = #tirx.layout<S[(128,256):(1@TLane,1@TCol)]>
#rows = #tirx.layout<S[(128,256):(1@tid_in_wg,1)]>

!matrix = !tirx.buffer<?x?xf16, global>
!tile = !tirx.buffer<128x64xf16, global>
!out = !tirx.buffer<128x256xf16, global>
!operand = !tirx.buffer<128x64xf16, #operand, shared>
!accumulator = !tirx.buffer<128x256xf32, #accumulator, tmem>

tirx.kernel @gemm_pair(%A: !matrix, %B: !matrix, %D: !matrix) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %M = tirx.dim %A, 0 : !matrix
  %K = tirx.dim %A, 1 : !matrix
  %N = tirx.dim %B, 0 : !matrix
  %KB = tirx.dim %B, 1 : !matrix
  %MD = tirx.dim %D, 0 : !matrix
  %ND = tirx.dim %D, 1 : !matrix
  %okM = arith.cmpi eq, %M, %c256 : index
  tirx.require %okM, "M (rows of A) must be 256"
  %okN = arith.cmpi eq, %N, %c256 : index
  tirx.require %okN, "N (rows of B) must be 256"
  %okK = arith.cmpi eq, %K, %c64 : index
  tirx.require %okK, "K (columns of A) must be 64"
  %okKB = arith.cmpi eq, %K, %KB : index
  tirx.require %okKB, "A and B must have the same number of columns (K)"
  %okMD = arith.cmpi eq, %M, %MD : index
  tirx.require %okMD, "D must have as many rows as A (M)"
  %okND = arith.cmpi eq, %N, %ND : index
  tirx.require %okND, "D must have as many columns as B has rows (N)"

  tirx.launch grid(%c2, %c1, %c1) cluster(2, 1, 1) threads(128) {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %false = arith.constant false
    %both = arith.constant 3 : i16
    %As = tirx.shared.alloc : !operand
    %Bs = tirx.shared.alloc : !operand
    %full = tirx.mbarrier.alloc : !tirx.barrier<1>
    %done = tirx.mbarrier.alloc : !tirx.barrier<1>
    %acc = tirx.tmem.alloc : !accumulator

    tirx.elect {
      tirx.mbarrier.init %full count(1) : !tirx.barrier<1>
      tirx.mbarrier.init %done count(1) : !tirx.barrier<1>
      tirx.fence mbarrier_init
    }
    tirx.cluster_sync

    %rank = tirx.id cta_rank
    %even = arith.cmpi eq, %rank, %c0 : index
    %half = arith.muli %rank, %c128 : index
    %A0 = tirx.slice %A[%half, %c0] : !matrix to !tile
    %B0 = tirx.slice %B[%half, %c0] : !matrix to !tile
    tirx.elect {
      scf.if %even {
        // The bytes of both CTAs: 4 tiles of 16 KB.
        tirx.mbarrier.arrive %full expect_tx(65536) : !tirx.barrier<1>
      }
      tirx.copy_async %A0 to %As signal(%full : !tirx.barrier<1>) cta_group(2) : !tile to !operand
      tirx.copy_async %B0 to %Bs signal(%full : !tirx.barrier<1>) cta_group(2) : !tile to !operand
    }
    scf.if %even {
      tirx.elect {
        tirx.mbarrier.wait %full parity(%false) cluster : !tirx.barrier<1>
        tirx.fence tcgen05_after_thread_sync
        tirx.gemm_async %acc, %As, %Bs accumulate(%false) cta_group(2) : !accumulator, !operand, !operand
        tirx.tcgen05.commit %done multicast(%both) cta_group(2) : !tirx.barrier<1>
      }
    }
    tirx.mbarrier.wait %done parity(%false) cluster : !tirx.barrier<1>
    tirx.fence tcgen05_after_thread_sync

    %f32 = tirx.copy %acc : !accumulator to tensor<128x256xf32, #rows>
    %f16 = arith.truncf %f32 : tensor<128x256xf32, #rows> to tensor<128x256xf16, #rows>
    %D0 = tirx.slice %D[%half, %c0] : !matrix to !out
    tirx.copy %f16 to %D0 : tensor<128x256xf16, #rows> to !out

    tirx.tmem.dealloc %acc : !accumulator
  }
}
