// Pipelines as buffers and mbarriers: every wait, arrival, commit, fence and byte
// is there to be read.
//
// RUN: tirx-opt %s --tirx-plan-pipelines --tirx-thread-pipeline-state --tirx-lower-pipelines -split-input-file | FileCheck %s

//

#operand = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
#acc = #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>
!operand = !tirx.buffer<128x64xf16, #operand, shared>
!acc = !tirx.buffer<128x128xf32, #acc, tmem>
!ring = !tirx.pipeline<4 x !operand, !operand>
!out = !tirx.pipeline<2 x !acc>

// CHECK-LABEL: tirx.kernel @one_cta(
// CHECK: %[[A:.*]] = tirx.shared.alloc : !tirx.buffer<4x128x64xf16,
// CHECK: %[[B:.*]] = tirx.shared.alloc : !tirx.buffer<4x128x64xf16,
// CHECK: %[[FULL:.*]] = tirx.mbarrier.alloc : !tirx.barrier<4>
// CHECK: %[[EMPTY:.*]] = tirx.mbarrier.alloc : !tirx.barrier<4>
// CHECK: %[[ACC:.*]] = tirx.tmem.alloc : !tirx.buffer<2x128x128xf32,
// CHECK: %[[DONE:.*]] = tirx.mbarrier.alloc : !tirx.barrier<2>
// CHECK: %[[READ:.*]] = tirx.mbarrier.alloc : !tirx.barrier<2>
// CHECK: tirx.elect {
// CHECK-NEXT: tirx.mbarrier.init %[[FULL]] count(1)
// CHECK-NEXT: tirx.mbarrier.init %[[EMPTY]] count(1)
// CHECK-NEXT: tirx.mbarrier.init %[[DONE]] count(1)
// CHECK-NEXT: tirx.mbarrier.init %[[READ]] count(128)
// CHECK-NEXT: tirx.fence mbarrier_init
// CHECK-NEXT: }
// CHECK-NEXT: tirx.cta_sync
// CHECK: %[[FIRST:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[ONE:.*]] = arith.constant true
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant false
// The producer waits for parity 1, and expects the bytes before it copies.
// CHECK: tirx.role "load"
// CHECK-NEXT: tirx.mbarrier.wait %[[EMPTY]][%[[FIRST]]] parity(%[[ONE]]) :
// CHECK-NEXT: tirx.elect warp(5) {
// CHECK-NEXT: tirx.mbarrier.arrive %[[FULL]][%[[FIRST]]] expect_tx(32768)
// CHECK: tirx.slice %[[A]][%[[FIRST]],
// CHECK: tirx.slice %[[B]][%[[FIRST]],
// A commit releases the stage, and publishes the accumulator.
// CHECK: tirx.role "mma"
// CHECK-NEXT: tirx.mbarrier.wait %[[READ]][%[[FIRST]]] parity(%[[ONE]]) :
// CHECK-NEXT: tirx.fence tcgen05_after_thread_sync
// CHECK: tirx.mbarrier.wait %[[FULL]][%[[FIRST]]] parity(%[[ZERO]]) :
// CHECK: tirx.elect warp(4) {
// CHECK-NEXT: tirx.tcgen05.commit %[[EMPTY]][%[[FIRST]]] : !tirx.barrier<4>
// CHECK: tirx.tcgen05.commit %[[DONE]][%[[FIRST]]] : !tirx.barrier<2>
// CHECK: tirx.role "epilogue"
// CHECK-NEXT: tirx.mbarrier.wait %[[DONE]][%[[FIRST]]] parity(%[[ZERO]]) :
// CHECK-NEXT: tirx.fence tcgen05_after_thread_sync
// CHECK: tirx.fence tcgen05_before_thread_sync
// CHECK-NEXT: tirx.mbarrier.arrive %[[READ]][%[[FIRST]]] : !tirx.barrier<2>
// Tensor memory is given back when all roles have ended.
// CHECK: tirx.tmem.dealloc %[[ACC]]
tirx.kernel @one_cta() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(256) {
    %ring = tirx.pipeline full(tma) empty(mma) : !ring
    %out = tirx.pipeline full(mma) empty(threads) : !out
    tirx.roles {
      tirx.role "load" warps(5) {
        %a, %b = tirx.acquire %ring : !ring
        tirx.publish %ring : !ring
      }
      tirx.role "mma" warps(4) {
        %d = tirx.acquire %out : !out
        %a, %b = tirx.wait %ring : !ring
        tirx.release %ring : !ring
        tirx.publish %out : !out
      }
      tirx.role "epilogue" warps(0 to 4) {
        %d = tirx.wait %out : !out
        tirx.release %out : !out
      }
    }
  }
}

// -----

#operand = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
#acc = #tirx.layout<S[(128,256):(1@TLane,1@TCol)]>
!operand = !tirx.buffer<128x64xf16, #operand, shared>
!acc = !tirx.buffer<128x256xf32, #acc, tmem>
!ring = !tirx.pipeline<4 x !operand, !operand, !operand>
!out = !tirx.pipeline<1 x !acc>

// CHECK-LABEL: tirx.kernel @pair(
// CHECK: %[[FULL:.*]] = tirx.mbarrier.alloc : !tirx.barrier<4>
// CHECK: %[[EMPTY:.*]] = tirx.mbarrier.alloc : !tirx.barrier<4>
// CHECK: %[[DONE:.*]] = tirx.mbarrier.alloc : !tirx.barrier<1>
// CHECK: %[[READ:.*]] = tirx.mbarrier.alloc : !tirx.barrier<1>
// CHECK: tirx.mbarrier.init %[[FULL]] count(1)
// CHECK-NEXT: tirx.mbarrier.init %[[EMPTY]] count(2)
// CHECK-NEXT: tirx.mbarrier.init %[[DONE]] count(1)
// CHECK-NEXT: tirx.mbarrier.init %[[READ]] count(256)
// The other CTA signals these barriers: it must know that they are ready.
// CHECK: tirx.fence mbarrier_init
// CHECK: tirx.cluster_sync
// The even CTA expects the bytes of both.
// CHECK: tirx.role "load"
// CHECK-NEXT: tirx.mbarrier.wait %[[EMPTY]][%{{.*}}] parity(%{{.*}}) cluster
// CHECK: scf.if %{{.*}} {
// CHECK-NEXT: tirx.elect warp(11) {
// CHECK-NEXT: tirx.mbarrier.arrive %[[FULL]][%{{.*}}] expect_tx(98304)
// The drain at the end of the role: all stages, from where it is.
// CHECK: scf.for {{.*}} -> (index, i1) {
// CHECK-NEXT: tirx.mbarrier.wait %[[EMPTY]][%{{.*}}] parity(%{{.*}}) cluster
// Commits reach both CTAs.
// CHECK: tirx.role "mma0" warps(8) leader {
// CHECK: tirx.mbarrier.wait %[[READ]][%{{.*}}] parity(%{{.*}}) cluster
// CHECK: %[[BOTH:.*]] = arith.constant 3 : i16
// CHECK-NEXT: tirx.elect warp(8) {
// CHECK-NEXT: tirx.tcgen05.commit %[[EMPTY]][%{{.*}}] multicast(%[[BOTH]]) cta_group(2)
// CHECK: tirx.tcgen05.commit %[[DONE]][%{{.*}}] multicast(%{{.*}}) cta_group(2)
// Threads of both CTAs arrive at the even one.
// CHECK: tirx.role "epilogue0"
// CHECK: %[[RANK:.*]] = tirx.id cta_rank
// CHECK-NEXT: %[[MASK:.*]] = arith.constant -2 : index
// CHECK-NEXT: %[[EVEN:.*]] = arith.andi %[[RANK]], %[[MASK]] : index
// CHECK-NEXT: tirx.mbarrier.arrive %[[READ]][%{{.*}}] cta(%[[EVEN]])
tirx.kernel @pair() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) cluster(2, 1, 1) threads(384) {
    %ring = tirx.pipeline full(tma) empty(mma) cta_group(2) : !ring
    %out0 = tirx.pipeline full(mma) empty(threads) cta_group(2) : !out
    %out1 = tirx.pipeline full(mma) empty(threads) cta_group(2) : !out
    tirx.roles {
      tirx.role "load" warps(11) {
        %a0, %a1, %b = tirx.acquire %ring : !ring
        tirx.publish %ring : !ring
      }
      tirx.role "mma0" warps(8) leader {
        %d = tirx.acquire %out0 : !out
        %a0, %a1, %b = tirx.wait %ring : !ring
        tirx.release %ring : !ring
        tirx.publish %out0 : !out
      }
      tirx.role "mma1" warps(9) leader {
        %d = tirx.acquire %out1 : !out
        %a0, %a1, %b = tirx.wait %ring : !ring
        tirx.release %ring : !ring
        tirx.publish %out1 : !out
      }
      tirx.role "epilogue0" warps(0 to 4) {
        %d = tirx.wait %out0 : !out
        tirx.release %out0 : !out
      }
      tirx.role "epilogue1" warps(4 to 8) {
        %d = tirx.wait %out1 : !out
        tirx.release %out1 : !out
      }
    }
  }
}

// -----

#operand = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
!operand = !tirx.buffer<128x64xf16, #operand, shared>
!ring = !tirx.pipeline<4 x !operand, !operand>
!A = !tirx.buffer<?x?xf16, global>
!tile = !tirx.buffer<128x64xf16, global>

// The masks of the four CTAs, 7, 11, 13 and 14, are packed in one word.
// CHECK-LABEL: tirx.kernel @multicast(
// CHECK: tirx.copy_async {{.*}} signal(%{{.*}}[%{{.*}}] : !tirx.barrier<4>) multicast(cbx)
// CHECK: tirx.copy_async {{.*}} signal(%{{.*}}[%{{.*}}] : !tirx.barrier<4>) multicast(cby)
// CHECK: tirx.role "mma"
// CHECK: %[[RANK:.*]] = tirx.id cta_rank
// CHECK: %[[MASKS:.*]] = arith.constant 3940705509244935 : i64
// CHECK: arith.shrui %[[MASKS]]
// CHECK: %[[MINE:.*]] = arith.trunci %{{.*}} : i64 to i16
// CHECK: tirx.tcgen05.commit %{{.*}}[%{{.*}}] multicast(%[[MINE]]) : !tirx.barrier<4>
// CHECK: tirx.cluster_sync
tirx.kernel @multicast(%A: !A, %B: !A) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  tirx.launch grid(%c2, %c2, %c1) cluster(2, 2, 1) threads(64) {
    %c0 = arith.constant 0 : index
    %a_tile = tirx.slice %A[%c0, %c0] : !A to !tile
    %b_tile = tirx.slice %B[%c0, %c0] : !A to !tile
    %ring = tirx.pipeline full(tma) empty(mma) : !ring
    tirx.roles {
      tirx.role "load" warps(0) {
        %a, %b = tirx.acquire %ring : !ring
        tirx.copy_async %a_tile to %a multicast(cbx) : !tile to !operand
        tirx.copy_async %b_tile to %b multicast(cby) : !tile to !operand
        tirx.publish %ring : !ring
      }
      tirx.role "mma" warps(1) {
        %a, %b = tirx.wait %ring : !ring
        tirx.release %ring : !ring
      }
    }
  }
}
