// RUN: tirx-opt %s -split-input-file -verify-diagnostics

// A layout begins with its shard.
// expected-error@+1 {{layout: expected 'S[' at the start of a layout}}
#l = #tirx.layout<(8,4):(4,1)>

// -----

// Something must be laid out.
// expected-error@+1 {{layout: expected an integer}}
#l = #tirx.layout<S[]>

// -----

// `TLan` is no axis; all axes are listed.
// expected-error@+1 {{layout: unknown axis 'TLan'; known axes: bx, by, bz, cbx, cby, cbz, tx, warpid, laneid, wgid, tid_in_wg, wid_in_wg, m, TLane, TCol, P, F, Bank}}
#l = #tirx.layout<S[(128,64):(1@TLan,1@TCol)]>

// -----

// One stride an extent.
// expected-error@+1 {{layout: 1 strides for 2 extents}}
#l = #tirx.layout<S[(8,4):(4)]>

// -----

// Not more strides than extents.
// expected-error@+1 {{layout: more strides than the 1 extents}}
#l = #tirx.layout<S[8:(4,1)]>

// -----

// One replica group.
// expected-error@+1 {{layout: a layout has at most one R[...]}}
#l = #tirx.layout<S[8:1] + R[2:8] + R[2:16]>

// -----

// Replicas are added, offsets only can be subtracted.
// expected-error@+1 {{expected integer value}}
#l = #tirx.layout<S[8:1] - R[2:8]>

// -----

// Text behind the layout.
// expected-error@+1 {{layout: unexpected ',' after the layout}}
#l = #tirx.layout<S[8:1], S[8:1]>

// -----

// An extent of zero.
// expected-error@+1 {{layout: shard iter 0 has extent 0; extents must be >= 1}}
#l = #tirx.layout<S[0:1]>

// -----

// The extent of a replica, too.
// expected-error@+1 {{layout: replica iter 0 has extent -2; extents must be >= 1}}
#l = #tirx.layout<S[8:1] + R[-2:1]>

// -----

// Larger than any memory.
// expected-error@+1 {{layout: shard has more than 2^40 elements}}
#l = #tirx.layout<S[(1099511627776,2):(1,1)]>

// -----

// A number that no integer holds.
// expected-error@+1 {{integer value too large}}
#l = #tirx.layout<S[8:99999999999999999999]>

// -----

// A swizzle has three numbers.
// expected-error@+1 {{layout: expected ',', found ')'}}
#l = #tirx.layout<S[(8,64):(64,1)] swizzle(3,3)>

// -----

// A swizzle that is no permutation.
// expected-error@+1 {{layout: swizzle(3,3,2): the atom length 2 must be >= the swizzle length 3, or the map is no permutation}}
#l = #tirx.layout<S[(8,64):(64,1)] swizzle(3,3,2)>

// -----

// A swizzle of more than addresses hold.
// expected-error@+1 {{layout: swizzle parameter 31 is outside [0, 30]}}
#l = #tirx.layout<S[(8,64):(64,1)] swizzle(31,3,3)>

// -----

// An unknown kind of swizzle.
// expected-error@+1 {{layout: expected 'outer'}}
#l = #tirx.layout<S[(8,64):(64,1)] swizzle(3,3,3,inside)>

// -----

// Lanes have no addresses to swizzle.
// expected-error@+1 {{layout: a swizzle permutes axis m, which the layout does not use}}
#l = #tirx.layout<S[8:1@laneid] swizzle(3,3,3)>

// -----

// Brackets without end, which MLIR's lexer meets first.
// expected-error@+1 {{unbalanced '(' character in pretty dialect name}}
#l = #tirx.layout<S[(8,4:(4,1)]>

// -----

// Brackets in brackets in brackets.
// expected-error@+1 {{layout is nested too deeply}}
#l = #tirx.layout<S[[[[[[8]]]]]]>

// -----

// A character that is not part of the notation.
// expected-error@+1 {{expected '>'}}
#l = #tirx.layout<S[8:1] * 2>

// -----

// Registers hold a known number of elements.
// expected-error@+1 {{a register tile needs static extents}}
func.func private @f(tensor<?x16xf32, #tirx.layout<S[(128,16):(1@tid_in_wg,1)]>>)

// -----

// A layout of another number of elements.
// expected-error@+1 {{layout #tirx.layout<S[(128,16):(1@tid_in_wg,1)]>: shape (128,8) has 1024 elements, layout S[(128,16):(1@tid_in_wg,1)] has 2048}}
func.func private @f(tensor<128x8xf32, #tirx.layout<S[(128,16):(1@tid_in_wg,1)]>>)

// -----

// Registers have no addresses to swizzle.
// expected-error@+1 {{layout #tirx.layout<S[(128,16):(1@tid_in_wg,1)] swizzle(1,1,1)> of a register tile may not be swizzled: registers have no address}}
func.func private @f(tensor<128x16xf32, #tirx.layout<S[(128,16):(1@tid_in_wg,1)] swizzle(1,1,1)>>)

// -----

// Two axes that both number threads.
// expected-error@+1 {{axes laneid and tid_in_wg both number the thread level, inside a warp and inside a warpgroup; a layout may use one of them}}
func.func private @f(tensor<4x32xf32, #tirx.layout<S[(4,32):(32@tid_in_wg,1@laneid)]>>)

// -----

// Lanes of a warpgroup whose warp is not said.
// expected-error@+1 {{thread axes are not connected: they reach the warp level, but axis wgid numbers the warpgroup level}}
func.func private @f(tensor<2x32xf32, #tirx.layout<S[(2,32):(1@wgid,1@laneid)]>>)

// -----

// Tensor memory is not registers.
// expected-error@+1 {{layout #tirx.layout<S[(128,16):(1@TLane,1@TCol)]> of a register tile uses TLane; only thread axes and m have a meaning there}}
func.func private @f(tensor<128x16xf32, #tirx.layout<S[(128,16):(1@TLane,1@TCol)]>>)

// -----

// A warp has 32 lanes.
// expected-error@+1 {{laneid}}
func.func private @f(tensor<64x2xf32, #tirx.layout<S[(64,2):(1@laneid,1)]>>)

// -----

// Two elements in one register.
// expected-error@+1 {{elements 0 and 1 of S[(128,16):(1@tid_in_wg,0)] share the place {tid_in_wg: 0, m: 0}}}
func.func private @f(tensor<128x16xf32, #tirx.layout<S[(128,16):(1@tid_in_wg,0)]>>)
