// What cannot be done in this cluster, and why.
//
// RUN: tirx-opt %s --tirx-dispatch -split-input-file -verify-diagnostics

// 128 rows do not divide by 3; a part of 4 rows is half an atom of the swizzle.
!matrix = !tirx.buffer<?x?xf16, global>
!tile = !tirx.buffer<128x64xf16, global>
!small = !tirx.buffer<12x64xf16, global>
!shared = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
!shared12 = !tirx.buffer<12x64xf16, #tirx.layout<S[(12,64):(64,1)] swizzle(3,3,3)>, shared>
tirx.kernel @shares(%A: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) cluster(1, 3, 1) threads(128) {
    %s = tirx.shared.alloc : !shared
    %s12 = tirx.shared.alloc : !shared12
    %bar = tirx.mbarrier.alloc : !tirx.barrier<1>
    %tile = tirx.slice %A[%c0, %c0] : !matrix to !tile
    %small = tirx.slice %A[%c0, %c0] : !matrix to !small
    tirx.elect {
      // expected-error@+4 {{no dispatch variant of tirx.copy_async applies}}
      // expected-note@+3 {{tma: the 3 CTAs along cby cannot share 128 rows evenly}}
      // expected-note@+2 {{tcgen05_ld: the source is in global memory, not in tensor memory}}
      // expected-note@+1 {{tcgen05_st: the destination is in shared memory, not in tensor memory}}
      tirx.copy_async %tile to %s signal(%bar : !tirx.barrier<1>) multicast(cby) : !tile to !shared
      // expected-error@+1 {{'tirx.copy_async' op cannot be dispatched to 'tma': the parts of 4 rows that the 3 CTAs along cby load are 512 bytes apart, no multiple of the 1024 bytes of a swizzle atom}}
      tirx.copy_async %small to %s12 signal(%bar : !tirx.barrier<1>) multicast(cby) dispatch("tma") : !small to !shared12
      // Three CTAs are no pairs.
      // expected-error@+1 {{'tirx.copy_async' op cannot be dispatched to 'tma': cta_group(2) pairs the CTAs of a cluster, and the launch has clusters of 3}}
      tirx.copy_async %tile to %s signal(%bar : !tirx.barrier<1>) cta_group(2) dispatch("tma") : !tile to !shared
    }
  }
}

// -----

// Rows in two halves that the layout pads differently from the rest.
!matrix = !tirx.buffer<?x?xf16, global>
!tile = !tirx.buffer<64x64xf16, global>
!padded = !tirx.buffer<64x64xf16, #tirx.layout<S[(2,2,16,64):(4096,1024,64,1)]>, shared>
!odd = !tirx.buffer<4x8xf16, #tirx.layout<S[(4,8):(8,1)]>, shared>
tirx.kernel @places(%A: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) cluster(4, 1, 1) threads(128) {
    %s = tirx.shared.alloc : !padded
    %o = tirx.shared.alloc : !odd
    %bar = tirx.mbarrier.alloc : !tirx.barrier<1>
    %tile = tirx.slice %A[%c0, %c0] : !matrix to !tile
    %little = tirx.slice %A[%c0, %c0] : !matrix to !tirx.buffer<4x8xf16, global>
    tirx.elect {
      // expected-error@+1 {{'tirx.copy_async' op cannot be dispatched to 'tma': the parts that the 4 CTAs along cbx load do not lie at equal distances in shared memory}}
      tirx.copy_async %tile to %s signal(%bar : !tirx.barrier<1>) multicast(cbx) dispatch("tma") : !tile to !padded
      // expected-error@+1 {{'tirx.copy_async' op cannot be dispatched to 'tma': the parts of 1 rows that the 4 CTAs along cbx load are 16 bytes apart, no multiple of the 128 bytes of TMA's alignment}}
      tirx.copy_async %little to %o signal(%bar : !tirx.barrier<1>) multicast(cbx) dispatch("tma") : !tirx.buffer<4x8xf16, global> to !odd
    }
  }
}

// -----

// Without a cluster there is no pair.
!operand = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
!acc = !tirx.buffer<128x256xf32, #tirx.layout<S[(128,256):(1@TLane,1@TCol)]>, tmem>
tirx.kernel @alone() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %false = arith.constant false
    %a = tirx.shared.alloc : !operand
    %acc = tirx.tmem.alloc : !acc
    tirx.elect {
      // expected-error@+2 {{no dispatch variant}}
      // expected-note@+1 {{tcgen05: cta_group(2) pairs the CTAs of a cluster, and the launch has clusters of 1}}
      tirx.gemm_async %acc, %a, %a accumulate(%false) cta_group(2) : !acc, !operand, !operand
    }
    tirx.tmem.dealloc %acc : !acc
  }
}

// -----

// N of a pair is that of one instruction; M is 128 or 256, D where it leaves it.
!a = !tirx.buffer<128x16xf16, #tirx.layout<S[(128,16):(16,1)] swizzle(3,1,3)>, shared>
!a64 = !tirx.buffer<64x16xf16, #tirx.layout<S[(64,16):(16,1)] swizzle(3,1,3)>, shared>
!a32 = !tirx.buffer<32x16xf16, #tirx.layout<S[(32,16):(16,1)] swizzle(3,1,3)>, shared>
!b = !tirx.buffer<256x16xf16, #tirx.layout<S[(256,16):(16,1)] swizzle(3,1,3)>, shared>
!d512 = !tirx.buffer<128x512xf32, #tirx.layout<S[(128,512):(1@TLane,1@TCol)]>, tmem>
!d64 = !tirx.buffer<64x128xf32, #tirx.layout<S[(4,16,128):(32@TLane,1@TLane,1@TCol)]>, tmem>
!d32 = !tirx.buffer<32x128xf32, #tirx.layout<S[(32,128):(1@TLane,1@TCol)]>, tmem>
tirx.kernel @shapes() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) cluster(2, 1, 1) threads(128) {
    %false = arith.constant false
    %a = tirx.shared.alloc : !a
    %a64 = tirx.shared.alloc : !a64
    %a32 = tirx.shared.alloc : !a32
    %b = tirx.shared.alloc : !b
    %d512 = tirx.tmem.alloc : !d512
    %d64 = tirx.tmem.alloc : !d64
    %d32 = tirx.tmem.alloc : !d32
    tirx.elect {
      // expected-error@+2 {{no dispatch variant}}
      // expected-note@+1 {{tcgen05: N = 512 over a pair needs several instructions, which mix the columns of the two CTAs: it takes up to 256}}
      tirx.gemm_async %d512, %a, %b accumulate(%false) cta_group(2) : !d512, !a, !b
      // expected-error@+2 {{no dispatch variant}}
      // expected-note@+1 {{tcgen05: the accumulator's layout S[(4,16,128):(32@TLane,1@TLane,1@TCol)] is not the S[(64,2,64):(1@TLane,64@TLane,1@TCol)] that M = 128 over a pair leaves}}
      tirx.gemm_async %d64, %a64, %a64 accumulate(%false) cta_group(2) : !d64, !a64, !a64
      // expected-error@+2 {{no dispatch variant}}
      // expected-note@+1 {{tcgen05: tcgen05.mma has no M = 64 with cta_group::2}}
      tirx.gemm_async %d32, %a32, %a64 accumulate(%false) cta_group(2) : !d32, !a32, !a64
    }
    tirx.tmem.dealloc %d512 : !d512
    tirx.tmem.dealloc %d64 : !d64
    tirx.tmem.dealloc %d32 : !d32
  }
}
