// RUN: tirx-opt %s -split-input-file -verify-diagnostics

// Tensor memory has 512 columns.
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
func.func @f(%acc: !Acc) {
  // expected-error@+1 {{'tirx.tcgen05.ld' op column(512) is outside [0, 511] (PTX ISA, Tensor Memory)}}
  %0 = tirx.tcgen05.ld %acc column(512) shape_32x32b num(32) : !Acc -> vector<32xf32>
  return
}

// -----

// They count from 0.
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
func.func @f(%acc: !Acc, %v: vector<32xf32>) {
  // expected-error@+1 {{'tirx.tcgen05.st' op column(-1) is outside [0, 511] (PTX ISA, Tensor Memory)}}
  tirx.tcgen05.st %v, %acc column(-1) shape_32x32b num(32) : vector<32xf32> to !Acc
  return
}

// -----

// 128 registers a thread at most: 32x32b.
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
func.func @f(%acc: !Acc) {
  // expected-error@+1 {{'tirx.tcgen05.ld' op num(256) exceeds 128, the most that 32x32b takes}}
  %0 = tirx.tcgen05.ld %acc column(0) shape_32x32b num(256) : !Acc -> vector<256xf32>
  return
}

// -----

// 128 registers a thread at most: 16x64b.
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
func.func @f(%acc: !Acc) {
  // expected-error@+1 {{'tirx.tcgen05.ld' op num(256) exceeds 128, the most that 16x64b takes}}
  %0 = tirx.tcgen05.ld %acc column(0) shape_16x64b num(256) : !Acc -> vector<256xf32>
  return
}

// -----

// 128 registers a thread at most: 16x128b.
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
func.func @f(%acc: !Acc) {
  // expected-error@+1 {{'tirx.tcgen05.ld' op num(128) exceeds 64, the most that 16x128b takes}}
  %0 = tirx.tcgen05.ld %acc column(0) shape_16x128b num(128) : !Acc -> vector<256xf32>
  return
}

// -----

// 128 registers a thread at most: 16x256b.
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
func.func @f(%acc: !Acc) {
  // expected-error@+1 {{'tirx.tcgen05.ld' op num(64) exceeds 32, the most that 16x256b takes}}
  %0 = tirx.tcgen05.ld %acc column(0) shape_16x256b num(64) : !Acc -> vector<256xf32>
  return
}

// -----

// Stores, too.
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
func.func @f(%acc: !Acc, %v: vector<256xf32>) {
  // expected-error@+1 {{'tirx.tcgen05.st' op num(64) exceeds 32, the most that 16x256b takes}}
  tirx.tcgen05.st %v, %acc column(0) shape_16x256b num(64) : vector<256xf32> to !Acc
  return
}

// -----

// Repetitions double.
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
func.func @f(%acc: !Acc) {
  // expected-error@+1 {{'tirx.tcgen05.ld' op num(3) must be a power of two}}
  %0 = tirx.tcgen05.ld %acc column(0) shape_32x32b num(3) : !Acc -> vector<3xf32>
  return
}

// -----

// Something is loaded.
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
func.func @f(%acc: !Acc) {
  // expected-error@+1 {{'tirx.tcgen05.ld' op num(0) must be a power of two}}
  %0 = tirx.tcgen05.ld %acc column(0) shape_32x32b num(0) : !Acc -> vector<1xf32>
  return
}

// -----

// Nor less.
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
func.func @f(%acc: !Acc, %v: vector<1xf32>) {
  // expected-error@+1 {{'tirx.tcgen05.st' op num(-1) must be a power of two}}
  tirx.tcgen05.st %v, %acc column(0) shape_32x32b num(-1) : vector<1xf32> to !Acc
  return
}

// -----

// A scalar is no set of registers.
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
func.func @f(%acc: !Acc) {
  // expected-error@+1 {{'tirx.tcgen05.ld' op value must be a register tile or a vector, not 'f32'}}
  %0 = tirx.tcgen05.ld %acc column(0) shape_32x32b num(1) : !Acc -> f32
  return
}

// -----

// A tensor without a layout is nowhere.
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
func.func @f(%acc: !Acc, %v: tensor<128x32xf32>) {
  // expected-error@+1 {{'tirx.tcgen05.st' op value must be a register tile or a vector, not 'tensor<128x32xf32>'}}
  tirx.tcgen05.st %v, %acc column(0) shape_32x32b num(32) : tensor<128x32xf32> to !Acc
  return
}

// -----

// 32 repetitions of one register.
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
func.func @f(%acc: !Acc) {
  // expected-error@+1 {{'tirx.tcgen05.ld' op 32x32b num(32) moves 32 32-bit registers a thread, not 'vector<16xf32>'}}
  %0 = tirx.tcgen05.ld %acc column(0) shape_32x32b num(32) : !Acc -> vector<16xf32>
  return
}

// -----

// 4 registers a repetition.
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
func.func @f(%acc: !Acc) {
  // expected-error@+1 {{'tirx.tcgen05.ld' op 16x256b num(2) moves 8 32-bit registers a thread, not 'vector<2xf32>'}}
  %0 = tirx.tcgen05.ld %acc column(0) shape_16x256b num(2) : !Acc -> vector<2xf32>
  return
}

// -----

// Registers have 32 bits.
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
func.func @f(%acc: !Acc, %v: vector<32xf16>) {
  // expected-error@+1 {{'tirx.tcgen05.st' op 32x32b num(32) moves 32 32-bit registers a thread, not 'vector<32xf16>'}}
  tirx.tcgen05.st %v, %acc column(0) shape_32x32b num(32) : vector<32xf16> to !Acc
  return
}

// -----

// And no rows.
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
func.func @f(%acc: !Acc, %v: vector<4x8xf32>) {
  // expected-error@+1 {{'tirx.tcgen05.st' op 32x32b num(32) moves 32 32-bit registers a thread, not 'vector<4x8xf32>'}}
  tirx.tcgen05.st %v, %acc column(0) shape_32x32b num(32) : vector<4x8xf32> to !Acc
  return
}

// -----

// Nor a number that the machine decides.
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
func.func @f(%acc: !Acc) {
  // expected-error@+1 {{'tirx.tcgen05.ld' op 32x32b num(32) moves 32 32-bit registers a thread, not 'vector<[32]xf32>'}}
  %0 = tirx.tcgen05.ld %acc column(0) shape_32x32b num(32) : !Acc -> vector<[32]xf32>
  return
}

// -----

// No such shape.
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
func.func @f(%acc: !Acc) {
  // expected-error@+1 {{unknown tcgen05.ld and st shape 'shape_64x32b': expected shape_32x32b, shape_16x64b, shape_16x128b or shape_16x256b}}
  %0 = tirx.tcgen05.ld %acc column(0) shape_64x32b num(32) : !Acc -> vector<32xf32>
  return
}

// -----

// Global memory is loaded with tirx.ld.
func.func @f(%A: !tirx.buffer<64xf32, global>) {
  // expected-error@+1 {{'tirx.tcgen05.ld' op operand #0 must be tmem buffer, but got '!tirx.buffer<64xf32, global>'}}
  %0 = tirx.tcgen05.ld %A column(0) shape_32x32b num(1) : !tirx.buffer<64xf32, global> -> vector<1xf32>
  return
}

// -----

// Waiting for MMAs is what barriers are for.
func.func @f() {
  // expected-error@+1 {{unknown tcgen05.wait kind 'mma': expected ld or st}}
  tirx.tcgen05.wait mma
  return
}
