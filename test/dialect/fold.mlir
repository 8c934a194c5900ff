// RUN: tirx-opt %s --canonicalize | FileCheck %s

// Extents that the type says need not be asked for.
// CHECK-LABEL: tirx.kernel @extents
tirx.kernel @extents(%A: !tirx.buffer<?x64xf16, global>) {
  // CHECK-DAG: %[[C64:.+]] = arith.constant 64 : index
  // CHECK-DAG: %[[ROWS:.+]] = tirx.dim %A, 0
  // CHECK-NOT: tirx.dim %A, 1
  %rows = tirx.dim %A, 0 : !tirx.buffer<?x64xf16, global>
  %columns = tirx.dim %A, 1 : !tirx.buffer<?x64xf16, global>
  // A launch is an effect, whatever its threads do.
  // CHECK: tirx.launch grid(%[[ROWS]], %[[C64]], %[[C64]])
  tirx.launch grid(%rows, %columns, %columns) threads(32) {
  }
}
