// RUN: tirx-opt %s | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-op-generic | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --emit-bytecode | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-debuginfo | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

!As = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
!Bs = !tirx.buffer<256x64xf16, #tirx.layout<S[(256,64):(64,1)] swizzle(3,3,3)>, shared>
!Acc = !tirx.buffer<128x256xf32, #tirx.layout<S[(128,256):(1@TLane,1@TCol)]>, tmem>
!ring = !tirx.pipeline<4 x !As, !Bs>
!out = !tirx.pipeline<2 x !Acc>

// CHECK-LABEL: tirx.kernel @pipelines
tirx.kernel @pipelines() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) cluster(2, 1, 1) threads(384) {
    %false = arith.constant false
    // What is derived may be left open,
    // CHECK: %[[RING:.+]] = tirx.pipeline full(tma) empty(mma) : !tirx.pipeline<4 x !tirx.buffer<128x64xf16, #layout, shared>, !tirx.buffer<256x64xf16, #layout1, shared>>
    // GENERIC: "tirx.pipeline"() <{cta_group = 1 : i64, empty = #tirx<pipeline_signal mma>, full = #tirx<pipeline_signal tma>}>
    %ring = tirx.pipeline full(tma) empty(mma) : !ring
    // or be written.
    // CHECK: tirx.pipeline full(tma) empty(mma) cta_group(2) full_count(1) empty_count(2) bytes(98304) {note = "kept"} : !tirx.pipeline<4 x
    // GENERIC: "tirx.pipeline"() <{bytes = 98304 : i64, cta_group = 2 : i64, empty = #tirx<pipeline_signal mma>, empty_count = 2 : i64, full = #tirx<pipeline_signal tma>, full_count = 1 : i64}>
    %pair = tirx.pipeline full(tma) empty(mma) cta_group(2) full_count(1) empty_count(2) bytes(98304) {note = "kept"} : !ring
    // The largest counts.
    // CHECK: full_count(1048575) empty_count(1048575) bytes(1048575)
    %most = tirx.pipeline full(tma) empty(threads) full_count(1048575) empty_count(1048575) bytes(1048575) : !ring
    // In tensor memory.
    // CHECK: %[[OUT:.+]] = tirx.pipeline full(mma) empty(threads) : !tirx.pipeline<2 x !tirx.buffer<128x256xf32, #layout2, tmem>>
    %out = tirx.pipeline full(mma) empty(threads) : !out
    // CHECK: tirx.pipeline full(threads) empty(mma) : !tirx.pipeline<2 x
    %probabilities = tirx.pipeline full(threads) empty(mma) : !out
    tirx.roles {
      tirx.role "load" warps(0) {
        // CHECK: %{{.+}}:2 = tirx.acquire %[[RING]] : !tirx.pipeline<4 x
        // GENERIC: "tirx.acquire"(%{{.+}}) <{operandSegmentSizes = array<i32: 1, 0, 0>}>
        %a, %b = tirx.acquire %ring : !ring
        // CHECK-NEXT: tirx.publish %[[RING]] : !tirx.pipeline<4 x
        tirx.publish %ring : !ring
      }
      tirx.role "mma" warps(1) {
        // A stage of one pipeline is held while those of another pass.
        // CHECK: %[[D:.+]] = tirx.acquire %[[OUT]] {note = "kept"} : !tirx.pipeline<2 x
        %d = tirx.acquire %out {note = "kept"} : !out
        scf.for %i = %c1 to %c1 step %c1 {
          // CHECK: %[[AB:.+]]:2 = tirx.wait %[[RING]] : !tirx.pipeline<4 x
          %a, %b = tirx.wait %ring : !ring
          // CHECK-NEXT: tirx.gemm_async %[[D]], %[[AB]]#0, %[[AB]]#1
          tirx.gemm_async %d, %a, %b accumulate(%false) : !Acc, !As, !Bs
          // CHECK-NEXT: tirx.release %[[RING]] : !tirx.pipeline<4 x
          tirx.release %ring : !ring
        }
        // CHECK: tirx.publish %[[OUT]] {note = "kept"} : !tirx.pipeline<2 x
        tirx.publish %out {note = "kept"} : !out
      }
      tirx.role "store" warps(4 to 8) {
        // One after the other.
        %first = tirx.wait %out : !out
        %f = tirx.copy %first : !Acc to tensor<128x256xf32, #tirx.layout<S[(128,256):(1@tid_in_wg,1)]>>
        tirx.release %out : !out
        %second = tirx.wait %out : !out
        tirx.release %out : !out
      }
    }
  }
}

// The position in the ring.
// CHECK-LABEL: func.func @positions
// CHECK-SAME: (%[[P:.+]]: !tirx.pipeline<4 x {{.*}}>, %[[S:.+]]: index, %[[F:.+]]: i1)
func.func @positions(%ring: !ring, %stage: index, %phase: i1) {
  // CHECK-NEXT: tirx.acquire %[[P]] at(%[[S]], %[[F]]) : !tirx.pipeline<4 x
  // GENERIC: "tirx.acquire"(%{{.+}}, %{{.+}}, %{{.+}}) <{operandSegmentSizes = array<i32: 1, 1, 1>}>
  %a, %b = tirx.acquire %ring at(%stage, %phase) : !ring
  // CHECK-NEXT: tirx.publish %[[P]] at(%[[S]], %[[F]]) : !tirx.pipeline<4 x
  tirx.publish %ring at(%stage, %phase) : !ring
  // CHECK-NEXT: tirx.wait %[[P]] at(%[[S]], %[[F]]) : !tirx.pipeline<4 x
  %c, %d = tirx.wait %ring at(%stage, %phase) : !ring
  // CHECK-NEXT: tirx.release %[[P]] at(%[[S]], %[[F]]) : !tirx.pipeline<4 x
  tirx.release %ring at(%stage, %phase) : !ring
  // CHECK-NEXT: tirx.drain %[[P]] at(%[[S]], %[[F]]) : !tirx.pipeline<4 x
  tirx.drain %ring at(%stage, %phase) : !ring
  // CHECK-NEXT: tirx.drain %[[P]] {note = "kept"} : !tirx.pipeline<4 x
  tirx.drain %ring {note = "kept"} : !ring
  return
}

// A ring of one stage with one small tile; as a type it is free to go anywhere.
// CHECK-LABEL: func.func private @one(!tirx.pipeline<1 x !tirx.buffer<8xf32, #layout{{.*}}, shared>>)
func.func private @one(!tirx.pipeline<1 x !tirx.buffer<8xf32, #tirx.layout<S[(8):(1)]>, shared>>)
