//===- Tensor.cpp - host tensors: making them -------------------*- C++ -*-===//
#include "tirx/Runtime/Tensor.h"

#include <cmath>
#include <cstring>
#include <numbers>
#include <random>

using namespace tirx::rt;

namespace {

HostTensor allocate(DType dtype, std::vector<int64_t> shape) {
  HostTensor tensor;
  tensor.dtype = dtype;
  tensor.shape = std::move(shape);
  tensor.bytes.resize(static_cast<size_t>(tensor.elementCount()) *
                      sizeOf(dtype));
  return tensor;
}

/// N(0,1) in pairs. std::normal_distribution would do, but its algorithm is the
/// library's choice, and inputs are to be the same everywhere.
class BoxMuller {
public:
  explicit BoxMuller(uint64_t seed) : random(seed) {}

  double next() {
    if (haveSpare) {
      haveSpare = false;
      return spare;
    }
    constexpr double unit = 0x1p-53;
    const double u1 = static_cast<double>((random() >> 11) + 1) * unit; // (0,1]
    const double u2 = static_cast<double>(random() >> 11) * unit;       // [0,1)
    const double radius = std::sqrt(-2 * std::log(u1));
    const double angle = 2 * std::numbers::pi * u2;
    spare = radius * std::sin(angle);
    haveSpare = true;
    return radius * std::cos(angle);
  }

private:
  std::mt19937_64 random;
  double spare = 0;
  bool haveSpare = false;
};

} // namespace

std::optional<int64_t> tirx::rt::elementCount(std::span<const int64_t> shape) {
  int64_t count = 1;
  bool overflow = false, empty = false;
  for (int64_t extent : shape) {
    if (extent < 0)
      return std::nullopt;
    empty |= extent == 0;
    overflow |= __builtin_mul_overflow(count, extent, &count);
  }
  if (empty)
    return 0;
  return overflow ? std::nullopt : std::optional(count);
}

std::string tirx::rt::shapeToString(std::span<const int64_t> shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

int64_t HostTensor::elementCount() const {
  return tirx::rt::elementCount(shape).value_or(0);
}

HostTensor tirx::rt::randomNormal(DType dtype, std::vector<int64_t> shape,
                                  uint64_t seed) {
  HostTensor tensor = allocate(dtype, std::move(shape));
  BoxMuller normal(seed);
  for (size_t at = 0; at < tensor.bytes.size(); at += sizeOf(dtype))
    fromDouble(dtype, normal.next(), tensor.bytes.data() + at);
  return tensor;
}

uint64_t tirx::rt::poisonBits(DType dtype) {
  switch (dtype) {
  case DType::f8e4m3: // has no other NaN than 0x7F and 0xFF
  case DType::f8e5m2:
    return 0xFF;
  case DType::f16:
    return 0x7EA5;
  case DType::bf16:
    return 0x7FE5;
  case DType::f32:
    return 0x7FE5A5A5;
  case DType::f64:
    return 0x7FFCA5A5A5A5A5A5;
  default:
    return 0xA5A5A5A5A5A5A5A5 >> (64 - 8 * sizeOf(dtype));
  }
}

HostTensor tirx::rt::poisoned(DType dtype, std::vector<int64_t> shape) {
  HostTensor tensor = allocate(dtype, std::move(shape));
  const uint64_t bits = poisonBits(dtype);
  for (size_t at = 0; at < tensor.bytes.size(); at += sizeOf(dtype))
    std::memcpy(tensor.bytes.data() + at, &bits, sizeOf(dtype));
  return tensor;
}
