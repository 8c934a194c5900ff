// Inline assembly without side effects touches no memory: of two equal ones
// around a store, one is left.
//
// RUN: tirxc %s --emit=ptx | FileCheck %s
// RUN: tirxc %s --emit=llvm | FileCheck %s --check-prefix=LLVM

// LLVM: call i32 asm "prmt.b32 $0, $1, $1, 0x1032;", "=r,r"(i32 %{{.*}}) #[[PURE:[0-9]+]]
// LLVM: attributes #[[PURE]] = { {{.*}}memory(none){{.*}} }

// CHECK-LABEL: .entry twice
// CHECK-COUNT-1: prmt.b32
// CHECK-NOT: prmt.b32
// CHECK: ret;
llvm.func @twice(%x: !llvm.ptr<1>, %a: i32) attributes {nvvm.kernel} {
  %b = llvm.inline_asm "prmt.b32 $0, $1, $1, 0x1032;", "=r,r" %a : (i32) -> i32
  llvm.store volatile %b, %x : i32, !llvm.ptr<1>
  %c = llvm.inline_asm "prmt.b32 $0, $1, $1, 0x1032;", "=r,r" %a : (i32) -> i32
  llvm.store volatile %c, %x : i32, !llvm.ptr<1>
  llvm.return
}
