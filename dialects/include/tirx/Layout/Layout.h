//===- Layout.h - tile layouts, swizzles, apply and text form ---*- C++ -*-===//
//
// A layout maps a logical tile to places: L(x) = { D(x) + r + O : r in R }.
// D (shard) splits the row-major index of x over an ordered list of iters, the
// last one the fastest; R (replica) lists further copies; O is an offset. A
// swizzle, when present, permutes the resulting coordinate on axis m.
//
//===----------------------------------------------------------------------===//
#ifndef TIRX_LAYOUT_LAYOUT_H
#define TIRX_LAYOUT_LAYOUT_H

#include "tirx/Layout/Axis.h"

namespace tirx::layout {

/// One digit of the mixed-radix index: `extent` positions, `stride` apart on
/// `axis`. The unit on m and TCol is one element of the buffer's type.
struct Iter {
  int64_t extent;
  int64_t stride;
  Axis axis = Axis::m;
  friend bool operator==(const Iter &, const Iter &) = default;
  friend auto operator<=>(const Iter &, const Iter &) = default;
};

/// TIRx ComposeLayout parameters. With q = m >> perElement and
/// mask = 2^swizzleLen - 1 the swizzle replaces q by
///   inner:  q ^ ((q >> atomLen) & mask)
///   outer:  q ^ ((q & mask) << atomLen)
/// and keeps the low perElement bits. Needs atomLen >= swizzleLen, so that it
/// is a bijection.
struct Swizzle {
  int perElement;
  int swizzleLen;
  int atomLen;
  bool inner = true;
  /// Elements after which the pattern repeats:
  /// 2^(perElement+swizzleLen+atomLen).
  int64_t period() const {
    return int64_t(1) << (perElement + swizzleLen + atomLen);
  }
  int64_t operator()(int64_t m) const {
    const int64_t q = m >> perElement,
                  low = m & ((int64_t(1) << perElement) - 1);
    const int64_t mask = (int64_t(1) << swizzleLen) - 1;
    const int64_t s =
        inner ? q ^ ((q >> atomLen) & mask) : q ^ ((q & mask) << atomLen);
    return s << perElement | low;
  }
  friend bool operator==(const Swizzle &, const Swizzle &) = default;
};

struct TileLayout {
  std::vector<Iter> shard;
  std::vector<Iter> replica;
  AxisValues offset;
  friend bool operator==(const TileLayout &, const TileLayout &) = default;
};

struct Layout {
  TileLayout tile;
  std::optional<Swizzle> swizzle;

  Layout() = default;
  Layout(TileLayout tile, std::optional<Swizzle> swizzle = std::nullopt)
      : tile(std::move(tile)), swizzle(swizzle) {}
  friend bool operator==(const Layout &, const Layout &) = default;
};

/// Structural equality (==) compares the written form; see `equivalent` in
/// Algebra.h for equality of canonical forms.
size_t hash(const Layout &layout);

//===--- construction and checks -----------------------------------------===//

/// Row-major layout of `shape` on `axis`: strides are products of the faster
/// extents. `shape` must be valid (shapeSize).
TileLayout rowMajor(ShapeRef shape, Axis axis = Axis::m);

/// Well-formedness: at least one shard iter, extents >= 1, at most kMaxIters
/// iters, size <= kMaxSize, every axis value within kMaxReach, swizzle
/// parameters >= 0 with atomLen >= swizzleLen and a period <= 2^30, and an m
/// axis for the swizzle to act on. Thread scopes are checked by `scopeOf`.
Expected<void> verify(const Layout &layout);

/// How far beyond its extent the first coordinate of apply may lie.
inline constexpr int64_t kMaxExtrapolation = 1024;

//===--- evaluation ------------------------------------------------------===//
// All of these require a layout accepted by `verify`.

/// Place of the element with row-major index `linear`, replicas ignored. The
/// first digit is not reduced modulo its extent: an index beyond the size
/// extrapolates linearly (up to kMaxExtrapolation times the size, where
/// int64 arithmetic is exact).
AxisValues apply(const Layout &layout, int64_t linear);

/// Same for one coordinate per shard iter. Errors: rank mismatch, a coordinate
/// beyond kMaxExtrapolation times its extent.
Expected<AxisValues> applyShard(const Layout &layout, ShapeRef shardCoord);

/// Same for coordinates in a logical `shape`. Errors: size of `shape` differs
/// from size(layout), rank mismatch, a coordinate after the first out of range,
/// a first coordinate beyond kMaxExtrapolation times its extent.
Expected<AxisValues> apply(const Layout &layout, ShapeRef coord,
                           ShapeRef shape);

/// All places of the element, one per combination of replica digits (the last
/// replica iter fastest); one entry when there is no replica. Error: more than
/// 2^20 replicas.
Expected<std::vector<AxisValues>> applyReplicas(const Layout &layout,
                                                int64_t linear);

/// Product of all shard extents.
int64_t size(const TileLayout &layout);
inline int64_t size(const Layout &layout) { return size(layout.tile); }
/// Product of the shard extents on `axis`, 1 when there are none.
int64_t size(const TileLayout &layout, Axis axis);
/// Product of the replica extents.
int64_t replicaCount(const TileLayout &layout);

/// Smallest and largest value on `axis` over shard and replica, offset
/// included, before any swizzle.
struct Range {
  int64_t min;
  int64_t max;
};
Range range(const TileLayout &layout, Axis axis);

/// TIRx span: 1 + the largest value on `axis`, i.e. 1 + sum((E-1)*S) + offset
/// for non-negative strides.
int64_t span(const TileLayout &layout, Axis axis);
/// TIRx span without an axis: the sum runs over all memory axes.
int64_t span(const TileLayout &layout);

/// The layout without its thread iters and offsets: what one thread stores. A
/// layout with thread iters only becomes one unit iter on m.
TileLayout storage(const TileLayout &layout);

/// Axes used by shard, replica or offset.
std::vector<Axis> axes(const TileLayout &layout);

//===--- text form -------------------------------------------------------===//

/// S/R/O notation: `S[(128,64):(64,1)] + R[4:32@TLane] + 5@warpid`, followed by
/// ` swizzle(p,n,t)` or ` swizzle(p,n,t,outer)`. Axis m is not written.
std::string toString(const TileLayout &layout);
std::string toString(const Layout &layout);

/// Parses that notation and verifies the result. Also accepted: missing
/// strides (row-major on m), `S[8,4]`, `1@m`, an axis name alone as a stride
/// (stride 1), `- 3@m`, repeated offsets (added), any white space. Errors carry
/// the column.
Expected<Layout> parseLayout(std::string_view text);

} // namespace tirx::layout

#endif // TIRX_LAYOUT_LAYOUT_H
