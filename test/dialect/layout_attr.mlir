// RUN: tirx-opt %s | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-op-generic | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --emit-bytecode | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-debuginfo | tirx-opt | FileCheck %s

// Layouts print under an alias of their own.
// CHECK-DAG: #[[SWIZZLED:.+]] = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
#swizzled = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
// CHECK-DAG: #[[OUTER:.+]] = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,4,outer)>
#outer = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,4,outer)>
// CHECK-DAG: #[[TMEM:.+]] = #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>
#tmem = #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>
// CHECK-DAG: #[[ROWS:.+]] = #tirx.layout<S[(128,16):(1@tid_in_wg,1)]>
#rows = #tirx.layout<S[(128,16):(1@tid_in_wg,1)]>
// Replicas and offsets, one per axis.
// CHECK-DAG: #[[REPLICA:.+]] = #tirx.layout<S[8:1@laneid] + R[4:8@laneid] + 2@wid_in_wg + 5>
#replica = #tirx.layout<S[8:1@laneid] + R[4:8@laneid] + 5 + 2@wid_in_wg>

// Other spellings of one layout have one printed form: strides left out are
// row-major, `m` is the default axis, an axis alone has stride 1, offsets add
// up, white space and line breaks do not matter.
// CHECK-DAG: #[[PLAIN:.+]] = #tirx.layout<S[(8,4):(4,1)]>
#row_major = #tirx.layout<S[(8,4)]>
#row_major2 = #tirx.layout<S[8,4]>
#on_m = #tirx.layout<S[(8,4):(4@m,1@m)]>
#spaced = #tirx.layout< S [ ( 8 , 4 ) :
                            ( 4 , 1 ) ] >
// CHECK-DAG: #[[LANES:.+]] = #tirx.layout<S[(8,4):(4@laneid,1@laneid)]>
#axis_alone = #tirx.layout<S[(8,4):(4@laneid,laneid)]>
// CHECK-DAG: #[[OFFSET:.+]] = #tirx.layout<S[8:-1] + 7>
#offset = #tirx.layout<S[8:-1] + 3 + 6 - 2@m>

// CHECK-LABEL: func.func @attributes()
func.func @attributes() attributes {
  // CHECK-DAG: axis_alone = #[[LANES]]
  // CHECK-DAG: offset = #[[OFFSET]]
  // CHECK-DAG: on_m = #[[PLAIN]]
  // CHECK-DAG: outer = #[[OUTER]]
  // CHECK-DAG: replica = #[[REPLICA]]
  // CHECK-DAG: row_major = #[[PLAIN]]
  // CHECK-DAG: row_major2 = #[[PLAIN]]
  // CHECK-DAG: spaced = #[[PLAIN]]
  // CHECK-DAG: swizzled = #[[SWIZZLED]]
  // CHECK-DAG: tmem = #[[TMEM]]
  axis_alone = #axis_alone, offset = #offset, on_m = #on_m, outer = #outer,
  replica = #replica, row_major = #row_major, row_major2 = #row_major2,
  spaced = #spaced, swizzled = #swizzled, tmem = #tmem
} {
  return
}

// The encoding of a tensor makes it a register tile.
// CHECK-LABEL: func.func @register_tile(
// CHECK-SAME: %[[T:.+]]: tensor<128x16xf32, #[[ROWS]]>
func.func @register_tile(%tile: tensor<128x16xf32, #rows>) -> tensor<128x16xf16, #rows> {
  // CHECK: arith.truncf %[[T]] : tensor<128x16xf32, #[[ROWS]]> to tensor<128x16xf16, #[[ROWS]]>
  %0 = arith.truncf %tile : tensor<128x16xf32, #rows> to tensor<128x16xf16, #rows>
  return %0 : tensor<128x16xf16, #rows>
}

// Several copies of an element, and scopes from a warp to the CTA.
// CHECK-LABEL: func.func private @scopes(
func.func private @scopes(
  // CHECK-SAME: tensor<8xf32, #[[REPLICA]]>
  tensor<8xf32, #replica>,
  tensor<32x4xi32, #tirx.layout<S[(32,4):(1@laneid,1)]>>,
  tensor<4x32xi32, #tirx.layout<S[(4,32):(1@wid_in_wg,1@laneid)]>>,
  tensor<256x2xf16, #tirx.layout<S[(256,2):(1@tx,1)]>>,
  tensor<2x128x2xf16, #tirx.layout<S[(2,128,2):(1@wgid,1@tid_in_wg,1)]>>)
