// RUN: tirx-opt %s | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-op-generic | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --emit-bytecode | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-debuginfo | tirx-opt | FileCheck %s

// CHECK-LABEL: tirx.kernel @roles
tirx.kernel @roles() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) cluster(2, 1, 1) threads(384) {
    // Every clause; the registers of three warpgroups: 128 * (48 + 200 + 200).
    // CHECK:      tirx.roles {
    // CHECK-NEXT:   tirx.role "load" warps(0) registers(48) {
    // CHECK-NEXT:     tirx.warp_sync
    // CHECK-NEXT:   }
    // CHECK-NEXT:   tirx.role "mma" warps(1) registers(48) leader {
    // CHECK-NEXT:   }
    // CHECK-NEXT:   tirx.role "store" warps(2 to 4) registers(48) attributes {note = "kept"} {
    // CHECK-NEXT:   }
    // CHECK-NEXT:   tirx.role "work" warps(4 to 12) registers(200) {
    // CHECK-NEXT:     tirx.role_sync
    // CHECK-NEXT:   }
    // CHECK-NEXT: }
    tirx.roles {
      tirx.role "load" warps(0 to 1) registers(48) {
        tirx.warp_sync
        tirx.return
      }
      tirx.role "mma" warps(1) registers(48) leader {
      }
      tirx.role "store" warps(2 to 4) registers(48) attributes {note = "kept"} {
      }
      tirx.role "work" warps(4 to 12) registers(200) {
        tirx.role_sync
      }
    }
    // Roles one after the other need no tirx.roles, and may have the same warps.
    // CHECK-NEXT: tirx.role "a" warps(0) {
    // CHECK-NEXT:   tirx.elect {
    // CHECK-NEXT:   }
    // CHECK-NEXT: }
    tirx.role "a" warps(0) {
      tirx.elect {
      }
    }
    // The first warp of a role elects, unless another is named.
    // CHECK-NEXT: tirx.role "e" warps(4 to 8) {
    // CHECK-NEXT:   tirx.elect {
    // CHECK-NEXT:   }
    // CHECK-NEXT: }
    tirx.role "e" warps(4 to 8) {
      tirx.elect {
      }
    }
    // Values that the role's warps change.
    // CHECK: %[[CARRIED:.+]]:2 = tirx.role "carry" warps(1) leader carry(%{{.+}}, %{{.+}} : index, i1) -> index, i1 attributes {note = "kept"} {
    // CHECK-NEXT:   tirx.return {{.*}} : index, i1
    // CHECK-NEXT: }
    %true = arith.constant true
    %s, %p = tirx.role "carry" warps(1) leader carry(%c1, %true : index, i1) -> index, i1 attributes {note = "kept"} {
      tirx.return %c1, %true : index, i1
    }
    // The last warp elects.
    // CHECK-NEXT: tirx.role "b" warps(0 to 12) {
    // CHECK-NEXT:   tirx.elect warp(11) {
    // CHECK-NEXT:   }
    // CHECK-NEXT: }
    tirx.role "b" warps(0 to 12) {
      tirx.elect warp(11) {
      }
    }
    // Under control flow; a name that must be quoted.
    // CHECK-NEXT: scf.for
    scf.for %i = %c1 to %c1 step %c1 {
      // CHECK-NEXT: tirx.role "two \22words\22" warps(11) {
      tirx.role "two \"words\"" warps(11) {
      }
    }
    // Nobody plays.
    // CHECK: tirx.roles attributes {note = "kept"} {
    // CHECK-NEXT: }
    tirx.roles attributes {note = "kept"} {
    }
    // CHECK-NEXT: tirx.role_sync {note = "kept"}
    tirx.role_sync {note = "kept"}
  }
}

// Registers are optional, some warps may have no role, one warpgroup may be
// shared by roles of one budget with idle warps between them.
// CHECK-LABEL: tirx.kernel @idle
tirx.kernel @idle() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(96) {
    // CHECK: tirx.role "first" warps(0) {
    // CHECK: tirx.role "last" warps(2) {
    tirx.roles {
      tirx.role "first" warps(0) {
      }
      tirx.role "last" warps(2) {
      }
    }
  }
  }

// CHECK-LABEL: tirx.kernel @budget
tirx.kernel @budget() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(256) {
    tirx.roles {
      // The least and the most: 128 * (24 + 256) registers.
      // CHECK: warps(0) registers(24)
      tirx.role "a" warps(0) registers(24) {
      }
      // CHECK: warps(3) registers(24)
      tirx.role "b" warps(3) registers(24) {
      }
      // CHECK: warps(4 to 8) registers(256)
      tirx.role "c" warps(4 to 8) registers(256) {
      }
    }
  }
}

// Outside of a launch the number of warps is not known: as many as a CTA can
// have.
// CHECK-LABEL: func.func @fragment
func.func @fragment() {
  // CHECK-NEXT: tirx.role "all" warps(0 to 32) leader {
  tirx.role "all" warps(0 to 32) leader {
  }
  return
}
