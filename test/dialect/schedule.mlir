// RUN: tirx-opt %s -allow-unregistered-dialect | tirx-opt -allow-unregistered-dialect | FileCheck %s
// RUN: tirx-opt %s -allow-unregistered-dialect --mlir-print-op-generic | tirx-opt -allow-unregistered-dialect | FileCheck %s
// RUN: tirx-opt %s -allow-unregistered-dialect --emit-bytecode | tirx-opt -allow-unregistered-dialect | FileCheck %s

// CHECK-LABEL: tirx.kernel @kinds
tirx.kernel @kinds(%a: index, %b: index, %c: index) {
  %c1 = arith.constant 1 : index
  // CHECK: tirx.sm_count {note = "kept"}
  %sms = tirx.sm_count {note = "kept"}
  // A group of 1 is the default.
  // CHECK-NEXT: %[[ONE:.*]] = tirx.schedule one_tile over(%a) : !tirx.schedule<1>
  %one = tirx.schedule one_tile group(1) over(%a) : !tirx.schedule<1>
  // CHECK-NEXT: tirx.schedule persistent group(8) over(%a, %b) {note = "kept"} : !tirx.schedule<2>
  %two = tirx.schedule persistent group(8) over(%a, %b) {note = "kept"} : !tirx.schedule<2>
  // CHECK-NEXT: %[[THREE:.*]] = tirx.schedule clc group(2) over(%a, %b, %c) : !tirx.schedule<3>
  %three = tirx.schedule clc group(2) over(%a, %b, %c) : !tirx.schedule<3>
  // CHECK-NEXT: %[[CTAS:.*]] = tirx.grid_size %[[THREE]] : !tirx.schedule<3>
  %ctas = tirx.grid_size %three : !tirx.schedule<3>
  // CHECK-NEXT: tirx.launch grid(%[[CTAS]],
  tirx.launch grid(%ctas, %c1, %c1) threads(64) {
    // CHECK-NEXT: tirx.for_tiles (%[[I:.*]]) in %[[ONE]] : !tirx.schedule<1> {
    // CHECK-NEXT: "test.use"(%[[I]])
    // CHECK-NEXT: }
    tirx.for_tiles (%i) in %one : !tirx.schedule<1> {
      "test.use"(%i) : (index) -> ()
    }
    // CHECK-NEXT: tirx.for_tiles (%{{.*}}, %{{.*}}, %{{.*}}) in %[[THREE]] {note = "kept"} : !tirx.schedule<3> {
    tirx.for_tiles (%i, %j, %k) in %three {note = "kept"} : !tirx.schedule<3> {
    }
    // CHECK: tirx.fetch_tiles %[[THREE]] : !tirx.schedule<3>
    tirx.fetch_tiles %three : !tirx.schedule<3>
  }
}
