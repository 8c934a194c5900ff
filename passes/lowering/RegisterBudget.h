//===- RegisterBudget.h - registers of a thread -----------------*- C++ -*-===//
#pragma once

#include <algorithm>
#include <cstdint>

namespace tirx::passes {

/// Registers that a thread may use when the kernel starts: the file's 65536
/// (CUDA programming guide, compute capabilities) over the CTA's threads, in
/// steps of 8, at most 255. Stated so that setmaxnreg has a base to work from;
/// without it ptxas ignores that instruction (C7508).
inline int64_t getMaxRegisters(int64_t threads) {
  return std::min<int64_t>(65536 / threads / 8 * 8, 255);
}

} // namespace tirx::passes
