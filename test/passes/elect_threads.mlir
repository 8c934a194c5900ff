// In a role of one warp, what one thread must do is gathered into elections.
//
// RUN: tirx-opt %s --tirx-elect-threads | FileCheck %s

#operand = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
#acc = #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>
!A = !tirx.buffer<?x?xf16, global>
!tile = !tirx.buffer<128x64xf16, global>
!operand = !tirx.buffer<128x64xf16, #operand, shared>
!acc = !tirx.buffer<128x128xf32, #acc, tmem>

// CHECK-LABEL: tirx.kernel @k(
tirx.kernel @k(%A: !A, %n: index) {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %c0 = arith.constant 0 : index
    %true = arith.constant true
    %as = tirx.shared.alloc : !operand
    %acc = tirx.tmem.alloc : !acc
    %full = tirx.mbarrier.alloc : !tirx.barrier<1>
    %done = tirx.mbarrier.alloc : !tirx.barrier<1>
    // CHECK: tirx.role "main" warps(2) {
    tirx.role "main" warps(2) {
      // One run: the slice is computed before it.
      // CHECK-NEXT: tirx.slice
      // CHECK-NEXT: tirx.elect {
      // CHECK-NEXT: tirx.mbarrier.arrive
      // CHECK-NEXT: tirx.copy_async
      // CHECK-NEXT: }
      tirx.elect {
        tirx.mbarrier.arrive %full expect(%as : !operand) : !tirx.barrier<1>
      }
      %tile = tirx.slice %A[%c0, %c0] : !A to !tile
      tirx.copy_async %tile to %as signal(%full : !tirx.barrier<1>) : !tile to !operand
      // A wait of the warp ends it; loops have runs of their own.
      // CHECK-NEXT: tirx.mbarrier.wait
      tirx.mbarrier.wait %full parity(%true) : !tirx.barrier<1>
      // CHECK-NEXT: scf.for
      scf.for %i = %c0 to %n step %c1 {
        // CHECK-NEXT: tirx.elect warp(2) {
        // CHECK-NEXT: tirx.gemm_async
        // CHECK-NEXT: tirx.tcgen05.commit
        // CHECK-NEXT: }
        tirx.gemm_async %acc, %as, %as accumulate(%true) : !acc, !operand, !operand
        tirx.tcgen05.commit %done : !tirx.barrier<1>
      }
    }
    // All threads of several warps would have to be told apart: nothing is added.
    // CHECK: tirx.role "others" warps(0 to 2) {
    // CHECK-NEXT: tirx.mbarrier.arrive
    // CHECK-NEXT: }
    tirx.role "others" warps(0 to 2) {
      tirx.mbarrier.arrive %done : !tirx.barrier<1>
    }
    tirx.tmem.dealloc %acc : !acc
  }
}
