// RUN: tirx-opt %s | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-op-generic | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --emit-bytecode | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-debuginfo | tirx-opt | FileCheck %s

!matrix = !tirx.buffer<?x?xf16, global>

// CHECK-LABEL: tirx.kernel @maps
tirx.kernel @maps(%A: !matrix, %V: !tirx.buffer<?xf32, global>,
                  %T: !tirx.buffer<?x?x?x?x?xi8, global>) {
  %c1 = arith.constant 1 : index
  // CHECK: tirx.tensor_map %A : !tirx.buffer<?x?xf16, global> to !tirx.tensor_map<128x64xf16, swizzle128B>
  %0 = tirx.tensor_map %A : !matrix to !tirx.tensor_map<128x64xf16, swizzle128B>
  // CHECK: tirx.tensor_map %A : !tirx.buffer<?x?xf16, global> to !tirx.tensor_map<8x32xf16, swizzle64B>
  %1 = tirx.tensor_map %A : !matrix to !tirx.tensor_map<8x32xf16, swizzle64B>
  // CHECK: tirx.tensor_map %A : !tirx.buffer<?x?xf16, global> to !tirx.tensor_map<1x16xf16, swizzle32B>
  %2 = tirx.tensor_map %A : !matrix to !tirx.tensor_map<1x16xf16, swizzle32B>
  // 32-byte atoms span 128 bytes, too.
  // CHECK: tirx.tensor_map %A : !tirx.buffer<?x?xf16, global> to !tirx.tensor_map<64x64xf16, swizzle128B_atom32B>
  %6 = tirx.tensor_map %A : !matrix to !tirx.tensor_map<64x64xf16, swizzle128B_atom32B>
  // Without a swizzle the innermost extent may be 256.
  // CHECK: tirx.tensor_map %A : !tirx.buffer<?x?xf16, global> to !tirx.tensor_map<256x256xf16, none>
  %3 = tirx.tensor_map %A : !matrix to !tirx.tensor_map<256x256xf16, none>
  // One to five dimensions.
  // CHECK: tirx.tensor_map %V : !tirx.buffer<?xf32, global> to !tirx.tensor_map<32xf32, none>
  %4 = tirx.tensor_map %V : !tirx.buffer<?xf32, global> to !tirx.tensor_map<32xf32, none>
  // CHECK: tirx.tensor_map %T : !tirx.buffer<?x?x?x?x?xi8, global> to !tirx.tensor_map<1x2x3x4x16xi8, none>
  %5 = tirx.tensor_map %T : !tirx.buffer<?x?x?x?x?xi8, global> to !tirx.tensor_map<1x2x3x4x16xi8, none>
  tirx.launch grid(%c1, %c1, %c1) threads(32) {
  }
}
