// Which variant tirx-dispatch takes, and what it says about the others.
//
// RUN: tirx-opt %s --tirx-dispatch | FileCheck %s

#operand = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
#accumulator = #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>
#rows = #tirx.layout<S[(128,128):(1@tid_in_wg,1)]>
// The same threads, said differently.
#warps = #tirx.layout<S[(4,32,128):(1@wid_in_wg,1@laneid,1)]>
#plain = #tirx.layout<S[(128,128):(128,1)]>
!matrix = !tirx.buffer<?x?xf16, global>
!tile = !tirx.buffer<128x64xf16, global>
!operand = !tirx.buffer<128x64xf16, #operand, shared>
!accumulator = !tirx.buffer<128x128xf32, #accumulator, tmem>
!staging = !tirx.buffer<128x128xf32, #plain, shared>

// CHECK-LABEL: tirx.kernel @copy
tirx.kernel @copy(%A: !matrix, %X: !tirx.buffer<?x?xf32, global>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %As = tirx.shared.alloc : !operand
    %Ds = tirx.shared.alloc : !staging
    %acc = tirx.tmem.alloc : !accumulator
    %tile = tirx.slice %A[%c0, %c0] : !matrix to !tile
    %out = tirx.slice %X[%c0, %c0] : !tirx.buffer<?x?xf32, global> to !tirx.buffer<128x128xf32, global>

    // CHECK: tirx.copy %{{.*}} to %{{.*}} dispatch("vector")
    // CHECK-SAME: tirx.refused = ["tcgen05_ld: the source is in global memory, not in tensor memory", "tcgen05_st: the destination is in shared memory, not in tensor memory"]
    tirx.copy %tile to %As : !tile to !operand
    // CHECK: tirx.copy %{{.*}} to %{{.*}} dispatch("vector")
    tirx.copy %As to %tile : !operand to !tile

    // The first variant leaves nothing to refuse.
    // CHECK: tirx.copy %{{[0-9]+}} dispatch("tcgen05_ld") : !tirx.buffer
    %f = tirx.copy %acc : !accumulator to tensor<128x128xf32, #rows>
    // CHECK: tirx.copy %{{[0-9]+}} dispatch("tcgen05_ld") : !tirx.buffer
    %g = tirx.copy %acc : !accumulator to tensor<128x128xf32, #warps>
    // CHECK: tirx.copy %{{.*}} to %{{.*}} dispatch("tcgen05_st")
    // CHECK-SAME: tirx.refused = ["tcgen05_ld: the source is in registers, not in tensor memory"]
    tirx.copy %f to %acc : tensor<128x128xf32, #rows> to !accumulator

    // CHECK: tirx.copy %{{.*}} to %{{.*}} dispatch("vector")
    // CHECK-SAME: tirx.refused = ["tcgen05_ld: the source is in registers, not in tensor memory", "tcgen05_st: the destination is in shared memory, not in tensor memory"]
    tirx.copy %f to %Ds : tensor<128x128xf32, #rows> to !staging
    // CHECK: tirx.copy %{{.*}} dispatch("vector")
    %h = tirx.copy %Ds : !staging to tensor<128x128xf32, #rows>
    // CHECK: tirx.copy %{{.*}} to %{{.*}} dispatch("vector")
    tirx.copy %h to %out : tensor<128x128xf32, #rows> to !tirx.buffer<128x128xf32, global>
    // CHECK: tirx.copy %{{.*}} dispatch("vector")
    %i = tirx.copy %out : !tirx.buffer<128x128xf32, global> to tensor<128x128xf32, #rows>

    // A name demands its variant; nothing is recorded of the others.
    // CHECK: tirx.copy %{{.*}} to %{{.*}} dispatch("vector") : !tirx.buffer
    tirx.copy %tile to %As dispatch("vector") : !tile to !operand
    tirx.tmem.dealloc %acc : !accumulator
  }
}

// CHECK-LABEL: tirx.kernel @copy_async
tirx.kernel @copy_async(%A: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %As = tirx.shared.alloc : !operand
    %bar = tirx.mbarrier.alloc : !tirx.barrier<1>
    %acc = tirx.tmem.alloc : !accumulator
    %tile = tirx.slice %A[%c0, %c0] : !matrix to !tile
    tirx.elect {
      tirx.mbarrier.init %bar count(1) : !tirx.barrier<1>
      // CHECK: tirx.copy_async %{{.*}} signal({{.*}}) dispatch("tma") : !tirx.buffer
      tirx.copy_async %tile to %As signal(%bar : !tirx.barrier<1>) : !tile to !operand
      // CHECK: tirx.copy_async %{{.*}} dispatch("tma") : !tirx.buffer
      tirx.copy_async %As to %tile : !operand to !tile
    }
    // CHECK: tirx.copy_async %{{.*}} dispatch("tcgen05_ld") {tirx.refused = ["tma: one side is in registers"]}
    %f = tirx.copy_async %acc : !accumulator to tensor<128x128xf32, #rows>
    // CHECK: tirx.copy_async %{{.*}} dispatch("tcgen05_st")
    // CHECK-SAME: tirx.refused = ["tma: one side is in registers", "tcgen05_ld: the source is in registers, not in tensor memory"]
    tirx.copy_async %f to %acc : tensor<128x128xf32, #rows> to !accumulator
    tirx.tmem.dealloc %acc : !accumulator
  }
}

// CHECK-LABEL: tirx.kernel @gemm_async
tirx.kernel @gemm_async() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %false = arith.constant false
    %As = tirx.shared.alloc : !operand
    %acc = tirx.tmem.alloc : !accumulator
    tirx.elect {
      // CHECK: tirx.gemm_async {{.*}} dispatch("tcgen05") : !tirx.buffer
      tirx.gemm_async %acc, %As, %As accumulate(%false) : !accumulator, !operand, !operand
    }
    tirx.tmem.dealloc %acc : !accumulator
  }
}

// Threads of a role: whole warpgroups, the first warps of one, lanes.
// CHECK-LABEL: tirx.kernel @roles
tirx.kernel @roles() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(384) {
    %s = tirx.shared.alloc : !tirx.buffer<64x64xf32, #tirx.layout<S[(64,64):(64,1)]>, shared>
    tirx.roles {
      tirx.role "two" warps(0 to 2) {
        // CHECK: tirx.copy %{{.*}} dispatch("vector")
        %a = tirx.copy %s : !tirx.buffer<64x64xf32, #tirx.layout<S[(64,64):(64,1)]>, shared> to tensor<64x64xf32, #tirx.layout<S[(64,64):(1@tid_in_wg,1)]>>
        // CHECK: tirx.copy %{{.*}} dispatch("vector")
        %b = tirx.copy %s : !tirx.buffer<64x64xf32, #tirx.layout<S[(64,64):(64,1)]>, shared> to tensor<64x64xf32, #tirx.layout<S[(64,64):(1@tx,1)]>>
      }
      tirx.role "one" warps(3) {
        // CHECK: tirx.copy %{{.*}} dispatch("vector")
        %a = tirx.copy %s : !tirx.buffer<64x64xf32, #tirx.layout<S[(64,64):(64,1)]>, shared> to tensor<64x64xf32, #tirx.layout<S[(2,32,64):(64,1@laneid,1)]>>
      }
      tirx.role "groups" warps(4 to 12) {
        // CHECK: tirx.copy %{{.*}} dispatch("vector")
        %a = tirx.copy %s : !tirx.buffer<64x64xf32, #tirx.layout<S[(64,64):(64,1)]>, shared> to tensor<64x64xf32, #tirx.layout<S[(64,2,32):(1@tid_in_wg,64@tid_in_wg,1)]>>
      }
    }
  }
}
