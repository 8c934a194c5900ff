//===- FloatFormats.cpp - narrow float conversions --------------*- C++ -*-===//
#include "FloatFormats.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tirx::rt::sim {
namespace {

/// A binary float format: `precision` stored fraction bits, least normal
/// exponent, largest finite magnitude, and the magnitude that overflow gives.
struct Format {
  unsigned precision;
  int minExponent;
  uint32_t maxFinite;
  uint32_t overflow;
};
constexpr Format f16Format{10, -14, 0x7BFF, 0x7C00};
constexpr Format bf16Format{7, -126, 0x7F7F, 0x7F80};
constexpr Format tf32Format{10, -126, 0x3FBFF, 0x3FC00};
constexpr Format f32Format{23, -126, 0x7F7FFFFF, 0x7F800000};
constexpr Format e4m3Format{3, -6, 0x7E, 0x7E};
constexpr Format e5m2Format{2, -14, 0x7B, 0x7B};
constexpr Format e2m3Format{3, 0, 0x1F, 0x1F};
constexpr Format e3m2Format{2, -2, 0x1F, 0x1F};
constexpr Format e2m1Format{1, 0, 0x7, 0x7};

enum class MagnitudeRounding : uint8_t { nearestEven, nearestAway, down, up };

MagnitudeRounding forMagnitude(Rounding rounding, bool negative) {
  switch (rounding) {
  case Rounding::rn:
    return MagnitudeRounding::nearestEven;
  case Rounding::rna:
    return MagnitudeRounding::nearestAway;
  case Rounding::rz:
    return MagnitudeRounding::down;
  case Rounding::rm:
    return negative ? MagnitudeRounding::up : MagnitudeRounding::down;
  case Rounding::rp:
    return negative ? MagnitudeRounding::down : MagnitudeRounding::up;
  }
  return MagnitudeRounding::nearestEven;
}

/// Rounds a finite magnitude to `format`: its bits without sign.
uint32_t encodeMagnitude(double value, const Format &format,
                         MagnitudeRounding rounding, bool satfinite) {
  uint64_t bits = std::bit_cast<uint64_t>(value) & ~(uint64_t(1) << 63);
  if (bits == 0)
    return 0;
  int exponent = int(bits >> 52) - 1023;
  uint64_t significand = bits & ((uint64_t(1) << 52) - 1);
  if (exponent == -1023)
    exponent = -1022;
  else
    significand |= uint64_t(1) << 52;

  int base = std::max(exponent, format.minExponent);
  int shift = 52 - int(format.precision) + (base - exponent);
  uint64_t kept = shift < 64 ? significand >> shift : 0;
  // Remainder against half a unit: 0 none, 1 below, 2 tie, 3 above.
  unsigned rest = 0;
  if (shift >= 64) {
    rest = 1;
  } else if (shift > 0) {
    uint64_t low = significand & ((uint64_t(1) << shift) - 1);
    uint64_t half = uint64_t(1) << (shift - 1);
    rest = low == 0 ? 0 : low < half ? 1 : low == half ? 2 : 3;
  }
  bool increment = false;
  switch (rounding) {
  case MagnitudeRounding::nearestEven:
    increment = rest == 3 || (rest == 2 && (kept & 1));
    break;
  case MagnitudeRounding::nearestAway:
    increment = rest >= 2;
    break;
  case MagnitudeRounding::down:
    break;
  case MagnitudeRounding::up:
    increment = rest != 0;
    break;
  }
  // A carry out of the fraction runs into the exponent field by itself.
  uint64_t result = (uint64_t(base - format.minExponent) << format.precision) +
                    kept + increment;
  if (result <= format.maxFinite)
    return uint32_t(result);
  if (satfinite || rounding == MagnitudeRounding::down)
    return format.maxFinite;
  return format.overflow;
}

/// Rounds any value; `signBit` is the format's sign, `nan` its NaN.
uint32_t encode(double value, const Format &format, Rounding rounding,
                bool satfinite, uint32_t signBit, uint32_t nan) {
  if (value != value)
    return nan;
  bool negative = std::signbit(value);
  uint32_t sign = negative ? signBit : 0;
  if (std::isinf(value))
    return sign | (satfinite ? format.maxFinite : format.overflow);
  return sign | encodeMagnitude(value, format, forMagnitude(rounding, negative),
                                satfinite);
}

/// Widens `bits` (sign and magnitude, no specials).
float decode(uint32_t magnitude, bool negative, unsigned precision,
             int minExponent) {
  uint32_t fraction = magnitude & ((1u << precision) - 1);
  uint32_t field = magnitude >> precision;
  double scale =
      std::bit_cast<double>(uint64_t(int64_t(std::max(field, 1u) - 1) +
                                     minExponent - int64_t(precision) + 1023)
                            << 52);
  double value = double(field ? fraction | 1u << precision : fraction) * scale;
  return float(negative ? -value : value);
}

float fromBits(uint32_t bits) { return std::bit_cast<float>(bits); }
constexpr uint32_t canonicalNan = 0x7FFFFFFF;

} // namespace

float f16ToFloat(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  if ((bits & 0x7C00) == 0x7C00)
    return fromBits(sign | 0x7F800000 | uint32_t(bits & 0x3FF) << 13);
  // The exponent fields differ by 112; the product also normalises subnormals.
  float magnitude = fromBits(uint32_t(bits & 0x7FFF) << 13) * 0x1p112f;
  return fromBits(std::bit_cast<uint32_t>(magnitude) | sign);
}

float bf16ToFloat(uint16_t bits) { return fromBits(uint32_t(bits) << 16); }

float e4m3ToFloat(uint8_t bits) {
  if ((bits & 0x7F) == 0x7F)
    return fromBits(canonicalNan);
  return decode(bits & 0x7F, bits & 0x80, 3, -6);
}

float e5m2ToFloat(uint8_t bits) {
  uint8_t magnitude = bits & 0x7F;
  if (magnitude > 0x7C)
    return fromBits(canonicalNan);
  if (magnitude == 0x7C)
    return fromBits((bits & 0x80 ? 0x80000000 : 0) | 0x7F800000);
  return decode(magnitude, bits & 0x80, 2, -14);
}

float e2m3ToFloat(uint8_t bits) {
  return decode(bits & 0x1F, bits & 0x20, 3, 0);
}
float e3m2ToFloat(uint8_t bits) {
  return decode(bits & 0x1F, bits & 0x20, 2, -2);
}
float e2m1ToFloat(uint8_t bits) { return decode(bits & 7, bits & 8, 1, 0); }

float ue8m0ToFloat(uint8_t bits) {
  if (bits == 0xFF)
    return fromBits(canonicalNan);
  return bits == 0 ? 0x1p-127f : fromBits(uint32_t(bits) << 23);
}

float tf32ToFloat(uint32_t bits) { return fromBits(bits & ~0x1FFFu); }

uint16_t floatToF16(float value, Rounding rounding, bool satfinite) {
  return uint16_t(
      encode(value, f16Format, rounding, satfinite, 0x8000, 0x7FFF));
}

uint16_t floatToBf16(float value, Rounding rounding, bool satfinite) {
  return uint16_t(
      encode(value, bf16Format, rounding, satfinite, 0x8000, 0x7FFF));
}

uint32_t floatToTf32(float value, Rounding rounding, bool satfinite) {
  if (value != value)
    return canonicalNan;
  return encode(value, tf32Format, rounding, satfinite, 0x40000, 0) << 13;
}

uint8_t floatToE4m3(float value) {
  return uint8_t(encode(value, e4m3Format, Rounding::rn, true, 0x80, 0x7F));
}
uint8_t floatToE5m2(float value) {
  return uint8_t(encode(value, e5m2Format, Rounding::rn, true, 0x80, 0x7F));
}
uint8_t floatToE2m3(float value) {
  return uint8_t(encode(value, e2m3Format, Rounding::rn, true, 0x20, 0x1F));
}
uint8_t floatToE3m2(float value) {
  return uint8_t(encode(value, e3m2Format, Rounding::rn, true, 0x20, 0x1F));
}
uint8_t floatToE2m1(float value) {
  return uint8_t(encode(value, e2m1Format, Rounding::rn, true, 0x8, 0x7));
}

uint8_t floatToUe8m0(float value, Rounding rounding) {
  if (value != value)
    return 0xFF;
  if (value <= 0)
    return 0;
  if (std::isinf(value))
    return 0xFE;
  uint64_t bits = std::bit_cast<uint64_t>(double(value));
  int exponent = int(bits >> 52) - 1023;
  bool exact = (bits & ((uint64_t(1) << 52) - 1)) == 0;
  int field = exponent + 127 + (rounding == Rounding::rp && !exact);
  return uint8_t(std::clamp(field, 0, 0xFE));
}

float doubleToFloat(double value, Rounding rounding) {
  return fromBits(
      encode(value, f32Format, rounding, false, 0x80000000, canonicalNan));
}

uint16_t doubleToF16(double value, Rounding rounding) {
  return uint16_t(encode(value, f16Format, rounding, false, 0x8000, 0x7FFF));
}

} // namespace tirx::rt::sim
