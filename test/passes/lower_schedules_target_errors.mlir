// Not every target can cancel clusters.
//
// RUN: tirx-opt %s --tirx-lower-schedules=launch-control=false -verify-diagnostics
// RUN: not tirxc %s --target=sm_90a --emit=ptx 2>&1 | FileCheck %s

// CHECK: error: 'tirx.schedule' op clc needs clusterlaunchcontrol, which the target does not have (PTX ISA: sm_100 and later)
tirx.kernel @k(%n: index) {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'tirx.schedule' op clc needs clusterlaunchcontrol, which the target does not have (PTX ISA: sm_100 and later)}}
  %tiles = tirx.schedule clc over(%n) : !tirx.schedule<1>
  %ctas = tirx.grid_size %tiles : !tirx.schedule<1>
  tirx.launch grid(%ctas, %c1, %c1) threads(64) {
    tirx.roles {
      tirx.role "schedule" warps(0) {
        tirx.fetch_tiles %tiles : !tirx.schedule<1>
      }
    }
  }
}
