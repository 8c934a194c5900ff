// ptxas ignores setmaxnreg unless the kernel's registers are known at entry: that
// is a warning. With .maxnreg there is none.
//
// REQUIRES: ptxas
// RUN: split-file %s %t
// RUN: tirxc %t/bad.mlir --no-cache -o %t.cubin 2>&1 | FileCheck %s
// RUN: tirxc %t/good.mlir --no-cache -o %t.cubin 2>&1 | count 0
// RUN: tirxc %t/good.mlir --emit=ptx | FileCheck %s --check-prefix=PTX

// CHECK: tirxc: warning: ptxas: (C7508) {{.*}}setmaxnreg
// PTX: .maxnreg 168
// PTX: setmaxnreg.inc.sync.aligned.u32 232;

//--- bad.mlir
llvm.func @k() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
  nvvm.setmaxregister increase 232
  llvm.return
}
//--- good.mlir
llvm.func @k() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, nvvm.maxnreg = 168 : i32} {
  nvvm.setmaxregister increase 232
  llvm.return
}
