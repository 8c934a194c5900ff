// Loops over tiles that clusterlaunchcontrol hands out, in roles, through ptxas.
//
// REQUIRES: ptxas
// RUN: tirxc %s --emit=ptx | FileCheck %s --check-prefix=PTX
// RUN: tirxc %s -o %t.txk
// RUN: tirxc info %t.txk | FileCheck %s

// CHECK: "spill_store_bytes": 0
// CHECK: "spill_load_bytes": 0

// What the loops go on after is read from shared memory, then shuffled: uniform.
// PTX: .visible .entry visit(
// PTX: mbarrier.init.shared
// PTX: fence.mbarrier_init.release.cluster
// PTX: barrier.cluster.arrive.aligned
// PTX: barrier.cluster.wait.aligned
// PTX-DAG: clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128
// PTX-DAG: clusterlaunchcontrol.query_cancel.is_canceled.pred.b128
// PTX-DAG: mbarrier.arrive.release.cluster.shared::cluster.b64
// PTX-DAG: mbarrier.try_wait.parity.acquire.cluster.shared.b64
// PTX-NOT: .local
tirx.kernel @visit(%X: !tirx.buffer<?x?xi32, global>) {
  %c1 = arith.constant 1 : index
  %rows = tirx.dim %X, 0 : !tirx.buffer<?x?xi32, global>
  %columns = tirx.dim %X, 1 : !tirx.buffer<?x?xi32, global>
  %tiles = tirx.schedule clc group(8) over(%rows, %columns) : !tirx.schedule<2>
  %ctas = tirx.grid_size %tiles : !tirx.schedule<2>
  tirx.launch grid(%ctas, %c1, %c1) cluster(2, 1, 1) threads(96) {
    tirx.roles {
      tirx.role "work" warps(0 to 2) {
        tirx.for_tiles (%m, %n) in %tiles : !tirx.schedule<2> {
          %row = arith.muli %m, %columns : index
          %at = arith.addi %row, %n : index
          %v = arith.constant dense<1> : vector<1xi32>
          tirx.st %v, %X[%at] : vector<1xi32>, index to !tirx.buffer<?x?xi32, global>
        }
      }
      tirx.role "schedule" warps(2) {
        tirx.fetch_tiles %tiles : !tirx.schedule<2>
      }
    }
  }
}
