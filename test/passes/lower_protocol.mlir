// Elections, waits and tensor-memory allocation, spelled out.
//
// RUN: tirx-opt %s --tirx-lower-protocol -split-input-file | FileCheck %s

// The warp branches as a whole, then one lane is elected.
// CHECK-LABEL: tirx.kernel @elect
tirx.kernel @elect() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    // CHECK: %[[BAR:.*]] = tirx.mbarrier.alloc
    %bar = tirx.mbarrier.alloc : !tirx.barrier<1>
    // CHECK: %[[WARP:.*]] = tirx.id warpid
    // CHECK: %[[C0:.*]] = arith.constant 0 : index
    // CHECK: %[[MINE:.*]] = arith.cmpi eq, %[[WARP]], %[[C0]] : index
    // CHECK: scf.if %[[MINE]] {
    // CHECK-NEXT: %[[ONE:.*]] = tirx.elect_sync
    // CHECK-NEXT: scf.if %[[ONE]] {
    // CHECK-NEXT:   tirx.mbarrier.init %[[BAR]] count(1)
    // CHECK-NEXT:   tirx.fence mbarrier_init
    // CHECK-NEXT: }
    // CHECK-NEXT: }
    tirx.elect {
      tirx.mbarrier.init %bar count(1) : !tirx.barrier<1>
      tirx.fence mbarrier_init
    }
    // CHECK: tirx.cta_sync
    tirx.cta_sync
    // CHECK: %[[C3:.*]] = arith.constant 3 : index
    // CHECK: arith.cmpi eq, %{{.*}}, %[[C3]] : index
    // CHECK-NOT: tirx.elect {
    tirx.elect warp(3) {
      tirx.mbarrier.arrive %bar : !tirx.barrier<1>
    }
  }
}

// -----

// A wait is a loop around try_wait, in one thread as in all.
// CHECK-LABEL: tirx.kernel @wait(%slot: index)
tirx.kernel @wait(%slot: index) {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    // CHECK: %[[PHASE:.*]] = arith.constant false
    %phase = arith.constant false
    // CHECK: %[[BAR:.*]] = tirx.mbarrier.alloc
    %bar = tirx.mbarrier.alloc : !tirx.barrier<4>
    // CHECK: scf.while : () -> () {
    // CHECK-NEXT: %[[DONE:.*]] = tirx.mbarrier.try_wait %[[BAR]][%slot] parity(%[[PHASE]])
    // CHECK-NEXT: %[[TRUE:.*]] = arith.constant true
    // CHECK-NEXT: %[[AGAIN:.*]] = arith.xori %[[DONE]], %[[TRUE]] : i1
    // CHECK-NEXT: scf.condition(%[[AGAIN]])
    // CHECK-NEXT: } do {
    // CHECK-NEXT: scf.yield
    tirx.mbarrier.wait %bar[%slot] parity(%phase) : !tirx.barrier<4>
    // CHECK: tirx.mbarrier.try_wait %[[BAR]][%slot] parity(%[[PHASE]]) cluster :
    tirx.mbarrier.wait %bar[%slot] parity(%phase) cluster : !tirx.barrier<4>
    // CHECK: tirx.elect_sync
    // CHECK: scf.while
    // CHECK: tirx.mbarrier.try_wait
    // CHECK-NOT: tirx.mbarrier.wait
    tirx.elect warp(1) {
      tirx.mbarrier.wait %bar[%slot] parity(%phase) : !tirx.barrier<4>
    }
  }
}

// -----

// All columns at the first allocation, by one warp; the address is in shared
// memory when the others have met it. Back at the last dealloc, when all are
// done.
!acc = !tirx.buffer<128x32xf32, #tirx.layout<S[(128,32):(1@TLane,1@TCol)]>, tmem>
// CHECK-LABEL: tirx.kernel @tmem
tirx.kernel @tmem() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) attributes {tirx.shared_bytes = 12 : i64, tirx.tmem_columns = 64 : i64, tirx.tmem_address_offset = 8 : i64} {
    // CHECK: %[[WARP:.*]] = tirx.id warpid
    // CHECK: %[[MINE:.*]] = arith.cmpi eq, %[[WARP]], %{{.*}} : index
    // CHECK: scf.if %[[MINE]] {
    // CHECK-NEXT: tirx.tcgen05.alloc columns(64) address_offset(8)
    // CHECK-NEXT: }
    // CHECK-NEXT: tirx.fence tcgen05_before_thread_sync
    // CHECK-NEXT: tirx.cta_sync
    // CHECK-NEXT: tirx.fence tcgen05_after_thread_sync
    // CHECK-NEXT: %[[A:.*]] = tirx.tmem.alloc column(0)
    %a = tirx.tmem.alloc column(0) : !acc
    // CHECK: tirx.warp_sync
    tirx.warp_sync
    // CHECK-NEXT: tirx.tmem.alloc column(32)
    %b = tirx.tmem.alloc column(32) : !acc
    // CHECK-NEXT: tirx.warp_sync
    tirx.tmem.dealloc %a : !acc
    tirx.warp_sync
    // CHECK-NEXT: tirx.fence tcgen05_before_thread_sync
    // CHECK-NEXT: tirx.cta_sync
    // CHECK-NEXT: tirx.fence tcgen05_after_thread_sync
    // CHECK-NEXT: %[[LAST:.*]] = tirx.id warpid
    // CHECK: scf.if %{{.*}} {
    // CHECK-NEXT: tirx.tcgen05.dealloc %[[A]] columns(64)
    // CHECK-NEXT: }
    // CHECK-NOT: tmem.dealloc
    tirx.tmem.dealloc %b : !acc
  }
}

// -----

// Where a pair of CTAs multiplies, both allocate and free, and meet before.
!acc = !tirx.buffer<128x32xf32, #tirx.layout<S[(128,32):(1@TLane,1@TCol)]>, tmem>
// CHECK-LABEL: tirx.kernel @pair
tirx.kernel @pair() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  tirx.launch grid(%c2, %c1, %c1) cluster(2, 1, 1) threads(128) attributes {tirx.shared_bytes = 12 : i64, tirx.tmem_columns = 32 : i64, tirx.tmem_address_offset = 8 : i64} {
    // CHECK: tirx.tcgen05.alloc columns(32) address_offset(8) cta_group(2)
    // CHECK-NEXT: }
    // CHECK-NEXT: tirx.fence tcgen05_before_thread_sync
    // CHECK-NEXT: tirx.cluster_sync
    // CHECK-NEXT: tirx.fence tcgen05_after_thread_sync
    %a = tirx.tmem.alloc column(0) : !acc
    %bar = tirx.mbarrier.alloc : !tirx.barrier<1>
    tirx.elect {
      tirx.tcgen05.commit %bar cta_group(2) : !tirx.barrier<1>
    }
    // CHECK: tirx.tcgen05.commit
    // CHECK: tirx.cluster_sync
    // CHECK-NOT: tirx.cta_sync
    // CHECK: tirx.tcgen05.dealloc %{{.*}} columns(32) cta_group(2)
    tirx.tmem.dealloc %a : !acc
  }
}

// -----

// The warp's number comes from a shuffle of all lanes (convert_to_nvvm.mlir): it
// is not taken where lanes have parted, nor once a round.
// CHECK-LABEL: tirx.kernel @warp_ids
tirx.kernel @warp_ids(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: tirx.launch
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    // CHECK-DAG: tirx.id wgid
    // CHECK-DAG: tirx.id wid_in_wg
    // CHECK-DAG: tirx.id warpid
    // CHECK: %[[BAR:.*]] = tirx.mbarrier.alloc
    %bar = tirx.mbarrier.alloc : !tirx.barrier<4>
    // CHECK: scf.for
    // CHECK-NOT: tirx.id w
    scf.for %i = %c0 to %n step %c1 {
      // CHECK: tirx.elect_sync
      tirx.elect {
        %group = tirx.id wgid
        %warp = tirx.id wid_in_wg
        // A lane's number is its own.
        // CHECK: tirx.id laneid
        %lane = tirx.id laneid
        tirx.mbarrier.arrive %bar[%group] : !tirx.barrier<4>
        tirx.mbarrier.arrive %bar[%warp] : !tirx.barrier<4>
        tirx.mbarrier.arrive %bar[%lane] : !tirx.barrier<4>
      }
    }
  }
}
