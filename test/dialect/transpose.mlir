// RUN: tirx-opt %s | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-op-generic | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --emit-bytecode | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-debuginfo | tirx-opt | FileCheck %s

// Said in another way, the layout is the same.
!k = !tirx.buffer<64x128xf16, #tirx.layout<S[(64,2,64):(64,4096,1)] swizzle(3,3,3)>, shared>
!mn = !tirx.buffer<128x64xf16, #tirx.layout<S[(2,64,64):(4096,1,64)] swizzle(3,3,3)>, shared>
!mn8 = !tirx.buffer<128x64xf16, #tirx.layout<S[(2,64,8,8):(4096,1,512,64)] swizzle(3,3,3)>, shared>

// CHECK-LABEL: func.func @transpose
// CHECK-SAME: %[[S:.+]]: !tirx.buffer
func.func @transpose(%s: !k) {
  // CHECK-NEXT: tirx.transpose %[[S]] : !tirx.buffer<64x128xf16, {{.*}}, shared> to !tirx.buffer<128x64xf16, {{.*}}, shared>
  %0 = tirx.transpose %s : !k to !mn
  // CHECK-NEXT: tirx.transpose %[[S]] {note = "kept"} : !tirx.buffer
  %1 = tirx.transpose %s {note = "kept"} : !k to !mn8
  return
}
