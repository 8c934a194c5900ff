// A is MN-major in shared memory: the descriptor's strides change roles and the
// instruction transposes.
//
// RUN: tirxc run %s --arg A=128x64:f16:random --arg B=128x64:f16:random --arg D=128x128:f16:poison --out D=%t.npy --expect D=gemm:A,B | FileCheck %s
// RUN: tirxc run %s --arg A=128x64:f16:random --arg B=128x64:f16:random --arg D=128x128:f16:poison --out D=%t.npy --expect D=gemm:A,B --delivery=lazy | FileCheck %s
// CHECK: D: 0 of {{[0-9]+}} elements differ

#opA = #tirx.layout<S[(2,64,8,8):(512,1,1024,64)] swizzle(3,3,3)>
#operand = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
#accumulator = #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>
#rows = #tirx.layout<S[(128,128):(1@tid_in_wg,1)]>

!matrix = !tirx.buffer<?x?xf16, global>
!tile = !tirx.buffer<128x64xf16, global>
!out = !tirx.buffer<128x128xf16, global>
!opA = !tirx.buffer<128x64xf16, #opA, shared>
!operand = !tirx.buffer<128x64xf16, #operand, shared>
!accumulator = !tirx.buffer<128x128xf32, #accumulator, tmem>

tirx.kernel @gemm_mn_major(%A: !matrix, %B: !matrix, %D: !matrix) {
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
  tirx.require %okM, "M (rows of A) must be 128"
  %okN = arith.cmpi eq, %N, %c128 : index
  tirx.require %okN, "N (rows of B) must be 128"
  %okK = arith.cmpi eq, %K, %c64 : index
  tirx.require %okK, "K (columns of A) must be 64"
  %okKB = arith.cmpi eq, %K, %KB : index
  tirx.require %okKB, "A and B must have the same number of columns (K)"
  %okMD = arith.cmpi eq, %M, %MD : index
  tirx.require %okMD, "D must have as many rows as A (M)"
  %okND = arith.cmpi eq, %N, %ND : index
  tirx.require %okND, "D must have as many columns as B has rows (N)"

  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %false = arith.constant false
    %As = tirx.shared.alloc : !opA
    %Bs = tirx.shared.alloc : !operand
    %done = tirx.mbarrier.alloc : !tirx.barrier<1>
    %acc = tirx.tmem.alloc : !accumulator

    tirx.elect {
      tirx.mbarrier.init %done count(1) : !tirx.barrier<1>
      tirx.fence mbarrier_init
    }
    tirx.cta_sync

    %A0 = tirx.slice %A[%c0, %c0] : !matrix to !tile
    %B0 = tirx.slice %B[%c0, %c0] : !matrix to !tile
    tirx.copy %A0 to %As : !tile to !opA
    tirx.copy %B0 to %Bs : !tile to !operand
    tirx.fence proxy_async
    tirx.cta_sync

    tirx.elect {
      tirx.gemm_async %acc, %As, %Bs accumulate(%false) : !accumulator, !opA, !operand
      tirx.tcgen05.commit %done : !tirx.barrier<1>
    }
    tirx.mbarrier.wait %done parity(%false) : !tirx.barrier<1>
    tirx.fence tcgen05_after_thread_sync

    %f32 = tirx.copy %acc : !accumulator to tensor<128x128xf32, #rows>
    %f16 = arith.truncf %f32 : tensor<128x128xf32, #rows> to tensor<128x128xf16, #rows>
    %D0 = tirx.slice %D[%c0, %c0] : !matrix to !out
    tirx.copy %f16 to %D0 : tensor<128x128xf16, #rows> to !out

    tirx.tmem.dealloc %acc : !accumulator
  }
}
