// RUN: tirx-opt %s | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-op-generic | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --emit-bytecode | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-debuginfo | tirx-opt | FileCheck %s

// CHECK-DAG: #[[ACC:.+]] = #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>
// CHECK-DAG: #[[ROWS:.+]] = #tirx.layout<S[(128,128):(1@tid_in_wg,1)]>
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
!tile = tensor<128x128xf32, #tirx.layout<S[(128,128):(1@tid_in_wg,1)]>>

// CHECK-LABEL: func.func @register_tiles
// CHECK-SAME: %[[D:[^:]+]]: !tirx.buffer<
func.func @register_tiles(%acc: !Acc) {
  // CHECK-NEXT: %[[T:.+]] = tirx.tcgen05.ld %[[D]] column(0) shape_32x32b num(128) : !tirx.buffer<128x128xf32, #[[ACC]], tmem> -> tensor<128x128xf32, #[[ROWS]]>
  %0 = tirx.tcgen05.ld %acc column(0) shape_32x32b num(128) : !Acc -> !tile
  // CHECK-NEXT: tirx.tcgen05.st %[[T]], %[[D]] column(0) shape_32x32b num(128) {note = "kept"} : tensor<128x128xf32, #[[ROWS]]> to !tirx.buffer<128x128xf32, #[[ACC]], tmem>
  tirx.tcgen05.st %0, %acc column(0) shape_32x32b num(128) {note = "kept"} : !tile to !Acc
  return
}

// After distribution a thread's registers are a vector: 1, 1, 2 and 4 of them a
// repetition, 128 at most.
// CHECK-LABEL: func.func @vectors
// CHECK-SAME: %[[D:[^:]+]]: !tirx.buffer<
func.func @vectors(%acc: !Acc) {
  // CHECK-NEXT: %[[V0:.+]] = tirx.tcgen05.ld %[[D]] column(127) shape_32x32b num(1) : !tirx.buffer<{{.*}}> -> vector<1xf32>
  %0 = tirx.tcgen05.ld %acc column(127) shape_32x32b num(1) : !Acc -> vector<1xf32>
  // CHECK-NEXT: %[[V1:.+]] = tirx.tcgen05.ld %[[D]] column(0) shape_16x64b num(128) {note = "kept"} : !tirx.buffer<{{.*}}> -> vector<128xf32>
  %1 = tirx.tcgen05.ld %acc column(0) shape_16x64b num(128) {note = "kept"} : !Acc -> vector<128xf32>
  // CHECK-NEXT: %[[V2:.+]] = tirx.tcgen05.ld %[[D]] column(0) shape_16x128b num(64) : !tirx.buffer<{{.*}}> -> vector<128xf32>
  %2 = tirx.tcgen05.ld %acc column(0) shape_16x128b num(64) : !Acc -> vector<128xf32>
  // CHECK-NEXT: %[[V3:.+]] = tirx.tcgen05.ld %[[D]] column(0) shape_16x256b num(2) : !tirx.buffer<{{.*}}> -> vector<8xi32>
  %3 = tirx.tcgen05.ld %acc column(0) shape_16x256b num(2) : !Acc -> vector<8xi32>
  // CHECK-NEXT: tirx.tcgen05.wait ld
  tirx.tcgen05.wait ld
  // CHECK-NEXT: tirx.tcgen05.st %[[V0]], %[[D]] column(127) shape_32x32b num(1) : vector<1xf32> to
  tirx.tcgen05.st %0, %acc column(127) shape_32x32b num(1) : vector<1xf32> to !Acc
  // CHECK-NEXT: tirx.tcgen05.st %[[V1]], %[[D]] column(0) shape_16x64b num(128) : vector<128xf32> to
  tirx.tcgen05.st %1, %acc column(0) shape_16x64b num(128) : vector<128xf32> to !Acc
  // CHECK-NEXT: tirx.tcgen05.st %[[V2]], %[[D]] column(0) shape_16x128b num(64) : vector<128xf32> to
  tirx.tcgen05.st %2, %acc column(0) shape_16x128b num(64) : vector<128xf32> to !Acc
  // CHECK-NEXT: tirx.tcgen05.st %[[V3]], %[[D]] column(0) shape_16x256b num(2) : vector<8xi32> to
  tirx.tcgen05.st %3, %acc column(0) shape_16x256b num(2) : vector<8xi32> to !Acc
  // CHECK-NEXT: tirx.tcgen05.wait st {note = "kept"}
  tirx.tcgen05.wait st {note = "kept"}
  return
}
