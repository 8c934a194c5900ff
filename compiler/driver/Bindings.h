//===- Bindings.h - values for a kernel's arguments -------------*- C++ -*-===//
#pragma once

#include "ArgSpec.h"
#include "tirx/Runtime/Artifact.h"

#include <map>
#include <string>
#include <variant>
#include <vector>

namespace tirx::driver {

using BoundValue = std::variant<rt::HostTensor, rt::ScalarArg>;
using Bindings = std::map<std::string, BoundValue>;

/// The kernel of that name, or the only one if `name` is empty. Errors list the
/// kernels.
rt::Expected<const rt::Kernel *> selectKernel(const rt::Artifact &artifact,
                                              const std::string &name);

/// A value for each argument of the kernel. Sources come from the command line;
/// a tensor that the kernel only writes may be left out if its shape is static
/// or follows from the kernel's launch checks (`dim(D,0) == dim(A,0)`), and is
/// poisoned. The tensor at position i is random with seed `seed` + i. Errors
/// name the argument: unknown, missing, a scalar for a tensor or the reverse, a
/// file that cannot be read.
rt::Expected<Bindings>
bindArguments(const rt::Kernel &kernel,
              const std::map<std::string, ArgSource> &sources, uint64_t seed);

/// A line that lists the kernel's arguments: "A: 256x?xf16, n: i32".
std::string describeArguments(const rt::Kernel &kernel);

} // namespace tirx::driver
