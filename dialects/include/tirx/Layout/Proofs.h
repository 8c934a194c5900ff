//===- Proofs.h - exact checks of layouts, with witnesses -------*- C++ -*-===//
#ifndef TIRX_LAYOUT_PROOFS_H
#define TIRX_LAYOUT_PROOFS_H

#include "tirx/Layout/Algebra.h"

namespace tirx::layout {

/// Checks of this header enumerate at most this many elements; where a larger
/// layout has no other exact algorithm the answer is an error, not a guess.
inline constexpr int64_t kMaxEnumeration = int64_t(1) << 22;

/// States after which the search for a collision gives up.
inline constexpr int64_t kMaxSearchStates = int64_t(1) << 18;

/// A counterexample: row-major indices of the elements at fault and the place
/// where it shows. `other` is set for collisions only.
struct Witness {
  int64_t element;
  std::optional<int64_t> other;
  AxisValues place;
  std::string message;
};

/// Proven, or refuted by a witness.
struct Verdict {
  std::optional<Witness> witness;
  bool proven() const { return !witness; }
  explicit operator bool() const { return proven(); }
};

/// No place holds two logical elements; several places may hold copies of one
/// element. Exact for every size; an error only if the search exceeds
/// kMaxSearchStates states (pathological strides).
Expected<Verdict> proveInjective(const Layout &layout);

/// Every place satisfies 0 <= value < bounds[axis] for the axes in `bounds`
/// that the layout uses. Exact; an error for a swizzled m axis whose last
/// swizzle period is not full and that has more than kMaxEnumeration elements.
Expected<Verdict> proveInBounds(const Layout &layout, const AxisValues &bounds);

/// Limits that the hardware sets: laneid 32, wid_in_wg 4, tid_in_wg 128,
/// warpid 32, wgid 8, tx 1024, cb* 16, TLane 128.
AxisValues hardwareBounds();

/// Every run of `n` consecutive elements starting at a multiple of n lies at n
/// consecutive places of `axis` whose first is a multiple of n, in every
/// replica: what a vector access of n elements needs. Exact; an error for more
/// than kMaxEnumeration elements when n exceeds the swizzle unit.
Expected<Verdict> proveAligned(const Layout &layout, int64_t n,
                               Axis axis = Axis::m);

/// size(layout) equals the size of `shape`.
Expected<void> checkCovers(const Layout &layout, ShapeRef shape);

/// The thread axes form one chain inside `allowed` (for example Warpgroup):
/// the outermost scope of the layout does not exceed it.
Expected<void> checkScope(const TileLayout &layout, Scope allowed);

} // namespace tirx::layout

#endif // TIRX_LAYOUT_PROOFS_H
