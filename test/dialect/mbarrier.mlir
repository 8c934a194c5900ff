// RUN: tirx-opt %s | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-op-generic | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --emit-bytecode | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-debuginfo | tirx-opt | FileCheck %s

// CHECK-DAG: #[[SW128:.+]] = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
!As = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
!one = !tirx.barrier<1>
!ring = !tirx.barrier<4>

// CHECK-LABEL: func.func @alloc
func.func @alloc() {
  // CHECK-NEXT: tirx.mbarrier.alloc : !tirx.barrier<1>
  %0 = tirx.mbarrier.alloc : !one
  // After storage assignment.
  // CHECK-NEXT: tirx.mbarrier.alloc offset(8) : !tirx.barrier<4>
  %1 = tirx.mbarrier.alloc offset(8) : !ring
  return
}

// CHECK-LABEL: func.func @init
// CHECK-SAME: %[[BAR:.+]]: !tirx.barrier<1>, %[[RING:.+]]: !tirx.barrier<4>
func.func @init(%bar: !one, %ring: !ring) {
  // CHECK-NEXT: tirx.mbarrier.init %[[BAR]] count(1) : !tirx.barrier<1>
  tirx.mbarrier.init %bar count(1) : !one
  // All slots; the most arrivals that can be counted.
  // CHECK-NEXT: tirx.mbarrier.init %[[RING]] count(1048575) : !tirx.barrier<4>
  tirx.mbarrier.init %ring count(1048575) : !ring
  return
}

// CHECK-LABEL: func.func @arrive
// CHECK-SAME: %[[BAR:[^:]+]]: !tirx.barrier<1>, %[[RING:[^:]+]]: !tirx.barrier<4>, %[[SLOT:[^:]+]]: index, %[[AS:[^:]+]]:
func.func @arrive(%bar: !one, %ring: !ring, %slot: index, %As: !As) {
  // CHECK-NEXT: tirx.mbarrier.arrive %[[BAR]] : !tirx.barrier<1>
  tirx.mbarrier.arrive %bar : !one
  // CHECK-NEXT: tirx.mbarrier.arrive %[[RING]][%[[SLOT]]] : !tirx.barrier<4>
  tirx.mbarrier.arrive %ring[%slot] : !ring
  // CHECK-NEXT: tirx.mbarrier.arrive %[[BAR]] expect(%[[AS]] : !tirx.buffer<128x64xf16, #[[SW128]], shared>) : !tirx.barrier<1>
  tirx.mbarrier.arrive %bar expect(%As : !As) : !one
  // CHECK-NEXT: tirx.mbarrier.arrive %[[RING]][%[[SLOT]]] expect(%[[AS]], %[[AS]] : !tirx.buffer<128x64xf16, #[[SW128]], shared>, !tirx.buffer<128x64xf16, #[[SW128]], shared>) : !tirx.barrier<4>
  tirx.mbarrier.arrive %ring[%slot] expect(%As, %As : !As, !As) : !ring
  // The most bytes that can be counted.
  // CHECK-NEXT: tirx.mbarrier.arrive %[[BAR]] expect_tx(1048575) : !tirx.barrier<1>
  tirx.mbarrier.arrive %bar expect_tx(1048575) : !one
  // CHECK-NEXT: tirx.mbarrier.arrive %[[RING]][%[[SLOT]]] expect_tx(0) {note = "kept"} : !tirx.barrier<4>
  tirx.mbarrier.arrive %ring[%slot] expect_tx(0) {note = "kept"} : !ring
  // At another CTA of the cluster, or for threads of others.
  // CHECK-NEXT: tirx.mbarrier.arrive %[[BAR]] cta(%[[SLOT]]) : !tirx.barrier<1>
  tirx.mbarrier.arrive %bar cta(%slot) : !one
  // CHECK-NEXT: tirx.mbarrier.arrive %[[RING]][%[[SLOT]]] cta(%[[SLOT]]) cluster {note = "kept"} : !tirx.barrier<4>
  tirx.mbarrier.arrive %ring[%slot] cta(%slot) cluster {note = "kept"} : !ring
  // CHECK-NEXT: tirx.mbarrier.arrive %[[BAR]] cluster : !tirx.barrier<1>
  tirx.mbarrier.arrive %bar cluster : !one
  // CHECK-NEXT: tirx.mbarrier.arrive %[[BAR]] expect_tx(16) cluster : !tirx.barrier<1>
  tirx.mbarrier.arrive %bar expect_tx(16) cluster : !one
  return
}

// CHECK-LABEL: func.func @wait
// CHECK-SAME: %[[BAR:[^:]+]]: !tirx.barrier<1>, %[[RING:[^:]+]]: !tirx.barrier<4>, %[[SLOT:[^:]+]]: index, %[[PHASE:[^:]+]]: i1
func.func @wait(%bar: !one, %ring: !ring, %slot: index, %phase: i1) -> (i1, i1) {
  %c0 = arith.constant 0 : index
  // CHECK: %[[C3:.+]] = arith.constant 3 : index
  %c3 = arith.constant 3 : index
  // CHECK-NEXT: tirx.mbarrier.wait %[[BAR]] parity(%[[PHASE]]) : !tirx.barrier<1>
  tirx.mbarrier.wait %bar parity(%phase) : !one
  // CHECK-NEXT: tirx.mbarrier.wait %[[RING]][%[[SLOT]]] parity(%[[PHASE]]) : !tirx.barrier<4>
  tirx.mbarrier.wait %ring[%slot] parity(%phase) : !ring
  // The only slot may be named; the last slot is in range.
  // CHECK-NEXT: tirx.mbarrier.wait %[[BAR]][%{{.+}}] parity(%[[PHASE]]) : !tirx.barrier<1>
  tirx.mbarrier.wait %bar[%c0] parity(%phase) : !one
  // CHECK-NEXT: tirx.mbarrier.wait %[[RING]][%[[C3]]] parity(%[[PHASE]]) : !tirx.barrier<4>
  tirx.mbarrier.wait %ring[%c3] parity(%phase) : !ring
  // CHECK-NEXT: %[[DONE:.+]] = tirx.mbarrier.try_wait %[[BAR]] parity(%[[PHASE]]) : !tirx.barrier<1>
  %done = tirx.mbarrier.try_wait %bar parity(%phase) : !one
  // CHECK-NEXT: %[[DONE2:.+]] = tirx.mbarrier.try_wait %[[RING]][%[[SLOT]]] parity(%[[PHASE]]) : !tirx.barrier<4>
  %done2 = tirx.mbarrier.try_wait %ring[%slot] parity(%phase) : !ring
  // CHECK-NEXT: tirx.mbarrier.wait %[[BAR]] parity(%[[PHASE]]) cluster : !tirx.barrier<1>
  tirx.mbarrier.wait %bar parity(%phase) cluster : !one
  // CHECK-NEXT: tirx.mbarrier.try_wait %[[RING]][%[[SLOT]]] parity(%[[PHASE]]) cluster {note = "kept"} : !tirx.barrier<4>
  %done3 = tirx.mbarrier.try_wait %ring[%slot] parity(%phase) cluster {note = "kept"} : !ring
  // CHECK-NEXT: return %[[DONE]], %[[DONE2]] : i1, i1
  return %done, %done2 : i1, i1
}
