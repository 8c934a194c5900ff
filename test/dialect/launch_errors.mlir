// RUN: tirx-opt %s -split-input-file -verify-diagnostics

// Less than a warp.
tirx.kernel @k(%n: index) {
  // expected-error@+1 {{'tirx.launch' op threads(0) must be a multiple of 32 between 32 and 1024}}
  tirx.launch grid(%n, %n, %n) threads(0) {
  }
}

// -----

// One and a half warps.
tirx.kernel @k(%n: index) {
  // expected-error@+1 {{'tirx.launch' op threads(48) must be a multiple of 32 between 32 and 1024}}
  tirx.launch grid(%n, %n, %n) threads(48) {
  }
}

// -----

// More than a CTA can have.
tirx.kernel @k(%n: index) {
  // expected-error@+1 {{'tirx.launch' op threads(1056) must be a multiple of 32 between 32 and 1024}}
  tirx.launch grid(%n, %n, %n) threads(1056) {
  }
}

// -----

// A negative number.
tirx.kernel @k(%n: index) {
  // expected-error@+1 {{'tirx.launch' op threads(-32) must be a multiple of 32 between 32 and 1024}}
  tirx.launch grid(%n, %n, %n) threads(-32) {
  }
}

// -----

// Launches belong to kernels.
func.func @f(%n: index) {
  // expected-error@+1 {{'tirx.launch' op expects parent op 'tirx.kernel'}}
  tirx.launch grid(%n, %n, %n) threads(32) {
  }
  return
}

// -----

// Device code takes its inputs from the host part.
tirx.kernel @k(%n: index) {
  // expected-error@+1 {{'tirx.launch' op region takes no arguments}}
  tirx.launch grid(%n, %n, %n) threads(32) {
  ^bb0(%x: index):
    tirx.return
  }
}

// -----

// A grid has three extents.
tirx.kernel @k(%n: index) {
  // expected-error@+1 {{expected ','}}
  tirx.launch grid(%n, %n) threads(32) {
  }
}

// -----

// Extents are of index type.
// expected-note@+1 {{prior use here}}
tirx.kernel @k(%n: i32) {
  // expected-error@+1 {{use of value '%n' expects different type than prior uses: 'index' vs 'i32'}}
  tirx.launch grid(%n, %n, %n) threads(32) {
  }
}

// -----

// Device code has structured control flow only.
tirx.kernel @k(%n: index) {
  // expected-error@+1 {{'tirx.launch' op expects region #0 to have 0 or 1 blocks}}
  tirx.launch grid(%n, %n, %n) threads(32) {
    cf.br ^next
  ^next:
    tirx.return
  }
}

// -----

// The end of a device region, elsewhere.
func.func @f() {
  // expected-error@+1 {{'tirx.return' op expects parent op to be one of 'tirx.launch, tirx.elect, tirx.roles, tirx.role, tirx.for_tiles'}}
  tirx.return
}

// -----

// As for tirx.launch.
func.func @device() {
  // expected-error@+2 {{'tirx.launch_func' op expects parent op 'tirx.kernel'}}
  %c1 = arith.constant 1 : index
  tirx.launch_func @device grid(%c1, %c1, %c1) threads(32) shared_bytes(0) args()
  return
}

// -----

func.func @device() {
  return
}
// As for tirx.launch.
tirx.kernel @k(%n: index) {
  // expected-error@+1 {{'tirx.launch_func' op threads(100) must be a multiple of 32 between 32 and 1024}}
  tirx.launch_func @device grid(%n, %n, %n) threads(100) shared_bytes(0) args()
}

// -----

func.func @device() {
  return
}
// Shared memory has a size.
tirx.kernel @k(%n: index) {
  // expected-error@+1 {{'tirx.launch_func' op shared_bytes(-16) is negative}}
  tirx.launch_func @device grid(%n, %n, %n) threads(32) shared_bytes(-16) args()
}

// -----

// There is no such function.
tirx.kernel @k(%n: index) {
  // expected-error@+1 {{'tirx.launch_func' op callee @device is not a function of the module}}
  tirx.launch_func @device grid(%n, %n, %n) threads(32) shared_bytes(0) args()
}

// -----

// A kernel is not a function.
tirx.kernel @k(%n: index) {
  // expected-error@+1 {{'tirx.launch_func' op callee @k is not a function of the module}}
  tirx.launch_func @k grid(%n, %n, %n) threads(32) shared_bytes(0) args()
}

// -----

func.func @device(%n: index) {
  return
}
// Too many parameters.
tirx.kernel @k(%n: index) {
  // expected-error@+1 {{'tirx.launch_func' op passes 2 parameters to @device, which has 1}}
  tirx.launch_func @device grid(%n, %n, %n) threads(32) shared_bytes(0) args(%n, %n : index, index)
}

// -----

tirx.kernel @k() {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'tirx.launch' op cluster(4, 8, 1) has 32 CTAs, a cluster at most 16 (CUDA programming guide, thread block clusters)}}
  tirx.launch grid(%c1, %c1, %c1) cluster(4, 8, 1) threads(128) {
  }
}

// -----

tirx.kernel @k() {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'tirx.launch' op cluster extent 0 is outside [1, 16]}}
  tirx.launch grid(%c1, %c1, %c1) cluster(2, 0, 1) threads(128) {
  }
}

// -----

tirx.kernel @k() {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'tirx.launch' op cluster has 2 extents, not 3}}
  tirx.launch grid(%c1, %c1, %c1) cluster(2, 1) threads(128) {
  }
}

// -----

func.func @device() {
  return
}
tirx.kernel @k(%n: index) {
  // expected-error@+1 {{'tirx.launch_func' op cluster(16, 2, 1) has 32 CTAs, a cluster at most 16 (CUDA programming guide, thread block clusters)}}
  tirx.launch_func @device grid(%n, %n, %n) cluster(16, 2, 1) threads(32) shared_bytes(0) args()
}

// -----

tirx.kernel @k(%n: index) {
  // Extents whose product would overflow.
  // expected-error@+1 {{'tirx.launch' op cluster extent 9223372036854775807 is outside [1, 16]}}
  tirx.launch grid(%n, %n, %n) cluster(9223372036854775807, 2, 1) threads(32) {
  }
}
