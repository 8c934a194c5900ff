//===- Evaluate.h - host expressions at launch ------------------*- C++ -*-===//
#pragma once

#include "tirx/Runtime/Artifact.h"
#include "tirx/Runtime/Error.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tirx::rt {

/// The value of one kernel argument at a launch, checked.
struct BoundArgument {
  // Tensors.
  void *data = nullptr;
  std::vector<int64_t> shape, strides; ///< elements
  uint64_t bytes = 0;                  ///< from the first to the last element
  // Scalars.
  std::array<std::byte, 8> scalar_bytes = {}; ///< in the declared dtype
  int64_t integer = 0;                        ///< integer dtypes only
};

/// Evaluates an expression of a kernel that validateKernel accepts.
/// `arguments` correspond to `kernel.arguments`; `smCount` is the device's.
/// Errors, with the expression's text: overflow of 64 bits, division by zero,
/// division of negative numbers.
Expected<int64_t> evaluate(const HostExpr &expr, const Kernel &kernel,
                           const std::vector<BoundArgument> &arguments,
                           uint32_t smCount);

} // namespace tirx::rt
