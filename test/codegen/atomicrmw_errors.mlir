// LLVM's NVPTX drops the ordering and scope of atomicrmw, silently: what it would
// get wrong is refused, what it gets right passes.
//
// RUN: rm -f %t.ptx && split-file %s %t
// RUN: not tirxc %t/release.mlir -o %t.ptx 2>&1 | FileCheck %s --check-prefix=RELEASE
// RUN: not tirxc %t/cta.mlir -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CTA
// RUN: not ls %t.ptx
// RUN: tirxc %t/relaxed.mlir --emit=ptx -o - | FileCheck %s --check-prefix=GOOD

// RELEASE: tirxc: error: {{.*}}k, line 2: atomicrmw with ordering 'release' and scope 'device'
// CTA: tirxc: error: {{.*}}k, line 2: atomicrmw with ordering 'monotonic' and scope 'block'
// GOOD: atom.global.add.u32

//--- release.mlir
llvm.func @k(%x: !llvm.ptr<1>, %v: i32) attributes {nvvm.kernel} {
  %a = llvm.atomicrmw add %x, %v syncscope("device") release : !llvm.ptr<1>, i32
  llvm.store %a, %x : i32, !llvm.ptr<1>
  llvm.return
}
//--- cta.mlir
llvm.func @k(%x: !llvm.ptr<1>, %v: i32) attributes {nvvm.kernel} {
  %a = llvm.atomicrmw add %x, %v syncscope("block") monotonic : !llvm.ptr<1>, i32
  llvm.store %a, %x : i32, !llvm.ptr<1>
  llvm.return
}
//--- relaxed.mlir
llvm.func @k(%x: !llvm.ptr<1>, %v: i32) attributes {nvvm.kernel} {
  %a = llvm.atomicrmw add %x, %v syncscope("device") monotonic : !llvm.ptr<1>, i32
  llvm.store %a, %x : i32, !llvm.ptr<1>
  llvm.return
}
