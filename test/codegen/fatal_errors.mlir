// What makes LLVM's code generator abort is an error of ours.
//
// RUN: rm -f %t.ptx && split-file %s %t
// RUN: not tirxc %t/log2.mlir -o %t.ptx 2>&1 | FileCheck %s --check-prefix=LOG2
// RUN: not tirxc %t/tcgen05.mlir --target=sm_90a -o %t.ptx 2>&1 | FileCheck %s --check-prefix=ARCH
// RUN: not ls %t.ptx
// RUN: tirxc %t/tcgen05.mlir --target=sm_100a --emit=ptx | FileCheck %s --check-prefix=GOOD

// LOG2: tirxc: error: {{.*}}log2.mlir: LLVM's NVPTX code generator failed for target sm_100a: no libcall available for flog2
// ARCH: tirxc: error: {{.*}}tcgen05.mlir: LLVM's NVPTX code generator failed for target sm_90a: {{.*}}tcgen05.ld
// GOOD: tcgen05.ld.sync.aligned.32x32b.x1.b32

//--- log2.mlir
llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %a = llvm.load %x : !llvm.ptr<1> -> f32
  %b = llvm.intr.log2(%a) : (f32) -> f32
  llvm.store %b, %x : f32, !llvm.ptr<1>
  llvm.return
}
//--- tcgen05.mlir
llvm.func @k(%x: !llvm.ptr<1>, %a: !llvm.ptr<6>) attributes {nvvm.kernel} {
  %v = nvvm.tcgen05.ld %a {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : i32
  llvm.store %v, %x : i32, !llvm.ptr<1>
  llvm.return
}
