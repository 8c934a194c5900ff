//===- BindArguments.h - check what the caller passes -----------*- C++ -*-===//
#pragma once

#include "device/Evaluate.h"
#include "tirx/Runtime/Device.h"

#include <vector>

namespace tirx::rt {

/// Checks `args` against `kernel.arguments` and gives their values in that
/// order. Errors begin "argument 'NAME': ".
Expected<std::vector<BoundArgument>> bindArguments(const Kernel &kernel,
                                                   const ArgMap &args);

} // namespace tirx::rt
