// What tirx-verify refuses. The good twins are in verify.mlir.
//
// RUN: tirx-opt %s --tirx-verify -split-input-file -verify-diagnostics

// One thread: every operation that does the whole work in each thread.
#operand = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
!matrix = !tirx.buffer<?x?xf16, global>
!tile = !tirx.buffer<128x64xf16, global>
!operand = !tirx.buffer<128x64xf16, #operand, shared>
!accumulator = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
!map = !tirx.tensor_map<128x64xf16, swizzle128B>
tirx.kernel @one_thread(%A: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %map = tirx.tensor_map %A : !matrix to !map
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %false = arith.constant false
    %As = tirx.shared.alloc : !operand
    %bar = tirx.mbarrier.alloc : !tirx.barrier<1>
    %acc = tirx.tmem.alloc : !accumulator
    %tile = tirx.slice %A[%c0, %c0] : !matrix to !tile
    // expected-error@+1 {{must be executed by one thread: put it into a tirx.elect (an mbarrier is initialised once)}}
    tirx.mbarrier.init %bar count(1) : !tirx.barrier<1>
    // expected-error@+1 {{put it into a tirx.elect (each thread that executes it does the whole work again)}}
    tirx.mbarrier.arrive %bar expect(%As : !operand) : !tirx.barrier<1>
    // expected-error@+1 {{put it into a tirx.elect (each thread that executes it does the whole work again)}}
    tirx.mbarrier.arrive %bar expect_tx(16384) : !tirx.barrier<1>
    // expected-error@+1 {{put it into a tirx.elect (each thread that executes it does the whole work again)}}
    tirx.copy_async %tile to %As signal(%bar : !tirx.barrier<1>) : !tile to !operand
    // expected-error@+1 {{put it into a tirx.elect (each thread that executes it does the whole work again)}}
    tirx.copy_async %As to %tile : !operand to !tile
    // expected-error@+1 {{put it into a tirx.elect (each thread that executes it does the whole work again)}}
    tirx.tma.load %map[%c0, %c0] to %As offset(0) signal(%bar) : !map to !operand, !tirx.barrier<1>
    // expected-error@+1 {{put it into a tirx.elect (each thread that executes it does the whole work again)}}
    tirx.tma.store %As offset(0) to %map[%c0, %c0] : !operand to !map
    // expected-error@+1 {{put it into a tirx.elect (each thread that executes it does the whole work again)}}
    tirx.bulk.commit_group
    // expected-error@+1 {{put it into a tirx.elect (each thread that executes it does the whole work again)}}
    tirx.bulk.wait_group 0
    // expected-error@+1 {{put it into a tirx.elect (each thread that executes it does the whole work again)}}
    tirx.gemm_async %acc, %As, %As accumulate(%false) : !accumulator, !operand, !operand
    // expected-error@+1 {{put it into a tirx.elect (each thread that executes it does the whole work again)}}
    tirx.tcgen05.mma %acc column(0), %As offset(0), %As offset(0) accumulate(%false)
      shape(128, 128, 16)
      a_desc(<lbo = 16, sbo = 1024, swizzle128B, K>)
      b_desc(<lbo = 16, sbo = 1024, swizzle128B, K>)
      : !accumulator, !operand, !operand
    // expected-error@+1 {{put it into a tirx.elect (threads that issued no MMA would arrive at once)}}
    tirx.tcgen05.commit %bar : !tirx.barrier<1>
    tirx.tmem.dealloc %acc : !accumulator
  }
}

// -----

// Whole CTA, whole warps: none of them in one thread.
#operand = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
#rows = #tirx.layout<S[(128,128):(1@tid_in_wg,1)]>
!matrix = !tirx.buffer<?x?xf16, global>
!tile = !tirx.buffer<128x64xf16, global>
!operand = !tirx.buffer<128x64xf16, #operand, shared>
!accumulator = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
tirx.kernel @elected(%A: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %As = tirx.shared.alloc : !operand
    %acc = tirx.tmem.alloc : !accumulator
    %tile = tirx.slice %A[%c0, %c0] : !matrix to !tile
    // expected-note@+1 {{the tirx.elect is here}}
    tirx.elect {
      // expected-error@+1 {{'tirx.cta_sync' op needs all threads of the CTA, but tirx.elect leaves one}}
      tirx.cta_sync
      // expected-error@+1 {{'tirx.copy' op needs all threads of the CTA, but tirx.elect leaves one}}
      tirx.copy %tile to %As : !tile to !operand
      // expected-error@+1 {{'tirx.copy_async' op needs all threads of the warp, but tirx.elect leaves one}}
      %f = tirx.copy_async %acc : !accumulator to tensor<128x128xf32, #rows>
      // expected-error@+1 {{'tirx.tcgen05.ld' op needs all threads of the warp, but tirx.elect leaves one}}
      %g = tirx.tcgen05.ld %acc column(0) shape_32x32b num(128) : !accumulator -> tensor<128x128xf32, #rows>
      // expected-error@+1 {{'tirx.tcgen05.st' op needs all threads of the warp, but tirx.elect leaves one}}
      tirx.tcgen05.st %g, %acc column(0) shape_32x32b num(128) : tensor<128x128xf32, #rows> to !accumulator
      // expected-error@+1 {{'tirx.tcgen05.wait' op needs all threads of the warp, but tirx.elect leaves one}}
      tirx.tcgen05.wait ld
      // expected-error@+1 {{'tirx.warp_sync' op needs all threads of the warp, but tirx.elect leaves one}}
      tirx.warp_sync
      // expected-error@+1 {{'tirx.barrier_sync' op needs all threads of the warp, but tirx.elect leaves one}}
      tirx.barrier_sync id(1) threads(32)
    }
    tirx.tmem.dealloc %acc : !accumulator
  }
}

// -----

// Every kind of guard.
tirx.kernel @guards(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %tx = tirx.id tx
    %first = arith.cmpi eq, %tx, %c0 : index
    // expected-note@+1 {{it is here}}
    scf.if %first {
      // expected-error@+1 {{'tirx.cta_sync' op needs all threads of the CTA, but lies under a condition that depends on the thread}}
      tirx.cta_sync
    }
    // expected-note@+1 {{it is here}}
    scf.if %first {
    } else {
      scf.for %i = %c0 to %n step %c1 {
        // expected-error@+1 {{lies under a condition that depends on the thread}}
        tirx.cta_sync
      }
    }
    // expected-note@+1 {{it is here}}
    scf.for %i = %tx to %n step %c1 {
      // expected-error@+1 {{lies under a loop bound that depends on the thread}}
      tirx.cta_sync
    }
    // expected-note@+1 {{it is here}}
    scf.for %i = %c0 to %tx step %c1 {
      // expected-error@+1 {{lies under a loop bound that depends on the thread}}
      tirx.cta_sync
    }
    %step = arith.addi %tx, %c1 : index
    // expected-note@+1 {{it is here}}
    scf.for %i = %c0 to %n step %step {
      // expected-error@+1 {{lies under a loop bound that depends on the thread}}
      tirx.cta_sync
    }
    // expected-note@+1 {{it is here}}
    %last = scf.while (%i = %c0) : (index) -> index {
      %more = arith.cmpi ult, %i, %tx : index
      scf.condition(%more) %i : index
    } do {
    ^bb0(%i: index):
      // expected-error@+1 {{lies under a loop condition that depends on the thread}}
      tirx.cta_sync
      %j = arith.addi %i, %c1 : index
      scf.yield %j : index
    }
    // The loop ends elsewhere in each thread.
    // expected-note@+1 {{it is here}}
    scf.index_switch %last
    case 0 {
      // expected-error@+1 {{lies under a condition that depends on the thread}}
      tirx.cta_sync
      scf.yield
    }
    default {
      scf.yield
    }
  }
}

// -----

// Every source of values that differ between threads.
#threads = #tirx.layout<S[(128,32):(1@tx,1)]>
!shared = !tirx.buffer<128x32xf32, #tirx.layout<S[(128,32):(32,1)]>, shared>
tirx.kernel @sources(%X: !tirx.buffer<?xi32, global>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %zero = arith.constant 0 : i32
    %false = arith.constant false
    %at = arith.constant 0 : i64
    %s = tirx.shared.alloc : !shared
    %bar = tirx.mbarrier.alloc : !tirx.barrier<1>
    tirx.elect {
      tirx.mbarrier.init %bar count(1) : !tirx.barrier<1>
    }
    %loaded = tirx.ld %X[%at] : i64, !tirx.buffer<?xi32, global> -> vector<1xi32>
    %element = vector.extract %loaded[0] : i32 from vector<1xi32>
    %isZero = arith.cmpi eq, %element, %zero : i32
    // expected-note@+1 {{it is here}}
    scf.if %isZero {
      // expected-error@+1 {{lies under a condition that depends on the thread}}
      tirx.cta_sync
    }
    %done = tirx.mbarrier.try_wait %bar parity(%false) : !tirx.barrier<1>
    // expected-note@+1 {{it is here}}
    scf.if %done {
      // expected-error@+1 {{lies under a condition that depends on the thread}}
      tirx.cta_sync
    }
    %one = tirx.elect_sync
    // expected-note@+1 {{it is here}}
    scf.if %one {
      // expected-error@+1 {{lies under a condition that depends on the thread}}
      tirx.cta_sync
    }
    // Hardware registers of other dialects.
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %isThread0 = arith.cmpi eq, %tid, %zero : i32
    // expected-note@+1 {{it is here}}
    scf.if %isThread0 {
      // expected-error@+1 {{lies under a condition that depends on the thread}}
      tirx.cta_sync
    }
    %warp = tirx.id warpid
    %isWarp0 = arith.cmpi eq, %warp, %c0 : index
    // expected-note@+1 {{it is here}}
    scf.if %isWarp0 {
      // expected-error@+1 {{'tirx.copy' op needs all threads of the CTA, but lies under a condition that depends on the thread}}
      %f = tirx.copy %s : !shared to tensor<128x32xf32, #threads>
    }
  }
}

// -----

// Dependence survives branches, loops and selections.
tirx.kernel @propagation(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %false = arith.constant false
    %true = arith.constant true
    %tx = tirx.id tx
    %first = arith.cmpi eq, %tx, %c0 : index
    // Constants, but which one depends on the thread.
    %chosen = scf.if %first -> (i1) {
      scf.yield %true : i1
    } else {
      scf.yield %false : i1
    }
    // expected-note@+1 {{it is here}}
    scf.if %chosen {
      // expected-error@+1 {{lies under a condition that depends on the thread}}
      tirx.cta_sync
    }
    // Uniform before the loop, not in its second round.
    %around = scf.for %i = %c0 to %n step %c1 iter_args(%p = %false) -> (i1) {
      // expected-note@+1 {{it is here}}
      scf.if %p {
        // expected-error@+1 {{lies under a condition that depends on the thread}}
        tirx.cta_sync
      }
      scf.yield %first : i1
    }
    // A uniform value of a loop that ends elsewhere in each thread.
    %rounds = scf.for %i = %c0 to %tx step %c1 iter_args(%p = %false) -> (i1) {
      %next = arith.xori %p, %true : i1
      scf.yield %next : i1
    }
    // expected-note@+1 {{it is here}}
    scf.if %rounds {
      // expected-error@+1 {{lies under a condition that depends on the thread}}
      tirx.cta_sync
    }
    // The induction variable begins elsewhere in each thread.
    scf.for %i = %tx to %n step %c1 {
      %even = arith.cmpi eq, %i, %c0 : index
      // expected-note@+1 {{it is here}}
      scf.if %even {
        // expected-error@+1 {{lies under a condition that depends on the thread}}
        tirx.cta_sync
      }
    }
    // Into and out of a while loop.
    %w:2 = scf.while (%i = %c0, %p = %first) : (index, i1) -> (index, i1) {
      %more = arith.cmpi ult, %i, %n : index
      scf.condition(%more) %i, %p : index, i1
    } do {
    ^bb0(%i: index, %p: i1):
      // expected-note@+1 {{it is here}}
      scf.if %p {
        // expected-error@+1 {{lies under a condition that depends on the thread}}
        tirx.cta_sync
      }
      %j = arith.addi %i, %c1 : index
      scf.yield %j, %p : index, i1
    }
    // expected-note@+1 {{it is here}}
    scf.if %w#1 {
      // expected-error@+1 {{lies under a condition that depends on the thread}}
      tirx.cta_sync
    }
    %selected = arith.select %first, %c0, %c1 : index
    // expected-note@+1 {{it is here}}
    scf.for %i = %c0 to %selected step %c1 {
      // expected-error@+1 {{lies under a loop bound that depends on the thread}}
      tirx.cta_sync
    }
  }
}

// -----

// Whole warps under a condition on the lane.
#rows = #tirx.layout<S[(128,32):(1@tid_in_wg,1)]>
!shared = !tirx.buffer<128x32xf32, #tirx.layout<S[(128,32):(32,1)]>, shared>
tirx.kernel @lanes() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %s = tirx.shared.alloc : !shared
    %lane = tirx.id laneid
    %first = arith.cmpi eq, %lane, %c0 : index
    // expected-note@+1 {{it is here}}
    scf.if %first {
      // expected-error@+1 {{'tirx.warp_sync' op needs all threads of the warp, but lies under a condition that depends on the lane}}
      tirx.warp_sync
      // expected-error@+1 {{'tirx.elect' op needs all threads of the warp, but lies under a condition that depends on the lane}}
      tirx.elect {
        tirx.fence mbarrier_init
      }
    }
    // expected-note@+1 {{it is here}}
    scf.if %first {
      // expected-error@+1 {{'tirx.copy' op needs all threads of the warp, but lies under a condition that depends on the lane}}
      %f = tirx.copy %s : !shared to tensor<128x32xf32, #rows>
    }
    // Thread numbers that cut through a warp.
    %c40 = arith.constant 40 : index
    %c63 = arith.constant 63 : index
    %tx = tirx.id tx
    %thread0 = arith.cmpi eq, %tx, %c0 : index
    // expected-note@+1 {{it is here}}
    scf.if %thread0 {
      // expected-error@+1 {{'tirx.elect' op needs all threads of the warp, but lies under a condition that depends on the lane}}
      tirx.elect {
        tirx.fence mbarrier_init
      }
    }
    %below40 = arith.cmpi ult, %tx, %c40 : index
    // expected-note@+1 {{it is here}}
    scf.if %below40 {
      // expected-error@+1 {{lies under a condition that depends on the lane}}
      tirx.warp_sync
    }
    %tid = tirx.id tid_in_wg
    %from63 = arith.cmpi uge, %tid, %c63 : index
    // expected-note@+1 {{it is here}}
    scf.if %from63 {
      // expected-error@+1 {{lies under a condition that depends on the lane}}
      tirx.warp_sync
    }
    %above40 = arith.cmpi sgt, %tid, %c40 : index
    // expected-note@+1 {{it is here}}
    scf.if %above40 {
      // expected-error@+1 {{lies under a condition that depends on the lane}}
      tirx.warp_sync
    }
    %one = tirx.elect_sync
    // expected-note@+1 {{it is here}}
    scf.if %one {
      // expected-error@+1 {{'tirx.tcgen05.wait' op needs all threads of the warp, but lies under a condition that depends on the lane}}
      tirx.tcgen05.wait st
    }
  }
}

// -----

// Barriers.
tirx.kernel @barriers(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    // expected-error@+1 {{is used, but never initialised by a tirx.mbarrier.init}}
    %never = tirx.mbarrier.alloc : !tirx.barrier<1>
    // expected-error@+1 {{is initialised 2 times}}
    %twice = tirx.mbarrier.alloc : !tirx.barrier<1>
    %looped = tirx.mbarrier.alloc : !tirx.barrier<1>
    tirx.mbarrier.arrive %never : !tirx.barrier<1>
    tirx.elect {
      // expected-note@+1 {{here}}
      tirx.mbarrier.init %twice count(1) : !tirx.barrier<1>
    }
    tirx.elect warp(1) {
      // expected-note@+1 {{here}}
      tirx.mbarrier.init %twice count(1) : !tirx.barrier<1>
    }
    scf.for %i = %c0 to %n step %c1 {
      tirx.elect {
        // expected-error@+1 {{lies in a loop: initialising a barrier that is in use is undefined (PTX ISA, mbarrier.init)}}
        tirx.mbarrier.init %looped count(1) : !tirx.barrier<1>
      }
    }
  }
}

// -----

// Tensor memory.
#rows = #tirx.layout<S[(128,32):(1@tid_in_wg,1)]>
!accumulator = !tirx.buffer<128x32xf32, #tirx.layout<S[(128,32):(1@TLane,1@TCol)]>, tmem>
tirx.kernel @tensor_memory(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    // expected-error@+1 {{is never deallocated: tensor memory outlives the kernel and must be given back (PTX ISA, tcgen05.dealloc)}}
    %never = tirx.tmem.alloc : !accumulator
    // expected-error@+1 {{is deallocated 2 times}}
    %twice = tirx.tmem.alloc : !accumulator
    %early = tirx.tmem.alloc : !accumulator
    // expected-note@+1 {{here}}
    tirx.tmem.dealloc %twice : !accumulator
    // expected-note@+1 {{here}}
    tirx.tmem.dealloc %twice : !accumulator
    // expected-note@+1 {{here}}
    tirx.tmem.dealloc %early : !accumulator
    scf.for %i = %c0 to %n step %c1 {
      // expected-error@+1 {{'tirx.copy' op uses a TMEM tile after it was deallocated}}
      %f = tirx.copy %early : !accumulator to tensor<128x32xf32, #rows>
    }
  }
}
