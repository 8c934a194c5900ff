// RUN: tirx-opt %s --tirx-lower-roles -verify-diagnostics

// There are 16 named barriers, one of which is tirx.cta_sync's.
tirx.kernel @k() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    tirx.barrier_sync id(1) threads(128)
    tirx.barrier_sync id(2) threads(128)
    tirx.barrier_sync id(3) threads(128)
    tirx.barrier_sync id(4) threads(128)
    tirx.barrier_sync id(5) threads(128)
    tirx.barrier_sync id(6) threads(128)
    tirx.barrier_sync id(7) threads(128)
    tirx.barrier_sync id(8) threads(128)
    tirx.barrier_sync id(9) threads(128)
    tirx.barrier_sync id(10) threads(128)
    tirx.barrier_sync id(11) threads(128)
    tirx.barrier_sync id(12) threads(128)
    tirx.barrier_sync id(13) threads(128)
    tirx.barrier_sync id(14) threads(128)
    tirx.barrier_sync id(15) threads(128)
    tirx.role "all" warps(0 to 4) {
      // expected-error@+1 {{'tirx.role_sync' op needs a named barrier, but all 15 are in use (PTX ISA, bar)}}
      tirx.role_sync
    }
  }
}
