// What cannot be translated. MLIR adds that the operation failed to legalize.
//
// RUN: tirx-opt %s --convert-tirx-to-nvvm -split-input-file -verify-diagnostics

// expected-error@+2 {{is no outlined kernel: device code may not call functions}}
// expected-error@+1 {{failed to legalize operation 'func.func'}}
func.func @helper() { return }

// -----

// expected-error@+2 {{is no outlined kernel: device code may not call functions}}
// expected-error@+1 {{failed to legalize operation 'func.func'}}
func.func private @elsewhere()

// -----

// expected-error@+2 {{is no outlined kernel: device code may not call functions}}
// expected-error@+1 {{failed to legalize operation 'func.func'}}
func.func @returns() -> i32 attributes {tirx.threads = 128 : i64} {
  %c = arith.constant 1 : i32
  return %c : i32
}

// -----

// expected-error@+2 {{is no outlined kernel: device code may not call functions}}
// expected-error@+1 {{failed to legalize operation 'func.func'}}
func.func @no_threads() attributes {tirx.threads = 0 : i64} { return }

// -----

func.func @calls() attributes {tirx.threads = 128 : i64} {
  // expected-error@+1 {{failed to legalize operation 'func.call'}}
  func.call @calls() : () -> ()
  return
}

// -----

// expected-error@+2 {{has parameters that cannot be passed to a kernel}}
// expected-error@+1 {{failed to legalize operation 'func.func'}}
func.func @parameters(%t: tensor<4xf32>) attributes {tirx.threads = 128 : i64} { return }

// -----

// Passes out of order.
!shared = !tirx.buffer<64xf32, #tirx.layout<S[64:1]>, shared>
func.func @shared() attributes {tirx.threads = 128 : i64} {
  // expected-error@+2 {{has no offset: run tirx-assign-storage first}}
  // expected-error@+1 {{failed to legalize operation 'tirx.shared.alloc'}}
  %s = tirx.shared.alloc : !shared
  return
}

// -----

func.func @barrier() attributes {tirx.threads = 128 : i64} {
  // expected-error@+2 {{has no offset: run tirx-assign-storage first}}
  // expected-error@+1 {{failed to legalize operation 'tirx.mbarrier.alloc'}}
  %s = tirx.mbarrier.alloc : !tirx.barrier<1>
  return
}

// -----

!acc = !tirx.buffer<128x32xf32, #tirx.layout<S[(128,32):(1@TLane,1@TCol)]>, tmem>
func.func @column() attributes {tirx.threads = 128 : i64, tirx.tmem_address_offset = 0 : i64} {
  // expected-error@+2 {{has no column: run tirx-assign-storage first}}
  // expected-error@+1 {{failed to legalize operation 'tirx.tmem.alloc'}}
  %a = tirx.tmem.alloc : !acc
  return
}

// -----

!acc = !tirx.buffer<128x32xf32, #tirx.layout<S[(128,32):(1@TLane,1@TCol)]>, tmem>
func.func @address() attributes {tirx.threads = 128 : i64} {
  // expected-error@+2 {{has no column: run tirx-assign-storage first}}
  // expected-error@+1 {{failed to legalize operation 'tirx.tmem.alloc'}}
  %a = tirx.tmem.alloc column(0) : !acc
  return
}

// -----

// Left over from earlier stages, and what is of no use on a device.
func.func @wait(%phase: i1) attributes {tirx.threads = 128 : i64} {
  %bar = tirx.mbarrier.alloc offset(0) : !tirx.barrier<1>
  // expected-error@+1 {{failed to legalize operation 'tirx.mbarrier.wait'}}
  tirx.mbarrier.wait %bar parity(%phase) : !tirx.barrier<1>
  return
}

// -----

func.func @loop(%n: index) attributes {tirx.threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{failed to legalize operation 'scf.for'}}
  scf.for %i = %c0 to %n step %c1 {
    tirx.cta_sync
  }
  return
}

// -----

func.func @foreign() attributes {tirx.threads = 128 : i64} {
  // expected-error@+1 {{failed to legalize operation 'tensor.empty'}}
  %0 = tensor.empty() : tensor<4xf32>
  return
}

// -----

// expected-error@+1 {{may not be called 'tirx_shared': that is the CTA's shared memory}}
tirx.kernel @tirx_shared() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    tirx.cta_sync
  }
}
