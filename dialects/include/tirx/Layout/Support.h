//===- Support.h - errors and shapes ----------------------------*- C++ -*-===//
#ifndef TIRX_LAYOUT_SUPPORT_H
#define TIRX_LAYOUT_SUPPORT_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace tirx::layout {

/// Why an operation was refused. `column` is the 1-based position in the parsed
/// text and 0 for errors that do not come from the parser.
struct Error {
  std::string message;
  int column = 0;
};

template <class T> using Expected = tl::expected<T, Error>;

/// Extents of the dimensions of a tile, slowest first.
using Shape = std::vector<int64_t>;
using ShapeRef = std::span<const int64_t>;

/// Limits that `verify` enforces, so that index arithmetic in int64 is exact.
inline constexpr int64_t kMaxSize = int64_t(1) << 40;  ///< elements of a layout
inline constexpr int64_t kMaxReach = int64_t(1) << 48; ///< |value| on one axis
inline constexpr size_t kMaxIters = 64; ///< shard or replica iters

/// Product of the extents; an error when an extent is < 1 or the product
/// exceeds kMaxSize.
Expected<int64_t> shapeSize(ShapeRef shape);

/// Row-major coordinates of `linear` in `shape`; the first coordinate is not
/// reduced, so an index beyond the size extrapolates.
Shape unflatten(int64_t linear, ShapeRef shape);

/// Row-major index of `coord` in `shape` (same rank).
int64_t flatten(ShapeRef coord, ShapeRef shape);

/// `(2,3,4)`, or `8` for one dimension.
std::string toString(ShapeRef shape);

} // namespace tirx::layout

#endif // TIRX_LAYOUT_SUPPORT_H
