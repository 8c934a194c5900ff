// Roles as branches that a warp takes as a whole.
//
// RUN: tirx-opt %s --tirx-lower-roles | FileCheck %s

// CHECK-LABEL: tirx.kernel @roles(
tirx.kernel @roles() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(256) {
    // CHECK: %[[WARP:.*]] = tirx.id warpid
    // CHECK: %[[FOUR:.*]] = arith.constant 4 : index
    // CHECK: %[[FROM:.*]] = arith.subi %[[WARP]], %[[FOUR]] : index
    // CHECK: %[[GROUP:.*]] = arith.cmpi ult, %[[FROM]], %{{.*}} : index
    // The warpgroup of two roles gives registers away, then they part.
    // CHECK: scf.if %[[GROUP]] {
    // CHECK-NEXT: tirx.setmaxnreg decrease 48
    // CHECK: arith.cmpi eq
    // CHECK: scf.if %{{.*}} {
    // CHECK-NEXT: tirx.warp_sync
    // CHECK-NEXT: %[[ONE:.*]] = tirx.elect_sync
    // CHECK-NEXT: scf.if %[[ONE]] {
    // CHECK-NEXT: tirx.bulk.commit_group
    // CHECK: arith.cmpi eq
    // CHECK: scf.if
    // The whole warpgroup is one role: no second branch. The launch has 255
    // registers a thread; the named barrier is the first that is free.
    // CHECK: arith.cmpi ult
    // CHECK: scf.if %{{.*}} {
    // CHECK-NEXT: tirx.setmaxnreg decrease 200
    // CHECK-NEXT: tirx.barrier_sync id(2) threads(128)
    // CHECK: tirx.elect warp(0) {
    tirx.roles {
      tirx.role "load" warps(5) registers(48) {
        tirx.role_sync
        tirx.elect {
          tirx.bulk.commit_group
        }
      }
      tirx.role "mma" warps(4) registers(48) {
        tirx.role_sync
      }
      tirx.role "epilogue" warps(0 to 4) registers(200) {
        tirx.role_sync
        tirx.elect {
          tirx.bulk.commit_group
        }
        tirx.barrier_sync id(1) threads(128)
      }
    }
  }
}

// Three warpgroups begin with 168 registers: who computes gets more.
// CHECK-LABEL: tirx.kernel @budgets(
tirx.kernel @budgets() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(384) {
    // CHECK: tirx.setmaxnreg decrease 72
    // A role over two warpgroups has one setmaxnreg.
    // CHECK: tirx.setmaxnreg increase 216
    // CHECK-NEXT: tirx.barrier_sync id(1) threads(256)
    // CHECK-NOT: tirx.setmaxnreg
    tirx.roles {
      tirx.role "issue" warps(8) registers(72) {
      }
      tirx.role "compute" warps(0 to 8) registers(216) {
        tirx.role_sync
      }
    }
  }
}

// CHECK-LABEL: tirx.kernel @leader(
tirx.kernel @leader(%n: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  tirx.launch grid(%c2, %c1, %c1) cluster(2, 1, 1) threads(64) {
    // CHECK: %[[MINE:.*]] = arith.cmpi eq
    // CHECK: %[[RANK:.*]] = tirx.id cta_rank
    // CHECK: %[[ODD:.*]] = arith.andi %[[RANK]], %{{.*}} : index
    // CHECK: %[[LEADS:.*]] = arith.cmpi eq, %[[ODD]], %{{.*}} : index
    // CHECK: %[[BOTH:.*]] = arith.andi %[[MINE]], %[[LEADS]] : i1
    // CHECK: %[[RESULT:.*]] = scf.if %[[BOTH]] -> (index) {
    // CHECK: %[[SUM:.*]] = arith.addi
    // CHECK: scf.yield %[[SUM]] : index
    // CHECK: } else {
    // CHECK: scf.yield %n : index
    %result = tirx.role "count" warps(1) leader carry(%n : index) -> index {
      %one = arith.constant 1 : index
      %sum = arith.addi %n, %one : index
      tirx.return %sum : index
    }
    // Outside of roles all threads meet.
    // CHECK: tirx.cta_sync
    tirx.role_sync
  }
}
