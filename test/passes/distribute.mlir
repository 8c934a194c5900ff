// Register tiles become the vector of one thread's elements.
//
// RUN: tirx-opt %s --tirx-dispatch --tirx-distribute --canonicalize --cse -split-input-file | FileCheck %s

// Elementwise operations, constants, casts, comparisons, selections and math
// stay what they are; scalars beside the tiles, too. 128 x 4 elements over 128
// threads are 4 a thread.
#rows = #tirx.layout<S[(128,4):(1@tid_in_wg,1)]>
!tile = tensor<128x4xf32, #rows>
!shared = !tirx.buffer<128x4xf32, #tirx.layout<S[(128,4):(4,1)]>, shared>
!shared16 = !tirx.buffer<128x4xf16, #tirx.layout<S[(128,4):(4,1)]>, shared>
// CHECK-LABEL: tirx.kernel @elementwise
tirx.kernel @elementwise(%flag: i1, %alpha: f32) {
  %c1 = arith.constant 1 : index
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<4xf32>
  // CHECK: tirx.launch
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %s = tirx.shared.alloc : !shared
    %s16 = tirx.shared.alloc : !shared16
    // CHECK: %[[X:.*]] = tirx.ld {{.*}} -> vector<4xf32>
    %x = tirx.copy %s : !shared to !tile
    %zero = arith.constant dense<0.0> : !tile
    // CHECK: %[[E:.*]] = math.exp2 %[[X]] : vector<4xf32>
    %e = math.exp2 %x : !tile
    // CHECK: %[[M:.*]] = arith.maximumf %[[E]], %[[X]] fastmath<nnan> : vector<4xf32>
    %m = arith.maximumf %e, %x fastmath<nnan> : !tile
    // CHECK: %[[C:.*]] = arith.cmpf ogt, %[[M]], %[[ZERO]] : vector<4xf32>
    %c = arith.cmpf ogt, %m, %zero : !tile
    // CHECK: %[[S:.*]] = arith.select %[[C]], %[[M]], %[[X]] : vector<4xi1>, vector<4xf32>
    %sel = arith.select %c, %m, %x : tensor<128x4xi1, #rows>, !tile
    // CHECK: %[[T:.*]] = arith.select %flag, %[[S]], %[[X]] : vector<4xf32>
    %t = arith.select %flag, %sel, %x : !tile
    // A scalar in every element.
    // CHECK: %[[A:.*]] = vector.broadcast %alpha : f32 to vector<4xf32>
    // CHECK: %[[U:.*]] = arith.mulf %[[T]], %[[A]] : vector<4xf32>
    %alphas = tensor.splat %alpha : !tile
    %u = arith.mulf %t, %alphas : !tile
    // CHECK: %[[H:.*]] = arith.truncf %[[U]] : vector<4xf32> to vector<4xf16>
    %h = arith.truncf %u : !tile to tensor<128x4xf16, #rows>
    // CHECK: tirx.st %[[H]]
    tirx.copy %h to %s16 : tensor<128x4xf16, #rows> to !shared16
  }
}

// -----

// Tiles carried around loops, through branches, and one element a thread.
#rows = #tirx.layout<S[(128,4):(1@tid_in_wg,1)]>
#one = #tirx.layout<S[128:1@tx]>
!tile = tensor<128x4xf32, #rows>
!shared = !tirx.buffer<128x4xf32, #tirx.layout<S[(128,4):(4,1)]>, shared>
!vector = !tirx.buffer<128xi32, #tirx.layout<S[128:1]>, shared>
// CHECK-LABEL: tirx.kernel @control_flow
tirx.kernel @control_flow(%n: index, %flag: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %s = tirx.shared.alloc : !shared
    %v = tirx.shared.alloc : !vector
    %x = tirx.copy %s : !shared to !tile
    // CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (vector<4xf32>)
    // CHECK:   scf.yield %{{.*}} : vector<4xf32>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (!tile) {
      %b = arith.addf %a, %x : !tile
      scf.yield %b : !tile
    }
    // CHECK: %[[IF:.*]] = scf.if %flag -> (vector<4xf32>)
    %chosen = scf.if %flag -> (!tile) {
      %twice = arith.mulf %sum, %sum : !tile
      scf.yield %twice : !tile
    } else {
      scf.yield %sum : !tile
    }
    // CHECK: %[[W:.*]]:2 = scf.while (%{{.*}} = %c0, %{{.*}} = %[[IF]]) : (index, vector<4xf32>) -> (index, vector<4xf32>)
    %w:2 = scf.while (%i = %c0, %t = %chosen) : (index, !tile) -> (index, !tile) {
      %more = arith.cmpi ult, %i, %n : index
      scf.condition(%more) %i, %t : index, !tile
    } do {
    ^bb0(%i: index, %t: !tile):
      %u = arith.addf %t, %x : !tile
      %j = arith.addi %i, %c1 : index
      scf.yield %j, %u : index, !tile
    }
    // CHECK: tirx.st %[[W]]#1
    tirx.copy %w#1 to %s : !tile to !shared
    // CHECK: %[[TX:.*]] = tirx.id tx
    // CHECK: %[[AT:.*]] = arith.remui %[[TX]], %c128
    // CHECK: tirx.ld %{{.*}}[%[[AT]]] {{.*}} -> vector<1xi32>
    %one = tirx.copy %v : !vector to tensor<128xi32, #one>
    // CHECK: arith.muli %{{.*}}, %{{.*}} : vector<1xi32>
    %square = arith.muli %one, %one : tensor<128xi32, #one>
    tirx.copy %square to %v : tensor<128xi32, #one> to !vector
  }
}

// -----

// Registers and global memory: a thread's row is as many 16-byte accesses as it
// takes; constants are added to one base.
#rows = #tirx.layout<S[(128,16):(1@tid_in_wg,1)]>
!matrix = !tirx.buffer<?x?xf32, global>
!out = !tirx.buffer<128x16xf32, global>
// CHECK-LABEL: tirx.kernel @global
tirx.kernel @global(%D: !matrix, %m: index) {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  // CHECK: %[[PITCH:.*]] = tirx.stride %D, 0
  // CHECK: tirx.require {{.*}} "stride of D's axis 0 must be a multiple of 4 elements, for 16-byte accesses"
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %tile = tirx.slice %D[%m, %c16] : !matrix to !out
    // CHECK: %[[TID:.*]] = tirx.id tid_in_wg
    // CHECK: %[[ROW:.*]] = arith.remui %[[TID]], %c128
    // CHECK: %[[M:.*]] = arith.index_cast %m : index to i64
    // CHECK: %[[DOWN:.*]] = arith.muli %[[M]], %[[PITCH]] : i64
    // CHECK: %[[TILE:.*]] = arith.addi %[[DOWN]], %c16_i64 : i64
    // CHECK: %[[ROW64:.*]] = arith.index_cast %[[ROW]] : index to i64
    // CHECK: %[[FURTHER:.*]] = arith.muli %[[ROW64]], %[[PITCH]] : i64
    // CHECK: %[[BASE:.*]] = arith.addi %[[TILE]], %[[FURTHER]] : i64
    // CHECK: %[[V0:.*]] = tirx.ld %D[%[[BASE]]] : i64, {{.*}} -> vector<4xf32>
    // CHECK: %[[AT4:.*]] = arith.addi %[[BASE]], %c4_i64 : i64
    // CHECK: %[[V1:.*]] = tirx.ld %D[%[[AT4]]]
    // CHECK: %[[AT8:.*]] = arith.addi %[[BASE]], %c8_i64 : i64
    // CHECK: %[[V2:.*]] = tirx.ld %D[%[[AT8]]]
    // CHECK: %[[AT12:.*]] = arith.addi %[[BASE]], %c12_i64 : i64
    // CHECK: %[[V3:.*]] = tirx.ld %D[%[[AT12]]]
    %f = tirx.copy %tile : !out to tensor<128x16xf32, #rows>
    %g = arith.negf %f : tensor<128x16xf32, #rows>
    // CHECK: %[[G:.*]] = arith.negf
    // CHECK: %[[P0:.*]] = vector.extract_strided_slice %[[G]] {offsets = [0], sizes = [4]
    // CHECK: tirx.st %[[P0]], %D[%[[BASE]]]
    // CHECK: %[[P1:.*]] = vector.extract_strided_slice %[[G]] {offsets = [4], sizes = [4]
    // CHECK: tirx.st %[[P1]], %D[%[[AT4]]]
    // CHECK: offsets = [8]
    // CHECK: offsets = [12]
    tirx.copy %g to %tile : tensor<128x16xf32, #rows> to !out
  }
}

// -----

// Digits: warp w and lane l hold row 8 w + l % 8, columns 16 (l / 8) and on.
// Shared memory is swizzled, so that each access has its own address; rows that
// are not contiguous in registers take single elements.
#digits = #tirx.layout<S[(8,8,4,16):(1@warpid,1@laneid,8@laneid,1)]>
#columns = #tirx.layout<S[(64,2,32):(1@tx,1,2)]>
!matrix = !tirx.buffer<?x?xf16, global>
!tile = !tirx.buffer<64x64xf16, global>
!shared = !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(64,1)] swizzle(3,3,3)>, shared>
// CHECK-LABEL: tirx.kernel @digits
tirx.kernel @digits(%A: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(256) {
    %s = tirx.shared.alloc : !shared
    %t = tirx.slice %A[%c0, %c0] : !matrix to !tile
    // CHECK: %[[LANE:.*]] = tirx.id laneid
    // CHECK: %[[LOW:.*]] = arith.remui %[[LANE]], %c8
    // CHECK: %[[WARP:.*]] = tirx.id warpid
    // CHECK: %[[W:.*]] = arith.remui %[[WARP]], %c8
    // CHECK: %[[W8:.*]] = arith.muli %[[W]], %c8
    // CHECK: %[[ROW:.*]] = arith.addi %[[LOW]], %[[W8]]
    // CHECK: %[[HIGH:.*]] = arith.divui %[[LANE]], %c8
    // CHECK: %[[QUAD:.*]] = arith.remui %[[HIGH]], %c4
    // CHECK: %[[COLUMN:.*]] = arith.muli %[[QUAD]], %c16
    // CHECK: tirx.ld %A{{.*}} -> vector<8xf16>
    // CHECK: tirx.ld %A{{.*}} -> vector<8xf16>
    %x = tirx.copy %t : !tile to tensor<64x64xf16, #digits>
    // CHECK: %[[R64:.*]] = arith.muli %[[ROW]], %c64
    // CHECK: %[[M:.*]] = arith.addi %[[R64]], %[[COLUMN]]
    // CHECK: %[[AT:.*]] = arith.xori %[[M]]
    // CHECK: tirx.st %{{.*}}[%[[AT]]] : vector<8xf16>
    // CHECK: %[[C8:.*]] = arith.addi %[[COLUMN]], %c8
    // CHECK: %[[M8:.*]] = arith.addi %[[R64]], %[[C8]]
    // CHECK: %[[AT8:.*]] = arith.xori %[[M8]]
    // CHECK: tirx.st %{{.*}}[%[[AT8]]] : vector<8xf16>
    tirx.copy %x to %s : tensor<64x64xf16, #digits> to !shared
    // Register 1 is column 32.
    // CHECK: tirx.ld %{{.*}} -> vector<1xf16>
    // CHECK: arith.addi %{{.*}}, %c32 : index
    // CHECK-COUNT-63: tirx.ld %{{.*}} -> vector<1xf16>
    %y = tirx.copy %s : !shared to tensor<64x64xf16, #columns>
    // CHECK-COUNT-64: tirx.st %{{.*}} : vector<1xf16>
    tirx.copy %y to %s : tensor<64x64xf16, #columns> to !shared
  }
}

// -----

// Tensor memory, 32x32b: an instruction moves a power of two of columns. 96 are
// 64 and 32, 192 are 128 and 64. A copy waits, copy_async does not.
#rows96 = #tirx.layout<S[(128,96):(1@tid_in_wg,1)]>
#rows192 = #tirx.layout<S[(4,32,192):(1@wid_in_wg,1@laneid,1)]>
!acc96 = !tirx.buffer<128x96xf32, #tirx.layout<S[(128,96):(1@TLane,1@TCol)]>, tmem>
!acc192 = !tirx.buffer<128x192xf32, #tirx.layout<S[(128,192):(1@TLane,1@TCol)]>, tmem>
!acc32 = !tirx.buffer<128x32xf32, #tirx.layout<S[(128,32):(1@TLane,1@TCol)]>, tmem>
// CHECK-LABEL: tirx.kernel @columns
tirx.kernel @columns() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %a = tirx.tmem.alloc : !acc96
    %b = tirx.tmem.alloc : !acc192
    %c = tirx.tmem.alloc : !acc32
    // CHECK: %[[L0:.*]] = tirx.tcgen05.ld %{{.*}} column(0) shape_32x32b num(64) {{.*}} -> vector<64xf32>
    // CHECK: %[[L1:.*]] = tirx.tcgen05.ld %{{.*}} column(64) shape_32x32b num(32) {{.*}} -> vector<32xf32>
    // CHECK: tirx.tcgen05.wait ld
    // CHECK: %[[I0:.*]] = vector.insert_strided_slice %[[L0]], %{{.*}} {offsets = [0], strides = [1]} : vector<64xf32> into vector<96xf32>
    // CHECK: %[[I1:.*]] = vector.insert_strided_slice %[[L1]], %[[I0]] {offsets = [64], strides = [1]} : vector<32xf32> into vector<96xf32>
    %f = tirx.copy %a : !acc96 to tensor<128x96xf32, #rows96>
    // CHECK: %[[G:.*]] = arith.negf %[[I1]] : vector<96xf32>
    %g = arith.negf %f : tensor<128x96xf32, #rows96>
    // CHECK: %[[E0:.*]] = vector.extract_strided_slice %[[G]] {offsets = [0], sizes = [64]
    // CHECK: tirx.tcgen05.st %[[E0]], %{{.*}} column(0) shape_32x32b num(64)
    // CHECK: %[[E1:.*]] = vector.extract_strided_slice %[[G]] {offsets = [64], sizes = [32]
    // CHECK: tirx.tcgen05.st %[[E1]], %{{.*}} column(64) shape_32x32b num(32)
    // CHECK: tirx.tcgen05.wait st
    tirx.copy %g to %a : tensor<128x96xf32, #rows96> to !acc96
    // CHECK: tirx.tcgen05.ld %{{.*}} column(0) shape_32x32b num(128)
    // CHECK: tirx.tcgen05.ld %{{.*}} column(128) shape_32x32b num(64)
    // CHECK-NOT: wait
    %h = tirx.copy_async %b : !acc192 to tensor<128x192xf32, #rows192>
    // CHECK: tirx.tcgen05.st %{{.*}} column(0) shape_32x32b num(128)
    // CHECK: tirx.tcgen05.st %{{.*}} column(128) shape_32x32b num(64)
    // CHECK-NOT: wait
    tirx.copy_async %h to %b : tensor<128x192xf32, #rows192> to !acc192
    // One instruction: no slices.
    // CHECK: %[[ALL:.*]] = tirx.tcgen05.ld %{{.*}} column(0) shape_32x32b num(32)
    // CHECK-NOT: wait
    // CHECK: tirx.tcgen05.st %[[ALL]], %{{.*}} column(0) shape_32x32b num(32)
    %i = tirx.copy_async %c : !acc32 to tensor<128x32xf32, #tirx.layout<S[(128,32):(1@tid_in_wg,1)]>>
    tirx.copy_async %i to %c : tensor<128x32xf32, #tirx.layout<S[(128,32):(1@tid_in_wg,1)]>> to !acc32
    tirx.tmem.dealloc %a : !acc96
    tirx.tmem.dealloc %b : !acc192
    tirx.tmem.dealloc %c : !acc32
  }
}

// -----

// The accumulator of M = 64 uses 16 of a warp's 32 lanes; the register tile says
// which of the shapes reads it: 16x64b (2 columns a repeat, 1 register), 16x128b
// (4, 2) or 16x256b (8, 4).
#x64 = #tirx.layout<S[(4,2,8,48,2):(1@wid_in_wg,1@laneid,4@laneid,1,2@laneid)]>
#x128 = #tirx.layout<S[(4,2,8,24,4):(1@wid_in_wg,1,4@laneid,2,1@laneid)]>
#x256 = #tirx.layout<S[(4,2,8,12,4,2):(1@wid_in_wg,2,4@laneid,4,1@laneid,1)]>
!acc = !tirx.buffer<64x96xf32, #tirx.layout<S[(4,16,96):(32@TLane,1@TLane,1@TCol)]>, tmem>
// CHECK-LABEL: tirx.kernel @m64
tirx.kernel @m64() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %a = tirx.tmem.alloc : !acc
    // CHECK: tirx.tcgen05.ld %{{.*}} column(0) shape_16x64b num(32) {{.*}} -> vector<32xf32>
    // CHECK: tirx.tcgen05.ld %{{.*}} column(64) shape_16x64b num(16) {{.*}} -> vector<16xf32>
    %f = tirx.copy %a : !acc to tensor<64x96xf32, #x64>
    // CHECK: tirx.tcgen05.st %{{.*}} column(0) shape_16x64b num(32)
    tirx.copy %f to %a : tensor<64x96xf32, #x64> to !acc
    // CHECK: tirx.tcgen05.ld %{{.*}} column(0) shape_16x128b num(16) {{.*}} -> vector<32xf32>
    // CHECK: tirx.tcgen05.ld %{{.*}} column(64) shape_16x128b num(8) {{.*}} -> vector<16xf32>
    %g = tirx.copy %a : !acc to tensor<64x96xf32, #x128>
    // CHECK: tirx.tcgen05.ld %{{.*}} column(0) shape_16x256b num(8) {{.*}} -> vector<32xf32>
    // CHECK: tirx.tcgen05.ld %{{.*}} column(64) shape_16x256b num(4) {{.*}} -> vector<16xf32>
    %h = tirx.copy %a : !acc to tensor<64x96xf32, #x256>
    // CHECK: tirx.tcgen05.st %{{.*}} column(0) shape_16x256b num(8)
    // CHECK: tirx.tcgen05.st %{{.*}} column(64) shape_16x256b num(4)
    tirx.copy %h to %a : tensor<64x96xf32, #x256> to !acc
    tirx.tmem.dealloc %a : !acc
  }
}

// -----

// Hardware operations written on register tiles.
#rows = #tirx.layout<S[(128,64):(1@tid_in_wg,1)]>
#x256 = #tirx.layout<S[(4,2,8,4,4,2):(1@wid_in_wg,2,4@laneid,4,1@laneid,1)]>
!acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
!half = !tirx.buffer<64x32xf32, #tirx.layout<S[(4,16,32):(32@TLane,1@TLane,1@TCol)]>, tmem>
// CHECK-LABEL: tirx.kernel @hardware
tirx.kernel @hardware() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %a = tirx.tmem.alloc : !acc
    %b = tirx.tmem.alloc : !half
    // CHECK: %[[F:.*]] = tirx.tcgen05.ld %{{.*}} column(64) shape_32x32b num(64) {{.*}} -> vector<64xf32>
    %f = tirx.tcgen05.ld %a column(64) shape_32x32b num(64) : !acc -> tensor<128x64xf32, #rows>
    // CHECK: %[[G:.*]] = arith.negf %[[F]] : vector<64xf32>
    %g = arith.negf %f : tensor<128x64xf32, #rows>
    // CHECK: tirx.tcgen05.st %[[G]], %{{.*}} column(0) shape_32x32b num(64) : vector<64xf32>
    tirx.tcgen05.st %g, %a column(0) shape_32x32b num(64) : tensor<128x64xf32, #rows> to !acc
    // CHECK: tirx.tcgen05.ld %{{.*}} column(0) shape_16x256b num(4) {{.*}} -> vector<16xf32>
    %h = tirx.tcgen05.ld %b column(0) shape_16x256b num(4) : !half -> tensor<64x32xf32, #x256>
    tirx.tmem.dealloc %a : !acc
    tirx.tmem.dealloc %b : !half
  }
}
