// Step 4 of the GEMM ladder through every stage of the pipeline `tirx-to-nvvm`:
//
//   1. tirx-verify           the protocol rules hold; nothing changes
//   2. tirx-dispatch         each tile operation gets its hardware path
//   3. tirx-lower-tiles      copies become TMA, the product four tcgen05.mma; tensor
//                            maps appear in the host part
//   4. tirx-distribute       the register tile becomes 128 values a thread, its copy
//                            16 stores of 16 bytes
//   5. canonicalize
//   6. tirx-assign-storage   the TMEM address at 0, barriers at 8 and 16, tiles from
//                            1024 on
//   7. tirx-lower-protocol   elections, waits, TMEM allocation spelled out
//   8. tirx-outline-kernels  the device code becomes a function, the host part keeps
//                            the launch; then cse
//   9. convert-scf-to-cf     branches
//  10. convert-tirx-to-nvvm  LLVM and NVVM; then casts and leftovers go
//
// Each RUN line is the one before plus a stage, the last the pipeline itself.
//
// DEFINE: %{verify} = --tirx-verify
// DEFINE: %{dispatch} = %{verify} --tirx-dispatch
// DEFINE: %{tiles} = %{dispatch} --tirx-lower-tiles
// DEFINE: %{distribute} = %{tiles} --tirx-distribute --canonicalize
// DEFINE: %{storage} = %{distribute} --tirx-assign-storage
// DEFINE: %{protocol} = %{storage} --tirx-lower-protocol
// DEFINE: %{outline} = %{protocol} --tirx-outline-kernels --cse
// DEFINE: %{branches} = %{outline} --convert-scf-to-cf
// DEFINE: %{nvvm} = %{branches} --convert-tirx-to-nvvm --reconcile-unrealized-casts --canonicalize
// DEFINE: %{step} = %examples/gemm/step04.mlir
//
// RUN: tirx-opt %{step} > %t.read
// RUN: tirx-opt %{step} %{verify} | diff %t.read -
// RUN: tirx-opt %{step} %{dispatch} | FileCheck %s --check-prefix=DISPATCH
// RUN: tirx-opt %{step} %{tiles} | FileCheck %s --check-prefix=TILES
// RUN: tirx-opt %{step} %{distribute} | FileCheck %s --check-prefix=DISTRIBUTE
// RUN: tirx-opt %{step} %{storage} | FileCheck %s --check-prefix=STORAGE
// RUN: tirx-opt %{step} %{protocol} | FileCheck %s --check-prefix=PROTOCOL
// RUN: tirx-opt %{step} %{outline} | FileCheck %s --check-prefix=OUTLINE
// RUN: tirx-opt %{step} %{branches} | FileCheck %s --check-prefix=BRANCHES
// RUN: tirx-opt %{step} %{nvvm} > %t.nvvm
// RUN: FileCheck %s --check-prefix=NVVM < %t.nvvm
// RUN: tirx-opt %{step} --tirx-to-nvvm | diff %t.nvvm -
//
// The pipeline's own option: less shared memory than the kernel needs.
// RUN: not tirx-opt %{step} --tirx-to-nvvm="max-shared-bytes=49152" 2>&1 | FileCheck %s --check-prefix=BUDGET
// BUDGET: error: 'tirx.launch' op shared memory needs 66560 bytes, a CTA may have 49152

// DISPATCH-LABEL: tirx.kernel @gemm_step04
// DISPATCH: tirx.copy_async %{{.*}} dispatch("tma")
// DISPATCH: tirx.copy_async %{{.*}} dispatch("tma")
// DISPATCH: tirx.gemm_async %{{.*}} dispatch("tcgen05")
// DISPATCH: tirx.copy %{{.*}} dispatch("tcgen05_ld")
// DISPATCH: tirx.copy %{{.*}} dispatch("vector")
// DISPATCH: tirx.copy_async %{{.*}} dispatch("tma")

// TILES-LABEL: tirx.kernel @gemm_step04
// TILES: %[[MAPA:.*]] = tirx.tensor_map %A : {{.*}} to !tirx.tensor_map<128x64xf16, swizzle128B>
// TILES: %[[MAPB:.*]] = tirx.tensor_map %B : {{.*}} to !tirx.tensor_map<128x64xf16, swizzle128B>
// TILES: %[[MAPD:.*]] = tirx.tensor_map %D : {{.*}} to !tirx.tensor_map<128x64xf16, swizzle128B>
// TILES: tirx.launch
// TILES: scf.for %[[K:.*]] = {{.*}} iter_args
// TILES: tirx.mbarrier.arrive %[[LOADED:.*]] expect(
// TILES: tirx.tma.load %[[MAPA]][%{{.*}}, %[[K]]] to %[[AS:.*]] offset(0) signal(%[[LOADED]])
// TILES: tirx.tma.load %[[MAPB]][%{{.*}}, %[[K]]] to %[[BS:.*]] offset(0) signal(%[[LOADED]])
// TILES: tirx.tcgen05.mma %{{.*}} column(0), %[[AS]] offset(0), %[[BS]] offset(0)
// TILES: tirx.tcgen05.mma %{{.*}} column(0), %[[AS]] offset(32), %[[BS]] offset(32)
// TILES: tirx.tcgen05.mma %{{.*}} column(0), %[[AS]] offset(64), %[[BS]] offset(64)
// TILES: tirx.tcgen05.mma %{{.*}} column(0), %[[AS]] offset(96), %[[BS]] offset(96)
// TILES: tirx.copy %{{.*}} to tensor<128x128xf32
// TILES: tirx.tma.store %[[DS:.*]] offset(0) to %[[MAPD]][%[[M:.*]], %[[N:.*]]]
// TILES: %[[RIGHT:.*]] = arith.addi %[[N]], %c64
// TILES: tirx.tma.store %[[DS]] offset(16384) to %[[MAPD]][%[[M]], %[[RIGHT]]]

// DISTRIBUTE-LABEL: tirx.kernel @gemm_step04
// DISTRIBUTE: %[[F32:.*]] = tirx.tcgen05.ld %{{.*}} column(0) shape_32x32b num(128) {{.*}} -> vector<128xf32>
// DISTRIBUTE: tirx.tcgen05.wait ld
// DISTRIBUTE: %[[F16:.*]] = arith.truncf %[[F32]] : vector<128xf32> to vector<128xf16>
// DISTRIBUTE: %[[PART:.*]] = vector.extract_strided_slice %[[F16]] {offsets = [0], sizes = [8], strides = [1]}
// DISTRIBUTE: tirx.st %[[PART]], %{{.*}} : vector<8xf16>, index to
// DISTRIBUTE-COUNT-15: tirx.st
// DISTRIBUTE-NOT: tirx.st
// DISTRIBUTE-NOT: tensor<

// STORAGE-LABEL: tirx.kernel @gemm_step04
// STORAGE: tirx.launch {{.*}} attributes {tirx.shared_bytes = 66560 : i64, tirx.tmem_address_offset = 0 : i64, tirx.tmem_columns = 128 : i64}
// STORAGE: tirx.shared.alloc offset(1024)
// STORAGE: tirx.shared.alloc offset(17408)
// STORAGE: tirx.shared.alloc offset(33792)
// STORAGE: tirx.mbarrier.alloc offset(8)
// STORAGE: tirx.mbarrier.alloc offset(16)
// STORAGE: tirx.tmem.alloc column(0)

// PROTOCOL-LABEL: tirx.kernel @gemm_step04
// PROTOCOL-NOT: tirx.elect {
// PROTOCOL-NOT: tirx.mbarrier.wait
// PROTOCOL-NOT: tirx.tmem.dealloc
// PROTOCOL: tirx.tcgen05.alloc columns(128) address_offset(0)
// PROTOCOL: tirx.elect_sync
// PROTOCOL: tirx.mbarrier.init
// PROTOCOL: scf.for
// PROTOCOL: tirx.elect_sync
// PROTOCOL: tirx.tma.load
// PROTOCOL: scf.while
// PROTOCOL: tirx.mbarrier.try_wait
// PROTOCOL: tirx.elect_sync
// PROTOCOL: tirx.tcgen05.mma
// PROTOCOL: tirx.mbarrier.try_wait
// PROTOCOL: tirx.elect_sync
// PROTOCOL: tirx.tma.store
// PROTOCOL: tirx.tcgen05.dealloc %{{.*}} columns(128)

// OUTLINE: func.func @gemm_step04_device(%{{.*}}: !tirx.tensor_map<128x64xf16, swizzle128B>, %{{.*}}: !tirx.tensor_map<128x64xf16, swizzle128B>, %{{.*}}: index, %{{.*}}: !tirx.tensor_map<128x64xf16, swizzle128B>)
// OUTLINE-SAME: tirx.threads = 128
// One warp number serves all elections.
// OUTLINE-COUNT-1: tirx.id warpid
// OUTLINE-NOT: tirx.id warpid
// OUTLINE: tirx.kernel @gemm_step04(%A: {{.*}}, %B: {{.*}}, %D: {{.*}}) attributes {tirx.reads = array<i64: 0, 1>, tirx.writes = array<i64: 2>}
// OUTLINE: tirx.launch_func @gemm_step04_device {{.*}} threads(128) shared_bytes(66560)

// BRANCHES-LABEL: func.func @gemm_step04_device
// BRANCHES-NOT: scf.
// BRANCHES: cf.cond_br

// NVVM: llvm.func @gemm_step04_device
// NVVM-SAME: nvvm.kernel
// NVVM: nvvm.shfl.sync
// NVVM: nvvm.tcgen05.alloc
// NVVM: nvvm.mbarrier.init
// NVVM: nvvm.mbarrier.init
// NVVM: nvvm.fence.mbarrier.init
// NVVM: nvvm.barrier
// NVVM: nvvm.mbarrier.arrive.expect_tx
// NVVM-COUNT-2: nvvm.cp.async.bulk.tensor.shared.cluster.global
// NVVM: nvvm.mbarrier.try_wait
// NVVM-COUNT-4: nvvm.tcgen05.mma
// NVVM: nvvm.tcgen05.commit
// NVVM: nvvm.mbarrier.try_wait
// NVVM: nvvm.tcgen05.fence <after>
// NVVM: nvvm.tcgen05.ld {{.*}}shape_32x32b
// NVVM: nvvm.tcgen05.wait <load>
// NVVM-COUNT-16: llvm.store {{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<3>
// NVVM: nvvm.fence.proxy
// NVVM: nvvm.barrier
// NVVM-COUNT-2: nvvm.cp.async.bulk.tensor.global.shared.cta
// NVVM: nvvm.cp.async.bulk.commit.group
// NVVM: nvvm.cp.async.bulk.wait_group 0
// NVVM: nvvm.tcgen05.dealloc
// NVVM: llvm.return
// NVVM-NOT: builtin.unrealized_conversion_cast
// NVVM: tirx.kernel @gemm_step04
// NVVM: tirx.launch_func @gemm_step04_device
