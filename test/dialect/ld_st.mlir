// RUN: tirx-opt %s | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-op-generic | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --emit-bytecode | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-debuginfo | tirx-opt | FileCheck %s

// CHECK-DAG: #[[SW128:.+]] = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
!matrix = !tirx.buffer<?x?xf16, global>
!As = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>

// CHECK-LABEL: func.func @ld_st
// CHECK-SAME: %[[A:[^:]+]]: !tirx.buffer<?x?xf16, global>, %[[AS:[^:]+]]: !tirx.buffer<{{[^>]*}}>, %[[I:[^:]+]]: index, %[[WIDE:[^:]+]]: i64
func.func @ld_st(%A: !matrix, %As: !As, %i: index, %wide: i64) {
  // One element, with a 32-bit offset.
  // CHECK-NEXT: %[[V1:.+]] = tirx.ld %[[A]][%[[I]]] : index, !tirx.buffer<?x?xf16, global> -> vector<1xf16>
  %0 = tirx.ld %A[%i] : index, !matrix -> vector<1xf16>
  // 16 bytes, with a 64-bit offset.
  // CHECK-NEXT: %[[V8:.+]] = tirx.ld %[[A]][%[[WIDE]]] {note = "kept"} : i64, !tirx.buffer<?x?xf16, global> -> vector<8xf16>
  %1 = tirx.ld %A[%wide] {note = "kept"} : i64, !matrix -> vector<8xf16>
  // CHECK-NEXT: tirx.ld %[[AS]][%[[I]]] : index, !tirx.buffer<128x64xf16, #[[SW128]], shared> -> vector<4xf16>
  %2 = tirx.ld %As[%i] : index, !As -> vector<4xf16>
  // CHECK-NEXT: tirx.st %[[V1]], %[[AS]][%[[I]]] : vector<1xf16>, index to !tirx.buffer<128x64xf16, #[[SW128]], shared>
  tirx.st %0, %As[%i] : vector<1xf16>, index to !As
  // CHECK-NEXT: tirx.st %[[V8]], %[[A]][%[[WIDE]]] {note = "kept"} : vector<8xf16>, i64 to !tirx.buffer<?x?xf16, global>
  tirx.st %1, %A[%wide] {note = "kept"} : vector<8xf16>, i64 to !matrix
  return
}

// Every width of an access; an access of one byte, too.
// CHECK-LABEL: func.func @widths
func.func @widths(%B: !tirx.buffer<?xi8, global>, %F: !tirx.buffer<?xf64, global>, %i: index) {
  // CHECK: -> vector<1xi8>
  %0 = tirx.ld %B[%i] : index, !tirx.buffer<?xi8, global> -> vector<1xi8>
  // CHECK: -> vector<2xi8>
  %1 = tirx.ld %B[%i] : index, !tirx.buffer<?xi8, global> -> vector<2xi8>
  // CHECK: -> vector<4xi8>
  %2 = tirx.ld %B[%i] : index, !tirx.buffer<?xi8, global> -> vector<4xi8>
  // CHECK: -> vector<8xi8>
  %3 = tirx.ld %B[%i] : index, !tirx.buffer<?xi8, global> -> vector<8xi8>
  // CHECK: -> vector<16xi8>
  %4 = tirx.ld %B[%i] : index, !tirx.buffer<?xi8, global> -> vector<16xi8>
  // CHECK: -> vector<2xf64>
  %5 = tirx.ld %F[%i] : index, !tirx.buffer<?xf64, global> -> vector<2xf64>
  return
}
