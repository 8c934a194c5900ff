// MLIR cannot say that inline assembly is convergent, or that it touches no
// memory; the back end does. Without it, LLVM copies the barrier into both arms
// of the second branch, which is on the same condition as the first.
//
// RUN: tirxc %s --emit=llvm | FileCheck %s --check-prefix=LLVM
// RUN: tirxc %s --emit=ptx | FileCheck %s --check-prefix=PTX

// PTX-LABEL: .entry barrier_between
// PTX-COUNT-1: bar.sync
// PTX-NOT: bar.sync
// PTX: .entry pure
// The value is not used, so the instruction may go.
// PTX-NOT: prmt
// PTX: ret;

// LLVM: call void asm sideeffect "bar.sync 0;", "~{memory}"() #[[BARRIER:[0-9]+]]
// LLVM: attributes #[[BARRIER]] = { convergent nounwind }
llvm.func @barrier_between(%x: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %c1 = llvm.mlir.constant(1 : i32) : i32
  %c = llvm.icmp "eq" %n, %c0 : i32
  llvm.cond_br %c, ^a, ^b
^a:
  llvm.store volatile %c1, %x : i32, !llvm.ptr<1>
  llvm.br ^b
^b:
  llvm.inline_asm has_side_effects "bar.sync 0;", "~{memory}" : () -> ()
  llvm.cond_br %c, ^d, ^e
^d:
  %p = llvm.getelementptr %x[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
  llvm.store volatile %c1, %p : i32, !llvm.ptr<1>
  llvm.br ^e
^e:
  llvm.return
}

llvm.func @pure(%x: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %a = llvm.load %x : !llvm.ptr<1> -> i32
  %b = llvm.inline_asm "prmt.b32 $0, $1, $1, 0x1032;", "=r,r" %a : (i32) -> i32
  llvm.return
}
