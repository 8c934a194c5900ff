// Arrival counts that can be reached: the good twins of
// verify_arrivals_errors.mlir.
//
// RUN: tirx-opt %s --tirx-verify | FileCheck %s

// CHECK-LABEL: tirx.kernel @counts
tirx.kernel @counts(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) cluster(2, 1, 1) threads(256) {
    %false = arith.constant false
    %one = tirx.mbarrier.alloc : !tirx.barrier<1>
    %warpgroup = tirx.mbarrier.alloc : !tirx.barrier<1>
    %warp = tirx.mbarrier.alloc : !tirx.barrier<2>
    %lanes = tirx.mbarrier.alloc : !tirx.barrier<1>
    %mixed = tirx.mbarrier.alloc : !tirx.barrier<1>
    %unknown = tirx.mbarrier.alloc : !tirx.barrier<1>
    %remote = tirx.mbarrier.alloc : !tirx.barrier<1>
    tirx.elect {
      tirx.mbarrier.init %one count(3) : !tirx.barrier<1>
      // Two roles of 128, as often as the cluster's CTAs tell.
      tirx.mbarrier.init %warpgroup count(256) : !tirx.barrier<1>
      tirx.mbarrier.init %warp count(32) : !tirx.barrier<2>
      tirx.mbarrier.init %lanes count(8) : !tirx.barrier<1>
      tirx.mbarrier.init %mixed count(129) : !tirx.barrier<1>
      tirx.mbarrier.init %unknown count(7) : !tirx.barrier<1>
      tirx.mbarrier.init %remote count(64) : !tirx.barrier<1>
    }
    %tx = tirx.id tx
    %lane = tirx.id laneid
    %first = arith.cmpi eq, %lane, %c0 : index
    tirx.roles {
      tirx.role "a" warps(0) {
        // Elected by the compiler.
        tirx.mbarrier.arrive %one expect_tx(16) : !tirx.barrier<1>
        tirx.tcgen05.commit %mixed : !tirx.barrier<1>
        tirx.mbarrier.arrive %warp[%c0] : !tirx.barrier<2>
        tirx.mbarrier.arrive %remote cta(%c1) : !tirx.barrier<1>
      }
      tirx.role "b" warps(4 to 8) {
        tirx.mbarrier.arrive %warpgroup : !tirx.barrier<1>
        tirx.mbarrier.arrive %mixed : !tirx.barrier<1>
        // The first lane of each warp.
        scf.if %first {
          tirx.mbarrier.arrive %lanes : !tirx.barrier<1>
        }
        %some = arith.cmpi ult, %tx, %n : index
        scf.if %some {
          tirx.mbarrier.arrive %unknown : !tirx.barrier<1>
        }
      }
    }
    tirx.mbarrier.wait %one parity(%false) : !tirx.barrier<1>
  }
}
