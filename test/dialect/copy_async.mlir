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

// CHECK-LABEL: func.func @copy_async
// CHECK-SAME: %[[TILE:[^:]+]]: !tirx.buffer<128x64xf16, global>, %[[AS:[^:]+]]: !tirx.buffer<{{[^>]*}}>, %[[ACC:[^:]+]]: !tirx.buffer<{{[^>]*}}>, %[[BAR:[^:]+]]: !tirx.barrier<1>, %[[RING:[^:]+]]: !tirx.barrier<4>, %[[SLOT:[^:]+]]: index
func.func @copy_async(%tile: !tile, %As: !As, %acc: !Acc, %bar: !tirx.barrier<1>,
                      %ring: !tirx.barrier<4>, %slot: index) {
  // Loads complete at a barrier, or at one of an array.
  // CHECK-NEXT: tirx.copy_async %[[TILE]] to %[[AS]] signal(%[[BAR]] : !tirx.barrier<1>) : !tirx.buffer<128x64xf16, global> to !tirx.buffer<128x64xf16, #[[SW128]], shared>
  tirx.copy_async %tile to %As signal(%bar : !tirx.barrier<1>) : !tile to !As
  // CHECK-NEXT: tirx.copy_async %[[TILE]] to %[[AS]] signal(%[[RING]][%[[SLOT]]] : !tirx.barrier<4>) dispatch("tma") {note = "kept"} : !tirx.buffer<128x64xf16, global> to
  tirx.copy_async %tile to %As signal(%ring[%slot] : !tirx.barrier<4>) dispatch("tma") {note = "kept"} : !tile to !As
  // With the CTAs of the cluster along an axis, for a pair of CTAs, or both.
  // CHECK-NEXT: tirx.copy_async %[[TILE]] to %[[AS]] signal(%[[BAR]] : !tirx.barrier<1>) multicast(cbx) : !tirx.buffer
  tirx.copy_async %tile to %As signal(%bar : !tirx.barrier<1>) multicast(cbx) : !tile to !As
  // CHECK-NEXT: tirx.copy_async %[[TILE]] to %[[AS]] signal(%[[BAR]] : !tirx.barrier<1>) cta_group(2) : !tirx.buffer
  tirx.copy_async %tile to %As signal(%bar : !tirx.barrier<1>) cta_group(2) : !tile to !As
  // CHECK-NEXT: tirx.copy_async %[[TILE]] to %[[AS]] signal(%[[RING]][%[[SLOT]]] : !tirx.barrier<4>) multicast(cbz) cta_group(2) dispatch("tma") {note = "kept"} : !tirx.buffer
  tirx.copy_async %tile to %As signal(%ring[%slot] : !tirx.barrier<4>) multicast(cbz) cta_group(2) dispatch("tma") {note = "kept"} : !tile to !As
  // Stores complete by group.
  // CHECK-NEXT: tirx.copy_async %[[AS]] to %[[TILE]] : !tirx.buffer<128x64xf16, #[[SW128]], shared> to !tirx.buffer<128x64xf16, global>
  tirx.copy_async %As to %tile : !As to !tile
  // Tensor memory.
  // CHECK-NEXT: %[[F:.+]] = tirx.copy_async %[[ACC]] dispatch("tcgen05_ld") : !tirx.buffer<128x64xf32, #[[TMEM]], tmem> to tensor<128x64xf32, #[[ROWS]]>
  %f = tirx.copy_async %acc dispatch("tcgen05_ld") : !Acc to tensor<128x64xf32, #rows>
  // CHECK-NEXT: tirx.copy_async %[[F]] to %[[ACC]] : tensor<128x64xf32, #[[ROWS]]> to !tirx.buffer<128x64xf32, #[[TMEM]], tmem>
  tirx.copy_async %f to %acc : tensor<128x64xf32, #rows> to !Acc
  return
}
