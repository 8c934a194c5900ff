// RUN: tirx-opt %s | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-op-generic | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --emit-bytecode | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-debuginfo | tirx-opt | FileCheck %s

// CHECK-LABEL: func.func @device(
func.func @device(%X: !tirx.buffer<?xf32, global>, %n: index) {
  return
}

// The smallest and the largest CTA.
// CHECK-LABEL: tirx.kernel @smallest
tirx.kernel @smallest(%gx: index, %gy: index, %gz: index) {
  // CHECK: tirx.launch grid(%gx, %gy, %gz) threads(32) {
  // CHECK-NEXT: }
  tirx.launch grid(%gx, %gy, %gz) threads(32) {
    // Implied, and not printed.
    // CHECK-NOT: tirx.return
    tirx.return
  }
}

// CHECK-LABEL: tirx.kernel @largest
tirx.kernel @largest(%gx: index) {
  // CHECK: tirx.launch grid(%gx, %gx, %gx) threads(1024) attributes {note = "kept"} {
  // CHECK-NEXT: tirx.cta_sync
  tirx.launch grid(%gx, %gx, %gx) threads(1024) attributes {note = "kept"} {
    tirx.cta_sync
  }
}

// Clusters: as many as there may be, and one CTA, said or not.
// CHECK-LABEL: tirx.kernel @clusters
tirx.kernel @clusters(%gx: index) {
  // CHECK: tirx.launch grid(%gx, %gx, %gx) cluster(4, 2, 2) threads(128) attributes {note = "kept"} {
  // CHECK-NEXT: tirx.cluster_sync
  tirx.launch grid(%gx, %gx, %gx) cluster(4, 2, 2) threads(128) attributes {note = "kept"} {
    tirx.cluster_sync
  }
}

// CHECK-LABEL: tirx.kernel @cluster_of_one
tirx.kernel @cluster_of_one(%gx: index) {
  // CHECK: tirx.launch grid(%gx, %gx, %gx) cluster(1, 1, 1) threads(128) {
  tirx.launch grid(%gx, %gx, %gx) cluster(1, 1, 1) threads(128) {
    tirx.cluster_sync
  }
}

// CHECK-LABEL: tirx.kernel @outlined
tirx.kernel @outlined(%X: !tirx.buffer<?xf32, global>) {
  %c1 = arith.constant 1 : index
  // CHECK: %[[N:.+]] = tirx.dim %X, 0
  %n = tirx.dim %X, 0 : !tirx.buffer<?xf32, global>
  // CHECK: tirx.launch_func @device grid(%[[N]], %{{.*}}, %{{.*}}) threads(96) shared_bytes(4096)
  // CHECK-SAME: args(%X, %[[N]] : !tirx.buffer<?xf32, global>, index)
  tirx.launch_func @device grid(%n, %c1, %c1) threads(96) shared_bytes(4096)
    args(%X, %n : !tirx.buffer<?xf32, global>, index)
}

// CHECK-LABEL: func.func @no_parameters(
func.func @no_parameters() {
  return
}

// CHECK-LABEL: tirx.kernel @outlined_no_parameters
tirx.kernel @outlined_no_parameters() {
  %c1 = arith.constant 1 : index
  // CHECK: tirx.launch_func @no_parameters grid({{.*}}) threads(32) shared_bytes(0) args() {note = "kept"}
  tirx.launch_func @no_parameters grid(%c1, %c1, %c1) threads(32) shared_bytes(0) args()
    {note = "kept"}
}

// CHECK-LABEL: tirx.kernel @outlined_cluster
tirx.kernel @outlined_cluster() {
  %c2 = arith.constant 2 : index
  // CHECK: tirx.launch_func @no_parameters grid({{.*}}) cluster(2, 1, 1) threads(32) shared_bytes(0) args()
  tirx.launch_func @no_parameters grid(%c2, %c2, %c2) cluster(2, 1, 1) threads(32) shared_bytes(0) args()
}
