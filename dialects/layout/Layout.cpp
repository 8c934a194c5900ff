//===- Layout.cpp - verification and evaluation -----------------*- C++ -*-===//
#include "tirx/Layout/Layout.h"

#include "Detail.h"

namespace tirx::layout {

using detail::makeError;

static size_t combine(size_t seed, uint64_t value) {
  return seed ^ (std::hash<uint64_t>()(value) + 0x9e3779b97f4a7c15ull +
                 (seed << 6) + (seed >> 2));
}

size_t hash(const Layout &layout) {
  size_t h = layout.tile.shard.size();
  for (const auto *list : {&layout.tile.shard, &layout.tile.replica})
    for (const Iter &it : *list) {
      h = combine(h, uint64_t(it.extent));
      h = combine(h, uint64_t(it.stride));
      h = combine(h, uint64_t(it.axis));
    }
  layout.tile.offset.forEach([&](Axis axis, int64_t value) {
    h = combine(combine(h, uint64_t(axis)), uint64_t(value));
  });
  if (const auto &s = layout.swizzle)
    h = combine(h,
                uint64_t(s->perElement) << 24 | uint64_t(s->swizzleLen) << 16 |
                    uint64_t(s->atomLen) << 8 | uint64_t(s->inner) | 1u << 31);
  return h;
}

TileLayout rowMajor(ShapeRef shape, Axis axis) {
  TileLayout out;
  out.shard.resize(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    out.shard[d] = {shape[d], stride, axis};
    stride *= shape[d];
  }
  return out;
}

static Expected<void> verifyIters(std::span<const Iter> iters, const char *what,
                                  std::array<int64_t, kNumAxes> &reach) {
  if (iters.size() > kMaxIters)
    return makeError("{} has {} iters; the limit is {}", what, iters.size(),
                     kMaxIters);
  int64_t total = 1;
  for (size_t i = 0; i < iters.size(); ++i) {
    const Iter &it = iters[i];
    if (it.extent < 1)
      return makeError("{} iter {} has extent {}; extents must be >= 1", what,
                       i, it.extent);
    auto next = detail::mulChecked(total, it.extent);
    if (!next || *next > kMaxSize)
      return makeError("{} has more than 2^40 elements", what);
    total = *next;
    if (it.stride > kMaxReach || it.stride < -kMaxReach)
      return makeError("{} iter {} has stride {}; |stride| must be <= 2^48",
                       what, i, it.stride);
    auto extent = detail::mulChecked(it.extent - 1, std::abs(it.stride));
    int64_t &sum = reach[unsigned(it.axis)];
    if (!extent || *extent > kMaxReach || (sum += *extent) > kMaxReach)
      return makeError("{} iter {} reaches beyond 2^48 on axis {}", what, i,
                       toString(it.axis));
  }
  return {};
}

static Expected<void> verifySwizzle(const Layout &layout) {
  const Swizzle &s = *layout.swizzle;
  if (s.perElement < 0 || s.swizzleLen < 0 || s.atomLen < 0)
    return makeError("swizzle({},{},{}): parameters must be >= 0", s.perElement,
                     s.swizzleLen, s.atomLen);
  if (s.atomLen < s.swizzleLen)
    return makeError("swizzle({},{},{}): the atom length {} must be >= the "
                     "swizzle length {}, or the map is no permutation",
                     s.perElement, s.swizzleLen, s.atomLen, s.atomLen,
                     s.swizzleLen);
  // Compared in turn so that the sum of large parameters cannot overflow.
  if (s.perElement > 30 || s.swizzleLen > 30 || s.atomLen > 30 ||
      s.perElement + s.swizzleLen + s.atomLen > 30)
    return makeError("swizzle({},{},{}): the period must be <= 2^30 elements",
                     s.perElement, s.swizzleLen, s.atomLen);
  const Range m = range(layout.tile, Axis::m);
  const auto used = axes(layout.tile);
  if (std::find(used.begin(), used.end(), Axis::m) == used.end())
    return makeError(
        "a swizzle permutes axis m, which the layout does not use");
  if (m.min < 0)
    return makeError("a swizzle needs non-negative coordinates on axis m; the "
                     "layout reaches {}",
                     m.min);
  return {};
}

Expected<void> verify(const Layout &layout) {
  if (layout.tile.shard.empty())
    return makeError("a layout needs at least one shard iter");
  std::array<int64_t, kNumAxes> reach{};
  TIRX_LAYOUT_CHECK(verifyIters(layout.tile.shard, "shard", reach));
  TIRX_LAYOUT_CHECK(verifyIters(layout.tile.replica, "replica", reach));
  Expected<void> result{};
  layout.tile.offset.forEach([&](Axis axis, int64_t value) {
    if (value > kMaxReach || value < -kMaxReach)
      result = makeError("offset {} on axis {} is beyond 2^48", value,
                         toString(axis));
  });
  TIRX_LAYOUT_CHECK(result);
  if (layout.swizzle)
    return verifySwizzle(layout);
  return {};
}

//===--- evaluation ------------------------------------------------------===//

static AxisValues swizzled(AxisValues place, const Layout &layout) {
  if (layout.swizzle)
    place.set(Axis::m, (*layout.swizzle)(place.get(Axis::m)));
  return place;
}

static AxisValues applyTile(const TileLayout &tile, int64_t linear) {
  AxisValues place = tile.offset;
  for (size_t i = tile.shard.size(); i-- > 0;) {
    const Iter &it = tile.shard[i];
    const int64_t q = i ? detail::floorDiv(linear, it.extent) : 0;
    place.add(it.axis, (linear - q * it.extent) * it.stride);
    linear = q;
  }
  return place;
}

static Expected<void> checkExtrapolation(int64_t coord, int64_t extent) {
  const int64_t limit = kMaxExtrapolation * extent;
  if (coord >= -limit && coord <= limit)
    return {};
  return makeError("coordinate {} is beyond {} times the extent {}", coord,
                   kMaxExtrapolation, extent);
}

AxisValues apply(const Layout &layout, int64_t linear) {
  return swizzled(applyTile(layout.tile, linear), layout);
}

Expected<AxisValues> applyShard(const Layout &layout, ShapeRef shardCoord) {
  const auto &shard = layout.tile.shard;
  if (shardCoord.size() != shard.size())
    return makeError("{} coordinates for {} shard iters of {}",
                     shardCoord.size(), shard.size(), toString(layout));
  AxisValues place = layout.tile.offset;
  for (size_t i = 0; i < shard.size(); ++i) {
    TIRX_LAYOUT_CHECK(checkExtrapolation(shardCoord[i], shard[i].extent));
    place.add(shard[i].axis, shardCoord[i] * shard[i].stride);
  }
  return swizzled(place, layout);
}

Expected<AxisValues> apply(const Layout &layout, ShapeRef coord,
                           ShapeRef shape) {
  if (coord.size() != shape.size())
    return makeError("{} coordinates for a shape of rank {}", coord.size(),
                     shape.size());
  TIRX_LAYOUT_ASSIGN(const int64_t total, shapeSize(shape));
  if (total != size(layout))
    return makeError("shape {} has {} elements, layout {} has {}",
                     toString(shape), total, toString(layout), size(layout));
  if (!coord.empty())
    TIRX_LAYOUT_CHECK(checkExtrapolation(coord[0], shape[0]));
  for (size_t d = 1; d < coord.size(); ++d)
    if (coord[d] < 0 || coord[d] >= shape[d])
      return makeError("coordinate {} of dim {} is outside [0, {})", coord[d],
                       d, shape[d]);
  return apply(layout, flatten(coord, shape));
}

Expected<std::vector<AxisValues>> applyReplicas(const Layout &layout,
                                                int64_t linear) {
  const auto &replica = layout.tile.replica;
  const int64_t count = replicaCount(layout.tile);
  if (count > int64_t(1) << 20)
    return makeError("{} replicas; at most 2^20 are enumerated", count);
  const AxisValues base = applyTile(layout.tile, linear);
  std::vector<AxisValues> places;
  places.reserve(size_t(count));
  for (int64_t r = 0; r < count; ++r) {
    AxisValues place = base;
    int64_t rest = r;
    for (size_t i = replica.size(); i-- > 0; rest /= replica[i].extent)
      place.add(replica[i].axis, rest % replica[i].extent * replica[i].stride);
    places.push_back(swizzled(place, layout));
  }
  return places;
}

int64_t size(const TileLayout &layout) {
  int64_t n = 1;
  for (const Iter &it : layout.shard)
    n *= it.extent;
  return n;
}

int64_t size(const TileLayout &layout, Axis axis) {
  int64_t n = 1;
  for (const Iter &it : layout.shard)
    if (it.axis == axis)
      n *= it.extent;
  return n;
}

int64_t replicaCount(const TileLayout &layout) {
  int64_t n = 1;
  for (const Iter &it : layout.replica)
    n *= it.extent;
  return n;
}

Range range(const TileLayout &layout, Axis axis) {
  Range r{layout.offset.get(axis), layout.offset.get(axis)};
  for (const auto *list : {&layout.shard, &layout.replica})
    for (const Iter &it : *list)
      if (it.axis == axis)
        (it.stride < 0 ? r.min : r.max) += (it.extent - 1) * it.stride;
  return r;
}

int64_t span(const TileLayout &layout, Axis axis) {
  return 1 + range(layout, axis).max;
}

int64_t span(const TileLayout &layout) {
  int64_t n = 1;
  for (unsigned a = 0; a < kNumAxes; ++a)
    if (isMemory(Axis(a)))
      n += range(layout, Axis(a)).max;
  return n;
}

TileLayout storage(const TileLayout &layout) {
  TileLayout out;
  for (const Iter &it : layout.shard)
    if (isMemory(it.axis))
      out.shard.push_back(it);
  for (const Iter &it : layout.replica)
    if (isMemory(it.axis))
      out.replica.push_back(it);
  layout.offset.forEach([&](Axis axis, int64_t value) {
    if (isMemory(axis))
      out.offset.set(axis, value);
  });
  if (out.shard.empty())
    out.shard.push_back({1, 1, Axis::m});
  return out;
}

std::vector<Axis> axes(const TileLayout &layout) {
  AxisValues used;
  for (const auto *list : {&layout.shard, &layout.replica})
    for (const Iter &it : *list)
      used.set(it.axis, 0);
  layout.offset.forEach([&](Axis axis, int64_t) { used.set(axis, 0); });
  std::vector<Axis> out;
  used.forEach([&](Axis axis, int64_t) { out.push_back(axis); });
  return out;
}

} // namespace tirx::layout
