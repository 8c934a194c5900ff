//===- DType.cpp - element types: names and conversions ---------*- C++ -*-===//
#include "tirx/Runtime/DType.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

using namespace tirx::rt;

namespace {

struct DTypeInfo {
  DType dtype;
  std::string_view name;
  unsigned bytes;
};

constexpr std::array<DTypeInfo, 15> kDTypes = {{
    {DType::boolean, "bool", 1},
    {DType::u8, "u8", 1},
    {DType::i8, "i8", 1},
    {DType::u16, "u16", 2},
    {DType::i16, "i16", 2},
    {DType::u32, "u32", 4},
    {DType::i32, "i32", 4},
    {DType::u64, "u64", 8},
    {DType::i64, "i64", 8},
    {DType::f8e4m3, "f8e4m3", 1},
    {DType::f8e5m2, "f8e5m2", 1},
    {DType::f16, "f16", 2},
    {DType::bf16, "bf16", 2},
    {DType::f32, "f32", 4},
    {DType::f64, "f64", 8},
}};

constexpr bool tableIsInEnumOrder() {
  for (size_t i = 0; i < kDTypes.size(); ++i)
    if (static_cast<size_t>(kDTypes[i].dtype) != i)
      return false;
  return true;
}
static_assert(tableIsInEnumOrder());

/// A binary float format below 32 bits. `maximum` and `nan` are the codes of
/// the largest finite value and of the quiet NaN, without the sign.
struct SmallFloat {
  int exponentBits;
  int fractionBits;
  uint32_t maximum;
  uint32_t infinity; ///< what overflow gives (f8: the maximum, PTX satfinite)
  uint32_t nan;

  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  uint32_t signBit() const { return 1u << (exponentBits + fractionBits); }
};

// f8e4m3 is OCP's E4M3: no infinity, S.1111.111 is NaN, maximum 448.
constexpr SmallFloat kE4M3 = {4, 3, 0x7E, 0x7E, 0x7F};
constexpr SmallFloat kE5M2 = {5, 2, 0x7B, 0x7B, 0x7E};
constexpr SmallFloat kF16 = {5, 10, 0x7BFF, 0x7C00, 0x7E00};
constexpr SmallFloat kBF16 = {8, 7, 0x7F7F, 0x7F80, 0x7FC0};

double decode(const SmallFloat &format, uint32_t code) {
  const double sign = code & format.signBit() ? -1.0 : 1.0;
  const uint32_t magnitude = code & (format.signBit() - 1);
  if (magnitude > format.maximum) {
    const bool ieeeInfinity =
        format.infinity > format.maximum && magnitude == format.infinity;
    const bool e5m2Infinity = format.fractionBits == 2 && magnitude == 0x7C;
    return ieeeInfinity || e5m2Infinity
               ? sign * std::numeric_limits<double>::infinity()
               : std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
  }
  const uint32_t fraction = magnitude & ((1u << format.fractionBits) - 1);
  const int exponent = static_cast<int>(magnitude >> format.fractionBits);
  if (exponent == 0)
    return sign * std::ldexp(fraction, 1 - format.bias() - format.fractionBits);
  return sign * std::ldexp((1u << format.fractionBits) | fraction,
                           exponent - format.bias() - format.fractionBits);
}

/// Round to nearest, ties to even. Works on the bits of the double, so neither
/// the rounding mode nor a double rounding through float can interfere.
uint32_t encode(const SmallFloat &format, double value) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint32_t sign = bits >> 63 ? format.signBit() : 0;
  if (std::isnan(value))
    return sign | format.nan;
  if (std::isinf(value))
    return sign | format.infinity;

  const int doubleExponent = static_cast<int>((bits >> 52) & 0x7FF);
  // Doubles without a leading one are below 2^-1022: zero in every format here.
  if (doubleExponent == 0)
    return sign;
  const uint64_t significand =
      (bits & ((uint64_t(1) << 52) - 1)) | (uint64_t(1) << 52);

  // Biased exponent in the target; below 1 the fraction is shifted further.
  int exponent = doubleExponent - 1023 + format.bias();
  int shift = 52 - format.fractionBits;
  if (exponent < 1) {
    shift += 1 - exponent;
    exponent = 1;
  }
  if (shift > 54)
    return sign;
  const uint64_t kept = significand >> shift;
  const uint64_t rest = significand & ((uint64_t(1) << shift) - 1);
  const uint64_t half = uint64_t(1) << (shift - 1);
  const uint64_t rounded =
      kept + (rest > half || (rest == half && (kept & 1)) ? 1 : 0);
  // A subnormal that rounds up to 2^fractionBits becomes the first normal by
  // itself: its leading bit is the exponent field's lowest bit.
  const uint64_t code =
      (static_cast<uint64_t>(exponent - 1) << format.fractionBits) + rounded;
  if (code > format.maximum)
    return sign | format.infinity;
  return sign | static_cast<uint32_t>(code);
}

double roundTiesToEven(double value) {
  const double floor = std::floor(value);
  const double rest = value - floor;
  if (rest < 0.5 || (rest == 0.5 && std::fmod(floor, 2.0) == 0.0))
    return floor;
  return floor + 1.0;
}

/// Saturating; NaN gives 0 (as PTX cvt does).
template <typename T> T toInteger(double value) {
  if (std::isnan(value))
    return 0;
  const double rounded = roundTiesToEven(value);
  // max + 1 is a power of two, hence exact in double, while max may not be.
  const double limit = std::ldexp(1.0, std::numeric_limits<T>::digits);
  if (rounded >= limit)
    return std::numeric_limits<T>::max();
  if (rounded <= static_cast<double>(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  return static_cast<T>(rounded);
}

template <typename T> T load(const void *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

template <typename T> void store(void *bytes, T value) {
  std::memcpy(bytes, &value, sizeof(T));
}

} // namespace

unsigned tirx::rt::sizeOf(DType dtype) {
  return kDTypes[static_cast<size_t>(dtype)].bytes;
}

std::string_view tirx::rt::nameOf(DType dtype) {
  return kDTypes[static_cast<size_t>(dtype)].name;
}

std::optional<DType> tirx::rt::parseDType(std::string_view name) {
  for (const DTypeInfo &info : kDTypes)
    if (info.name == name)
      return info.dtype;
  return std::nullopt;
}

bool tirx::rt::isFloat(DType dtype) { return dtype >= DType::f8e4m3; }

double tirx::rt::toDouble(DType dtype, const void *bytes) {
  switch (dtype) {
  case DType::boolean:
    return load<uint8_t>(bytes) != 0;
  case DType::u8:
    return load<uint8_t>(bytes);
  case DType::i8:
    return load<int8_t>(bytes);
  case DType::u16:
    return load<uint16_t>(bytes);
  case DType::i16:
    return load<int16_t>(bytes);
  case DType::u32:
    return load<uint32_t>(bytes);
  case DType::i32:
    return load<int32_t>(bytes);
  case DType::u64:
    return static_cast<double>(load<uint64_t>(bytes));
  case DType::i64:
    return static_cast<double>(load<int64_t>(bytes));
  case DType::f8e4m3:
    return decode(kE4M3, load<uint8_t>(bytes));
  case DType::f8e5m2:
    return decode(kE5M2, load<uint8_t>(bytes));
  case DType::f16:
    return decode(kF16, load<uint16_t>(bytes));
  case DType::bf16:
    return decode(kBF16, load<uint16_t>(bytes));
  case DType::f32:
    return load<float>(bytes);
  case DType::f64:
    return load<double>(bytes);
  }
  return 0;
}

void tirx::rt::fromDouble(DType dtype, double value, void *bytes) {
  switch (dtype) {
  case DType::boolean:
    return store<uint8_t>(bytes, value != 0);
  case DType::u8:
    return store(bytes, toInteger<uint8_t>(value));
  case DType::i8:
    return store(bytes, toInteger<int8_t>(value));
  case DType::u16:
    return store(bytes, toInteger<uint16_t>(value));
  case DType::i16:
    return store(bytes, toInteger<int16_t>(value));
  case DType::u32:
    return store(bytes, toInteger<uint32_t>(value));
  case DType::i32:
    return store(bytes, toInteger<int32_t>(value));
  case DType::u64:
    return store(bytes, toInteger<uint64_t>(value));
  case DType::i64:
    return store(bytes, toInteger<int64_t>(value));
  case DType::f8e4m3:
    return store(bytes, static_cast<uint8_t>(encode(kE4M3, value)));
  case DType::f8e5m2:
    return store(bytes, static_cast<uint8_t>(encode(kE5M2, value)));
  case DType::f16:
    return store(bytes, static_cast<uint16_t>(encode(kF16, value)));
  case DType::bf16:
    return store(bytes, static_cast<uint16_t>(encode(kBF16, value)));
  case DType::f32:
    return store(bytes, static_cast<float>(value));
  case DType::f64:
    return store(bytes, value);
  }
}
