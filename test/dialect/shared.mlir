// RUN: tirx-opt %s | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-op-generic | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --emit-bytecode | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-debuginfo | tirx-opt | FileCheck %s

// CHECK-DAG: #[[SW128:.+]] = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
!As = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>

// CHECK-LABEL: tirx.kernel @in_a_launch
tirx.kernel @in_a_launch(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(128) {
    // CHECK: tirx.shared.alloc : !tirx.buffer<128x64xf16, #[[SW128]], shared>
    %0 = tirx.shared.alloc : !As
  }
}

// After storage assignment and outlining.
// CHECK-LABEL: func.func @in_a_function
func.func @in_a_function() {
  // CHECK-NEXT: tirx.shared.alloc offset(0) : !tirx.buffer<128x64xf16, #[[SW128]], shared>
  %0 = tirx.shared.alloc offset(0) : !As
  // CHECK-NEXT: tirx.shared.alloc offset(16384) {note = "kept"} : !tirx.buffer<128x64xf16, #[[SW128]], shared>
  %1 = tirx.shared.alloc offset(16384) {note = "kept"} : !As
  return
}
