//===- Compare.cpp - is a result right? -------------------------*- C++ -*-===//
#include "tirx/Runtime/Compare.h"

#include <cmath>
#include <cstring>

using namespace tirx::rt;

namespace {

std::vector<int64_t> indexOf(int64_t element, std::span<const int64_t> shape) {
  std::vector<int64_t> index(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = element % shape[axis];
    element /= shape[axis];
  }
  return index;
}

__int128 toInteger(DType dtype, const std::byte *bytes) {
  if (dtype == DType::u64 || dtype == DType::i64) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes, sizeof bits);
    return dtype == DType::u64
               ? static_cast<__int128>(bits)
               : static_cast<__int128>(static_cast<int64_t>(bits));
  }
  return static_cast<__int128>(toDouble(dtype, bytes));
}

/// |actual - reference|; NaN if exactly one of them is NaN or they are
/// different infinities; 0 for two NaNs.
double difference(DType actualType, const std::byte *actual,
                  DType referenceType, const std::byte *reference) {
  if (!isFloat(actualType)) {
    const __int128 d =
        toInteger(actualType, actual) - toInteger(referenceType, reference);
    return static_cast<double>(d < 0 ? -d : d);
  }
  const double a = toDouble(actualType, actual);
  const double r = toDouble(referenceType, reference);
  if ((std::isnan(a) && std::isnan(r)) || a == r)
    return 0;
  return std::fabs(a - r);
}

bool isPoison(DType dtype, const std::byte *bytes) {
  const uint64_t poison = poisonBits(dtype);
  return std::memcmp(bytes, &poison, sizeOf(dtype)) == 0;
}

Expected<void> checkBytes(const HostTensor &tensor, const char *what) {
  const auto count = elementCount(tensor.shape);
  uint64_t bytes = 0;
  if (count &&
      !__builtin_mul_overflow(static_cast<uint64_t>(*count),
                              sizeOf(tensor.dtype), &bytes) &&
      bytes == tensor.bytes.size())
    return {};
  return makeError("the {} has shape {} and dtype {}, but {} bytes", what,
                   shapeToString(tensor.shape), nameOf(tensor.dtype),
                   tensor.bytes.size());
}

Expected<void> checkOperands(const HostTensor &actual,
                             const HostTensor &reference) {
  if (actual.shape != reference.shape)
    return makeError("shape {}, the reference has {}",
                     shapeToString(actual.shape),
                     shapeToString(reference.shape));
  const bool wider = isFloat(actual.dtype) && (reference.dtype == DType::f32 ||
                                               reference.dtype == DType::f64);
  if (actual.dtype != reference.dtype && !wider)
    return makeError("dtype {}, the reference has {}", nameOf(actual.dtype),
                     nameOf(reference.dtype));
  if (const auto valid = checkBytes(actual, "result"); !valid)
    return valid;
  return checkBytes(reference, "reference");
}

/// `allowed(i, reference)` is the largest error that element i may have.
template <typename Allowed>
Comparison compareElements(const HostTensor &actual,
                           const HostTensor &reference, Allowed allowed) {
  Comparison result;
  result.elements = actual.elementCount();
  int64_t maxAbs = -1, maxRel = -1, firstMismatch = -1;
  for (int64_t i = 0; i < result.elements; ++i) {
    const std::byte *a = actual.bytes.data() + i * sizeOf(actual.dtype);
    const std::byte *r = reference.bytes.data() + i * sizeOf(reference.dtype);
    const double error = difference(actual.dtype, a, reference.dtype, r);
    const double expected = toDouble(reference.dtype, r);
    const double limit = allowed(i, expected);
    if (std::isfinite(error)) {
      if (maxAbs < 0 || error > result.max_abs_error) {
        result.max_abs_error = error;
        maxAbs = i;
      }
      const double relative = error / std::fabs(expected);
      if (expected != 0 && std::isfinite(relative) &&
          (maxRel < 0 || relative > result.max_rel_error)) {
        result.max_rel_error = relative;
        maxRel = i;
      }
    }
    if (error <= limit)
      continue;
    const double value = toDouble(actual.dtype, a);
    ++result.mismatches;
    result.nans += std::isnan(value);
    result.unwritten += isPoison(actual.dtype, a);
    if (firstMismatch < 0) {
      firstMismatch = i;
      result.first_actual = value;
      result.first_reference = expected;
      result.first_allowed = limit;
    }
  }
  if (maxAbs >= 0)
    result.max_abs_index = indexOf(maxAbs, actual.shape);
  if (maxRel >= 0)
    result.max_rel_index = indexOf(maxRel, actual.shape);
  if (firstMismatch >= 0)
    result.first_mismatch = indexOf(firstMismatch, actual.shape);
  return result;
}

} // namespace

Expected<Comparison> tirx::rt::compare(const HostTensor &actual,
                                       const HostTensor &reference, double rtol,
                                       double atol) {
  if (!(rtol >= 0) || !(atol >= 0))
    return makeError("tolerances must not be negative: rtol {}, atol {}", rtol,
                     atol);
  if (const auto valid = checkOperands(actual, reference); !valid)
    return tl::unexpected(valid.error());
  return compareElements(actual, reference, [=](int64_t, double expected) {
    // An infinite reference allows nothing but itself, whatever rtol is.
    return std::isfinite(expected) ? atol + rtol * std::fabs(expected) : 0;
  });
}

Expected<Comparison> tirx::rt::compare(const HostTensor &actual,
                                       const HostTensor &reference,
                                       const HostTensor &bound) {
  if (const auto valid = checkOperands(actual, reference); !valid)
    return tl::unexpected(valid.error());
  if (bound.dtype != DType::f64 || bound.shape != actual.shape)
    return makeError("the bound has shape {} and dtype {}, expected {} and f64",
                     shapeToString(bound.shape), nameOf(bound.dtype),
                     shapeToString(actual.shape));
  if (const auto valid = checkBytes(bound, "bound"); !valid)
    return tl::unexpected(valid.error());
  return compareElements(actual, reference, [&](int64_t i, double) {
    return toDouble(DType::f64, bound.bytes.data() + i * sizeof(double));
  });
}

std::string tirx::rt::toString(const Comparison &comparison) {
  std::string text = fmt::format("{} of {} elements differ",
                                 comparison.mismatches, comparison.elements);
  if (comparison.nans)
    text += fmt::format(", {} are NaN", comparison.nans);
  if (comparison.unwritten)
    text += fmt::format(", {} were never written", comparison.unwritten);
  if (!comparison.max_abs_index.empty())
    text +=
        fmt::format("; largest error {:.3g} at {}", comparison.max_abs_error,
                    shapeToString(comparison.max_abs_index));
  if (!comparison.max_rel_index.empty())
    text += fmt::format(", relative {:.3g} at {}", comparison.max_rel_error,
                        shapeToString(comparison.max_rel_index));
  if (!comparison.first_mismatch.empty())
    text += fmt::format("\nfirst at {}: {:.9g}, expected {:.9g} (allowed error "
                        "{:.3g})",
                        shapeToString(comparison.first_mismatch),
                        comparison.first_actual, comparison.first_reference,
                        comparison.first_allowed);
  return text;
}
