// RUN: tirx-opt %s -split-input-file -verify-diagnostics

// A tile is the whole CTA's ...
!s = !tirx.buffer<64xf32, #tirx.layout<S[64:1]>, shared>
tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(128) {
    tirx.elect {
      // expected-error@+1 {{'tirx.shared.alloc' op must be directly in the region of tirx.launch}}
      %0 = tirx.shared.alloc : !s
    }
  }
}

// -----

// ... and there is one of it.
!s = !tirx.buffer<64xf32, #tirx.layout<S[64:1]>, shared>
tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(128) {
    scf.for %i = %n to %n step %n {
      // expected-error@+1 {{'tirx.shared.alloc' op must be directly in the region of tirx.launch}}
      %0 = tirx.shared.alloc : !s
    }
  }
}

// -----

// TMA needs an alignment of 128 bytes.
!s = !tirx.buffer<64xf32, #tirx.layout<S[64:1]>, shared>
func.func @f() {
  // expected-error@+1 {{'tirx.shared.alloc' op offset(64) must be a non-negative multiple of 128}}
  %0 = tirx.shared.alloc offset(64) : !s
  return
}

// -----

// Below shared memory there is nothing.
!s = !tirx.buffer<64xf32, #tirx.layout<S[64:1]>, shared>
func.func @f() {
  // expected-error@+1 {{'tirx.shared.alloc' op offset(-128) must be a non-negative multiple of 128}}
  %0 = tirx.shared.alloc offset(-128) : !s
  return
}

// -----

// Kernels do not allocate global memory.
func.func @f() {
  // expected-error@+1 {{'tirx.shared.alloc' op result #0 must be shared buffer, but got '!tirx.buffer<64xf32, global>'}}
  %0 = tirx.shared.alloc : !tirx.buffer<64xf32, global>
  return
}
