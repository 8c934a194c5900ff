// What tirx-verify refuses in roles. The good twins are in verify_roles.mlir.
//
// RUN: tirx-opt %s --tirx-verify -split-input-file -verify-diagnostics

// One thread of several warps.
#operand = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
!matrix = !tirx.buffer<?x?xf16, global>
!tile = !tirx.buffer<128x64xf16, global>
!operand = !tirx.buffer<128x64xf16, #operand, shared>
tirx.kernel @one_thread(%A: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %As = tirx.shared.alloc : !operand
    %tile = tirx.slice %A[%c0, %c0] : !matrix to !tile
    // expected-note@+1 {{role "store" has 4 warps; in a role of one warp the compiler elects}}
    tirx.role "store" warps(0 to 4) {
      // expected-error@+1 {{'tirx.copy_async' op must be executed by one thread: put it into a tirx.elect (each thread that executes it does the whole work again)}}
      tirx.copy_async %As to %tile : !operand to !tile
    }
  }
}

// -----

// The election in a role of one warp needs the warp.
tirx.kernel @half_a_warp() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %lane = tirx.id laneid
    %one = arith.cmpi eq, %lane, %c0 : index
    tirx.role "load" warps(0) {
      // expected-note@+1 {{it is here}}
      scf.if %one {
        // expected-error@+1 {{'tirx.bulk.commit_group' op needs all threads of the warp, but lies under a condition that depends on the lane}}
        tirx.bulk.commit_group
      }
    }
  }
}

// -----

// What the whole CTA must reach.
!matrix = !tirx.buffer<?x?xf16, global>
!tile = !tirx.buffer<128x64xf16, global>
!operand = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
tirx.kernel @whole_cta(%A: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) cluster(2, 1, 1) threads(256) {
    %As = tirx.shared.alloc : !operand
    %tile = tirx.slice %A[%c0, %c0] : !matrix to !tile
    tirx.roles {
      // expected-note@+1 {{the role is here}}
      tirx.role "store" warps(0 to 4) {
        // expected-error@+1 {{'tirx.cta_sync' op needs all threads of the CTA, but role "store" has the warps 0 to 3: use tirx.role_sync}}
        tirx.cta_sync
        // expected-error@+1 {{'tirx.cluster_sync' op needs all threads of the CTA, but role "store" has the warps 0 to 3}}
        tirx.cluster_sync
        // expected-error@+1 {{'tirx.copy' op needs all threads of the CTA, but role "store" has the warps 0 to 3}}
        tirx.copy %tile to %As : !tile to !operand
      }
    }
    // Even if it is all the warps that there are.
    // expected-note@+1 {{the role is here}}
    tirx.role "all" warps(0 to 8) {
      // expected-error@+1 {{'tirx.cta_sync' op needs all threads of the CTA, but role "all" has the warps 0 to 7: use tirx.role_sync}}
      tirx.cta_sync
    }
  }
}

// -----

// What the whole role must reach.
!ring = !tirx.pipeline<2 x !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>>
tirx.kernel @whole_role() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(256) {
    %ring = tirx.pipeline full(threads) empty(threads) : !ring
    %group = tirx.id wgid
    %upper = arith.cmpi eq, %group, %c1 : index
    tirx.roles {
      tirx.role "work" warps(0 to 8) {
        // expected-note@+1 {{it is here}}
        scf.if %upper {
          // expected-error@+1 {{'tirx.role_sync' op needs all threads of the role, but lies under a condition that depends on the thread}}
          tirx.role_sync
          // expected-error@+1 {{'tirx.wait' op needs all threads of the role, but lies under a condition that depends on the thread}}
          %a = tirx.wait %ring : !ring
          // expected-error@+1 {{'tirx.release' op needs all threads of the role, but lies under a condition that depends on the thread}}
          tirx.release %ring : !ring
        }
        // expected-note@+1 {{the tirx.elect is here}}
        tirx.elect {
          // expected-error@+1 {{'tirx.role_sync' op needs all threads of the role, but tirx.elect leaves one}}
          tirx.role_sync
          // expected-error@+1 {{'tirx.acquire' op needs all threads of the role, but tirx.elect leaves one}}
          %a = tirx.acquire %ring : !ring
          // expected-error@+1 {{'tirx.publish' op needs all threads of the role, but tirx.elect leaves one}}
          tirx.publish %ring : !ring
        }
      }
    }
    // Outside of roles it is the CTA.
    // expected-note@+1 {{it is here}}
    scf.if %upper {
      // expected-error@+1 {{'tirx.role_sync' op needs all threads of the CTA, but lies under a condition that depends on the thread}}
      tirx.role_sync
    }
    // expected-note@+1 {{it is here}}
    scf.if %upper {
      // expected-error@+1 {{'tirx.role' op needs all threads of the CTA, but lies under a condition that depends on the thread}}
      tirx.role "late" warps(4) {
      }
    }
  }
}

// -----

// setmaxnreg is a warpgroup's.
tirx.kernel @registers() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(256) {
    tirx.roles {
      tirx.role "load" warps(0 to 3) {
        // expected-error@+1 {{'tirx.setmaxnreg' op needs all warps of a warpgroup (PTX ISA, setmaxnreg), but role "load" has the warps 0 to 2}}
        tirx.setmaxnreg decrease 48
      }
    }
    tirx.roles {
      tirx.role "work" warps(0 to 8) registers(200) {
        // expected-error@+1 {{'tirx.setmaxnreg' op changes the registers of role "work", which states registers(200) itself}}
        tirx.setmaxnreg decrease 48
      }
    }
  }
}

// -----

// A named barrier with a part of a warp.
tirx.kernel @partial_warp() {
  %c16 = arith.constant 16 : index
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %lane = tirx.id laneid
    %half = arith.cmpi ult, %lane, %c16 : index
    tirx.role "store" warps(0 to 4) {
      // expected-note@+1 {{it is here}}
      scf.if %half {
        // expected-error@+1 {{'tirx.barrier_sync' op needs all threads of the warp, but lies under a condition that depends on the lane}}
        tirx.barrier_sync id(1) threads(64)
        // expected-error@+1 {{'tirx.barrier_arrive' op needs all threads of the warp, but lies under a condition that depends on the lane}}
        tirx.barrier_arrive id(2) threads(64)
      }
    }
  }
}

// -----

// One id for the barriers of two roles.
tirx.kernel @shared_id() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(256) {
    tirx.roles {
      tirx.role "a" warps(0 to 4) {
        // expected-note@+2 {{128 threads of role "a" here}}
        // expected-error@+1 {{'tirx.barrier_sync' op id(1) waits for 128 threads, but 256 reach it: give each group of threads an id of its own}}
        tirx.barrier_sync id(1) threads(128)
      }
      tirx.role "b" warps(4 to 8) {
        // expected-note@+1 {{128 threads of role "b" here}}
        tirx.barrier_sync id(1) threads(128)
      }
    }
  }
}

// -----

tirx.kernel @two_counts() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(256) {
    tirx.roles {
      tirx.role "a" warps(0 to 4) {
        // expected-note@+1 {{there}}
        tirx.barrier_sync id(1) threads(256)
      }
      tirx.role "b" warps(4 to 8) {
        // expected-error@+1 {{'tirx.barrier_arrive' op id(1) waits for 128 threads here, for 256 elsewhere}}
        tirx.barrier_arrive id(1) threads(128)
      }
    }
  }
}

// -----

// More threads than come.
tirx.kernel @too_many() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(256) {
    %group = tirx.id wgid
    %upper = arith.cmpi eq, %group, %c1 : index
    scf.if %upper {
      // expected-note@+2 {{128 threads of the CTA here}}
      // expected-error@+1 {{'tirx.barrier_sync' op id(1) waits for 256 threads, but 128 reach it}}
      tirx.barrier_sync id(1) threads(256)
    }
    tirx.roles {
      tirx.role "a" warps(0 to 4) {
        // expected-note@+2 {{128 threads of role "a" here}}
        // expected-error@+1 {{'tirx.barrier_sync' op id(2) waits for 160 threads, but 128 reach it}}
        tirx.barrier_sync id(2) threads(160)
      }
    }
  }
}

// -----

tirx.kernel @leader() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) cluster(2, 1, 1) threads(256) {
    tirx.roles {
      tirx.role "a" warps(0) leader {
        // expected-note@+1 {{the other is here}}
        tirx.barrier_sync id(1) threads(64)
      }
      tirx.role "b" warps(1) {
        // expected-error@+1 {{'tirx.barrier_sync' op id(1) is shared by a leader role, which the odd CTA of a pair lacks, and by one that both CTAs have}}
        tirx.barrier_sync id(1) threads(64)
      }
    }
  }
}
