// RUN: tirx-opt %s | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-op-generic | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --emit-bytecode | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-debuginfo | tirx-opt | FileCheck %s

!matrix = !tirx.buffer<?x?xf16, global>
!weights = !tirx.buffer<64x32xbf16, global>

// Arguments keep their names: callers pass them by name.
// CHECK-LABEL: tirx.kernel @arguments(
// CHECK-SAME:    %A: !tirx.buffer<?x?xf16, global>, %W_0: !tirx.buffer<64x32xbf16, global>, %alpha: f32, %_n: i32, %count: index) {
tirx.kernel @arguments(%A: !matrix, %W_0: !weights, %alpha: f32, %_n: i32, %count: index) {
  %c1 = arith.constant 1 : index
  // CHECK: tirx.launch grid(%count, %{{.*}}, %{{.*}}) threads(32) {
  tirx.launch grid(%count, %c1, %c1) threads(32) {
  }
}

// CHECK-LABEL: tirx.kernel @no_arguments() attributes {note = "kept"} {
tirx.kernel @no_arguments() attributes {note = "kept"} {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(32) {
  }
}

// The host part computes with the extents and strides of arguments.
// CHECK-LABEL: tirx.kernel @host_part
tirx.kernel @host_part(%A: !matrix, %W: !weights) {
  // CHECK: %[[C0:.+]] = arith.constant 0 : index
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  // CHECK: %[[ROWS:.+]] = tirx.dim %A, 0 : !tirx.buffer<?x?xf16, global>
  %rows = tirx.dim %A, 0 : !matrix
  // CHECK: %[[K:.+]] = tirx.dim %W, 1 : !tirx.buffer<64x32xbf16, global>
  %k = tirx.dim %W, 1 : !weights
  // CHECK: tirx.stride %A, 0 : !tirx.buffer<?x?xf16, global>
  %pitch = tirx.stride %A, 0 : !matrix
  %rest = arith.remui %rows, %c128 : index
  // CHECK: %[[WHOLE:.+]] = arith.cmpi eq, %{{.*}}, %[[C0]] : index
  %whole = arith.cmpi eq, %rest, %c0 : index
  // CHECK: tirx.require %[[WHOLE]], "M (A's rows) must be \22whole\22"
  tirx.require %whole, "M (A's rows) must be \"whole\""
  %grid = arith.ceildivui %rows, %c128 : index
  // CHECK: tirx.launch grid(%{{.*}}, %[[K]], %[[ROWS]]) threads(128)
  tirx.launch grid(%grid, %k, %rows) threads(128) {
    // Device code may ask, too.
    // CHECK: tirx.dim %A, 1 : !tirx.buffer<?x?xf16, global>
    %columns = tirx.dim %A, 1 : !matrix
    // CHECK: tirx.stride %W, 1 : !tirx.buffer<64x32xbf16, global>
    %inner = tirx.stride %W, 1 : !weights
  }
}

// All integer arithmetic that the runtime can evaluate.
// CHECK-LABEL: tirx.kernel @host_arithmetic
tirx.kernel @host_arithmetic(%i: i32, %x: index) {
  %c1 = arith.constant 1 : index
  %0 = arith.index_cast %i : i32 to index
  %1 = arith.index_castui %i : i32 to index
  %2 = arith.addi %0, %1 : index
  %3 = arith.subi %2, %x : index
  %4 = arith.muli %3, %x : index
  %5 = arith.divui %4, %c1 : index
  %6 = arith.divsi %5, %c1 : index
  %7 = arith.ceildivui %6, %c1 : index
  %8 = arith.ceildivsi %7, %c1 : index
  %9 = arith.floordivsi %8, %c1 : index
  %10 = arith.remui %9, %c1 : index
  %11 = arith.remsi %10, %c1 : index
  %12 = arith.minui %11, %x : index
  %13 = arith.minsi %12, %x : index
  %14 = arith.maxui %13, %x : index
  %15 = arith.maxsi %14, %x : index
  %16 = arith.cmpi slt, %15, %x : index
  %17 = arith.cmpi ugt, %15, %x : index
  %18 = arith.andi %16, %17 : i1
  %19 = arith.ori %16, %18 : i1
  %20 = arith.select %19, %15, %x : index
  %21 = arith.extsi %i : i32 to i64
  %22 = arith.extui %i : i32 to i64
  // CHECK: tirx.launch
  tirx.launch grid(%20, %c1, %c1) threads(32) {
  }
}
