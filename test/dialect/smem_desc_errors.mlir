// RUN: tirx-opt %s -split-input-file -verify-diagnostics

// Offsets count 16 bytes.
// expected-error@+1 {{lbo = 8 must be a multiple of 16 below 262144}}
#d = #tirx.smem_desc<lbo = 8, sbo = 1024, swizzle128B, K>

// -----

// They have 14 bits.
// expected-error@+1 {{sbo = 262144 must be a multiple of 16 below 262144}}
#d = #tirx.smem_desc<lbo = 16, sbo = 262144, swizzle128B, K>

// -----

// They have no sign.
// expected-error@+1 {{lbo = -16 must be a multiple of 16 below 262144}}
#d = #tirx.smem_desc<lbo = -16, sbo = 1024, swizzle128B, K>

// -----

// No such swizzle.
// expected-error@+1 {{unknown swizzle 'swizzle16B': expected none, swizzle32B, swizzle64B, swizzle128B or swizzle128B_atom32B}}
#d = #tirx.smem_desc<lbo = 16, sbo = 1024, swizzle16B, K>

// -----

// M and N are one mode.
// expected-error@+1 {{unknown major 'M': expected K or MN}}
#d = #tirx.smem_desc<lbo = 16, sbo = 1024, swizzle128B, M>

// -----

// Fields stand in one order.
// expected-error@+1 {{expected 'lbo'}}
#d = #tirx.smem_desc<sbo = 1024, lbo = 16, swizzle128B, K>

// -----

// No field may be left out.
// expected-error@+1 {{expected ','}}
#d = #tirx.smem_desc<lbo = 16, sbo = 1024, swizzle128B>
