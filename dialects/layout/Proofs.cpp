//===- Proofs.cpp - injectivity, bounds, alignment --------------*- C++ -*-===//
#include "tirx/Layout/Proofs.h"

#include "Detail.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace tirx::layout {

using detail::makeError;

//===--- injectivity -----------------------------------------------------===//
//
// Every iter acts on one axis, so L is a product of maps, one per axis, and the
// layout is injective modulo replica iff each of them is. On one axis two
// different elements meet iff integers d_i with |d_i| < E_i, not all zero on
// the shard iters, solve sum d_i * S_i = 0 over shard and replica iters. A
// swizzle is a bijection of m and changes nothing.

namespace {

int64_t modulo(int64_t a, int64_t n) { return ((a % n) + n) % n; }

/// The solutions d of a*d = b (mod n) as (residue, modulus); nullopt: none.
std::optional<std::pair<int64_t, int64_t>> solveModulo(int64_t a, int64_t b,
                                                       int64_t n) {
  // Extended Euclid: h = gcd(a, n) = a*x (mod n).
  int64_t h = a, r = n, x = 1, y = 0;
  while (r != 0) {
    const int64_t q = h / r;
    h = std::exchange(r, h - q * r);
    x = std::exchange(y, x - q * y);
  }
  if (b % h != 0)
    return std::nullopt;
  const int64_t period = n / h;
  const __int128 d = __int128(modulo(b / h, period)) * modulo(x, period);
  return std::pair(int64_t(d % period), period);
}

struct Term {
  int64_t extent, stride;
  int shard; // index of the shard iter, or -1 for a replica
};

class CollisionSearch {
public:
  explicit CollisionSearch(std::vector<Term> list) : terms(std::move(list)) {
    std::sort(terms.begin(), terms.end(), [](const Term &a, const Term &b) {
      return std::abs(a.stride) > std::abs(b.stride);
    });
    reach.assign(terms.size() + 1, 0);
    step.assign(terms.size() + 1, 0);
    for (size_t i = terms.size(); i-- > 0;) {
      const int64_t s = std::abs(terms[i].stride);
      reach[i] = reach[i + 1] + (terms[i].extent - 1) * s;
      step[i] = std::gcd(step[i + 1], s);
    }
    delta.assign(terms.size(), 0);
  }

  /// Shard digit differences of a collision.
  Expected<std::optional<std::vector<std::pair<int, int64_t>>>> run() {
    const bool found = search(0, 0, false);
    if (exhausted)
      return makeError("injectivity search needs more than {} states",
                       kMaxSearchStates);
    if (!found)
      return std::nullopt;
    std::vector<std::pair<int, int64_t>> out;
    for (size_t i = 0; i < terms.size(); ++i)
      if (terms[i].shard >= 0 && delta[i] != 0)
        out.push_back({terms[i].shard, delta[i]});
    return out;
  }

private:
  std::vector<Term> terms;
  std::vector<int64_t> reach; // largest |sum| of the terms from i on
  std::vector<int64_t> step;  // gcd of their strides
  std::vector<int64_t> delta;
  std::set<std::tuple<size_t, int64_t, bool>> failed;
  int64_t states = 0;
  bool exhausted = false;

  bool search(size_t i, int64_t sum, bool moved) {
    if (++states > kMaxSearchStates) {
      exhausted = true;
      return false;
    }
    if (i == terms.size())
      return sum == 0 && moved;
    if (std::abs(sum) > reach[i] || failed.contains({i, sum, moved}))
      return false;
    const Term &t = terms[i];
    // sum + d*S must be within the reach of the rest: an interval for d ...
    int64_t low = -(t.extent - 1), high = t.extent - 1, every = 1;
    if (const int64_t s = std::abs(t.stride)) {
      const int64_t a = t.stride > 0 ? sum : -sum; // a + d*s
      low = std::max(low, -detail::floorDiv(reach[i + 1] + a, s));
      high = std::min(high, detail::floorDiv(reach[i + 1] - a, s));
      // ... and a multiple of the gcd of their strides: one residue of d.
      if (const int64_t g = step[i + 1]) {
        const auto d0 = solveModulo(s % g, -a, g);
        if (!d0)
          return false;
        every = d0->second;
        high -= modulo(high - d0->first, every);
      }
    } else if (t.shard < 0) {
      low = high = 0; // a stride-0 replica never matters
    } else {
      low = high = 1; // a stride-0 shard iter collides at once
    }
    for (int64_t d = high; d >= low; d -= every) {
      delta[i] = d;
      if (search(i + 1, sum + d * t.stride, moved || (t.shard >= 0 && d != 0)))
        return true;
      if (exhausted)
        return false;
    }
    delta[i] = 0;
    failed.insert({i, sum, moved});
    return false;
  }
};

} // namespace

Expected<Verdict> proveInjective(const Layout &layout) {
  const auto &shard = layout.tile.shard;
  for (Axis axis : axes(layout.tile)) {
    std::vector<Term> terms;
    for (size_t i = 0; i < shard.size(); ++i)
      if (shard[i].axis == axis && shard[i].extent > 1)
        terms.push_back({shard[i].extent, shard[i].stride, int(i)});
    for (const Iter &it : layout.tile.replica)
      if (it.axis == axis && it.extent > 1)
        terms.push_back({it.extent, it.stride, -1});
    TIRX_LAYOUT_ASSIGN(const auto collision, CollisionSearch(terms).run());
    if (!collision)
      continue;
    Shape extents, a(shard.size(), 0), b(shard.size(), 0);
    for (const Iter &it : shard)
      extents.push_back(it.extent);
    for (auto [i, d] : *collision)
      (d > 0 ? a : b)[size_t(i)] = std::abs(d);
    int64_t x = flatten(a, extents), y = flatten(b, extents);
    if (x > y)
      std::swap(x, y);
    // With replicas the common place is one of several of x; find it there.
    AxisValues place = apply(layout, x);
    if (replicaCount(layout.tile) > 1) {
      auto px = applyReplicas(layout, x), py = applyReplicas(layout, y);
      if (px && py) {
        std::set<AxisValues> places(px->begin(), px->end());
        for (const AxisValues &p : *py)
          if (places.contains(p)) {
            place = p;
            break;
          }
      }
    }
    return Verdict{
        Witness{x, y, place,
                fmt::format("elements {} and {} of {} share the place "
                            "{}",
                            x, y, toString(layout), toString(place))}};
  }
  return Verdict{};
}

//===--- bounds ----------------------------------------------------------===//

AxisValues hardwareBounds() {
  AxisValues bounds;
  for (const AxisInfo &info : axisTable())
    if (info.bound)
      bounds.set(info.axis, info.bound);
  return bounds;
}

/// Row-major index of the element whose value on `axis` is smallest or largest.
static int64_t extremeElement(const TileLayout &tile, Axis axis, bool largest) {
  int64_t linear = 0;
  for (const Iter &it : tile.shard) {
    const bool top = it.axis == axis && (it.stride > 0) == largest;
    linear = linear * it.extent + (top ? it.extent - 1 : 0);
  }
  return linear;
}

static Verdict outOfBounds(const Layout &layout, int64_t element,
                           AxisValues place, Axis axis, int64_t value,
                           int64_t bound) {
  place.set(axis, value);
  return {Witness{
      element, std::nullopt, place,
      fmt::format("element {} of {} is at {} on axis {}; the limit is "
                  "[0, {})",
                  element, toString(layout), value, toString(axis), bound)}};
}

static Expected<Verdict> swizzledInBounds(const Layout &layout, int64_t bound) {
  const Range r = range(layout.tile, Axis::m);
  const Swizzle &s = *layout.swizzle;
  // Both forms permute within aligned blocks of one period.
  if (detail::floorDiv(r.max, s.period()) * s.period() + s.period() <= bound)
    return Verdict{};
  const int64_t replicas = replicaCount(layout.tile);
  auto total = detail::mulChecked(size(layout), replicas);
  if (!total || *total > kMaxEnumeration || replicas > int64_t(1) << 20)
    return makeError(
        "bounds of the swizzled layout {}: the last swizzle period is "
        "not full and {} elements are too many to enumerate (limit "
        "{})",
        toString(layout), total ? *total : -1, kMaxEnumeration);
  for (int64_t x = 0; x < size(layout); ++x) {
    TIRX_LAYOUT_ASSIGN(const auto places, applyReplicas(layout, x));
    for (const AxisValues &p : places)
      if (p.get(Axis::m) >= bound)
        return outOfBounds(layout, x, p, Axis::m, p.get(Axis::m), bound);
  }
  return Verdict{};
}

Expected<Verdict> proveInBounds(const Layout &layout,
                                const AxisValues &bounds) {
  for (Axis axis : axes(layout.tile)) {
    if (!bounds.has(axis))
      continue;
    const int64_t bound = bounds.get(axis);
    if (layout.swizzle && axis == Axis::m) {
      TIRX_LAYOUT_ASSIGN(Verdict v, swizzledInBounds(layout, bound));
      if (!v)
        return v;
      continue;
    }
    const Range r = range(layout.tile, axis);
    for (bool largest : {true, false}) {
      const int64_t value = largest ? r.max : r.min;
      if (value >= 0 && value < bound)
        continue;
      const int64_t x = extremeElement(layout.tile, axis, largest);
      return outOfBounds(layout, x, apply(layout, x), axis, value, bound);
    }
  }
  return Verdict{};
}

//===--- alignment -------------------------------------------------------===//

/// The violation of the rule in the run of n elements from `start`, if any.
static std::optional<Witness> checkRun(const Layout &layout, int64_t n,
                                       Axis axis, int64_t start) {
  const AxisValues base = apply(layout, start);
  const int64_t first = base.get(axis);
  if (detail::floorDiv(first, n) * n != first)
    return Witness{
        start, std::nullopt, base,
        fmt::format("element {} of {} is at {} on axis {}, which is no "
                    "multiple of {}",
                    start, toString(layout), first, toString(axis), n)};
  for (int64_t i = 1; i < n; ++i) {
    AxisValues expected = base;
    expected.set(axis, first + i);
    const AxisValues place = apply(layout, start + i);
    if (place != expected)
      return Witness{start + i, std::nullopt, place,
                     fmt::format("element {} of {} is at {}; a run of {} "
                                 "contiguous elements needs it at {}",
                                 start + i, toString(layout), toString(place),
                                 n, toString(expected))};
  }
  return std::nullopt;
}

Expected<Verdict> proveAligned(const Layout &layout, int64_t n, Axis axis) {
  const int64_t total = size(layout);
  if (n < 1 || n > kMaxEnumeration)
    return makeError("an access of {} elements; the limit is {}", n,
                     kMaxEnumeration);
  if (total % n != 0)
    return Verdict{
        Witness{total / n * n, std::nullopt, apply(layout, total / n * n),
                fmt::format("{} elements are no multiple of {}", total, n)}};
  for (const Iter &it : layout.tile.replica)
    if (it.axis == axis && it.extent > 1 && it.stride % n != 0)
      return Verdict{Witness{0, std::nullopt, apply(layout, 0),
                             fmt::format("replica stride {} on axis {} is no "
                                         "multiple of {}",
                                         it.stride, toString(axis), n)}};
  const bool swizzles =
      layout.swizzle && layout.swizzle->swizzleLen > 0 && axis == Axis::m;
  if (!swizzles || (int64_t(1) << layout.swizzle->perElement) % n == 0) {
    // The swizzle moves whole runs. Without it, a canonical layout that breaks
    // the rule does so in the first run or in one that holds the first step of
    // a digit: there the address jumps or leaves the multiples of n.
    if (auto w = checkRun(layout, n, axis, 0))
      return Verdict{w};
    int64_t weight = total;
    for (const Iter &it : canonicalize(layout.tile).shard) {
      weight /= it.extent;
      if (it.extent == 1)
        continue;
      if (auto w = checkRun(layout, n, axis, weight / n * n))
        return Verdict{w};
    }
    return Verdict{};
  }
  const int64_t replicas = replicaCount(layout.tile);
  if (total > kMaxEnumeration / replicas)
    return makeError(
        "alignment of {} elements under {}: the access exceeds the "
        "swizzle unit and {} elements x {} replicas are too many to "
        "enumerate (limit {})",
        n, toString(layout), total, replicas, kMaxEnumeration);
  // A replica displaces before the swizzle, so each one is its own layout.
  TileLayout moves;
  moves.shard = layout.tile.replica;
  if (moves.shard.empty())
    moves.shard.push_back({1, 0});
  for (int64_t r = 0; r < replicas; ++r) {
    Layout copy = layout;
    copy.tile.replica.clear();
    apply(Layout(moves), r).forEach([&](Axis a, int64_t value) {
      copy.tile.offset.add(a, value);
    });
    for (int64_t start = 0; start < total; start += n)
      if (auto w = checkRun(copy, n, axis, start))
        return Verdict{w};
  }
  return Verdict{};
}

//===--- shape and scope -------------------------------------------------===//

Expected<void> checkCovers(const Layout &layout, ShapeRef shape) {
  TIRX_LAYOUT_ASSIGN(const int64_t total, shapeSize(shape));
  if (total != size(layout))
    return makeError("shape {} has {} elements, layout {} has {}",
                     toString(shape), total, toString(layout), size(layout));
  return {};
}

Expected<void> checkScope(const TileLayout &layout, Scope allowed) {
  TIRX_LAYOUT_ASSIGN(const auto pair, scopeOf(layout));
  if (pair && pair->scope > allowed)
    return makeError(
        "layout {} distributes over a {}; a {} is the largest scope "
        "allowed here",
        toString(layout), toString(pair->scope), toString(allowed));
  return {};
}

} // namespace tirx::layout
