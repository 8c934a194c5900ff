// RUN: tirx-opt %s | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-op-generic | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --emit-bytecode | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-debuginfo | tirx-opt | FileCheck %s

// CHECK-DAG: #[[ACC:.+]] = #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>

// CHECK-LABEL: tirx.kernel @tile
tirx.kernel @tile(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(128) {
    // CHECK: %[[T:.+]] = tirx.tmem.alloc : !tirx.buffer<128x128xf32, #[[ACC]], tmem>
    %0 = tirx.tmem.alloc : !Acc
    // After storage assignment.
    // CHECK-NEXT: tirx.tmem.alloc column(128) : !tirx.buffer<128x128xf32, #[[ACC]], tmem>
    %1 = tirx.tmem.alloc column(128) : !Acc
    // CHECK-NEXT: tirx.tmem.alloc column(0) {note = "kept"} : !tirx.buffer<128x128xf32, #[[ACC]], tmem>
    %2 = tirx.tmem.alloc column(0) {note = "kept"} : !Acc
    // CHECK-NEXT: tirx.tmem.dealloc %[[T]] : !tirx.buffer<128x128xf32, #[[ACC]], tmem>
    tirx.tmem.dealloc %0 : !Acc
  }
}

// The instructions: the fewest and the most columns.
// CHECK-LABEL: func.func @columns
func.func @columns(%acc: !Acc) {
  // CHECK-NEXT: tirx.tcgen05.alloc columns(32) address_offset(0)
  tirx.tcgen05.alloc columns(32) address_offset(0)
  // CHECK-NEXT: tirx.tcgen05.alloc columns(512) address_offset(4) {note = "kept"}
  tirx.tcgen05.alloc columns(512) address_offset(4) {note = "kept"}
  // CHECK-NEXT: tirx.tcgen05.dealloc %{{.+}} columns(128) : !tirx.buffer<128x128xf32, #[[ACC]], tmem>
  tirx.tcgen05.dealloc %acc columns(128) : !Acc
  // In both CTAs of a pair.
  // CHECK-NEXT: tirx.tcgen05.alloc columns(512) address_offset(4) cta_group(2) {note = "kept"}
  tirx.tcgen05.alloc columns(512) address_offset(4) cta_group(2) {note = "kept"}
  // CHECK-NEXT: tirx.tcgen05.dealloc %{{.+}} columns(512) cta_group(2) : !tirx.buffer<128x128xf32, #[[ACC]], tmem>
  tirx.tcgen05.dealloc %acc columns(512) cta_group(2) : !Acc
  return
}
