//===- RegisterBudget.h - registers of a thread -----------------*- C++ -*-===//
#pragma once

#include "tirx/Layout/HardwareLimits.h"

#include <algorithm>
#include <cstdint>

namespace tirx::passes {

/// Registers that a thread may use when the kernel starts: the SM's over the
/// CTA's threads, in steps of 8. Stated so that setmaxnreg has a base to work
/// from; without it ptxas ignores that instruction (C7508).
inline int64_t getMaxRegisters(int64_t threads) {
  return std::min(layout::kSmRegisters / threads / 8 * 8,
                  layout::kMaxThreadRegisters);
}

} // namespace tirx::passes
