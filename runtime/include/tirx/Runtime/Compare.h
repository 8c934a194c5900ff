//===- Compare.h - is a result right? ---------------------------*- C++ -*-===//
//
// Comparison of a kernel's output with a reference; Gemm.h has the reference
// and error bound of a matrix product on tensor cores.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "tirx/Runtime/Error.h"
#include "tirx/Runtime/Gemm.h"
#include "tirx/Runtime/Tensor.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tirx::rt {

/// What a comparison found. Errors are of `actual` against `reference`.
struct Comparison {
  int64_t elements = 0;
  int64_t mismatches = 0;
  /// Mismatches where `actual` is NaN and the reference is not.
  int64_t nans = 0;
  /// Mismatches where `actual` still holds poisonBits; floats count as NaNs
  /// too.
  int64_t unwritten = 0;
  /// Largest |actual - reference| and |actual - reference| / |reference| (of
  /// elements with a reference that is not 0), and where; NaNs and infinities
  /// are left out. An index is empty if there was no such element.
  double max_abs_error = 0, max_rel_error = 0;
  std::vector<int64_t> max_abs_index, max_rel_index;
  /// The first mismatch in row-major order.
  std::vector<int64_t> first_mismatch;
  double first_actual = 0, first_reference = 0, first_allowed = 0;

  bool ok() const { return mismatches == 0; }
};

/// Elements match if |actual - reference| <= atol + rtol * |reference|; NaN
/// matches NaN, infinity the same infinity. Integers are subtracted exactly.
/// The dtypes must be equal, or both floats and the reference f32 or f64.
/// Errors: shapes or dtypes that differ, negative or NaN tolerance, a tensor
/// whose bytes do not agree with its shape.
Expected<Comparison> compare(const HostTensor &actual,
                             const HostTensor &reference, double rtol,
                             double atol);

/// As above with |actual - reference| <= bound, an f64 tensor of the same
/// shape.
Expected<Comparison> compare(const HostTensor &actual,
                             const HostTensor &reference,
                             const HostTensor &bound);

/// One or two lines for a person: counts, largest errors, first mismatch.
std::string toString(const Comparison &comparison);

} // namespace tirx::rt
