// A persistent loop over tiles: the grid depends on the device, the tile's place
// costs two divisions.
//
// REQUIRES: ptxas
// RUN: tirxc %s --emit=ptx | FileCheck %s --check-prefix=PTX
// RUN: tirxc %s -o %t.txk
// RUN: tirxc info %t.txk | FileCheck %s

// CHECK: "grid": [
// CHECK: "floordiv": [
// CHECK-NEXT: {
// CHECK-NEXT: "sm_count": []
// CHECK-NEXT: },
// CHECK-NEXT: 2
// CHECK: "spill_store_bytes": 0
// CHECK: "spill_load_bytes": 0

// PTX: .visible .entry visit(
// PTX: %clusterid.x
// PTX-COUNT-2: div.u32
// PTX-NOT: div.
// PTX-NOT: rem.
// PTX-NOT: .local
tirx.kernel @visit(%X: !tirx.buffer<?x?xi32, global>) {
  %c1 = arith.constant 1 : index
  %rows = tirx.dim %X, 0 : !tirx.buffer<?x?xi32, global>
  %columns = tirx.dim %X, 1 : !tirx.buffer<?x?xi32, global>
  %tiles = tirx.schedule persistent group(8) over(%rows, %columns) : !tirx.schedule<2>
  %ctas = tirx.grid_size %tiles : !tirx.schedule<2>
  tirx.launch grid(%ctas, %c1, %c1) cluster(2, 1, 1) threads(32) {
    tirx.for_tiles (%m, %n) in %tiles : !tirx.schedule<2> {
      %row = arith.muli %m, %columns : index
      %at = arith.addi %row, %n : index
      %v = arith.constant dense<1> : vector<1xi32>
      tirx.st %v, %X[%at] : vector<1xi32>, index to !tirx.buffer<?x?xi32, global>
    }
  }
}
