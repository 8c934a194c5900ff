//===- ExprTest.cpp - integer expressions -----------------------*- C++ -*-===//
#include "TestSupport.h"

#include "tirx/Layout/Expr.h"

using namespace tirx::layout;
using namespace tirx::layout::test;

namespace {

Expr sym(const char *name, int64_t min, int64_t max, int64_t modulus = 1,
         int64_t remainder = 0) {
  return get(Expr::symbol(name, {min, max, modulus, remainder}));
}

struct RandomExpr {
  std::mt19937_64 engine = rng();
  std::vector<Expr> symbols;

  int64_t pick(int64_t low, int64_t high) {
    return low + int64_t(engine() % uint64_t(high - low + 1));
  }
  void newSymbols() {
    symbols.clear();
    for (const char *name : {"x", "y", "z"}) {
      const int64_t modulus =
          pick(0, 1) ? int64_t(1) << pick(0, 6) : pick(1, 9);
      const int64_t min = pick(0, 2) ? 0 : pick(-60, 60);
      symbols.push_back(sym(name, min, min + modulus + pick(0, 90), modulus,
                            pick(0, 1) ? 0 : pick(0, modulus - 1)));
    }
  }
  int64_t scalar() {
    if (pick(0, 24) == 0) // where int64 arithmetic would overflow
      return std::array{
          INT64_MIN,     INT64_MAX,        INT64_MAX - 1,
          INT64_MIN + 3, int64_t(1) << 61, -(int64_t(1) << 62)}[size_t(
          pick(0, 5))];
    return pick(0, 1) ? int64_t(1) << pick(0, 7) : pick(-12, 70);
  }
  Expr make(int depth) {
    if (depth == 0 || pick(0, 9) == 0)
      return pick(0, 3) ? symbols[size_t(pick(0, 2))] : Expr(scalar());
    const Expr a = make(depth - 1);
    switch (pick(0, 9)) {
    case 0:
    case 1:
    case 2:
      return a + make(depth - 1);
    case 3:
      return a - make(depth - 1);
    case 4:
      return pick(0, 3) ? a * Expr(scalar()) : a * make(depth - 1);
    case 5:
      return floorDiv(a, pick(0, 5) ? Expr(scalar()) : make(depth - 1));
    case 6:
    case 7:
      return mod(a, pick(0, 5) ? Expr(scalar()) : make(depth - 1));
    case 8:
      return a ^ make(depth - 1);
    default:
      return a & (pick(0, 2) ? Expr((int64_t(1) << pick(0, 7)) - 1)
                             : make(depth - 1));
    }
  }
  Bindings point() {
    Bindings out;
    for (const Expr &s : symbols) {
      const ExprFacts &f = s.facts();
      // Bounds are tight: both have the stated residue.
      const int64_t step = std::max<int64_t>(f.modulus, 1);
      out[s.name()] = f.min + step * pick(0, (f.max - f.min) / step);
    }
    return out;
  }
};

void requireFacts(const Expr &e, int64_t v) {
  const ExprFacts &f = e.facts();
  REQUIRE(v >= f.min);
  REQUIRE(v <= f.max);
  if (f.modulus == 0)
    REQUIRE(v == f.remainder);
  else
    REQUIRE(bool((__int128(v) - f.remainder) % f.modulus == 0));
  if (auto bits = possibleBits(e))
    REQUIRE((uint64_t(v) & ~*bits) == 0);
}

} // namespace

TEST_CASE("expr: the simplifier and the facts agree with evaluation") {
  RandomExpr r;
  INFO("seed " << Catch::rngSeed());
  int evaluated = 0, shorter = 0;
  for (int i = 0; i < 6000; ++i) {
    r.newSymbols();
    const Expr e = r.make(int(r.pick(1, 5)));
    const Expr s = simplify(e);
    INFO(toString(e) << "  ->  " << toString(s));
    shorter += toString(s).size() < toString(e).size();
    for (int k = 0; k < 6; ++k) {
      const Bindings at = r.point();
      INFO("x=" << at.at("x") << " y=" << at.at("y") << " z=" << at.at("z"));
      const auto v = evaluate(e, at);
      if (!v)
        continue;
      ++evaluated;
      REQUIRE(get(evaluate(s, at)) == *v);
      requireFacts(e, *v);
      requireFacts(s, *v);
      const LinearTerms sum = linearTerms(e);
      __int128 total = sum.constant;
      bool fits = true; // a term alone may exceed 64 bits
      for (const auto &[term, c] : sum.terms) {
        const auto value = evaluate(term, at);
        fits = fits && value;
        total += __int128(c) * value.value_or(0);
      }
      if (fits)
        REQUIRE(bool(total == *v));
    }
  }
  CHECK(evaluated > 20000);
  CHECK(shorter > 2000);
}

TEST_CASE("expr: normal forms") {
  const Expr x = sym("x", 0, 1000), y = sym("y", 0, 7), n = sym("n", 1, 64),
             b = sym("b", 0, 4096, 64), c = sym("c", 0, 4096, 64, 32);
  const struct {
    Expr expr;
    const char *text;
  } rows[] = {
      // Worked by hand from the definitions of floored division and of xor.
      {x + y - x, "y"},
      {(x + 1) * (y + 2), "2*x + x*y + y + 2"},
      {floorDiv(x * 8 + y, 8), "x"},
      {mod(x * 8 + y, 8), "y"},
      {mod(x * 8 + y, 16), "y + 8*(x % 2)"},
      {floorDiv(x * 8 + y, 16), "x / 2"},
      {floorDiv(x * 8 + y + 8, 8), "x + 1"},
      {mod(y + 8, 16), "y + 8"},
      {mod(y - 8, 16), "y + 8"},
      {floorDiv(y - 8, 16), "-1"},
      {mod(b, 64), "0"},
      {mod(c, 64), "32"},
      {mod(b + x, 64), "x % 64"},
      {floorDiv(b + y, 64), "b / 64"},
      {floorDiv(floorDiv(x, 4), 16), "x / 64"},
      {mod(mod(x, 64), 8), "x % 8"},
      {floorDiv(x, 8) * 8 + mod(x, 8), "x"},
      {x & 7, "x % 8"},
      {y & 7, "y"},
      {y & 15, "y"},
      {b & y, "0"},
      {x ^ y ^ x, "y"},
      {b ^ y, "b + y"},
      {(x ^ 12) ^ 10, "x ^ 6"},
      {x ^ 0, "x"},
      {n * 64 - n * 63, "n"},
      // Not provable: kept.
      {mod(x, 8), "x % 8"},
      {floorDiv(x + y, 8), "(x + y) / 8"},
      {x ^ 8, "x ^ 8"},
      {mod(x, n), "x % n"},
  };
  for (const auto &row : rows) {
    INFO(toString(row.expr));
    CHECK(toString(simplify(row.expr)) == row.text);
  }
  CHECK(proveEqual((x + 1) * 8, x * 8 + 8));
  CHECK_FALSE(proveEqual(x, y));
}

TEST_CASE("expr: floored division and two's complement bits") {
  const Expr x = sym("x", -100, 100);
  const auto at = [&](const Expr &e, int64_t v) {
    return get(evaluate(e, {{"x", v}}));
  };
  CHECK(at(floorDiv(x, 8), -1) == -1);
  CHECK(at(mod(x, 8), -1) == 7);
  CHECK(at(x & 7, -3) == 5);
  CHECK(at(x ^ 1, -2) == -1);
  CHECK(at(floorDiv(x, 8), 17) == 2);
  // Intermediates may exceed 64 bits; the result may not.
  const Expr big = Expr(INT64_MAX) + x;
  CHECK(at(big - Expr(INT64_MAX), 5) == 5);
  CHECK_THAT(errorOf(evaluate(big, {{"x", 1}})), Catch::Contains("64 bits"));
  CHECK(at(simplify(big), 0) == INT64_MAX);
  CHECK(at(simplify(Expr(INT64_MIN) + x), 0) == INT64_MIN);
}

TEST_CASE("expr: refusals name the symbol") {
  CHECK_THAT(errorOf(Expr::symbol("")), Catch::Contains("name"));
  CHECK_THAT(errorOf(Expr::symbol("i", {3, 2})), Catch::Contains("[3, 2]"));
  CHECK_THAT(errorOf(Expr::symbol("i", {0, INT64_MAX})),
             Catch::Contains("2^48"));
  CHECK_THAT(errorOf(Expr::symbol("i", {0, 8, 0})),
             Catch::Contains("modulus must be >= 1"));
  CHECK_THAT(errorOf(Expr::symbol("i", {0, 8, 4, 4})),
             Catch::Contains("4 mod 4"));
  CHECK_THAT(errorOf(Expr::symbol("i", {1, 3, 8})),
             Catch::Contains("no value in [1, 3] is 0 mod 8"));
  CHECK(Expr::symbol("i", {1, 8, 8}));

  const Expr i = sym("i", 0, 64, 8);
  CHECK(get(evaluate(i + 1, {{"i", 16}})) == 17);
  CHECK_THAT(errorOf(evaluate(i + 1, {})), Catch::Contains("i has no value"));
  CHECK_THAT(errorOf(evaluate(i + 1, {{"i", 72}})),
             Catch::Contains("i is 72, outside its stated range [0, 64]"));
  CHECK_THAT(errorOf(evaluate(i + 1, {{"i", 12}})),
             Catch::Contains("i is 12, which is not 0 mod 8"));
  CHECK_THAT(errorOf(evaluate(mod(4, i), {{"i", 0}})),
             Catch::Contains("divisor i is 0"));
}
