//===- PropertyTest.cpp - random layouts against brute force ----*- C++ -*-===//
#include "TestSupport.h"

#include "tirx/Layout/MmaOperand.h"

#include <map>
#include <set>

using namespace tirx::layout;
using namespace tirx::layout::test;
using enum Axis;

namespace {

class Random {
public:
  std::mt19937_64 engine = rng();
  int64_t pick(int64_t low, int64_t high) {
    return low + int64_t(engine() % uint64_t(high - low + 1));
  }
  bool chance(int percent) { return pick(1, 100) <= percent; }

  std::vector<Iter> iters(int64_t count, int64_t maxExtent) {
    static constexpr Axis choices[] = {m, m, m, TCol, laneid};
    std::vector<Iter> out;
    for (int64_t i = 0; i < count; ++i)
      out.push_back({pick(1, maxExtent), strides(), choices[pick(0, 4)]});
    return out;
  }
  int64_t strides() {
    if (chance(5))
      return 0;
    if (chance(50))
      return int64_t(1) << pick(0, 6);
    return pick(-3, 40);
  }

  /// Any verified layout, with replicas, offsets and swizzles at times.
  Layout layout(int64_t maxIters = 5, int64_t maxExtent = 6) {
    for (;;) {
      Layout l;
      l.tile.shard = iters(pick(1, maxIters), maxExtent);
      if (chance(30))
        l.tile.replica = iters(pick(1, 2), 3);
      if (chance(40))
        l.tile.offset.set(m, pick(0, 200));
      if (chance(20))
        l.tile.offset.set(laneid, pick(0, 3));
      if (chance(30)) {
        const int n = int(pick(0, 3));
        l.swizzle = Swizzle{int(pick(0, 3)), n, int(pick(n, 4)), chance(70)};
      }
      if (verify(l))
        return l;
    }
  }
  /// An injective layout on m: digits in a random order.
  TileLayout bijection(ShapeRef extents) {
    std::vector<size_t> order(extents.size());
    for (size_t i = 0; i < order.size(); ++i)
      order[i] = i;
    std::shuffle(order.begin(), order.end(), engine);
    TileLayout t;
    t.shard.resize(extents.size());
    int64_t stride = 1;
    for (size_t i : order) {
      t.shard[i] = {extents[i], stride};
      stride *= extents[i] * (chance(20) ? 2 : 1);
    }
    return t;
  }
  /// A shape of the given size, with unit dims at times.
  Shape shapeOf(int64_t total) {
    Shape s;
    while (total > 1) {
      int64_t d = pick(2, total);
      while (total % d)
        --d;
      if (d == 1)
        d = total;
      s.push_back(d);
      total /= d;
      if (chance(20))
        s.push_back(1);
    }
    if (s.empty())
      s.push_back(1);
    return s;
  }
};

/// Places of the elements, absent axes dropped, so that two layouts that name
/// different unit axes compare equal.
AxisValues nonzero(const AxisValues &v) {
  AxisValues out;
  v.forEach([&](Axis axis, int64_t value) {
    if (value)
      out.set(axis, value);
  });
  return out;
}
std::vector<AxisValues> places(const Layout &l) {
  std::vector<AxisValues> out;
  for (int64_t x = 0; x < size(l); ++x)
    out.push_back(nonzero(apply(l, x)));
  return out;
}
std::set<AxisValues> allPlaces(const Layout &l, int64_t x) {
  std::set<AxisValues> out;
  for (const AxisValues &v : get(applyReplicas(l, x)))
    out.insert(nonzero(v));
  return out;
}

} // namespace

TEST_CASE("property: canonical form and text keep every place") {
  Random r;
  INFO("seed " << Catch::rngSeed());
  for (int i = 0; i < 2000; ++i) {
    const Layout l = r.layout();
    INFO(l);
    const Layout c = canonicalize(l);
    REQUIRE(places(c) == places(l));
    REQUIRE(allPlaces(c, size(l) / 2) == allPlaces(l, size(l) / 2));
    REQUIRE(canonicalize(c) == c);
    REQUIRE(L(toString(l)) == l);
    REQUIRE(hash(L(toString(l))) == hash(l));
    for (Axis axis : axes(l.tile)) {
      const Range range = tirx::layout::range(l.tile, axis);
      int64_t low = INT64_MAX, high = INT64_MIN;
      for (int64_t x = 0; x < size(l); ++x)
        for (const AxisValues &v : get(applyReplicas(Layout(l.tile), x))) {
          low = std::min(low, v.get(axis));
          high = std::max(high, v.get(axis));
        }
      REQUIRE(range.min == low);
      REQUIRE(range.max == high);
    }
  }
}

TEST_CASE("property: grouping") {
  Random r;
  INFO("seed " << Catch::rngSeed());
  int grouped = 0, many = 0;
  for (int i = 0; i < 3000; ++i) {
    const Layout l = r.layout();
    const Shape shape = r.shapeOf(size(l)), other = r.shapeOf(size(l));
    INFO(l << " by " << toString(shape) << " and " << toString(other));
    if (auto g = group(l.tile, shape)) {
      ++grouped;
      REQUIRE(g->seps.size() == shape.size() + 1);
      for (size_t d = 0; d < shape.size(); ++d) {
        int64_t p = 1;
        for (const Iter &it : g->dim(d))
          p *= it.extent;
        REQUIRE(p == shape[d]);
      }
      REQUIRE(places(Layout(g->layout, l.swizzle)) == places(l));
    }
    const Shape shapes[] = {shape, other};
    if (auto g = groupMany(l.tile, shapes)) {
      ++many;
      REQUIRE(places(Layout(g->layout, l.swizzle)) == places(l));
      for (size_t s = 0; s < 2; ++s) {
        REQUIRE(g->seps[s].size() == shapes[s].size() + 1);
        REQUIRE(g->seps[s].back() == g->layout.shard.size());
        for (size_t d = 0; d < shapes[s].size(); ++d) {
          int64_t p = 1;
          for (size_t k = g->seps[s][d]; k < g->seps[s][d + 1]; ++k)
            p *= g->layout.shard[k].extent;
          REQUIRE(p == shapes[s][d]);
        }
      }
    }
  }
  CHECK(grouped > 500);
  CHECK(many > 200);
}

TEST_CASE("property: tile, direct sum and their inverses") {
  Random r;
  INFO("seed " << Catch::rngSeed());
  int inner = 0, outer = 0;
  for (int i = 0; i < 2000; ++i) {
    Layout in = r.layout(3, 4);
    TileLayout out = r.layout(3, 4).tile;
    // Nonzero spans, or the outer iters vanish and there is no inverse.
    for (auto *list :
         {&in.tile.shard, &in.tile.replica, &out.shard, &out.replica})
      for (Iter &it : *list)
        it.stride = std::abs(it.stride);
    // A swizzle of one element cannot be told from one of the whole.
    if (in.swizzle && (size(in.tile, m) == 1 || in.swizzle->swizzleLen == 0))
      in.swizzle.reset();
    const Shape innerShape{in.tile.shard[0].extent,
                           size(in) / in.tile.shard[0].extent};
    const Shape outerShape{out.shard[0].extent,
                           size(out) / out.shard[0].extent};
    const Shape whole{innerShape[0] * outerShape[0],
                      innerShape[1] * outerShape[1]};
    INFO("outer " << out << " inner " << in);
    const Layout t = get(tile(out, outerShape, in, innerShape));
    const Layout s = get(directSum(out, outerShape, in, innerShape));
    const TileLayout ci = canonicalize(in.tile);
    for (int64_t x = 0; x < size(t); ++x) {
      const Shape c = unflatten(x, whole);
      const AxisValues a =
          apply(Layout(out),
                flatten(Shape{c[0] / innerShape[0], c[1] / innerShape[1]},
                        outerShape));
      const AxisValues b =
          apply(Layout(in.tile),
                flatten(Shape{c[0] % innerShape[0], c[1] % innerShape[1]},
                        innerShape));
      AxisValues tiled, summed;
      for (unsigned k = 0; k < kNumAxes; ++k) {
        const Axis axis = Axis(k);
        const bool scales =
            std::any_of(ci.shard.begin(), ci.shard.end(), [&](const Iter &it) {
              return it.axis == axis && it.extent > 1;
            });
        const int64_t factor = scales ? span(ci, axis) : 1;
        tiled.set(axis, a.get(axis) * factor + b.get(axis));
        summed.set(axis, a.get(axis) + b.get(axis));
      }
      REQUIRE(nonzero(apply(Layout(t.tile), x)) == nonzero(tiled));
      REQUIRE(nonzero(apply(Layout(s.tile), x)) == nonzero(summed));
    }
    // Inverses: whatever they return rebuilds the whole; they always find one.
    auto o = isTileInner(t, whole, in, innerShape);
    REQUIRE(o);
    REQUIRE(equivalent(get(tile(*o, outerShape, in, innerShape)), t));
    ++inner;
    auto n = isTileOuter(t, whole, out, outerShape);
    REQUIRE(n);
    REQUIRE(equivalent(get(tile(out, outerShape, *n, innerShape)), t));
    ++outer;
    auto left = isDirectSumRight(s, whole, in, innerShape);
    REQUIRE(left);
    REQUIRE(equivalent(get(directSum(*left, outerShape, in, innerShape)), s));
    auto right = isDirectSumLeft(s, whole, out, outerShape);
    REQUIRE(right);
    REQUIRE(equivalent(get(directSum(out, outerShape, *right, innerShape)), s));
  }
  CHECK(inner == 2000);
  CHECK(outer == 2000);
}

/// Whether a sequence of places is base + mixed radix with one axis an iter.
static bool isMixedRadix(const std::vector<AxisValues> &v) {
  if (v.size() == 1)
    return true;
  auto delta = [](const AxisValues &a, const AxisValues &b) {
    AxisValues d;
    for (unsigned k = 0; k < kNumAxes; ++k)
      if (const int64_t x = b.get(Axis(k)) - a.get(Axis(k)))
        d.set(Axis(k), x);
    return d;
  };
  auto oneAxis = [](const AxisValues &d) {
    int n = 0;
    d.forEach([&](Axis, int64_t) { ++n; });
    return n <= 1;
  };
  // Every choice of the fastest extent e: equal steps inside all chunks.
  for (size_t e = 2; e <= v.size(); ++e) {
    if (v.size() % e)
      continue;
    const AxisValues step = delta(v[0], v[1]);
    bool ok = oneAxis(step);
    std::vector<AxisValues> rest;
    for (size_t i = 0; ok && i < v.size(); i += e) {
      rest.push_back(v[i]);
      for (size_t k = 1; k < e; ++k)
        ok &= delta(v[i + k - 1], v[i + k]) == step;
    }
    if (ok && isMixedRadix(rest))
      return true;
  }
  return false;
}

TEST_CASE("property: slices against brute force") {
  Random r;
  INFO("seed " << Catch::rngSeed());
  int accepted = 0, refused = 0, missed = 0;
  for (int i = 0; i < 6000; ++i) {
    const Layout l = r.layout(4, 5);
    const int64_t first = l.tile.shard[0].extent;
    const Shape shape{first, size(l) / first};
    Shape begin, extent;
    for (int64_t e : shape) {
      begin.push_back(r.pick(0, e - 1));
      extent.push_back(r.pick(1, e - begin.back()));
    }
    INFO(l << " begin " << toString(begin) << " extent " << toString(extent));
    std::vector<AxisValues> want;
    const int64_t total = get(shapeSize(extent));
    for (int64_t x = 0; x < total; ++x) {
      Shape c = unflatten(x, extent);
      for (size_t d = 0; d < 2; ++d)
        c[d] += begin[d];
      want.push_back(nonzero(apply(l, flatten(c, shape))));
    }
    auto s = slice(l, shape, begin, extent);
    if (s) {
      ++accepted;
      REQUIRE(places(*s) == want);
      REQUIRE(group(s->tile, extent));
      continue;
    }
    ++refused;
    if (!l.swizzle && isMixedRadix(want))
      ++missed;
  }
  CHECK(accepted > 2000);
  CHECK(refused > 200);
  CHECK(missed == 0);
}

TEST_CASE("property: injectivity against enumeration") {
  Random r;
  INFO("seed " << Catch::rngSeed());
  int injective = 0, not_ = 0;
  auto check = [&](const Layout &l) {
    INFO(l);
    std::map<AxisValues, int64_t> owner;
    bool collides = false;
    for (int64_t x = 0; x < size(l); ++x)
      for (const AxisValues &p : allPlaces(l, x))
        if (auto [it, fresh] = owner.insert({p, x}); !fresh && it->second != x)
          collides = true;
    const Verdict v = get(proveInjective(l));
    REQUIRE(v.proven() == !collides);
    (collides ? not_ : injective)++;
    if (v.witness) {
      const auto &w = *v.witness;
      REQUIRE(w.other);
      REQUIRE(w.element != *w.other);
      REQUIRE(allPlaces(l, w.element).contains(nonzero(w.place)));
      REQUIRE(allPlaces(l, *w.other).contains(nonzero(w.place)));
    }
  };
  for (int i = 0; i < 1500; ++i) {
    check(r.layout(4, 5));
    Layout b(r.bijection(r.shapeOf(r.pick(2, 300))));
    check(b);
    b.tile.shard[size_t(r.pick(0, int64_t(b.tile.shard.size()) - 1))].stride +=
        r.pick(-1, 1);
    check(b);
  }
  CHECK(injective > 1000);
  CHECK(not_ > 500);
  // Far beyond enumeration.
  CHECK(get(proveInjective(L("S[(1048576,1048576):(1048576,1)]"))));
  const Verdict v = get(proveInjective(L("S[(1048576,1048576):(1048575,1)]")));
  REQUIRE(v.witness);
  CHECK(apply(L("S[(1048576,1048576):(1048575,1)]"), v.witness->element) ==
        apply(L("S[(1048576,1048576):(1048575,1)]"), *v.witness->other));
  // Extents where trying every digit would take hours.
  CHECK(get(proveInjective(L("S[(65536,16777216):(65537,65536)]"))));
  CHECK(!get(proveInjective(L("S[(65537,4194304):(65537,65536)]"))));
  // Many incommensurable digits: an answer or a clear refusal, soon.
  auto hard = proveInjective(L("S[(97,89,83,79,73,71):(1000003,1000033,1000037,"
                               "1000039,1000081,1000099)]"));
  if (!hard)
    CHECK(hard.error().message.find("states") != std::string::npos);
  // Coprime strides without a gap that still never meet.
  CHECK(get(proveInjective(L("S[(3,2):(2,3)]"))));
  CHECK(!get(proveInjective(L("S[(4,3):(2,3)]"))));
}

TEST_CASE("property: bounds and alignment against enumeration") {
  Random r;
  INFO("seed " << Catch::rngSeed());
  int counts[2][2] = {};
  for (int i = 0; i < 4000; ++i) {
    const Layout l = r.layout(4, 6);
    INFO(l);
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (int64_t x = 0; x < size(l); ++x)
      for (const AxisValues &v : get(applyReplicas(l, x))) {
        low = std::min(low, v.get(m));
        high = std::max(high, v.get(m));
      }
    const int64_t bound = std::max<int64_t>(1, high + r.pick(-3, 3));
    const Verdict in = get(proveInBounds(l, {{m, bound}}));
    const bool uses = [&] {
      for (Axis a : axes(l.tile))
        if (a == m)
          return true;
      return false;
    }();
    REQUIRE(in.proven() == (!uses || (low >= 0 && high < bound)));
    ++counts[0][in.proven()];
    if (in.witness) {
      const int64_t v = in.witness->place.get(m);
      REQUIRE((v < 0 || v >= bound));
      bool found = false;
      for (const AxisValues &p : get(applyReplicas(l, in.witness->element)))
        found |= p.get(m) == v;
      REQUIRE(found);
    }
    Layout a = l;
    const int64_t n = int64_t(1) << r.pick(0, 3);
    if (r.chance(60)) { // aligned more often than by luck
      a.tile.shard.push_back({n, 1, m});
      for (auto *list : {&a.tile.shard, &a.tile.replica})
        for (Iter &it : *list)
          if (&it != &a.tile.shard.back() && it.axis == m && r.chance(95))
            it.stride *= n;
      if (a.tile.offset.has(m) && r.chance(90))
        a.tile.offset.set(m, a.tile.offset.get(m) * n);
      if (!verify(a))
        continue;
    }
    bool aligned = size(a) % n == 0;
    for (int64_t x = 0; aligned && x < size(a); x += n) {
      const auto base = get(applyReplicas(a, x));
      for (size_t q = 0; q < base.size(); ++q) {
        aligned &= ((base[q].get(m) % n) + n) % n == 0;
        for (int64_t k = 1; k < n; ++k) {
          AxisValues want = base[q];
          want.set(m, want.get(m) + k);
          aligned &= nonzero(get(applyReplicas(a, x + k))[q]) == nonzero(want);
        }
      }
    }
    INFO("aligned to " << n << ": " << a);
    REQUIRE(get(proveAligned(a, n)).proven() == aligned);
    ++counts[1][aligned];
  }
  for (auto &c : counts)
    for (int n : c)
      CHECK(n > 300);
}

TEST_CASE("property: element width and permutation") {
  Random r;
  INFO("seed " << Catch::rngSeed());
  int packed = 0;
  for (int i = 0; i < 2000; ++i) {
    const Layout l = r.layout(4, 5);
    INFO(l);
    const int64_t n = int64_t(1) << r.pick(0, 3);
    auto u = unpack(l, n);
    const bool memory = isMemory(get(unpack(L("S[1]"), 1)).tile.shard[0].axis);
    REQUIRE(memory);
    if (u && size(l) > 1) {
      REQUIRE(size(*u) == n * size(l));
      auto back = pack(*u, n);
      REQUIRE(back);
      REQUIRE(equivalent(*back, l));
      ++packed;
    }
    std::vector<size_t> perm(l.tile.shard.size()), inverse(perm.size());
    for (size_t k = 0; k < perm.size(); ++k)
      perm[k] = k;
    std::shuffle(perm.begin(), perm.end(), r.engine);
    for (size_t k = 0; k < perm.size(); ++k)
      inverse[perm[k]] = k;
    const Layout p = get(permute(l, perm));
    Shape coord, permuted;
    for (const Iter &it : l.tile.shard)
      coord.push_back(r.pick(0, it.extent - 1));
    for (size_t k : perm)
      permuted.push_back(coord[k]);
    REQUIRE(get(applyShard(p, permuted)) == get(applyShard(l, coord)));
    REQUIRE(get(permute(p, inverse)) == l);
  }
  CHECK(packed > 800);
}

TEST_CASE("property: splitting thread axes and fusing them back") {
  Random r;
  INFO("seed " << Catch::rngSeed());
  int done = 0;
  auto tid = [](const AxisValues &v) {
    return v.get(tx) + 32 * v.get(warpid) + v.get(laneid) + 128 * v.get(wgid) +
           v.get(tid_in_wg) + 32 * v.get(wid_in_wg);
  };
  for (int i = 0; i < 3000; ++i) {
    TileLayout t = r.bijection(r.shapeOf(r.pick(2, 512)));
    for (Iter &it : t.shard)
      it.axis = tx;
    if (r.chance(50))
      t.offset.set(tx, r.pick(0, 4) * (r.chance(80) ? 32 : 1));
    for (Scope level : {Scope::Warp, Scope::Warpgroup}) {
      auto s = splitThreadAxes(t, level);
      if (!s)
        continue;
      INFO(t << " -> " << *s);
      for (int64_t x = 0; x < size(t); ++x)
        REQUIRE(tid(apply(Layout(*s), x)) == tid(apply(Layout(t), x)));
      for (int64_t x = 0; x < size(t); ++x)
        REQUIRE(apply(Layout(*s), x)
                    .get(level == Scope::Warp ? laneid : tid_in_wg) <
                (level == Scope::Warp ? 32 : 128));
      if (auto f = fuseThreadAxes(*s, Scope::Thread, Scope::Cta)) {
        ++done;
        for (int64_t x = 0; x < size(t); ++x)
          REQUIRE(apply(Layout(*f), x).get(tx) == apply(Layout(t), x).get(tx));
      }
    }
  }
  CHECK(done > 300);
}

TEST_CASE("property: an accepted operand plan is right at every element") {
  Random r;
  INFO("seed " << Catch::rngSeed());
  int accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    // Digits of a 32 x 32 tile in any order: some are canonical operands.
    Layout l(r.bijection(Shape{4, 8, 2, 2, 8}));
    if (r.chance(60))
      l.swizzle = Swizzle{3, int(r.pick(1, 3)), 3};
    if (!verify(l))
      continue;
    auto p = planMmaOperand(l, 32, 32, 16);
    if (!p)
      continue;
    ++accepted;
    INFO(l);
    for (size_t j = 0; j < 2; ++j) {
      const auto d = get(p->descriptor(MmaGeneration::Tcgen05, 0x4000, 0, j));
      for (int64_t x = 0; x < 32; ++x)
        for (int64_t y = 0; y < 16; ++y)
          REQUIRE(int64_t(operandAddress(d, {p->major, 16}, x, y)) ==
                  0x4000 + 2 * at(l, {x, int64_t(j) * 16 + y}, {32, 32}));
    }
  }
  CHECK(accepted > 20);
}
