// gemm_async becomes one tcgen05.mma per instruction: 16 elements of K, up to
// 256 of N. Descriptor values are those of the canonical layouts
// (PTX ISA, "Shared memory descriptor", "Canonical layouts").
//
// RUN: tirx-opt %s --tirx-dispatch --tirx-lower-tiles -split-input-file | FileCheck %s

// K-major, 128-byte swizzle: 8 rows of 128 bytes are an atom, the next 8 rows
// begin 1024 bytes further (SBO); a step of K is 32 bytes inside the atom. The
// first instruction takes the flag, the others always accumulate.
#k64 = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
!operand = !tirx.buffer<128x64xf16, #k64, shared>
!acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
// CHECK-LABEL: tirx.kernel @k_major
tirx.kernel @k_major(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: tirx.launch
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    // CHECK: %[[A:.*]] = tirx.shared.alloc
    // CHECK: %[[B:.*]] = tirx.shared.alloc
    // CHECK: %[[D:.*]] = tirx.tmem.alloc
    %a = tirx.shared.alloc : !operand
    %b = tirx.shared.alloc : !operand
    %d = tirx.tmem.alloc : !acc
    // CHECK: %[[FLAG:.*]] = arith.cmpi ne
    %flag = arith.cmpi ne, %n, %c0 : index
    tirx.elect {
      // CHECK: tirx.tcgen05.mma %[[D]] column(0), %[[A]] offset(0), %[[B]] offset(0) accumulate(%[[FLAG]])
      // CHECK-SAME: shape(128, 128, 16) a_desc(<lbo = 0, sbo = 1024, swizzle128B, K>) b_desc(<lbo = 0, sbo = 1024, swizzle128B, K>)
      // CHECK: %[[TRUE:.*]] = arith.constant true
      // CHECK: tirx.tcgen05.mma %[[D]] column(0), %[[A]] offset(32), %[[B]] offset(32) accumulate(%[[TRUE]])
      // CHECK: tirx.tcgen05.mma %[[D]] column(0), %[[A]] offset(64), %[[B]] offset(64) accumulate(%[[TRUE]])
      // CHECK: tirx.tcgen05.mma %[[D]] column(0), %[[A]] offset(96), %[[B]] offset(96) accumulate(%[[TRUE]])
      // CHECK-NOT: tcgen05.mma
      tirx.gemm_async %d, %a, %b accumulate(%flag) : !acc, !operand, !operand
    }
    tirx.tmem.dealloc %d : !acc
  }
}

// -----

// M = 64 leaves its rows in lanes 32i to 32i + 15 (datapath F). K = 128 in two
// swizzled halves 8 KB apart; K = 16 needs one instruction.
#k128 = #tirx.layout<S[(64,2,64):(64,4096,1)] swizzle(3,3,3)>
#n96 = #tirx.layout<S[(96,2,64):(64,6144,1)] swizzle(3,3,3)>
!a = !tirx.buffer<64x128xbf16, #k128, shared>
!b = !tirx.buffer<96x128xbf16, #n96, shared>
!acc = !tirx.buffer<64x96xf32, #tirx.layout<S[(4,16,96):(32@TLane,1@TLane,1@TCol)]>, tmem>
// CHECK-LABEL: tirx.kernel @m64
tirx.kernel @m64() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %false = arith.constant false
    // CHECK: %[[A:.*]] = tirx.shared.alloc
    // CHECK: %[[B:.*]] = tirx.shared.alloc
    %a = tirx.shared.alloc : !a
    %b = tirx.shared.alloc : !b
    %d = tirx.tmem.alloc : !acc
    tirx.elect {
      // CHECK: tirx.tcgen05.mma {{.*}} %[[A]] offset(0), %[[B]] offset(0) {{.*}} shape(64, 96, 16)
      // CHECK: %[[A]] offset(32), %[[B]] offset(32)
      // CHECK: %[[A]] offset(64), %[[B]] offset(64)
      // CHECK: %[[A]] offset(96), %[[B]] offset(96)
      // CHECK: %[[A]] offset(8192), %[[B]] offset(12288)
      // CHECK: %[[A]] offset(8224), %[[B]] offset(12320)
      // CHECK: %[[A]] offset(8256), %[[B]] offset(12352)
      // CHECK: %[[A]] offset(8288), %[[B]] offset(12384)
      // CHECK-NOT: tcgen05.mma
      tirx.gemm_async %d, %a, %b accumulate(%false) : !acc, !a, !b
    }
    tirx.tmem.dealloc %d : !acc
  }
}

// -----

// K-major with the narrower swizzles, and with none: there, 8 x 16-byte core
// matrices, LBO apart along K and SBO along M.
#sw64 = #tirx.layout<S[(128,32):(32,1)] swizzle(3,2,3)>
#sw32 = #tirx.layout<S[(128,16):(16,1)] swizzle(3,1,3)>
#none = #tirx.layout<S[(16,8,4,8):(64,8,1024,1)]>
!sw64 = !tirx.buffer<128x32xf16, #sw64, shared>
!sw32 = !tirx.buffer<128x16xf16, #sw32, shared>
!none = !tirx.buffer<128x32xf16, #none, shared>
!acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
// CHECK-LABEL: tirx.kernel @k_major_modes
tirx.kernel @k_major_modes() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %false = arith.constant false
    %sw64 = tirx.shared.alloc : !sw64
    %sw32 = tirx.shared.alloc : !sw32
    %none = tirx.shared.alloc : !none
    %d = tirx.tmem.alloc : !acc
    tirx.elect {
      // CHECK: offset(0), %{{.*}} offset(0) {{.*}} a_desc(<lbo = 0, sbo = 512, swizzle64B, K>) b_desc(<lbo = 0, sbo = 512, swizzle64B, K>)
      // CHECK: offset(32), %{{.*}} offset(32)
      tirx.gemm_async %d, %sw64, %sw64 accumulate(%false) : !acc, !sw64, !sw64
      // CHECK: offset(0), %{{.*}} offset(0) {{.*}} a_desc(<lbo = 0, sbo = 256, swizzle32B, K>) b_desc(<lbo = 0, sbo = 256, swizzle32B, K>)
      tirx.gemm_async %d, %sw32, %sw32 accumulate(%false) : !acc, !sw32, !sw32
      // Two modes in one product.
      // CHECK: offset(0), %{{.*}} offset(0) {{.*}} a_desc(<lbo = 2048, sbo = 128, none, K>) b_desc(<lbo = 0, sbo = 512, swizzle64B, K>)
      // CHECK: offset(4096), %{{.*}} offset(32)
      // CHECK-NOT: tcgen05.mma
      tirx.gemm_async %d, %none, %sw64 accumulate(%false) : !acc, !none, !sw64
    }
    tirx.tmem.dealloc %d : !acc
  }
}

// -----

// MN-major: M, or N, is contiguous. Atoms of 64 elements of M by 8 of K, LBO
// apart along M, SBO along K; a step of K is two atoms.
#mn = #tirx.layout<S[(2,64,8,8):(512,1,1024,64)] swizzle(3,3,3)>
#k64 = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
!mn = !tirx.buffer<128x64xf16, #mn, shared>
!k = !tirx.buffer<128x64xf16, #k64, shared>
!acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
// CHECK-LABEL: tirx.kernel @mn_major
tirx.kernel @mn_major() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %false = arith.constant false
    %mn = tirx.shared.alloc : !mn
    %k = tirx.shared.alloc : !k
    %d = tirx.tmem.alloc : !acc
    tirx.elect {
      // CHECK: offset(0), %{{.*}} offset(0) {{.*}} a_desc(<lbo = 1024, sbo = 2048, swizzle128B, MN>) b_desc(<lbo = 1024, sbo = 2048, swizzle128B, MN>)
      // CHECK: offset(4096), %{{.*}} offset(4096)
      // CHECK: offset(8192), %{{.*}} offset(8192)
      // CHECK: offset(12288), %{{.*}} offset(12288)
      tirx.gemm_async %d, %mn, %mn accumulate(%false) : !acc, !mn, !mn
      // CHECK: offset(0), %{{.*}} offset(0) {{.*}} a_desc(<lbo = 0, sbo = 1024, swizzle128B, K>) b_desc(<lbo = 1024, sbo = 2048, swizzle128B, MN>)
      // CHECK: offset(32), %{{.*}} offset(4096)
      tirx.gemm_async %d, %k, %mn accumulate(%false) : !acc, !k, !mn
    }
    tirx.tmem.dealloc %d : !acc
  }
}

// -----

// N = 512 is two instructions of 256, each with its columns of D and rows of B;
// 336 is 3 of 112, not 2 of 168, which M = 128 does not have (M = 64 does).
#a = #tirx.layout<S[(128,32):(32,1)] swizzle(3,2,3)>
!a = !tirx.buffer<128x32xf16, #a, shared>
!b512 = !tirx.buffer<512x32xf16, #tirx.layout<S[(512,32):(32,1)] swizzle(3,2,3)>, shared>
!b336 = !tirx.buffer<336x32xf16, #tirx.layout<S[(336,32):(32,1)] swizzle(3,2,3)>, shared>
!d512 = !tirx.buffer<128x512xf32, #tirx.layout<S[(128,512):(1@TLane,1@TCol)]>, tmem>
!d336 = !tirx.buffer<128x336xf32, #tirx.layout<S[(128,336):(1@TLane,1@TCol)]>, tmem>
// CHECK-LABEL: tirx.kernel @wide
tirx.kernel @wide() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    // CHECK: %[[FLAG:.*]] = arith.constant false
    %flag = arith.constant false
    %a = tirx.shared.alloc : !a
    %b512 = tirx.shared.alloc : !b512
    %b336 = tirx.shared.alloc : !b336
    %d512 = tirx.tmem.alloc : !d512
    %d336 = tirx.tmem.alloc : !d336
    tirx.elect {
      // CHECK: column(0), %{{.*}} offset(0), %{{.*}} offset(0) accumulate(%[[FLAG]]) shape(128, 256, 16)
      // CHECK: %[[TRUE:.*]] = arith.constant true
      // CHECK: column(0), %{{.*}} offset(32), %{{.*}} offset(32) accumulate(%[[TRUE]])
      // CHECK: column(256), %{{.*}} offset(0), %{{.*}} offset(16384) accumulate(%[[FLAG]])
      // CHECK: column(256), %{{.*}} offset(32), %{{.*}} offset(16416) accumulate(%[[TRUE]])
      // CHECK-NOT: tcgen05.mma
      tirx.gemm_async %d512, %a, %b512 accumulate(%flag) : !d512, !a, !b512
      tirx.fence mbarrier_init
      // CHECK: tirx.fence
      // CHECK: column(0), {{.*}} shape(128, 112, 16)
      // CHECK: column(0)
      // CHECK: column(112), %{{.*}} offset(0), %{{.*}} offset(7168)
      // CHECK: column(112)
      // CHECK: column(224), %{{.*}} offset(0), %{{.*}} offset(14336)
      // CHECK: column(224)
      // CHECK-NOT: tcgen05.mma
      tirx.gemm_async %d336, %a, %b336 accumulate(%flag) : !d336, !a, !b336
    }
    tirx.tmem.dealloc %d512 : !d512
    tirx.tmem.dealloc %d336 : !d336
  }
}

// -----

!a = !tirx.buffer<64x16xf16, #tirx.layout<S[(64,16):(16,1)] swizzle(3,1,3)>, shared>
!b = !tirx.buffer<336x16xf16, #tirx.layout<S[(336,16):(16,1)] swizzle(3,1,3)>, shared>
!d = !tirx.buffer<64x336xf32, #tirx.layout<S[(4,16,336):(32@TLane,1@TLane,1@TCol)]>, tmem>
// CHECK-LABEL: tirx.kernel @wide64
tirx.kernel @wide64() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %flag = arith.constant false
    %a = tirx.shared.alloc : !a
    %b = tirx.shared.alloc : !b
    %d = tirx.tmem.alloc : !d
    tirx.elect {
      // CHECK: column(0), %{{.*}} offset(0), %{{.*}} offset(0) {{.*}} shape(64, 168, 16)
      // CHECK: column(168), %{{.*}} offset(0), %{{.*}} offset(5376) {{.*}} shape(64, 168, 16)
      // CHECK-NOT: tcgen05.mma
      tirx.gemm_async %d, %a, %b accumulate(%flag) : !d, !a, !b
    }
    tirx.tmem.dealloc %d : !d
  }
}

// -----

// f32 is kind::tf32, 8 elements of K an instruction; MN-major it lies in rows of
// 32 elements with 4 of K an atom.
#k32 = #tirx.layout<S[(128,32):(32,1)] swizzle(2,3,3)>
#mn32 = #tirx.layout<S[(4,32,32):(1024,1,32)] swizzle(3,2,2)>
!k = !tirx.buffer<128x32xf32, #k32, shared>
!mn = !tirx.buffer<128x32xf32, #mn32, shared>
!acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
// CHECK-LABEL: tirx.kernel @tf32
tirx.kernel @tf32() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %false = arith.constant false
    %k = tirx.shared.alloc : !k
    %mn = tirx.shared.alloc : !mn
    %d = tirx.tmem.alloc : !acc
    tirx.elect {
      // CHECK: offset(0), %{{.*}} offset(0) {{.*}} shape(128, 128, 8) a_desc(<lbo = 0, sbo = 1024, swizzle128B, K>) b_desc(<lbo = 4096, sbo = 512, swizzle128B_atom32B, MN>)
      // CHECK: offset(32), %{{.*}} offset(1024) {{.*}} shape(128, 128, 8)
      // CHECK: offset(64), %{{.*}} offset(2048)
      // CHECK: offset(96), %{{.*}} offset(3072)
      // CHECK-NOT: tcgen05.mma
      tirx.gemm_async %d, %k, %mn accumulate(%false) : !acc, !k, !mn
    }
    tirx.tmem.dealloc %d : !acc
  }
}

// -----

// Bytes: 32 elements of K; the two f8 types mix. N = 320 is 2 of 160: MN-major
// it comes in sixteens.
#k128 = #tirx.layout<S[(128,128):(128,1)] swizzle(4,3,3)>
#n320 = #tirx.layout<S[(5,64,32):(2048,1,64)] swizzle(4,2,3)>
!a = !tirx.buffer<128x128xf8E4M3FN, #k128, shared>
!b = !tirx.buffer<128x128xf8E5M2, #k128, shared>
!ak = !tirx.buffer<128x32xf8E4M3FN, #tirx.layout<S[(128,32):(32,1)] swizzle(4,1,3)>, shared>
!bn = !tirx.buffer<320x32xf8E4M3FN, #n320, shared>
!acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
!wide = !tirx.buffer<128x320xf32, #tirx.layout<S[(128,320):(1@TLane,1@TCol)]>, tmem>
// CHECK-LABEL: tirx.kernel @f8
tirx.kernel @f8() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %false = arith.constant false
    %a = tirx.shared.alloc : !a
    %b = tirx.shared.alloc : !b
    %ak = tirx.shared.alloc : !ak
    %bn = tirx.shared.alloc : !bn
    %d = tirx.tmem.alloc : !acc
    %wide = tirx.tmem.alloc : !wide
    tirx.elect {
      // CHECK: offset(0), %{{.*}} offset(0) {{.*}} shape(128, 128, 32) a_desc(<lbo = 0, sbo = 1024, swizzle128B, K>)
      // CHECK: offset(32), %{{.*}} offset(32)
      // CHECK: offset(64), %{{.*}} offset(64)
      // CHECK: offset(96), %{{.*}} offset(96)
      tirx.gemm_async %d, %a, %b accumulate(%false) : !acc, !a, !b
      // CHECK: column(0), {{.*}} shape(128, 64, 32) {{.*}} b_desc({{.*}}, swizzle64B, MN>)
      // CHECK: column(64), {{.*}} offset(2048)
      // CHECK: column(256), {{.*}} offset(8192)
      // CHECK-NOT: tcgen05.mma
      tirx.gemm_async %wide, %ak, %bn accumulate(%false) : !wide, !ak, !bn
    }
    tirx.tmem.dealloc %d : !acc
    tirx.tmem.dealloc %wide : !wide
  }
}
