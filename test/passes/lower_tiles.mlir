// Tile operations on memory become hardware operations. Copies first, then
// products.
//
// RUN: tirx-opt %s --tirx-dispatch --tirx-lower-tiles --canonicalize --cse -split-input-file | FileCheck %s

// Global to shared: the threads walk over 16-byte pieces. Piece i has elements
// 8i to 8i + 7; 128 rows of 64 have 1024 pieces. The launch checks the pitch.
#swizzled = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
!matrix = !tirx.buffer<?x?xf16, global>
!tile = !tirx.buffer<128x64xf16, global>
!shared = !tirx.buffer<128x64xf16, #swizzled, shared>
// CHECK-LABEL: tirx.kernel @load_swizzled(%A: {{.*}}, %n: index)
tirx.kernel @load_swizzled(%A: !matrix, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[HOSTPITCH:.*]] = tirx.stride %A, 0
  // CHECK: %[[REST:.*]] = arith.remui %[[HOSTPITCH]], %c8_i64 : i64
  // CHECK: %[[WHOLE:.*]] = arith.cmpi eq, %[[REST]], %c0_i64 : i64
  // CHECK: tirx.require %[[WHOLE]], "stride of A's axis 0 must be a multiple of 8 elements, for 16-byte accesses"
  // CHECK: tirx.launch
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    // CHECK: %[[SHARED:.*]] = tirx.shared.alloc
    %s = tirx.shared.alloc : !shared
    // The tile begins at row n.
    // CHECK: %[[N:.*]] = arith.index_cast %n : index to i64
    // CHECK: %[[BASE:.*]] = arith.muli %[[N]], %[[HOSTPITCH]] : i64
    // CHECK: %[[TX:.*]] = tirx.id tx
    // CHECK: scf.for %[[I:.*]] = %[[TX]] to %c1024 step %c128 {
    // CHECK:   %[[LINEAR:.*]] = arith.muli %[[I]], %c8 : index
    // CHECK:   %[[COLUMN:.*]] = arith.remui %[[LINEAR]], %c64 : index
    // CHECK:   %[[ROW:.*]] = arith.divui %[[LINEAR]], %c64 : index
    // CHECK:   %[[ROW64:.*]] = arith.index_cast %[[ROW]] : index to i64
    // CHECK:   %[[DOWN:.*]] = arith.muli %[[ROW64]], %[[HOSTPITCH]] : i64
    // CHECK:   %[[TOROW:.*]] = arith.addi %[[BASE]], %[[DOWN]] : i64
    // CHECK:   %[[COLUMN64:.*]] = arith.index_cast %[[COLUMN]] : index to i64
    // CHECK:   %[[FROM:.*]] = arith.addi %[[TOROW]], %[[COLUMN64]] : i64
    // m = 64 * row + column; bits 3 to 5 of m are xored with bits 6 to 8.
    // CHECK:   %[[M0:.*]] = arith.muli %[[ROW]], %c64 : index
    // CHECK:   %[[M:.*]] = arith.addi %[[M0]], %[[COLUMN]] : index
    // CHECK:   %[[Q:.*]] = arith.divui %[[M]], %c8 : index
    // CHECK:   %[[LINE:.*]] = arith.divui %[[Q]], %c8 : index
    // CHECK:   %[[BITS:.*]] = arith.remui %[[LINE]], %c8 : index
    // CHECK:   %[[MASK:.*]] = arith.muli %[[BITS]], %c8 : index
    // CHECK:   %[[TO:.*]] = arith.xori %[[M]], %[[MASK]] : index
    // CHECK:   %[[DATA:.*]] = tirx.ld %A[%[[FROM]]] : i64, {{.*}} -> vector<8xf16>
    // CHECK:   tirx.st %[[DATA]], %[[SHARED]][%[[TO]]] : vector<8xf16>, index to
    %tile = tirx.slice %A[%n, %c0] : !matrix to !tile
    tirx.copy %tile to %s : !tile to !shared
  }
}

// -----

// Shared to global, padded rows (72 elements a row), 256 threads: the other way
// round, no swizzle.
!matrix = !tirx.buffer<?x?xbf16, global>
!tile = !tirx.buffer<64x64xbf16, global>
!shared = !tirx.buffer<64x64xbf16, #tirx.layout<S[(64,64):(72,1)]>, shared>
// CHECK-LABEL: tirx.kernel @store_padded
tirx.kernel @store_padded(%D: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(256) {
    // CHECK: %[[SHARED:.*]] = tirx.shared.alloc
    %s = tirx.shared.alloc : !shared
    // CHECK: scf.for %[[I:.*]] = %{{.*}} to %c512 step %c256 {
    // CHECK:   %[[COLUMN:.*]] = arith.remui %{{.*}}, %c64 : index
    // CHECK:   %[[ROW:.*]] = arith.divui %{{.*}}, %c64 : index
    // CHECK:   %[[TO:.*]] = arith.addi %{{.*}}, %{{.*}} : i64
    // CHECK:   %[[M:.*]] = arith.muli %[[ROW]], %c72 : index
    // CHECK:   %[[FROM:.*]] = arith.addi %[[M]], %[[COLUMN]] : index
    // CHECK:   %[[DATA:.*]] = tirx.ld %[[SHARED]][%[[FROM]]] : index, {{.*}} -> vector<8xbf16>
    // CHECK:   tirx.st %[[DATA]], %D[%[[TO]]] : vector<8xbf16>, i64 to
    %tile = tirx.slice %D[%c0, %c0] : !matrix to !tile
    tirx.copy %s to %tile : !shared to !tile
  }
}

// -----

// Rank 1, bytes: 16 of them an access. There is no pitch to check or to use.
!vector = !tirx.buffer<?xi8, global>
!tile = !tirx.buffer<512xi8, global>
!shared = !tirx.buffer<512xi8, #tirx.layout<S[512:1]>, shared>
// CHECK-LABEL: tirx.kernel @rank1
tirx.kernel @rank1(%X: !vector) {
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  // CHECK-NOT: tirx.require
  tirx.launch grid(%c1, %c1, %c1) threads(32) {
    %s = tirx.shared.alloc : !shared
    // CHECK: %[[TX:.*]] = tirx.id tx
    // CHECK: scf.for %[[I:.*]] = %[[TX]] to %c32 step %c32 {
    // CHECK:   %[[X:.*]] = arith.muli %[[I]], %c16 : index
    // CHECK:   %[[X64:.*]] = arith.index_cast %[[X]] : index to i64
    // CHECK:   %[[FROM:.*]] = arith.addi %[[X64]], %c256_i64 : i64
    // CHECK:   %[[DATA:.*]] = tirx.ld %X[%[[FROM]]] : i64, {{.*}} -> vector<16xi8>
    // CHECK:   tirx.st %[[DATA]], %{{.*}}[%[[X]]] : vector<16xi8>, index to
    %tile = tirx.slice %X[%c256] : !vector to !tile
    tirx.copy %tile to %s : !tile to !shared
  }
}

// -----

// Rank 3: two strides, each checked; the shared tile's planes are 160 apart,
// its rows 20.
!cube = !tirx.buffer<?x?x?xf32, global>
!tile = !tirx.buffer<3x8x16xf32, global>
!shared = !tirx.buffer<3x8x16xf32, #tirx.layout<S[(3,8,16):(160,20,1)]>, shared>
// CHECK-LABEL: tirx.kernel @rank3
tirx.kernel @rank3(%X: !cube) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[S0:.*]] = tirx.stride %X, 0
  // CHECK: tirx.require {{.*}}, "stride of X's axis 0 must be a multiple of 4 elements, for 16-byte accesses"
  // CHECK: %[[S1:.*]] = tirx.stride %X, 1
  // CHECK: tirx.require {{.*}}, "stride of X's axis 1 must be a multiple of 4 elements, for 16-byte accesses"
  tirx.launch grid(%c1, %c1, %c1) threads(64) {
    %s = tirx.shared.alloc : !shared
    // 3 * 8 * 16 elements are 96 pieces of 4.
    // CHECK: scf.for %[[I:.*]] = %{{.*}} to %c96 step %c64 {
    // CHECK:   %[[LINEAR:.*]] = arith.muli %[[I]], %c4 : index
    // CHECK:   %[[X2:.*]] = arith.remui %[[LINEAR]], %c16 : index
    // CHECK:   %[[UPPER:.*]] = arith.divui %[[LINEAR]], %c16 : index
    // CHECK:   %[[X1:.*]] = arith.remui %[[UPPER]], %c8 : index
    // CHECK:   %[[X0:.*]] = arith.divui %[[UPPER]], %c8 : index
    // CHECK:   %[[X0W:.*]] = arith.index_cast %[[X0]] : index to i64
    // CHECK:   %[[A:.*]] = arith.muli %[[X0W]], %[[S0]] : i64
    // CHECK:   %[[X1W:.*]] = arith.index_cast %[[X1]] : index to i64
    // CHECK:   %[[B:.*]] = arith.muli %[[X1W]], %[[S1]] : i64
    // CHECK:   %[[AB:.*]] = arith.addi %[[A]], %[[B]] : i64
    // CHECK:   %[[X2W:.*]] = arith.index_cast %[[X2]] : index to i64
    // CHECK:   %[[FROM:.*]] = arith.addi %[[AB]], %[[X2W]] : i64
    // CHECK:   %[[P:.*]] = arith.muli %[[X0]], %c160 : index
    // CHECK:   %[[R:.*]] = arith.muli %[[X1]], %c20 : index
    // CHECK:   %[[PR:.*]] = arith.addi %[[P]], %[[R]] : index
    // CHECK:   %[[TO:.*]] = arith.addi %[[PR]], %[[X2]] : index
    // CHECK:   %[[DATA:.*]] = tirx.ld %X[%[[FROM]]]
    // CHECK:   tirx.st %[[DATA]], %{{.*}}[%[[TO]]] : vector<4xf32>
    %tile = tirx.slice %X[%c0, %c0, %c0] : !cube to !tile
    tirx.copy %tile to %s : !tile to !shared
  }
}

// -----

// What cannot be 16 bytes is less: padding of 68 keeps 4 f16 together, a
// transposed tile none, a row of 12 four. A tile that begins in a row where
// nobody knows begins at an odd element for all we know.
!matrix = !tirx.buffer<?x?xf16, global>
!tile = !tirx.buffer<64x64xf16, global>
!padded = !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(68,1)]>, shared>
!turned = !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(1,64)]>, shared>
!plain = !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(64,1)]>, shared>
!short = !tirx.buffer<64x12xf16, #tirx.layout<S[(64,12):(16,1)]>, shared>
// CHECK-LABEL: tirx.kernel @narrow
tirx.kernel @narrow(%A: !matrix, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  // Two widths, two checks; single elements need none.
  // CHECK: tirx.require {{.*}} "stride of A's axis 0 must be a multiple of 4 elements, for 8-byte accesses"
  // CHECK-NOT: tirx.require {{.*}} multiple of 4
  // CHECK: tirx.require {{.*}} "stride of A's axis 0 must be a multiple of 2 elements, for 4-byte accesses"
  // CHECK: tirx.require {{.*}} "stride of A's axis 0 must be a multiple of 8 elements, for 16-byte accesses"
  // CHECK-NOT: tirx.require
  // CHECK: tirx.launch
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %padded = tirx.shared.alloc : !padded
    %turned = tirx.shared.alloc : !turned
    %plain = tirx.shared.alloc : !plain
    %short = tirx.shared.alloc : !short
    %tile = tirx.slice %A[%c0, %c0] : !matrix to !tile
    // CHECK: tirx.ld %A{{.*}} -> vector<4xf16>
    tirx.copy %tile to %padded : !tile to !padded
    // CHECK: tirx.ld %A{{.*}} -> vector<1xf16>
    // CHECK: tirx.st %{{.*}} : vector<1xf16>
    tirx.copy %tile to %turned : !tile to !turned
    %strip = tirx.slice %A[%c0, %c0] : !matrix to !tirx.buffer<64x12xf16, global>
    // CHECK: tirx.ld %A{{.*}} -> vector<4xf16>
    tirx.copy %strip to %short : !tirx.buffer<64x12xf16, global> to !short
    %anywhere = tirx.slice %A[%c0, %n] : !matrix to !tile
    // CHECK: tirx.ld %A{{.*}} -> vector<1xf16>
    tirx.copy %anywhere to %plain : !tile to !plain
    %second = tirx.slice %A[%n, %c2] : !matrix to !tile
    // CHECK: tirx.ld %A{{.*}} -> vector<2xf16>
    tirx.copy %second to %plain : !tile to !plain
    // Multiples stay known through loops and arithmetic: 64 i + 4, 64 bx.
    scf.for %k = %c4 to %n step %c64 {
      %slice = tirx.slice %A[%c0, %k] : !matrix to !tile
      // CHECK: tirx.ld %A{{.*}} -> vector<4xf16>
      tirx.copy %slice to %plain : !tile to !plain
    }
    %bx = tirx.id bx
    %n0 = arith.muli %bx, %c64 : index
    %n1 = arith.addi %n0, %c64 : index
    %block = tirx.slice %A[%c0, %n1] : !matrix to !tile
    // CHECK: tirx.ld %A{{.*}} -> vector<8xf16>
    tirx.copy %block to %plain : !tile to !plain
  }
}

// -----

// TMA: one box where the tile is one; coordinates are the tile's begin. The map
// is made once, in the host part, for both copies of A.
#swizzled = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
!matrix = !tirx.buffer<?x?xf16, global>
!tile = !tirx.buffer<128x64xf16, global>
!shared = !tirx.buffer<128x64xf16, #swizzled, shared>
// CHECK-LABEL: tirx.kernel @tma_box
tirx.kernel @tma_box(%A: !matrix, %B: !matrix, %m: index, %k: index) {
  %c1 = arith.constant 1 : index
  // CHECK: %[[MAPA:.*]] = tirx.tensor_map %A : {{.*}} to !tirx.tensor_map<128x64xf16, swizzle128B>
  // CHECK: %[[MAPB:.*]] = tirx.tensor_map %B : {{.*}} to !tirx.tensor_map<128x64xf16, swizzle128B>
  // CHECK-NOT: tirx.tensor_map %
  // CHECK: tirx.launch
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    // CHECK: %[[A0:.*]] = tirx.shared.alloc
    %a0 = tirx.shared.alloc : !shared
    // CHECK: %[[A1:.*]] = tirx.shared.alloc
    %a1 = tirx.shared.alloc : !shared
    // CHECK: %[[BAR:.*]] = tirx.mbarrier.alloc
    %bar = tirx.mbarrier.alloc : !tirx.barrier<2>
    %here = tirx.slice %A[%m, %k] : !matrix to !tile
    %next = tirx.slice %A[%m, %c1] : !matrix to !tile
    %other = tirx.slice %B[%m, %k] : !matrix to !tile
    // CHECK: tirx.elect {
    tirx.elect {
      // CHECK: tirx.tma.load %[[MAPA]][%m, %k] to %[[A0]] offset(0) signal(%[[BAR]][%c1])
      tirx.copy_async %here to %a0 signal(%bar[%c1] : !tirx.barrier<2>) : !tile to !shared
      // CHECK: tirx.tma.load %[[MAPA]][%m, %c1] to %[[A1]] offset(0) signal(%[[BAR]][%c1])
      tirx.copy_async %next to %a1 signal(%bar[%c1] : !tirx.barrier<2>) : !tile to !shared
      // CHECK: tirx.tma.store %[[A1]] offset(0) to %[[MAPB]][%m, %k]
      tirx.copy_async %a1 to %other : !shared to !tile
    }
  }
}

// -----

// A tile wider than the swizzle is cut into boxes of its width, here 64 columns
// and 16 KB each.
#staging = #tirx.layout<S[(128,2,64):(64,8192,1)] swizzle(3,3,3)>
!matrix = !tirx.buffer<?x?xf16, global>
!tile = !tirx.buffer<128x128xf16, global>
!shared = !tirx.buffer<128x128xf16, #staging, shared>
// CHECK-LABEL: tirx.kernel @tma_columns
tirx.kernel @tma_columns(%D: !matrix, %m: index, %n: index) {
  %c1 = arith.constant 1 : index
  // CHECK: %[[MAP:.*]] = tirx.tensor_map %D : {{.*}} to !tirx.tensor_map<128x64xf16, swizzle128B>
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    // CHECK: %[[S:.*]] = tirx.shared.alloc
    %s = tirx.shared.alloc : !shared
    %tile = tirx.slice %D[%m, %n] : !matrix to !tile
    tirx.elect {
      // CHECK: tirx.tma.store %[[S]] offset(0) to %[[MAP]][%m, %n]
      // CHECK: %[[RIGHT:.*]] = arith.addi %n, %c64 : index
      // CHECK: tirx.tma.store %[[S]] offset(16384) to %[[MAP]][%m, %[[RIGHT]]]
      tirx.copy_async %s to %tile : !shared to !tile
    }
  }
}

// -----

// A box has at most 256 rows: 512 rows are two.
!matrix = !tirx.buffer<?x?xf32, global>
!tile = !tirx.buffer<512x8xf32, global>
!shared = !tirx.buffer<512x8xf32, #tirx.layout<S[(512,8):(8,1)]>, shared>
// CHECK-LABEL: tirx.kernel @tma_rows
tirx.kernel @tma_rows(%A: !matrix, %m: index, %n: index) {
  %c1 = arith.constant 1 : index
  // CHECK: tirx.tensor_map %A : {{.*}} to !tirx.tensor_map<256x8xf32, none>
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %s = tirx.shared.alloc : !shared
    %bar = tirx.mbarrier.alloc : !tirx.barrier<1>
    %tile = tirx.slice %A[%m, %n] : !matrix to !tile
    tirx.elect {
      // CHECK: tirx.tma.load %{{.*}}[%m, %n] to %{{.*}} offset(0)
      // CHECK: %[[BELOW:.*]] = arith.addi %m, %c256 : index
      // CHECK: tirx.tma.load %{{.*}}[%[[BELOW]], %n] to %{{.*}} offset(8192)
      tirx.copy_async %tile to %s signal(%bar : !tirx.barrier<1>) : !tile to !shared
    }
  }
}

// -----

// Swizzles of 32 and 64 bytes; rank 3; bytes. A map a type of box.
!matrix = !tirx.buffer<?x?x?xi8, global>
!tile32 = !tirx.buffer<2x64x32xi8, global>
!tile64 = !tirx.buffer<2x64x64xi8, global>
!shared32 = !tirx.buffer<2x64x32xi8, #tirx.layout<S[(128,32):(32,1)] swizzle(4,1,3)>, shared>
!shared64 = !tirx.buffer<2x64x64xi8, #tirx.layout<S[(128,64):(64,1)] swizzle(4,2,3)>, shared>
// CHECK-LABEL: tirx.kernel @tma_swizzles
tirx.kernel @tma_swizzles(%A: !matrix, %b: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[MAP32:.*]] = tirx.tensor_map %A : {{.*}} to !tirx.tensor_map<2x64x32xi8, swizzle32B>
  // CHECK: %[[MAP64:.*]] = tirx.tensor_map %A : {{.*}} to !tirx.tensor_map<2x64x64xi8, swizzle64B>
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %s32 = tirx.shared.alloc : !shared32
    %s64 = tirx.shared.alloc : !shared64
    %bar = tirx.mbarrier.alloc : !tirx.barrier<1>
    %a32 = tirx.slice %A[%b, %c0, %c0] : !matrix to !tile32
    %a64 = tirx.slice %A[%b, %c0, %c0] : !matrix to !tile64
    tirx.elect {
      // CHECK: tirx.tma.load %[[MAP32]][%b, %c0, %c0]
      tirx.copy_async %a32 to %s32 signal(%bar : !tirx.barrier<1>) : !tile32 to !shared32
      // CHECK: tirx.tma.load %[[MAP64]][%b, %c0, %c0]
      tirx.copy_async %a64 to %s64 signal(%bar : !tirx.barrier<1>) : !tile64 to !shared64
    }
  }
}

// -----

// A K x M tile goes in boxes along M, 64 elements wide, below each other in
// shared memory; bytes are maps of f8. A vector is one box.
!matrix = !tirx.buffer<?x?xf16, global>
!tile = !tirx.buffer<64x128xf16, global>
!shared = !tirx.buffer<64x128xf16, #tirx.layout<S[(64,2,64):(64,4096,1)] swizzle(3,3,3)>, shared>
!bytes = !tirx.buffer<?x?xf8E5M2, global>
!tile8 = !tirx.buffer<64x128xf8E5M2, global>
!shared8 = !tirx.buffer<64x128xf8E5M2, #tirx.layout<S[(64,128):(128,1)] swizzle(4,3,3)>, shared>
!vector = !tirx.buffer<?xf32, global>
!bias = !tirx.buffer<192xf32, global>
!biasS = !tirx.buffer<192xf32, #tirx.layout<S[192:1]>, shared>
// CHECK-LABEL: tirx.kernel @tma_turned
tirx.kernel @tma_turned(%A: !matrix, %Q: !bytes, %V: !vector, %k: index, %m: index) {
  %c1 = arith.constant 1 : index
  // CHECK: tirx.tensor_map %A : {{.*}} to !tirx.tensor_map<64x64xf16, swizzle128B>
  // CHECK: tirx.tensor_map %Q : {{.*}} to !tirx.tensor_map<64x128xf8E5M2, swizzle128B>
  // CHECK: tirx.tensor_map %V : {{.*}} to !tirx.tensor_map<192xf32, none>
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %s = tirx.shared.alloc : !shared
    %s8 = tirx.shared.alloc : !shared8
    %v = tirx.shared.alloc : !biasS
    %bar = tirx.mbarrier.alloc : !tirx.barrier<1>
    %tile = tirx.slice %A[%k, %m] : !matrix to !tile
    %tile8 = tirx.slice %Q[%k, %m] : !bytes to !tile8
    %bias = tirx.slice %V[%m] : !vector to !bias
    tirx.elect {
      // CHECK: tirx.tma.load %{{.*}}[%k, %m] to %{{.*}} offset(0)
      // CHECK: %[[RIGHT:.*]] = arith.addi %m, %c64{{.*}} : index
      // CHECK: tirx.tma.load %{{.*}}[%k, %[[RIGHT]]] to %{{.*}} offset(8192)
      tirx.copy_async %tile to %s signal(%bar : !tirx.barrier<1>) : !tile to !shared
      // CHECK: tirx.tma.load %{{.*}}[%k, %m] to %{{.*}} offset(0)
      tirx.copy_async %tile8 to %s8 signal(%bar : !tirx.barrier<1>) : !tile8 to !shared8
      // CHECK: tirx.tma.load %{{.*}}[%m] to %{{.*}} offset(0)
      // CHECK-NOT: tirx.tma.load
      tirx.copy_async %bias to %v signal(%bar : !tirx.barrier<1>) : !bias to !biasS
    }
  }
}

// -----

// A 1 x 128 x 64 slice of a batch is a tile of 128 x 64; the CTAs of a cluster
// share its rows, not the batch.
!batch = !tirx.buffer<?x?x?xf16, global>
!slice = !tirx.buffer<1x128x64xf16, global>
!shared = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
// CHECK-LABEL: tirx.kernel @batch
tirx.kernel @batch(%A: !batch, %l: index, %m: index, %k: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  // CHECK: %[[MAP:.*]] = tirx.tensor_map %A : {{.*}} to !tirx.tensor_map<1x128x64xf16, swizzle128B>
  // CHECK: %[[HALF:.*]] = tirx.tensor_map %A : {{.*}} to !tirx.tensor_map<1x64x64xf16, swizzle128B>
  tirx.launch grid(%c2, %c1, %c1) cluster(2, 1, 1) threads(128) {
    %s = tirx.shared.alloc : !shared
    %bar = tirx.mbarrier.alloc : !tirx.barrier<1>
    %tile = tirx.slice %A[%l, %m, %k] : !batch to !slice
    tirx.elect {
      // CHECK: tirx.tma.load %[[MAP]][%l, %m, %k] to %{{.*}} offset(0)
      tirx.copy_async %tile to %s signal(%bar : !tirx.barrier<1>) : !slice to !shared
      // CHECK: tirx.tma.store %{{.*}} offset(0) to %[[MAP]][%l, %m, %k]
      tirx.copy_async %s to %tile : !shared to !slice
      // CHECK: %[[M:.*]] = arith.addi %m, %{{.*}} : index
      // CHECK: tirx.tma.load %[[HALF]][%l, %[[M]], %k] to %{{.*}} offset(0, %{{.*}}) signal(%{{.*}}) multicast(%{{.*}})
      tirx.copy_async %tile to %s signal(%bar : !tirx.barrier<1>) multicast(cbx) : !slice to !shared
    }
    // Other copies step by the strides of the last axes.
    // CHECK: %[[S1:.*]] = tirx.stride %A, 1
    // CHECK: scf.for
    // CHECK: %[[ROW:.*]] = arith.divui %{{.*}}, %c64{{.*}} : index
    // CHECK: %[[ROW64:.*]] = arith.index_cast %[[ROW]] : index to i64
    // CHECK: arith.muli %[[ROW64]], %[[S1]] : i64
    // CHECK: tirx.ld %A
    tirx.copy %tile to %s : !slice to !shared
  }
}
