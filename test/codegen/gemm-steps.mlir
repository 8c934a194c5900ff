// Each step of the ladder assembles for sm_100a without a spill, and step 4 uses
// the instructions that it is about.
//
// REQUIRES: ptxas
// RUN: tirxc %examples/gemm/step01.mlir -o %t.1.txk && tirxc info %t.1.txk | FileCheck %s --check-prefix=SPILLS
// RUN: tirxc %examples/gemm/step02.mlir -o %t.2.txk && tirxc info %t.2.txk | FileCheck %s --check-prefix=SPILLS
// RUN: tirxc %examples/gemm/step03.mlir -o %t.3.txk && tirxc info %t.3.txk | FileCheck %s --check-prefix=SPILLS
// RUN: tirxc %examples/gemm/step04.mlir -o %t.4.txk && tirxc info %t.4.txk | FileCheck %s --check-prefix=SPILLS
// RUN: tirxc %examples/gemm/step04.mlir --retype=f16:bf16 -o %t.b.txk && tirxc info %t.b.txk | FileCheck %s --check-prefix=SPILLS
// RUN: tirxc %examples/gemm/step04.mlir --emit=ptx -o - | FileCheck %s

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
