// A by-value tensor map stays in parameter space only if it is a grid constant;
// else it is copied to local memory, where TMA must not find it.
//
// RUN: tirxc %s --emit=ptx | FileCheck %s

llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>

// CHECK: .extern .shared .align 1024 .b8 smem[];
// CHECK-LABEL: .entry load(
// CHECK: .param .align 128 .b8 load_param_0[128]
// CHECK-NOT: .local
// CHECK: cvta.param.u64 [[MAP:%rd[0-9]+]]
// CHECK: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [{{.*}}], {{\[}}[[MAP]], {{.*}}], [smem+4096];
llvm.func @load(%map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 128 : i64, nvvm.grid_constant}, %n: i32)
    attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
  %s = llvm.mlir.addressof @smem : !llvm.ptr<3>
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %bar = llvm.getelementptr %s[4096] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %d = llvm.addrspacecast %s : !llvm.ptr<3> to !llvm.ptr<7>
  nvvm.cp.async.bulk.tensor.shared.cluster.global %d, %map, %bar, box[%c0, %n] : !llvm.ptr<7>, !llvm.ptr
  llvm.return
}

// The bad case, so that this test knows what it looks for.
// CHECK-LABEL: .entry copied(
// CHECK: .local .align 128 .b8
llvm.func @copied(%map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 128 : i64}, %n: i32)
    attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
  %s = llvm.mlir.addressof @smem : !llvm.ptr<3>
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %bar = llvm.getelementptr %s[4096] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %d = llvm.addrspacecast %s : !llvm.ptr<3> to !llvm.ptr<7>
  nvvm.cp.async.bulk.tensor.shared.cluster.global %d, %map, %bar, box[%c0, %n] : !llvm.ptr<7>, !llvm.ptr
  llvm.return
}
