//===- Tile.cpp - tile, direct sum and their inverses -----------*- C++ -*-===//
#include "tirx/Layout/Algebra.h"

#include "Detail.h"

#include <algorithm>

namespace tirx::layout {

using detail::makeError;

namespace {
/// Factor by which tile() scales an axis of the outer layout.
using Scale = std::array<int64_t, kNumAxes>;
} // namespace

static Scale unitScale() {
  Scale s;
  s.fill(1);
  return s;
}

static Scale spanScale(const TileLayout &inner) {
  Scale s = unitScale();
  for (const Iter &it : inner.shard)
    if (it.extent > 1) // the axis of a unit iter is arbitrary
      s[unsigned(it.axis)] = span(inner, it.axis);
  return s;
}

static Expected<int64_t> scaled(int64_t value, Axis axis, const Scale &scale) {
  auto r = detail::mulChecked(value, scale[unsigned(axis)]);
  if (!r || std::abs(*r) > kMaxReach)
    return makeError("tiling reaches beyond 2^48 on axis {}", toString(axis));
  return *r;
}

static Expected<void> checkRanks(ShapeRef a, ShapeRef b, const char *what) {
  if (a.size() == b.size())
    return {};
  return makeError("{}: shapes {} and {} have different ranks", what,
                   toString(a), toString(b));
}

/// Interleaves two layouts dim by dim, the slow one scaled.
static Expected<TileLayout> interleave(const TileLayout &slowIn,
                                       ShapeRef slowShape,
                                       const TileLayout &fastIn,
                                       ShapeRef fastShape, bool scale) {
  const TileLayout fast = canonicalize(fastIn);
  TIRX_LAYOUT_ASSIGN(const Grouped s, group(canonicalize(slowIn), slowShape));
  TIRX_LAYOUT_ASSIGN(const Grouped f, group(fast, fastShape));
  const Scale factor = scale ? spanScale(fast) : unitScale();
  TileLayout out;
  for (size_t d = 0; d < slowShape.size(); ++d) {
    for (Iter it : s.dim(d)) {
      if (it.extent == 1)
        continue; // its stride means nothing and may be large
      TIRX_LAYOUT_ASSIGN(it.stride, scaled(it.stride, it.axis, factor));
      out.shard.push_back(it);
    }
    for (const Iter &it : f.dim(d))
      out.shard.push_back(it);
  }
  if (out.shard.empty())
    out.shard.push_back({1, 1, fast.shard.front().axis});
  out.replica = f.layout.replica;
  for (Iter it : s.layout.replica) {
    TIRX_LAYOUT_ASSIGN(it.stride, scaled(it.stride, it.axis, factor));
    out.replica.push_back(it);
  }
  out.offset = f.layout.offset;
  Expected<void> status{};
  s.layout.offset.forEach([&](Axis axis, int64_t value) {
    if (auto v = scaled(value, axis, factor))
      out.offset.add(axis, *v);
    else
      status = tl::make_unexpected(v.error());
  });
  TIRX_LAYOUT_CHECK(status);
  TIRX_LAYOUT_CHECK(verify(Layout(out)));
  return canonicalize(out);
}

Expected<Layout> tile(const TileLayout &outer, ShapeRef outerShape,
                      const Layout &inner, ShapeRef innerShape) {
  TIRX_LAYOUT_CHECK(checkRanks(outerShape, innerShape, "tile"));
  TIRX_LAYOUT_ASSIGN(TileLayout t, interleave(outer, outerShape, inner.tile,
                                              innerShape, /*scale=*/true));
  return detail::verified(canonicalize(Layout(std::move(t), inner.swizzle)));
}

static Expected<Shape> quotient(ShapeRef whole, ShapeRef part,
                                const char *what) {
  TIRX_LAYOUT_CHECK(checkRanks(whole, part, what));
  TIRX_LAYOUT_CHECK(shapeSize(whole));
  TIRX_LAYOUT_CHECK(shapeSize(part));
  Shape q(whole.size());
  for (size_t d = 0; d < whole.size(); ++d) {
    if (whole[d] % part[d] != 0)
      return makeError("{}: extent {} of dim {} is not a multiple of {}", what,
                       whole[d], d, part[d]);
    q[d] = whole[d] / part[d];
  }
  return q;
}

Expected<Layout> tileTo(const Layout &layout, ShapeRef fullShape,
                        ShapeRef shape) {
  TIRX_LAYOUT_ASSIGN(const Shape outer, quotient(fullShape, shape, "tile_to"));
  return tile(rowMajor(outer), outer, layout, shape);
}

Expected<Layout> directSum(const TileLayout &left, ShapeRef leftShape,
                           const Layout &right, ShapeRef rightShape) {
  TIRX_LAYOUT_CHECK(checkRanks(leftShape, rightShape, "direct sum"));
  TIRX_LAYOUT_ASSIGN(TileLayout t, interleave(left, leftShape, right.tile,
                                              rightShape, /*scale=*/false));
  return detail::verified(canonicalize(Layout(std::move(t), right.swizzle)));
}

//===--- inverses --------------------------------------------------------===//

namespace {
/// `whole` cut dim by dim into a slow and a fast run, unit iters dropped.
struct Parts {
  TileLayout whole; // canonical
  std::vector<std::vector<Iter>> slow, fast;
};
} // namespace

static Expected<Parts> cut(const TileLayout &wholeIn, ShapeRef slow,
                           ShapeRef fast) {
  Parts parts{canonicalize(wholeIn), {}, {}};
  Shape both;
  for (size_t d = 0; d < slow.size(); ++d) {
    both.push_back(slow[d]);
    both.push_back(fast[d]);
  }
  TIRX_LAYOUT_ASSIGN(const Grouped g, group(parts.whole, both));
  for (size_t d = 0; d < slow.size(); ++d) {
    parts.slow.push_back(detail::fuseRun(g.dim(2 * d)));
    parts.fast.push_back(detail::fuseRun(g.dim(2 * d + 1)));
  }
  return parts;
}

static TileLayout concat(const std::vector<std::vector<Iter>> &runs,
                         Axis unit) {
  TileLayout out;
  for (const auto &run : runs)
    out.shard.insert(out.shard.end(), run.begin(), run.end());
  if (out.shard.empty())
    out.shard.push_back({1, 1, unit});
  return out;
}

/// `from` without the iters of `remove` (both sorted multisets).
static Expected<std::vector<Iter>> subtract(std::vector<Iter> from,
                                            const std::vector<Iter> &remove) {
  for (const Iter &it : remove) {
    auto found = std::find(from.begin(), from.end(), it);
    if (found == from.end())
      return makeError("replica {}:{}@{} of the part is not in the whole",
                       it.extent, it.stride, toString(it.axis));
    from.erase(found);
  }
  return from;
}

/// Compares each dim's run of `part` with the runs found in the whole.
static Expected<void> sameRuns(const std::vector<std::vector<Iter>> &runs,
                               const TileLayout &part, ShapeRef shape,
                               const Scale &scale) {
  TIRX_LAYOUT_ASSIGN(const Grouped g, group(canonicalize(part), shape));
  for (size_t d = 0; d < shape.size(); ++d) {
    auto want = detail::fuseRun(g.dim(d));
    for (Iter &it : want) {
      TIRX_LAYOUT_ASSIGN(it.stride, scaled(it.stride, it.axis, scale));
    }
    if (detail::fuseRun(want) != runs[d])
      return makeError("the iters of dim {} differ", d);
  }
  return {};
}

static Expected<int64_t> unscaled(int64_t value, Axis axis,
                                  const Scale &scale) {
  const int64_t s = scale[unsigned(axis)];
  if (s == 0 || value % s != 0)
    return makeError(
        "{} on axis {} is not a multiple of the span {} of the part", value,
        toString(axis), s);
  return value / s;
}

/// The slow part, given the fast one: shared by isTileInner/isDirectSumRight.
static Expected<TileLayout> solveSlow(const Layout &whole, ShapeRef wholeShape,
                                      const Layout &fast, ShapeRef fastShape,
                                      bool scale, const char *what) {
  TIRX_LAYOUT_ASSIGN(const Shape slowShape,
                     quotient(wholeShape, fastShape, what));
  // A swizzle of a part that does not move along m shows in the whole only.
  if (whole.swizzle != fast.swizzle &&
      canonicalize(whole).swizzle != canonicalize(fast).swizzle)
    return makeError("{}: the swizzles differ", what);
  TIRX_LAYOUT_ASSIGN(const Parts parts, cut(whole.tile, slowShape, fastShape));
  TIRX_LAYOUT_CHECK(sameRuns(parts.fast, fast.tile, fastShape, unitScale()));
  const TileLayout f = canonicalize(fast.tile);
  const Scale factor = scale ? spanScale(f) : unitScale();
  TileLayout slow = concat(parts.slow, parts.whole.shard.front().axis);
  for (Iter &it : slow.shard)
    if (it.extent != 1) {
      TIRX_LAYOUT_ASSIGN(it.stride, unscaled(it.stride, it.axis, factor));
    }
  TIRX_LAYOUT_ASSIGN(slow.replica, subtract(parts.whole.replica, f.replica));
  for (Iter &it : slow.replica) {
    TIRX_LAYOUT_ASSIGN(it.stride, unscaled(it.stride, it.axis, factor));
  }
  for (unsigned a = 0; a < kNumAxes; ++a) {
    const Axis axis = Axis(a);
    const int64_t rest = parts.whole.offset.get(axis) - f.offset.get(axis);
    if (rest == 0)
      continue;
    TIRX_LAYOUT_ASSIGN(const int64_t value, unscaled(rest, axis, factor));
    slow.offset.set(axis, value);
  }
  TIRX_LAYOUT_ASSIGN(const TileLayout again,
                     interleave(slow, slowShape, f, fastShape, scale));
  if (again != parts.whole)
    return makeError("{}: {} does not rebuild {}", what, toString(slow),
                     toString(whole));
  return canonicalize(slow);
}

/// Sets the offsets of `fast` such that tiling it by `slow` gives `whole`. The
/// span that scales the slow offset s contains the unknown offset x itself:
/// whole = x + s * (base + x), where base is the span at offset 0.
static Expected<void> solveOffsets(TileLayout &fast, const TileLayout &slow,
                                   const AxisValues &whole, bool scale) {
  const Scale base = scale ? spanScale(fast) : unitScale();
  for (unsigned a = 0; a < kNumAxes; ++a) {
    const Axis axis = Axis(a);
    const int64_t w = whole.get(axis), s = slow.offset.get(axis);
    const bool scales =
        scale &&
        std::any_of(fast.shard.begin(), fast.shard.end(), [&](const Iter &it) {
          return it.axis == axis && it.extent > 1;
        });
    int64_t x = w - s;
    if (scales) {
      auto product = detail::mulChecked(s, base[a]);
      if (!product || s == -1 || (w - *product) % (1 + s) != 0)
        return makeError("no offset on axis {} fits", toString(axis));
      x = (w - *product) / (1 + s);
    }
    if (x != 0)
      fast.offset.set(axis, x);
  }
  return {};
}

/// The fast part, given the slow one: isTileOuter/isDirectSumLeft.
static Expected<Layout> solveFast(const Layout &whole, ShapeRef wholeShape,
                                  const TileLayout &slowIn, ShapeRef slowShape,
                                  bool scale, const char *what) {
  TIRX_LAYOUT_ASSIGN(const Shape fastShape,
                     quotient(wholeShape, slowShape, what));
  TIRX_LAYOUT_ASSIGN(const Parts parts, cut(whole.tile, slowShape, fastShape));
  const TileLayout slow = canonicalize(slowIn);
  const size_t replicas = parts.whole.replica.size();
  if (replicas > 12)
    return makeError("{}: {} replica iters; at most 12 are searched", what,
                     replicas);
  if (replicas < slow.replica.size())
    return makeError("{}: the whole has fewer replicas than the part", what);
  // Which replicas belong to the fast part decides the span that scales the
  // others, so every choice is tried; there are seldom more than two.
  const TileLayout bare = concat(parts.fast, parts.whole.shard.front().axis);
  for (unsigned mask = 0; mask < 1u << replicas; ++mask) {
    if (size_t(std::popcount(mask)) + slow.replica.size() != replicas)
      continue;
    TileLayout fast = bare;
    for (size_t i = 0; i < replicas; ++i)
      if (mask >> i & 1)
        fast.replica.push_back(parts.whole.replica[i]);
    if (!solveOffsets(fast, slow, parts.whole.offset, scale))
      continue;
    auto again = interleave(slow, slowShape, fast, fastShape, scale);
    if (again && *again == parts.whole)
      return detail::verified(canonicalize(Layout(fast, whole.swizzle)));
  }
  return makeError("{}: {} is no slow part of {}", what, toString(slowIn),
                   toString(whole));
}

Expected<TileLayout> isTileInner(const Layout &whole, ShapeRef wholeShape,
                                 const Layout &inner, ShapeRef innerShape) {
  return solveSlow(whole, wholeShape, inner, innerShape, true, "is_tile_inner");
}

Expected<Layout> isTileOuter(const Layout &whole, ShapeRef wholeShape,
                             const TileLayout &outer, ShapeRef outerShape) {
  return solveFast(whole, wholeShape, outer, outerShape, true, "is_tile_outer");
}

Expected<Layout> isDirectSumLeft(const Layout &whole, ShapeRef wholeShape,
                                 const TileLayout &left, ShapeRef leftShape) {
  return solveFast(whole, wholeShape, left, leftShape, false,
                   "is_direct_sum_left");
}

Expected<TileLayout> isDirectSumRight(const Layout &whole, ShapeRef wholeShape,
                                      const Layout &right,
                                      ShapeRef rightShape) {
  return solveSlow(whole, wholeShape, right, rightShape, false,
                   "is_direct_sum_right");
}

} // namespace tirx::layout
