// RUN: tirx-opt %s -split-input-file -verify-diagnostics

// One coordinate an axis.
!s = !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(64,1)]>, shared>
!map = !tirx.tensor_map<64x64xf16, none>
func.func @f(%map: !map, %s: !s, %bar: !tirx.barrier<1>, %i: index) {
  // expected-error@+1 {{'tirx.tma.load' op has 1 coordinates, but the box has rank 2}}
  tirx.tma.load %map[%i] to %s offset(0) signal(%bar) : !map to !s, !tirx.barrier<1>
  return
}

// -----

// Stores, too.
!s = !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(64,1)]>, shared>
!map = !tirx.tensor_map<64x64xf16, none>
func.func @f(%map: !map, %s: !s, %i: index) {
  // expected-error@+1 {{'tirx.tma.store' op has 3 coordinates, but the box has rank 2}}
  tirx.tma.store %s offset(0) to %map[%i, %i, %i] : !s to !map
  return
}

// -----

// TMA does not convert.
!s = !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(64,1)]>, shared>
!map = !tirx.tensor_map<64x64xbf16, none>
func.func @f(%map: !map, %s: !s, %bar: !tirx.barrier<1>, %i: index) {
  // expected-error@+1 {{'tirx.tma.load' op maps elements of 'bf16', but the buffer has 'f16'}}
  tirx.tma.load %map[%i, %i] to %s offset(0) signal(%bar) : !map to !s, !tirx.barrier<1>
  return
}

// -----

// The box would be written over what follows.
!s = !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(64,1)]>, shared>
!map = !tirx.tensor_map<64x64xf16, none>
func.func @f(%map: !map, %s: !s, %bar: !tirx.barrier<1>, %i: index) {
  // expected-error@+1 {{'tirx.tma.load' op box of 8192 bytes at offset 128 exceeds the buffer's 8192 bytes}}
  tirx.tma.load %map[%i, %i] to %s offset(128) signal(%bar) : !map to !s, !tirx.barrier<1>
  return
}

// -----

// Or over what precedes.
!s = !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(64,1)]>, shared>
!map = !tirx.tensor_map<32x64xf16, none>
func.func @f(%map: !map, %s: !s, %i: index) {
  // expected-error@+1 {{'tirx.tma.store' op box of 4096 bytes at offset -128 exceeds the buffer's 8192 bytes}}
  tirx.tma.store %s offset(-128) to %map[%i, %i] : !s to !map
  return
}

// -----

// Shared memory addresses of TMA are multiples of 128.
!s = !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(64,1)]>, shared>
!map = !tirx.tensor_map<32x64xf16, none>
func.func @f(%map: !map, %s: !s, %i: index) {
  // expected-error@+1 {{'tirx.tma.store' op offset 64 is not a multiple of 128 (PTX ISA, cp.async.bulk.tensor: shared memory alignment)}}
  tirx.tma.store %s offset(64) to %map[%i, %i] : !s to !map
  return
}

// -----

// Which of the two?
!s = !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(64,1)]>, shared>
!map = !tirx.tensor_map<64x64xf16, none>
func.func @f(%map: !map, %s: !s, %ring: !tirx.barrier<2>, %i: index) {
  // expected-error@+1 {{'tirx.tma.load' op must say which of the 2 barriers it means, as in %bar[%slot]}}
  tirx.tma.load %map[%i, %i] to %s offset(0) signal(%ring) : !map to !s, !tirx.barrier<2>
  return
}

// -----

// Slots 0 and 1.
!s = !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(64,1)]>, shared>
!map = !tirx.tensor_map<64x64xf16, none>
func.func @f(%map: !map, %s: !s, %ring: !tirx.barrier<2>, %i: index) {
  %c2 = arith.constant 2 : index
  // expected-error@+1 {{'tirx.tma.load' op slot 2 is outside [0, 1], the slots of '!tirx.barrier<2>'}}
  tirx.tma.load %map[%i, %i] to %s offset(0) signal(%ring[%c2]) : !map to !s, !tirx.barrier<2>
  return
}

// -----

// TMA copies to shared memory.
!map = !tirx.tensor_map<64x64xf16, none>
func.func @f(%map: !map, %A: !tirx.buffer<64x64xf16, global>, %bar: !tirx.barrier<1>, %i: index) {
  // expected-error@+1 {{'tirx.tma.load' op operand #3 must be shared buffer, but got '!tirx.buffer<64x64xf16, global>'}}
  tirx.tma.load %map[%i, %i] to %A offset(0) signal(%bar) : !map to !tirx.buffer<64x64xf16, global>, !tirx.barrier<1>
  return
}

// -----

// One CTA or a pair.
!s = !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(64,1)]>, shared>
!map = !tirx.tensor_map<64x64xf16, none>
func.func @f(%map: !map, %s: !s, %bar: !tirx.barrier<1>, %i: index) {
  // expected-error@+1 {{'tirx.tma.load' op cta_group(4) must be 1 or 2 (PTX ISA, .cta_group)}}
  tirx.tma.load %map[%i, %i] to %s offset(0) signal(%bar) cta_group(4) : !map to !s, !tirx.barrier<1>
  return
}

// -----

// A mask has 16 bits, one a CTA.
!s = !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(64,1)]>, shared>
!map = !tirx.tensor_map<64x64xf16, none>
// expected-note@+1 {{prior use here}}
func.func @f(%map: !map, %s: !s, %bar: !tirx.barrier<1>, %i: index) {
  // expected-error@+1 {{use of value '%i' expects different type than prior uses: 'i16' vs 'index'}}
  tirx.tma.load %map[%i, %i] to %s offset(0) signal(%bar) multicast(%i) : !map to !s, !tirx.barrier<1>
  return
}
