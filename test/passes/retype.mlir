// The twin of a kernel for another element type.
//
// RUN: tirx-opt %s --tirx-retype="from=f16 to=bf16" | FileCheck %s
// RUN: tirx-opt %s --tirx-retype="from=f32 to=f32" > %t.same
// RUN: tirx-opt %s | diff %t.same -
// RUN: tirx-opt %s --tirx-retype="from=bf16 to=f16" | FileCheck %s --check-prefix=BACK

// Layouts stay; element types change everywhere: in arguments, buffers,
// register tiles, tensor maps, kernel attributes.
// CHECK-DAG: #[[OPERAND:.*]] = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
// CHECK-DAG: #[[ROWS:.*]] = #tirx.layout<S[(128,64):(1@tid_in_wg,1)]>
#operand = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
#rows = #tirx.layout<S[(128,64):(1@tid_in_wg,1)]>
!matrix = !tirx.buffer<?x?xf16, global>
!tile = !tirx.buffer<128x64xf16, global>
!operand = !tirx.buffer<128x64xf16, #operand, shared>

// CHECK-NOT: f16{{[,>]}}
// CHECK-LABEL: tirx.kernel @k(%A: !tirx.buffer<?x?xbf16, global>, %alpha: f32)
tirx.kernel @k(%A: !matrix, %alpha: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: tirx.tensor_map %A : !tirx.buffer<?x?xbf16, global> to !tirx.tensor_map<128x64xbf16, swizzle128B>
  %map = tirx.tensor_map %A : !matrix to !tirx.tensor_map<128x64xf16, swizzle128B>
  // CHECK: threads(128)
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    // CHECK: tirx.shared.alloc : !tirx.buffer<128x64xbf16, #[[OPERAND]], shared>
    %As = tirx.shared.alloc : !operand
    %tile = tirx.slice %A[%c0, %c0] : !matrix to !tile
    // CHECK: tirx.copy %{{.*}} : !tirx.buffer<128x64xbf16, global> to tensor<128x64xbf16, #[[ROWS]]>
    %f = tirx.copy %tile : !tile to tensor<128x64xf16, #rows>
    // 1.0009765625 is 1 + 2^-10: exact in f16, 1.0 in bf16. f32 constants keep
    // their value, and an exact constant keeps it too.
    // CHECK: arith.constant dense<1.000000e+00> : tensor<128x64xbf16, #[[ROWS]]>
    %one = arith.constant dense<1.0009765625> : tensor<128x64xf16, #rows>
    // CHECK: arith.constant dense<[1.500000e+00, -0.000000e+00]> : vector<2xbf16>
    %v = arith.constant dense<[1.5, -0.0]> : vector<2xf16>
    // CHECK: arith.constant 0xFF80 : bf16
    %inf = arith.constant 0xFC00 : f16
    // CHECK: arith.constant 1.00097656 : f32
    %exact = arith.constant 1.0009765625 : f32
    // CHECK: arith.addf {{.*}} : tensor<128x64xbf16, #[[ROWS]]>
    %sum = arith.addf %f, %one : tensor<128x64xf16, #rows>
    // CHECK: tirx.copy {{.*}} : tensor<128x64xbf16, #[[ROWS]]> to !tirx.buffer<128x64xbf16, #[[OPERAND]], shared>
    tirx.copy %sum to %As : tensor<128x64xf16, #rows> to !operand
  }
}

// A type that is not there replaces nothing.
// BACK-LABEL: tirx.kernel @k(%A: !tirx.buffer<?x?xf16, global>
