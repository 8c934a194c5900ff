// RUN: tirx-opt %s --tirx-thread-pipeline-state -split-input-file -verify-diagnostics

!tile = !tirx.buffer<64xf32, #tirx.layout<S[64:1]>, shared>
!ring = !tirx.pipeline<2 x !tile>

// The position is that of a whole role, not of a thread.
tirx.kernel @k() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(64) {
    %ring = tirx.pipeline full(threads) empty(threads) : !ring
    // expected-error@+1 {{'tirx.elect' op may not hold operations on pipelines: their position cannot be carried through it}}
    tirx.elect {
      %t = tirx.acquire %ring : !ring
      tirx.publish %ring : !ring
    }
  }
}
