// RUN: tirx-opt %s -split-input-file -verify-diagnostics

// A scalar is no tile.
// expected-error@+1 {{a buffer needs at least one dimension}}
func.func private @f(!tirx.buffer<f32, global>)

// -----

// The width of an index is the compiler's choice.
// expected-error@+1 {{element type must be an integer or a float, not 'index'}}
func.func private @f(!tirx.buffer<64xindex, global>)

// -----

// Tiles of tiles.
// expected-error@+1 {{element type must be an integer or a float, not 'vector<4xf32>'}}
func.func private @f(!tirx.buffer<64xvector<4xf32>, global>)

// -----

// Elements have addresses of their own.
// expected-error@+1 {{elements of 4 bits are not supported: they must fill 1 to 8 bytes}}
func.func private @f(!tirx.buffer<64xi4, global>)

// -----

// Wider than a register pair.
// expected-error@+1 {{elements of 128 bits are not supported: they must fill 1 to 8 bytes}}
func.func private @f(!tirx.buffer<64xi128, global>)

// -----

// A tile without elements.
// expected-error@+1 {{extent 0 must be positive}}
func.func private @f(!tirx.buffer<64x0xf32, global>)

// -----

// More than any memory holds: sizes in bytes would not fit 64 bits.
// expected-error@+1 {{a buffer has at most 2^40 elements}}
func.func private @f(!tirx.buffer<4294967296x4294967296xf32, global>)

// -----

// Strides of an argument are known at launch only.
// expected-error@+1 {{a global buffer has no layout: its strides are known at launch}}
func.func private @f(!tirx.buffer<64xf32, #tirx.layout<S[64:1]>, global>)

// -----

// Where would an element lie?
// expected-error@+1 {{a shared buffer needs a layout}}
func.func private @f(!tirx.buffer<64xf32, shared>)

// -----

// Likewise.
// expected-error@+1 {{a tmem buffer needs a layout}}
func.func private @f(!tirx.buffer<128x64xf32, tmem>)

// -----

// Storage is assigned at compile time.
// expected-error@+1 {{a shared buffer needs static extents}}
func.func private @f(!tirx.buffer<?xf32, #tirx.layout<S[64:1]>, shared>)

// -----

// Likewise.
// expected-error@+1 {{a tmem buffer needs static extents}}
func.func private @f(!tirx.buffer<128x?xf32, #tirx.layout<S[(128,64):(1@TLane,1@TCol)]>, tmem>)

// -----

// A layout of another number of elements.
// expected-error@+1 {{layout #tirx.layout<S[64:1]>: shape 32 has 32 elements, layout S[64:1] has 64}}
func.func private @f(!tirx.buffer<32xf32, #tirx.layout<S[64:1]>, shared>)

// -----

// Shared memory is one line of bytes.
// expected-error@+1 {{layout #tirx.layout<S[(128,64):(1@TLane,1@TCol)]> of shared memory uses axis TLane; shared memory has only m}}
func.func private @f(!tirx.buffer<128x64xf32, #tirx.layout<S[(128,64):(1@TLane,1@TCol)]>, shared>)

// -----

// Threads are not memory.
// expected-error@+1 {{of shared memory uses axis laneid; shared memory has only m}}
func.func private @f(!tirx.buffer<32x2xf32, #tirx.layout<S[(32,2):(1@laneid,1)]>, shared>)

// -----

// Elements in front of the buffer.
// expected-error@+1 {{layout #tirx.layout<S[64:-1]> reaches below the start of the buffer}}
func.func private @f(!tirx.buffer<64xf32, #tirx.layout<S[64:-1]>, shared>)

// -----

// Rows that overlap.
// expected-error@+1 {{elements 32 and 64 of S[(16,64):(32,1)] share the place {m: 32}}}
func.func private @f(!tirx.buffer<16x64xf32, #tirx.layout<S[(16,64):(32,1)]>, shared>)

// -----

// Tensor memory has no banks to avoid.
// expected-error@+1 {{of tensor memory may not be swizzled}}
func.func private @f(!tirx.buffer<128x64xf32, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, tmem>)

// -----

// Tensor memory is addressed by lane and column.
// expected-error@+1 {{layout #tirx.layout<S[(128,64):(64,1)]> of tensor memory uses axis m; tensor memory has TLane and TCol}}
func.func private @f(!tirx.buffer<128x64xf32, #tirx.layout<S[(128,64):(64,1)]>, tmem>)

// -----

// More lanes than there are.
// expected-error@+1 {{TLane}}
func.func private @f(!tirx.buffer<256x64xf32, #tirx.layout<S[(256,64):(1@TLane,1@TCol)]>, tmem>)

// -----

// More columns than there are.
// expected-error@+1 {{(tensor memory has 128 lanes and 512 columns of 32 bits)}}
func.func private @f(!tirx.buffer<128x513xf32, #tirx.layout<S[(128,513):(1@TLane,1@TCol)]>, tmem>)

// -----

// 1024 columns of 16 bits are 512 of 32: one more is one too many.
// expected-error@+1 {{(tensor memory has 128 lanes and 512 columns of 32 bits)}}
func.func private @f(!tirx.buffer<128x1025xf16, #tirx.layout<S[(128,1025):(1@TLane,1@TCol)]>, tmem>)

// -----

// All rows in one lane.
// expected-error@+1 {{elements 0 and 64 of S[(128,64):(0@TLane,1@TCol)] share the place {TLane: 0, TCol: 0}}}
func.func private @f(!tirx.buffer<128x64xf32, #tirx.layout<S[(128,64):(0@TLane,1@TCol)]>, tmem>)

// -----

// No such memory.
// expected-error@+1 {{unknown memory space 'local': expected global, shared or tmem}}
func.func private @f(!tirx.buffer<64xf32, local>)

// -----

// With a layout, too.
// expected-error@+1 {{unknown memory space 'smem': expected global, shared or tmem}}
func.func private @f(!tirx.buffer<64xf32, #tirx.layout<S[64:1]>, smem>)

// -----

// Without a memory space.
// expected-error@+1 {{expected ','}}
func.func private @f(!tirx.buffer<64xf32>)

// -----

// The layout without a memory space.
// expected-error@+1 {{expected ','}}
func.func private @f(!tirx.buffer<64xf32, #tirx.layout<S[64:1]>>)

// -----

// A number for a memory space.
// expected-error@+1 {{expected a memory space: global, shared or tmem}}
func.func private @f(!tirx.buffer<64xf32, #tirx.layout<S[64:1]>, 3>)

// -----

// The layout is a layout.
// expected-error@+1 {{invalid kind of attribute specified}}
func.func private @f(!tirx.buffer<64xf32, "row-major", shared>)

// -----

// An array of barriers has some.
// expected-error@+1 {{a barrier array needs at least one slot, not 0}}
func.func private @f(!tirx.barrier<0>)

// -----

// As many as are known.
// expected-error@+2 {{expected integer value}}
// expected-error@+1 {{failed to parse TIRx_BarrierType parameter 'slots' which is to be a `int64_t`}}
func.func private @f(!tirx.barrier<?>)
