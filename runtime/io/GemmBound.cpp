//===- GemmBound.cpp - reference and error bound of a GEMM ----------------===//
#include "GemmEpilogue.h"
#include "GemmOperands.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

using namespace tirx::rt;

namespace {

using Lanes = std::array<double, kPanelColumns>;

/// kPanelColumns accumulators: exact value, and a bound on the hardware's error
/// (docs/numerics.md).
struct PanelResult {
  Lanes value = {}, error = {};
};

/// Row `a` [k] times a panel of B [k][kPanelColumns].
inline __attribute__((always_inline)) PanelResult accumulateAny(
    const TensorCoreRule &rule, int64_t depth, OperandRow a, OperandRow b) {
  const double truncation =
      (rule.k + 1) * std::ldexp(1.0, -int(rule.fraction_bits));
  PanelResult result;
  Lanes sum = {}; // S_i
  for (int64_t begin = 0; begin < depth; begin += rule.k) {
    const int64_t end = std::min<int64_t>(depth, begin + rule.k);
    Lanes scale = sum;
    for (int64_t k = begin; k < end; ++k) {
      const double left = a.values[k], leftAbs = std::fabs(left),
                   leftScale = a.scales[k];
      const double *right = b.values + k * kPanelColumns,
                   *rightScale = b.scales + k * kPanelColumns;
      for (int64_t lane = 0; lane < kPanelColumns; ++lane) {
        result.value[lane] += left * right[lane];
        sum[lane] += leftAbs * std::fabs(right[lane]);
        const double product = leftScale * rightScale[lane];
        scale[lane] = scale[lane] < product ? product : scale[lane];
      }
    }
    for (int64_t lane = 0; lane < kPanelColumns; ++lane)
      result.error[lane] +=
          truncation * scale[lane] + 0x1p-23 * sum[lane] + 0x1p-149;
  }
  // The reference's own rounding, and a little for that of this function.
  for (int64_t lane = 0; lane < kPanelColumns; ++lane)
    result.error[lane] = (result.error[lane] +
                          static_cast<double>(depth) * 0x1p-53 * sum[lane]) *
                         (1 + 0x1p-40);
  return result;
}

PanelResult accumulateBaseline(const TensorCoreRule &rule, int64_t depth,
                               OperandRow a, OperandRow b) {
  return accumulateAny(rule, depth, a, b);
}
#if defined(__x86_64__)
__attribute__((target("arch=x86-64-v3")))
PanelResult accumulateAvx2(const TensorCoreRule &rule, int64_t depth,
                           OperandRow a, OperandRow b) {
  return accumulateAny(rule, depth, a, b);
}
#endif

/// The fastest of them on this machine.
auto *chooseAccumulate() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("x86-64-v3"))
    return accumulateAvx2;
#endif
  return accumulateBaseline;
}

double element(const HostTensor &tensor, int64_t index) {
  return toDouble(tensor.dtype,
                  tensor.bytes.data() +
                      index * static_cast<int64_t>(sizeOf(tensor.dtype)));
}

void put(HostTensor &tensor, int64_t index, double value) {
  std::memcpy(tensor.bytes.data() + index * int64_t(sizeof value), &value,
              sizeof value);
}

class Expectation {
public:
  Expectation(const GemmProblem &problem, const GemmShape &shape,
              const TensorCoreRule &rule)
      : problem(problem), shape(shape), rule(rule),
        accumulate(chooseAccumulate()) {
    HostTensor empty;
    empty.dtype = DType::f64;
    empty.shape = {shape.m, shape.n};
    if (shape.batched)
      empty.shape.insert(empty.shape.begin(), shape.batches);
    empty.bytes.resize(static_cast<size_t>(shape.batches * shape.m * shape.n) *
                       sizeof(double));
    result = {empty, empty};
  }

  GemmExpectation run() {
    for (int64_t batch = 0; batch < shape.batches; ++batch) {
      const OperandMatrix a = widenA(problem, shape, batch),
                          b = widenB(problem, shape, batch);
      // Rows that stay in a cache while the panels of B pass.
      constexpr int64_t rows = 64;
      for (int64_t block = 0; block < shape.m; block += rows)
        for (int64_t n = 0; n < shape.n; n += kPanelColumns)
          for (int64_t m = block; m < std::min(block + rows, shape.m); ++m)
            store(
                accumulate(rule, shape.k, a.row(m, shape.k), b.row(n, shape.k)),
                batch, m, n);
    }
    return std::move(result);
  }

private:
  const GemmProblem &problem;
  const GemmShape &shape;
  const TensorCoreRule &rule;
  decltype(chooseAccumulate()) accumulate;
  GemmExpectation result;

  void store(const PanelResult &panel, int64_t batch, int64_t m, int64_t n) {
    const GemmEpilogue &epilogue = problem.epilogue;
    const int64_t columns = std::min(kPanelColumns, shape.n - n);
    for (int64_t lane = 0; lane < columns; ++lane) {
      const int64_t at = (batch * shape.m + m) * shape.n + n + lane;
      EpilogueTerms terms;
      terms.hasC = epilogue.c != nullptr;
      terms.hasBias = epilogue.bias != nullptr;
      if (terms.hasC)
        terms.c = element(*epilogue.c, at);
      if (terms.hasBias)
        terms.bias = element(*epilogue.bias, n + lane);
      const Approximate d = roundTo(
          problem.output,
          activate(epilogue,
                   combine(epilogue, {panel.value[lane], panel.error[lane]},
                           terms)));
      put(result.reference, at, d.value);
      put(result.bound, at, d.error);
    }
  }
};

GemmProblem plainProblem(const HostTensor &a, const HostTensor &b,
                         DType output) {
  GemmProblem problem;
  problem.a = &a;
  problem.b = &b;
  problem.output = output;
  return problem;
}

} // namespace

Expected<TensorCoreRule> tirx::rt::tensorCoreRule(DType operand) {
  switch (operand) {
  case DType::f32:
    return TensorCoreRule{8, 25};
  case DType::f16:
  case DType::bf16:
    return TensorCoreRule{16, 25};
  case DType::f8e4m3:
  case DType::f8e5m2:
    return TensorCoreRule{32, 25};
  default:
    return makeError("no numeric rule for tensor cores with {} operands; there "
                     "is one for f32 (as tf32), f16, bf16, f8e4m3 and f8e5m2",
                     nameOf(operand));
  }
}

Expected<GemmExpectation> tirx::rt::expectGemm(const GemmProblem &problem) {
  const auto shape = checkGemm(problem);
  if (!shape)
    return tl::unexpected(shape.error());
  return Expectation(problem, *shape, *tensorCoreRule(problem.a->dtype)).run();
}

Expected<HostTensor> tirx::rt::gemmReference(const GemmProblem &problem) {
  return expectGemm(problem).map(
      [](GemmExpectation &&e) { return std::move(e.reference); });
}

Expected<HostTensor> tirx::rt::gemmErrorBound(const GemmProblem &problem) {
  return expectGemm(problem).map(
      [](GemmExpectation &&e) { return std::move(e.bound); });
}

Expected<HostTensor> tirx::rt::gemmReference(const HostTensor &a,
                                             const HostTensor &b) {
  return gemmReference(plainProblem(a, b, DType::f32));
}

Expected<HostTensor> tirx::rt::gemmErrorBound(const HostTensor &a,
                                              const HostTensor &b,
                                              DType output) {
  return gemmErrorBound(plainProblem(a, b, output));
}
