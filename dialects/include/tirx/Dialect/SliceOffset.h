//===- SliceOffset.h - where a slice begins in its buffer -------*- C++ -*-===//
#pragma once

#include "tirx/Dialect/TIRx.h"

#include <string>
#include <tl/expected.hpp>

namespace tirx::ir {

/// The place of a slice's first element in the buffer that it is cut from.
struct SliceOffset {
  /// Of the offsets that are constants, on the axes of the layout, in elements.
  layout::AxisValues constant;
  /// `value` times `stride` elements on `axis`, for each of the others.
  struct Term {
    mlir::Value value;
    int64_t stride;
    layout::Axis axis;
  };
  llvm::SmallVector<Term> terms;
};

/// For slices of shared and TMEM buffers. Axes of the source that the result
/// lacks are the leading ones, of extent 1. Refused, with the reason, unless
/// the result's layout is that of the window wherever it begins: the tile moves
/// by whole swizzle periods, and along axes of one stride.
tl::expected<SliceOffset, std::string> getSliceOffset(SliceOp slice);

} // namespace tirx::ir
