//===- GemmBound.cpp - reference and error bound of A * B^T -----*- C++ -*-===//
#include "tirx/Runtime/Compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

using namespace tirx::rt;

namespace {

struct FloatLimits {
  DType dtype;
  int precision;       ///< significant bits, the leading one included
  int minimumExponent; ///< of the smallest normal number
  double maximum;
};

constexpr FloatLimits kFloatLimits[] = {
    {DType::f8e4m3, 4, -6, 448},
    {DType::f8e5m2, 3, -14, 57344},
    {DType::f16, 11, -14, 65504},
    {DType::bf16, 8, -126, 0x1.FEp127},
    {DType::f32, 24, -126, 0x1.FFFFFEp127},
    {DType::f64, 53, -1022, std::numeric_limits<double>::max()},
};

const FloatLimits &limitsOf(DType dtype) {
  return *std::find_if(std::begin(kFloatLimits), std::end(kFloatLimits),
                       [&](const FloatLimits &l) { return l.dtype == dtype; });
}

/// A row-major matrix in doubles.
struct Matrix {
  int64_t rows = 0, columns = 0;
  std::vector<double> values;

  const double *row(int64_t r) const { return values.data() + r * columns; }
};

Matrix widen(const HostTensor &tensor) {
  Matrix matrix{tensor.shape[0], tensor.shape[1], {}};
  matrix.values.resize(static_cast<size_t>(tensor.elementCount()));
  for (size_t i = 0; i < matrix.values.size(); ++i)
    matrix.values[i] =
        toDouble(tensor.dtype, tensor.bytes.data() + i * sizeOf(tensor.dtype));
  return matrix;
}

Expected<void> checkMatrix(const HostTensor &tensor, char name) {
  const auto count = elementCount(tensor.shape);
  if (tensor.shape.size() != 2 || !count || !isFloat(tensor.dtype))
    return makeError("{}: expected a matrix of floats, got shape {} of {}",
                     name, shapeToString(tensor.shape), nameOf(tensor.dtype));
  if (static_cast<uint64_t>(*count) * sizeOf(tensor.dtype) !=
      tensor.bytes.size())
    return makeError("{}: shape {} of {}, but {} bytes", name,
                     shapeToString(tensor.shape), nameOf(tensor.dtype),
                     tensor.bytes.size());
  return {};
}

Expected<void> checkOperands(const HostTensor &a, const HostTensor &b) {
  if (const auto valid = checkMatrix(a, 'A'); !valid)
    return valid;
  if (const auto valid = checkMatrix(b, 'B'); !valid)
    return valid;
  if (a.shape[1] != b.shape[1])
    return makeError("A has K = {}, B has K = {}", a.shape[1], b.shape[1]);
  return {};
}

/// Fills an M x N tensor of f64 with element(m, n).
template <typename Element>
HostTensor generate(int64_t rows, int64_t columns, Element element) {
  HostTensor result;
  result.dtype = DType::f64;
  result.shape = {rows, columns};
  result.bytes.resize(static_cast<size_t>(rows * columns) * sizeof(double));
  for (int64_t m = 0; m < rows; ++m)
    for (int64_t n = 0; n < columns; ++n) {
      const double value = element(m, n);
      std::memcpy(result.bytes.data() + (m * columns + n) * sizeof(double),
                  &value, sizeof value);
    }
  return result;
}

/// Eight independent sums, so that the compiler may vectorise.
double dot(const double *a, const double *b, int64_t count) {
  std::array<double, 8> sums = {};
  int64_t i = 0;
  for (; i + 8 <= count; i += 8)
    for (int lane = 0; lane < 8; ++lane)
      sums[lane] += a[i + lane] * b[i + lane];
  double sum = 0;
  for (; i < count; ++i)
    sum += a[i] * b[i];
  for (double lane : sums)
    sum += lane;
  return sum;
}

/// 2^e with the exponent e that the hardware gives a value: that of its leading
/// bit, but no less than the format's smallest (subnormals, zero).
double exponentScale(double value, int minimumExponent) {
  if (value == 0 || !std::isfinite(value))
    return std::ldexp(1.0, minimumExponent);
  return std::ldexp(1.0, std::max(std::ilogb(value), minimumExponent));
}

Matrix exponentScales(const Matrix &matrix, int minimumExponent) {
  Matrix scales = matrix;
  for (double &value : scales.values)
    value = exponentScale(value, minimumExponent);
  return scales;
}

Matrix magnitudes(Matrix matrix) {
  for (double &value : matrix.values)
    value = std::fabs(value);
  return matrix;
}

/// Half a unit in the last place of numbers up to `magnitude`; infinity if the
/// format may not hold them.
double outputRounding(const FloatLimits &format, double magnitude) {
  if (!(magnitude < format.maximum))
    return std::numeric_limits<double>::infinity();
  return exponentScale(magnitude, format.minimumExponent) *
         std::ldexp(1.0, -format.precision);
}

} // namespace

Expected<HostTensor> tirx::rt::gemmReference(const HostTensor &a,
                                             const HostTensor &b) {
  if (const auto valid = checkOperands(a, b); !valid)
    return tl::unexpected(valid.error());
  const Matrix left = widen(a), right = widen(b);
  return generate(left.rows, right.rows, [&](int64_t m, int64_t n) {
    return dot(left.row(m), right.row(n), left.columns);
  });
}

Expected<TensorCoreRule> tirx::rt::tensorCoreRule(DType operand) {
  switch (operand) {
  case DType::f16:
  case DType::bf16:
    return TensorCoreRule{16, 25};
  case DType::f8e4m3:
  case DType::f8e5m2:
    return TensorCoreRule{32, 25};
  default:
    return makeError("no numeric rule for tensor cores with {} operands; there "
                     "is one for f16, bf16, f8e4m3 and f8e5m2",
                     nameOf(operand));
  }
}

Expected<HostTensor> tirx::rt::gemmErrorBound(const HostTensor &a,
                                              const HostTensor &b,
                                              DType output) {
  if (const auto valid = checkOperands(a, b); !valid)
    return tl::unexpected(valid.error());
  if (a.dtype != b.dtype)
    return makeError("A is {}, B is {}: the bound is for equal dtypes",
                     nameOf(a.dtype), nameOf(b.dtype));
  if (!isFloat(output))
    return makeError("the output dtype {} is no float", nameOf(output));
  const auto rule = tensorCoreRule(a.dtype);
  if (!rule)
    return tl::unexpected(rule.error());

  const int minimumExponent = limitsOf(a.dtype).minimumExponent;
  const Matrix left = widen(a), right = widen(b);
  const Matrix leftAbs = magnitudes(left), rightAbs = magnitudes(right);
  const Matrix leftScale = exponentScales(left, minimumExponent),
               rightScale = exponentScales(right, minimumExponent);
  const int64_t depth = left.columns, step = rule->k;
  const double truncation =
      (rule->k + 1) * std::ldexp(1.0, -int(rule->fraction_bits));
  const FloatLimits &format = limitsOf(output);

  return generate(left.rows, right.rows, [&](int64_t m, int64_t n) {
    double sum = 0;   // S_i
    double error = 0; // of the accumulator
    for (int64_t k = 0; k < depth; k += step) {
      const int64_t count = std::min(step, depth - k);
      double scale = sum;
      for (int64_t i = 0; i < count; ++i)
        scale =
            std::max(scale, leftScale.row(m)[k + i] * rightScale.row(n)[k + i]);
      sum += dot(leftAbs.row(m) + k, rightAbs.row(n) + k, count);
      error += truncation * scale + 0x1p-23 * sum + 0x1p-149;
    }
    // The reference's own rounding, and a little for that of this function.
    error =
        (error + static_cast<double>(depth) * 0x1p-53 * sum) * (1 + 0x1p-40);
    const double exact =
        std::fabs(dot(left.row(m), right.row(n), left.columns));
    return error + outputRounding(format, exact + error);
  });
}
