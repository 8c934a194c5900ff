// RUN: tirx-opt %s | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-op-generic | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --emit-bytecode | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-debuginfo | tirx-opt | FileCheck %s

!vector = tensor<64xf32, #tirx.layout<S[64:1] + R[128:1@tid_in_wg]>>
!column = tensor<128x1xf32, #tirx.layout<S[(128,1):(1@tid_in_wg,1)]>>
!tile = tensor<128x64xf32, #tirx.layout<S[(128,64):(1@tid_in_wg,1)]>>

// CHECK-LABEL: func.func @broadcast
// CHECK-SAME: %[[V:[^:]+]]: tensor<64xf32, {{[^>]*}}>, %[[C:[^:]+]]: tensor<128x1xf32
func.func @broadcast(%v: !vector, %c: !column) {
  // New dimensions come in front.
  // CHECK-NEXT: tirx.broadcast %[[V]] : tensor<64xf32, {{.*}}> to tensor<128x64xf32
  %0 = tirx.broadcast %v : !vector to !tile
  // Extents of 1 grow.
  // CHECK-NEXT: tirx.broadcast %[[C]] {note = "kept"} : tensor<128x1xf32, {{.*}}> to tensor<128x64xf32
  %1 = tirx.broadcast %c {note = "kept"} : !column to !tile
  return
}
