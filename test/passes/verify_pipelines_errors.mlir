// What tirx-verify refuses of pipelines. The good twins are in
// verify_pipelines.mlir.
//
// RUN: tirx-opt %s --tirx-verify -split-input-file -verify-diagnostics

// One step less.
!ring = !tirx.pipeline<4 x !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>>
!matrix = !tirx.buffer<?x?xf16, global>
tirx.kernel @less(%A: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %M = tirx.dim %A, 0 : !matrix
  %K = tirx.dim %A, 1 : !matrix
  %tiles = tirx.schedule persistent group(8) over(%M) : !tirx.schedule<1>
  %ctas = tirx.grid_size %tiles : !tirx.schedule<1>
  tirx.launch grid(%ctas, %c1, %c1) threads(64) {
    %ring = tirx.pipeline full(threads) empty(threads) : !ring
    tirx.roles {
      tirx.role "load" warps(0) {
        tirx.for_tiles (%m) in %tiles : !tirx.schedule<1> {
          scf.for %k = %c0 to %K step %c64 {
            // expected-note@+1 {{role "load" passes it here}}
            %a = tirx.acquire %ring : !ring
            tirx.publish %ring : !ring
          }
        }
      }
      tirx.role "mma" warps(1) {
        %steps = arith.ceildivui %K, %c64 : index
        %less = arith.subi %steps, %c1 : index
        tirx.for_tiles (%m) in %tiles : !tirx.schedule<1> {
          scf.for %i = %c0 to %less step %c1 {
            // expected-note@+2 {{role "mma" passes it here}}
            // expected-error@+1 {{'tirx.wait' op unequal trip counts: role "mma" waits for stages ceil(A.dim(1) / 64) * tiles - tiles times, role "load" acquires them ceil(A.dim(1) / 64) * tiles times: the pipeline would stop or fall out of step}}
            %a = tirx.wait %ring : !ring
            tirx.release %ring : !ring
          }
        }
      }
    }
  }
}

// -----

// The other begins later.
!ring = !tirx.pipeline<4 x !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>>
tirx.kernel @later(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  tirx.launch grid(%c1, %c1, %c1) threads(64) {
    %ring = tirx.pipeline full(threads) empty(threads) : !ring
    tirx.roles {
      tirx.role "load" warps(0) {
        scf.for %k = %c64 to %n step %c64 {
          // expected-note@+1 {{role "load" passes it here}}
          %a = tirx.acquire %ring : !ring
          tirx.publish %ring : !ring
        }
      }
      tirx.role "mma" warps(1) {
        scf.for %k = %c0 to %n step %c64 {
          // expected-note@+2 {{role "mma" passes it here}}
          // expected-error@+1 {{role "mma" waits for stages ceil(n / 64) times, role "load" acquires them ceil(n / 64) - 1 times}}
          %a = tirx.wait %ring : !ring
          tirx.release %ring : !ring
        }
      }
    }
  }
}

// -----

// A role without the loop over tiles.
!ring = !tirx.pipeline<4 x !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>>
tirx.kernel @no_tiles(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %tiles = tirx.schedule persistent over(%n) : !tirx.schedule<1>
  %ctas = tirx.grid_size %tiles : !tirx.schedule<1>
  tirx.launch grid(%ctas, %c1, %c1) threads(64) {
    %ring = tirx.pipeline full(threads) empty(threads) : !ring
    tirx.roles {
      tirx.role "load" warps(0) {
        tirx.for_tiles (%m) in %tiles : !tirx.schedule<1> {
          scf.for %k = %c0 to %n step %c64 {
            // expected-note@+1 {{role "load" passes it here}}
            %a = tirx.acquire %ring : !ring
            tirx.publish %ring : !ring
          }
        }
      }
      tirx.role "mma" warps(1) {
        scf.for %k = %c0 to %n step %c64 {
          // expected-note@+2 {{role "mma" passes it here}}
          // expected-error@+1 {{role "mma" waits for stages ceil(n / 64) times, role "load" acquires them ceil(n / 64) * tiles times}}
          %a = tirx.wait %ring : !ring
          tirx.release %ring : !ring
        }
      }
    }
  }
}

// -----

// Every producer and every consumer counts; waits before and after a loop, too.
!ring = !tirx.pipeline<4 x !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>>
tirx.kernel @several(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %ring = tirx.pipeline full(threads) empty(threads) : !ring
    tirx.roles {
      tirx.role "a" warps(0) {
        scf.for %i = %c0 to %c3 step %c1 {
          // expected-note@+1 {{role "a" passes it here}}
          %a = tirx.acquire %ring : !ring
          tirx.publish %ring : !ring
        }
        // expected-note@+1 {{role "a" passes it here}}
        %a = tirx.acquire %ring : !ring
        tirx.publish %ring : !ring
      }
      tirx.role "b" warps(1) {
        // expected-note@+2 {{role "b" passes it here}}
        // expected-error@+1 {{'tirx.acquire' op unequal trip counts: role "b" acquires stages 1 times, role "a" acquires them 4 times}}
        %a = tirx.acquire %ring : !ring
        tirx.publish %ring : !ring
      }
      tirx.role "c" warps(2) {
        scf.for %i = %c0 to %c3 step %c1 {
          scf.for %j = %c0 to %n step %c1 {
            %later = arith.addi %n, %j : index
          }
          // expected-note@+2 {{role "c" passes it here}}
          // expected-error@+1 {{'tirx.wait' op unequal trip counts: role "c" waits for stages 3 times, role "a" acquires them 4 times}}
          %a = tirx.wait %ring : !ring
          tirx.release %ring : !ring
        }
      }
      tirx.role "d" warps(3) {
        scf.for %i = %c3 to %c0 step %c1 {
          // expected-note@+2 {{role "d" passes it here}}
          // expected-error@+1 {{'tirx.wait' op unequal trip counts: role "d" waits for stages 0 times, role "a" acquires them 4 times}}
          %a = tirx.wait %ring : !ring
          tirx.release %ring : !ring
        }
      }
    }
  }
}

// -----

// Use of tiles that are given away, or that were never the role's to write.
!operand = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
!half = !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(64,1)] swizzle(3,3,3)>, shared>
!ring = !tirx.pipeline<4 x !operand>
!tile = !tirx.buffer<128x64xf16, global>
!part = !tirx.buffer<64x64xf16, global>
#rows = #tirx.layout<S[(128,64):(1@tid_in_wg,1)]>
!matrix = !tirx.buffer<?x?xf16, global>
tirx.kernel @tiles(%A: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(64) {
    %ring = tirx.pipeline full(threads) empty(threads) : !ring
    %zero = arith.constant dense<0.0> : tensor<128x64xf16, #rows>
    %t = tirx.slice %A[%c0, %c0] : !matrix to !tile
    %p = tirx.slice %A[%c0, %c0] : !matrix to !part
    tirx.roles {
      tirx.role "fill" warps(0) {
        %a = tirx.acquire %ring : !ring
        %h = tirx.slice %a[%c0, %c0] : !operand to !half
        // expected-note@+1 {{here}}
        tirx.publish %ring : !ring
        scf.for %i = %c0 to %c1 step %c1 {
          // expected-error@+1 {{'tirx.copy_async' op uses a tile of a stage that was published}}
          tirx.copy_async %h to %p : !half to !part
        }
        // expected-error@+1 {{'tirx.copy_async' op uses a tile of a stage that was published}}
        tirx.copy_async %a to %t : !operand to !tile
      }
      tirx.role "empty" warps(1) {
        // expected-note@+1 {{here}}
        %a = tirx.wait %ring : !ring
        %h = tirx.slice %a[%c0, %c0] : !operand to !half
        // expected-error@+1 {{'tirx.copy' op writes to a tile that tirx.wait returned: consumers only read; a producer acquires a stage to write it}}
        tirx.copy %zero to %a : tensor<128x64xf16, #rows> to !operand
        // expected-note@+1 {{here}}
        tirx.release %ring : !ring
        // expected-error@+1 {{'tirx.copy_async' op uses a tile of a stage that was released}}
        tirx.copy_async %h to %p : !half to !part
      }
    }
  }
}

// -----

// A tile that leaves its stage.
!operand = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
!ring = !tirx.pipeline<4 x !operand>
tirx.kernel @leaves(%other: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(64) {
    %ring = tirx.pipeline full(threads) empty(threads) : !ring
    %As = tirx.shared.alloc : !operand
    %last = scf.for %i = %c0 to %c1 step %c1 iter_args(%x = %As) -> !operand {
      // expected-note@+1 {{here}}
      %a = tirx.acquire %ring : !ring
      tirx.publish %ring : !ring
      // expected-error@+1 {{'scf.yield' op passes on a tile of a stage: tiles are used where they were acquired or waited for}}
      scf.yield %a : !operand
    }
    %b = tirx.wait %ring : !ring
    tirx.release %ring : !ring
  }
}

// -----

// Both kinds of cta_group.
!operand = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
!ring = !tirx.pipeline<4 x !operand>
!tile = !tirx.buffer<128x64xf16, global>
tirx.kernel @mixed(%A: !tirx.buffer<?x?xf16, global>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  tirx.launch grid(%c2, %c1, %c1) cluster(2, 1, 1) threads(128) {
    // expected-note@+1 {{that is here}}
    %ring = tirx.pipeline full(tma) empty(mma) cta_group(2) : !ring
    %bar = tirx.mbarrier.alloc : !tirx.barrier<1>
    tirx.elect {
      tirx.mbarrier.init %bar count(1) : !tirx.barrier<1>
    }
    tirx.role "load" warps(1) {
      %t = tirx.slice %A[%c0, %c0] : !tirx.buffer<?x?xf16, global> to !tile
      %a = tirx.acquire %ring : !ring
      tirx.copy_async %t to %a : !tile to !operand
      tirx.publish %ring : !ring
    }
    tirx.role "mma" warps(0) leader {
      %a = tirx.wait %ring : !ring
      tirx.release %ring : !ring
      // expected-error@+1 {{'tirx.tcgen05.commit' op is of cta_group(1), but tirx.pipeline of cta_group(2): a kernel has one (PTX ISA, tcgen05: all instructions of a kernel specify the same .cta_group)}}
      tirx.tcgen05.commit %bar : !tirx.barrier<1>
    }
  }
}

// -----

// A pair has one issuer.
tirx.kernel @both(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  tirx.launch grid(%c2, %c1, %c1) cluster(2, 1, 1) threads(128) {
    %bar = tirx.mbarrier.alloc : !tirx.barrier<1>
    tirx.elect {
      tirx.mbarrier.init %bar count(1) : !tirx.barrier<1>
    }
    tirx.role "mma" warps(0) {
      scf.for %i = %c0 to %n step %c1 {
        %later = arith.cmpi ne, %i, %c0 : index
        scf.if %later {
          // expected-error@+1 {{'tirx.tcgen05.commit' op of cta_group(2) would be issued by both CTAs of a pair: put it into a leader role, or under a condition on tirx.id cta_rank}}
          tirx.tcgen05.commit %bar cta_group(2) : !tirx.barrier<1>
        }
      }
    }
  }
}

// -----

// No pairs.
tirx.kernel @single() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %bar = tirx.mbarrier.alloc : !tirx.barrier<1>
    %rank = tirx.id cta_rank
    %even = arith.cmpi eq, %rank, %c0 : index
    tirx.elect {
      tirx.mbarrier.init %bar count(1) : !tirx.barrier<1>
      scf.if %even {
        // expected-error@+1 {{'tirx.tcgen05.commit' op of cta_group(2) needs a cluster of CTA pairs: an even x extent, not 1}}
        tirx.tcgen05.commit %bar cta_group(2) : !tirx.barrier<1>
      }
    }
  }
}

// -----

// What the plan of a pipeline refuses is refused before anything is lowered.
!ring = !tirx.pipeline<4 x !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>>
tirx.kernel @one_side() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(64) {
    // expected-error@+1 {{'tirx.pipeline' op is filled by role "load", but no role waits for it}}
    %filled = tirx.pipeline full(threads) empty(threads) : !ring
    // expected-error@+1 {{'tirx.pipeline' op is never filled: no role acquires it}}
    %waited = tirx.pipeline full(threads) empty(threads) : !ring
    // expected-error@+1 {{'tirx.pipeline' op full_count(128) disagrees with the arrivals of its producers in a phase: 32}}
    %counted = tirx.pipeline full(threads) empty(threads) full_count(128) : !ring
    tirx.roles {
      tirx.role "load" warps(0) {
        %a = tirx.acquire %filled : !ring
        tirx.publish %filled : !ring
        %b = tirx.acquire %counted : !ring
        tirx.publish %counted : !ring
      }
      tirx.role "work" warps(1) {
        %a = tirx.wait %waited : !ring
        tirx.release %waited : !ring
        %b = tirx.wait %counted : !ring
        tirx.release %counted : !ring
      }
    }
  }
}

// -----

// Bytes that are expected, and bytes that come.
!operand = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
!ring = !tirx.pipeline<4 x !operand, !operand>
!tile = !tirx.buffer<128x64xf16, global>
tirx.kernel @bytes(%A: !tirx.buffer<?x?xf16, global>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  tirx.launch grid(%c1, %c1, %c1) threads(64) {
    %ring = tirx.pipeline full(tma) empty(threads) : !ring
    tirx.roles {
      tirx.role "load" warps(0) {
        %t = tirx.slice %A[%c0, %c0] : !tirx.buffer<?x?xf16, global> to !tile
        // expected-error@+1 {{'tirx.acquire' op expects 16384 bytes in tile 1 (128x64xf16), but copies deliver 0: no tirx.copy_async fills it}}
        %a0, %b0 = tirx.acquire %ring : !ring
        tirx.copy_async %t to %a0 : !tile to !operand
        tirx.publish %ring : !ring

        // expected-error@+1 {{'tirx.acquire' op expects 16384 bytes in tile 0 (128x64xf16), but copies deliver 32768}}
        %a1, %b1 = tirx.acquire %ring : !ring
        // expected-note@+1 {{it is filled here}}
        tirx.copy_async %t to %a1 : !tile to !operand
        // expected-note@+1 {{it is filled here}}
        tirx.copy_async %t to %a1 : !tile to !operand
        tirx.copy_async %t to %b1 : !tile to !operand
        tirx.publish %ring : !ring

        // expected-error@+1 {{'tirx.acquire' op expects 16384 bytes in tile 1 (128x64xf16), but copies deliver 32768}}
        %a2, %b2 = tirx.acquire %ring : !ring
        tirx.copy_async %t to %a2 : !tile to !operand
        scf.for %i = %c0 to %c2 step %c1 {
          // expected-note@+1 {{it is filled here}}
          tirx.copy_async %t to %b2 : !tile to !operand
        }
        tirx.publish %ring : !ring
      }
      tirx.role "work" warps(1) {
        scf.for %i = %c0 to %c2 step %c1 {
          %a, %b = tirx.wait %ring : !ring
          tirx.release %ring : !ring
        }
        %a, %b = tirx.wait %ring : !ring
        tirx.release %ring : !ring
      }
    }
  }
}
