//===- TargetCode.h - which code of a kernel a device runs ------*- C++ -*-===//
#pragma once

#include "tirx/Runtime/Artifact.h"

#include <string>
#include <string_view>
#include <vector>

namespace tirx::rt {

/// The code for the first of `targets` that the kernel has. The error lists the
/// kernel's targets.
Expected<const TargetCode *> findCode(const Kernel &kernel,
                                      const std::vector<std::string> &targets,
                                      std::string_view device);

/// Static (as far as ptxas reported it) and dynamic shared memory together.
Expected<void> checkSharedMemory(const Kernel &kernel, const TargetCode &code);

} // namespace tirx::rt
