// RUN: tirx-opt %s | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-op-generic | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --emit-bytecode | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-debuginfo | tirx-opt | FileCheck %s

// CHECK-DAG: #[[SW128:.+]] = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
#sw128 = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
// CHECK-DAG: #[[TMEM:.+]] = #tirx.layout<S[(128,512):(1@TLane,1@TCol)]>
#tmem = #tirx.layout<S[(128,512):(1@TLane,1@TCol)]>
// Rows that are 8 elements further apart than they are long.
// CHECK-DAG: #[[PADDED:.+]] = #tirx.layout<S[(16,64):(72,1)]>
#padded = #tirx.layout<S[(16,64):(72,1)]>

// CHECK-LABEL: func.func private @global
// CHECK-SAME: !tirx.buffer<?xf32, global>
// CHECK-SAME: !tirx.buffer<?x?xbf16, global>
// CHECK-SAME: !tirx.buffer<4x?x64xi8, global>
// CHECK-SAME: !tirx.buffer<1xf64, global>
// CHECK-SAME: !tirx.buffer<?xf8E4M3FN, global>
func.func private @global(
  !tirx.buffer<?xf32, global>, !tirx.buffer<?x?xbf16, global>,
  !tirx.buffer<4x?x64xi8, global>, !tirx.buffer<1xf64, global>,
  !tirx.buffer<?xf8E4M3FN, global>)

// CHECK-LABEL: func.func private @shared
// CHECK-SAME: !tirx.buffer<128x64xf16, #[[SW128]], shared>
// CHECK-SAME: !tirx.buffer<16x64xbf16, #[[PADDED]], shared>
func.func private @shared(
  !tirx.buffer<128x64xf16, #sw128, shared>,
  !tirx.buffer<16x64xbf16, #padded, shared>)

// All of tensor memory, and twice as many columns of half the width.
// CHECK-LABEL: func.func private @tmem
// CHECK-SAME: !tirx.buffer<128x512xf32, #[[TMEM]], tmem>
// CHECK-SAME: !tirx.buffer<128x1024xf16, #{{.*}}, tmem>
func.func private @tmem(
  !tirx.buffer<128x512xf32, #tmem, tmem>,
  !tirx.buffer<128x1024xf16, #tirx.layout<S[(128,1024):(1@TLane,1@TCol)]>, tmem>)

// CHECK-LABEL: func.func private @barriers
// CHECK-SAME: !tirx.barrier<1>, !tirx.barrier<8>
func.func private @barriers(!tirx.barrier<1>, !tirx.barrier<8>)
