// Tile operations of a cluster: multicast loads and products of CTA pairs.
//
// RUN: tirx-opt %s --tirx-dispatch --tirx-lower-tiles -split-input-file | FileCheck %s

// Two CTAs along x load 64 rows each, 8 KB apart, for both: 16 bits of a mask.
// The cluster has no other CTAs, so the mask is known.
!matrix = !tirx.buffer<?x?xf16, global>
!tile = !tirx.buffer<128x64xf16, global>
!shared = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
// CHECK-LABEL: tirx.kernel @two
tirx.kernel @two(%A: !matrix, %m: index, %k: index) {
  %c1 = arith.constant 1 : index
  // CHECK: %[[MAP:.*]] = tirx.tensor_map %A : {{.*}} to !tirx.tensor_map<64x64xf16, swizzle128B>
  tirx.launch grid(%c1, %c1, %c1) cluster(2, 1, 1) threads(128) {
    // CHECK: %[[S:.*]] = tirx.shared.alloc
    %s = tirx.shared.alloc : !shared
    %bar = tirx.mbarrier.alloc : !tirx.barrier<1>
    %tile = tirx.slice %A[%m, %k] : !matrix to !tile
    tirx.elect {
      // CHECK: %[[X:.*]] = tirx.id cbx
      // CHECK: %[[ROWS:.*]] = arith.muli %[[X]], %c64{{.*}} : index
      // CHECK: %[[M:.*]] = arith.addi %m, %[[ROWS]] : index
      // CHECK: %[[AT:.*]] = arith.muli %[[X]], %c8192{{.*}} : index
      // CHECK: %[[MASK:.*]] = arith.constant 3 : i16
      // CHECK: tirx.tma.load %[[MAP]][%[[M]], %k] to %[[S]] offset(0, %[[AT]]) signal(%{{.*}}) multicast(%[[MASK]]) cta_group(2)
      // CHECK-NOT: tirx.tma.load
      tirx.copy_async %tile to %s signal(%bar : !tirx.barrier<1>) multicast(cbx) cta_group(2) : !tile to !shared
      // Along axes with one CTA there is nobody to share with.
      // CHECK: tirx.tma.load %{{.*}}[%m, %k] to %[[S]] offset(0) signal(%{{[^)]*}}) :
      tirx.copy_async %tile to %s signal(%bar : !tirx.barrier<1>) multicast(cby) : !tile to !shared
    }
  }
}

// -----

// In a cluster of 2 x 4 the CTAs along y are ranks 0, 2, 4, 6 (0x55), moved by
// the CTA's x. A part has two boxes, as the tile is wider than the swizzle.
#wide = #tirx.layout<S[(128,2,64):(64,8192,1)] swizzle(3,3,3)>
!matrix = !tirx.buffer<?x?xf16, global>
!tile = !tirx.buffer<128x128xf16, global>
!shared = !tirx.buffer<128x128xf16, #wide, shared>
// CHECK-LABEL: tirx.kernel @eight
tirx.kernel @eight(%A: !matrix, %m: index, %k: index) {
  %c1 = arith.constant 1 : index
  // CHECK: %[[MAP:.*]] = tirx.tensor_map %A : {{.*}} to !tirx.tensor_map<32x64xf16, swizzle128B>
  tirx.launch grid(%c1, %c1, %c1) cluster(2, 4, 1) threads(128) {
    // CHECK: %[[S:.*]] = tirx.shared.alloc
    %s = tirx.shared.alloc : !shared
    %bar = tirx.mbarrier.alloc : !tirx.barrier<1>
    %tile = tirx.slice %A[%m, %k] : !matrix to !tile
    tirx.elect {
      // CHECK: %[[Y:.*]] = tirx.id cby
      // CHECK: %[[ROWS:.*]] = arith.muli %[[Y]], %c32{{.*}} : index
      // CHECK: %[[M:.*]] = arith.addi %m, %[[ROWS]] : index
      // CHECK: %[[AT:.*]] = arith.muli %[[Y]], %c4096{{.*}} : index
      // CHECK: %[[ALONG:.*]] = arith.muli %[[Y]], %c2{{.*}} : index
      // CHECK: %[[RANK:.*]] = tirx.id cta_rank
      // CHECK: %[[SHIFT:.*]] = arith.subi %[[RANK]], %[[ALONG]] : index
      // CHECK: %[[SHIFT32:.*]] = arith.index_cast %[[SHIFT]] : index to i32
      // CHECK: %[[LINE:.*]] = arith.constant 85 : i32
      // CHECK: %[[MASK32:.*]] = arith.shli %[[LINE]], %[[SHIFT32]] : i32
      // CHECK: %[[MASK:.*]] = arith.trunci %[[MASK32]] : i32 to i16
      // CHECK: tirx.tma.load %[[MAP]][%[[M]], %k] to %[[S]] offset(0, %[[AT]]) signal(%{{.*}}) multicast(%[[MASK]]) :
      // CHECK: %[[RIGHT:.*]] = arith.addi %k, %c64{{.*}} : index
      // CHECK: tirx.tma.load %[[MAP]][%[[M]], %[[RIGHT]]] to %[[S]] offset(16384, %[[AT]]) signal(%{{.*}}) multicast(%[[MASK]]) :
      tirx.copy_async %tile to %s signal(%bar : !tirx.barrier<1>) multicast(cby) : !tile to !shared
    }
  }
}

// -----

// A pair of CTAs: 256 x 256, of which each CTA has 128 rows of A and of B. 64
// rows a CTA leave D's right half in lanes 64 to 127 (datapath B).
#k64 = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
#k64rows64 = #tirx.layout<S[(64,64):(64,1)] swizzle(3,3,3)>
!operand = !tirx.buffer<128x64xf16, #k64, shared>
!half = !tirx.buffer<64x64xf16, #k64rows64, shared>
!d256 = !tirx.buffer<128x256xf32, #tirx.layout<S[(128,256):(1@TLane,1@TCol)]>, tmem>
!d128 = !tirx.buffer<64x128xf32, #tirx.layout<S[(64,2,64):(1@TLane,64@TLane,1@TCol)]>, tmem>
// CHECK-LABEL: tirx.kernel @pair
tirx.kernel @pair(%n: index) {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) cluster(2, 1, 1) threads(128) {
    %false = arith.constant false
    %a = tirx.shared.alloc : !operand
    %h = tirx.shared.alloc : !half
    %d256 = tirx.tmem.alloc : !d256
    %d128 = tirx.tmem.alloc : !d128
    tirx.elect {
      // CHECK: tirx.tcgen05.mma %{{.*}} column(0), %{{.*}} offset(0), %{{.*}} offset(0) accumulate(%{{.*}}) shape(256, 256, 16) {{.*}} cta_group(2)
      // CHECK: offset(32), %{{.*}} offset(32) {{.*}} shape(256, 256, 16) {{.*}} cta_group(2)
      // CHECK: offset(64), %{{.*}} offset(64)
      // CHECK: offset(96), %{{.*}} offset(96)
      tirx.gemm_async %d256, %a, %a accumulate(%false) cta_group(2) : !d256, !operand, !operand
      // CHECK: tirx.tcgen05.mma {{.*}} shape(128, 128, 16) {{.*}} cta_group(2)
      tirx.gemm_async %d128, %h, %h accumulate(%false) cta_group(2) : !d128, !half, !half
    }
    tirx.tmem.dealloc %d256 : !d256
    tirx.tmem.dealloc %d128 : !d128
  }
}
