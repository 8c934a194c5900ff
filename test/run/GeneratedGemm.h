//===- GeneratedGemm.h - run a generated GEMM on the simulator --*- C++ -*-===//
#pragma once

#include "tirx/Compiler/Compiler.h"
#include "tirx/Kernels/Gemm.h"
#include "tirx/Runtime/Device.h"
#include "tirx/Runtime/Tensor.h"

#include <cstdint>
#include <string>

namespace tirx::test {

/// Extents of a problem; `batch` counts only where the operation has one.
struct GemmExtents {
  int64_t m, n, k, batch = 1;
};

/// What one run was given and what it gave.
struct GeneratedRun {
  rt::HostTensor a, b, c, bias, d;
  double alpha = 1, beta = 0;
  rt::Expected<rt::LaunchStats> stats;
};

/// The schedule that chooseGemm completes. The test fails on an error.
kernels::GemmConfig chosenConfig(const kernels::GemmOperation &operation,
                                 GemmExtents extents,
                                 const kernels::GemmSchedule &wanted = {});

/// A kernel's text to PTX only. Error: the compiler refuses it.
rt::Expected<rt::Artifact> compileText(const std::string &source);

/// The kernel, as PTX only. The test fails on an error.
rt::Artifact compileGemm(const kernels::GemmConfig &config);

/// Runs on normal operands drawn from `dataSeed`; alpha is 0.75 and beta -1.5
/// where the operation has them. D is poisoned first. `padding` bytes lie
/// between rows, and as many rows between matrices of a batch.
GeneratedRun runGenerated(const rt::Kernel &kernel,
                          const kernels::GemmOperation &operation,
                          GemmExtents extents, const rt::SimOptions &options,
                          uint64_t dataSeed, int64_t padding = 0);

/// Elements of D outside of docs/numerics.md's bound, -1 if the launch failed;
/// `text` receives a description.
int64_t countWrong(const GeneratedRun &run,
                   const kernels::GemmOperation &operation, std::string &text);

/// "e4m3 x e5m2 -> f32, A MN, B K, bias, gelu".
std::string describe(const kernels::GemmOperation &operation);

} // namespace tirx::test
