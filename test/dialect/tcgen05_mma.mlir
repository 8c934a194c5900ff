// RUN: tirx-opt %s | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-op-generic | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --emit-bytecode | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-debuginfo | tirx-opt | FileCheck %s

// CHECK-DAG: #[[SW128:.+]] = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
// CHECK-DAG: #[[ACC:.+]] = #tirx.layout<S[(128,256):(1@TLane,1@TCol)]>
!As = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
!Ab = !tirx.buffer<128x64xbf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
!Acc = !tirx.buffer<128x256xf32, #tirx.layout<S[(128,256):(1@TLane,1@TCol)]>, tmem>

// CHECK-LABEL: func.func @mma
// CHECK-SAME: %[[D:[^:]+]]: !tirx.buffer<{{[^>]*}}>, %[[A:[^:]+]]: !tirx.buffer<{{[^>]*}}>, %[[B:[^:]+]]: !tirx.buffer<{{[^>]*}}>, %[[FLAG:[^:]+]]: i1
func.func @mma(%acc: !Acc, %As: !As, %Ab: !Ab, %flag: i1) {
  // CHECK-NEXT: tirx.tcgen05.mma %[[D]] column(0), %[[A]] offset(32), %[[A]] offset(64) accumulate(%[[FLAG]]) shape(128, 256, 16)
  // CHECK-SAME: a_desc(<lbo = 16, sbo = 1024, swizzle128B, K>) b_desc(<lbo = 8192, sbo = 1024, swizzle128B, MN>)
  // CHECK-SAME: : !tirx.buffer<128x256xf32, #[[ACC]], tmem>, !tirx.buffer<128x64xf16, #[[SW128]], shared>, !tirx.buffer<128x64xf16, #[[SW128]], shared>
  tirx.tcgen05.mma %acc column(0), %As offset(32), %As offset(64) accumulate(%flag)
    shape(128, 256, 16)
    a_desc(<lbo = 16, sbo = 1024, swizzle128B, K>)
    b_desc(<lbo = 8192, sbo = 1024, swizzle128B, MN>)
    : !Acc, !As, !As
  // The smallest shape, bf16.
  // CHECK-NEXT: tirx.tcgen05.mma %[[D]] column(128), %[[B]] offset(0), %[[B]] offset(0) accumulate(%[[FLAG]]) shape(64, 8, 16)
  // CHECK-SAME: {note = "kept"} : !tirx.buffer<128x256xf32, #[[ACC]], tmem>, !tirx.buffer<128x64xbf16, #[[SW128]], shared>
  tirx.tcgen05.mma %acc column(128), %Ab offset(0), %Ab offset(0) accumulate(%flag)
    shape(64, 8, 16)
    a_desc(<lbo = 16, sbo = 1024, swizzle128B, K>)
    b_desc(<lbo = 16, sbo = 1024, swizzle128B, K>) {note = "kept"}
    : !Acc, !Ab, !Ab
  // Over a pair of CTAs: the largest and the smallest shape.
  // CHECK-NEXT: tirx.tcgen05.mma {{.*}} shape(256, 256, 16) {{.*}} b_desc(<lbo = 16, sbo = 1024, swizzle128B, K>) cta_group(2) : !tirx.buffer
  tirx.tcgen05.mma %acc column(0), %As offset(0), %As offset(0) accumulate(%flag)
    shape(256, 256, 16)
    a_desc(<lbo = 16, sbo = 1024, swizzle128B, K>)
    b_desc(<lbo = 16, sbo = 1024, swizzle128B, K>) cta_group(2)
    : !Acc, !As, !As
  // CHECK-NEXT: tirx.tcgen05.mma {{.*}} shape(128, 32, 16) {{.*}} cta_group(2) {note = "kept"} : !tirx.buffer
  tirx.tcgen05.mma %acc column(0), %As offset(0), %As offset(0) accumulate(%flag)
    shape(128, 32, 16)
    a_desc(<lbo = 16, sbo = 1024, swizzle128B, K>)
    b_desc(<lbo = 16, sbo = 1024, swizzle128B, K>) cta_group(2) {note = "kept"}
    : !Acc, !As, !As
  return
}

!A32 = !tirx.buffer<128x32xf32, #tirx.layout<S[(128,32):(32,1)] swizzle(2,3,3)>, shared>
!A8 = !tirx.buffer<128x128xf8E4M3FN, #tirx.layout<S[(128,128):(128,1)] swizzle(4,3,3)>, shared>
!B8 = !tirx.buffer<128x128xf8E5M2, #tirx.layout<S[(128,128):(128,1)] swizzle(4,3,3)>, shared>
// CHECK-LABEL: func.func @kinds
func.func @kinds(%acc: !Acc, %a32: !A32, %a8: !A8, %b8: !B8, %flag: i1) {
  // tf32: 8 elements of K; the swizzle that MN-major operands need.
  // CHECK-NEXT: tirx.tcgen05.mma {{.*}} shape(128, 256, 8) a_desc(<lbo = 4096, sbo = 512, swizzle128B_atom32B, MN>)
  tirx.tcgen05.mma %acc column(0), %a32 offset(32), %a32 offset(0) accumulate(%flag)
    shape(128, 256, 8)
    a_desc(<lbo = 4096, sbo = 512, swizzle128B_atom32B, MN>)
    b_desc(<lbo = 16, sbo = 1024, swizzle128B, K>) : !Acc, !A32, !A32
  // Bytes: 32 elements of K, two types.
  // CHECK-NEXT: tirx.tcgen05.mma {{.*}} shape(64, 8, 32)
  tirx.tcgen05.mma %acc column(0), %a8 offset(32), %b8 offset(0) accumulate(%flag)
    shape(64, 8, 32)
    a_desc(<lbo = 16, sbo = 1024, swizzle128B, K>)
    b_desc(<lbo = 16, sbo = 1024, swizzle128B, K>) : !Acc, !A8, !B8
  return
}

// CHECK-LABEL: func.func @commit
// CHECK-SAME: %[[BAR:[^:]+]]: !tirx.barrier<1>, %[[RING:[^:]+]]: !tirx.barrier<4>, %[[SLOT:[^:]+]]: index, %[[MASK:[^:]+]]: i16
func.func @commit(%bar: !tirx.barrier<1>, %ring: !tirx.barrier<4>, %slot: index, %mask: i16) {
  // CHECK-NEXT: tirx.tcgen05.commit %[[BAR]] : !tirx.barrier<1>
  tirx.tcgen05.commit %bar : !tirx.barrier<1>
  // CHECK-NEXT: tirx.tcgen05.commit %[[RING]][%[[SLOT]]] {note = "kept"} : !tirx.barrier<4>
  tirx.tcgen05.commit %ring[%slot] {note = "kept"} : !tirx.barrier<4>
  // CHECK-NEXT: tirx.tcgen05.commit %[[BAR]] multicast(%[[MASK]]) : !tirx.barrier<1>
  tirx.tcgen05.commit %bar multicast(%mask) : !tirx.barrier<1>
  // CHECK-NEXT: tirx.tcgen05.commit %[[BAR]] cta_group(2) : !tirx.barrier<1>
  tirx.tcgen05.commit %bar cta_group(2) : !tirx.barrier<1>
  // CHECK-NEXT: tirx.tcgen05.commit %[[RING]][%[[SLOT]]] multicast(%[[MASK]]) cta_group(2) {note = "kept"} : !tirx.barrier<4>
  tirx.tcgen05.commit %ring[%slot] multicast(%mask) cta_group(2) {note = "kept"} : !tirx.barrier<4>
  return
}
