// Places in shared memory and tensor memory.
//
// RUN: tirx-opt %s --tirx-assign-storage -split-input-file | FileCheck %s

// First the word for the TMEM address, then barriers of 8 bytes, then tiles, each
// where its swizzle pattern may begin: 1024, 512 or 256 bytes; 128 is what TMA
// asks of any. Tiles keep their order.
!sw128 = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
!sw64 = !tirx.buffer<8x32xf16, #tirx.layout<S[(8,32):(32,1)] swizzle(3,2,3)>, shared>
!sw32 = !tirx.buffer<8x16xf16, #tirx.layout<S[(8,16):(16,1)] swizzle(3,1,3)>, shared>
!bytes = !tirx.buffer<100xi8, #tirx.layout<S[100:1]>, shared>
!padded = !tirx.buffer<4x60xf32, #tirx.layout<S[(4,60):(64,1)]>, shared>
!acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
// CHECK-LABEL: tirx.kernel @places
tirx.kernel @places() {
  %c1 = arith.constant 1 : index
  // 18304 + 252 * 4 bytes in all.
  // CHECK: tirx.launch {{.*}} attributes {tirx.shared_bytes = 19312 : i64, tirx.tmem_address_offset = 0 : i64, tirx.tmem_columns = 128 : i64}
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    // CHECK: tirx.shared.alloc offset(256) : !tirx.buffer<100xi8
    %b = tirx.shared.alloc : !bytes
    // CHECK: tirx.mbarrier.alloc offset(8) : !tirx.barrier<3>
    %three = tirx.mbarrier.alloc : !tirx.barrier<3>
    // CHECK: tirx.shared.alloc offset(1024) : !tirx.buffer<128x64xf16
    %s128 = tirx.shared.alloc : !sw128
    // CHECK: tirx.tmem.alloc column(0)
    %acc = tirx.tmem.alloc : !acc
    // CHECK: tirx.mbarrier.alloc offset(32) : !tirx.barrier<20>
    %twenty = tirx.mbarrier.alloc : !tirx.barrier<20>
    // 1024 + 16384 = 17408 is a multiple of 512; the tile takes 512 bytes.
    // CHECK: tirx.shared.alloc offset(17408) : !tirx.buffer<8x32xf16
    %s64 = tirx.shared.alloc : !sw64
    // CHECK: tirx.shared.alloc offset(17920) : !tirx.buffer<8x16xf16
    %s32 = tirx.shared.alloc : !sw32
    // CHECK: tirx.shared.alloc offset(18176) : !tirx.buffer<100xi8
    %c = tirx.shared.alloc : !bytes
    // Padding between rows counts, after the last it does not: 3 * 64 + 60
    // elements of 4 bytes.
    // CHECK: tirx.shared.alloc offset(18304) : !tirx.buffer<4x60xf32
    %p = tirx.shared.alloc : !padded
    tirx.tmem.dealloc %acc : !acc
  }
}

// -----

// Columns are of 32 bits and come one tile after the other; what is allocated is
// a power of two.
!f32 = !tirx.buffer<128x96xf32, #tirx.layout<S[(128,96):(1@TLane,1@TCol)]>, tmem>
!f16 = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(1@TLane,1@TCol)]>, tmem>
!i8 = !tirx.buffer<128x6xi8, #tirx.layout<S[(128,6):(1@TLane,1@TCol)]>, tmem>
// CHECK-LABEL: tirx.kernel @columns
tirx.kernel @columns() {
  %c1 = arith.constant 1 : index
  // CHECK: tirx.launch {{.*}}tirx.shared_bytes = 4 : i64
  // CHECK-SAME: tirx.tmem_columns = 256 : i64
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    // CHECK: tirx.tmem.alloc column(0) : !tirx.buffer<128x96xf32
    %a = tirx.tmem.alloc : !f32
    // CHECK: tirx.tmem.alloc column(96) : !tirx.buffer<128x64xf16
    %b = tirx.tmem.alloc : !f16
    // CHECK: tirx.tmem.alloc column(128) : !tirx.buffer<128x6xi8
    %c = tirx.tmem.alloc : !i8
    // CHECK: tirx.tmem.alloc column(130) : !tirx.buffer<128x96xf32
    %d = tirx.tmem.alloc : !f32
    tirx.tmem.dealloc %a : !f32
    tirx.tmem.dealloc %b : !f16
    tirx.tmem.dealloc %c : !i8
    tirx.tmem.dealloc %d : !f32
  }
}

// -----

// At least 32 columns, or none; nothing in shared memory without need.
!two = !tirx.buffer<128x2xf32, #tirx.layout<S[(128,2):(1@TLane,1@TCol)]>, tmem>
// CHECK-LABEL: tirx.kernel @least
tirx.kernel @least() {
  %c1 = arith.constant 1 : index
  // CHECK: tirx.launch {{.*}}tirx.tmem_columns = 32 : i64
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %a = tirx.tmem.alloc : !two
    tirx.tmem.dealloc %a : !two
  }
}
// CHECK-LABEL: tirx.kernel @none
tirx.kernel @none() {
  %c1 = arith.constant 1 : index
  // CHECK: tirx.launch {{.*}}tirx.shared_bytes = 0 : i64
  // CHECK-SAME: tirx.tmem_columns = 0 : i64
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    tirx.cta_sync
  }
}
// Barriers alone begin at 0.
// CHECK-LABEL: tirx.kernel @barriers
tirx.kernel @barriers() {
  %c1 = arith.constant 1 : index
  // CHECK: tirx.launch {{.*}}tirx.shared_bytes = 24 : i64
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    // CHECK: tirx.mbarrier.alloc offset(0)
    %a = tirx.mbarrier.alloc : !tirx.barrier<2>
    // CHECK: tirx.mbarrier.alloc offset(16)
    %b = tirx.mbarrier.alloc : !tirx.barrier<1>
  }
}

// -----

// The whole of both: 512 columns, 232448 bytes.
!acc = !tirx.buffer<128x256xf32, #tirx.layout<S[(128,256):(1@TLane,1@TCol)]>, tmem>
!most = !tirx.buffer<232320xi8, #tirx.layout<S[232320:1]>, shared>
// CHECK-LABEL: tirx.kernel @full
tirx.kernel @full() {
  %c1 = arith.constant 1 : index
  // CHECK: tirx.launch {{.*}}tirx.shared_bytes = 232448 : i64
  // CHECK-SAME: tirx.tmem_columns = 512 : i64
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %a = tirx.tmem.alloc : !acc
    // CHECK: column(256)
    %b = tirx.tmem.alloc : !acc
    // CHECK: offset(128)
    %s = tirx.shared.alloc : !most
    tirx.tmem.dealloc %a : !acc
    tirx.tmem.dealloc %b : !acc
  }
}
