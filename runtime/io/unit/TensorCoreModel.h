//===- TensorCoreModel.h - the rule of one output element -------*- C++ -*-===//
#pragma once

#include "tirx/Runtime/Tensor.h"

#include <algorithm>
#include <cmath>

namespace tirx::rt::test {

inline double at(const HostTensor &tensor, int64_t i) {
  return toDouble(tensor.dtype, tensor.bytes.data() + i * sizeOf(tensor.dtype));
}

inline void put(HostTensor &tensor, int64_t i, double value) {
  fromDouble(tensor.dtype, value,
             tensor.bytes.data() + i * sizeOf(tensor.dtype));
}

/// sm_100's rule for one output element, straight from its statement: products
/// are not normalised, every term is cut toward zero to `fractionBits` below
/// the largest exponent, the sum is exact, and is cut to f32 once.
struct TensorCore {
  int minimumExponentA, minimumExponentB; ///< of the operands' dtypes
  int k;
  int fractionBits = 25;

  int exponent(double value, int minimum) const {
    return value == 0 ? -126 : std::max(std::ilogb(value), minimum);
  }

  float step(float c, const double *a, const double *b, int count) const {
    int top = exponent(c, -126);
    for (int i = 0; i < count; ++i)
      top = std::max(top, exponent(a[i], minimumExponentA) +
                              exponent(b[i], minimumExponentB));
    const auto cut = [&](double term) {
      return std::trunc(std::ldexp(term, fractionBits - top));
    };
    double sum = cut(c); // integers below 2^53: the sum is exact
    for (int i = 0; i < count; ++i)
      sum += cut(a[i] * b[i]);
    return towardZero(std::ldexp(sum, top - fractionBits));
  }

  static float towardZero(double value) {
    float result = static_cast<float>(value);
    if (std::fabs(result) > std::fabs(value))
      result = std::nextafter(result, 0.0f);
    return result;
  }
};

} // namespace tirx::rt::test
