//===- DTypeTest.cpp - conversions against a brute-force search -*- C++ -*-===//
#include "tirx/Runtime/DType.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <vector>

using namespace tirx::rt;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct FloatCase {
  DType dtype;
  int exponentBits;
  int fractionBits;
  double maximum; ///< from the format's definition
  bool saturates;
  bool hasInfinity;
};

// Maxima: OCP OFP8 (448, 57344), IEEE 754 binary16 (65504), bfloat16.
const FloatCase kFloatCases[] = {
    {DType::f8e4m3, 4, 3, 448, true, false},
    {DType::f8e5m2, 5, 2, 57344, true, true},
    {DType::f16, 5, 10, 65504, false, true},
    {DType::bf16, 8, 7, 3.3895313892515355e38, false, true},
};

unsigned codeCount(const FloatCase &format) {
  return 1u << (1 + format.exponentBits + format.fractionBits);
}

double decodeCode(DType dtype, unsigned code) {
  return toDouble(dtype, &code); // little-endian: the low bytes come first
}

unsigned encodeValue(DType dtype, double value) {
  unsigned code = 0;
  fromDouble(dtype, value, &code);
  return code;
}

/// The value of a code by the textbook formula, with pow instead of ldexp and
/// bit fields taken apart by division.
double definition(const FloatCase &format, unsigned code) {
  const unsigned fractions = 1u << format.fractionBits;
  const unsigned exponents = 1u << format.exponentBits;
  const double sign = code >= fractions * exponents ? -1 : 1;
  const unsigned magnitude = code % (fractions * exponents);
  const double bias = exponents / 2 - 1;
  const unsigned exponent = magnitude / fractions;
  const double fraction = double(magnitude % fractions) / fractions;
  if (exponent == exponents - 1 && format.hasInfinity)
    return fraction == 0 ? sign * kInfinity : std::nan("");
  if (!format.hasInfinity && magnitude == fractions * exponents - 1)
    return std::nan("");
  if (exponent == 0)
    return sign * fraction * std::pow(2.0, 1 - bias);
  return sign * (1 + fraction) * std::pow(2.0, exponent - bias);
}

bool same(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

/// Nearest code by comparing distances to the neighbours in a sorted table.
class NearestSearch {
public:
  explicit NearestSearch(const FloatCase &format) : format(format) {
    for (unsigned code = 0; code < codeCount(format) / 2; ++code)
      if (std::isfinite(definition(format, code)))
        codes[definition(format, code)] = code;
  }

  double round(double value) const {
    const double magnitude = std::fabs(value);
    return std::copysign(roundMagnitude(magnitude), value);
  }

private:
  const FloatCase &format;
  std::map<double, unsigned> codes;

  double roundMagnitude(double value) const {
    const auto above = codes.lower_bound(value);
    if (above == codes.end()) {
      if (format.saturates)
        return format.maximum;
      // Overflow starts at half a step above the maximum (IEEE 754 §7.4); the
      // maximum is odd, so the tie itself goes up.
      const double step = format.maximum - std::prev(codes.end(), 2)->first;
      return value >= format.maximum + step / 2 ? kInfinity : format.maximum;
    }
    if (above->first == value || above == codes.begin())
      return above->first;
    const auto below = std::prev(above);
    const double up = above->first - value, down = value - below->first;
    if (up != down)
      return up < down ? above->first : below->first;
    return above->second % 2 == 0 ? above->first : below->first;
  }
};

} // namespace

TEST_CASE("every code of the small floats has its defined value") {
  for (const FloatCase &format : kFloatCases) {
    INFO(nameOf(format.dtype));
    double maximum = 0;
    for (unsigned code = 0; code < codeCount(format); ++code) {
      const double expected = definition(format, code);
      const double actual = decodeCode(format.dtype, code);
      if (!same(actual, expected))
        FAIL("code " << code << ": " << actual << ", expected " << expected);
      if (std::isfinite(actual))
        maximum = std::max(maximum, actual);
      // Encoding the value again gives the code (NaNs: some NaN; f8e5m2's
      // infinity saturates on purpose).
      const unsigned again = encodeValue(format.dtype, actual);
      if (std::isnan(expected))
        CHECK(std::isnan(decodeCode(format.dtype, again)));
      else if (std::isinf(expected) && format.saturates)
        CHECK(decodeCode(format.dtype, again) ==
              std::copysign(format.maximum, expected));
      else if (again != code)
        FAIL("code " << code << " became " << again);
    }
    CHECK(maximum == format.maximum);
  }
}

TEST_CASE("rounding agrees with a search for the nearest code") {
  for (const FloatCase &format : kFloatCases) {
    INFO(nameOf(format.dtype));
    const NearestSearch search(format);
    const auto check = [&](double value) {
      const double expected = search.round(value);
      const double actual =
          decodeCode(format.dtype, encodeValue(format.dtype, value));
      if (!same(actual, expected))
        FAIL(value << " became " << actual << ", expected " << expected);
    };
    // Every value, every midpoint of neighbours, and the doubles beside them.
    for (unsigned code = 0; code < codeCount(format) / 2; ++code) {
      const double value = definition(format, code);
      if (!std::isfinite(value))
        continue;
      double next = definition(format, code + 1);
      if (!std::isfinite(next)) // the step beyond the maximum
        next = value + (value - definition(format, code - 1));
      const double middle = value + (next - value) / 2;
      for (const double centre : {value, middle, next})
        for (const double sign : {1.0, -1.0})
          for (const double probe : {std::nextafter(centre, -kInfinity), centre,
                                     std::nextafter(centre, kInfinity)})
            check(sign * probe);
    }
    const uint64_t seed = 0x5eed0001;
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    for (int i = 0; i < 200000; ++i) {
      const double value = std::bit_cast<double>(random());
      if (std::isfinite(value))
        check(value);
      // Exponents near the format's range, where the interesting cases are.
      check(std::ldexp(1.0 + double(random() >> 12) * 0x1p-52,
                       int(random() % 300) - 150));
    }
    for (const double extreme :
         {0.0, -0.0, std::numeric_limits<double>::denorm_min(), 1e300, -1e300,
          std::numeric_limits<double>::max()})
      check(extreme);
    CHECK(std::isnan(
        decodeCode(format.dtype, encodeValue(format.dtype, std::nan("")))));
    CHECK(decodeCode(format.dtype, encodeValue(format.dtype, -kInfinity)) ==
          (format.saturates ? -format.maximum : -kInfinity));
  }
}

TEST_CASE("no double rounding through f32") {
  // 1 + 2^-11 + 2^-40: above f16's midpoint, but f32 would round onto it.
  CHECK(encodeValue(DType::f16, 1 + 0x1p-11 + 0x1p-40) == 0x3C01);
  CHECK(encodeValue(DType::f16, 1 + 0x1p-11) == 0x3C00);
}

TEST_CASE("integers round to even and saturate") {
  struct Row {
    DType dtype;
    double value;
    int64_t expected;
  };
  const Row rows[] = {
      {DType::i8, 2.5, 2},
      {DType::i8, 3.5, 4},
      {DType::i8, -2.5, -2},
      {DType::i8, -3.5, -4},
      {DType::i8, -0.5, 0},
      {DType::i8, 127.4, 127},
      {DType::i8, 1e9, 127},
      {DType::i8, -1e9, -128},
      {DType::u8, -1, 0},
      {DType::u8, 255.5, 255},
      {DType::u8, 254.5, 254},
      {DType::i16, 40000, 32767},
      {DType::u16, 70000, 65535},
      {DType::i32, 3e9, 2147483647},
      {DType::u32, 3e9, 3000000000},
      {DType::u32, -5, 0},
      {DType::i64, 1e30, INT64_MAX},
      {DType::i64, -1e30, INT64_MIN},
      {DType::i64, 9007199254740993.0, 9007199254740992},
      {DType::boolean, 0, 0},
      {DType::boolean, -0.25, 1},
  };
  for (const Row &row : rows) {
    INFO(nameOf(row.dtype) << " of " << row.value);
    int64_t actual = 0;
    fromDouble(row.dtype, row.value, &actual);
    if (row.expected < 0) { // sign-extend what was written
      const unsigned shift = 64 - 8 * sizeOf(row.dtype);
      actual = int64_t(uint64_t(actual) << shift) >> shift;
    }
    CHECK(actual == row.expected);
  }
  uint64_t big = 0;
  fromDouble(DType::u64, 1e30, &big);
  CHECK(big == UINT64_MAX);
  int32_t fromNan = 77;
  fromDouble(DType::i32, std::nan(""), &fromNan);
  CHECK(fromNan == 0);
  const int8_t minusThree = -3;
  CHECK(toDouble(DType::i8, &minusThree) == -3);
}

TEST_CASE("names and sizes") {
  const std::pair<DType, unsigned> sizes[] = {
      {DType::boolean, 1}, {DType::u8, 1},     {DType::i8, 1},
      {DType::u16, 2},     {DType::i16, 2},    {DType::u32, 4},
      {DType::i32, 4},     {DType::u64, 8},    {DType::i64, 8},
      {DType::f8e4m3, 1},  {DType::f8e5m2, 1}, {DType::f16, 2},
      {DType::bf16, 2},    {DType::f32, 4},    {DType::f64, 8}};
  for (const auto &[dtype, size] : sizes) {
    CHECK(sizeOf(dtype) == size);
    CHECK(parseDType(nameOf(dtype)) == dtype);
    CHECK(isFloat(dtype) ==
          (nameOf(dtype).find('f') != std::string_view::npos));
  }
  CHECK_FALSE(parseDType("float16"));
  CHECK_FALSE(parseDType(""));
  // Writing one element touches no byte beyond it.
  for (const auto &[dtype, size] : sizes) {
    unsigned char buffer[16];
    std::memset(buffer, 0xA5, sizeof buffer);
    fromDouble(dtype, 1.0, buffer);
    for (unsigned i = size; i < sizeof buffer; ++i)
      CHECK(buffer[i] == 0xA5);
  }
}
