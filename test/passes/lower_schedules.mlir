// Loops over tiles, and the grid that goes with them.
//
// RUN: tirx-opt %s --tirx-lower-schedules -split-input-file -allow-unregistered-dialect | FileCheck %s

// A persistent kernel: one cluster of two CTAs for every two SMs, not more than
// tiles and at least one. The rows that no whole group holds form their own.
// CHECK-LABEL: tirx.kernel @persistent
tirx.kernel @persistent(%X: !tirx.buffer<?x?xf32, global>) {
  %c1 = arith.constant 1 : index
  // CHECK: %[[M:.*]] = tirx.dim %X, 0
  // CHECK: %[[N:.*]] = tirx.dim %X, 1
  %m = tirx.dim %X, 0 : !tirx.buffer<?x?xf32, global>
  %n = tirx.dim %X, 1 : !tirx.buffer<?x?xf32, global>
  // CHECK: %[[TILES:.*]] = arith.muli %[[M]], %[[N]] : index
  // CHECK: %[[C8:.*]] = arith.constant 8 : index
  // CHECK: %[[ROWS:.*]] = arith.minui %[[M]], %[[C8]] : index
  // CHECK: %[[GROUP:.*]] = arith.muli %[[ROWS]], %[[N]] : index
  // CHECK: %[[SMS:.*]] = tirx.sm_count
  // CHECK: %[[C2:.*]] = arith.constant 2 : index
  // CHECK: %[[ROOM:.*]] = arith.divui %[[SMS]], %[[C2]] : index
  // CHECK: %[[SOME:.*]] = arith.minui %[[TILES]], %[[ROOM]] : index
  // CHECK: %[[CLUSTERS:.*]] = arith.maxui %[[SOME]], %{{.*}} : index
  // CHECK: %[[MOST:.*]] = arith.addi %[[TILES]], %[[CLUSTERS]] : index
  // CHECK: %[[LIMIT:.*]] = arith.constant 2147483647 : index
  // CHECK: %[[FITS:.*]] = arith.cmpi ule, %[[MOST]], %[[LIMIT]] : index
  // CHECK: tirx.require %[[FITS]], "the tiles of a schedule and its clusters must together be at most 2147483647: tile numbers have 32 bits"
  // CHECK-NOT: tirx.schedule
  // CHECK: %[[WIDTH:.*]] = arith.constant 2 : index
  // CHECK: %[[CTAS:.*]] = arith.muli %[[CLUSTERS]], %[[WIDTH]] : index
  %tiles = tirx.schedule persistent group(8) over(%m, %n) : !tirx.schedule<2>
  %ctas = tirx.grid_size %tiles : !tirx.schedule<2>
  // CHECK: tirx.launch grid(%[[CTAS]],
  tirx.launch grid(%ctas, %c1, %c1) cluster(2, 1, 1) threads(64) {
    // CHECK: tirx.roles
    tirx.roles {
      // CHECK: tirx.role "load" warps(0)
      tirx.role "load" warps(0) {
        // CHECK-NEXT: %[[CLUSTER:.*]] = tirx.id clx
        // CHECK-NEXT: scf.for %[[I:.*]] = %[[CLUSTER]] to %[[TILES]] step %[[CLUSTERS]] {
        // CHECK-NEXT: %[[G:.*]] = arith.divui %[[I]], %[[GROUP]] : index
        // CHECK-NEXT: %[[GT:.*]] = arith.muli %[[G]], %[[GROUP]] : index
        // CHECK-NEXT: %[[IN:.*]] = arith.subi %[[I]], %[[GT]] : index
        // CHECK-NEXT: %[[SIZE:.*]] = arith.constant 8 : index
        // CHECK-NEXT: %[[FIRST:.*]] = arith.muli %[[G]], %[[SIZE]] : index
        // CHECK-NEXT: %[[LEFT:.*]] = arith.subi %[[M]], %[[FIRST]] : index
        // CHECK-NEXT: %[[HEIGHT:.*]] = arith.minui %[[LEFT]], %[[SIZE]] : index
        // CHECK-NEXT: %[[COLUMN:.*]] = arith.divui %[[IN]], %[[HEIGHT]] : index
        // CHECK-NEXT: %[[CH:.*]] = arith.muli %[[COLUMN]], %[[HEIGHT]] : index
        // CHECK-NEXT: %[[IN_GROUP:.*]] = arith.subi %[[IN]], %[[CH]] : index
        // CHECK-NEXT: %[[ROW:.*]] = arith.addi %[[FIRST]], %[[IN_GROUP]] : index
        // CHECK-NEXT: "test.use"(%[[ROW]], %[[COLUMN]])
        // CHECK-NEXT: }
        tirx.for_tiles (%i, %j) in %tiles : !tirx.schedule<2> {
          "test.use"(%i, %j) : (index, index) -> ()
        }
      }
      // CHECK: tirx.role "mma" warps(1)
      tirx.role "mma" warps(1) {
        // There is nothing to fetch.
        // CHECK-NEXT: tirx.id clx
        // CHECK-NEXT: scf.for
        // CHECK-NOT: tirx.fetch_tiles
        tirx.fetch_tiles %tiles : !tirx.schedule<2>
        tirx.for_tiles (%i, %j) in %tiles : !tirx.schedule<2> {
          "test.use"(%i, %j) : (index, index) -> ()
        }
      }
    }
  }
}

// -----

// One tile a CTA: no loop. Rows are not grouped, and batches run slowest.
// CHECK-LABEL: tirx.kernel @one_tile
// CHECK-SAME: (%[[M:[a-z]+]]: index, %[[N:[a-z]+]]: index, %[[B:[a-z]+]]: index)
tirx.kernel @one_tile(%m: index, %n: index, %b: index) {
  %c1 = arith.constant 1 : index
  // CHECK: %[[PLANE:.*]] = arith.muli %[[M]], %[[N]] : index
  // CHECK: %[[TILES:.*]] = arith.muli %[[PLANE]], %[[B]] : index
  // CHECK: arith.cmpi ule, %[[TILES]],
  // CHECK: tirx.require %{{.*}}, "the tiles of a schedule must be at most 2147483647: tile numbers have 32 bits"
  %tiles = tirx.schedule one_tile over(%m, %n, %b) : !tirx.schedule<3>
  %ctas = tirx.grid_size %tiles : !tirx.schedule<3>
  // CHECK: tirx.launch grid(%[[TILES]],
  tirx.launch grid(%ctas, %c1, %c1) threads(64) {
    // CHECK-NEXT: "test.before"
    "test.before"() : () -> ()
    // CHECK-NEXT: %[[I:.*]] = tirx.id bx
    // CHECK-NEXT: %[[BATCH:.*]] = arith.divui %[[I]], %[[PLANE]] : index
    // CHECK-NEXT: %[[BP:.*]] = arith.muli %[[BATCH]], %[[PLANE]] : index
    // CHECK-NEXT: %[[IN:.*]] = arith.subi %[[I]], %[[BP]] : index
    // CHECK-NEXT: %[[ROW:.*]] = arith.divui %[[IN]], %[[N]] : index
    // CHECK-NEXT: %[[RN:.*]] = arith.muli %[[ROW]], %[[N]] : index
    // CHECK-NEXT: %[[COLUMN:.*]] = arith.subi %[[IN]], %[[RN]] : index
    // CHECK-NEXT: "test.use"(%[[ROW]], %[[COLUMN]], %[[BATCH]])
    // CHECK-NEXT: tirx.cta_sync
    // CHECK-NEXT: "test.after"
    tirx.for_tiles (%i, %j, %k) in %tiles : !tirx.schedule<3> {
      "test.use"(%i, %j, %k) : (index, index, index) -> ()
      tirx.cta_sync
    }
    "test.after"() : () -> ()
  }
}

// -----

// A cluster that spans y and z; one coordinate is the number itself. Constants
// need no check at the launch.
// CHECK-LABEL: tirx.kernel @clusters_in_y
tirx.kernel @clusters_in_y() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c12 = arith.constant 12 : index
  // CHECK-NOT: tirx.require
  %tiles = tirx.schedule one_tile group(4) over(%c12) : !tirx.schedule<1>
  // CHECK: %[[CTAS:.*]] = arith.constant 48 : index
  %ctas = tirx.grid_size %tiles : !tirx.schedule<1>
  // CHECK: tirx.launch grid(%[[CTAS]], %c2, %c1) cluster(4, 2, 1)
  tirx.launch grid(%ctas, %c2, %c1) cluster(4, 2, 1) threads(64) {
    // CHECK-NEXT: %[[I:.*]] = tirx.id clx
    // CHECK-NEXT: "test.use"(%[[I]])
    tirx.for_tiles (%i) in %tiles : !tirx.schedule<1> {
      "test.use"(%i) : (index) -> ()
    }
  }
}
