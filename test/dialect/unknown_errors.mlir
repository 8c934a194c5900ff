// What the dialect does not have.
//
// RUN: tirx-opt %s -split-input-file -verify-diagnostics

// No such operation ...
func.func @f() {
  // expected-error@+1 {{custom op 'tirx.gemm' is unknown}}
  tirx.gemm
  return
}

// -----

// ... in the generic form, either.
func.func @f() {
  // expected-error@+1 {{unregistered operation 'tirx.gemm' found in dialect ('tirx') that does not allow unknown operations}}
  "tirx.gemm"() : () -> ()
  return
}

// -----

// No such type.
// expected-error@+1 {{type `tile` in dialect `tirx`}}
func.func private @f(!tirx.tile<128xf32>)

// -----

// No such attribute.
// expected-error@+1 {{unknown attribute `swizzle` in dialect `tirx`}}
func.func private @f() attributes {s = #tirx.swizzle<3, 3, 3>}

// -----

// No such enumerant of an attribute in its generic form.
func.func @f() {
  // expected-error@+1 {{unknown fence 'acquire': expected proxy_async, mbarrier_init, tcgen05_before_thread_sync, tcgen05_after_thread_sync or proxy_async_global}}
  "tirx.fence"() <{kind = #tirx<fence_kind acquire>}> : () -> ()
  return
}

// -----

// An operand that the operation does not have.
func.func @f() {
  %0 = arith.constant 0 : i32
  // expected-error@+1 {{'tirx.cta_sync' op requires zero operands}}
  "tirx.cta_sync"(%0) : (i32) -> ()
  return
}

// -----

// A missing attribute.
func.func @f() {
  // expected-error@+1 {{'tirx.barrier_sync' op requires attribute 'threads'}}
  "tirx.barrier_sync"() <{id = 1 : i64}> : () -> ()
  return
}

// -----

// An attribute of another kind.
func.func @f() {
  // expected-error@+1 {{invalid properties {id = 1.000000e+00 : f64, threads = 32 : i64} for op tirx.barrier_sync: Invalid attribute `id` in property conversion}}
  "tirx.barrier_sync"() <{id = 1.0 : f64, threads = 32 : i64}> : () -> ()
  return
}
