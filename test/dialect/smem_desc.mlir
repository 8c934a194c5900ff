// RUN: tirx-opt %s | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-op-generic | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --emit-bytecode | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-debuginfo | tirx-opt | FileCheck %s

// Offsets from nothing to the most that 14 bits of 16 bytes hold, all swizzles,
// both major-nesses.
// CHECK: a = #tirx.smem_desc<lbo = 0, sbo = 262128, none, K>
// CHECK-SAME: b = #tirx.smem_desc<lbo = 16, sbo = 256, swizzle32B, MN>
// CHECK-SAME: c = #tirx.smem_desc<lbo = 8192, sbo = 512, swizzle64B, K>
// CHECK-SAME: d = #tirx.smem_desc<lbo = 16, sbo = 1024, swizzle128B, MN>
// CHECK-SAME: e = #tirx.smem_desc<lbo = 4096, sbo = 512, swizzle128B_atom32B, MN>
func.func private @f() attributes {
  a = #tirx.smem_desc<lbo = 0, sbo = 262128, none, K>,
  b = #tirx.smem_desc<lbo = 16, sbo = 256, swizzle32B, MN>,
  c = #tirx.smem_desc<lbo = 8192, sbo = 512, swizzle64B, K>,
  d = #tirx.smem_desc<lbo = 16, sbo = 1024, swizzle128B, MN>,
  e = #tirx.smem_desc<lbo = 4096, sbo = 512, swizzle128B_atom32B, MN>
}
