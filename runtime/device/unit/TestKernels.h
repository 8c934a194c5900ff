//===- TestKernels.h - kernels and arguments for tests ----------*- C++ -*-===//
#pragma once

#include "tirx/Runtime/Device.h"

#include <cstddef>
#include <string>
#include <vector>

namespace tirx::rt::test {

// Expressions, short.
HostExpr constant(int64_t value);
HostExpr dim(unsigned argument, unsigned axis);
HostExpr stride(unsigned argument, unsigned axis);
HostExpr scalar(unsigned argument);
HostExpr smCount();
HostExpr op(HostExpr::Kind kind, std::vector<HostExpr> operands);

Argument tensorArgument(std::string name, DType dtype,
                        std::vector<std::optional<int64_t>> shape);
Argument scalarArgument(std::string name, DType dtype);

/// Like the GEMM of the ladder: D[M, N] = A[M, K] * B[N, K]^T with tensor maps
/// of A and B, a pointer to D, M as a 4-byte value and a scalar alpha.
///   parameters: map A, map B, pointer D, value M (i32), scalar alpha (f32)
///   grid: (ceildiv(M, 128), N / 128, 1), check: N % 128 == 0
Kernel gemmKernel();

/// Aligned memory for gemmKernel's tensors, and the arguments that fit.
struct GemmArguments {
  explicit GemmArguments(int64_t m = 256, int64_t n = 128, int64_t k = 64);
  TensorArg &tensor(const std::string &name) {
    return std::get<TensorArg>(map.at(name));
  }
  ArgMap map;

private:
  std::vector<std::byte> memory;
};

} // namespace tirx::rt::test
