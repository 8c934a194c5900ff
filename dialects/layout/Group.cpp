//===- Group.cpp - canonical form and grouping ------------------*- C++ -*-===//
#include "tirx/Layout/Algebra.h"

#include "Detail.h"

#include <algorithm>
#include <set>

namespace tirx::layout {

using detail::makeError;

std::vector<Iter> detail::fuseRun(std::span<const Iter> run) {
  std::vector<Iter> out;
  for (const Iter &it : run) {
    if (it.extent == 1)
      continue;
    if (!out.empty() && out.back().axis == it.axis &&
        it.extent * it.stride == out.back().stride)
      out.back() = {out.back().extent * it.extent, it.stride, it.axis};
    else
      out.push_back(it);
  }
  return out;
}

TileLayout canonicalize(const TileLayout &layout) {
  TileLayout out;
  out.shard = detail::fuseRun(layout.shard);
  if (out.shard.empty())
    out.shard.push_back({1, 1, layout.shard.front().axis});
  for (const Iter &it : layout.replica)
    if (it.extent != 1 && it.stride != 0)
      out.replica.push_back(it);
  std::sort(out.replica.begin(), out.replica.end());
  layout.offset.forEach([&](Axis axis, int64_t value) {
    if (value != 0)
      out.offset.set(axis, value);
  });
  return out;
}

Layout canonicalize(const Layout &layout) {
  Layout out(canonicalize(layout.tile), layout.swizzle);
  // Neither a swizzle of length 0 nor one of the constant 0 does anything.
  const auto used = axes(out.tile);
  if (out.swizzle &&
      (out.swizzle->swizzleLen == 0 ||
       std::find(used.begin(), used.end(), Axis::m) == used.end()))
    out.swizzle.reset();
  return out;
}

bool equivalent(const Layout &a, const Layout &b) {
  return canonicalize(a) == canonicalize(b);
}

static Expected<void> checkSize(const TileLayout &layout, ShapeRef shape) {
  TIRX_LAYOUT_ASSIGN(const int64_t total, shapeSize(shape));
  if (total != size(layout))
    return makeError("shape {} has {} elements, layout {} has {}",
                     toString(shape), total, toString(layout), size(layout));
  return {};
}

Expected<Grouped> group(const TileLayout &layout, ShapeRef shape) {
  TIRX_LAYOUT_CHECK(checkSize(layout, shape));
  Grouped out;
  out.layout.replica = layout.replica;
  out.layout.offset = layout.offset;
  auto &shard = out.layout.shard;
  out.seps.push_back(0);
  size_t d = 0;
  int64_t product = 1; // extents since the last boundary, current iter included
  for (Iter it : layout.shard) {
    product *= it.extent;
    while (d < shape.size() && product % shape[d] == 0) {
      const int64_t rest = product / shape[d]; // extent after the boundary
      if (it.extent % rest != 0)
        return makeError("layout {} cannot be grouped by {}: the end of dim {} "
                         "falls inside the iter {}:{}@{}",
                         toString(layout), toString(shape), d, it.extent,
                         it.stride, toString(it.axis));
      shard.push_back({it.extent / rest, it.stride * rest, it.axis});
      out.seps.push_back(shard.size());
      it.extent = product = rest;
      ++d;
    }
    if (it.extent != 1)
      shard.push_back(it);
  }
  if (d != shape.size() || product != 1)
    return makeError(
        "layout {} cannot be grouped by {}: dim {} has no boundary",
        toString(layout), toString(shape), std::min(d, shape.size() - 1));
  if (shard.empty())
    shard.push_back({1, 1, layout.shard.front().axis});
  return out;
}

Expected<GroupedMany> groupMany(const TileLayout &layout,
                                std::span<const Shape> shapes) {
  // Cut at the union of all cumulative products (from the slow end, so a cut c
  // means: c elements remain on the fast side).
  std::set<int64_t, std::greater<>> cuts;
  for (const Shape &shape : shapes) {
    TIRX_LAYOUT_CHECK(checkSize(layout, shape));
    int64_t inner = size(layout);
    for (int64_t extent : shape)
      cuts.insert(inner /= extent);
  }
  int64_t inner = size(layout);
  for (const Iter &it : layout.shard)
    cuts.insert(inner /= it.extent);
  Shape refined;
  int64_t previous = size(layout);
  for (int64_t cut : cuts) {
    if (cut == previous)
      continue;
    if (previous % cut != 0)
      return makeError("layout {} has no common refinement for the shapes: the "
                       "boundaries at {} and {} elements do not nest",
                       toString(layout), previous, cut);
    refined.push_back(previous / cut);
    previous = cut;
  }
  GroupedMany out;
  if (refined.empty())
    refined.push_back(1);
  TIRX_LAYOUT_ASSIGN(Grouped fine, group(layout, refined));
  // Unit dims of a shape survive as unit iters at their own position; every
  // boundary position may need as many as the most demanding shape.
  std::vector<size_t> units(fine.layout.shard.size() + 1, 0);
  for (size_t s = 0; s < shapes.size(); ++s) {
    std::vector<size_t> need(units.size(), 0);
    size_t i = 0;
    for (int64_t extent : shapes[s]) {
      if (extent == 1) {
        ++need[i];
        continue;
      }
      for (int64_t p = 1; p < extent && i < fine.layout.shard.size(); ++i)
        p *= fine.layout.shard[i].extent;
    }
    for (size_t k = 0; k < units.size(); ++k)
      units[k] = std::max(units[k], need[k]);
  }
  out.layout.replica = layout.replica;
  out.layout.offset = layout.offset;
  const bool onlyUnits = size(layout) == 1;
  std::vector<size_t> start; // index of the first unit iter at position k
  for (size_t k = 0; k < units.size(); ++k) {
    start.push_back(out.layout.shard.size());
    if (onlyUnits && k == 1)
      break;
    const bool last = k == fine.layout.shard.size();
    const Iter &neighbour = fine.layout.shard[last ? k - 1 : k];
    for (size_t u = 0; u < units[k]; ++u)
      out.layout.shard.push_back({1, neighbour.stride, neighbour.axis});
    if (!last && !(onlyUnits && units[0]))
      out.layout.shard.push_back(fine.layout.shard[k]);
  }
  for (const Shape &shape : shapes) {
    std::vector<size_t> seps{0};
    size_t i = 0, used = 0; // fine iter, unit iters used at that position
    for (int64_t extent : shape) {
      if (extent == 1) {
        ++used;
        seps.push_back(start[i] + used);
        continue;
      }
      for (int64_t p = 1; p < extent; ++i, used = 0)
        p *= fine.layout.shard[i].extent;
      seps.push_back(start[i]);
    }
    // Unit iters that this shape does not name belong to its last dim.
    seps.back() = out.layout.shard.size();
    out.seps.push_back(std::move(seps));
  }
  return out;
}

} // namespace tirx::layout
