//===- FloatFormatsTest.cpp - conversion tests ------------------*- C++ -*-===//
#include "units/FloatFormats.h"
#include "TestSupport.h"

#include <bit>
#include <cfenv>
#include <cmath>

using namespace tirx::rt::sim;

namespace {

uint32_t bitsOf(float value) { return std::bit_cast<uint32_t>(value); }

/// A format's value computed with ldexp, independent of the decoder.
double slowValue(uint32_t magnitude, unsigned precision, int bias) {
  int field = int(magnitude >> precision);
  double fraction = magnitude & ((1u << precision) - 1);
  if (field == 0)
    return std::ldexp(fraction, 1 - bias - int(precision));
  return std::ldexp(fraction + (1u << precision),
                    field - bias - int(precision));
}

/// Nearest of the format's magnitudes 0..max by search, ties to even bits.
uint32_t slowNearest(double value, unsigned precision, int bias, uint32_t max) {
  value = std::fabs(value);
  uint32_t best = 0;
  for (uint32_t m = 0; m <= max; ++m) {
    double now = std::fabs(slowValue(m, precision, bias) - value);
    double old = std::fabs(slowValue(best, precision, bias) - value);
    if (now < old || (now == old && m % 2 == 0))
      best = m;
  }
  return best;
}

} // namespace

TEST_CASE("f16: all 65536 encodings decode exactly and come back") {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    float value = f16ToFloat(uint16_t(bits));
    uint32_t magnitude = bits & 0x7FFF;
    if (magnitude > 0x7C00) {
      REQUIRE(std::isnan(value));
      REQUIRE(floatToF16(value) == 0x7FFF);
      continue;
    }
    if (magnitude == 0x7C00)
      REQUIRE(std::isinf(value));
    else
      REQUIRE(double(std::fabs(value)) == slowValue(magnitude, 10, 15));
    REQUIRE(std::signbit(value) == bool(bits & 0x8000));
    for (Rounding r : {Rounding::rn, Rounding::rz, Rounding::rna, Rounding::rm,
                       Rounding::rp})
      REQUIRE(floatToF16(value, r) == bits);
  }
}

TEST_CASE("bf16: all 65536 encodings decode exactly and come back") {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    float value = bf16ToFloat(uint16_t(bits));
    if ((bits & 0x7FFF) > 0x7F80) {
      REQUIRE(std::isnan(value));
      REQUIRE(floatToBf16(value) == 0x7FFF);
      continue;
    }
    REQUIRE(bitsOf(value) == bits << 16);
    for (Rounding r : {Rounding::rn, Rounding::rz, Rounding::rna})
      REQUIRE(floatToBf16(value, r) == bits);
  }
}

TEST_CASE("f16 rn agrees with the compiler's _Float16 at every boundary") {
  for (uint32_t bits = 0; bits < 0x7C00; ++bits) {
    float low = f16ToFloat(uint16_t(bits));
    double high = bits == 0x7BFF ? 65536.0 : f16ToFloat(uint16_t(bits + 1));
    float middle = float((double(low) + high) / 2);
    for (float value : {middle, std::nextafter(middle, 0.0f),
                        std::nextafter(middle, INFINITY)}) {
      uint16_t expected = std::bit_cast<uint16_t>(_Float16(value));
      REQUIRE(floatToF16(value) == expected);
      REQUIRE(floatToF16(-value) == (expected | 0x8000));
      // Between `low` and the next: rz gives low, rp the next, rm low.
      REQUIRE(floatToF16(value, Rounding::rz) == bits);
      REQUIRE(floatToF16(value, Rounding::rm) == bits);
      REQUIRE(floatToF16(value, Rounding::rp) == bits + 1);
      REQUIRE(floatToF16(-value, Rounding::rm) == ((bits + 1) | 0x8000));
    }
    // Ties away.
    REQUIRE(floatToF16(middle, Rounding::rna) == bits + 1);
  }
}

TEST_CASE("overflow, saturation and NaN of f16 and bf16") {
  CHECK(floatToF16(65520.0f) == 0x7C00);
  CHECK(floatToF16(65519.0f) == 0x7BFF);
  CHECK(floatToF16(1e9f, Rounding::rz) == 0x7BFF);
  CHECK(floatToF16(1e9f, Rounding::rn, true) == 0x7BFF);
  CHECK(floatToF16(-INFINITY, Rounding::rn, true) == 0xFBFF);
  CHECK(floatToF16(-INFINITY) == 0xFC00);
  CHECK(floatToF16(NAN, Rounding::rn, true) == 0x7FFF);
  CHECK(floatToBf16(3.4e38f) == 0x7F80);
  CHECK(floatToBf16(3.4e38f, Rounding::rz) == 0x7F7F);
  CHECK(floatToBf16(3.4e38f, Rounding::rn, true) == 0x7F7F);
}

TEST_CASE("bf16 and tf32 rounding of random floats") {
  auto rng = makeRng(1);
  for (unsigned i = 0; i < 200000; ++i) {
    uint32_t bits = uint32_t(rng());
    if ((bits & 0x7F800000) == 0x7F800000)
      continue;
    float value = std::bit_cast<float>(bits);
    CAPTURE(bits);
    // Adding just below half, plus the lowest kept bit, rounds to even.
    uint32_t bf16 = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
    REQUIRE(floatToBf16(value) == bf16);
    REQUIRE(floatToBf16(value, Rounding::rz) == bits >> 16);
    REQUIRE(floatToTf32(value, Rounding::rz) == (bits & ~0x1FFFu));
    REQUIRE(floatToTf32(value, Rounding::rna) == ((bits + 0x1000) & ~0x1FFFu));
    REQUIRE(floatToTf32(value, Rounding::rn) ==
            ((bits + 0xFFF + (bits >> 13 & 1)) & ~0x1FFFu));
  }
}

TEST_CASE("8-bit and smaller formats: decode all, encode to the nearest") {
  struct Small {
    std::string name;
    unsigned precision;
    int bias;
    uint32_t max, sign, nan;
    float (*decode)(uint8_t);
    uint8_t (*encode)(float);
  };
  const Small formats[] = {
      {"e4m3", 3, 7, 0x7E, 0x80, 0x7F, e4m3ToFloat, floatToE4m3},
      {"e5m2", 2, 15, 0x7B, 0x80, 0x7F, e5m2ToFloat, floatToE5m2},
      {"e2m3", 3, 1, 0x1F, 0x20, 0x1F, e2m3ToFloat, floatToE2m3},
      {"e3m2", 2, 3, 0x1F, 0x20, 0x1F, e3m2ToFloat, floatToE3m2},
      {"e2m1", 1, 1, 0x07, 0x08, 0x07, e2m1ToFloat, floatToE2m1}};
  auto rng = makeRng(2);
  for (const Small &f : formats) {
    CAPTURE(f.name);
    for (uint32_t m = 0; m <= f.max; ++m) {
      CAPTURE(m);
      double expected = slowValue(m, f.precision, f.bias);
      REQUIRE(f.decode(uint8_t(m)) == expected);
      REQUIRE(f.decode(uint8_t(m | f.sign)) == -expected);
      REQUIRE(f.encode(float(expected)) == m);
      REQUIRE(f.encode(float(-expected)) == (m | f.sign));
    }
    REQUIRE(f.encode(NAN) == f.nan);
    REQUIRE(f.encode(INFINITY) == f.max);
    REQUIRE(f.encode(-1e30f) == (f.max | f.sign));
    std::uniform_real_distribution<double> exponent(-20, 18);
    for (unsigned i = 0; i < 5000; ++i) {
      float value = float(std::exp2(exponent(rng))) * (i % 2 ? -1.0f : 1.0f);
      uint32_t sign = i % 2 ? f.sign : 0;
      REQUIRE(f.encode(value) ==
              (slowNearest(value, f.precision, f.bias, f.max) | sign));
    }
    // Ties: the middle of every neighbouring pair goes to the even one.
    for (uint32_t m = 0; m < f.max; ++m) {
      float middle = float((slowValue(m, f.precision, f.bias) +
                            slowValue(m + 1, f.precision, f.bias)) /
                           2);
      REQUIRE(f.encode(middle) == (m % 2 ? m + 1 : m));
    }
  }
  CHECK(e4m3ToFloat(0x7E) == 448.0f);
  CHECK(std::isnan(e4m3ToFloat(0xFF)));
  CHECK(e5m2ToFloat(0x7B) == 57344.0f);
  CHECK(e5m2ToFloat(0xFC) == -INFINITY);
  CHECK(std::isnan(e5m2ToFloat(0x7D)));
}

TEST_CASE("ue8m0") {
  for (unsigned bits = 0; bits < 255; ++bits) {
    REQUIRE(ue8m0ToFloat(uint8_t(bits)) == std::ldexp(1.0f, int(bits) - 127));
    REQUIRE(floatToUe8m0(ue8m0ToFloat(uint8_t(bits)), Rounding::rp) == bits);
    REQUIRE(floatToUe8m0(ue8m0ToFloat(uint8_t(bits)), Rounding::rz) == bits);
  }
  CHECK(std::isnan(ue8m0ToFloat(0xFF)));
  CHECK(floatToUe8m0(5.0f, Rounding::rz) == 129);
  CHECK(floatToUe8m0(5.0f, Rounding::rp) == 130);
  CHECK(floatToUe8m0(INFINITY, Rounding::rp) == 0xFE);
  CHECK(floatToUe8m0(NAN, Rounding::rp) == 0xFF);
}

TEST_CASE("float64 narrowing") {
  auto rng = makeRng(3);
  std::uniform_real_distribution<double> exponent(-155, 130), unit(1, 2);
  for (unsigned i = 0; i < 100000; ++i) {
    double value = unit(rng) * std::exp2(std::floor(exponent(rng)));
    if (i % 2)
      value = -value;
    REQUIRE(bitsOf(doubleToFloat(value, Rounding::rn)) == bitsOf(float(value)));
    std::fesetround(FE_TOWARDZERO);
    volatile double input = value;
    volatile float truncated = float(input);
    std::fesetround(FE_TONEAREST);
    REQUIRE(bitsOf(doubleToFloat(value, Rounding::rz)) == bitsOf(truncated));
  }
  // 1 + 2^-11 + 2^-40 is above the tie of f16; through f32 it would be a tie.
  double above = 1 + 0x1p-11 + 0x1p-40;
  CHECK(doubleToF16(above) == 0x3C01);
  CHECK(floatToF16(float(above)) == 0x3C00);
}
