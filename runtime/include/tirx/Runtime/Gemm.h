//===- Gemm.h - what a GEMM kernel should compute ---------------*- C++ -*-===//
//
// The product of matrices on tensor cores with its usual epilogues: a float64
// reference, and for each element how far from it a right result may lie.
// docs/numerics.md derives the bound.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "tirx/Runtime/DType.h"
#include "tirx/Runtime/Error.h"
#include "tirx/Runtime/Tensor.h"

#include <cstdint>

namespace tirx::rt {

/// What happens to an accumulator before it is stored:
///     D = activation(alpha * accumulator + beta * C + bias)
/// in f32, each operation rounded once (fused or not).
struct GemmEpilogue {
  enum class Activation : uint8_t {
    none,
    relu, ///< max(x, 0)
    gelu, ///< x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))
    silu, ///< x / (1 + exp(-x))
  };
  /// Rounded to f32, as the kernel gets them.
  double alpha = 1;
  double beta = 0;
  /// D's shape and dtype, or null for none. Without it beta must be 0.
  const HostTensor *c = nullptr;
  /// [N] of D's dtype, added to every row, or null for none.
  const HostTensor *bias = nullptr;
  Activation activation = Activation::none;
  /// gelu and silu use the hardware's tanh.approx.f32, which is good to a
  /// relative 2^-11, instead of ex2 and a division.
  bool approximate_tanh = false;
};

/// D[l, m, n] = epilogue(sum over k of A[l, m, k] * B[l, n, k]).
///
/// Operands are tensors of rank 2, or all of rank 3 with a batch axis l in
/// front. Their dtypes are equal, or both f8 of either kind. f32 operands are
/// tf32: tensor cores read the upper 19 bits and ignore the lower 13 (PTX ISA,
/// alternate floating-point data formats), so the reference is the product of
/// the truncated values.
struct GemmProblem {
  /// [.., M, K], or [.., K, M] with a_is_mn_major.
  const HostTensor *a = nullptr;
  /// [.., N, K], or [.., K, N] with b_is_mn_major.
  const HostTensor *b = nullptr;
  bool a_is_mn_major = false;
  bool b_is_mn_major = false;
  GemmEpilogue epilogue;
  /// D's dtype: a float. D has shape [.., M, N].
  DType output = DType::f32;
};

/// Both f64 and of D's shape: the value, and the largest |D - reference| of a
/// right result (infinite where D may overflow its dtype or f32).
struct GemmExpectation {
  HostTensor reference;
  HostTensor bound;
};

/// Errors: a null operand; one that is no float tensor of rank 2 or 3, or whose
/// bytes do not agree with its shape; different K, batches or ranks; dtypes
/// that tensor cores do not multiply; an output that is no float; C or a bias
/// of another shape or dtype than D asks for; beta without C.
Expected<GemmExpectation> expectGemm(const GemmProblem &problem);

/// expectGemm's parts.
Expected<HostTensor> gemmReference(const GemmProblem &problem);
Expected<HostTensor> gemmErrorBound(const GemmProblem &problem);

/// How a tensor core adds: the products of `k` elements and the accumulator,
/// each truncated toward zero to `fraction_bits` below the largest exponent
/// among them; the sum then rounded toward zero to f32.
struct TensorCoreRule {
  unsigned k = 16;
  unsigned fraction_bits = 25;
};

/// The rule of tcgen05 and of wgmma (except wgmma's f8) for operands of this
/// dtype: K = 8 for f32 (as tf32), 16 for f16 and bf16, 32 for f8e4m3 and
/// f8e5m2. Error: a dtype that tensor cores take no dense operands of.
Expected<TensorCoreRule> tensorCoreRule(DType operand);

/// The reference of A * B^T for A [M, K] and B [N, K] without an epilogue, and
/// the bound on D's error when D has dtype `output`. Errors: expectGemm's.
Expected<HostTensor> gemmReference(const HostTensor &a, const HostTensor &b);
Expected<HostTensor> gemmErrorBound(const HostTensor &a, const HostTensor &b,
                                    DType output);

} // namespace tirx::rt
