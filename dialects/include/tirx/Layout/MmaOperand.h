//===- MmaOperand.h - descriptors derived from operand layouts --*- C++ -*-===//
#ifndef TIRX_LAYOUT_MMAOPERAND_H
#define TIRX_LAYOUT_MMAOPERAND_H

#include "tirx/Layout/SmemDescriptor.h"

namespace tirx::layout {

/// How a shared-memory tile (MN, K) is fed to the matrix unit. One instruction
/// reads a slice of mnStep x kStep elements; its descriptor is `descriptor`
/// with the start address advanced by offset(i, j).
struct MmaOperandPlan {
  Major major;
  SwizzleMode swizzle;
  int64_t elementBits;
  int64_t mn, k;             ///< extents of the tile
  int64_t mnStep, kStep;     ///< extents of an instruction's slice
  int64_t leadingByteOffset; ///< 0 where the hardware does not use it
  int64_t strideByteOffset;
  std::vector<int64_t> mnOffsets; ///< byte offset of slice i along MN
  std::vector<int64_t> kOffsets;  ///< byte offset of slice j along K
  int64_t alignment; ///< bytes to which the tile must be aligned in memory

  /// Byte offset of slice (mnSlice, kSlice) from the start of the tile's
  /// buffer.
  int64_t offset(size_t mnSlice, size_t kSlice) const {
    return mnOffsets[mnSlice] + kOffsets[kSlice];
  }
  /// The descriptor of slice (mnSlice, kSlice) of a tile whose buffer is at
  /// shared address `base`. Error: see encode.
  Expected<SmemDescriptor> descriptor(MmaGeneration generation, uint32_t base,
                                      size_t mnSlice, size_t kSlice) const;
};

/// Derives major, swizzle mode, LBO, SBO and slice offsets from `layout` over
/// the shape (mn, k) of `elementBits` (4, 8, 16, 32) wide elements. mnStep 0
/// means the whole mn; the K step is 256 bits. The plan is proven: for every
/// element the canonical address formula (operandAddress) gives the place that
/// the layout gives. A refusal says which address disagrees.
Expected<MmaOperandPlan> planMmaOperand(const Layout &layout, int64_t mn,
                                        int64_t k, int64_t elementBits,
                                        int64_t mnStep = 0);

} // namespace tirx::layout

#endif // TIRX_LAYOUT_MMAOPERAND_H
