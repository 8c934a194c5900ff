// RUN: tirx-opt %s | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-op-generic | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --emit-bytecode | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-debuginfo | tirx-opt | FileCheck %s

// CHECK-DAG: #[[SW128:.+]] = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
// CHECK-DAG: #[[ACC:.+]] = #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>
!As = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
!Bs = !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(64,1)] swizzle(3,3,3)>, shared>
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>

// CHECK-LABEL: func.func @gemm_async
// CHECK-SAME: %[[ACC_V:[^:]+]]: !tirx.buffer<{{[^>]*}}>, %[[A:[^:]+]]: !tirx.buffer<{{[^>]*}}>, %[[B:[^:]+]]: !tirx.buffer<{{[^>]*}}>, %[[FLAG:[^:]+]]: i1
func.func @gemm_async(%acc: !Acc, %As: !As, %Bs: !As, %flag: i1, %half: !Bs) {
  // CHECK-NEXT: tirx.gemm_async %[[ACC_V]], %[[A]], %[[B]] accumulate(%[[FLAG]])
  // CHECK-SAME: : !tirx.buffer<128x128xf32, #[[ACC]], tmem>, !tirx.buffer<128x64xf16, #[[SW128]], shared>, !tirx.buffer<128x64xf16, #[[SW128]], shared>
  tirx.gemm_async %acc, %As, %Bs accumulate(%flag) : !Acc, !As, !As
  // CHECK-NEXT: tirx.gemm_async %[[ACC_V]], %[[B]], %[[A]] accumulate(%[[FLAG]]) dispatch("tcgen05") {note = "kept"} :
  tirx.gemm_async %acc, %Bs, %As accumulate(%flag) dispatch("tcgen05") {note = "kept"} : !Acc, !As, !As
  // Over a pair of CTAs each has half of B.
  // CHECK-NEXT: tirx.gemm_async %[[ACC_V]], %[[A]], %{{.+}} accumulate(%[[FLAG]]) cta_group(2) :
  tirx.gemm_async %acc, %As, %half accumulate(%flag) cta_group(2) : !Acc, !As, !Bs
  return
}
