// Counts, bytes and drains that follow from who uses a pipeline.
//
// RUN: tirx-opt %s --tirx-plan-pipelines -split-input-file | FileCheck %s

#operand = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
#acc = #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>
!operand = !tirx.buffer<128x64xf16, #operand, shared>
!acc = !tirx.buffer<128x128xf32, #acc, tmem>
!ring = !tirx.pipeline<4 x !operand, !operand>
!out = !tirx.pipeline<2 x !acc>

// One CTA: one thread expects 2 x 16 KB, one commit empties a stage; the
// epilogue's 128 threads empty the accumulator. Nothing comes from elsewhere.
// CHECK-LABEL: tirx.kernel @one_cta(
tirx.kernel @one_cta() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(256) {
    // CHECK: tirx.pipeline full(tma) empty(mma) full_count(1) empty_count(1) bytes(32768)
    %ring = tirx.pipeline full(tma) empty(mma) : !ring
    // CHECK: tirx.pipeline full(mma) empty(threads) full_count(1) empty_count(128) :
    %out = tirx.pipeline full(mma) empty(threads) : !out
    tirx.roles {
      tirx.role "load" warps(5) {
        %a, %b = tirx.acquire %ring : !ring
        tirx.publish %ring : !ring
      }
      tirx.role "mma" warps(4) {
        %d = tirx.acquire %out : !out
        %a, %b = tirx.wait %ring : !ring
        tirx.release %ring : !ring
        tirx.publish %out : !out
      }
      tirx.role "epilogue" warps(0 to 4) {
        %d = tirx.wait %out : !out
        tirx.release %out : !out
      }
    }
    // CHECK-NOT: tirx.drain
  }
}

// -----

#operand = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
#acc = #tirx.layout<S[(128,256):(1@TLane,1@TCol)]>
!operand = !tirx.buffer<128x64xf16, #operand, shared>
!acc = !tirx.buffer<128x256xf32, #acc, tmem>
!ring = !tirx.pipeline<4 x !operand, !operand, !operand>
!out = !tirx.pipeline<1 x !acc>

// A pair of CTAs with two consumers (the notes' table for step 9): the bytes of
// both CTAs, 2 x 3 x 16 KB; two commits empty a stage; 2 x 128 threads empty an
// accumulator. Stages are released from the other CTA: the producers drain.
// CHECK-LABEL: tirx.kernel @pair(
tirx.kernel @pair() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) cluster(2, 1, 1) threads(384) {
    // CHECK: %[[RING:.*]] = tirx.pipeline full(tma) empty(mma) cta_group(2) full_count(1) empty_count(2) bytes(98304)
    %ring = tirx.pipeline full(tma) empty(mma) cta_group(2) : !ring
    // CHECK: %[[OUT:.*]] = tirx.pipeline full(mma) empty(threads) cta_group(2) full_count(1) empty_count(256) :
    %out0 = tirx.pipeline full(mma) empty(threads) cta_group(2) : !out
    %out1 = tirx.pipeline full(mma) empty(threads) cta_group(2) : !out
    tirx.roles {
      tirx.role "load" warps(11) {
        %a0, %a1, %b = tirx.acquire %ring : !ring
        tirx.publish %ring : !ring
        // CHECK: tirx.publish %[[RING]]
        // CHECK-NEXT: tirx.drain %[[RING]]
      }
      tirx.role "mma0" warps(8) leader {
        %d = tirx.acquire %out0 : !out
        %a0, %a1, %b = tirx.wait %ring : !ring
        tirx.release %ring : !ring
        tirx.publish %out0 : !out
        // CHECK: tirx.publish %[[OUT]]
        // CHECK-NEXT: tirx.drain %[[OUT]]
      }
      tirx.role "mma1" warps(9) leader {
        %d = tirx.acquire %out1 : !out
        %a0, %a1, %b = tirx.wait %ring : !ring
        tirx.release %ring : !ring
        tirx.publish %out1 : !out
      }
      tirx.role "epilogue0" warps(0 to 4) {
        %d = tirx.wait %out0 : !out
        tirx.release %out0 : !out
      }
      tirx.role "epilogue1" warps(4 to 8) {
        %d = tirx.wait %out1 : !out
        tirx.release %out1 : !out
      }
    }
  }
}

// -----

#operand = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
!operand = !tirx.buffer<128x64xf16, #operand, shared>
!ring = !tirx.pipeline<4 x !operand, !operand>
!A = !tirx.buffer<?x?xf16, global>
!tile = !tirx.buffer<128x64xf16, global>

// Multicast in a cluster of 2 x 2: a CTA's copies of A reach those beside it, of
// B those above it, and all three consumers must have released the stage.
// CHECK-LABEL: tirx.kernel @multicast(
tirx.kernel @multicast(%A: !A, %B: !A) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  tirx.launch grid(%c2, %c2, %c1) cluster(2, 2, 1) threads(64) {
    %c0 = arith.constant 0 : index
    %a_tile = tirx.slice %A[%c0, %c0] : !A to !tile
    %b_tile = tirx.slice %B[%c0, %c0] : !A to !tile
    // CHECK: tirx.pipeline full(tma) empty(mma) full_count(1) empty_count(3) bytes(32768)
    %ring = tirx.pipeline full(tma) empty(mma) : !ring
    tirx.roles {
      tirx.role "load" warps(0) {
        %a, %b = tirx.acquire %ring : !ring
        tirx.copy_async %a_tile to %a multicast(cbx) : !tile to !operand
        tirx.copy_async %b_tile to %b multicast(cby) : !tile to !operand
        tirx.publish %ring : !ring
        // CHECK: tirx.drain
      }
      tirx.role "mma" warps(1) {
        %a, %b = tirx.wait %ring : !ring
        tirx.release %ring : !ring
      }
    }
  }
}
