// Roles that tirx-verify accepts: the good twins of verify_roles_errors.mlir.
//
// RUN: tirx-opt %s --tirx-verify | FileCheck %s

#operand = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
#rows = #tirx.layout<S[(128,128):(1@tid_in_wg,1)]>
!matrix = !tirx.buffer<?x?xf16, global>
!tile = !tirx.buffer<128x64xf16, global>
!row = !tirx.buffer<64xf16, #tirx.layout<S[(64):(1)]>, shared>
!operand = !tirx.buffer<128x64xf16, #operand, shared>
!accumulator = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>

// In a role of one warp the compiler elects; in larger ones the kernel does.
// CHECK-LABEL: tirx.kernel @executors
tirx.kernel @executors(%A: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(256) {
    %false = arith.constant false
    %As = tirx.shared.alloc : !operand
    %bar = tirx.mbarrier.alloc : !tirx.barrier<1>
    %acc = tirx.tmem.alloc : !accumulator
    %tile = tirx.slice %A[%c0, %c0] : !matrix to !tile
    tirx.role "init" warps(0) {
      tirx.mbarrier.init %bar count(1) : !tirx.barrier<1>
      tirx.fence mbarrier_init
    }
    tirx.cta_sync
    %bx = tirx.id bx
    %first = arith.cmpi eq, %bx, %c0 : index
    scf.if %first {
      tirx.role "one" warps(3) {
        tirx.mbarrier.arrive %bar expect(%As : !operand) : !tirx.barrier<1>
        tirx.copy_async %tile to %As signal(%bar : !tirx.barrier<1>) : !tile to !operand
        tirx.gemm_async %acc, %As, %As accumulate(%false) : !accumulator, !operand, !operand
        tirx.tcgen05.commit %bar : !tirx.barrier<1>
        tirx.copy_async %As to %tile : !operand to !tile
        tirx.bulk.commit_group
        tirx.bulk.wait_group 0
      }
    }
    %warp = tirx.id warpid
    %tx = tirx.id tx
    %odd = arith.cmpi eq, %tx, %c1 : index
    %row = tirx.shared.alloc : !row
    tirx.roles {
      tirx.role "load" warps(0) {
        tirx.warp_sync
        tirx.role_sync
        // A condition on the warp is none in a role of one.
        %mine = arith.cmpi eq, %warp, %c0 : index
        scf.if %mine {
          tirx.role_sync
          tirx.mbarrier.arrive %bar expect_tx(16) : !tirx.barrier<1>
        }
      }
      tirx.role "store" warps(4 to 8) {
        // A tile that every thread holds.
        scf.if %odd {
          %all = tirx.copy %row : !row to tensor<64xf16, #tirx.layout<S[(64):(1)]>>
        }
        %f = tirx.copy %acc : !accumulator to tensor<128x128xf32, #rows>
        tirx.tcgen05.wait ld
        tirx.role_sync
        tirx.elect warp(4) {
          tirx.copy_async %As to %tile : !operand to !tile
        }
        tirx.setmaxnreg increase 200
        %fifth = arith.cmpi eq, %warp, %c1 : index
        scf.if %fifth {
          tirx.warp_sync
        }
        scf.for %i = %c0 to %bx step %c1 {
          tirx.role_sync
        }
      }
    }
    tirx.tmem.dealloc %acc : !accumulator
  }
}

// Named barriers: of a role, of two, arrival and wait, of some warps of a role,
// of threads that nobody can count.
// CHECK-LABEL: tirx.kernel @named
tirx.kernel @named(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) cluster(2, 1, 1) threads(384) {
    %group = tirx.id wgid
    %warp = tirx.id warpid
    tirx.barrier_sync id(7) threads(384)
    %second = arith.cmpi eq, %group, %c1 : index
    scf.if %second {
      tirx.barrier_sync id(6) threads(128)
    } else {
      tirx.barrier_sync id(5) threads(256)
    }
    %two = arith.cmpi ult, %warp, %n : index
    scf.if %two {
      tirx.barrier_sync id(4) threads(64)
    }
    tirx.roles {
      tirx.role "a" warps(0 to 4) {
        tirx.barrier_sync id(1) threads(128)
        tirx.barrier_sync id(1) threads(128)
        tirx.barrier_arrive id(2) threads(160)
      }
      tirx.role "b" warps(4) {
        tirx.barrier_sync id(2) threads(160)
      }
      tirx.role "c" warps(5 to 8) {
        %c5 = arith.constant 5 : index
        %last = arith.cmpi ugt, %warp, %c5 : index
        scf.if %last {
          tirx.barrier_sync id(3) threads(64)
        }
      }
      tirx.role "d" warps(8) leader {
        tirx.barrier_sync id(8) threads(64)
      }
      tirx.role "e" warps(9) leader {
        tirx.barrier_sync id(8) threads(64)
      }
    }
  }
}
