// Loops over tiles that clusterlaunchcontrol hands out.
//
// RUN: tirx-opt %s --tirx-lower-schedules -split-input-file -allow-unregistered-dialect | FileCheck %s

// A cluster of two CTAs. The empty barrier counts the threads that read the
// responses: 2 * 32 of "compute", 64 of "store", which runs in the even CTA
// only, and 2 * 32 of the role that fetches.
// CHECK-LABEL: tirx.kernel @cluster
tirx.kernel @cluster(%n: index) {
  %c1 = arith.constant 1 : index
  // CHECK: %[[WIDTH:.*]] = arith.constant 2 : index
  // CHECK: %[[CTAS:.*]] = arith.muli %n, %[[WIDTH]] : index
  %tiles = tirx.schedule clc over(%n) : !tirx.schedule<1>
  %ctas = tirx.grid_size %tiles : !tirx.schedule<1>
  // CHECK: tirx.launch grid(%[[CTAS]],
  tirx.launch grid(%ctas, %c1, %c1) cluster(2, 1, 1) threads(128) {
    // CHECK-NEXT: %[[RESPONSES:.*]] = tirx.shared.alloc : !tirx.buffer<2x16xi8, #{{.*}}, shared>
    // CHECK-NEXT: %[[FULL:.*]] = tirx.mbarrier.alloc : !tirx.barrier<2>
    // CHECK-NEXT: %[[EMPTY:.*]] = tirx.mbarrier.alloc : !tirx.barrier<2>
    // CHECK-NEXT: tirx.elect warp(0) {
    // CHECK-NEXT: tirx.mbarrier.init %[[FULL]] count(1)
    // CHECK-NEXT: tirx.mbarrier.init %[[EMPTY]] count(192)
    // CHECK-NEXT: tirx.fence mbarrier_init
    // CHECK-NEXT: }
    // CHECK-NEXT: tirx.cluster_sync
    tirx.roles {
      // CHECK: tirx.role "compute" warps(0) {
      tirx.role "compute" warps(0) {
        // CHECK: %[[CLUSTER:.*]] = tirx.id clx
        // CHECK: %[[FIRST:.*]] = arith.constant 0 : index
        // CHECK: %[[EVEN:.*]] = arith.constant false
        // CHECK: scf.while (%[[I:.*]] = %[[CLUSTER]], %[[STAGE:.*]] = %[[FIRST]], %[[PHASE:.*]] = %[[EVEN]]) : (index, index, i1) -> (index, index, i1) {
        // CHECK-NEXT: "test.use"(%[[I]])
        // CHECK-NEXT: tirx.mbarrier.wait %[[FULL]][%[[STAGE]]] parity(%[[PHASE]]) : !tirx.barrier<2>
        // CHECK-NEXT: %[[MORE:.*]] = tirx.clc.query_cancel is_canceled %[[RESPONSES]][%[[STAGE]]]
        // CHECK-NEXT: %[[NEXT:.*]] = scf.if %[[MORE]] -> (index) {
        // CHECK-NEXT: %[[X:.*]] = tirx.clc.query_cancel first_ctaid_x %[[RESPONSES]][%[[STAGE]]]
        // CHECK-NEXT: %[[C2:.*]] = arith.constant 2 : index
        // CHECK-NEXT: %[[NUMBER:.*]] = arith.divui %[[X]], %[[C2]] : index
        // CHECK-NEXT: tirx.fence proxy_async
        // CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
        // CHECK-NEXT: tirx.mbarrier.arrive %[[EMPTY]][%[[STAGE]]] cta(%[[C0]])
        // CHECK-NEXT: scf.yield %[[NUMBER]]
        // CHECK-NEXT: } else {
        // CHECK-NEXT: scf.yield %[[I]]
        // CHECK-NEXT: }
        // CHECK-NEXT: %[[LAST:.*]] = arith.constant 1 : index
        // CHECK-NEXT: %[[WRAPS:.*]] = arith.cmpi eq, %[[STAGE]], %[[LAST]] : index
        // CHECK-NEXT: %[[STAGE2:.*]] = arith.subi %[[LAST]], %[[STAGE]] : index
        // CHECK-NEXT: %[[PHASE2:.*]] = arith.xori %[[PHASE]], %[[WRAPS]] : i1
        // CHECK-NEXT: scf.condition(%[[MORE]]) %[[NEXT]], %[[STAGE2]], %[[PHASE2]]
        // CHECK: tirx.role "store" warps(1 to 3) leader {
        tirx.for_tiles (%i) in %tiles : !tirx.schedule<1> {
          "test.use"(%i) : (index) -> ()
        }
      }
      tirx.role "store" warps(1 to 3) leader {
        // CHECK: scf.while
        tirx.for_tiles (%i) in %tiles : !tirx.schedule<1> {
          "test.use"(%i) : (index) -> ()
        }
      }
      // CHECK: tirx.role "schedule" warps(3) {
      tirx.role "schedule" warps(3) {
        // CHECK-NEXT: %[[RANK:.*]] = tirx.id cta_rank
        // CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : index
        // CHECK-NEXT: %[[IS_FIRST:.*]] = arith.cmpi eq, %[[RANK]], %[[ZERO]] : index
        // CHECK: %[[END:.*]]:2 = scf.while (%[[STAGE:.*]] = %{{.*}}, %[[PHASE:.*]] = %{{.*}}) : (index, i1) -> (index, i1) {
        // CHECK-NEXT: scf.if %[[IS_FIRST]] {
        // CHECK: %[[BEFORE:.*]] = arith.xori %[[PHASE]],
        // CHECK-NEXT: tirx.mbarrier.wait %[[EMPTY]][%[[STAGE]]] parity(%[[BEFORE]]) cluster
        // CHECK-NEXT: }
        // CHECK-NEXT: tirx.elect warp(3) {
        // CHECK-NEXT: tirx.mbarrier.arrive %[[FULL]][%[[STAGE]]] expect_tx(16)
        // CHECK-NEXT: scf.if %[[IS_FIRST]] {
        // CHECK-NEXT: tirx.clc.try_cancel %[[RESPONSES]][%[[STAGE]]] signal(%[[FULL]][%[[STAGE]]]) multicast
        // CHECK-NEXT: }
        // CHECK-NEXT: }
        // CHECK-NEXT: tirx.mbarrier.wait %[[FULL]][%[[STAGE]]] parity(%[[PHASE]]) : !tirx.barrier<2>
        // CHECK-NEXT: %[[MORE:.*]] = tirx.clc.query_cancel is_canceled
        // CHECK-NEXT: scf.if %[[MORE]] {
        // CHECK-NEXT: tirx.fence proxy_async
        // CHECK: tirx.mbarrier.arrive %[[EMPTY]][%[[STAGE]]] cta(
        // CHECK-NEXT: }
        // CHECK: scf.condition(%[[MORE]])
        // The arrivals of the other CTA have come before the CTA ends.
        // CHECK: scf.if %[[IS_FIRST]] {
        // CHECK: %[[BEFORE:.*]] = arith.xori %[[END]]#1,
        // CHECK-NEXT: tirx.mbarrier.wait %[[EMPTY]][%[[END]]#0] parity(%[[BEFORE]]) cluster
        // CHECK-NEXT: }
        // CHECK-NOT: tirx.fetch_tiles
        tirx.fetch_tiles %tiles : !tirx.schedule<1>
      }
    }
  }
}

// -----

// Without clusters everything stays in the CTA, and nothing arrives late.
// CHECK-LABEL: tirx.kernel @ctas
tirx.kernel @ctas(%n: index) {
  %c1 = arith.constant 1 : index
  %tiles = tirx.schedule clc over(%n) : !tirx.schedule<1>
  %ctas = tirx.grid_size %tiles : !tirx.schedule<1>
  // CHECK: tirx.launch grid(%n,
  tirx.launch grid(%ctas, %c1, %c1) threads(96) {
    // CHECK: tirx.mbarrier.init %[[EMPTY:.*]] count(96)
    // CHECK: tirx.cta_sync
    // CHECK-NOT: cta_rank
    // CHECK-NOT: cluster
    // CHECK-NOT: multicast
    // CHECK-NOT: cta(
    tirx.roles {
      // CHECK: tirx.role "work" warps(0 to 2)
      tirx.role "work" warps(0 to 2) {
        // CHECK: tirx.id bx
        // CHECK: %[[X:.*]] = tirx.clc.query_cancel first_ctaid_x
        // CHECK: tirx.mbarrier.arrive %[[EMPTY]][%{{.*}}] : !tirx.barrier<2>
        // CHECK: scf.yield %[[X]]
        tirx.for_tiles (%i) in %tiles : !tirx.schedule<1> {
          "test.use"(%i) : (index) -> ()
        }
      }
      // CHECK: tirx.role "schedule" warps(2)
      tirx.role "schedule" warps(2) {
        // CHECK: tirx.elect warp(2)
        // CHECK: tirx.clc.try_cancel
        // CHECK: scf.condition
        // CHECK-NOT: tirx.mbarrier.wait
        tirx.fetch_tiles %tiles : !tirx.schedule<1>
      }
    }
  }
}
