//===- Reshape.cpp - element width, broadcast, permutation ------*- C++ -*-===//
#include "tirx/Layout/Algebra.h"

#include "Detail.h"

namespace tirx::layout {

using detail::makeError;

static Expected<void> checkFactor(int64_t n) {
  if (n < 1 || n > 1024)
    return makeError("element factor {} is outside [1, 1024]", n);
  return {};
}

/// The memory axis that counts elements: that of the fastest iter that moves.
static Expected<Axis> elementAxis(const TileLayout &tile) {
  const auto run = detail::fuseRun(tile.shard);
  const Axis axis = run.empty() ? tile.shard.back().axis : run.back().axis;
  if (!isMemory(axis))
    return makeError(
        "the fastest iter of {} is on thread axis {}; elements are "
        "contiguous on memory axes only",
        toString(tile), toString(axis));
  return axis;
}

Expected<Layout> unpack(const Layout &layout, int64_t n) {
  TIRX_LAYOUT_CHECK(checkFactor(n));
  TIRX_LAYOUT_ASSIGN(const Axis axis, elementAxis(layout.tile));
  if (n == 1)
    return layout;
  Layout out = layout;
  for (auto *list : {&out.tile.shard, &out.tile.replica})
    for (Iter &it : *list)
      if (it.axis == axis)
        it.stride *= n;
  if (out.tile.offset.has(axis))
    out.tile.offset.set(axis, out.tile.offset.get(axis) * n);
  out.tile.shard.push_back({n, 1, axis});
  if (out.swizzle && axis == Axis::m) {
    if (!detail::isPowerOfTwo(n))
      return makeError("a swizzled element splits into a power of two, not {}",
                       n);
    out.swizzle->perElement += detail::log2Exact(n);
  }
  return detail::verified(std::move(out));
}

Expected<Layout> pack(const Layout &layout, int64_t n) {
  TIRX_LAYOUT_CHECK(checkFactor(n));
  TIRX_LAYOUT_ASSIGN(const Axis axis, elementAxis(layout.tile));
  if (n == 1)
    return layout;
  Layout out = canonicalize(layout);
  if (out.tile.shard.back().stride != 1 ||
      out.tile.shard.back().extent % n != 0)
    return makeError("the fastest iter of {} is not a run of {} contiguous "
                     "elements",
                     toString(layout), n);
  Iter &fastest = out.tile.shard.back();
  fastest.extent /= n;
  fastest.stride = n; // divided with the others below
  for (auto *list : {&out.tile.shard, &out.tile.replica})
    for (Iter &it : *list) {
      if (it.axis != axis)
        continue;
      if (it.stride % n != 0)
        return makeError("stride {} on axis {} is not a multiple of {}",
                         it.stride, toString(axis), n);
      it.stride /= n;
    }
  if (out.tile.offset.get(axis) % n != 0)
    return makeError("offset {} on axis {} is not a multiple of {}",
                     out.tile.offset.get(axis), toString(axis), n);
  if (out.tile.offset.has(axis))
    out.tile.offset.set(axis, out.tile.offset.get(axis) / n);
  if (out.swizzle && axis == Axis::m) {
    if (!detail::isPowerOfTwo(n) ||
        detail::log2Exact(n) > out.swizzle->perElement)
      return makeError("the swizzle moves units of 2^{} elements; {} elements "
                       "cannot be viewed as one",
                       out.swizzle->perElement, n);
    out.swizzle->perElement -= detail::log2Exact(n);
  }
  return detail::verified(std::move(out));
}

Expected<Layout> broadcast(const Layout &layout, int64_t extent,
                           size_t position) {
  auto &shard = layout.tile.shard;
  if (position > shard.size())
    return makeError("position {} is beyond the {} shard iters", position,
                     shard.size());
  const Axis axis = shard[std::min(position, shard.size() - 1)].axis;
  Layout out = layout;
  out.tile.shard.insert(out.tile.shard.begin() + ptrdiff_t(position),
                        Iter{extent, 0, axis});
  return detail::verified(std::move(out));
}

static Expected<void> checkPermutation(std::span<const size_t> perm, size_t n) {
  std::vector<bool> seen(n, false);
  if (perm.size() != n)
    return makeError("permutation of {} entries for {} dims", perm.size(), n);
  for (size_t p : perm) {
    if (p >= n || seen[p])
      return makeError("({}) is no permutation of 0..{}", fmt::join(perm, ","),
                       n - 1);
    seen[p] = true;
  }
  return {};
}

Expected<Layout> permute(const Layout &layout, std::span<const size_t> perm) {
  TIRX_LAYOUT_CHECK(checkPermutation(perm, layout.tile.shard.size()));
  Layout out = layout;
  for (size_t i = 0; i < perm.size(); ++i)
    out.tile.shard[i] = layout.tile.shard[perm[i]];
  return out;
}

Expected<Layout> permuteByGroups(const Layout &layout, ShapeRef shape,
                                 std::span<const size_t> perm) {
  TIRX_LAYOUT_CHECK(checkPermutation(perm, shape.size()));
  TIRX_LAYOUT_ASSIGN(Grouped g, group(layout.tile, shape));
  Layout out(TileLayout{{}, g.layout.replica, g.layout.offset}, layout.swizzle);
  for (size_t p : perm)
    out.tile.shard.insert(out.tile.shard.end(), g.dim(p).begin(),
                          g.dim(p).end());
  return detail::verified(std::move(out));
}

} // namespace tirx::layout
