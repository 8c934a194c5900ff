// Pipelines count towards what a CTA has: shared memory, tensor memory. The good
// twin of each is the kernel with fewer stages in the RUN line below.
//
// RUN: tirx-opt %s --tirx-to-nvvm -split-input-file -verify-diagnostics
// RUN: sed 's/<8 x/<4 x/; s/<3 x/<2 x/' %s | grep -v expected | tirx-opt --tirx-to-nvvm -split-input-file -o /dev/null

// 8 stages of 16384 + 32768 bytes behind 128 bytes of barriers, which fill 1024.
!a = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
!b = !tirx.buffer<256x64xf16, #tirx.layout<S[(256,64):(64,1)] swizzle(3,3,3)>, shared>
!ring = !tirx.pipeline<8 x !a, !b>
tirx.kernel @shared() {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'tirx.launch' op shared memory needs 394240 bytes, a CTA may have 232448 (CUDA programming guide, compute capabilities: 227 KB)}}
  tirx.launch grid(%c1, %c1, %c1) threads(64) {
    // expected-note@+2 {{131072 bytes here}}
    // expected-note@+1 {{262144 bytes here}}
    %ring = tirx.pipeline full(threads) empty(threads) : !ring
    tirx.roles {
      tirx.role "fill" warps(0) {
        %a, %b = tirx.acquire %ring : !ring
        tirx.publish %ring : !ring
      }
      tirx.role "empty" warps(1) {
        %a, %b = tirx.wait %ring : !ring
        tirx.release %ring : !ring
      }
    }
  }
}

// -----

!accumulator = !tirx.buffer<128x256xf32, #tirx.layout<S[(128,256):(1@TLane,1@TCol)]>, tmem>
!result = !tirx.pipeline<3 x !accumulator>
tirx.kernel @tensor() {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'tirx.launch' op tensor memory needs 768 columns, an SM has 512 (PTX ISA, tcgen05.alloc)}}
  tirx.launch grid(%c1, %c1, %c1) threads(64) {
    // expected-note@+1 {{768 columns here}}
    %result = tirx.pipeline full(threads) empty(threads) : !result
    tirx.roles {
      tirx.role "fill" warps(0) {
        %d = tirx.acquire %result : !result
        tirx.publish %result : !result
      }
      tirx.role "empty" warps(1) {
        %d = tirx.wait %result : !result
        tirx.release %result : !result
      }
    }
  }
}
