// RUN: tirx-opt %s -split-input-file -verify-diagnostics

// A and B have one type.
!As = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
#desc = #tirx.smem_desc<lbo = 16, sbo = 1024, swizzle128B, K>
!Bs = !tirx.buffer<128x64xbf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
func.func @f(%acc: !Acc, %As: !As, %Bs: !Bs, %flag: i1) {
  // expected-error@+1 {{'tirx.tcgen05.mma' op cannot multiply 'f16' by 'bf16': tcgen05.mma multiplies f16 by f16, bf16 by bf16, f32 by f32 (as tf32), or f8E4M3FN and f8E5M2 by each other}}
  tirx.tcgen05.mma %acc column(0), %As offset(0), %Bs offset(0) accumulate(%flag)
    shape(128, 128, 16) a_desc(#desc) b_desc(#desc) : !Acc, !As, !Bs
  return
}

// -----

// kind::tf32 has 8 elements of K, kind::f16 has 16.
!As = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
#desc = #tirx.smem_desc<lbo = 16, sbo = 1024, swizzle128B, K>
!Af = !tirx.buffer<128x32xf32, #tirx.layout<S[(128,32):(32,1)]>, shared>
func.func @f(%acc: !Acc, %As: !Af, %Bs: !Af, %flag: i1) {
  // expected-error@+1 {{'tirx.tcgen05.mma' op k is 16, kind::tf32 has 8 (PTX ISA, tcgen05.mma: matrix shape)}}
  tirx.tcgen05.mma %acc column(0), %As offset(0), %Bs offset(0) accumulate(%flag)
    shape(128, 128, 16) a_desc(#desc) b_desc(#desc) : !Acc, !Af, !Af
  return
}

// -----

// Sums are f32.
!As = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
#desc = #tirx.smem_desc<lbo = 16, sbo = 1024, swizzle128B, K>
!Dh = !tirx.buffer<128x128xf16, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
func.func @f(%acc: !Dh, %As: !As, %Bs: !As, %flag: i1) {
  // expected-error@+1 {{'tirx.tcgen05.mma' op the accumulator must be f32, not 'f16'}}
  tirx.tcgen05.mma %acc column(0), %As offset(0), %Bs offset(0) accumulate(%flag)
    shape(128, 128, 16) a_desc(#desc) b_desc(#desc) : !Dh, !As, !As
  return
}

// -----

// Tensor memory has 512 columns.
!As = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
#desc = #tirx.smem_desc<lbo = 16, sbo = 1024, swizzle128B, K>
func.func @f(%acc: !Acc, %As: !As, %Bs: !As, %flag: i1) {
  // expected-error@+1 {{'tirx.tcgen05.mma' op column(512) is outside [0, 511] (PTX ISA, Tensor Memory)}}
  tirx.tcgen05.mma %acc column(512), %As offset(0), %Bs offset(0) accumulate(%flag)
    shape(128, 128, 16) a_desc(#desc) b_desc(#desc) : !Acc, !As, !As
  return
}

// -----

// They count from 0.
!As = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
#desc = #tirx.smem_desc<lbo = 16, sbo = 1024, swizzle128B, K>
func.func @f(%acc: !Acc, %As: !As, %Bs: !As, %flag: i1) {
  // expected-error@+1 {{'tirx.tcgen05.mma' op column(-8) is outside [0, 511] (PTX ISA, Tensor Memory)}}
  tirx.tcgen05.mma %acc column(-8), %As offset(0), %Bs offset(0) accumulate(%flag)
    shape(128, 128, 16) a_desc(#desc) b_desc(#desc) : !Acc, !As, !As
  return
}

// -----

// M is 64 or 128.
!As = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
#desc = #tirx.smem_desc<lbo = 16, sbo = 1024, swizzle128B, K>
func.func @f(%acc: !Acc, %As: !As, %Bs: !As, %flag: i1) {
  // expected-error@+1 {{'tirx.tcgen05.mma' op M = 96 for kind::f16 cta_group::1; legal: 64, 128}}
  tirx.tcgen05.mma %acc column(0), %As offset(0), %Bs offset(0) accumulate(%flag)
    shape(96, 128, 16) a_desc(#desc) b_desc(#desc) : !Acc, !As, !As
  return
}

// -----

// N is a multiple of 8; for M = 128 of 16.
!As = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
#desc = #tirx.smem_desc<lbo = 16, sbo = 1024, swizzle128B, K>
func.func @f(%acc: !Acc, %As: !As, %Bs: !As, %flag: i1) {
  // expected-error@+1 {{'tirx.tcgen05.mma' op N = 24 for kind::f16 cta_group::1 M = 128; legal: multiples of 16 from 16 to 256}}
  tirx.tcgen05.mma %acc column(0), %As offset(0), %Bs offset(0) accumulate(%flag)
    shape(128, 24, 16) a_desc(#desc) b_desc(#desc) : !Acc, !As, !As
  return
}

// -----

// N is 256 at most.
!As = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
#desc = #tirx.smem_desc<lbo = 16, sbo = 1024, swizzle128B, K>
func.func @f(%acc: !Acc, %As: !As, %Bs: !As, %flag: i1) {
  // expected-error@+1 {{'tirx.tcgen05.mma' op N = 272 for kind::f16 cta_group::1 M = 128; legal: multiples of 16 from 16 to 256}}
  tirx.tcgen05.mma %acc column(0), %As offset(0), %Bs offset(0) accumulate(%flag)
    shape(128, 272, 16) a_desc(#desc) b_desc(#desc) : !Acc, !As, !As
  return
}

// -----

// K is 32 bytes.
!As = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
#desc = #tirx.smem_desc<lbo = 16, sbo = 1024, swizzle128B, K>
func.func @f(%acc: !Acc, %As: !As, %Bs: !As, %flag: i1) {
  // expected-error@+1 {{'tirx.tcgen05.mma' op k is 32, kind::f16 has 16 (PTX ISA, tcgen05.mma: matrix shape)}}
  tirx.tcgen05.mma %acc column(0), %As offset(0), %Bs offset(0) accumulate(%flag)
    shape(128, 128, 32) a_desc(#desc) b_desc(#desc) : !Acc, !As, !As
  return
}

// -----

// A descriptor counts 16 bytes.
!As = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
#desc = #tirx.smem_desc<lbo = 16, sbo = 1024, swizzle128B, K>
func.func @f(%acc: !Acc, %As: !As, %Bs: !As, %flag: i1) {
  // expected-error@+1 {{'tirx.tcgen05.mma' op a_offset(8) must be a multiple of 16 inside the 16384 bytes of '!tirx.buffer<128x64xf16}}
  tirx.tcgen05.mma %acc column(0), %As offset(8), %Bs offset(0) accumulate(%flag)
    shape(128, 128, 16) a_desc(#desc) b_desc(#desc) : !Acc, !As, !As
  return
}

// -----

// An operand begins in its buffer.
!As = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
#desc = #tirx.smem_desc<lbo = 16, sbo = 1024, swizzle128B, K>
func.func @f(%acc: !Acc, %As: !As, %Bs: !As, %flag: i1) {
  // expected-error@+1 {{'tirx.tcgen05.mma' op b_offset(16384) must be a multiple of 16 inside the 16384 bytes of '!tirx.buffer<128x64xf16}}
  tirx.tcgen05.mma %acc column(0), %As offset(0), %Bs offset(16384) accumulate(%flag)
    shape(128, 128, 16) a_desc(#desc) b_desc(#desc) : !Acc, !As, !As
  return
}

// -----

// Not in front of it.
!As = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
#desc = #tirx.smem_desc<lbo = 16, sbo = 1024, swizzle128B, K>
func.func @f(%acc: !Acc, %As: !As, %Bs: !As, %flag: i1) {
  // expected-error@+1 {{'tirx.tcgen05.mma' op b_offset(-16) must be a multiple of 16 inside the 16384 bytes of '!tirx.buffer<128x64xf16}}
  tirx.tcgen05.mma %acc column(0), %As offset(0), %Bs offset(-16) accumulate(%flag)
    shape(128, 128, 16) a_desc(#desc) b_desc(#desc) : !Acc, !As, !As
  return
}

// -----

// Accumulators are in tensor memory.
!As = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
#desc = #tirx.smem_desc<lbo = 16, sbo = 1024, swizzle128B, K>
func.func @f(%As: !As, %flag: i1) {
  // expected-error@+1 {{'tirx.tcgen05.mma' op operand #0 must be tmem buffer, but got '!tirx.buffer<128x64xf16}}
  tirx.tcgen05.mma %As column(0), %As offset(0), %As offset(0) accumulate(%flag)
    shape(128, 128, 16) a_desc(#desc) b_desc(#desc) : !As, !As, !As
  return
}

// -----

// A descriptor is a descriptor.
!As = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
func.func @f(%acc: !Acc, %As: !As, %flag: i1) {
  tirx.tcgen05.mma %acc column(0), %As offset(0), %As offset(0) accumulate(%flag)
    // expected-error@+1 {{expected '<'}}
    shape(128, 128, 16) a_desc("K-major") b_desc("K-major") : !Acc, !As, !As
  return
}

// -----

// Which of the four barriers?
func.func @f(%ring: !tirx.barrier<4>) {
  // expected-error@+1 {{'tirx.tcgen05.commit' op must say which of the 4 barriers it means, as in %bar[%slot]}}
  tirx.tcgen05.commit %ring : !tirx.barrier<4>
  return
}

// -----

// Slots 0 to 3.
func.func @f(%ring: !tirx.barrier<4>) {
  %c4 = arith.constant 4 : index
  // expected-error@+1 {{'tirx.tcgen05.commit' op slot 4 is outside [0, 3], the slots of '!tirx.barrier<4>'}}
  tirx.tcgen05.commit %ring[%c4] : !tirx.barrier<4>
  return
}

// -----

// One CTA or a pair.
!As = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
#desc = #tirx.smem_desc<lbo = 16, sbo = 1024, swizzle128B, K>
func.func @f(%acc: !Acc, %As: !As, %flag: i1) {
  // expected-error@+1 {{'tirx.tcgen05.mma' op cta_group(3) must be 1 or 2 (PTX ISA, .cta_group)}}
  tirx.tcgen05.mma %acc column(0), %As offset(0), %As offset(0) accumulate(%flag)
    shape(128, 128, 16) a_desc(#desc) b_desc(#desc) cta_group(3) : !Acc, !As, !As
  return
}

// -----

// A pair has at least 64 rows a CTA.
!As = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
#desc = #tirx.smem_desc<lbo = 16, sbo = 1024, swizzle128B, K>
func.func @f(%acc: !Acc, %As: !As, %flag: i1) {
  // expected-error@+1 {{'tirx.tcgen05.mma' op M = 64 for kind::f16 cta_group::2; legal: 128, 256}}
  tirx.tcgen05.mma %acc column(0), %As offset(0), %As offset(0) accumulate(%flag)
    shape(64, 128, 16) a_desc(#desc) b_desc(#desc) cta_group(2) : !Acc, !As, !As
  return
}

// -----

// A CTA alone has at most 128 rows.
!As = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
#desc = #tirx.smem_desc<lbo = 16, sbo = 1024, swizzle128B, K>
func.func @f(%acc: !Acc, %As: !As, %flag: i1) {
  // expected-error@+1 {{'tirx.tcgen05.mma' op M = 256 for kind::f16 cta_group::1; legal: 64, 128}}
  tirx.tcgen05.mma %acc column(0), %As offset(0), %As offset(0) accumulate(%flag)
    shape(256, 128, 16) a_desc(#desc) b_desc(#desc) : !Acc, !As, !As
  return
}

// -----

// N over a pair comes in multiples of 32.
!As = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
#desc = #tirx.smem_desc<lbo = 16, sbo = 1024, swizzle128B, K>
func.func @f(%acc: !Acc, %As: !As, %flag: i1) {
  // expected-error@+1 {{'tirx.tcgen05.mma' op N = 8 for kind::f16 cta_group::2 M = 128; legal: multiples of 32 from 32 to 256}}
  tirx.tcgen05.mma %acc column(0), %As offset(0), %As offset(0) accumulate(%flag)
    shape(128, 8, 16) a_desc(#desc) b_desc(#desc) cta_group(2) : !Acc, !As, !As
  return
}

// -----

// Likewise.
func.func @f(%bar: !tirx.barrier<1>) {
  // expected-error@+1 {{'tirx.tcgen05.commit' op cta_group(0) must be 1 or 2 (PTX ISA, .cta_group)}}
  tirx.tcgen05.commit %bar cta_group(0) : !tirx.barrier<1>
  return
}

// -----

// No kind has f64.
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
#k = #tirx.smem_desc<lbo = 16, sbo = 1024, swizzle128B, K>
#mn = #tirx.smem_desc<lbo = 16, sbo = 1024, swizzle128B, MN>
!T = !tirx.buffer<128x128xf64, #tirx.layout<S[(128,128):(128,1)]>, shared>
func.func @f(%acc: !Acc, %s: !T, %flag: i1) {
  // expected-error@+1 {{cannot multiply 'f64' by 'f64'}}
  tirx.tcgen05.mma %acc column(0), %s offset(0), %s offset(0) accumulate(%flag)
    shape(128, 128, 16) a_desc(#k) b_desc(#k) : !Acc, !T, !T
  return
}

// -----

// kind::f8f6f4 has 32 elements of K.
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
#k = #tirx.smem_desc<lbo = 16, sbo = 1024, swizzle128B, K>
#mn = #tirx.smem_desc<lbo = 16, sbo = 1024, swizzle128B, MN>
!T = !tirx.buffer<128x128xf8E4M3FN, #tirx.layout<S[(128,128):(128,1)]>, shared>
func.func @f(%acc: !Acc, %s: !T, %flag: i1) {
  // expected-error@+1 {{k is 16, kind::f8f6f4 has 32}}
  tirx.tcgen05.mma %acc column(0), %s offset(0), %s offset(0) accumulate(%flag)
    shape(128, 128, 16) a_desc(#k) b_desc(#k) : !Acc, !T, !T
  return
}

// -----

// B of bytes that is MN-major has N in multiples of 16.
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
#k = #tirx.smem_desc<lbo = 16, sbo = 1024, swizzle128B, K>
#mn = #tirx.smem_desc<lbo = 16, sbo = 1024, swizzle128B, MN>
!T = !tirx.buffer<128x128xf8E4M3FN, #tirx.layout<S[(128,128):(128,1)]>, shared>
func.func @f(%acc: !Acc, %s: !T, %flag: i1) {
  // expected-error@+1 {{'tirx.tcgen05.mma' op N = 24 with MN-major e4m3 B and cta_group::1; legal: multiples of 16}}
  tirx.tcgen05.mma %acc column(0), %s offset(0), %s offset(0) accumulate(%flag)
    shape(64, 24, 32) a_desc(#k) b_desc(#mn) : !Acc, !T, !T
  return
}
