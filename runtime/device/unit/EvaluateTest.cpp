//===- EvaluateTest.cpp - host expressions ----------------------*- C++ -*-===//
#include "device/Evaluate.h"
#include "TestKernels.h"

#include <catch2/catch.hpp>
#include <random>

using namespace tirx::rt;
using namespace tirx::rt::test;
using Kind = HostExpr::Kind;

namespace {

struct Context {
  Kernel kernel;
  std::vector<BoundArgument> arguments;

  Context() {
    kernel.arguments = {tensorArgument("A", DType::f16, {{}, {}}),
                        scalarArgument("n", DType::i64)};
    arguments.resize(2);
    arguments[0].shape = {300, 64};
    arguments[0].strides = {72, 1};
    arguments[1].integer = -7;
  }
  Expected<int64_t> operator()(const HostExpr &expr) const {
    return evaluate(expr, kernel, arguments, 148);
  }
};

} // namespace

TEST_CASE("every operation has its value") {
  const Context context;
  const auto binary = [&](Kind kind, int64_t a, int64_t b) {
    return op(kind, {constant(a), constant(b)});
  };
  const std::pair<HostExpr, int64_t> rows[] = {
      {constant(-5), -5},
      {dim(0, 0), 300},
      {dim(0, 1), 64},
      {stride(0, 0), 72},
      {scalar(1), -7},
      {smCount(), 148},
      {op(Kind::min, {smCount(), dim(0, 0)}), 148},
      {binary(Kind::add, 3, -5), -2},
      {binary(Kind::sub, 3, -5), 8},
      {binary(Kind::mul, 3, -5), -15},
      {binary(Kind::floordiv, 7, 2), 3},
      {binary(Kind::floordiv, 8, 2), 4},
      {binary(Kind::ceildiv, 7, 2), 4},
      {binary(Kind::ceildiv, 8, 2), 4},
      {binary(Kind::ceildiv, 0, 2), 0},
      {binary(Kind::ceildiv, INT64_MAX, 1), INT64_MAX},
      {binary(Kind::ceildiv, INT64_MAX, 2), INT64_MAX / 2 + 1},
      {binary(Kind::mod, 7, 4), 3},
      {binary(Kind::min, 3, -5), -5},
      {binary(Kind::max, 3, -5), 3},
      {binary(Kind::eq, 3, 3), 1},
      {binary(Kind::eq, 3, 4), 0},
      {binary(Kind::ne, 3, 3), 0},
      {binary(Kind::ne, 3, 4), 1},
      {binary(Kind::lt, 3, 4), 1},
      {binary(Kind::lt, 4, 4), 0},
      {binary(Kind::le, 4, 4), 1},
      {binary(Kind::le, 5, 4), 0},
      {binary(Kind::gt, 4, 4), 0},
      {binary(Kind::gt, 5, 4), 1},
      {binary(Kind::ge, 4, 4), 1},
      {binary(Kind::ge, 3, 4), 0},
      {binary(Kind::logical_and, 2, 4), 1},
      {binary(Kind::logical_and, 2, 0), 0},
      {binary(Kind::logical_or, 0, 4), 1},
      {binary(Kind::logical_or, 0, 0), 0},
      {op(Kind::select, {constant(1), constant(10), constant(20)}), 10},
      {op(Kind::select, {constant(0), constant(10), constant(20)}), 20},
      {op(Kind::ceildiv, {dim(0, 0), constant(128)}), 3},
  };
  for (const auto &[expr, expected] : rows) {
    INFO(toString(expr, context.kernel));
    const auto value = context(expr);
    REQUIRE(value);
    CHECK(*value == expected);
  }
}

TEST_CASE("what has no value is an error that shows the expression") {
  const Context context;
  struct Row {
    HostExpr expr;
    const char *message;
  };
  const HostExpr big = constant(INT64_MAX), small = constant(INT64_MIN);
  const Row rows[] = {
      {op(Kind::add, {big, constant(1)}),
       "9223372036854775807 + 1: overflows 64 bits (operands "
       "9223372036854775807 and 1)"},
      {op(Kind::sub, {small, constant(1)}), "overflows 64 bits"},
      {op(Kind::mul, {big, constant(2)}), "overflows 64 bits"},
      {op(Kind::mul, {small, constant(-1)}), "overflows 64 bits"},
      {op(Kind::floordiv, {dim(0, 0), constant(0)}),
       "A.shape[0] / 0: division by zero"},
      {op(Kind::ceildiv, {dim(0, 0), constant(0)}), "division by zero"},
      {op(Kind::mod, {dim(0, 0), constant(0)}), "division by zero"},
      {op(Kind::floordiv, {scalar(1), constant(2)}),
       "n / 2: division of -7 by 2, neither may be negative"},
      {op(Kind::mod, {constant(7), constant(-2)}), "division of 7 by -2"},
      {op(Kind::floordiv, {small, constant(-1)}), "neither may be negative"},
      // An error inside an operand is the error of the whole.
      {op(Kind::add, {constant(1), op(Kind::mod, {big, constant(0)})}),
       "division by zero"},
  };
  for (const Row &row : rows) {
    const auto value = context(row.expr);
    INFO(row.message);
    REQUIRE_FALSE(value);
    CHECK_THAT(value.error().message, Catch::Contains(row.message));
  }
}

TEST_CASE("a guard protects what it guards") {
  const Context context;
  const HostExpr bad = op(Kind::mod, {constant(1), constant(0)});
  const auto valueOf = [&](const HostExpr &expr) {
    const auto value = context(expr);
    return value ? *value : -1;
  };
  CHECK(valueOf(op(Kind::logical_and, {constant(0), bad})) == 0);
  CHECK(valueOf(op(Kind::logical_and, {constant(1), bad})) == -1);
  CHECK(valueOf(op(Kind::logical_or, {constant(1), bad})) == 1);
  CHECK(valueOf(op(Kind::logical_or, {constant(0), bad})) == -1);
  CHECK(valueOf(op(Kind::select, {constant(1), constant(5), bad})) == 5);
  CHECK(valueOf(op(Kind::select, {constant(0), constant(5), bad})) == -1);
}

TEST_CASE("random trees agree with 128-bit arithmetic") {
  const uint64_t seed = 0x5eed0030;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  const Context context;
  int overflows = 0, values = 0;
  for (int round = 0; round < 20000; ++round) {
    const Kind kind = std::array{Kind::add, Kind::sub, Kind::mul}[random() % 3];
    const int64_t a = int64_t(random()) >> (random() % 64),
                  b = int64_t(random()) >> (random() % 64);
    const __int128 exact = kind == Kind::add   ? __int128(a) + b
                           : kind == Kind::sub ? __int128(a) - b
                                               : __int128(a) * b;
    const auto value = context(op(kind, {constant(a), constant(b)}));
    const bool fits = exact >= INT64_MIN && exact <= INT64_MAX;
    REQUIRE(value.has_value() == fits);
    if (value)
      CHECK(*value == int64_t(exact));
    ++(fits ? values : overflows);
  }
  CHECK(overflows > 1000);
  CHECK(values > 1000);
}
