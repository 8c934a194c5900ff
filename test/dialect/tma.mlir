// RUN: tirx-opt %s | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-op-generic | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --emit-bytecode | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-debuginfo | tirx-opt | FileCheck %s

// CHECK-DAG: #[[WIDE:.+]] = #tirx.layout<S[(128,2,64):(64,8192,1)] swizzle(3,3,3)>
!Ds = !tirx.buffer<128x128xf16, #tirx.layout<S[(128,2,64):(64,8192,1)] swizzle(3,3,3)>, shared>
!map = !tirx.tensor_map<128x64xf16, swizzle128B>

// CHECK-LABEL: func.func @load
// CHECK-SAME: %[[MAP:[^:]+]]: !tirx.tensor_map<128x64xf16, swizzle128B>, %[[DS:[^:]+]]: !tirx.buffer<{{[^>]*}}>, %[[BAR:[^:]+]]: !tirx.barrier<1>, %[[RING:[^:]+]]: !tirx.barrier<2>, %[[M:[^:]+]]: index, %[[K:[^:]+]]: index
func.func @load(%map: !map, %Ds: !Ds, %bar: !tirx.barrier<1>, %ring: !tirx.barrier<2>,
                %m: index, %k: index) {
  // CHECK-NEXT: tirx.tma.load %[[MAP]][%[[M]], %[[K]]] to %[[DS]] offset(0) signal(%[[BAR]])
  // CHECK-SAME: : !tirx.tensor_map<128x64xf16, swizzle128B> to !tirx.buffer<128x128xf16, #[[WIDE]], shared>, !tirx.barrier<1>
  tirx.tma.load %map[%m, %k] to %Ds offset(0) signal(%bar) : !map to !Ds, !tirx.barrier<1>
  // The second box of the tile, at the end of the buffer.
  // CHECK-NEXT: tirx.tma.load %[[MAP]][%[[M]], %[[K]]] to %[[DS]] offset(16384) signal(%[[RING]][%[[M]]]) {note = "kept"}
  // CHECK-SAME: : !tirx.tensor_map<128x64xf16, swizzle128B> to !tirx.buffer<128x128xf16, #[[WIDE]], shared>, !tirx.barrier<2>
  tirx.tma.load %map[%m, %k] to %Ds offset(16384) signal(%ring[%m]) {note = "kept"} : !map to !Ds, !tirx.barrier<2>
  return
}

// CHECK-LABEL: func.func @store
// CHECK-SAME: %[[MAP:[^:]+]]: !tirx.tensor_map<128x64xf16, swizzle128B>, %[[DS:[^:]+]]: !tirx.buffer<{{[^>]*}}>, %[[M:[^:]+]]: index, %[[N:[^:]+]]: index
func.func @store(%map: !map, %Ds: !Ds, %m: index, %n: index) {
  // CHECK-NEXT: tirx.tma.store %[[DS]] offset(16384) to %[[MAP]][%[[M]], %[[N]]] {note = "kept"}
  // CHECK-SAME: : !tirx.buffer<128x128xf16, #[[WIDE]], shared> to !tirx.tensor_map<128x64xf16, swizzle128B>
  tirx.tma.store %Ds offset(16384) to %map[%m, %n] {note = "kept"} : !Ds to !map
  return
}

// CHECK-LABEL: func.func @cluster_load
// CHECK-SAME: %[[MAP:[^:]+]]: !tirx.tensor_map<128x64xf16, swizzle128B>, %[[DS:[^:]+]]: !tirx.buffer<{{[^>]*}}>, %[[BAR:[^:]+]]: !tirx.barrier<1>, %[[M:[^:]+]]: index, %[[MASK:[^:]+]]: i16
func.func @cluster_load(%map: !map, %Ds: !Ds, %bar: !tirx.barrier<1>, %m: index, %mask: i16) {
  // A part of the offset may be a value.
  // CHECK-NEXT: tirx.tma.load %[[MAP]][%[[M]], %[[M]]] to %[[DS]] offset(128, %[[M]]) signal(%[[BAR]]) : !tirx.tensor_map
  tirx.tma.load %map[%m, %m] to %Ds offset(128, %m) signal(%bar) : !map to !Ds, !tirx.barrier<1>
  // CHECK-NEXT: tirx.tma.load %[[MAP]][%[[M]], %[[M]]] to %[[DS]] offset(0) signal(%[[BAR]]) multicast(%[[MASK]]) : !tirx.tensor_map
  tirx.tma.load %map[%m, %m] to %Ds offset(0) signal(%bar) multicast(%mask) : !map to !Ds, !tirx.barrier<1>
  // CHECK-NEXT: tirx.tma.load %[[MAP]][%[[M]], %[[M]]] to %[[DS]] offset(0) signal(%[[BAR]]) cta_group(2) : !tirx.tensor_map
  tirx.tma.load %map[%m, %m] to %Ds offset(0) signal(%bar) cta_group(2) : !map to !Ds, !tirx.barrier<1>
  // CHECK-NEXT: tirx.tma.load %[[MAP]][%[[M]], %[[M]]] to %[[DS]] offset(0, %[[M]]) signal(%[[BAR]][%[[M]]]) multicast(%[[MASK]]) cta_group(2) {note = "kept"} : !tirx.tensor_map
  tirx.tma.load %map[%m, %m] to %Ds offset(0, %m) signal(%bar[%m]) multicast(%mask) cta_group(2) {note = "kept"} : !map to !Ds, !tirx.barrier<1>
  return
}
