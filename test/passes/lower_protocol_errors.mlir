// Passes out of order.
//
// RUN: tirx-opt %s --tirx-lower-protocol -split-input-file -verify-diagnostics

!acc = !tirx.buffer<128x32xf32, #tirx.layout<S[(128,32):(1@TLane,1@TCol)]>, tmem>
tirx.kernel @no_storage() {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{has no storage assigned: run tirx-assign-storage first}}
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %a = tirx.tmem.alloc : !acc
    tirx.tmem.dealloc %a : !acc
  }
}

// -----

!acc = !tirx.buffer<128x32xf32, #tirx.layout<S[(128,32):(1@TLane,1@TCol)]>, tmem>
tirx.kernel @not_verified() {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{allocates tensor memory, but never gives it back: run tirx-verify first}}
  tirx.launch grid(%c1, %c1, %c1) threads(128) attributes {tirx.tmem_columns = 32 : i64, tirx.tmem_address_offset = 0 : i64} {
    %a = tirx.tmem.alloc column(0) : !acc
  }
}
