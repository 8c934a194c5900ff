// Kernels that tirx-verify accepts: each is the good twin of cases in
// verify_errors.mlir. The pass changes nothing.
//
// RUN: tirx-opt %s > %t.before
// RUN: tirx-opt %s --tirx-verify > %t.after
// RUN: diff %t.before %t.after
// RUN: FileCheck %s < %t.after

#operand = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
#accumulator = #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>
#rows = #tirx.layout<S[(128,128):(1@tid_in_wg,1)]>
!matrix = !tirx.buffer<?x?xf16, global>
!tile = !tirx.buffer<128x64xf16, global>
!operand = !tirx.buffer<128x64xf16, #operand, shared>
!accumulator = !tirx.buffer<128x128xf32, #accumulator, tmem>
!map = !tirx.tensor_map<128x64xf16, swizzle128B>

// Every operation in the scope that it needs.
// CHECK-LABEL: tirx.kernel @executors
tirx.kernel @executors(%A: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %map = tirx.tensor_map %A : !matrix to !map
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %false = arith.constant false
    %As = tirx.shared.alloc : !operand
    %Bs = tirx.shared.alloc : !operand
    %bar = tirx.mbarrier.alloc : !tirx.barrier<1>
    %acc = tirx.tmem.alloc : !accumulator
    %tile = tirx.slice %A[%c0, %c0] : !matrix to !tile
    // Whole CTA.
    tirx.cta_sync
    tirx.copy %tile to %As : !tile to !operand
    %f = tirx.copy %acc : !accumulator to tensor<128x128xf32, #rows>
    // Whole warps.
    %g = tirx.copy_async %acc : !accumulator to tensor<128x128xf32, #rows>
    tirx.copy_async %g to %acc : tensor<128x128xf32, #rows> to !accumulator
    %h = tirx.tcgen05.ld %acc column(0) shape_32x32b num(128) : !accumulator -> tensor<128x128xf32, #rows>
    tirx.tcgen05.st %h, %acc column(0) shape_32x32b num(128) : tensor<128x128xf32, #rows> to !accumulator
    tirx.tcgen05.wait ld
    tirx.warp_sync
    tirx.barrier_sync id(1) threads(128)
    // One thread.
    tirx.elect {
      tirx.mbarrier.init %bar count(1) : !tirx.barrier<1>
      tirx.mbarrier.arrive %bar expect(%As : !operand) : !tirx.barrier<1>
      tirx.mbarrier.arrive %bar expect_tx(16384) : !tirx.barrier<1>
      tirx.copy_async %tile to %As signal(%bar : !tirx.barrier<1>) : !tile to !operand
      tirx.copy_async %As to %tile : !operand to !tile
      tirx.tma.load %map[%c0, %c0] to %As offset(0) signal(%bar) : !map to !operand, !tirx.barrier<1>
      tirx.tma.store %As offset(0) to %map[%c0, %c0] : !operand to !map
      tirx.bulk.commit_group
      tirx.bulk.wait_group 0
      tirx.gemm_async %acc, %As, %Bs accumulate(%false) : !accumulator, !operand, !operand
      tirx.tcgen05.mma %acc column(0), %As offset(0), %Bs offset(0) accumulate(%false)
        shape(128, 128, 16)
        a_desc(<lbo = 16, sbo = 1024, swizzle128B, K>)
        b_desc(<lbo = 16, sbo = 1024, swizzle128B, K>)
        : !accumulator, !operand, !operand
      tirx.tcgen05.commit %bar : !tirx.barrier<1>
    }
    // Any thread.
    tirx.mbarrier.arrive %bar : !tirx.barrier<1>
    tirx.mbarrier.wait %bar parity(%false) : !tirx.barrier<1>
    tirx.fence proxy_async
    tirx.tmem.dealloc %acc : !accumulator
  }
}

// Branches and loops that all threads take alike: on arguments, on the CTA, on
// values carried around loops, on extents.
// CHECK-LABEL: tirx.kernel @uniform_guards
tirx.kernel @uniform_guards(%A: !matrix, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %true = arith.constant true
    %bx = tirx.id bx
    %rows = tirx.dim %A, 0 : !matrix
    %first = arith.cmpi eq, %bx, %c0 : index
    scf.if %first {
      tirx.cta_sync
    }
    %tx = tirx.id tx
    // The phase is the same in all threads although the sum beside it is not.
    %sum, %phase = scf.for %i = %bx to %rows step %c1
        iter_args(%s = %tx, %p = %first) -> (index, i1) {
      scf.if %p {
        tirx.cta_sync
      }
      %s2 = arith.addi %s, %tx : index
      %p2 = arith.xori %p, %true : i1
      scf.yield %s2, %p2 : index, i1
    }
    scf.if %phase {
      tirx.cta_sync
    }
    %last, %other = scf.while (%i = %c0, %x = %tx) : (index, index) -> (index, index) {
      %more = arith.cmpi ult, %i, %n : index
      scf.condition(%more) %i, %x : index, index
    } do {
    ^bb0(%i: index, %x: index):
      tirx.cta_sync
      %j = arith.addi %i, %c1 : index
      scf.yield %j, %x : index, index
    }
    scf.index_switch %last
    case 0 {
      tirx.cta_sync
      scf.yield
    }
    default {
      scf.yield
    }
    %chosen = scf.if %first -> (index) {
      scf.yield %c0 : index
    } else {
      scf.yield %n : index
    }
    scf.for %i = %c0 to %chosen step %c1 {
      tirx.cta_sync
    }
  }
}

// What depends on the warp may guard what whole warps execute; what depends on
// the thread may guard what single threads do.
// CHECK-LABEL: tirx.kernel @warp_guards
tirx.kernel @warp_guards() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(256) {
    %false = arith.constant false
    %bar = tirx.mbarrier.alloc : !tirx.barrier<1>
    %acc = tirx.tmem.alloc : !accumulator
    %warp = tirx.id warpid
    %mine = arith.cmpi eq, %warp, %c1 : index
    tirx.elect warp(1) {
      tirx.mbarrier.init %bar count(1) : !tirx.barrier<1>
    }
    scf.if %mine {
      tirx.warp_sync
      tirx.elect warp(1) {
        tirx.mbarrier.arrive %bar : !tirx.barrier<1>
      }
    }
    %group = tirx.id wgid
    %upper = arith.cmpi eq, %group, %c1 : index
    scf.if %upper {
      tirx.barrier_sync id(1) threads(128)
      // A warpgroup's tile is copied by a warpgroup.
      %f = tirx.copy %acc : !accumulator to tensor<128x128xf32, #rows>
    }
    // Thread numbers that say which warps.
    %c64 = arith.constant 64 : index
    %c63 = arith.constant 63 : index
    %tx = tirx.id tx
    %lower = arith.cmpi ult, %tx, %c64 : index
    scf.if %lower {
      tirx.warp_sync
    }
    %others = arith.cmpi ugt, %tx, %c63 : index
    scf.if %others {
      tirx.warp_sync
    }
    %lane = tirx.id laneid
    %one = arith.cmpi eq, %lane, %c0 : index
    scf.if %one {
      tirx.mbarrier.arrive %bar : !tirx.barrier<1>
      tirx.mbarrier.wait %bar parity(%false) : !tirx.barrier<1>
    }
    tirx.tmem.dealloc %acc : !accumulator
  }
}

// A barrier that nobody uses needs no initialisation; two barriers have one
// each; the initialisation may be conditional.
// CHECK-LABEL: tirx.kernel @barriers
tirx.kernel @barriers(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %unused = tirx.mbarrier.alloc : !tirx.barrier<2>
    %a = tirx.mbarrier.alloc : !tirx.barrier<1>
    %b = tirx.mbarrier.alloc : !tirx.barrier<4>
    %some = arith.cmpi ne, %n, %c0 : index
    scf.if %some {
      tirx.elect {
        tirx.mbarrier.init %a count(256) : !tirx.barrier<1>
        tirx.mbarrier.init %b count(128) : !tirx.barrier<4>
      }
    }
    tirx.mbarrier.arrive %a : !tirx.barrier<1>
    tirx.mbarrier.arrive %b[%c1] : !tirx.barrier<4>
  }
}

// Two tiles with lifetimes of their own.
// CHECK-LABEL: tirx.kernel @tensor_memory
tirx.kernel @tensor_memory(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %a = tirx.tmem.alloc : !accumulator
    %b = tirx.tmem.alloc : !accumulator
    scf.for %i = %c0 to %n step %c1 {
      %f = tirx.copy %a : !accumulator to tensor<128x128xf32, #rows>
      tirx.copy %f to %b : tensor<128x128xf32, #rows> to !accumulator
    }
    tirx.tmem.dealloc %a : !accumulator
    %g = tirx.copy %b : !accumulator to tensor<128x128xf32, #rows>
    tirx.tmem.dealloc %b : !accumulator
  }
}
