// RUN: tirx-opt %s --tirx-outline-kernels -verify-diagnostics

tirx.kernel @no_storage() {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{has no storage assigned: run tirx-assign-storage first}}
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    tirx.cta_sync
  }
}
