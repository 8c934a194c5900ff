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

#ring = #tirx.layout<S[(4,128,64):(8192,64,1)] swizzle(3,3,3)>
#operand = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
#accs = #tirx.layout<S[(2,128,256):(256@TCol,1@TLane,1@TCol)]>
#part = #tirx.layout<S[(128,64):(1@TLane,1@TCol)]>
!ring = !tirx.buffer<4x128x64xf16, #ring, shared>
!operand = !tirx.buffer<128x64xf16, #operand, shared>
!accs = !tirx.buffer<2x128x256xf32, #accs, tmem>
!part = !tirx.buffer<128x64xf32, #part, tmem>

// A stage of a ring; columns of one of two accumulators.
// CHECK-LABEL: func.func @stages(
func.func @stages(%ring: !ring, %accs: !accs, %stage: index, %column: index) {
  %c0 = arith.constant 0 : index
  // CHECK: tirx.slice %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] : !tirx.buffer<4x128x64xf16, {{.*}}, shared> to !tirx.buffer<128x64xf16, {{.*}}, shared>
  %0 = tirx.slice %ring[%stage, %c0, %c0] : !ring to !operand
  // CHECK: tirx.slice {{.*}}tmem> to !tirx.buffer<128x64xf32, {{.*}}, tmem>
  %1 = tirx.slice %accs[%stage, %c0, %column] : !accs to !part
  return
}
