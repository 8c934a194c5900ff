// RUN: tirx-opt %s | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-op-generic | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --emit-bytecode | tirx-opt | FileCheck %s

!one = !tirx.buffer<1x16xi8, #tirx.layout<S[(1,16):(16,1)]>, shared>
!ring = !tirx.buffer<3x16xi8, #tirx.layout<S[(3,16):(16,1)]>, shared>

// CHECK-LABEL: func.func @one_response
func.func @one_response(%response: !one, %bar: !tirx.barrier<1>) -> i1 {
  tirx.elect {
    // CHECK: tirx.clc.try_cancel %{{.*}} signal(%{{.*}}) : !tirx.buffer<1x16xi8, #{{.*}}, shared>, !tirx.barrier<1>
    tirx.clc.try_cancel %response signal(%bar) : !one, !tirx.barrier<1>
    // CHECK: tirx.clc.try_cancel %{{.*}} signal(%{{.*}}) multicast {note = "kept"} :
    tirx.clc.try_cancel %response signal(%bar) multicast {note = "kept"} : !one, !tirx.barrier<1>
  }
  // CHECK: tirx.clc.query_cancel is_canceled %{{.*}} : !tirx.buffer<1x16xi8, #{{.*}}, shared> -> i1
  %more = tirx.clc.query_cancel is_canceled %response : !one -> i1
  return %more : i1
}

// CHECK-LABEL: func.func @ring
func.func @ring(%ring: !ring, %bars: !tirx.barrier<2>, %i: index) -> (index, index, index) {
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  tirx.elect {
    // CHECK: tirx.clc.try_cancel %{{.*}}[%c2] signal(%{{.*}}[%c1]) multicast : !tirx.buffer<3x16xi8, #{{.*}}, shared>, !tirx.barrier<2>
    tirx.clc.try_cancel %ring[%c2] signal(%bars[%c1]) multicast : !ring, !tirx.barrier<2>
  }
  // CHECK: tirx.clc.query_cancel first_ctaid_x %{{.*}}[%{{.*}}] {note = "kept"} : !tirx.buffer<3x16xi8, #{{.*}}, shared> -> index
  %x = tirx.clc.query_cancel first_ctaid_x %ring[%i] {note = "kept"} : !ring -> index
  // CHECK: tirx.clc.query_cancel first_ctaid_y
  %y = tirx.clc.query_cancel first_ctaid_y %ring[%i] : !ring -> index
  // CHECK: tirx.clc.query_cancel first_ctaid_z
  %z = tirx.clc.query_cancel first_ctaid_z %ring[%i] : !ring -> index
  return %x, %y, %z : index, index, index
}
