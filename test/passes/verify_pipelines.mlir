// Pipelines that tirx-verify accepts: the good twins of
// verify_pipelines_errors.mlir.
//
// RUN: tirx-opt %s --tirx-verify | FileCheck %s

!matrix = !tirx.buffer<?x?xf16, global>
!tile = !tirx.buffer<128x64xf16, global>
!half = !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(64,1)] swizzle(3,3,3)>, shared>
!operand = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
!accumulator = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
!ring = !tirx.pipeline<4 x !operand, !operand>
!out = !tirx.pipeline<2 x !accumulator>

// The loops of the roles are written differently, and count the same.
// CHECK-LABEL: tirx.kernel @trip_counts
tirx.kernel @trip_counts(%A: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %M = tirx.dim %A, 0 : !matrix
  %K = tirx.dim %A, 1 : !matrix
  %rows = arith.ceildivui %M, %c64 : index
  %tiles = tirx.schedule persistent group(8) over(%rows) : !tirx.schedule<1>
  %ctas = tirx.grid_size %tiles : !tirx.schedule<1>
  tirx.launch grid(%ctas, %c1, %c1) threads(256) {
    %false = arith.constant false
    %ring = tirx.pipeline full(tma) empty(mma) : !ring
    %out = tirx.pipeline full(mma) empty(threads) : !out
    tirx.roles {
      tirx.role "load" warps(0) {
        tirx.for_tiles (%m) in %tiles : !tirx.schedule<1> {
          scf.for %k = %c0 to %K step %c64 {
            %a, %b = tirx.acquire %ring : !ring
            %t = tirx.slice %A[%m, %k] : !matrix to !tile
            tirx.copy_async %t to %a : !tile to !operand
            tirx.copy_async %t to %b : !tile to !operand
            tirx.publish %ring : !ring
          }
        }
      }
      tirx.role "mma" warps(1) {
        %count = arith.ceildivui %K, %c64 : index
        %last = arith.subi %count, %c1 : index
        tirx.for_tiles (%m) in %tiles : !tirx.schedule<1> {
          %d = tirx.acquire %out : !out
          // The first step is taken out of the loop.
          %a0, %b0 = tirx.wait %ring : !ring
          tirx.gemm_async %d, %a0, %b0 accumulate(%false) : !accumulator, !operand, !operand
          tirx.release %ring : !ring
          scf.for %i = %c0 to %last step %c1 {
            %a, %b = tirx.wait %ring : !ring
            %upper = tirx.slice %a[%c0, %c0] : !operand to !half
            tirx.gemm_async %d, %a, %b accumulate(%false) : !accumulator, !operand, !operand
            tirx.release %ring : !ring
          }
          tirx.publish %out : !out
        }
      }
      tirx.role "epilogue" warps(4 to 8) {
        tirx.for_tiles (%m) in %tiles : !tirx.schedule<1> {
          %d = tirx.wait %out : !out
          %f = tirx.copy %d : !accumulator to tensor<128x128xf32, #tirx.layout<S[(128,128):(1@tid_in_wg,1)]>>
          tirx.release %out : !out
        }
      }
    }
  }
}

// Bounds that depend on the tile, computed in each role; both branches of a
// condition.
// CHECK-LABEL: tirx.kernel @triangular
tirx.kernel @triangular(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %tiles = tirx.schedule clc over(%n) : !tirx.schedule<1>
  %ctas = tirx.grid_size %tiles : !tirx.schedule<1>
  tirx.launch grid(%ctas, %c1, %c1) threads(96) {
    %ring = tirx.pipeline full(threads) empty(threads) : !ring
    tirx.roles {
      tirx.role "load" warps(0) {
        tirx.for_tiles (%m) in %tiles : !tirx.schedule<1> {
          %end = arith.addi %m, %c1 : index
          scf.for %i = %c0 to %end step %c1 {
            scf.for %j = %c0 to %i step %c1 {
              %a, %b = tirx.acquire %ring : !ring
              tirx.publish %ring : !ring
            }
          }
        }
      }
      tirx.role "work" warps(1) {
        %odd = arith.cmpi eq, %n, %c1 : index
        tirx.for_tiles (%m) in %tiles : !tirx.schedule<1> {
          %end = arith.addi %m, %c1 : index
          scf.for %i = %c0 to %end step %c1 {
            scf.for %j = %c0 to %i step %c1 {
              scf.if %odd {
                %a, %b = tirx.wait %ring : !ring
                tirx.release %ring : !ring
              } else {
                %a, %b = tirx.wait %ring : !ring
                tirx.release %ring : !ring
              }
            }
          }
        }
      }
      tirx.role "schedule" warps(2) {
        tirx.fetch_tiles %tiles : !tirx.schedule<1>
      }
    }
  }
}

// What cannot be told is accepted: unrelated bounds, conditions, loops of
// unknown length. One tile for each CTA needs no loop over tiles.
// CHECK-LABEL: tirx.kernel @unknown
tirx.kernel @unknown(%n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %tiles = tirx.schedule one_tile over(%n) : !tirx.schedule<1>
  %ctas = tirx.grid_size %tiles : !tirx.schedule<1>
  tirx.launch grid(%ctas, %c1, %c1) threads(64) {
    %r1 = tirx.pipeline full(threads) empty(threads) : !ring
    %r2 = tirx.pipeline full(threads) empty(threads) : !ring
    %r3 = tirx.pipeline full(threads) empty(threads) : !ring
    %r4 = tirx.pipeline full(threads) empty(threads) : !ring
    tirx.roles {
      tirx.role "load" warps(0) {
        scf.for %i = %c0 to %n step %c1 {
          %a, %b = tirx.acquire %r1 : !ring
          tirx.publish %r1 : !ring
        }
        scf.for %i = %c0 to %n step %c1 {
          %some = arith.cmpi ne, %i, %c0 : index
          scf.if %some {
            %a, %b = tirx.acquire %r2 : !ring
            tirx.publish %r2 : !ring
          }
        }
        scf.for %i = %c0 to %n step %c2 {
          %a, %b = tirx.acquire %r3 : !ring
          tirx.publish %r3 : !ring
          %c, %d = tirx.acquire %r3 : !ring
          tirx.publish %r3 : !ring
        }
        tirx.for_tiles (%t) in %tiles : !tirx.schedule<1> {
          %a, %b = tirx.acquire %r4 : !ring
          tirx.publish %r4 : !ring
        }
      }
      tirx.role "work" warps(1) {
        scf.for %i = %c0 to %m step %c1 {
          %a, %b = tirx.wait %r1 : !ring
          tirx.release %r1 : !ring
        }
        scf.for %i = %c1 to %n step %c1 {
          %a, %b = tirx.wait %r2 : !ring
          tirx.release %r2 : !ring
        }
        scf.for %i = %c0 to %n step %c1 {
          %a, %b = tirx.wait %r3 : !ring
          tirx.release %r3 : !ring
        }
        %a, %b = tirx.wait %r4 : !ring
        tirx.release %r4 : !ring
      }
    }
  }
}

// The CTA passes a ring by itself.
// CHECK-LABEL: tirx.kernel @alone
tirx.kernel @alone(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  tirx.launch grid(%c1, %c1, %c1) threads(64) {
    %ring = tirx.pipeline full(threads) empty(threads) : !ring
    scf.for %i = %c0 to %c2 step %c1 {
      %a, %b = tirx.acquire %ring : !ring
      tirx.publish %ring : !ring
    }
    scf.for %i = %c2 to %n step %c1 {
      %c, %d = tirx.wait %ring : !ring
      tirx.release %ring : !ring
      %a, %b = tirx.acquire %ring : !ring
      tirx.publish %ring : !ring
    }
    scf.for %i = %c0 to %c2 step %c1 {
      %a, %b = tirx.wait %ring : !ring
      tirx.release %ring : !ring
    }
  }
}

// One cta_group, and its leader. A ring that no commit touches is a CTA's own.
// CHECK-LABEL: tirx.kernel @pair
tirx.kernel @pair(%A: !matrix, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  tirx.launch grid(%c2, %c1, %c1) cluster(2, 1, 1) threads(128) {
    %false = arith.constant false
    %mask = arith.constant 3 : i16
    %ring = tirx.pipeline full(tma) empty(mma) cta_group(2) : !ring
    %staging = tirx.pipeline full(threads) empty(threads) : !ring
    %bar = tirx.mbarrier.alloc : !tirx.barrier<1>
    tirx.elect {
      tirx.mbarrier.init %bar count(1) : !tirx.barrier<1>
    }
    %odd = arith.cmpi eq, %n, %c1 : index
    tirx.roles {
      tirx.role "load" warps(2) {
        %t = tirx.slice %A[%c0, %c0] : !matrix to !tile
        %a, %b = tirx.acquire %ring : !ring
        // One of the two fills the tile, or cannot be told.
        scf.if %odd {
          tirx.copy_async %t to %a : !tile to !operand
        } else {
          tirx.copy_async %t to %a : !tile to !operand
        }
        scf.if %odd {
          tirx.copy_async %t to %b : !tile to !operand
        }
        tirx.publish %ring : !ring
      }
      tirx.role "stage" warps(3) {
        %a, %b = tirx.acquire %staging : !ring
        tirx.publish %staging : !ring
        %c, %d = tirx.wait %staging : !ring
        tirx.release %staging : !ring
      }
      tirx.role "mma" warps(0) leader {
        %a, %b = tirx.wait %ring : !ring
        tirx.release %ring : !ring
        tirx.tcgen05.commit %bar multicast(%mask) cta_group(2) : !tirx.barrier<1>
      }
      tirx.role "other" warps(1) {
        %rank = tirx.id cta_rank
        %even = arith.cmpi eq, %rank, %c0 : index
        scf.if %even {
          tirx.tcgen05.commit %bar multicast(%mask) cta_group(2) : !tirx.barrier<1>
        }
      }
    }
  }
}
