// What the verifiers of pipelines and their stages refuse. The good twins are
// in pipeline.mlir.
//
// RUN: tirx-opt %s -split-input-file -verify-diagnostics

!As = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
// expected-error@+1 {{a pipeline needs at least one stage, not 0}}
func.func private @f(!tirx.pipeline<0 x !As>)

// -----

// expected-error@+1 {{a pipeline has at most 16384 stages, whose mbarriers fill the shared memory of a CTA, not 4611686018427387904}}
func.func private @f(!tirx.pipeline<4611686018427387904 x !tirx.buffer<8xf32, #tirx.layout<S[(8):(1)]>, shared>>)

// -----

// expected-error@+1 {{a stage holds buffers, not 'f32'}}
func.func private @f(!tirx.pipeline<2 x f32>)

// -----

// expected-error@+1 {{a stage lies in shared or tensor memory, not in global memory}}
func.func private @f(!tirx.pipeline<2 x !tirx.buffer<128x64xf16, global>>)

// -----

!As = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
!Acc = !tirx.buffer<128x256xf32, #tirx.layout<S[(128,256):(1@TLane,1@TCol)]>, tmem>
// expected-error@+1 {{the tiles of a stage lie in one memory space}}
func.func private @f(!tirx.pipeline<2 x !As, !Acc>)

// -----

// expected-error@+1 {{expected non-function type}}
func.func private @f(!tirx.pipeline<2 x >)

// -----

!ring = !tirx.pipeline<2 x !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>>
func.func @f() {
  // expected-error@+1 {{'tirx.pipeline' op must be directly in the region of tirx.launch}}
  %ring = tirx.pipeline full(tma) empty(mma) : !ring
  return
}

// -----

!ring = !tirx.pipeline<2 x !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>>
tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(128) {
    tirx.role "r" warps(0) {
      // expected-error@+1 {{'tirx.pipeline' op must be directly in the region of tirx.launch}}
      %ring = tirx.pipeline full(tma) empty(mma) : !ring
    }
  }
}

// -----

!out = !tirx.pipeline<2 x !tirx.buffer<128x256xf32, #tirx.layout<S[(128,256):(1@TLane,1@TCol)]>, tmem>>
tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(128) {
    // expected-error@+1 {{'tirx.pipeline' op full(tma) needs tiles in shared memory}}
    %out = tirx.pipeline full(tma) empty(threads) : !out
  }
}

// -----

!ring = !tirx.pipeline<2 x !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>>
tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(128) {
    // expected-error@+1 {{'tirx.pipeline' op empty(tma) is not possible: TMA stores signal no mbarrier (PTX ISA, cp.async.bulk.tensor)}}
    %ring = tirx.pipeline full(threads) empty(tma) : !ring
  }
}

// -----

!ring = !tirx.pipeline<2 x !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>>
tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(128) {
    // expected-error@+1 {{unknown pipeline signal 'thread': expected tma, mma or threads}}
    %ring = tirx.pipeline full(thread) empty(mma) : !ring
  }
}

// -----

!ring = !tirx.pipeline<2 x !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>>
tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(128) {
    // expected-error@+1 {{expected a pipeline signal: tma, mma or threads}}
    %ring = tirx.pipeline full() empty(mma) : !ring
  }
}

// -----

!ring = !tirx.pipeline<2 x !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>>
tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) cluster(2, 1, 1) threads(128) {
    // expected-error@+1 {{'tirx.pipeline' op cta_group(3) must be 1 or 2 (PTX ISA, .cta_group)}}
    %ring = tirx.pipeline full(tma) empty(mma) cta_group(3) : !ring
  }
}

// -----

!ring = !tirx.pipeline<2 x !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>>
tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) cluster(1, 2, 1) threads(128) {
    // expected-error@+1 {{'tirx.pipeline' op cta_group(2) needs a cluster of CTA pairs: an even x extent, not 1}}
    %ring = tirx.pipeline full(tma) empty(mma) cta_group(2) : !ring
  }
}

// -----

!ring = !tirx.pipeline<2 x !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>>
tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(128) {
    // expected-error@+1 {{'tirx.pipeline' op bytes are expected by full(tma) only}}
    %ring = tirx.pipeline full(threads) empty(mma) bytes(16384) : !ring
  }
}

// -----

!ring = !tirx.pipeline<2 x !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>>
tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(128) {
    // expected-error@+1 {{'tirx.pipeline' op full_count(0) is outside [1, 1048575] (PTX ISA, mbarrier)}}
    %ring = tirx.pipeline full(tma) empty(mma) full_count(0) : !ring
  }
}

// -----

!ring = !tirx.pipeline<2 x !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>>
tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(128) {
    // expected-error@+1 {{'tirx.pipeline' op empty_count(-1) is outside [1, 1048575] (PTX ISA, mbarrier)}}
    %ring = tirx.pipeline full(tma) empty(mma) empty_count(-1) : !ring
  }
}

// -----

!ring = !tirx.pipeline<2 x !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>>
tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(128) {
    // expected-error@+1 {{'tirx.pipeline' op bytes(1048576) is outside [1, 1048575] (PTX ISA, mbarrier)}}
    %ring = tirx.pipeline full(tma) empty(mma) bytes(1048576) : !ring
  }
}

// -----

!ring = !tirx.pipeline<2 x !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>>
func.func @f(%ring: !ring) {
  // expected-error@+1 {{'tirx.acquire' op is not followed by a tirx.publish of the pipeline in its block}}
  %a = tirx.acquire %ring : !ring
  return
}

// -----

// Another pipeline's does not help, nor does one in a region.
!ring = !tirx.pipeline<2 x !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>>
func.func @f(%ring: !ring, %other: !ring, %n: index) {
  %b = tirx.acquire %other : !ring
  // expected-error@+1 {{'tirx.acquire' op is not followed by a tirx.publish of the pipeline in its block}}
  %a = tirx.acquire %ring : !ring
  tirx.publish %other : !ring
  scf.for %i = %n to %n step %n {
    tirx.publish %ring : !ring
  }
  return
}

// -----

// A stage at a time.
!ring = !tirx.pipeline<2 x !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>>
func.func @f(%ring: !ring) {
  // expected-error@+1 {{'tirx.acquire' op is not followed by a tirx.publish of the pipeline in its block}}
  %a = tirx.acquire %ring : !ring
  %b = tirx.acquire %ring : !ring
  tirx.publish %ring : !ring
  tirx.publish %ring : !ring
  return
}

// -----

!ring = !tirx.pipeline<2 x !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>>
func.func @f(%ring: !ring) {
  // expected-error@+1 {{'tirx.publish' op has no tirx.acquire of the pipeline before it in its block}}
  tirx.publish %ring : !ring
  return
}

// -----

!ring = !tirx.pipeline<2 x !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>>
func.func @f(%ring: !ring) {
  %a = tirx.acquire %ring : !ring
  tirx.publish %ring : !ring
  // expected-error@+1 {{'tirx.publish' op has no tirx.acquire of the pipeline before it in its block}}
  tirx.publish %ring : !ring
  return
}

// -----

// A consumer that never releases.
!ring = !tirx.pipeline<2 x !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>>
func.func @f(%ring: !ring) {
  // expected-error@+1 {{'tirx.wait' op is not followed by a tirx.release of the pipeline in its block: a consumer that never releases stops the producer}}
  %a = tirx.wait %ring : !ring
  return
}

// -----

// It publishes instead.
!ring = !tirx.pipeline<2 x !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>>
func.func @f(%ring: !ring) {
  // expected-error@+1 {{'tirx.wait' op is not followed by a tirx.release of the pipeline in its block}}
  %a = tirx.wait %ring : !ring
  tirx.publish %ring : !ring
  return
}

// -----

!ring = !tirx.pipeline<2 x !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>>
func.func @f(%ring: !ring) {
  // expected-error@+1 {{'tirx.release' op has no tirx.wait of the pipeline before it in its block}}
  tirx.release %ring : !ring
  return
}

// -----

!As = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
!ring = !tirx.pipeline<2 x !As>
func.func @f(%ring: !ring, %A: !tirx.buffer<128x64xf16, global>) {
  %a = tirx.wait %ring : !ring
  // expected-note@+1 {{here}}
  tirx.release %ring : !ring
  // expected-error@+1 {{'tirx.copy' op uses a tile of a stage that was released}}
  tirx.copy %a to %A : !As to !tirx.buffer<128x64xf16, global>
  return
}

// -----

// A position is a stage and a phase.
!ring = !tirx.pipeline<2 x !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>>
func.func @f(%ring: !ring, %stage: index) {
  // expected-error@+1 {{'tirx.acquire' op needs both or neither of stage and phase}}
  %a = "tirx.acquire"(%ring, %stage) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (!ring, index) -> !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
  tirx.publish %ring : !ring
  return
}

// -----

!ring = !tirx.pipeline<2 x !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>>
func.func @f(%ring: !ring, %phase: i1) {
  %a = tirx.wait %ring : !ring
  // expected-error@+1 {{'tirx.release' op needs both or neither of stage and phase}}
  "tirx.release"(%ring, %phase) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (!ring, i1) -> ()
  return
}

// -----

// The results are the tiles of the type.
!ring = !tirx.pipeline<2 x !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>>
func.func @f(%ring: !ring) {
  // expected-error@+2 {{'tirx.acquire' op inferred type(s)}}
  // expected-error@+1 {{failed to infer returned types}}
  "tirx.acquire"(%ring) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!ring) -> ()
  tirx.publish %ring : !ring
  return
}

// -----

func.func @f(%x: f32) {
  // expected-error@+1 {{stages are those of a pipeline}}
  %a = tirx.acquire %x : f32
  return
}

// -----

func.func @f(%x: f32) {
  // expected-error@+1 {{'tirx.wait' op operand #0 must be a ring of stages that one role fills and another empties, but got 'f32'}}
  "tirx.wait"(%x) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (f32) -> ()
  return
}

// -----

// Without the pipeline.
func.func @f(%stage: index) {
  // expected-error@+1 {{'tirx.wait' op needs one pipeline, not 0}}
  "tirx.wait"(%stage) <{operandSegmentSizes = array<i32: 0, 1, 0>}> : (index) -> ()
  return
}

// -----

!ring = !tirx.pipeline<2 x !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>>
func.func @f(%ring: !ring) {
  // expected-error@+1 {{'tirx.publish' op needs one pipeline, not 2}}
  "tirx.publish"(%ring, %ring) <{operandSegmentSizes = array<i32: 2, 0, 0>}> : (!ring, !ring) -> ()
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{'tirx.release' op expected 1 or more operands, but found 0}}
  "tirx.release"() <{operandSegmentSizes = array<i32: 0, 0, 0>}> : () -> ()
  return
}

// -----

!ring = !tirx.pipeline<2 x !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>>
tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(128) {
    // expected-error@+1 {{'tirx.pipeline' op requires attribute 'full'}}
    %ring = "tirx.pipeline"() <{empty = #tirx<pipeline_signal mma>}> : () -> !ring
  }
}

// -----

!ring = !tirx.pipeline<2 x !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>>
func.func @f(%ring: !ring, %stage: index) {
  // expected-error@+1 {{'tirx.drain' op needs both or neither of stage and phase}}
  "tirx.drain"(%ring, %stage) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (!ring, index) -> ()
  return
}

// -----

func.func @f(%stage: index) {
  // expected-error@+1 {{'tirx.drain' op needs one pipeline, not 0}}
  "tirx.drain"(%stage) <{operandSegmentSizes = array<i32: 0, 1, 0>}> : (index) -> ()
  return
}
