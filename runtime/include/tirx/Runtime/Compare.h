//===- Compare.h - is a result right? ---------------------------*- C++ -*-===//
//
// Comparison of a kernel's output with a reference, and the reference and error
// bound of a matrix product on tensor cores.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "tirx/Runtime/Error.h"
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

/// D[m, n] = sum over k of A[m, k] * B[n, k], as f64 (computed in f64).
/// Errors: operands that are not float matrices of one K.
Expected<HostTensor> gemmReference(const HostTensor &a, const HostTensor &b);

/// How a tensor core adds: the products of `k` elements and the accumulator,
/// each truncated toward zero to `fraction_bits` below the largest exponent
/// among them; the sum then rounded toward zero to f32.
struct TensorCoreRule {
  unsigned k = 16;
  unsigned fraction_bits = 25;
};

/// The rule of tcgen05 and of wgmma (except wgmma's f8) for operands of this
/// dtype: K = 16 for f16 and bf16, 32 for f8e4m3 and f8e5m2.
/// Error: a dtype that tensor cores take no dense operands of, or whose
/// operands they truncate first (f32 as tf32).
Expected<TensorCoreRule> tensorCoreRule(DType operand);

/// A bound on |D - gemmReference(A, B)| for each element, as f64, if one
/// accumulator sums all of K in order of k and D is rounded to `output`. With
/// S_i = sum over the first i instructions' |a||b| (which bounds every partial
/// accumulator, as truncation only shrinks) and E = the largest power of two of
/// an exponent of the terms, instruction i adds at most
///     (k + 1) * 2^-fraction_bits * max(S_{i-1}, E)   truncation of the terms
///   + 2^-23 * S_i + 2^-149                           rounding toward zero
/// and the output half a unit in the last place of |D| (f8 outputs that pass
/// the maximum saturate and f16 ones become infinite: their bound is infinity).
/// Errors: as gemmReference, operands that differ in dtype, and
/// tensorCoreRule's.
Expected<HostTensor> gemmErrorBound(const HostTensor &a, const HostTensor &b,
                                    DType output);

} // namespace tirx::rt
