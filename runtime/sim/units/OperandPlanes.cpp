//===- OperandPlanes.cpp - operands decoded for the accumulator -*- C++ -*-===//
#include "OperandPlanes.h"

#include "FloatFormats.h"
#include "FusedSumKernels.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace tirx::rt::sim {
namespace {

/// Value, exponent by the exact rule, and whether it is infinite or NaN.
struct Element {
  float value;
  int16_t exponent;
  bool special;
};

inline Element decodeF16(uint32_t bits) {
  uint32_t magnitude = bits & 0x7FFF, field = magnitude >> 10;
  float value = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
  uint32_t word = std::bit_cast<uint32_t>(value) | (bits & 0x8000) << 16;
  bool special = field == 31;
  int exponent = int(std::max(field, 1u)) - 15;
  if (special)
    word = (bits & 0x8000) << 16 | 0x7F800000 | (magnitude & 0x3FF) << 13;
  return {std::bit_cast<float>(word),
          magnitude ? int16_t(exponent) : zeroOperandExponent, special};
}

/// bf16 and tf32, given as float bits.
inline Element decodeFloatBits(uint32_t word) {
  uint32_t magnitude = word & 0x7FFFFFFF, field = magnitude >> 23;
  int exponent = int(std::max(field, 1u)) - 127;
  return {std::bit_cast<float>(word),
          magnitude ? int16_t(exponent) : zeroOperandExponent, field == 255};
}

/// The 256 elements of an 8-bit type.
std::array<Element, 256> makeTable(ElementType type) {
  std::array<Element, 256> table;
  for (unsigned bits = 0; bits < 256; ++bits) {
    float value = type == ElementType::e4m3 ? e4m3ToFloat(uint8_t(bits))
                                            : e5m2ToFloat(uint8_t(bits));
    DecodedValue decoded = decodeValue(type, bits);
    bool special = decoded.isNan || decoded.isInf;
    table[bits] = {value,
                   decoded.significand ? int16_t(decoded.exponent)
                                       : zeroOperandExponent,
                   special};
  }
  return table;
}

const std::array<Element, 256> &tableOf(ElementType type) {
  static const std::array<Element, 256> e4m3 = makeTable(ElementType::e4m3);
  static const std::array<Element, 256> e5m2 = makeTable(ElementType::e5m2);
  return type == ElementType::e4m3 ? e4m3 : e5m2;
}

template <typename Decode>
void decodeAll(OperandPlane &plane, std::span<const uint32_t> bits,
               uint8_t *special, bool &anySpecial, Decode decode) {
  bool any = false;
  for (size_t i = 0; i < bits.size(); ++i) {
    Element element = decode(bits[i]);
    plane.value[i] = element.value;
    plane.exponent[i] = element.exponent;
    special[i] = element.special;
    any |= element.special;
  }
  anySpecial = any;
}

/// Marks lines with specials, records what each element is, and takes the
/// specials out of the values.
void separateSpecials(OperandPlane &plane, const std::vector<uint8_t> &special,
                      bool exact) {
  plane.specialLine.assign(plane.lines, 0);
  plane.kindOf.resize(plane.value.size());
  for (unsigned line = 0; line < plane.lines; ++line)
    for (unsigned k = 0; k < plane.k; ++k) {
      size_t i = plane.index(line, k);
      float value = plane.value[i];
      if (special[i]) {
        plane.specialLine[line] = 1;
        plane.kindOf[i] = value;
        if (exact) {
          plane.value[i] = 0;
          plane.exponent[i] = zeroOperandExponent;
        }
      } else {
        plane.kindOf[i] = value == 0 ? 0.0f : std::copysign(1.0f, value);
      }
    }
}

} // namespace

OperandPlane decodePlane(std::span<const uint32_t> bits, unsigned lines,
                         unsigned k, bool kOuter, ElementType type, bool negate,
                         bool exact) {
  OperandPlane plane;
  plane.lines = lines;
  plane.k = k;
  plane.kOuter = kOuter;
  if (type == ElementType::u8 || type == ElementType::s8) {
    plane.integer.resize(bits.size());
    for (size_t i = 0; i < bits.size(); ++i)
      plane.integer[i] = type == ElementType::s8 ? int32_t(int8_t(bits[i]))
                                                 : int32_t(bits[i] & 0xFF);
    return plane;
  }
  plane.value.resize(bits.size());
  plane.exponent.resize(bits.size());
  std::vector<uint8_t> special(bits.size());
  bool anySpecial = false;
  if (type == ElementType::f16)
    decodeAll(plane, bits, special.data(), anySpecial, decodeF16);
  else if (type == ElementType::bf16)
    decodeAll(plane, bits, special.data(), anySpecial,
              [](uint32_t b) { return decodeFloatBits(b << 16); });
  else if (type == ElementType::tf32)
    decodeAll(plane, bits, special.data(), anySpecial,
              [](uint32_t b) { return decodeFloatBits(b & ~0x1FFFu); });
  else
    decodeAll(plane, bits, special.data(), anySpecial,
              [&table = tableOf(type)](uint32_t b) { return table[b & 0xFF]; });
  if (negate)
    for (float &value : plane.value)
      value = -value;
  if (anySpecial)
    separateSpecials(plane, special, exact);

  int16_t least = 16383, largest = zeroOperandExponent;
  for (int16_t exponent : plane.exponent) {
    largest = std::max(largest, exponent);
    least = std::min<int16_t>(
        least, exponent == zeroOperandExponent ? int16_t(16383) : exponent);
  }
  plane.anyNonZero = largest != zeroOperandExponent;
  plane.leastExponent = plane.anyNonZero ? least : 0;
  plane.largestExponent = plane.anyNonZero ? largest : 0;
  return plane;
}

void reduceToSignificands(OperandPlane &plane) {
  for (size_t i = 0; i < plane.value.size(); ++i)
    if (plane.exponent[i] != zeroOperandExponent)
      plane.value[i] = std::ldexp(plane.value[i], -plane.exponent[i]);
}

void appendLines(OperandPlane &plane, const OperandPlane &more) {
  if (plane.lines == 0) {
    plane = more;
    return;
  }
  auto special = [](const OperandPlane &p) { return !p.specialLine.empty(); };
  if (special(plane) || special(more)) {
    auto complete = [&](const OperandPlane &p) {
      OperandPlane copy = p;
      if (!special(p))
        separateSpecials(copy, std::vector<uint8_t>(p.value.size(), 0), false);
      return copy;
    };
    OperandPlane first = complete(plane), second = complete(more);
    plane.specialLine = std::move(first.specialLine);
    plane.kindOf = std::move(first.kindOf);
    plane.specialLine.insert(plane.specialLine.end(),
                             second.specialLine.begin(),
                             second.specialLine.end());
    plane.kindOf.insert(plane.kindOf.end(), second.kindOf.begin(),
                        second.kindOf.end());
  }
  plane.lines += more.lines;
  auto append = [](auto &to, const auto &from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(plane.value, more.value);
  append(plane.exponent, more.exponent);
  append(plane.integer, more.integer);
  if (!more.anyNonZero)
    return;
  bool had = plane.anyNonZero;
  plane.leastExponent = had ? std::min(plane.leastExponent, more.leastExponent)
                            : more.leastExponent;
  plane.largestExponent =
      had ? std::max(plane.largestExponent, more.largestExponent)
          : more.largestExponent;
  plane.anyNonZero = true;
}

namespace {

template <typename T>
void expand(const std::byte *dense, unsigned lines, unsigned k, bool kOuter,
            uint32_t *out) {
  if (!kOuter) {
    for (size_t i = 0; i < size_t(lines) * k; ++i) {
      T value;
      std::memcpy(&value, dense + i * sizeof(T), sizeof(T));
      out[i] = value;
    }
    return;
  }
  for (unsigned line = 0; line < lines; ++line)
    for (unsigned kIndex = 0; kIndex < k; ++kIndex) {
      T value;
      std::memcpy(&value, dense + (size_t(line) * k + kIndex) * sizeof(T),
                  sizeof(T));
      out[size_t(kIndex) * lines + line] = value;
    }
}

} // namespace

std::vector<uint32_t> expandDense(std::span<const std::byte> dense,
                                  unsigned lines, unsigned k,
                                  unsigned elementBytes, bool kOuter) {
  std::vector<uint32_t> bits(size_t(lines) * k);
  if (elementBytes == 1)
    expand<uint8_t>(dense.data(), lines, k, kOuter, bits.data());
  else if (elementBytes == 2)
    expand<uint16_t>(dense.data(), lines, k, kOuter, bits.data());
  else
    expand<uint32_t>(dense.data(), lines, k, kOuter, bits.data());
  return bits;
}

} // namespace tirx::rt::sim
