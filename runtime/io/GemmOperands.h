//===- GemmOperands.h - checked operands as doubles -------------*- C++ -*-===//
#pragma once

#include "tirx/Runtime/Gemm.h"

#include <vector>

namespace tirx::rt {

struct GemmShape {
  int64_t batches = 1, m = 0, n = 0, k = 0;
  bool batched = false; ///< the tensors have a batch axis
};

/// What expectGemm's errors say is checked here.
Expected<GemmShape> checkGemm(const GemmProblem &problem);

/// Columns of B that one step of the accumulation takes.
inline constexpr int64_t kPanelColumns = 8;

/// What one step reads: K elements of A, or K times kPanelColumns of B.
struct OperandRow {
  const double *values;
  const double *scales;
};

/// One operand of one batch as the tensor core reads it, in doubles, and the
/// power of two of each element's exponent.
struct OperandMatrix {
  std::vector<double> values, scales;

  /// Row m of A, or the panel that begins at column n of B.
  OperandRow row(int64_t index, int64_t depth) const {
    return {values.data() + index * depth, scales.data() + index * depth};
  }
};

/// A as [m][k].
OperandMatrix widenA(const GemmProblem &problem, const GemmShape &shape,
                     int64_t batch);
/// B as [n / kPanelColumns][k][n % kPanelColumns], padded with zeros.
OperandMatrix widenB(const GemmProblem &problem, const GemmShape &shape,
                     int64_t batch);

} // namespace tirx::rt
