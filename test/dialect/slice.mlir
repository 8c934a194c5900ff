// RUN: tirx-opt %s | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-op-generic | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --emit-bytecode | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-debuginfo | tirx-opt | FileCheck %s

// CHECK-LABEL: func.func @slice
// CHECK-SAME: %[[V:[^:]+]]: !tirx.buffer<?xf32, global>, %[[A:[^:]+]]: !tirx.buffer<?x?xf16, global>, %[[W:[^:]+]]: !tirx.buffer<100x100xf16, global>, %[[I:[^:]+]]: index, %[[J:[^:]+]]: index
func.func @slice(%V: !tirx.buffer<?xf32, global>, %A: !tirx.buffer<?x?xf16, global>,
                 %W: !tirx.buffer<100x100xf16, global>, %i: index, %j: index) {
  // CHECK-NEXT: tirx.slice %[[V]][%[[I]]] : !tirx.buffer<?xf32, global> to !tirx.buffer<64xf32, global>
  %0 = tirx.slice %V[%i] : !tirx.buffer<?xf32, global> to !tirx.buffer<64xf32, global>
  // CHECK-NEXT: %[[TILE:.+]] = tirx.slice %[[A]][%[[I]], %[[J]]] : !tirx.buffer<?x?xf16, global> to !tirx.buffer<128x64xf16, global>
  %1 = tirx.slice %A[%i, %j] : !tirx.buffer<?x?xf16, global> to !tirx.buffer<128x64xf16, global>
  // A window of a window.
  // CHECK-NEXT: tirx.slice %[[TILE]][%[[I]], %[[J]]] : !tirx.buffer<128x64xf16, global> to !tirx.buffer<8x16xf16, global>
  %2 = tirx.slice %1[%i, %j] : !tirx.buffer<128x64xf16, global> to !tirx.buffer<8x16xf16, global>
  // A window over the edge: for TMA.
  // CHECK-NEXT: tirx.slice %[[W]][%[[I]], %[[J]]] {note = "kept"} : !tirx.buffer<100x100xf16, global> to !tirx.buffer<128x64xf16, global>
  %3 = tirx.slice %W[%i, %j] {note = "kept"} : !tirx.buffer<100x100xf16, global> to !tirx.buffer<128x64xf16, global>
  return
}
