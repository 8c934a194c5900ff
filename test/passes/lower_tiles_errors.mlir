// Tile operations that were not dispatched, or by hand to what does not apply.
// All other refusals are those of tirx-dispatch: dispatch_errors.mlir.
//
// RUN: tirx-opt %s --tirx-lower-tiles -split-input-file -verify-diagnostics

!tile = !tirx.buffer<64x64xf16, global>
!shared = !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(64,1)]>, shared>
tirx.kernel @not_dispatched(%A: !tirx.buffer<?x?xf16, global>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %s = tirx.shared.alloc : !shared
    %tile = tirx.slice %A[%c0, %c0] : !tirx.buffer<?x?xf16, global> to !tile
    // expected-error@+1 {{has not been dispatched: run tirx-dispatch first}}
    tirx.copy %tile to %s : !tile to !shared
  }
}

// -----

// The variant of another operation.
!tile = !tirx.buffer<64x64xf16, global>
!shared = !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(64,1)]>, shared>
tirx.kernel @unknown(%A: !tirx.buffer<?x?xf16, global>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %s = tirx.shared.alloc : !shared
    %tile = tirx.slice %A[%c0, %c0] : !tirx.buffer<?x?xf16, global> to !tile
    // expected-error@+1 {{has no dispatch variant 'tma'; it has 'tcgen05_ld', 'tcgen05_st', 'vector'}}
    tirx.copy %tile to %s dispatch("tma") : !tile to !shared
  }
}

// -----

// A variant that does not apply.
!shared = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)]>, shared>
!acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
tirx.kernel @refused() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %flag = arith.constant false
    %s = tirx.shared.alloc : !shared
    %a = tirx.tmem.alloc : !acc
    tirx.elect {
      // expected-error@+1 {{cannot be dispatched to 'tcgen05': A: layout}}
      tirx.gemm_async %a, %s, %s accumulate(%flag) dispatch("tcgen05") : !acc, !shared, !shared
    }
    tirx.tmem.dealloc %a : !acc
  }
}
