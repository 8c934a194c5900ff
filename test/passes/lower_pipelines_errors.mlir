// RUN: tirx-opt %s --tirx-lower-pipelines -split-input-file -verify-diagnostics

!tile = !tirx.buffer<64xf32, #tirx.layout<S[64:1]>, shared>
!ring = !tirx.pipeline<2 x !tile>

// Positions come first.
tirx.kernel @k() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(64) {
    %ring = tirx.pipeline full(threads) empty(threads) : !ring
    tirx.role "fill" warps(1) {
      %t = tirx.acquire %ring : !ring
      tirx.publish %ring : !ring
    }
    tirx.role "use" warps(0) {
      %t = tirx.wait %ring : !ring
      // expected-error@+1 {{'tirx.release' op has no position: run tirx-thread-pipeline-state first}}
      tirx.release %ring : !ring
    }
  }
}
