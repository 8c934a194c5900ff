//===- FusedSum.cpp - scalar reference of the fused sum ---------*- C++ -*-===//
#include "FusedSum.h"

#include <algorithm>
#include <bit>

namespace tirx::rt::sim {
namespace {

/// Layout of an IEEE-like format for decoding.
struct Encoding {
  unsigned bits, precision;
  int bias;
  enum { ieee, e4m3, finite } specials;
};

Encoding encodingOf(ElementType type) {
  switch (type) {
  case ElementType::f16:
    return {16, 10, 15, Encoding::ieee};
  case ElementType::bf16:
    return {16, 7, 127, Encoding::ieee};
  case ElementType::tf32:
    return {32, 23, 127, Encoding::ieee};
  case ElementType::e4m3:
    return {8, 3, 7, Encoding::e4m3};
  case ElementType::e5m2:
    return {8, 2, 15, Encoding::ieee};
  case ElementType::e2m3:
    return {6, 3, 1, Encoding::finite};
  case ElementType::e3m2:
    return {6, 2, 3, Encoding::finite};
  case ElementType::e2m1:
    return {4, 1, 1, Encoding::finite};
  case ElementType::u8:
  case ElementType::s8:
    break;
  }
  return {8, 0, 0, Encoding::finite};
}

DecodedValue decode(uint32_t bits, const Encoding &encoding) {
  uint32_t magnitudeMask = (1u << (encoding.bits - 1)) - 1;
  uint32_t magnitude = bits & magnitudeMask;
  uint32_t fraction = magnitude & ((1u << encoding.precision) - 1);
  int field = int(magnitude >> encoding.precision);
  int topField = int(magnitudeMask >> encoding.precision);

  DecodedValue value;
  value.negative = bits >> (encoding.bits - 1) & 1;
  value.fractionBits = encoding.precision;
  if (encoding.specials == Encoding::ieee && field == topField) {
    value.isNan = fraction != 0;
    value.isInf = fraction == 0;
    return value;
  }
  if (encoding.specials == Encoding::e4m3 && magnitude == magnitudeMask) {
    value.isNan = true;
    return value;
  }
  value.exponent = std::max(field, 1) - encoding.bias;
  value.significand = field ? fraction | 1u << encoding.precision : fraction;
  return value;
}

/// A finite term: (-1)^negative * magnitude * 2^(exponent - fractionBits).
struct Term {
  bool negative;
  uint64_t magnitude;
  int exponent;
  unsigned fractionBits;
};

/// (-1)^negative * magnitude * 2^unit rounded to a format, sign excluded.
/// `nearest`: ties to even; else toward zero. Overflow gives infinity.
uint32_t roundMagnitude(uint64_t magnitude, int unit, unsigned precision,
                        int minExponent, int maxExponent, bool nearest) {
  if (magnitude == 0)
    return 0;
  int exponent = 63 - std::countl_zero(magnitude) + unit;
  int base = std::max(exponent, minExponent);
  int shift = base - int(precision) - unit;
  uint64_t kept;
  bool up = false;
  if (shift <= 0) {
    kept = magnitude << -shift;
  } else if (shift > 63) {
    kept = 0;
  } else {
    kept = magnitude >> shift;
    uint64_t low = magnitude & ((uint64_t(1) << shift) - 1);
    uint64_t half = uint64_t(1) << (shift - 1);
    up = nearest && (low > half || (low == half && (kept & 1)));
  }
  uint64_t bits = (uint64_t(base - minExponent) << precision) + kept + up;
  uint64_t infinity = uint64_t(maxExponent - minExponent + 2) << precision;
  return uint32_t(std::min(bits, infinity));
}

} // namespace

FusedSumRule fusedSumRule(TensorUnit unit, ElementType a) {
  bool eightBit = containerBytes(a) == 1;
  if (unit == TensorUnit::wgmma && eightBit)
    return {13, true};
  return {25, false};
}

DecodedValue decodeValue(ElementType type, uint32_t bits) {
  if (type == ElementType::tf32)
    bits &= ~0x1FFFu;
  return decode(bits, encodingOf(type));
}

DecodedValue decodeFloat32(uint32_t bits) {
  return decode(bits, encodingOf(ElementType::tf32));
}

DecodedValue decodeFloat16(uint16_t bits) {
  return decode(bits, encodingOf(ElementType::f16));
}

uint32_t fusedSumReference(const DecodedValue *a, const DecodedValue *b,
                           unsigned count, const DecodedValue &c,
                           unsigned cShift, AccumulatorType d,
                           const FusedSumRule &rule) {
  bool nan = c.isNan, plusInf = c.isInf && !c.negative,
       minusInf = c.isInf && c.negative;
  std::vector<Term> terms;
  if (!c.isNan && !c.isInf)
    terms.push_back(
        {c.negative, c.significand, c.exponent - int(cShift), c.fractionBits});
  for (unsigned i = 0; i < count; ++i) {
    bool negative = a[i].negative != b[i].negative;
    if (a[i].isNan || b[i].isNan) {
      nan = true;
    } else if (a[i].isInf || b[i].isInf) {
      bool aZero = !a[i].isInf && a[i].significand == 0;
      bool bZero = !b[i].isInf && b[i].significand == 0;
      nan |= aZero || bZero;
      (negative ? minusInf : plusInf) = true;
    } else {
      terms.push_back({negative, uint64_t(a[i].significand) * b[i].significand,
                       a[i].exponent + b[i].exponent,
                       a[i].fractionBits + b[i].fractionBits});
    }
  }
  bool half = d == AccumulatorType::f16;
  if (nan || (plusInf && minusInf))
    return half ? 0x7FFF : 0x7FFFFFFF;
  if (plusInf || minusInf)
    return (half ? 0x7C00 : 0x7F800000) |
           (minusInf ? (half ? 0x8000 : 0x80000000) : 0);

  int top = -126;
  for (const Term &term : terms)
    if (term.magnitude)
      top = std::max(top, term.exponent);
  int unit = top - int(rule.fraction);
  int64_t sum = 0;
  for (const Term &term : terms) {
    int shift = term.exponent - int(term.fractionBits) - unit;
    uint64_t cut = 0;
    if (term.magnitude)
      cut = shift >= 0    ? term.magnitude << shift
            : shift > -64 ? term.magnitude >> -shift
                          : 0;
    sum += term.negative ? -int64_t(cut) : int64_t(cut);
  }
  uint64_t magnitude = uint64_t(sum < 0 ? -sum : sum);
  if (half)
    return roundMagnitude(magnitude, unit, 10, -14, 15, true) |
           (sum < 0 ? 0x8000 : 0);
  uint32_t bits = rule.truncateToE8m13
                      ? roundMagnitude(magnitude, unit, 13, -126, 127, false)
                            << 10
                      : roundMagnitude(magnitude, unit, 23, -126, 127, false);
  return bits | (sum < 0 ? 0x80000000 : 0);
}

} // namespace tirx::rt::sim
