// Every role's position in a pipeline becomes SSA values that loops, branches and
// roles carry: producers begin with parity 1, consumers with 0.
//
// RUN: tirx-opt %s --tirx-thread-pipeline-state | FileCheck %s

!tile = !tirx.buffer<64xf32, #tirx.layout<S[64:1]>, shared>
!ring = !tirx.pipeline<4 x !tile>
!one = !tirx.pipeline<1 x !tile>
// CHECK-LABEL: tirx.kernel @loops(
tirx.kernel @loops(%n: index, %flag: i1) {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(64) {
    %c0 = arith.constant 0 : index
    %ring = tirx.pipeline full(tma) empty(threads) : !ring
    %one = tirx.pipeline full(threads) empty(threads) : !one
    // CHECK: tirx.pipeline
    // CHECK: tirx.pipeline
    // CHECK: %[[FIRST:.*]] = arith.constant 0 : index
    // CHECK-NEXT: %[[PRODUCER:.*]] = arith.constant true
    // CHECK-NEXT: %[[CONSUMER:.*]] = arith.constant false
    tirx.roles {
      tirx.role "fill" warps(1) {
        // CHECK: scf.for {{.*}} iter_args(%[[STAGE:.*]] = %[[FIRST]], %[[PHASE:.*]] = %[[PRODUCER]]) -> (index, i1) {
        scf.for %i = %c0 to %n step %c1 {
          // CHECK-NEXT: tirx.acquire %{{.*}} at(%[[STAGE]], %[[PHASE]])
          %t = tirx.acquire %ring : !ring
          // CHECK-NEXT: tirx.publish %{{.*}} at(%[[STAGE]], %[[PHASE]])
          // CHECK: %[[STAGES:.*]] = arith.constant 4 : index
          // CHECK: %[[NEXT:.*]] = arith.addi %[[STAGE]], %{{.*}} : index
          // CHECK-NEXT: %[[WRAPS:.*]] = arith.cmpi eq, %[[NEXT]], %[[STAGES]] : index
          // CHECK-NEXT: %[[NEXT_STAGE:.*]] = arith.select %[[WRAPS]], %{{.*}}, %[[NEXT]] : index
          // CHECK-NEXT: %[[NEXT_PHASE:.*]] = arith.xori %[[PHASE]], %[[WRAPS]] : i1
          // CHECK-NEXT: scf.yield %[[NEXT_STAGE]], %[[NEXT_PHASE]] : index, i1
          tirx.publish %ring : !ring
        }
        // A branch gives the position on either way. One stage: only the phase flips.
        // CHECK: scf.if %{{.*}} -> (index, i1) {
        scf.if %flag {
          // CHECK: tirx.acquire %{{.*}} at(%[[FIRST]], %[[PRODUCER]])
          // CHECK: %[[FLIPPED:.*]] = arith.xori %[[PRODUCER]], %{{.*}} : i1
          // CHECK: scf.yield %[[FIRST]], %[[FLIPPED]] : index, i1
          // CHECK: } else {
          // CHECK-NEXT: scf.yield %[[FIRST]], %[[PRODUCER]] : index, i1
          %t = tirx.acquire %one : !one
          tirx.publish %one : !one
        }
      }
      tirx.role "use" warps(0) {
        // CHECK: scf.for {{.*}} iter_args(%[[STAGE:.*]] = %[[FIRST]], %[[PHASE:.*]] = %[[CONSUMER]]) -> (index, i1) {
        // CHECK-NEXT: tirx.wait %{{.*}} at(%[[STAGE]], %[[PHASE]])
        // CHECK-NEXT: tirx.release %{{.*}} at(%[[STAGE]], %[[PHASE]])
        scf.for %i = %c0 to %n step %c1 {
          %t = tirx.wait %ring : !ring
          tirx.release %ring : !ring
        }
        %t = tirx.wait %one : !one
        tirx.release %one : !one
      }
    }
  }
}
// A role that a loop comes back to carries its position; the whole CTA has one of
// its own.
// CHECK-LABEL: tirx.kernel @repeated_role(
tirx.kernel @repeated_role(%n: index) {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(64) {
    %c0 = arith.constant 0 : index
    %one = tirx.pipeline full(threads) empty(threads) : !one
    // CHECK: scf.for {{.*}} iter_args(%[[S:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}}, %[[S2:.*]] = %{{.*}}, %[[P2:.*]] = %{{.*}}) -> (index, i1, index, i1) {
    // CHECK: %[[ROLE:.*]]:2 = tirx.role "fill" warps(1) carry(%[[S]], %[[P]] : index, i1) -> index, i1 {
    // CHECK: tirx.acquire %{{.*}} at(%[[S]], %[[P]])
    // CHECK: tirx.return %[[S]], %{{.*}} : index, i1
    // CHECK: tirx.wait %{{.*}} at(%[[S2]], %[[P2]])
    // CHECK: scf.yield %[[ROLE]]#0, %[[ROLE]]#1, %[[S2]], %{{.*}}
    scf.for %i = %c0 to %n step %c1 {
      tirx.role "fill" warps(1) {
        %t = tirx.acquire %one : !one
        tirx.publish %one : !one
      }
      %t = tirx.wait %one : !one
      tirx.release %one : !one
    }
  }
}
// CHECK-LABEL: tirx.kernel @unbounded(
tirx.kernel @unbounded(%n: index) {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(64) {
    %c0 = arith.constant 0 : index
    %one = tirx.pipeline full(threads) empty(threads) : !one
    tirx.roles {
      tirx.role "fill" warps(1) {
        // CHECK: scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (index, index, i1) -> (index, index, i1) {
        // CHECK: scf.condition(%{{.*}}) %{{.*}}, %{{.*}}, %{{.*}} : index, index, i1
        // CHECK: ^bb0(%{{.*}}: index, %[[W:.*]]: index, %[[WP:.*]]: i1):
        // CHECK-NEXT: tirx.acquire %{{.*}} at(%[[W]], %[[WP]])
        // CHECK: scf.yield %{{.*}}, %[[W]], %{{.*}} : index, index, i1
        %last = scf.while (%i = %c0) : (index) -> index {
          %more = arith.cmpi ult, %i, %n : index
          scf.condition(%more) %i : index
        } do {
        ^bb0(%i: index):
          %t = tirx.acquire %one : !one
          tirx.publish %one : !one
          %next = arith.addi %i, %c1 : index
          scf.yield %next : index
        }
      }
      tirx.role "use" warps(0) {
        %t = tirx.wait %one : !one
        tirx.release %one : !one
      }
    }
  }
}
