// RUN: tirx-opt %s -split-input-file -verify-diagnostics

// A kernel has a name.
// expected-error@+1 {{expected valid '@'-identifier for symbol name}}
tirx.kernel(%A: f32) {
}

// -----

// Arguments have types.
// expected-error@+1 {{expected ':'}}
tirx.kernel @k(%A) {
}

// -----

// Argument names are distinct, which SSA sees to in the custom form ...
// expected-note@+2 {{previously referenced here}}
// expected-error@+1 {{region entry argument '%A' is already in use}}
tirx.kernel @k(%A: f32, %A: f32) {
}

// -----

// ... and the verifier in the generic form.
// expected-error@+1 {{'tirx.kernel' op argument 'A' appears twice}}
"tirx.kernel"() <{sym_name = "k", argument_types = [f32, f32], argument_names = ["A", "A"]}> ({
^bb0(%a: f32, %b: f32):
  %c1 = arith.constant 1 : index
  "tirx.launch"(%c1, %c1, %c1) <{threads = 32}> ({
    "tirx.return"() : () -> ()
  }) : (index, index, index) -> ()
}) : () -> ()

// -----

// Callers cannot pass an argument that has a number for a name.
// expected-error@+1 {{'tirx.kernel' op argument name '0' is not an identifier: callers pass arguments by it}}
tirx.kernel @k(%0: f32) {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(32) {
  }
}

// -----

// SSA names may hold more than identifiers do.
// expected-error@+1 {{'tirx.kernel' op argument name 'A.x' is not an identifier}}
tirx.kernel @k(%A.x: f32) {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(32) {
  }
}

// -----

// Nor can it be empty.
// expected-error@+1 {{'tirx.kernel' op argument name '' is not an identifier}}
"tirx.kernel"() <{sym_name = "k", argument_types = [f32], argument_names = [""]}> ({
^bb0(%a: f32):
  %c1 = arith.constant 1 : index
  "tirx.launch"(%c1, %c1, %c1) <{threads = 32}> ({
    "tirx.return"() : () -> ()
  }) : (index, index, index) -> ()
}) : () -> ()

// -----

// Every argument has a name.
// expected-error@+1 {{'tirx.kernel' op has 1 argument names for 2 arguments}}
"tirx.kernel"() <{sym_name = "k", argument_types = [f32, f32], argument_names = ["A"]}> ({
^bb0(%a: f32, %b: f32):
  %c1 = arith.constant 1 : index
  "tirx.launch"(%c1, %c1, %c1) <{threads = 32}> ({
    "tirx.return"() : () -> ()
  }) : (index, index, index) -> ()
}) : () -> ()

// -----

// The block's arguments are the kernel's.
// expected-error@+1 {{'tirx.kernel' op has block arguments that differ from its types}}
"tirx.kernel"() <{sym_name = "k", argument_types = [f32], argument_names = ["A"]}> ({
^bb0(%a: i32):
  %c1 = arith.constant 1 : index
  "tirx.launch"(%c1, %c1, %c1) <{threads = 32}> ({
    "tirx.return"() : () -> ()
  }) : (index, index, index) -> ()
}) : () -> ()

// -----

// What a launch passes is memory or a number.
// expected-error@+1 {{'tirx.kernel' op argument 'v' must be a global buffer, an integer or a float, not 'vector<4xf32>'}}
tirx.kernel @k(%v: vector<4xf32>) {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(32) {
  }
}

// -----

// Shared memory does not exist before the launch.
// expected-error@+1 {{'tirx.kernel' op argument 's' must be a global buffer, an integer or a float, not '!tirx.buffer<64xf32, #tirx.layout<S[64:1]>, shared>'}}
tirx.kernel @k(%s: !tirx.buffer<64xf32, #tirx.layout<S[64:1]>, shared>) {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(32) {
  }
}

// -----

// The runtime evaluates expressions, not loops ...
tirx.kernel @k() {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'scf.for' op is not allowed in the host part of a kernel, which the runtime evaluates: use tirx.dim, tirx.stride, tirx.require and integer arith operations}}
  scf.for %i = %c1 to %c1 step %c1 {
  }
  tirx.launch grid(%c1, %c1, %c1) threads(32) {
  }
}

// -----

// ... nor floating-point arithmetic ...
tirx.kernel @k(%x: f32) {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'arith.addf' op is not allowed in the host part of a kernel}}
  %y = arith.addf %x, %x : f32
  tirx.launch grid(%c1, %c1, %c1) threads(32) {
  }
}

// -----

// ... and there are no threads on the host.
tirx.kernel @k() {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'tirx.cta_sync' op is not allowed in the host part of a kernel}}
  tirx.cta_sync
  tirx.launch grid(%c1, %c1, %c1) threads(32) {
  }
}

// -----

// A kernel without device code.
// expected-error@+1 {{'tirx.kernel' op must end in a tirx.launch}}
tirx.kernel @k() {
}

// -----

// Host operations behind the launch.
// expected-error@+1 {{'tirx.kernel' op must end in a tirx.launch}}
tirx.kernel @k() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(32) {
  }
  %c2 = arith.constant 2 : index
}

// -----

// A kernel is one PTX entry.
// expected-error@+1 {{'tirx.kernel' op must contain one tirx.launch}}
tirx.kernel @k() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(32) {
  }
  tirx.launch grid(%c1, %c1, %c1) threads(32) {
  }
}

// -----

// The host part has no control flow.
// expected-error@+1 {{'tirx.kernel' op expects region #0 to have 0 or 1 blocks}}
tirx.kernel @k() {
  %c1 = arith.constant 1 : index
  cf.br ^next
^next:
  tirx.launch grid(%c1, %c1, %c1) threads(32) {
  }
}

// -----

// Rank 2 has axes 0 and 1.
tirx.kernel @k(%A: !tirx.buffer<?x?xf16, global>) {
  // expected-error@+1 {{'tirx.dim' op axis 2 is out of range: the buffer has rank 2}}
  %0 = tirx.dim %A, 2 : !tirx.buffer<?x?xf16, global>
  tirx.launch grid(%0, %0, %0) threads(32) {
  }
}

// -----

// Axes do not count from behind.
tirx.kernel @k(%A: !tirx.buffer<?x?xf16, global>) {
  // expected-error@+1 {{'tirx.stride' op axis -1 is out of range: the buffer has rank 2}}
  %0 = tirx.stride %A, -1 : !tirx.buffer<?x?xf16, global>
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(32) {
  }
}

// -----

// Nobody passes strides of a window.
tirx.kernel @k(%A: !tirx.buffer<?xf16, global>) {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(32) {
    %tile = tirx.slice %A[%c1] : !tirx.buffer<?xf16, global> to !tirx.buffer<64xf16, global>
    // expected-error@+1 {{'tirx.stride' op operand must be a kernel argument}}
    %0 = tirx.stride %tile, 0 : !tirx.buffer<64xf16, global>
  }
}

// -----

// As for extents of a window.
tirx.kernel @k(%A: !tirx.buffer<?xf16, global>) {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(32) {
    %tile = tirx.slice %A[%c1] : !tirx.buffer<?xf16, global> to !tirx.buffer<64xf16, global>
    // expected-error@+1 {{'tirx.dim' op operand must be a kernel argument}}
    %0 = tirx.dim %tile, 0 : !tirx.buffer<64xf16, global>
  }
}

// -----

// Extents of shared memory are in its type.
func.func @f(%s: !tirx.buffer<64xf32, #tirx.layout<S[64:1]>, shared>) {
  // expected-error@+1 {{'tirx.dim' op operand #0 must be global buffer, but got '!tirx.buffer<64xf32, #tirx.layout<S[64:1]>, shared>'}}
  %0 = tirx.dim %s, 0 : !tirx.buffer<64xf32, #tirx.layout<S[64:1]>, shared>
  return
}

// -----

// Requirements are checked before a launch, not in it.
tirx.kernel @k() {
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  tirx.launch grid(%c1, %c1, %c1) threads(32) {
    // expected-error@+1 {{'tirx.require' op expects parent op 'tirx.kernel'}}
    tirx.require %true, "too late"
  }
}

// -----

// Nor what a loop carries, which may be another argument every time.
tirx.kernel @k(%A: !tirx.buffer<?xf16, global>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(32) {
    %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%X = %A) -> (!tirx.buffer<?xf16, global>) {
      // expected-error@+1 {{'tirx.dim' op operand must be a kernel argument}}
      %d = tirx.dim %X, 0 : !tirx.buffer<?xf16, global>
      scf.yield %X : !tirx.buffer<?xf16, global>
    }
  }
}
