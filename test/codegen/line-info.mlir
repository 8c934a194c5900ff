// .loc names the lines of this file; the .target directive must not say `debug`,
// since ptxas then optimises nothing.
//
// RUN: tirxc %s --emit=ptx | FileCheck %s
// RUN: tirxc %s --emit=ptx --no-lineinfo | FileCheck %s --check-prefix=NONE

// CHECK: .target sm_100a{{$}}
// CHECK-LABEL: .entry store
// CHECK: .loc [[FILE:[0-9]+]] [[# @LINE + 16]] 3
// CHECK: st.volatile.global

// The first line of a fused location stands for it, also below names.
// CHECK-LABEL: .entry fused
// CHECK: .loc [[GEN:[0-9]+]] 8 3
// CHECK: st.volatile.global
// CHECK: .loc [[GEN]] 9 4
// CHECK: st.volatile.global

// CHECK: .file [[FILE]] "{{.*}}line-info.mlir"
// CHECK: .file [[GEN]] "gen.py"

// NONE-NOT: .loc
// NONE-NOT: .file
llvm.func @store(%x: !llvm.ptr<1>, %a: i32) attributes {nvvm.kernel} {
  llvm.store volatile %a, %x : i32, !llvm.ptr<1>
  llvm.return
}

llvm.func @fused(%x: !llvm.ptr<1>, %a: i32) attributes {nvvm.kernel} {
  llvm.store volatile %a, %x : i32, !llvm.ptr<1> loc(fused[unknown, "x"("gen.py":8:3), "gen.py":5:5])
  llvm.store volatile %a, %x : i32, !llvm.ptr<1> loc("y"("gen.py":9:4))
  llvm.return
}
