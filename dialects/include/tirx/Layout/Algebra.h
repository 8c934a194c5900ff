//===- Algebra.h - operations on layouts ------------------------*- C++ -*-===//
//
// Every operation is pure, checks its operands and verifies its result. The
// operations on Layout keep the swizzle and act on the tile part.
//
//===----------------------------------------------------------------------===//
#ifndef TIRX_LAYOUT_ALGEBRA_H
#define TIRX_LAYOUT_ALGEBRA_H

#include "tirx/Layout/Layout.h"

namespace tirx::layout {

//===--- normal form -----------------------------------------------------===//

/// Drops unit iters (one is kept when nothing else remains), zero offsets and
/// replicas that add no place; fuses neighbours on one axis when
/// E_next * S_next == S_prev; sorts replicas; drops a swizzle that
/// does nothing.
/// Independent of any target, and apply is unchanged.
TileLayout canonicalize(const TileLayout &layout);
Layout canonicalize(const Layout &layout);

/// Equality of canonical forms.
bool equivalent(const Layout &a, const Layout &b);

//===--- thread scopes ---------------------------------------------------===//

struct ScopePair {
  Scope subscope; ///< innermost level the layout distributes over
  Scope scope;    ///< outermost level
  friend bool operator==(const ScopePair &, const ScopePair &) = default;
};

/// The levels that the thread axes of `layout` connect; nullopt without thread
/// axes. Errors: two axes number the same level inside different scopes (tx and
/// laneid), or the chain has a gap (wgid and laneid without wid_in_wg).
Expected<std::optional<ScopePair>> scopeOf(const TileLayout &layout);

/// Rewrites the thread axes between `subscope` and `scope` to the one axis that
/// numbers `subscope` inside `scope`: (Thread, Warpgroup) -> tid_in_wg,
/// (Thread, Cta) -> tx, (Warp, Cta) -> warpid. Offsets of fused axes add up.
/// Error: no such axis, or those axes do not connect exactly these two levels.
Expected<TileLayout> fuseThreadAxes(const TileLayout &layout, Scope subscope,
                                    Scope scope);

/// The inverse: splits tx and tid_in_wg (and warpid into wgid, wid_in_wg when
/// `level` is Warpgroup) so that the result is written with an axis inside
/// `level` (Warp: laneid; Warpgroup: tid_in_wg or wid_in_wg) and one outside.
/// Error: an iter straddles the boundary.
Expected<TileLayout> splitThreadAxes(const TileLayout &layout, Scope level);

//===--- grouping --------------------------------------------------------===//

/// A layout whose shard is cut so that dim d of a shape owns the iters
/// [seps[d], seps[d+1]).
struct Grouped {
  TileLayout layout;
  std::vector<size_t> seps;
  std::span<const Iter> dim(size_t d) const {
    return std::span(layout.shard).subspan(seps[d], seps[d + 1] - seps[d]);
  }
};

/// Cuts iters so that every dim of `shape` is a run of iters; never reorders.
/// Unit dims get one unit iter. Error: size mismatch, or a boundary that falls
/// inside an iter whose extent it does not divide.
Expected<Grouped> group(const TileLayout &layout, ShapeRef shape);

/// The common refinement for several shapes, with one list of separators each.
struct GroupedMany {
  TileLayout layout;
  std::vector<std::vector<size_t>> seps;
};
Expected<GroupedMany> groupMany(const TileLayout &layout,
                                std::span<const Shape> shapes);

//===--- composition -----------------------------------------------------===//

/// Tiles `inner` by `outer`, dim by dim: result[o*I + i] =
/// outer[o] * span(inner) + inner[i] on every axis along which inner's
/// shard moves, plain sum on the others. Result shape is outerShape *
/// innerShape; canonical. Errors: rank mismatch, shapes that do not group.
Expected<Layout> tile(const TileLayout &outer, ShapeRef outerShape,
                      const Layout &inner, ShapeRef innerShape);

/// Repeats `layout` (of shape `shape`) row-major up to `fullShape`.
Expected<Layout> tileTo(const Layout &layout, ShapeRef fullShape,
                        ShapeRef shape);

/// Interleaves dim by dim [left, right] without scaling strides.
Expected<Layout> directSum(const TileLayout &left, ShapeRef leftShape,
                           const Layout &right, ShapeRef rightShape);

/// outer such that tile(outer, wholeShape/innerShape, inner, innerShape) is
/// equivalent to `whole`; an error with the reason when there is none.
Expected<TileLayout> isTileInner(const Layout &whole, ShapeRef wholeShape,
                                 const Layout &inner, ShapeRef innerShape);
/// inner such that tile(outer, outerShape, inner, wholeShape/outerShape) is
/// equivalent to `whole`.
Expected<Layout> isTileOuter(const Layout &whole, ShapeRef wholeShape,
                             const TileLayout &outer, ShapeRef outerShape);
/// right such that directSum(left, leftShape, right, ...) is `whole`.
Expected<Layout> isDirectSumLeft(const Layout &whole, ShapeRef wholeShape,
                                 const TileLayout &left, ShapeRef leftShape);
/// left such that directSum(left, ..., right, rightShape) is `whole`.
Expected<TileLayout> isDirectSumRight(const Layout &whole, ShapeRef wholeShape,
                                      const Layout &right, ShapeRef rightShape);

//===--- restriction and reshaping ---------------------------------------===//

/// The layout of the region [begin, begin+extent) of `shape`, canonical, with
/// result[x] = layout[begin + x]. Errors: a range outside the shape, or a range
/// that no layout describes (it wraps an iter unevenly).
Expected<Layout> slice(const Layout &layout, ShapeRef shape, ShapeRef begin,
                       ShapeRef extent);

/// Views each element as `n` smaller ones: scales the axis of the fastest iter
/// (a memory axis) by n and appends (n:1).
Expected<Layout> unpack(const Layout &layout, int64_t n);
/// Views `n` consecutive elements as one; the inverse of unpack. Errors: the
/// fastest iter is not n contiguous elements, something is not a multiple of n,
/// or the swizzle would move parts of one wide element.
Expected<Layout> pack(const Layout &layout, int64_t n);

/// Inserts a stride-0 iter of `extent` before shard iter `position`.
Expected<Layout> broadcast(const Layout &layout, int64_t extent,
                           size_t position);

/// Reorders the shard iters: new iter i is old iter perm[i].
Expected<Layout> permute(const Layout &layout, std::span<const size_t> perm);
/// Groups by `shape` and reorders the dims: new dim d is old dim perm[d].
Expected<Layout> permuteByGroups(const Layout &layout, ShapeRef shape,
                                 std::span<const size_t> perm);

} // namespace tirx::layout

#endif // TIRX_LAYOUT_ALGEBRA_H
