// Each step of the ladder assembles for sm_100a without a spill, and steps 4, 8
// and 9 use the instructions that they are about.
//
// REQUIRES: ptxas
// RUN: tirxc %examples/gemm/step01.mlir -o %t.1.txk && tirxc info %t.1.txk | FileCheck %s --check-prefix=SPILLS
// RUN: tirxc %examples/gemm/step02.mlir -o %t.2.txk && tirxc info %t.2.txk | FileCheck %s --check-prefix=SPILLS
// RUN: tirxc %examples/gemm/step03.mlir -o %t.3.txk && tirxc info %t.3.txk | FileCheck %s --check-prefix=SPILLS
// RUN: tirxc %examples/gemm/step04.mlir -o %t.4.txk && tirxc info %t.4.txk | FileCheck %s --check-prefix=SPILLS
// RUN: tirxc %examples/gemm/step05.mlir -o %t.5.txk && tirxc info %t.5.txk | FileCheck %s --check-prefix=SPILLS
// RUN: tirxc %examples/gemm/step06.mlir -o %t.6.txk && tirxc info %t.6.txk | FileCheck %s --check-prefix=SPILLS
// RUN: tirxc %examples/gemm/step07.mlir -o %t.7.txk && tirxc info %t.7.txk | FileCheck %s --check-prefix=SPILLS
// RUN: tirxc %examples/gemm/step08.mlir -o %t.8.txk && tirxc info %t.8.txk | FileCheck %s --check-prefix=SPILLS
// RUN: tirxc %examples/gemm/step09.mlir -o %t.9.txk && tirxc info %t.9.txk | FileCheck %s --check-prefix=SPILLS
// RUN: tirxc %examples/gemm/step09.mlir --retype=f16:bf16 -o %t.b9.txk && tirxc info %t.b9.txk | FileCheck %s --check-prefix=SPILLS
// RUN: tirxc %examples/gemm/step04.mlir --retype=f16:bf16 -o %t.b.txk && tirxc info %t.b.txk | FileCheck %s --check-prefix=SPILLS
// RUN: tirxc %examples/gemm/step04.mlir --emit=ptx -o - | FileCheck %s
// RUN: tirxc %examples/gemm/step08.mlir --emit=ptx -o - | FileCheck %s --check-prefix=PAIR
// RUN: tirxc %examples/gemm/step09.mlir --emit=ptx -o - | FileCheck %s --check-prefix=ROLES
// RUN: tirxc %examples/gemm/step09.mlir --emit=ptx -o - | FileCheck %s --check-prefix=LOCAL

// SPILLS: "spill_store_bytes": 0,
// SPILLS: "spill_load_bytes": 0,

// CHECK: .target sm_100a{{$}}
// CHECK: tcgen05.alloc
// CHECK: cp.async.bulk.tensor.2d.shared::cta.global
// CHECK-COUNT-4: tcgen05.mma.cta_group::1.kind::f16
// CHECK: tcgen05.commit
// CHECK: tcgen05.ld.sync.aligned.32x32b.x128
// CHECK: cp.async.bulk.tensor.2d.global.shared::cta
// CHECK: tcgen05.dealloc
// CHECK-NOT: .local

// A pair of CTAs: the bytes of both (2 x 2 x 16 KB) are expected at the even
// one's barrier, a commit releases the stage in both (mask 3), and 2 x 128
// threads free the accumulator.
//
// PAIR: .reqnctapercluster 2, 1, 1
// PAIR: tcgen05.alloc.cta_group::2
// PAIR: mov.b32 [[EPILOGUE:%r[0-9]+]], 256;
// PAIR: mbarrier.init.shared.b64 {{.*}}, [[EPILOGUE]];
// PAIR: fence.mbarrier_init.release.cluster
// PAIR: barrier.cluster.arrive
// PAIR: mov.b32 [[BYTES:%r[0-9]+]], 65536;
// PAIR: mbarrier.arrive.expect_tx.shared.b64 {{.*}}, [[BYTES]];
// PAIR: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2
// PAIR-COUNT-4: tcgen05.mma.cta_group::2.kind::f16
// PAIR: mov.b16 [[BOTH:%rs[0-9]+]], 3;
// PAIR: tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 {{.*}}, [[BOTH]];
// PAIR: mapa
// PAIR: mbarrier.arrive.release.cluster.shared::cluster

// The warp's number is uniform before the roles branch on it, each warpgroup
// below its own setmaxnreg; only what one lane issues is predicated, inside of
// loops that the whole warp runs.
//
// ROLES: shfl.sync.idx.b32 [[WARP:%r[0-9]+]], %r{{[0-9]+}}, 0, 31, -1;
// ROLES: setmaxnreg.dec.sync.aligned.u32 72;
// ROLES: setp.ne.b32 {{.*}}, [[WARP]], 11;
// ROLES: mbarrier.try_wait.parity.acquire.cluster
// ROLES: elect.sync
// ROLES: 98304
// ROLES: cp.async.bulk.tensor
// ROLES-COUNT-4: tcgen05.mma
// ROLES-COUNT-4: tcgen05.mma
// ROLES: setmaxnreg.inc.sync.aligned.u32 216;
// ROLES: setmaxnreg.inc.sync.aligned.u32 216;

// LOCAL-NOT: .local
