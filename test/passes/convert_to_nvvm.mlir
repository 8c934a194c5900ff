// Every hardware operation becomes its NVVM operation.
//
// RUN: tirx-opt %s --convert-tirx-to-nvvm --canonicalize -split-input-file | FileCheck %s

// The kernel: an entry with its launch bounds. An index has 32 bits, a tensor
// map is 128 bytes by value that no copy may be made of, buffers are pointers.
// CHECK: llvm.mlir.global external @tirx_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK: llvm.func @parameters(%{{.*}}: i32, %{{.*}}: !llvm.ptr<1>, %{{.*}}: f32, %{{.*}}: !llvm.ptr {llvm.align = 128 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}, %{{.*}}: i64)
// CHECK-SAME: nvvm.kernel
// CHECK-SAME: nvvm.maxnreg = 255 : i32, nvvm.reqntid = array<i32: 128>
// CHECK-SAME: "no-jump-tables", "true"
// CHECK-NEXT: llvm.return
func.func @parameters(%n: index, %x: !tirx.buffer<?xf16, global>, %f: f32, %m: !tirx.tensor_map<64x64xf16, none>, %p: i64)
    attributes {tirx.threads = 128 : i64} {
  return
}
// A CTA of 1024 threads leaves 64 registers to each, one of 384 leaves 168.
// CHECK: llvm.func @many
// CHECK-SAME: nvvm.maxnreg = 64 : i32, nvvm.reqntid = array<i32: 1024>
func.func @many() attributes {tirx.threads = 1024 : i64} { return }
// CHECK: llvm.func @warpgroups3
// CHECK-SAME: nvvm.maxnreg = 168 : i32, nvvm.reqntid = array<i32: 384>
func.func @warpgroups3() attributes {tirx.threads = 384 : i64} { return }
// Not device code: left to the manifest.
// CHECK: tirx.kernel @host
tirx.kernel @host() {
  %c1 = arith.constant 1 : index
  tirx.launch_func @many grid(%c1, %c1, %c1) threads(1024) shared_bytes(0) args()
}

// -----

// Thread coordinates. The warp's number is shuffled from lane 0: uniform for
// ptxas.
// CHECK-LABEL: llvm.func @ids(
func.func @ids(%out: !tirx.buffer<?xi32, global>) attributes {tirx.threads = 128 : i64} {
  // CHECK-DAG: %[[C0:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK-DAG: %[[C2:.*]] = llvm.mlir.constant(2 : i32)
  // CHECK-DAG: %[[C3:.*]] = llvm.mlir.constant(3 : i32)
  // CHECK-DAG: %[[C5:.*]] = llvm.mlir.constant(5 : i32)
  // CHECK-DAG: %[[C31:.*]] = llvm.mlir.constant(31 : i32)
  // CHECK-DAG: %[[C127:.*]] = llvm.mlir.constant(127 : i32)
  // CHECK-DAG: %[[ALL:.*]] = llvm.mlir.constant(-1 : i32)
  // CHECK: nvvm.read.ptx.sreg.ctaid.x : i32
  %bx = tirx.id bx
  // CHECK: nvvm.read.ptx.sreg.ctaid.y : i32
  %by = tirx.id by
  // CHECK: nvvm.read.ptx.sreg.ctaid.z : i32
  %bz = tirx.id bz
  // CHECK: nvvm.read.ptx.sreg.tid.x : i32
  %tx = tirx.id tx
  // CHECK: %[[TW:.*]] = nvvm.read.ptx.sreg.tid.x
  // CHECK: %[[W:.*]] = llvm.lshr %[[TW]], %[[C5]] : i32
  // CHECK: nvvm.shfl.sync idx %[[ALL]], %[[W]], %[[C0]], %[[C31]] : i32 -> i32
  %warpid = tirx.id warpid
  // CHECK: %[[TL:.*]] = nvvm.read.ptx.sreg.tid.x
  // CHECK: llvm.and %[[TL]], %[[C31]] : i32
  %laneid = tirx.id laneid
  // CHECK: %[[SG:.*]] = nvvm.shfl.sync idx
  // CHECK: llvm.lshr %[[SG]], %[[C2]] : i32
  %wgid = tirx.id wgid
  // CHECK: %[[TG:.*]] = nvvm.read.ptx.sreg.tid.x
  // CHECK: llvm.and %[[TG]], %[[C127]] : i32
  %tid_in_wg = tirx.id tid_in_wg
  // CHECK: %[[SW:.*]] = nvvm.shfl.sync idx
  // CHECK: llvm.and %[[SW]], %[[C3]] : i32
  %wid_in_wg = tirx.id wid_in_wg
  %s0 = arith.addi %bx, %by : index
  %s1 = arith.addi %s0, %bz : index
  %s2 = arith.addi %s1, %tx : index
  %s3 = arith.addi %s2, %warpid : index
  %s4 = arith.addi %s3, %laneid : index
  %s5 = arith.addi %s4, %wgid : index
  %s6 = arith.addi %s5, %tid_in_wg : index
  %s7 = arith.addi %s6, %wid_in_wg : index
  // CHECK: nvvm.read.ptx.sreg.cluster.ctarank : i32
  %rank = tirx.id cta_rank
  // CHECK: nvvm.read.ptx.sreg.cluster.ctaid.x : i32
  %cbx = tirx.id cbx
  // CHECK: nvvm.read.ptx.sreg.cluster.ctaid.y : i32
  %cby = tirx.id cby
  // CHECK: nvvm.read.ptx.sreg.cluster.ctaid.z : i32
  %cbz = tirx.id cbz
  // CHECK: nvvm.read.ptx.sreg.clusterid.x : i32
  %clx = tirx.id clx
  // CHECK: nvvm.read.ptx.sreg.clusterid.y : i32
  %cly = tirx.id cly
  // CHECK: nvvm.read.ptx.sreg.clusterid.z : i32
  %clz = tirx.id clz
  %s8 = arith.addi %s7, %rank : index
  %s9 = arith.addi %s8, %cbx : index
  %s10 = arith.addi %s9, %cby : index
  %s11 = arith.addi %s10, %cbz : index
  %s12 = arith.addi %s11, %clx : index
  %s13 = arith.addi %s12, %cly : index
  %s14 = arith.addi %s13, %clz : index
  %v = arith.index_cast %s14 : index to i32
  %vv = vector.broadcast %v : i32 to vector<1xi32>
  %at = arith.constant 0 : i64
  tirx.st %vv, %out[%at] : vector<1xi32>, i64 to !tirx.buffer<?xi32, global>
  return
}

// -----

// Synchronisation of threads, and fences.
// CHECK-LABEL: llvm.func @synchronisation(
func.func @synchronisation() attributes {tirx.threads = 128 : i64} {
  // CHECK-DAG: %[[ID:.*]] = llvm.mlir.constant(10 : i32)
  // CHECK-DAG: %[[THREADS:.*]] = llvm.mlir.constant(64 : i32)
  // CHECK-DAG: %[[ALL:.*]] = llvm.mlir.constant(-1 : i32)
  // CHECK: nvvm.barrier{{$}}
  tirx.cta_sync
  // CHECK-NEXT: nvvm.barrier id = %[[ID]] number_of_threads = %[[THREADS]]
  tirx.barrier_sync id(10) threads(64)
  // CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.barrier.cta.arrive.aligned.count"(%[[ID]], %[[THREADS]]) : (i32, i32) -> ()
  tirx.barrier_arrive id(10) threads(64)
  // CHECK-NEXT: nvvm.cluster.arrive {aligned}
  // CHECK-NEXT: nvvm.cluster.wait {aligned}
  tirx.cluster_sync
  // CHECK-NEXT: nvvm.griddepcontrol wait
  tirx.griddepcontrol wait
  // CHECK-NEXT: nvvm.griddepcontrol launch_dependents
  tirx.griddepcontrol launch_dependents
  // CHECK-NEXT: nvvm.setmaxregister decrease 48
  tirx.setmaxnreg decrease 48
  // CHECK-NEXT: nvvm.setmaxregister increase 200
  tirx.setmaxnreg increase 200
  // CHECK-NEXT: nvvm.bar.warp.sync %[[ALL]] : i32
  tirx.warp_sync
  // CHECK-NEXT: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
  tirx.fence proxy_async
  // CHECK-NEXT: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.global>}
  tirx.fence proxy_async_global
  // CHECK-NEXT: nvvm.fence.mbarrier.init
  tirx.fence mbarrier_init
  // CHECK-NEXT: nvvm.tcgen05.fence <before>
  tirx.fence tcgen05_before_thread_sync
  // CHECK-NEXT: nvvm.tcgen05.fence <after>
  tirx.fence tcgen05_after_thread_sync
  // CHECK-NEXT: %[[ONE:.*]] = nvvm.elect.sync -> i1
  // CHECK-NEXT: llvm.cond_br %[[ONE]]
  %one = tirx.elect_sync
  cf.cond_br %one, ^yes, ^no
^yes:
  // CHECK: nvvm.cp.async.bulk.commit.group
  tirx.bulk.commit_group
  // CHECK-NEXT: nvvm.cp.async.bulk.wait_group 3
  tirx.bulk.wait_group 3
  // CHECK-NEXT: nvvm.cp.async.bulk.wait_group 0 {read}
  tirx.bulk.wait_group 0 read
  // CHECK-NEXT: nvvm.tcgen05.wait <load>
  tirx.tcgen05.wait ld
  // CHECK-NEXT: nvvm.tcgen05.wait <store>
  tirx.tcgen05.wait st
  cf.br ^no
^no:
  return
}

// -----

// mbarriers: slot i is 8 i bytes further. Expected bytes are those of the tiles,
// without their padding.
!tile = !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(72,1)]>, shared>
// CHECK-LABEL: llvm.func @mbarrier(%arg0: i32, %arg1: i1)
func.func @mbarrier(%slot: index, %phase: i1) attributes {tirx.threads = 128 : i64} {
  // CHECK-DAG: %[[SHARED:.*]] = llvm.mlir.addressof @tirx_shared : !llvm.ptr<3>
  // CHECK-DAG: %[[COUNT:.*]] = llvm.mlir.constant(5 : i32)
  // CHECK-DAG: %[[TWO:.*]] = llvm.mlir.constant(16384 : i32)
  // CHECK-DAG: %[[BYTES:.*]] = llvm.mlir.constant(77 : i32)
  // CHECK-DAG: %[[NONE:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: %[[BAR:.*]] = llvm.getelementptr %[[SHARED]][16]
  %bar = tirx.mbarrier.alloc offset(16) : !tirx.barrier<3>
  %single = tirx.mbarrier.alloc offset(0) : !tirx.barrier<1>
  %a = tirx.shared.alloc offset(1024) : !tile
  %b = tirx.shared.alloc offset(11264) : !tile
  // CHECK: nvvm.mbarrier.init %[[BAR]], %[[COUNT]]
  // CHECK: %[[BAR1:.*]] = llvm.getelementptr %[[BAR]][8]
  // CHECK: nvvm.mbarrier.init %[[BAR1]], %[[COUNT]]
  // CHECK: %[[BAR2:.*]] = llvm.getelementptr %[[BAR]][16]
  // CHECK: nvvm.mbarrier.init %[[BAR2]], %[[COUNT]]
  // CHECK-NOT: nvvm.mbarrier.init
  tirx.mbarrier.init %bar count(5) : !tirx.barrier<3>
  // CHECK: %[[SLOT:.*]] = llvm.getelementptr %[[BAR]][%arg0] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
  // CHECK: nvvm.mbarrier.arrive %[[SLOT]] : !llvm.ptr<3> -> i64
  tirx.mbarrier.arrive %bar[%slot] : !tirx.barrier<3>
  // CHECK: nvvm.mbarrier.arrive.expect_tx %[[SHARED]], %[[TWO]] : !llvm.ptr<3>, i32 -> i64
  tirx.mbarrier.arrive %single expect(%a, %b : !tile, !tile) : !tirx.barrier<1>
  // CHECK: nvvm.mbarrier.arrive.expect_tx %[[SHARED]], %[[BYTES]]
  tirx.mbarrier.arrive %single expect_tx(77) : !tirx.barrier<1>
  // CHECK: nvvm.mbarrier.arrive.expect_tx %[[SHARED]], %[[NONE]]
  tirx.mbarrier.arrive %single expect_tx(0) : !tirx.barrier<1>
  // CHECK: %[[PARITY:.*]] = llvm.zext %arg1 : i1 to i32
  // CHECK: %[[DONE:.*]] = nvvm.mbarrier.try_wait %{{.*}}, %[[PARITY]] : !llvm.ptr<3>, i32 -> i1
  // CHECK: llvm.cond_br %[[DONE]]
  %done = tirx.mbarrier.try_wait %bar[%slot] parity(%phase) : !tirx.barrier<3>
  cf.cond_br %done, ^yes, ^no
^yes:
  // CHECK: nvvm.tcgen05.commit %[[SHARED]] : !llvm.ptr<3>
  tirx.tcgen05.commit %single : !tirx.barrier<1>
  // CHECK: %[[COMMIT:.*]] = llvm.getelementptr %[[BAR]][%arg0]
  // CHECK: nvvm.tcgen05.commit %[[COMMIT]] : !llvm.ptr<3>
  tirx.tcgen05.commit %bar[%slot] : !tirx.barrier<3>
  cf.br ^no
^no:
  return
}

// -----

// mbarriers of the cluster: another CTA's by mapa, and the scope that its
// threads need.
// CHECK-LABEL: llvm.func @cluster_mbarrier(%arg0: i32, %arg1: i1, %arg2: i16)
func.func @cluster_mbarrier(%rank: index, %phase: i1, %mask: i16) attributes {tirx.threads = 128 : i64} {
  // CHECK-DAG: %[[BAR:.*]] = llvm.mlir.addressof @tirx_shared : !llvm.ptr<3>
  %bar = tirx.mbarrier.alloc offset(0) : !tirx.barrier<1>
  // CHECK: %[[REMOTE:.*]] = nvvm.mapa %[[BAR]], %arg0 : !llvm.ptr<3> -> !llvm.ptr<7>
  // CHECK-NEXT: nvvm.mbarrier.arrive %[[REMOTE]] {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>{{$}}
  tirx.mbarrier.arrive %bar cta(%rank) : !tirx.barrier<1>
  // CHECK-NEXT: nvvm.mbarrier.arrive %[[BAR]] {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3> -> i64
  tirx.mbarrier.arrive %bar cluster : !tirx.barrier<1>
  // CHECK-NEXT: nvvm.mbarrier.arrive.expect_tx %[[BAR]], %{{.*}} {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i32 -> i64
  tirx.mbarrier.arrive %bar expect_tx(16) cluster : !tirx.barrier<1>
  // CHECK: %[[DONE:.*]] = nvvm.mbarrier.try_wait %[[BAR]], %{{.*}} {scope = #nvvm.mem_scope<cluster>}
  %done = tirx.mbarrier.try_wait %bar parity(%phase) cluster : !tirx.barrier<1>
  cf.cond_br %done, ^yes, ^no
^yes:
  // CHECK: nvvm.tcgen05.commit %[[BAR]], multicast_mask = %arg2 : !llvm.ptr<3>, i16
  tirx.tcgen05.commit %bar multicast(%mask) : !tirx.barrier<1>
  // CHECK-NEXT: nvvm.tcgen05.commit %[[BAR]], multicast_mask = %arg2 {group = #nvvm.cta_group<cta_2>} : !llvm.ptr<3>, i16
  tirx.tcgen05.commit %bar multicast(%mask) cta_group(2) : !tirx.barrier<1>
  cf.br ^no
^no:
  return
}

// -----

// TMA within a cluster: shared::cluster destinations. A pair's bytes go to the
// barrier of its even CTA, the one whose address has bit 24 clear.
!tile = !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(64,1)]>, shared>
!map = !tirx.tensor_map<64x64xf16, none>
// CHECK-LABEL: llvm.func @cluster_tma(
// CHECK-SAME: %[[MAP:arg0]]: !llvm.ptr {{{.*}}}, %[[X:arg1]]: i32, %[[AT:arg2]]: i32, %[[MASK:arg3]]: i16)
func.func @cluster_tma(%map: !map, %x: index, %at: index, %mask: i16) attributes {tirx.threads = 128 : i64} {
  // CHECK-DAG: %[[EVEN:.*]] = llvm.mlir.constant(-16777217 : i32)
  // CHECK-DAG: %[[BAR:.*]] = llvm.mlir.addressof @tirx_shared
  // CHECK-DAG: %[[TILE:.*]] = llvm.getelementptr %[[BAR]][1024]
  %bar = tirx.mbarrier.alloc offset(0) : !tirx.barrier<1>
  %s = tirx.shared.alloc offset(1024) : !tile
  // CHECK: %[[PART:.*]] = llvm.getelementptr %[[TILE]][%[[AT]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  // CHECK-NEXT: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[PART]], %[[MAP]], %[[BAR]], box[%[[X]], %[[X]]] {isCTAOnly = true} : !llvm.ptr<3>, !llvm.ptr
  tirx.tma.load %map[%x, %x] to %s offset(0, %at) signal(%bar) : !map to !tile, !tirx.barrier<1>
  // CHECK: %[[CLUSTER:.*]] = llvm.addrspacecast %[[TILE]] : !llvm.ptr<3> to !llvm.ptr<7>
  // CHECK-NEXT: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[CLUSTER]], %[[MAP]], %[[BAR]], box[%[[X]], %[[X]]] multicast_mask = %[[MASK]] : !llvm.ptr<7>, !llvm.ptr
  tirx.tma.load %map[%x, %x] to %s offset(0) signal(%bar) multicast(%mask) : !map to !tile, !tirx.barrier<1>
  // CHECK: %[[ADDRESS:.*]] = llvm.ptrtoint %[[BAR]] : !llvm.ptr<3> to i32
  // CHECK: %[[CLEARED:.*]] = llvm.and %[[ADDRESS]], %[[EVEN]] : i32
  // CHECK: %[[EVENBAR:.*]] = llvm.inttoptr %[[CLEARED]] : i32 to !llvm.ptr<3>
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[MAP]], %[[EVENBAR]], box[%[[X]], %[[X]]] {group = #nvvm.cta_group<cta_2>} : !llvm.ptr<7>, !llvm.ptr
  tirx.tma.load %map[%x, %x] to %s offset(0) signal(%bar) cta_group(2) : !map to !tile, !tirx.barrier<1>
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[MAP]], %{{.*}}, box[%[[X]], %[[X]]] multicast_mask = %[[MASK]] {group = #nvvm.cta_group<cta_2>} : !llvm.ptr<7>, !llvm.ptr
  tirx.tma.load %map[%x, %x] to %s offset(0) signal(%bar) multicast(%mask) cta_group(2) : !map to !tile, !tirx.barrier<1>
  return
}

// -----

// TMA: PTX lists coordinates fastest axis first. 1 to 5 dimensions.
!tile = !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(64,1)]>, shared>
!map1 = !tirx.tensor_map<64xf16, none>
!map3 = !tirx.tensor_map<2x8x64xf16, swizzle128B>
!map5 = !tirx.tensor_map<1x1x2x8x64xf16, swizzle128B>
// CHECK-LABEL: llvm.func @tma(
// CHECK-SAME: %[[M1:arg0]]: !llvm.ptr {{{.*}}}, %[[M3:arg1]]: !llvm.ptr {{{.*}}}, %[[M5:arg2]]: !llvm.ptr {{{.*}}}, %[[X:arg3]]: i32, %[[Y:arg4]]: i32, %[[Z:arg5]]: i32
func.func @tma(%m1: !map1, %m3: !map3, %m5: !map5, %x: index, %y: index, %z: index, %slot: index) attributes {tirx.threads = 128 : i64} {
  // CHECK-DAG: %[[BAR:.*]] = llvm.mlir.addressof @tirx_shared
  // CHECK-DAG: %[[TILE:.*]] = llvm.getelementptr %[[BAR]][1024]
  %bar = tirx.mbarrier.alloc offset(0) : !tirx.barrier<1>
  %bars = tirx.mbarrier.alloc offset(8) : !tirx.barrier<2>
  %s = tirx.shared.alloc offset(1024) : !tile
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[TILE]], %[[M1]], %[[BAR]], box[%[[X]]] {isCTAOnly = true} : !llvm.ptr<3>, !llvm.ptr
  tirx.tma.load %m1[%x] to %s offset(0) signal(%bar) : !map1 to !tile, !tirx.barrier<1>
  // CHECK: %[[LATER:.*]] = llvm.getelementptr %[[TILE]][2048]
  // CHECK: %[[SLOT:.*]] = llvm.getelementptr %{{.*}}[%arg6]
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[LATER]], %[[M3]], %[[SLOT]], box[%[[Z]], %[[Y]], %[[X]]] {isCTAOnly = true}
  tirx.tma.load %m3[%x, %y, %z] to %s offset(2048) signal(%bars[%slot]) : !map3 to !tile, !tirx.barrier<2>
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[TILE]], %[[M5]], %[[BAR]], box[%[[Z]], %[[Y]], %[[X]], %[[Y]], %[[X]]]
  tirx.tma.load %m5[%x, %y, %x, %y, %z] to %s offset(0) signal(%bar) : !map5 to !tile, !tirx.barrier<1>
  // CHECK: %[[FROM:.*]] = llvm.getelementptr %[[TILE]][4096]
  // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %[[M3]], %[[FROM]], box[%[[Z]], %[[Y]], %[[X]]] : !llvm.ptr, <3>
  tirx.tma.store %s offset(4096) to %m3[%x, %y, %z] : !tile to !map3
  return
}

// -----

// Tensor memory. The allocation's address is read from shared memory where the
// tile is allocated, and a tile adds its column; each warp adds its 32 lanes,
// in the upper half of the address.
!a = !tirx.buffer<128x32xf32, #tirx.layout<S[(128,32):(1@TLane,1@TCol)]>, tmem>
// CHECK-LABEL: llvm.func @tmem(
func.func @tmem() attributes {tirx.threads = 128 : i64, tirx.tmem_address_offset = 8 : i64} {
  // CHECK-DAG: %[[C64:.*]] = llvm.mlir.constant(64 : i32)
  // CHECK-DAG: %[[C3:.*]] = llvm.mlir.constant(3 : i32)
  // CHECK-DAG: %[[C21:.*]] = llvm.mlir.constant(21 : i32)
  // CHECK-DAG: %[[C32:.*]] = llvm.mlir.constant(32 : i32)
  // CHECK-DAG: %[[C16:.*]] = llvm.mlir.constant(16 : i32)
  // CHECK: %[[WORD:.*]] = llvm.getelementptr %{{.*}}[8] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  // CHECK-NEXT: nvvm.tcgen05.alloc %[[WORD]], %[[C64]] : !llvm.ptr<3>, i32
  // CHECK-NEXT: nvvm.tcgen05.relinquish_alloc_permit{{$}}
  tirx.tcgen05.alloc columns(64) address_offset(8)
  tirx.cta_sync
  // CHECK: %[[WORDA:.*]] = llvm.getelementptr %{{.*}}[8] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  // CHECK: %[[A:.*]] = llvm.load %[[WORDA]] {alignment = 4 : i64} : !llvm.ptr<3> -> i32
  // CHECK: %[[PA:.*]] = llvm.inttoptr %[[A]] : i32 to !llvm.ptr<6>
  %a = tirx.tmem.alloc column(0) : !a
  // CHECK: %[[B0:.*]] = llvm.load %{{.*}} {alignment = 4
  // CHECK: %[[B:.*]] = llvm.add %[[B0]], %[[C32]] : i32
  // CHECK: %[[PB:.*]] = llvm.inttoptr %[[B]] : i32 to !llvm.ptr<6>
  %b = tirx.tmem.alloc column(32) : !a
  // CHECK: %[[WARP:.*]] = nvvm.shfl.sync idx
  // CHECK: %[[W:.*]] = llvm.and %[[WARP]], %[[C3]]
  // CHECK: %[[LANE:.*]] = llvm.shl %[[W]], %[[C21]]
  // CHECK: %[[BASE:.*]] = llvm.ptrtoint %[[PA]] : !llvm.ptr<6> to i32
  // CHECK: %[[ADDRESS:.*]] = llvm.add %[[BASE]], %[[LANE]]
  // CHECK-NEXT: %[[POINTER:.*]] = llvm.inttoptr %[[ADDRESS]] : i32 to !llvm.ptr<6>
  // CHECK: %[[LOADED:.*]] = nvvm.tcgen05.ld %[[POINTER]] {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : vector<32xi32>
  // CHECK: %[[F:.*]] = llvm.bitcast %[[LOADED]] : vector<32xi32> to vector<32xf32>
  %f = tirx.tcgen05.ld %a column(0) shape_32x32b num(32) : !a -> vector<32xf32>
  %g = arith.negf %f : vector<32xf32>
  // CHECK: %[[BITS:.*]] = llvm.bitcast %{{.*}} : vector<32xf32> to vector<32xi32>
  // CHECK: nvvm.tcgen05.st %{{.*}}, %[[BITS]] {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : vector<32xi32>
  tirx.tcgen05.st %g, %b column(0) shape_32x32b num(32) : vector<32xf32> to !a
  // Columns are added; one register is a scalar.
  // CHECK: llvm.add %{{.*}}, %[[C16]] : i32
  // CHECK: %[[REGISTER:.*]] = nvvm.tcgen05.ld %{{.*}} {shape = #nvvm.tcgen05_ldst_shape<shape_16x64b>} : i32
  %h = tirx.tcgen05.ld %a column(16) shape_16x64b num(1) : !a -> vector<1xf32>
  // CHECK: nvvm.tcgen05.st %{{.*}}, %[[REGISTER]] {{.*}}shape_16x64b>} : i32
  tirx.tcgen05.st %h, %a column(0) shape_16x64b num(1) : vector<1xf32> to !a
  // CHECK: nvvm.tcgen05.ld {{.*}}shape_16x128b>} : vector<2xi32>
  %i = tirx.tcgen05.ld %a column(0) shape_16x128b num(1) : !a -> vector<2xf32>
  tirx.tcgen05.st %i, %a column(0) shape_16x128b num(1) : vector<2xf32> to !a
  // CHECK: nvvm.tcgen05.ld {{.*}}shape_16x256b>} : vector<8xi32>
  %j = tirx.tcgen05.ld %a column(0) shape_16x256b num(2) : !a -> vector<8xf32>
  tirx.tcgen05.st %j, %a column(0) shape_16x256b num(2) : vector<8xf32> to !a
  // CHECK: nvvm.tcgen05.dealloc %[[PA]], %[[C64]] : !llvm.ptr<6>, i32
  tirx.tcgen05.dealloc %a columns(64) : !a
  // CHECK: nvvm.tcgen05.alloc %{{.*}}, %[[C64]] {group = #nvvm.cta_group<cta_2>}
  // CHECK-NEXT: nvvm.tcgen05.relinquish_alloc_permit {group = #nvvm.cta_group<cta_2>}
  tirx.tcgen05.alloc columns(64) address_offset(8) cta_group(2)
  // CHECK: nvvm.tcgen05.dealloc %[[PA]], %[[C64]] {group = #nvvm.cta_group<cta_2>}
  tirx.tcgen05.dealloc %a columns(64) cta_group(2) : !a
  return
}

// -----

// tcgen05.mma. The shared-memory descriptors hold the address in bits 0 to 13
// (in 16 bytes), LBO in 16 to 29, SBO in 32 to 45, 1 in 46 to 48, the swizzle in
// 61 to 63. sbo = 1024, swizzle128B: 0x4000404000000000. lbo = 1024, sbo = 2048,
// swizzle128B: 0x4000408000400000. lbo = 2048, sbo = 128, none:
// 0x0000400800800000.
//
// Instruction descriptors (golden values): f16 M128 N128 0x08200010, with B
// MN-major 0x08210010, bf16 M128 N128 0x08200490, bf16 M64 N256 0x04400490,
// bf16 M256 N128 0x10200490.
!d = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
!f16 = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
!bf16 = !tirx.buffer<128x64xbf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
// CHECK-LABEL: llvm.func @mma(%arg0: i1)
func.func @mma(%flag: i1) attributes {tirx.threads = 128 : i64, tirx.tmem_address_offset = 0 : i64} {
  // CHECK-DAG: %[[F16:.*]] = llvm.mlir.constant(136314896 : i32)
  // CHECK-DAG: %[[F16T:.*]] = llvm.mlir.constant(136380432 : i32)
  // CHECK-DAG: %[[BF16:.*]] = llvm.mlir.constant(136316048 : i32)
  // CHECK-DAG: %[[BF16M64:.*]] = llvm.mlir.constant(71304336 : i32)
  // CHECK-DAG: %[[BF16M256:.*]] = llvm.mlir.constant(270533776 : i32)
  // CHECK-DAG: %[[K128:.*]] = llvm.mlir.constant(4611756662049472512 : i64)
  // CHECK-DAG: %[[MN128:.*]] = llvm.mlir.constant(4611756936931573760 : i64)
  // CHECK-DAG: %[[NONE:.*]] = llvm.mlir.constant(70403112304640 : i64)
  // CHECK-DAG: %[[FIELD:.*]] = llvm.mlir.constant(16383 : i32)
  // CHECK-DAG: %[[C4:.*]] = llvm.mlir.constant(4 : i32)
  // CHECK-DAG: %[[A:.*]] = llvm.getelementptr %{{.*}}[1024]
  // CHECK-DAG: %[[B:.*]] = llvm.getelementptr %{{.*}}[17408]
  %a = tirx.shared.alloc offset(1024) : !f16
  %b = tirx.shared.alloc offset(17408) : !f16
  %c = tirx.shared.alloc offset(33792) : !bf16
  // CHECK: %[[D:.*]] = llvm.inttoptr
  %d = tirx.tmem.alloc column(0) : !d
  // CHECK: %[[AI:.*]] = llvm.ptrtoint %[[A]] : !llvm.ptr<3> to i32
  // CHECK: %[[AS:.*]] = llvm.lshr %[[AI]], %[[C4]]
  // CHECK: %[[AF:.*]] = llvm.and %[[AS]], %[[FIELD]]
  // CHECK: %[[AW:.*]] = llvm.zext %[[AF]] : i32 to i64
  // CHECK: %[[ADESC:.*]] = llvm.or %[[AW]], %[[K128]] : i64
  // CHECK: %[[BPLUS:.*]] = llvm.getelementptr %[[B]][32]
  // CHECK: llvm.ptrtoint %[[BPLUS]]
  // CHECK: %[[BDESC:.*]] = llvm.or %{{.*}}, %[[K128]] : i64
  // CHECK: nvvm.tcgen05.mma %[[D]], %[[ADESC]], %[[BDESC]], %[[F16]], %arg0 {ctaGroup = #nvvm.cta_group<cta_1>, kind = #nvvm.tcgen05_mma_kind<f16>} : (!llvm.ptr<6>, i64, i64, i32, i1)
  tirx.tcgen05.mma %d column(0), %a offset(0), %b offset(32) accumulate(%flag)
    shape(128, 128, 16)
    a_desc(<lbo = 0, sbo = 1024, swizzle128B, K>) b_desc(<lbo = 0, sbo = 1024, swizzle128B, K>)
    : !d, !f16, !f16
  // CHECK: llvm.or %{{.*}}, %[[K128]]
  // CHECK: %[[BMN:.*]] = llvm.or %{{.*}}, %[[MN128]]
  // CHECK: %[[D64:.*]] = llvm.getelementptr %[[D]][64] : (!llvm.ptr<6>) -> !llvm.ptr<6>, i8
  // CHECK: nvvm.tcgen05.mma %[[D64]], %{{.*}}, %[[BMN]], %[[F16T]], %arg0
  tirx.tcgen05.mma %d column(64), %a offset(0), %b offset(0) accumulate(%flag)
    shape(128, 128, 16)
    a_desc(<lbo = 0, sbo = 1024, swizzle128B, K>) b_desc(<lbo = 1024, sbo = 2048, swizzle128B, MN>)
    : !d, !f16, !f16
  // CHECK: %[[ANONE:.*]] = llvm.or %{{.*}}, %[[NONE]]
  // CHECK: nvvm.tcgen05.mma %[[D]], %[[ANONE]], %{{.*}}, %[[BF16]], %arg0
  tirx.tcgen05.mma %d column(0), %c offset(0), %c offset(0) accumulate(%flag)
    shape(128, 128, 16)
    a_desc(<lbo = 2048, sbo = 128, none, K>) b_desc(<lbo = 0, sbo = 1024, swizzle128B, K>)
    : !d, !bf16, !bf16
  // CHECK: nvvm.tcgen05.mma %[[D]], %{{.*}}, %{{.*}}, %[[BF16M64]], %arg0
  tirx.tcgen05.mma %d column(0), %c offset(0), %c offset(0) accumulate(%flag)
    shape(64, 256, 16)
    a_desc(<lbo = 0, sbo = 1024, swizzle128B, K>) b_desc(<lbo = 0, sbo = 1024, swizzle128B, K>)
    : !d, !bf16, !bf16
  // CHECK: nvvm.tcgen05.mma %[[D]], %{{.*}}, %{{.*}}, %[[BF16M256]], %arg0 {ctaGroup = #nvvm.cta_group<cta_2>
  tirx.tcgen05.mma %d column(0), %c offset(0), %c offset(0) accumulate(%flag)
    shape(256, 128, 16)
    a_desc(<lbo = 0, sbo = 1024, swizzle128B, K>) b_desc(<lbo = 0, sbo = 1024, swizzle128B, K>) cta_group(2)
    : !d, !bf16, !bf16
  return
}

// -----

// Loads and stores: one access as wide as the vector, aligned to its size.
// Offsets are elements: 64 bits in global memory, 32 in shared. fp8 is bytes.
!f32 = !tirx.buffer<?xf32, global>
!fp8 = !tirx.buffer<?xf8E4M3FN, global>
!shared = !tirx.buffer<1024xf32, #tirx.layout<S[1024:1]>, shared>
!shared8 = !tirx.buffer<1024xf8E4M3FN, #tirx.layout<S[1024:1]>, shared>
// CHECK-LABEL: llvm.func @memory(
func.func @memory(%x: !f32, %q: !fp8, %at: i64, %i: index) attributes {tirx.threads = 128 : i64} {
  %s = tirx.shared.alloc offset(128) : !shared
  %s8 = tirx.shared.alloc offset(4224) : !shared8
  // CHECK: %[[P:.*]] = llvm.getelementptr inbounds %arg0[%arg2] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  // CHECK: %[[V:.*]] = llvm.load %[[P]] {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
  %v = tirx.ld %x[%at] : i64, !f32 -> vector<4xf32>
  // CHECK: %[[T:.*]] = llvm.getelementptr inbounds %{{.*}}[%arg3] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  // CHECK: llvm.store %[[V]], %[[T]] {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
  tirx.st %v, %s[%i] : vector<4xf32>, index to !shared
  // CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> vector<1xf32>
  %w = tirx.ld %s[%i] : index, !shared -> vector<1xf32>
  // CHECK: llvm.store %{{.*}} {alignment = 4 : i64} : vector<1xf32>, !llvm.ptr<1>
  tirx.st %w, %x[%at] : vector<1xf32>, i64 to !f32
  // CHECK: llvm.getelementptr inbounds %arg1[%arg2] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
  // CHECK: %[[Q:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<16xi8>
  %e = tirx.ld %q[%at] : i64, !fp8 -> vector<16xf8E4M3FN>
  // CHECK: llvm.store %[[Q]], %{{.*}} {alignment = 16 : i64} : vector<16xi8>, !llvm.ptr<3>
  tirx.st %e, %s8[%i] : vector<16xf8E4M3FN>, index to !shared8
  return
}

// -----

// Registers of a thread: slices of vectors, and the maths of the epilogue.
// CHECK-LABEL: llvm.func @registers(
func.func @registers(%x: !tirx.buffer<?xf32, global>, %at: i64, %n: index) attributes {tirx.threads = 128 : i64} {
  %v = tirx.ld %x[%at] : i64, !tirx.buffer<?xf32, global> -> vector<4xf32>
  // CHECK: llvm.shufflevector %{{.*}}, %{{.*}} [2, 3] : vector<4xf32>
  %part = vector.extract_strided_slice %v {offsets = [2], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
  // CHECK: llvm.intr.exp2(%{{.*}}) : (vector<2xf32>) -> vector<2xf32>
  %e = math.exp2 %part : vector<2xf32>
  // CHECK-NOT: arith.ceildivui
  %c64 = arith.constant 64 : index
  %d = arith.ceildivui %n, %c64 : index
  %d64 = arith.index_cast %d : index to i64
  tirx.st %e, %x[%d64] : vector<2xf32>, i64 to !tirx.buffer<?xf32, global>
  return
}

// -----

// Clusterlaunchcontrol. What is read is shuffled from lane 0: uniform for ptxas.
!responses = !tirx.buffer<2x16xi8, #tirx.layout<S[(2,16):(16,1)]>, shared>
// CHECK-LABEL: llvm.func @clc(
// CHECK-SAME: %[[I:[a-z0-9]+]]: i32,
func.func @clc(%i: index, %out: !tirx.buffer<?xi32, global>) attributes {tirx.threads = 32 : i64} {
  // CHECK: %[[BASE:.*]] = llvm.mlir.addressof @tirx_shared
  %responses = tirx.shared.alloc offset(128) : !responses
  %bars = tirx.mbarrier.alloc offset(0) : !tirx.barrier<2>
  %single = tirx.mbarrier.alloc offset(16) : !tirx.barrier<1>
  // CHECK: %[[RESPONSES:.*]] = llvm.getelementptr %[[BASE]][128]
  // CHECK: %[[RESPONSE:.*]] = llvm.getelementptr %[[RESPONSES]][%[[I]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, !llvm.array<16 x i8>
  // CHECK: %[[SLOT:.*]] = llvm.getelementptr %{{.*}}[%[[I]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
  // CHECK: nvvm.clusterlaunchcontrol.try.cancel multicast, %[[RESPONSE]], %[[SLOT]]
  tirx.clc.try_cancel %responses[%i] signal(%bars[%i]) multicast : !responses, !tirx.barrier<2>
  // CHECK: nvvm.clusterlaunchcontrol.try.cancel %{{.*}}, %{{.*}}
  tirx.clc.try_cancel %responses[%i] signal(%single) : !responses, !tirx.barrier<1>
  // CHECK: %[[RESPONSE1:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> i128
  // CHECK: %[[BIT:.*]] = nvvm.clusterlaunchcontrol.query.cancel query = is_canceled, %[[RESPONSE1]] : i1
  // CHECK: %[[WORD:.*]] = llvm.zext %[[BIT]] : i1 to i32
  // CHECK: %[[SAME:.*]] = nvvm.shfl.sync idx %{{.*}}, %[[WORD]],
  // CHECK: %[[MORE:.*]] = llvm.icmp "ne" %[[SAME]],
  %more = tirx.clc.query_cancel is_canceled %responses[%i] : !responses -> i1
  // CHECK: %[[X:.*]] = nvvm.clusterlaunchcontrol.query.cancel query = get_first_cta_id_x, %{{.*}} : i32
  // CHECK: nvvm.shfl.sync idx %{{.*}}, %[[X]],
  %x = tirx.clc.query_cancel first_ctaid_x %responses[%i] : !responses -> index
  // CHECK: query = get_first_cta_id_y
  %y = tirx.clc.query_cancel first_ctaid_y %responses[%i] : !responses -> index
  // CHECK: query = get_first_cta_id_z
  %z = tirx.clc.query_cancel first_ctaid_z %responses[%i] : !responses -> index
  // CHECK: llvm.select %[[MORE]]
  %xy = arith.select %more, %x, %y : index
  %at = arith.select %more, %xy, %z : index
  %v = arith.constant dense<1> : vector<1xi32>
  tirx.st %v, %out[%at] : vector<1xi32>, index to !tirx.buffer<?xi32, global>
  return
}

// -----

// The other kinds of tcgen05.mma. tf32 M128 N128 is 0x08200910, with B MN-major
// 0x08210910; e4m3 by e5m2 is 0x08200410, e5m2 by e4m3 0x08200090. A transposed
// view is the same memory; swizzle 128B_atom32B is 1 in bits 61 to 63.
!d = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
!f32 = !tirx.buffer<128x32xf32, #tirx.layout<S[(128,32):(32,1)] swizzle(2,3,3)>, shared>
!km = !tirx.buffer<32x128xf32, #tirx.layout<S[(32,4,32):(32,1024,1)] swizzle(3,2,2)>, shared>
!mk = !tirx.buffer<128x32xf32, #tirx.layout<S[(4,32,32):(1024,1,32)] swizzle(3,2,2)>, shared>
!e4m3 = !tirx.buffer<128x128xf8E4M3FN, #tirx.layout<S[(128,128):(128,1)] swizzle(4,3,3)>, shared>
!e5m2 = !tirx.buffer<128x128xf8E5M2, #tirx.layout<S[(128,128):(128,1)] swizzle(4,3,3)>, shared>
// CHECK-LABEL: llvm.func @kinds(%arg0: i1)
func.func @kinds(%flag: i1) attributes {tirx.threads = 128 : i64, tirx.tmem_address_offset = 0 : i64} {
  // CHECK-DAG: %[[TF32:.*]] = llvm.mlir.constant(136382736 : i32)
  // CHECK-DAG: %[[E4E5:.*]] = llvm.mlir.constant(136315920 : i32)
  // CHECK-DAG: %[[E5E4:.*]] = llvm.mlir.constant(136315024 : i32)
  // CHECK-DAG: %[[ATOM32:.*]] = llvm.mlir.constant(2305913515413602304 : i64)
  // CHECK-DAG: %[[B:.*]] = llvm.getelementptr %{{.*}}[17408]
  %a = tirx.shared.alloc offset(1024) : !f32
  %b = tirx.shared.alloc offset(17408) : !km
  %p = tirx.shared.alloc offset(33792) : !e4m3
  %q = tirx.shared.alloc offset(50176) : !e5m2
  %d = tirx.tmem.alloc column(0) : !d
  %bt = tirx.transpose %b : !km to !mk
  // CHECK: llvm.ptrtoint %[[B]]
  // CHECK: %[[BDESC:.*]] = llvm.or %{{.*}}, %[[ATOM32]] : i64
  // CHECK: nvvm.tcgen05.mma %{{.*}}, %{{.*}}, %[[BDESC]], %[[TF32]], %arg0 {{.*}} kind = #nvvm.tcgen05_mma_kind<tf32>
  tirx.tcgen05.mma %d column(0), %a offset(0), %bt offset(0) accumulate(%flag)
    shape(128, 128, 8)
    a_desc(<lbo = 0, sbo = 1024, swizzle128B, K>) b_desc(<lbo = 4096, sbo = 512, swizzle128B_atom32B, MN>)
    : !d, !f32, !mk
  // CHECK: nvvm.tcgen05.mma %{{.*}}, %[[E4E5]], %arg0 {{.*}} kind = #nvvm.tcgen05_mma_kind<f8f6f4>
  tirx.tcgen05.mma %d column(0), %p offset(0), %q offset(0) accumulate(%flag)
    shape(128, 128, 32)
    a_desc(<lbo = 0, sbo = 1024, swizzle128B, K>) b_desc(<lbo = 0, sbo = 1024, swizzle128B, K>)
    : !d, !e4m3, !e5m2
  // CHECK: nvvm.tcgen05.mma %{{.*}}, %[[E5E4]], %arg0 {{.*}} kind = #nvvm.tcgen05_mma_kind<f8f6f4>
  tirx.tcgen05.mma %d column(0), %q offset(0), %p offset(0) accumulate(%flag)
    shape(128, 128, 32)
    a_desc(<lbo = 0, sbo = 1024, swizzle128B, K>) b_desc(<lbo = 0, sbo = 1024, swizzle128B, K>)
    : !d, !e5m2, !e4m3
  return
}
