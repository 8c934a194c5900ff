//===- GemmHarness.h - run a GEMM kernel on the simulator -------*- C++ -*-===//
#pragma once

#include "tirx/Runtime/Device.h"
#include "tirx/Runtime/Tensor.h"

#include <cstdint>
#include <string>

namespace tirx::test {

struct GemmSize {
  int64_t m, n, k;
};

struct GemmRun {
  rt::HostTensor a, b, d;
  rt::Expected<rt::LaunchStats> stats;
};

/// The text of an example; the test fails if it cannot be read.
std::string readExample(const std::string &path);

/// Runs D = A * B^T on normal matrices drawn from `dataSeed`. D is poisoned
/// first, and read back whether the launch succeeds or not.
GemmRun runGemm(const rt::Kernel &kernel, rt::DType dtype, GemmSize size,
                const rt::SimOptions &options, uint64_t dataSeed);

/// Elements of D outside of the bound of docs/numerics.md, -1 if the launch
/// failed; `text` receives a description.
int64_t countWrong(const GemmRun &run, std::string &text);

/// Step `step` of the ladder as PTX only, compiled once for each element type
/// (f16 or bf16). The test fails if it cannot be compiled.
const rt::Kernel &kernelOf(int step, rt::DType dtype);

/// Checks that D is within the bound and that there was no warning.
void checkResult(const GemmRun &run);

} // namespace tirx::test
