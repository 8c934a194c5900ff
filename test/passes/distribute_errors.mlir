// What tirx-distribute refuses. MLIR adds that the operation failed to legalize.
//
// RUN: tirx-opt %s --tirx-distribute -split-input-file -verify-diagnostics

!shared = !tirx.buffer<128x4xf32, #tirx.layout<S[(128,4):(4,1)]>, shared>
tirx.kernel @not_dispatched() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %s = tirx.shared.alloc : !shared
    // expected-error@+2 {{has not been dispatched: run tirx-dispatch first}}
    // expected-error@+1 {{failed to legalize operation 'tirx.copy'}}
    %f = tirx.copy %s : !shared to tensor<128x4xf32, #tirx.layout<S[(128,4):(1@tx,1)]>>
  }
}

// -----

!shared = !tirx.buffer<128x4xf32, #tirx.layout<S[(128,4):(4,1)]>, shared>
tirx.kernel @wrong_variant() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %s = tirx.shared.alloc : !shared
    // expected-error@+2 {{cannot be dispatched to 'tcgen05_ld': the source is in shared memory, not in tensor memory}}
    // expected-error@+1 {{failed to legalize operation 'tirx.copy'}}
    %f = tirx.copy %s dispatch("tcgen05_ld") : !shared to tensor<128x4xf32, #tirx.layout<S[(128,4):(1@tx,1)]>>
  }
}

// -----

// Threads cannot exchange elements within an elementwise operation. Most
// operations say so themselves.
#rows = #tirx.layout<S[(128,4):(1@tid_in_wg,1)]>
#columns = #tirx.layout<S[(32,4,4):(1@laneid,1,1@wid_in_wg)]>
tirx.kernel @mixed_layouts() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %f = arith.constant dense<1.0> : tensor<128x4xf32, #rows>
    %n = arith.constant dense<2> : tensor<128x4xi32, #columns>
    // expected-error@+2 {{mixes register tiles of different layouts, S[(128,4):(1@tid_in_wg,1)] and S[(32,4,4):(1@laneid,1,1@wid_in_wg)]}}
    // expected-error@+1 {{failed to legalize operation 'math.fpowi'}}
    %g = math.fpowi %f, %n : tensor<128x4xf32, #rows>, tensor<128x4xi32, #columns>
  }
}

// -----

// Which value a thread gets would depend on the thread.
tirx.kernel @constant() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(32) {
    // expected-error@+2 {{of a register tile must have one value for all elements}}
    // expected-error@+1 {{failed to legalize operation 'arith.constant'}}
    %f = arith.constant dense<[1.0, 2.0]> : tensor<2xf32, #tirx.layout<S[2:1@laneid]>>
  }
}

// -----

// Not elementwise.
!shared = !tirx.buffer<32xf32, #tirx.layout<S[32:1]>, shared>
tirx.kernel @not_elementwise() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(32) {
    %s = tirx.shared.alloc : !shared
    %f = tirx.copy %s dispatch("vector") : !shared to tensor<32xf32, #tirx.layout<S[32:1@laneid]>>
    // expected-error@+1 {{failed to legalize operation 'tensor.extract'}}
    %g = tensor.extract %f[%c0] : tensor<32xf32, #tirx.layout<S[32:1@laneid]>>
  }
}

// -----

// Hardware operations whose tile is not what they move.
!acc = !tirx.buffer<128x64xf32, #tirx.layout<S[(128,64):(1@TLane,1@TCol)]>, tmem>
tirx.kernel @tmem_size() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %a = tirx.tmem.alloc : !acc
    // expected-error@+2 {{cannot be distributed: it moves 128x32 elements of 32 bits, not 128x64xf32}}
    // expected-error@+1 {{failed to legalize operation 'tirx.tcgen05.ld'}}
    %f = tirx.tcgen05.ld %a column(0) shape_32x32b num(32) : !acc -> tensor<128x64xf32, #tirx.layout<S[(128,64):(1@tid_in_wg,1)]>>
    tirx.tmem.dealloc %a : !acc
  }
}

// -----

!acc = !tirx.buffer<128x64xf32, #tirx.layout<S[(128,64):(1@TLane,1@TCol)]>, tmem>
tirx.kernel @tmem_layout() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %a = tirx.tmem.alloc : !acc
    %f = arith.constant dense<0.0> : tensor<128x64xf32, #tirx.layout<S[(128,64):(1@tx,1)]>>
    // expected-error@+2 {{cannot be distributed: the register tile's layout is S[(128,64):(1@tx,1)], it gives S[(128,64):(1@tid_in_wg,1)]}}
    // expected-error@+1 {{failed to legalize operation 'tirx.tcgen05.st'}}
    tirx.tcgen05.st %f, %a column(0) shape_32x32b num(64) : tensor<128x64xf32, #tirx.layout<S[(128,64):(1@tx,1)]>> to !acc
    tirx.tmem.dealloc %a : !acc
  }
}

// -----

// Each thread of a broadcast has what it needs, or there is none.
#rows = #tirx.layout<S[(128,8):(1@tid_in_wg,1)]>
tirx.kernel @broadcast() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    // One warp holds it, four need it.
    %warp = arith.constant dense<1.0> : tensor<8xf32, #tirx.layout<S[8:1] + R[32:1@laneid]>>
    // expected-error@+2 {{'tirx.broadcast' op cannot be distributed: threads need elements that others hold: S[8:1] + R[32:1@laneid] to S[(128,8):(1@tid_in_wg,1)]}}
    // expected-error@+1 {{failed to legalize operation 'tirx.broadcast'}}
    %0 = tirx.broadcast %warp : tensor<8xf32, #tirx.layout<S[8:1] + R[32:1@laneid]>> to tensor<128x8xf32, #rows>
  }
}

// -----

#rows = #tirx.layout<S[(128,8):(1@tid_in_wg,1)]>
tirx.kernel @broadcast_spread() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    // A thread holds one element, and needs all.
    %spread = arith.constant dense<1.0> : tensor<8xf32, #tirx.layout<S[8:1@tid_in_wg] + R[16:8@tid_in_wg]>>
    // expected-error@+2 {{threads need elements that others hold}}
    // expected-error@+1 {{failed to legalize operation 'tirx.broadcast'}}
    %0 = tirx.broadcast %spread : tensor<8xf32, #tirx.layout<S[8:1@tid_in_wg] + R[16:8@tid_in_wg]>> to tensor<128x8xf32, #rows>
  }
}
