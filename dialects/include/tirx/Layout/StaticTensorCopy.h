//===- StaticTensorCopy.h - copies of statically shaped tensors -*- C++ -*-===//
#ifndef TIRX_LAYOUT_STATICTENSORCOPY_H
#define TIRX_LAYOUT_STATICTENSORCOPY_H

#include "tirx/Layout/TensorMap.h"

namespace tirx::layout {

/// A copy whose global extents and strides are constants. Knowing them, a
/// global dim may be cut where the shared layout jumps (columns 128 as 2 x 64),
/// so that one instruction covers several swizzle atoms, and dims that are
/// contiguous and fully covered are merged.
struct StaticTensorCopyPlan {
  /// Complete but for globalAddress, l2 and oob. The type may be a wider
  /// unsigned integer than the element's (the bits are the same).
  TensorMapParams params;
  /// Instructions; coordinates are absolute, fastest dim first.
  std::vector<TensorCopyIssue> issues;
  int64_t totalBytes;
  int64_t alignment;
};

/// Plans the copy of the region [begin, begin+extent) of a tensor `global` over
/// `globalShape` to or from `shared`, whose elements in row-major order are
/// those of the region. `global` lies on axis m in elements; a broadcast
/// (stride 0) dim is refused. Of all prefixes of the shared order that make a
/// legal box the longest is taken; the rest is a loop of issues. Refusals start
/// with the rule that the longest candidate broke: shared_chain (gaps or
/// overlaps in the shared tile), global_shape, coordinate (a cut does not
/// divide), inner_stride, rank, or a rule of checkTensorMap.
Expected<StaticTensorCopyPlan>
planStaticTensorCopy(const TileLayout &global, ShapeRef globalShape,
                     ShapeRef begin, ShapeRef extent, const Layout &shared,
                     TensorMapType type);

/// Executes the plan symbolically and compares both addresses of every element
/// with the layouts: exact, up to 2^22 elements.
Expected<void> proveStaticTensorCopy(const StaticTensorCopyPlan &plan,
                                     const TileLayout &global,
                                     ShapeRef globalShape, ShapeRef begin,
                                     ShapeRef extent, const Layout &shared,
                                     int64_t elementBits);

} // namespace tirx::layout

#endif // TIRX_LAYOUT_STATICTENSORCOPY_H
