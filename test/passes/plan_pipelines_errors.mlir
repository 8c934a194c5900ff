// RUN: tirx-opt %s --tirx-plan-pipelines -split-input-file -verify-diagnostics

!tile = !tirx.buffer<64xf32, #tirx.layout<S[64:1]>, shared>
!ring = !tirx.pipeline<2 x !tile>

// Nobody uses it.
tirx.kernel @k() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(64) {
    // expected-error@+1 {{'tirx.pipeline' op is never filled nor emptied}}
    %ring = tirx.pipeline full(threads) empty(threads) : !ring
  }
}

// -----

!tile = !tirx.buffer<64xf32, #tirx.layout<S[64:1]>, shared>
!ring = !tirx.pipeline<2 x !tile>

// A producer without a consumer stops when the ring is full.
tirx.kernel @k() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(64) {
    // expected-error@+1 {{'tirx.pipeline' op is filled by role "fill", but no role waits for it}}
    %ring = tirx.pipeline full(threads) empty(threads) : !ring
    tirx.role "fill" warps(1) {
      %t = tirx.acquire %ring : !ring
      tirx.publish %ring : !ring
    }
  }
}

// -----

!tile = !tirx.buffer<64xf32, #tirx.layout<S[64:1]>, shared>
!ring = !tirx.pipeline<2 x !tile>

// A consumer without a producer waits for ever.
tirx.kernel @k() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(64) {
    // expected-error@+1 {{'tirx.pipeline' op is never filled: no role acquires it}}
    %ring = tirx.pipeline full(threads) empty(threads) : !ring
    tirx.role "use" warps(1) {
      %t = tirx.wait %ring : !ring
      tirx.release %ring : !ring
    }
  }
}

// -----

!tile = !tirx.buffer<64xf32, #tirx.layout<S[64:1]>, shared>
!ring = !tirx.pipeline<2 x !tile>

// Counts that are written must be those that follow.
tirx.kernel @k() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(64) {
    // expected-error@+1 {{'tirx.pipeline' op empty_count(1) disagrees with the arrivals of its consumers in a phase: 32}}
    %ring = tirx.pipeline full(threads) empty(threads) full_count(32) empty_count(1) : !ring
    tirx.role "fill" warps(1) {
      %t = tirx.acquire %ring : !ring
      tirx.publish %ring : !ring
    }
    tirx.role "use" warps(0) {
      %t = tirx.wait %ring : !ring
      tirx.release %ring : !ring
    }
  }
}

// -----

!tile = !tirx.buffer<64xf32, #tirx.layout<S[64:1]>, shared>
!ring = !tirx.pipeline<2 x !tile>

// So must bytes.
tirx.kernel @k() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(64) {
    // expected-error@+1 {{'tirx.pipeline' op bytes(128) disagrees with the bytes of a stage: 256}}
    %ring = tirx.pipeline full(tma) empty(threads) bytes(128) : !ring
    tirx.role "fill" warps(1) {
      %t = tirx.acquire %ring : !ring
      tirx.publish %ring : !ring
    }
    tirx.role "use" warps(0) {
      %t = tirx.wait %ring : !ring
      tirx.release %ring : !ring
    }
  }
}

// -----

!tile = !tirx.buffer<64xf32, #tirx.layout<S[64:1]>, shared>
!ring = !tirx.pipeline<2 x !tile>

// One thread expects the bytes of a stage.
tirx.kernel @k() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(96) {
    // expected-error@+1 {{'tirx.pipeline' op full(tma) has 2 producers, one must expect all bytes of a stage: role "fill0", role "fill1"}}
    %ring = tirx.pipeline full(tma) empty(threads) : !ring
    tirx.role "fill0" warps(1) {
      %t = tirx.acquire %ring : !ring
      tirx.publish %ring : !ring
    }
    tirx.role "fill1" warps(2) {
      %t = tirx.acquire %ring : !ring
      tirx.publish %ring : !ring
    }
    tirx.role "use" warps(0) {
      %t = tirx.wait %ring : !ring
      tirx.release %ring : !ring
    }
  }
}

// -----

!tile = !tirx.buffer<64xf32, #tirx.layout<S[64:1]>, shared>
!ring = !tirx.pipeline<2 x !tile>

// The even CTA of a pair issues its MMAs.
tirx.kernel @k() {
  %c2 = arith.constant 2 : index
  tirx.launch grid(%c2, %c2, %c2) cluster(2, 1, 1) threads(64) {
    // expected-error@+1 {{'tirx.pipeline' op empty(mma) of cta_group(2) is signalled by leader roles: the even CTA issues the MMAs of the pair, but role "use" runs in both CTAs}}
    %ring = tirx.pipeline full(tma) empty(mma) cta_group(2) : !ring
    tirx.role "fill" warps(1) {
      %t = tirx.acquire %ring : !ring
      tirx.publish %ring : !ring
    }
    tirx.role "use" warps(0) {
      %t = tirx.wait %ring : !ring
      tirx.release %ring : !ring
    }
  }
}

// -----

!tile = !tirx.buffer<64xf32, #tirx.layout<S[64:1]>, shared>
!ring = !tirx.pipeline<2 x !tile>

// The bytes of a pair arrive at the even CTA.
tirx.kernel @k() {
  %c2 = arith.constant 2 : index
  tirx.launch grid(%c2, %c2, %c2) cluster(2, 1, 1) threads(64) {
    // expected-error@+1 {{'tirx.pipeline' op full(tma) of cta_group(2) delivers the bytes of both CTAs at the even one: its consumers must be leader roles, not role "use"}}
    %ring = tirx.pipeline full(tma) empty(threads) cta_group(2) : !ring
    tirx.role "fill" warps(1) {
      %t = tirx.acquire %ring : !ring
      tirx.publish %ring : !ring
    }
    tirx.role "use" warps(0) {
      %t = tirx.wait %ring : !ring
      tirx.release %ring : !ring
    }
  }
}

// -----

!tile = !tirx.buffer<64xf32, #tirx.layout<S[64:1]>, shared>
!ring = !tirx.pipeline<2 x !tile>

// Both CTAs load their halves.
tirx.kernel @k() {
  %c2 = arith.constant 2 : index
  tirx.launch grid(%c2, %c2, %c2) cluster(2, 1, 1) threads(64) {
    // expected-error@+1 {{'tirx.pipeline' op full(tma) of cta_group(2) is filled by both CTAs, each its half, but role "fill" runs in the even one only}}
    %ring = tirx.pipeline full(tma) empty(mma) cta_group(2) : !ring
    tirx.role "fill" warps(1) leader {
      %t = tirx.acquire %ring : !ring
      tirx.publish %ring : !ring
    }
    tirx.role "use" warps(0) leader {
      %t = tirx.wait %ring : !ring
      tirx.release %ring : !ring
    }
  }
}

// -----

!tile = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
!ring = !tirx.pipeline<2 x !tile>
!A = !tirx.buffer<?x?xf16, global>

// Threads arrive in their own CTA or their pair's, not in the rest of the cluster.
tirx.kernel @k(%A: !A) {
  %c2 = arith.constant 2 : index
  tirx.launch grid(%c2, %c2, %c2) cluster(2, 1, 1) threads(64) {
    %c0 = arith.constant 0 : index
    %a = tirx.slice %A[%c0, %c0] : !A to !tirx.buffer<128x64xf16, global>
    // expected-error@+1 {{'tirx.pipeline' op is filled by multicast copies: empty(threads) cannot tell the other CTAs, empty(mma) can}}
    %ring = tirx.pipeline full(tma) empty(threads) : !ring
    tirx.role "fill" warps(1) {
      %t = tirx.acquire %ring : !ring
      tirx.copy_async %a to %t multicast(cbx) : !tirx.buffer<128x64xf16, global> to !tile
      tirx.publish %ring : !ring
    }
    tirx.role "use" warps(0) {
      %t = tirx.wait %ring : !ring
      tirx.release %ring : !ring
    }
  }
}

// -----

!acc = !tirx.buffer<128x64xf32, #tirx.layout<S[(128,64):(1@TLane,1@TCol)]>, tmem>
!out = !tirx.pipeline<2 x !acc>

// Who is signalled by another CTA must not end before.
tirx.kernel @k() {
  %c2 = arith.constant 2 : index
  tirx.launch grid(%c2, %c2, %c2) cluster(2, 1, 1) threads(64) {
    %out = tirx.pipeline full(mma) empty(threads) cta_group(2) : !out
    tirx.role "fill" warps(1) leader {
      // expected-error@+1 {{'tirx.acquire' op fills a stage that other CTAs release: put it into a role of tirx.roles, at whose end the releases are waited for, or end with tirx.drain}}
      %t = tirx.acquire %out : !out
      tirx.publish %out : !out
    }
    tirx.role "use" warps(0) {
      %t = tirx.wait %out : !out
      tirx.release %out : !out
    }
  }
}
