#include "../Polynomial.h"

#include <catch2/catch.hpp>

using tirx::passes::Polynomial;

static std::string print(const std::optional<Polynomial> &polynomial) {
  if (!polynomial)
    return "none";
  return polynomial->print(
      [](Polynomial::Symbol symbol) { return std::string(1, 'a' + symbol); });
}

TEST_CASE("polynomial arithmetic") {
  Polynomial a = Polynomial::symbol(0), b = Polynomial::symbol(1);
  CHECK(print(Polynomial(0)) == "0");
  CHECK(print(Polynomial(-3)) == "-3");
  CHECK(print(a.plus(b)) == "a + b");
  CHECK(print(a.minus(a)) == "0");
  CHECK(print(a.minus(2)) == "a - 2");
  CHECK(print(Polynomial(5).minus(*a.times(3))) == "-3 * a + 5");
  // (a + b) * (a - b): the mixed products cancel.
  CHECK(print(a.plus(b)->times(*a.minus(b))) == "a * a - b * b");
  CHECK(a.times(b) == b.times(a));
  CHECK(a.times(b)->minus(*b.times(a))->isZero());
}

TEST_CASE("polynomial constants") {
  Polynomial a = Polynomial::symbol(0);
  CHECK(Polynomial(7).getConstant() == 7);
  CHECK(Polynomial(0).getConstant() == 0);
  CHECK(a.minus(a)->getConstant() == 0);
  CHECK(a.plus(1)->getConstant() == std::nullopt);
  CHECK(a.getConstant() == std::nullopt);
}

TEST_CASE("polynomial common factors") {
  Polynomial a = Polynomial::symbol(0), b = Polynomial::symbol(1);
  // a * b - a = a * (b - 1)
  CHECK(print(a.times(b)->minus(a)->withoutCommonFactor()) == "b - 1");
  // 2 * a * a * b + 3 * a * a = a * a * (2 * b + 3)
  Polynomial aa = *a.times(a);
  CHECK(
      print(aa.times(*b.times(2))->plus(*aa.times(3))->withoutCommonFactor()) ==
      "2 * b + 3");
  CHECK(print(a.plus(b)->withoutCommonFactor()) == "a + b");
  CHECK(print(a.withoutCommonFactor()) == "1");
  CHECK(print(Polynomial(0).withoutCommonFactor()) == "0");
}

TEST_CASE("polynomials that grow too large are none") {
  Polynomial most(Polynomial::limit);
  CHECK(print(most.plus(1)) == "none");
  CHECK(print(most.minus(1)) == std::to_string(Polynomial::limit - 1));
  CHECK(print(most.times(2)) == "none");
  // The sum of maxTerms symbols still fits, one more does not.
  Polynomial sum;
  for (size_t i = 0; i < Polynomial::maxTerms; ++i)
    sum = *sum.plus(Polynomial::symbol(i));
  CHECK(sum.plus(Polynomial::symbol(0)).has_value());
  CHECK_FALSE(sum.plus(Polynomial::symbol(Polynomial::maxTerms)).has_value());
}
