// Arrival counts that cannot be reached, and barriers that nobody completes.
// The good twins are in verify_arrivals.mlir.
//
// RUN: tirx-opt %s --tirx-verify -split-input-file -verify-diagnostics

// A warpgroup's arrivals.
tirx.kernel @warpgroup() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(256) {
    %less = tirx.mbarrier.alloc : !tirx.barrier<1>
    %more = tirx.mbarrier.alloc : !tirx.barrier<1>
    %one = tirx.mbarrier.alloc : !tirx.barrier<1>
    tirx.elect {
      // expected-error@+1 {{'tirx.mbarrier.init' op count(127) cannot be reached: arrivals come in multiples of 128}}
      tirx.mbarrier.init %less count(127) : !tirx.barrier<1>
      // expected-error@+1 {{'tirx.mbarrier.init' op count(129) cannot be reached: arrivals come in multiples of 128}}
      tirx.mbarrier.init %more count(129) : !tirx.barrier<1>
      // expected-error@+1 {{'tirx.mbarrier.init' op count(1) cannot be reached: arrivals come in multiples of 128}}
      tirx.mbarrier.init %one count(1) : !tirx.barrier<1>
    }
    tirx.roles {
      tirx.role "store" warps(4 to 8) {
        // expected-note@+1 {{128 arrivals of role "store" here}}
        tirx.mbarrier.arrive %less : !tirx.barrier<1>
        // expected-note@+1 {{128 arrivals of role "store" here}}
        tirx.mbarrier.arrive %more : !tirx.barrier<1>
        // expected-note@+1 {{128 arrivals of role "store" here}}
        tirx.mbarrier.arrive %one : !tirx.barrier<1>
      }
    }
  }
}

// -----

// All threads of the launch, those of a warp, one lane of each warp.
tirx.kernel @sums() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(256) {
    %all = tirx.mbarrier.alloc : !tirx.barrier<1>
    %two = tirx.mbarrier.alloc : !tirx.barrier<1>
    %lanes = tirx.mbarrier.alloc : !tirx.barrier<1>
    tirx.elect {
      // expected-error@+1 {{count(128) cannot be reached: arrivals come in multiples of 256}}
      tirx.mbarrier.init %all count(128) : !tirx.barrier<1>
      // expected-error@+1 {{count(112) cannot be reached: arrivals come in multiples of 32 and 96}}
      tirx.mbarrier.init %two count(112) : !tirx.barrier<1>
      // A guard around the arrivals of 128 threads.
      // expected-error@+1 {{count(130) cannot be reached: arrivals come in multiples of 4}}
      tirx.mbarrier.init %lanes count(130) : !tirx.barrier<1>
    }
    // expected-note@+1 {{256 arrivals of the CTA here}}
    tirx.mbarrier.arrive %all : !tirx.barrier<1>
    %lane = tirx.id laneid
    %first = arith.cmpi eq, %lane, %c0 : index
    tirx.roles {
      tirx.role "a" warps(0) {
        // expected-note@+1 {{32 arrivals of role "a" here}}
        tirx.mbarrier.arrive %two : !tirx.barrier<1>
      }
      tirx.role "b" warps(1 to 4) {
        // expected-note@+1 {{96 arrivals of role "b" here}}
        tirx.mbarrier.arrive %two : !tirx.barrier<1>
      }
      tirx.role "c" warps(4 to 8) {
        scf.if %first {
          // expected-note@+1 {{4 arrivals of role "c" here}}
          tirx.mbarrier.arrive %lanes : !tirx.barrier<1>
        }
      }
    }
  }
}

// -----

// Nothing arrives.
!operand = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
tirx.kernel @nothing(%A: !tirx.buffer<?x?xf16, global>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %false = arith.constant false
    %As = tirx.shared.alloc : !operand
    %bar = tirx.mbarrier.alloc : !tirx.barrier<1>
    tirx.elect {
      tirx.mbarrier.init %bar count(1) : !tirx.barrier<1>
    }
    tirx.elect {
      %tile = tirx.slice %A[%c0, %c0] : !tirx.buffer<?x?xf16, global> to !tirx.buffer<128x64xf16, global>
      tirx.copy_async %tile to %As signal(%bar : !tirx.barrier<1>) : !tirx.buffer<128x64xf16, global> to !operand
    }
    // expected-error@+1 {{'tirx.mbarrier.wait' op waits for a barrier at which nothing arrives: copies deliver bytes, which a tirx.mbarrier.arrive must expect}}
    tirx.mbarrier.wait %bar parity(%false) : !tirx.barrier<1>
  }
}

// -----

// Too late, or too often.
tirx.kernel @initialised() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(256) {
    %bar = tirx.mbarrier.alloc : !tirx.barrier<1>
    tirx.roles {
      tirx.role "store" warps(0) {
        // expected-error@+1 {{'tirx.mbarrier.init' op lies in tirx.roles: other roles may use the barrier before; initialise it before the roles, and let all threads meet}}
        tirx.mbarrier.init %bar count(1) : !tirx.barrier<1>
      }
      tirx.role "load" warps(1) {
        tirx.mbarrier.arrive %bar expect_tx(16) : !tirx.barrier<1>
      }
    }
  }
}
