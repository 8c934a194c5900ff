// RUN: tirx-opt %s | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-op-generic | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --emit-bytecode | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-debuginfo | tirx-opt | FileCheck %s

// CHECK-LABEL: func.func @id
func.func @id() {
  // CHECK-NEXT: tirx.id bx
  %0 = tirx.id bx
  // CHECK-NEXT: tirx.id by
  %1 = tirx.id by
  // CHECK-NEXT: tirx.id bz
  %2 = tirx.id bz
  // CHECK-NEXT: tirx.id tx
  %3 = tirx.id tx
  // CHECK-NEXT: tirx.id warpid
  %4 = tirx.id warpid
  // CHECK-NEXT: tirx.id laneid
  %5 = tirx.id laneid
  // CHECK-NEXT: tirx.id wgid
  %6 = tirx.id wgid
  // CHECK-NEXT: tirx.id tid_in_wg
  %7 = tirx.id tid_in_wg
  // CHECK-NEXT: %[[W:.+]] = tirx.id wid_in_wg {note = "kept"}
  %8 = tirx.id wid_in_wg {note = "kept"}
  // The cluster's.
  // CHECK-NEXT: tirx.id cta_rank
  %rank = tirx.id cta_rank
  // CHECK-NEXT: tirx.id cbx
  %cbx = tirx.id cbx
  // CHECK-NEXT: tirx.id cby
  %cby = tirx.id cby
  // CHECK-NEXT: tirx.id cbz
  %cbz = tirx.id cbz
  // CHECK-NEXT: tirx.id clx
  %clx = tirx.id clx
  // CHECK-NEXT: tirx.id cly
  %cly = tirx.id cly
  // CHECK-NEXT: tirx.id clz
  %clz = tirx.id clz
  // The result is an index.
  // CHECK-NEXT: arith.addi %[[W]], %[[W]] : index
  %9 = arith.addi %8, %8 : index
  return
}

// CHECK-LABEL: tirx.kernel @elect
tirx.kernel @elect(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(128) {
    // Warp 0 elects, unless another is named; the end of the region is implied.
    // CHECK:      tirx.elect {
    // CHECK-NEXT:   tirx.fence mbarrier_init
    // CHECK-NEXT: }
    tirx.elect {
      tirx.fence mbarrier_init
      tirx.return
    }
    // CHECK-NEXT: tirx.elect warp(0) {
    // CHECK-NEXT: }
    tirx.elect warp(0) {
    }
    // The last warp.
    // CHECK-NEXT: tirx.elect warp(3) attributes {note = "kept"} {
    // CHECK-NEXT: }
    tirx.elect warp(3) attributes {note = "kept"} {
    }
    // Under control flow.
    // CHECK: scf.for
    scf.for %i = %n to %n step %n {
      // CHECK-NEXT: tirx.elect {
      tirx.elect {
        // CHECK-NEXT: arith.addi
        %0 = arith.addi %i, %n : index
      }
    }
  }
}

// CHECK-LABEL: func.func @elect_sync() -> i1
func.func @elect_sync() -> i1 {
  // CHECK: %[[ONE:.+]] = tirx.elect_sync
  %one = tirx.elect_sync
  // CHECK: return %[[ONE]] : i1
  return %one : i1
}
