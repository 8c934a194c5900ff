//===- TensorTest.cpp - making tensors --------------------------*- C++ -*-===//
#include "tirx/Runtime/Tensor.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

using namespace tirx::rt;

namespace {

constexpr DType kAllDTypes[] = {
    DType::boolean, DType::u8,  DType::i8,   DType::u16, DType::i16,
    DType::u32,     DType::i32, DType::u64,  DType::i64, DType::f8e4m3,
    DType::f8e5m2,  DType::f16, DType::bf16, DType::f32, DType::f64};

double at(const HostTensor &tensor, int64_t i) {
  return toDouble(tensor.dtype, tensor.bytes.data() + i * sizeOf(tensor.dtype));
}

} // namespace

TEST_CASE("element counts") {
  const auto count = [](std::vector<int64_t> shape) {
    return elementCount(shape);
  };
  CHECK(count({}) == 1);
  CHECK(count({3, 4, 5}) == 60);
  CHECK(count({3, 0, 5}) == 0);
  CHECK(count({INT64_MAX, INT64_MAX, 0}) == 0);
  CHECK(count({INT64_MAX, 1}) == INT64_MAX);
  CHECK_FALSE(count({INT64_MAX, 2}));
  CHECK_FALSE(count({int64_t(1) << 32, int64_t(1) << 32}));
  CHECK_FALSE(count({3, -1}));
  CHECK_FALSE(count({0, -1}));
}

TEST_CASE("normal values have the moments of N(0,1)") {
  const uint64_t seed = 0x5eed0010;
  INFO("seed " << seed);
  const int64_t n = 1 << 18;
  const HostTensor tensor = randomNormal(DType::f64, {512, 512}, seed);
  double moments[5] = {};
  for (int64_t i = 0; i < n; ++i)
    for (int power = 1; power <= 4; ++power)
      moments[power] += std::pow(at(tensor, i), power) / n;
  // Standard errors: sqrt(1, 2, 15, 96 over n); six of them.
  CHECK(std::fabs(moments[1]) < 6 * std::sqrt(1.0 / n));
  CHECK(std::fabs(moments[2] - 1) < 6 * std::sqrt(2.0 / n));
  CHECK(std::fabs(moments[3]) < 6 * std::sqrt(15.0 / n));
  CHECK(std::fabs(moments[4] - 3) < 6 * std::sqrt(96.0 / n));
}

TEST_CASE("random values depend on the seed alone") {
  const HostTensor a = randomNormal(DType::f16, {7, 5}, 3);
  CHECK(a.bytes == randomNormal(DType::f16, {7, 5}, 3).bytes);
  CHECK(a.bytes != randomNormal(DType::f16, {7, 5}, 4).bytes);
  CHECK(a.bytes.size() == 70);
  // The first value, from the standard's value of the generator: mt19937_64
  // with the default seed 5489 starts with 14514284786278117030 and
  // 4620546740167642908.
  const double u1 = double((14514284786278117030u >> 11) + 1) * 0x1p-53;
  const double u2 = double(4620546740167642908u >> 11) * 0x1p-53;
  const double expected =
      std::sqrt(-2 * std::log(u1)) * std::cos(2 * 3.14159265358979323846 * u2);
  CHECK(at(randomNormal(DType::f64, {1}, 5489), 0) ==
        Approx(expected).epsilon(1e-14));
  // Other dtypes round the same values.
  const HostTensor f64 = randomNormal(DType::f64, {9}, 11);
  const HostTensor bf16 = randomNormal(DType::bf16, {9}, 11);
  for (int64_t i = 0; i < 9; ++i) {
    uint16_t rounded = 0, actual = 0;
    fromDouble(DType::bf16, at(f64, i), &rounded);
    std::memcpy(&actual, bf16.bytes.data() + 2 * i, 2);
    CHECK(actual == rounded);
  }
}

TEST_CASE("poison is NaN or a pattern, in every element") {
  for (DType dtype : kAllDTypes) {
    INFO(nameOf(dtype));
    const HostTensor tensor = poisoned(dtype, {3, 5});
    REQUIRE(tensor.bytes.size() == 15 * sizeOf(dtype));
    for (int64_t i = 0; i < 15; ++i) {
      if (isFloat(dtype))
        CHECK(std::isnan(at(tensor, i)));
      else
        CHECK(tensor.bytes[i * sizeOf(dtype)] == std::byte(0xA5));
      // It is not the NaN that conversions give.
      uint64_t converted = 0;
      fromDouble(dtype, std::nan(""), &converted);
      CHECK(converted != poisonBits(dtype));
    }
  }
}
