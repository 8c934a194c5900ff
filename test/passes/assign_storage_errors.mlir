// More than there is.
//
// RUN: tirx-opt %s --tirx-assign-storage -split-input-file -verify-diagnostics
// RUN: not tirx-opt %s --tirx-assign-storage="max-shared-bytes=500000" -split-input-file 2>&1 | FileCheck %s --check-prefix=MORE

!most = !tirx.buffer<232320xi8, #tirx.layout<S[232320:1]>, shared>
!one = !tirx.buffer<1xi8, #tirx.layout<S[1:1]>, shared>
// MORE: tirx.kernel @shared
// MORE: tirx.shared_bytes = 232449 : i64
tirx.kernel @shared() {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{shared memory needs 232449 bytes, a CTA may have 232448 (CUDA programming guide, compute capabilities: 227 KB)}}
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %b = tirx.mbarrier.alloc : !tirx.barrier<1>
    // expected-note@+1 {{232320 bytes here}}
    %s = tirx.shared.alloc : !most
    // expected-note@+1 {{1 bytes here}}
    %t = tirx.shared.alloc : !one
  }
}

// -----

tirx.kernel @barriers() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %a = tirx.mbarrier.alloc : !tirx.barrier<29000>
    // expected-error@+1 {{of 57 barriers of 8 bytes exceeds the shared memory of a CTA, 232448 bytes (CUDA programming guide, compute capabilities)}}
    %b = tirx.mbarrier.alloc : !tirx.barrier<57>
  }
}

// -----

// No number of barriers wraps around.
tirx.kernel @many_barriers() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    // expected-error@+1 {{of 9223372036854775807 barriers of 8 bytes exceeds the shared memory of a CTA}}
    %b = tirx.mbarrier.alloc : !tirx.barrier<9223372036854775807>
  }
}

// -----

!acc = !tirx.buffer<128x256xf32, #tirx.layout<S[(128,256):(1@TLane,1@TCol)]>, tmem>
!one = !tirx.buffer<128x1xf32, #tirx.layout<S[(128,1):(1@TLane,1@TCol)]>, tmem>
tirx.kernel @columns() {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{tensor memory needs 513 columns, an SM has 512 (PTX ISA, tcgen05.alloc)}}
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    // expected-note@+1 {{256 columns here}}
    %a = tirx.tmem.alloc : !acc
    // expected-note@+1 {{256 columns here}}
    %b = tirx.tmem.alloc : !acc
    // expected-note@+1 {{1 columns here}}
    %c = tirx.tmem.alloc : !one
    tirx.tmem.dealloc %a : !acc
    tirx.tmem.dealloc %b : !acc
    tirx.tmem.dealloc %c : !one
  }
}
