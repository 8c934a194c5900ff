// RUN: tirx-opt %s | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-op-generic | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --emit-bytecode | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-debuginfo | tirx-opt | FileCheck %s

// CHECK-DAG: #[[SW128:.+]] = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
// CHECK-DAG: #[[TMEM:.+]] = #tirx.layout<S[(128,64):(1@TLane,1@TCol)]>
// CHECK-DAG: #[[ROWS:.+]] = #tirx.layout<S[(128,64):(1@tid_in_wg,1)]>
#rows = #tirx.layout<S[(128,64):(1@tid_in_wg,1)]>
!tile = !tirx.buffer<128x64xf16, global>
!As = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
!Acc = !tirx.buffer<128x64xf32, #tirx.layout<S[(128,64):(1@TLane,1@TCol)]>, tmem>

// CHECK-LABEL: func.func @copy
// CHECK-SAME: %[[TILE:[^:]+]]: !tirx.buffer<128x64xf16, global>, %[[AS:[^:]+]]: !tirx.buffer<{{[^>]*}}>, %[[ACC:[^:]+]]:
func.func @copy(%tile: !tile, %As: !As, %acc: !Acc) {
  // From memory to memory.
  // CHECK-NEXT: tirx.copy %[[TILE]] to %[[AS]] : !tirx.buffer<128x64xf16, global> to !tirx.buffer<128x64xf16, #[[SW128]], shared>
  tirx.copy %tile to %As : !tile to !As
  // CHECK-NEXT: tirx.copy %[[AS]] to %[[TILE]] dispatch("vector") : !tirx.buffer<128x64xf16, #[[SW128]], shared> to !tirx.buffer<128x64xf16, global>
  tirx.copy %As to %tile dispatch("vector") : !As to !tile
  // From memory to registers: the tile is the result.
  // CHECK-NEXT: %[[F:.+]] = tirx.copy %[[ACC]] : !tirx.buffer<128x64xf32, #[[TMEM]], tmem> to tensor<128x64xf32, #[[ROWS]]>
  %f = tirx.copy %acc : !Acc to tensor<128x64xf32, #rows>
  // CHECK-NEXT: %[[H:.+]] = tirx.copy %[[AS]] dispatch("vector") {note = "kept"} : !tirx.buffer<128x64xf16, #[[SW128]], shared> to tensor<128x64xf16, #[[ROWS]]>
  %h = tirx.copy %As dispatch("vector") {note = "kept"} : !As to tensor<128x64xf16, #rows>
  // From registers to memory.
  // CHECK-NEXT: tirx.copy %[[F]] to %[[ACC]] : tensor<128x64xf32, #[[ROWS]]> to !tirx.buffer<128x64xf32, #[[TMEM]], tmem>
  tirx.copy %f to %acc : tensor<128x64xf32, #rows> to !Acc
  // CHECK-NEXT: tirx.copy %[[H]] to %[[TILE]] {note = "kept"} : tensor<128x64xf16, #[[ROWS]]> to !tirx.buffer<128x64xf16, global>
  tirx.copy %h to %tile {note = "kept"} : tensor<128x64xf16, #rows> to !tile
  return
}

// A slice of a batch is a tile.
// CHECK-LABEL: func.func @batch
func.func @batch(%slice: !tirx.buffer<1x1x128x64xf16, global>, %As: !As) {
  // CHECK-NEXT: tirx.copy %{{.*}} : !tirx.buffer<1x1x128x64xf16, global> to !tirx.buffer<128x64xf16
  tirx.copy %slice to %As : !tirx.buffer<1x1x128x64xf16, global> to !As
  // CHECK-NEXT: %[[T:.+]] = tirx.copy %{{.*}} : !tirx.buffer<1x1x128x64xf16, global> to tensor<128x64xf16
  %t = tirx.copy %slice : !tirx.buffer<1x1x128x64xf16, global> to tensor<128x64xf16, #rows>
  // CHECK-NEXT: tirx.copy %[[T]] to %{{.*}} : tensor<128x64xf16, #[[ROWS]]> to !tirx.buffer<1x1x128x64xf16, global>
  tirx.copy %t to %slice : tensor<128x64xf16, #rows> to !tirx.buffer<1x1x128x64xf16, global>
  return
}
