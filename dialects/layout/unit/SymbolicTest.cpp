//===- SymbolicTest.cpp - symbolic layouts against concrete ones *- C++ -*-===//
#include "TestSupport.h"

#include "tirx/Layout/Symbolic.h"

using namespace tirx::layout;
using namespace tirx::layout::test;
using enum Axis;

namespace {

Expr sym(std::string name, int64_t min, int64_t max, int64_t modulus = 1,
         int64_t remainder = 0) {
  return get(Expr::symbol(std::move(name), {min, max, modulus, remainder}));
}
std::vector<Expr> lift(ShapeRef values) {
  return std::vector<Expr>(values.begin(), values.end());
}

struct RandomLayout {
  std::mt19937_64 engine = rng();
  int64_t pick(int64_t low, int64_t high) {
    return low + int64_t(engine() % uint64_t(high - low + 1));
  }
  bool chance(int percent) { return pick(1, 100) <= percent; }
  int64_t extent() {
    return chance(60) ? int64_t(1) << pick(0, 3) : pick(1, 6);
  }
  int64_t stride() {
    return chance(60) ? int64_t(1) << pick(0, 7) : pick(-3, 40);
  }
  Layout layout() {
    static constexpr Axis choices[] = {m, m, m, TCol, laneid};
    for (;;) {
      Layout l;
      for (int64_t i = pick(1, 5); i > 0; --i)
        l.tile.shard.push_back({extent(), stride(), choices[pick(0, 4)]});
      if (chance(20))
        l.tile.replica.push_back({pick(1, 3), pick(0, 9), laneid});
      if (chance(40))
        l.tile.offset.set(m, pick(0, 200));
      if (chance(50)) {
        const int n = int(pick(0, 3));
        l.swizzle = Swizzle{int(pick(0, 3)), n, int(pick(n, 4)), chance(75)};
      }
      if (verify(l))
        return l;
    }
  }
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
        s.insert(s.begin() + pick(0, int64_t(s.size())), 1);
    }
    if (s.empty())
      s.push_back(1);
    return s;
  }

  /// A random expression with values in [0, extent) only, over fresh symbols.
  Expr coordinate(const std::string &name, int64_t extent, Bindings &at) {
    const int64_t parts = pick(1, 4);
    if (parts == 2 && extent % 2 == 0) { // outer * 2 + inner
      at[name + "o"] = pick(0, extent / 2 - 1);
      at[name + "i"] = pick(0, 1);
      return sym(name + "o", 0, extent / 2 - 1) * 2 + sym(name + "i", 0, 1);
    }
    if (parts == 3 && extent % 4 == 0) { // a multiple of 4 plus a constant
      const int64_t r = pick(0, 3);
      at[name] = 4 * pick(0, extent / 4 - 1);
      return sym(name, 0, extent - 4, 4) + r;
    }
    if (parts == 4) {
      at[name] = pick(-50, 50);
      return mod(sym(name, -50, 50), extent);
    }
    at[name] = pick(0, extent - 1);
    return sym(name, 0, extent - 1);
  }
};

/// `l` with some strides, offsets and the first extent replaced by symbols
/// bound to their values; the first dim of `shape` follows where it can.
SymbolicLayout symbolized(RandomLayout &r, const Layout &l,
                          std::vector<Expr> &shape, Bindings &at) {
  SymbolicLayout out(l);
  const int64_t first = l.tile.shard[0].extent, dim = *shape[0].constant();
  if (r.chance(40) && dim % first == 0) {
    at["n"] = first;
    out.shard[0].extent = sym("n", 1, 50);
    shape[0] = out.shard[0].extent * Expr(dim / first);
  }
  for (size_t i = 0; i < out.shard.size(); ++i)
    if (r.chance(30)) {
      const std::string name = "s" + std::to_string(i);
      const int64_t v = at[name] = l.tile.shard[i].stride;
      out.shard[i].stride = sym(name, std::min<int64_t>(v, 0), v + 100);
    }
  for (auto &[axis, e] : out.offset)
    if (r.chance(50)) {
      at["o"] = *e.constant();
      e = sym("o", -1000, 1000);
    }
  return out;
}

/// Both sides of the region: `part[x]` and `whole[begin + x]`, all axes.
void requireRegion(const Layout &part, const Layout &whole, ShapeRef shape,
                   ShapeRef begin, ShapeRef extent) {
  const int64_t count = get(shapeSize(extent));
  REQUIRE(size(part) == count);
  for (int64_t x = 0; x < count; ++x) {
    Shape coord = unflatten(x, extent);
    for (size_t d = 0; d < coord.size(); ++d)
      coord[d] += begin[d];
    const AxisValues want = get(apply(whole, coord, shape)),
                     have = apply(part, x);
    for (unsigned a = 0; a < kNumAxes; ++a)
      REQUIRE(have.get(Axis(a)) == want.get(Axis(a)));
  }
}

} // namespace

TEST_CASE("symbolic: apply equals the concrete apply") {
  RandomLayout r;
  INFO("seed " << Catch::rngSeed());
  int structured = 0, dynamic = 0;
  for (int i = 0; i < 3000; ++i) {
    const Layout l = r.layout();
    const Shape shape = r.shapeOf(size(l));
    Bindings at;
    std::vector<Expr> symbolicShape = lift(shape);
    const SymbolicLayout s = symbolized(r, l, symbolicShape, at);
    dynamic += !symbolicShape[0].constant();
    INFO(toString(s) << " by " << toString(shape));
    REQUIRE(get(evaluate(s, at)) == l);
    std::vector<Expr> coord;
    for (size_t d = 0; d < shape.size(); ++d)
      coord.push_back(r.coordinate("c" + std::to_string(d), shape[d], at));
    if (r.chance(20)) { // the first coordinate may extrapolate
      at["e"] = r.pick(-20, 20);
      coord[0] = coord[0] + sym("e", -20, 20) * shape[0];
    }
    Shape values;
    for (const Expr &e : coord)
      values.push_back(get(evaluate(e, at)));
    const AxisValues want = get(apply(l, values, shape));
    const AxisExprs place = get(apply(s, coord, symbolicShape));
    INFO(toString(place));
    REQUIRE(get(evaluate(place, at)) == want);
    const StructuredPlace fast = get(applyStructured(s, coord, symbolicShape));
    INFO(toString(fast.place));
    REQUIRE(get(evaluate(fast.place, at)) == want);
    REQUIRE(fast.swizzle.has_value() == fast.fallback.empty());
    structured += fast.swizzle.has_value();

    const int64_t linear = r.pick(-5, 2 * size(l));
    at["l"] = linear;
    REQUIRE(get(evaluate(get(apply(s, sym("l", -5, 100000))), at)) ==
            apply(l, linear));
  }
  CHECK(structured > 300);
  CHECK(dynamic > 300);
}

TEST_CASE("symbolic: structured swizzle of random sums") {
  RandomLayout r;
  INFO("seed " << Catch::rngSeed());
  int structured = 0, constants = 0;
  for (int i = 0; i < 4000; ++i) {
    Bindings at;
    const int64_t k = r.chance(50) ? r.pick(0, 700) : 8 * r.pick(0, 64);
    Expr sum = k;
    int64_t value = k;
    for (const char *name : {"x", "y", "z"}) {
      const int64_t max = (int64_t(1) << r.pick(0, 5)) - r.pick(0, 1);
      const int64_t scale =
          r.chance(80) ? int64_t(1) << r.pick(0, 8) : r.pick(-4, 70);
      at[name] = r.pick(0, max);
      value += scale * at[name];
      sum = sum + sym(name, 0, max) * scale;
    }
    const int n = int(r.pick(0, 3));
    const Swizzle s{int(r.pick(0, 4)), n, int(r.pick(n, 4))};
    const auto form = structureSwizzle(sum, s);
    INFO(toString(sum));
    if (!form)
      continue;
    INFO(toString(form->address()));
    ++structured;
    constants += form->constant != 0;
    REQUIRE(get(evaluate(form->address(), at)) == s(value));
    const int64_t atom = int64_t(1) << (s.perElement + s.atomLen);
    REQUIRE(get(evaluate(form->base, at)) % atom == 0);
    const int64_t low = get(evaluate(form->low, at));
    REQUIRE((low >= 0 && low < atom));
  }
  CHECK(structured > 500);
  CHECK(constants > 50);
}

TEST_CASE("symbolic: slice equals brute force") {
  RandomLayout r;
  INFO("seed " << Catch::rngSeed());
  int sliced = 0, dynamic = 0;
  for (int i = 0; i < 4000; ++i) {
    const Layout l = r.layout();
    const Shape shape = r.shapeOf(size(l));
    Bindings at;
    std::vector<Expr> begin;
    Shape first, extent;
    for (size_t d = 0; d < shape.size(); ++d) {
      int64_t e = r.pick(1, shape[d]);
      if (r.chance(50))
        while (shape[d] % e)
          --e;
      const std::string name = "b" + std::to_string(d);
      int64_t step = r.chance(50) ? e : r.chance(50) ? 1 : r.pick(1, shape[d]);
      while (step != e && shape[d] % step)
        --step;
      const int64_t room = shape[d] - e;
      const int64_t value = step * r.pick(0, room / step);
      extent.push_back(e);
      first.push_back(value);
      if (r.chance(15)) {
        begin.push_back(value);
      } else if (r.chance(30)) { // a tile index times the tile
        at[name] = value / step;
        begin.push_back(sym(name, 0, room / step) * step);
      } else {
        at[name] = value;
        begin.push_back(sym(name, 0, room, step));
      }
    }
    const auto part = slice(l, shape, begin, extent);
    if (!part)
      continue;
    INFO(l << " by " << toString(shape) << " from " << toString(first)
           << " extent " << toString(extent) << " is " << toString(*part));
    ++sliced;
    for (const auto &[axis, e] : part->offset)
      dynamic += !e.constant();
    requireRegion(get(evaluate(*part, at)), l, shape, first, extent);
    REQUIRE(slice(l, shape, first, extent).has_value());
  }
  CHECK(sliced > 1000);
  CHECK(dynamic > 500);
}

TEST_CASE("symbolic: structured apply golden") {
  // TIRx documents (64x + (y ^ (((x + 1) & 7) << 3)) + 64) ^ 8 for this layout.
  const Layout l = L("S[(8,8):(64,1)] + 72 swizzle(3,3,3)");
  const Expr x = sym("x", 0, 7), y = sym("y", 0, 7);
  const std::vector<Expr> coord{x, y}, shape{8, 8};
  const StructuredPlace p = get(applyStructured(l, coord, shape));
  REQUIRE(p.swizzle);
  CHECK(toString(p.swizzle->base) == "64*x + 64");
  CHECK(toString(p.swizzle->low) == "y");
  CHECK(toString(p.swizzle->mask) == "8*((x + 1) % 8)");
  CHECK(p.swizzle->constant == 8);
  CHECK(toString(p.place.at(m)) == "(64*x + 64 + (y ^ 8*((x + 1) % 8))) ^ 8");
  const Expr golden = (x * 64 + (y ^ ((x + 1) & 7) * 8) + 64) ^ 8;
  CHECK(proveEqual(p.place.at(m), golden));
  // Values of the same layout, worked with the bit definition of the swizzle.
  for (auto [cx, cy, want] : {std::array{0, 0, 64}, {1, 3, 155}, {7, 7, 527}}) {
    CHECK(get(evaluate(golden, {{"x", cx}, {"y", cy}})) == want);
    CHECK(at(l, {cx, cy}, {8, 8}) == want);
  }
  // With y up to 8 the constant 8 may carry: it joins the low part instead.
  const Expr wide = sym("y", 0, 8);
  const auto carried = get(structureSwizzle(x * 64 + wide + 72, *l.swizzle));
  CHECK(carried.constant == 0);
  CHECK(toString(carried.low) == "y + 8");
}

TEST_CASE("symbolic: structured apply refusals") {
  const Expr x = sym("x", 0, 7), y = sym("y", 0, 63);
  const Swizzle s{3, 3, 3};
  CHECK(structureSwizzle(x * 64 + y, s));
  // y crosses the atom: split at its stride, as 1 divides 64.
  const auto split = get(structureSwizzle(x * 64 + sym("y", 0, 255), s));
  CHECK(toString(split.base) == "64*x + 64*(y / 64)");
  CHECK(toString(split.low) == "y % 64");
  CHECK_THAT(errorOf(structureSwizzle(x * 24 + y, s)),
             Catch::Contains("may carry"));
  CHECK_THAT(errorOf(structureSwizzle(x * 64 - y, s)),
             Catch::Contains("[-63, 0]"));
  // A symbolic stride is one more term to split, but not under a factor that
  // does not divide the atom.
  const Expr n = sym("n", 1, 10);
  CHECK(toString(get(structureSwizzle(n * x, s)).low) == "(n*x) % 64");
  CHECK_THAT(errorOf(structureSwizzle(n * x * 3, s)),
             Catch::Contains("may carry"));
  CHECK_THAT(errorOf(structureSwizzle(x, Swizzle{3, 3, 3, false})),
             Catch::Contains("outer-form"));
  CHECK_THAT(errorOf(structureSwizzle(x, Swizzle{3, 3, 2})),
             Catch::Contains("atom length"));
  const auto plain = get(applyStructured(L("S[(8,8):(24,1)] swizzle(3,3,3)"),
                                         std::vector<Expr>{x, sym("z", 0, 7)},
                                         std::vector<Expr>{8, 8}));
  CHECK_FALSE(plain.swizzle);
  CHECK_THAT(plain.fallback, Catch::Contains("may carry"));
}

TEST_CASE("symbolic: dynamic outermost extents and strides") {
  // A batch of n row-major 64x32 tiles with a run-time row pitch.
  const Expr n = sym("n", 1, 1000), pitch = sym("pitch", 32, 4096, 8);
  SymbolicLayout l;
  l.shard = {{n, Expr(64) * pitch, m}, {64, pitch, m}, {32, 1, m}};
  const Expr b = sym("b", 0, 999), i = sym("i", 0, 63), j = sym("j", 0, 31);
  CHECK(toString(l) == "S[(n,64,32):((64*pitch),pitch,1)]");
  CHECK(toString(size(l)) == "2048*n");
  // No division: dims are runs of iters, also the fused one of extent 64 n.
  const std::vector<Expr> tiles{b, i, j}, shape{n, 64, 32};
  CHECK(toString(get(apply(l, tiles, shape)).at(m)) ==
        "64*b*pitch + i*pitch + j");
  const std::vector<Expr> rows{b * 64 + i, j}, flat{n * 64, 32};
  CHECK(toString(get(apply(l, rows, flat)).at(m)) ==
        "64*b*pitch + i*pitch + j");
  const Bindings at{{"n", 3}, {"pitch", 40}, {"b", 2}, {"i", 5}, {"j", 7}};
  CHECK(get(evaluate(get(apply(l, tiles, shape)), at)) ==
        get(apply(get(evaluate(l, at)), Shape{2, 5, 7}, Shape{3, 64, 32})));

  CHECK_THAT(errorOf(apply(l, tiles, std::vector<Expr>{n, 32, 32})),
             Catch::Contains("not proven equal"));
  CHECK_THAT(errorOf(apply(l, rows, shape)), Catch::Contains("rank 3"));
  CHECK_THAT(errorOf(apply(l, std::vector<Expr>{b, sym("i", 0, 64), j}, shape)),
             Catch::Contains("not proven inside [0, 64); known: [0, 64]"));
  l.shard[0].extent = sym("n", 0, 1000);
  CHECK_THAT(errorOf(verify(l)), Catch::Contains("not proven >= 1"));

  SymbolicLayout lanes;
  lanes.shard = {{n, 1, laneid}};
  CHECK(verify(lanes));
  lanes.swizzle = Swizzle{3, 3, 3};
  CHECK_THAT(errorOf(verify(lanes)), Catch::Contains("permutes axis m"));
  lanes.shard[0].axis = m;
  CHECK(verify(lanes));
  lanes.shard.clear();
  CHECK_THAT(errorOf(verify(lanes)), Catch::Contains("at least one shard"));
}

TEST_CASE("symbolic: slice goldens and conditions") {
  const Layout l = L("S[(128,2,64):(64,8192,1)] swizzle(3,3,3)");
  const Shape shape{128, 128};
  // A K tile of 64 columns: the begin selects the column of atoms.
  const Expr k = sym("k", 0, 64, 64);
  const auto tile = [&](const Expr &begin, int64_t extent) {
    return slice(l, shape, std::vector<Expr>{0, begin}, Shape{128, extent});
  };
  const SymbolicLayout part = get(tile(k, 64));
  CHECK(toString(part) == "S[8192:1] + (8192*(k / 64)) swizzle(3,3,3)");
  CHECK(toString(get(tile(sym("t", 0, 1) * 64, 64))) ==
        "S[8192:1] + (8192*t) swizzle(3,3,3)");
  // 32 columns from a multiple of 32 stay inside one column of atoms.
  CHECK(toString(get(tile(sym("k", 0, 96, 32), 32))) ==
        "S[(128,32):(64,1)] + (8192*(k / 64) + k % 64) swizzle(3,3,3)");
  // From a multiple of 16 they may not.
  CHECK_THAT(errorOf(tile(sym("k", 0, 96, 16), 32)),
             Catch::Contains("first digit is known to be in [0, 48] only and "
                             "must be proven <= 32"));
  CHECK_THAT(errorOf(tile(sym("k", 0, 128, 64), 64)),
             Catch::Contains("not proven inside dim 1"));
  CHECK_THAT(errorOf(tile(sym("k", -64, 64, 64), 64)),
             Catch::Contains("known to be in [-64, 64]"));
  CHECK_THAT(errorOf(slice(l, shape, std::vector<Expr>{0}, shape)),
             Catch::Contains("rank 1"));
  // A constant begin takes the static path, wraps included (TIRx golden).
  CHECK(toString(get(tile(32, 64))) ==
        "S[(128,2,32):(64,8160,1)] + 32 swizzle(3,3,3)");
  // One iter per dim: any begin in range, no division.
  CHECK(toString(get(slice(L("S[(128,64):(64,1)] + 5"), Shape{128, 64},
                           std::vector<Expr>{sym("r", 0, 120), 0},
                           Shape{8, 64}))) == "S[512:1] + (64*r + 5)");
}
