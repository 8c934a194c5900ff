// clusterlaunchcontrol, from the hardware operations to PTX and through ptxas.
//
// REQUIRES: ptxas
// RUN: tirxc %s --emit=ptx | FileCheck %s --check-prefix=PTX
// RUN: tirxc %s -o %t.txk
// RUN: tirxc info %t.txk | FileCheck %s

// CHECK: "spill_store_bytes": 0
// CHECK: "spill_load_bytes": 0

!responses = !tirx.buffer<1x16xi8, #tirx.layout<S[(1,16):(16,1)]>, shared>
// PTX: .visible .entry count(
tirx.kernel @count(%X: !tirx.buffer<?xi32, global>) {
  %c1 = arith.constant 1 : index
  %n = tirx.dim %X, 0 : !tirx.buffer<?xi32, global>
  tirx.launch grid(%n, %c1, %c1) threads(32) {
    %response = tirx.shared.alloc : !responses
    %bar = tirx.mbarrier.alloc : !tirx.barrier<1>
    tirx.elect {
      tirx.mbarrier.init %bar count(1) : !tirx.barrier<1>
      tirx.fence mbarrier_init
      // PTX: mbarrier.arrive.expect_tx.shared.b64
      tirx.mbarrier.arrive %bar expect_tx(16) : !tirx.barrier<1>
      // PTX: clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128
      tirx.clc.try_cancel %response signal(%bar) : !responses, !tirx.barrier<1>
    }
    tirx.cta_sync
    %first = arith.constant false
    tirx.mbarrier.wait %bar parity(%first) : !tirx.barrier<1>
    // PTX: clusterlaunchcontrol.query_cancel.is_canceled.pred.b128
    // PTX: shfl.sync.idx.b32
    %more = tirx.clc.query_cancel is_canceled %response : !responses -> i1
    scf.if %more {
      // PTX: clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128
      // PTX: shfl.sync.idx.b32
      %x = tirx.clc.query_cancel first_ctaid_x %response : !responses -> index
      %v = arith.constant dense<1> : vector<1xi32>
      tirx.st %v, %X[%x] : vector<1xi32>, index to !tirx.buffer<?xi32, global>
    }
  }
}
