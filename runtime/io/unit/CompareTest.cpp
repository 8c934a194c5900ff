//===- CompareTest.cpp - results against references -------------*- C++ -*-===//
#include "tirx/Runtime/Compare.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>

using namespace tirx::rt;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

HostTensor tensorOf(DType dtype, std::vector<int64_t> shape,
                    const std::vector<double> &values) {
  HostTensor tensor{dtype, std::move(shape), {}};
  tensor.bytes.resize(values.size() * sizeOf(dtype));
  for (size_t i = 0; i < values.size(); ++i)
    fromDouble(dtype, values[i], tensor.bytes.data() + i * sizeOf(dtype));
  return tensor;
}

HostTensor vectorOf(DType dtype, const std::vector<double> &values) {
  return tensorOf(dtype, {int64_t(values.size())}, values);
}

} // namespace

TEST_CASE("tolerances are inclusive and add up") {
  const HostTensor reference = vectorOf(DType::f64, {100, -100, 0});
  const auto matches = [&](std::vector<double> actual, double rtol,
                           double atol) {
    const auto result =
        compare(vectorOf(DType::f64, actual), reference, rtol, atol);
    REQUIRE(result);
    return result->ok();
  };
  CHECK(matches({100, -100, 0}, 0, 0));
  CHECK_FALSE(matches({100, -100, 0x1p-1000}, 0, 0));
  CHECK(matches({101, -101, 0}, 0.01, 0));
  CHECK_FALSE(matches({101.001, -100, 0}, 0.01, 0));
  CHECK(matches({102, -98, 1}, 0.01, 1));
  CHECK_FALSE(matches({100, -97.9, 1}, 0.01, 1));
  CHECK_FALSE(matches({100, -100, 1.001}, 0.01, 1));
}

TEST_CASE("what is found is reported with its place") {
  const HostTensor reference =
      tensorOf(DType::f32, {2, 3}, {1, 2, 4, 8, -16, 0});
  HostTensor actual = tensorOf(DType::f32, {2, 3}, {1, 2.5, 4, 9, -16, 0.125});
  const auto result = compare(actual, reference, 0, 0.25);
  REQUIRE(result);
  CHECK(result->elements == 6);
  CHECK(result->mismatches == 2);
  CHECK(result->nans == 0);
  CHECK(result->max_abs_error == 1);
  CHECK(result->max_abs_index == std::vector<int64_t>{1, 0});
  CHECK(result->max_rel_error == 0.25);
  CHECK(result->max_rel_index == std::vector<int64_t>{0, 1});
  CHECK(result->first_mismatch == std::vector<int64_t>{0, 1});
  CHECK(result->first_actual == 2.5);
  CHECK(result->first_reference == 2);
  CHECK(toString(*result) ==
        "2 of 6 elements differ; largest error 1 at [1, 0], relative 0.25 at "
        "[0, 1]\nfirst at [0, 1]: 2.5, expected 2 (allowed error 0.25)");
}

TEST_CASE("NaN, infinity and poison") {
  const double nan = std::nan("");
  const HostTensor reference =
      vectorOf(DType::f32, {1, 2, nan, kInfinity, kInfinity, -kInfinity, 7});
  HostTensor actual =
      vectorOf(DType::f32, {1, nan, nan, kInfinity, 3, kInfinity, 7});
  auto result = compare(actual, reference, 1e9, 1e9);
  REQUIRE(result);
  CHECK(result->mismatches == 3); // 1: NaN, 4: finite, 5: the other infinity
  CHECK(result->nans == 1);
  CHECK(result->unwritten == 0);
  CHECK(result->first_mismatch == std::vector<int64_t>{1});

  const uint64_t poison = poisonBits(DType::f32);
  std::memcpy(actual.bytes.data() + 4, &poison, 4);
  result = compare(actual, reference, 1e9, 1e9);
  REQUIRE(result);
  CHECK(result->nans == 1);
  CHECK(result->unwritten == 1);
  CHECK_THAT(toString(*result), Catch::Contains("1 were never written"));

  const auto allPoison = compare(poisoned(DType::i32, {4}),
                                 vectorOf(DType::i32, {1, 2, 3, 4}), 0, 0);
  REQUIRE(allPoison);
  CHECK(allPoison->unwritten == 4);
  CHECK(allPoison->nans == 0);
}

TEST_CASE("64-bit integers are compared exactly") {
  HostTensor actual{DType::i64, {2}, std::vector<std::byte>(16)};
  HostTensor reference = actual;
  const int64_t values[2] = {INT64_MAX, INT64_MIN},
                expected[2] = {INT64_MAX - 1, INT64_MIN};
  std::memcpy(actual.bytes.data(), values, 16);
  std::memcpy(reference.bytes.data(), expected, 16);
  const auto result = compare(actual, reference, 0, 0);
  REQUIRE(result);
  CHECK(result->mismatches == 1);
  CHECK(result->max_abs_error == 1);
}

TEST_CASE("operands that cannot be compared") {
  const auto refused = [](const HostTensor &actual, const HostTensor &reference,
                          const char *reason, double rtol = 0,
                          double atol = 0) {
    const auto result = compare(actual, reference, rtol, atol);
    INFO(reason);
    REQUIRE_FALSE(result);
    CHECK_THAT(result.error().message, Catch::Contains(reason));
  };
  const HostTensor f16 = tensorOf(DType::f16, {2, 2}, {1, 2, 3, 4});
  refused(f16, tensorOf(DType::f16, {4}, {1, 2, 3, 4}),
          "shape [2, 2], the reference has [4]");
  refused(f16, tensorOf(DType::bf16, {2, 2}, {1, 2, 3, 4}),
          "dtype f16, the reference has bf16");
  refused(f16, tensorOf(DType::i32, {2, 2}, {1, 2, 3, 4}),
          "dtype f16, the reference has i32");
  refused(tensorOf(DType::i32, {1}, {1}), tensorOf(DType::f64, {1}, {1}),
          "dtype i32, the reference has f64");
  refused(f16, f16, "must not be negative", -1);
  refused(f16, f16, "must not be negative", 0, std::nan(""));
  HostTensor lying = f16;
  lying.bytes.pop_back();
  refused(lying, f16, "but 7 bytes");
  refused(f16, lying, "but 7 bytes");
  CHECK(compare(f16, f16, 0, 0));
  // A wider reference is welcome.
  const auto wide =
      compare(f16, tensorOf(DType::f64, {2, 2}, {1, 2, 3, 4}), 0, 0);
  REQUIRE(wide);
  CHECK(wide->ok());
  CHECK_FALSE(compare(f16, f16, tensorOf(DType::f64, {4}, {0, 0, 0, 0})));
  CHECK_FALSE(compare(f16, f16, f16));
}
