//===- ThreadAxes.cpp - scopes, fusing and splitting ------------*- C++ -*-===//
#include "tirx/Layout/Algebra.h"

#include "Detail.h"

#include <algorithm>

namespace tirx::layout {

using detail::makeError;

Expected<std::optional<ScopePair>> scopeOf(const TileLayout &layout) {
  // For each subscope: the scope it is numbered in and the axis that says so.
  constexpr unsigned kScopes = unsigned(Scope::Grid) + 1;
  std::array<std::optional<Axis>, kScopes> links;
  for (Axis axis : axes(layout)) {
    if (!isThread(axis))
      continue;
    const AxisInfo &info = axisInfo(axis);
    auto &link = links[unsigned(info.subscope)];
    if (link && axisInfo(*link).scope != info.scope)
      return makeError(
          "axes {} and {} both number the {} level, inside a {} and "
          "inside a {}; a layout may use one of them",
          toString(*link), info.name, toString(info.subscope),
          toString(axisInfo(*link).scope), toString(info.scope));
    link = axis;
  }
  std::optional<ScopePair> result;
  for (unsigned s = 0; s < kScopes; ++s) {
    if (!links[s])
      continue;
    const AxisInfo &info = axisInfo(*links[s]);
    if (result && result->scope != info.subscope)
      return makeError(
          "thread axes are not connected: they reach the {} level, "
          "but axis {} numbers the {} level",
          toString(result->scope), info.name, toString(info.subscope));
    result = ScopePair{result ? result->subscope : info.subscope, info.scope};
  }
  return result;
}

namespace {
struct FuseRule {
  Scope subscope, scope;
  Axis from, to;
  int64_t factor;
};
} // namespace

static constexpr FuseRule fuseRules[] = {
    {Scope::Thread, Scope::Warpgroup, Axis::laneid, Axis::tid_in_wg, 1},
    {Scope::Thread, Scope::Warpgroup, Axis::wid_in_wg, Axis::tid_in_wg, 32},
    {Scope::Thread, Scope::Warpgroup, Axis::tid_in_wg, Axis::tid_in_wg, 1},
    {Scope::Thread, Scope::Cta, Axis::laneid, Axis::tx, 1},
    {Scope::Thread, Scope::Cta, Axis::warpid, Axis::tx, 32},
    {Scope::Thread, Scope::Cta, Axis::tid_in_wg, Axis::tx, 1},
    {Scope::Thread, Scope::Cta, Axis::wid_in_wg, Axis::tx, 32},
    {Scope::Thread, Scope::Cta, Axis::wgid, Axis::tx, 128},
    {Scope::Thread, Scope::Cta, Axis::tx, Axis::tx, 1},
    {Scope::Warp, Scope::Cta, Axis::wid_in_wg, Axis::warpid, 1},
    {Scope::Warp, Scope::Cta, Axis::wgid, Axis::warpid, 4},
    {Scope::Warp, Scope::Cta, Axis::warpid, Axis::warpid, 1},
};

Expected<TileLayout> fuseThreadAxes(const TileLayout &layout, Scope subscope,
                                    Scope scope) {
  auto rule = [&](Axis axis) -> const FuseRule * {
    for (const FuseRule &r : fuseRules)
      if (r.subscope == subscope && r.scope == scope && r.from == axis)
        return &r;
    return nullptr;
  };
  if (std::none_of(std::begin(fuseRules), std::end(fuseRules),
                   [&](const FuseRule &r) {
                     return r.subscope == subscope && r.scope == scope;
                   }))
    return makeError("no axis numbers a {} inside a {}; axes can be fused to "
                     "(thread, warpgroup), (thread, cta) and (warp, cta)",
                     toString(subscope), toString(scope));
  TIRX_LAYOUT_CHECK(scopeOf(layout));
  TileLayout inside; // only the axes that the rules fuse
  for (Axis axis : axes(layout))
    if (rule(axis))
      inside.offset.set(axis, 0);
  TIRX_LAYOUT_ASSIGN(const auto connected, scopeOf(inside));
  if (connected != ScopePair{subscope, scope})
    return makeError("the thread axes of {} do not connect {} to {}",
                     toString(layout), toString(subscope), toString(scope));
  TileLayout out;
  auto fuse = [&](const Iter &it) {
    const FuseRule *r = rule(it.axis);
    return r ? Iter{it.extent, it.stride * r->factor, r->to} : it;
  };
  for (const Iter &it : layout.shard)
    out.shard.push_back(fuse(it));
  for (const Iter &it : layout.replica)
    out.replica.push_back(fuse(it));
  layout.offset.forEach([&](Axis axis, int64_t value) {
    const FuseRule *r = rule(axis);
    out.offset.add(r ? r->to : axis, r ? value * r->factor : value);
  });
  return detail::verified(std::move(out));
}

namespace {
struct SplitRule {
  Scope level;
  Axis from, outer, inner;
  int64_t factor;
};
} // namespace

static constexpr SplitRule splitRules[] = {
    {Scope::Warp, Axis::tx, Axis::warpid, Axis::laneid, 32},
    {Scope::Warp, Axis::tid_in_wg, Axis::wid_in_wg, Axis::laneid, 32},
    {Scope::Warpgroup, Axis::tx, Axis::wgid, Axis::tid_in_wg, 128},
    {Scope::Warpgroup, Axis::warpid, Axis::wgid, Axis::wid_in_wg, 4},
};

/// The iters that replace `it` when its axis value v is written as
/// outer * factor + inner. nullopt when a carry between the two can occur.
static std::optional<std::vector<Iter>> splitIter(const Iter &it,
                                                  const SplitRule &r) {
  const int64_t e = r.factor;
  if (it.extent == 1 || it.stride == 0)
    return std::vector<Iter>{{it.extent, it.stride, r.inner}};
  if (it.stride < 0)
    return std::nullopt;
  if ((it.extent - 1) * it.stride < e)
    return std::vector<Iter>{{it.extent, it.stride, r.inner}};
  if (it.stride % e == 0)
    return std::vector<Iter>{{it.extent, it.stride / e, r.outer}};
  if (e % it.stride == 0 && it.extent % (e / it.stride) == 0)
    return std::vector<Iter>{{it.extent / (e / it.stride), 1, r.outer},
                             {e / it.stride, it.stride, r.inner}};
  return std::nullopt;
}

static const SplitRule *splitRule(Scope level, Axis axis) {
  for (const SplitRule &r : splitRules)
    if (r.level == level && r.from == axis)
      return &r;
  return nullptr;
}

Expected<TileLayout> splitThreadAxes(const TileLayout &layout, Scope level) {
  if (level != Scope::Warp && level != Scope::Warpgroup)
    return makeError(
        "thread axes split at the warp and the warpgroup level, not "
        "at the {} level",
        toString(level));
  TileLayout out;
  auto splitAll = [&](const std::vector<Iter> &from,
                      std::vector<Iter> &to) -> Expected<void> {
    for (const Iter &it : from) {
      const SplitRule *r = splitRule(level, it.axis);
      if (!r) {
        to.push_back(it);
        continue;
      }
      auto parts = splitIter(it, *r);
      if (!parts)
        return makeError(
            "iter {}:{}@{} straddles the boundary at {} of axis {}", it.extent,
            it.stride, toString(it.axis), r->factor, toString(it.axis));
      to.insert(to.end(), parts->begin(), parts->end());
    }
    return {};
  };
  TIRX_LAYOUT_CHECK(splitAll(layout.shard, out.shard));
  TIRX_LAYOUT_CHECK(splitAll(layout.replica, out.replica));
  layout.offset.forEach([&](Axis axis, int64_t value) {
    const SplitRule *r = splitRule(level, axis);
    if (!r) {
      out.offset.add(axis, value);
      return;
    }
    const int64_t outer = detail::floorDiv(value, r->factor);
    out.offset.add(r->outer, outer);
    out.offset.add(r->inner, value - outer * r->factor);
  });
  // The parts are exact one by one; their sum must not carry either.
  for (const SplitRule &r : splitRules)
    if (r.level == level && range(out, r.inner).max >= r.factor)
      return makeError("splitting {} carries between {} and {}",
                       toString(layout), toString(r.inner), toString(r.outer));
  return detail::verified(std::move(out));
}

} // namespace tirx::layout
