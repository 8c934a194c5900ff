// --retype replaces types and rounds constants.
//
// RUN: tirxc %s --retype=f16:bf16 --emit=mlir | FileCheck %s
// RUN: tirxc %s --emit=mlir | FileCheck %s --check-prefix=SAME

// CHECK-LABEL: llvm.func @k(%{{.*}}: !llvm.ptr<1>, %{{.*}}: bf16)
// 1.0009765625 is 1 + 2^-10: exact in f16, 1.0 in bf16.
// CHECK-DAG: llvm.mlir.constant(1.000000e+00 : bf16) : bf16
// CHECK-DAG: llvm.mlir.constant(dense<[1.000000e+00, 3.000000e+00]> : vector<2xbf16>) : vector<2xbf16>
// CHECK-NOT: : f16
// SAME-LABEL: llvm.func @k(%{{.*}}: !llvm.ptr<1>, %{{.*}}: f16)
// SAME: constant({{.*}} : f16) : f16
llvm.func @k(%x: !llvm.ptr<1>, %a: f16) attributes {nvvm.kernel} {
  %one = llvm.mlir.constant(1.0009765625 : f16) : f16
  %two = llvm.mlir.constant(dense<[1.0009765625, 3.0]> : vector<2xf16>) : vector<2xf16>
  %sum = llvm.fadd %a, %one : f16
  llvm.store %sum, %x : f16, !llvm.ptr<1>
  llvm.store %two, %x : vector<2xf16>, !llvm.ptr<1>
  llvm.return
}
