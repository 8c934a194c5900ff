//===- FloatLimits.h - what the float dtypes hold ---------------*- C++ -*-===//
#pragma once

#include "tirx/Runtime/DType.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace tirx::rt {

struct FloatLimits {
  DType dtype;
  int precision;       ///< significant bits, the leading one included
  int minimumExponent; ///< of the smallest normal number
  double maximum;
};

inline constexpr FloatLimits kFloatLimits[] = {
    {DType::f8e4m3, 4, -6, 448},
    {DType::f8e5m2, 3, -14, 57344},
    {DType::f16, 11, -14, 65504},
    {DType::bf16, 8, -126, 0x1.FEp127},
    {DType::f32, 24, -126, 0x1.FFFFFEp127},
    {DType::f64, 53, -1022, std::numeric_limits<double>::max()},
};

/// `dtype` must be a float.
inline const FloatLimits &limitsOf(DType dtype) {
  return *std::find_if(std::begin(kFloatLimits), std::end(kFloatLimits),
                       [&](const FloatLimits &l) { return l.dtype == dtype; });
}

/// 2^e with the exponent e that the hardware gives a value: that of its leading
/// bit, but no less than the format's smallest (subnormals, zero).
inline double exponentScale(double value, int minimumExponent) {
  if (value == 0 || !std::isfinite(value))
    return std::ldexp(1.0, minimumExponent);
  return std::ldexp(1.0, std::max(std::ilogb(value), minimumExponent));
}

} // namespace tirx::rt
