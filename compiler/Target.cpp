//===- Target.cpp - the GPUs that tirx compiles for -----------------------===//
#include "tirx/Compiler/Target.h"

#include "tirx/Layout/HardwareLimits.h"

#include <fmt/ranges.h>

#include <vector>

namespace tirx {

// Shared memory: CUDA C++ Programming Guide, "Technical Specifications per
// Compute Capability": 227 KB a block for 9.0 and 10.0.
// Tensor memory: PTX ISA, "Tensor Memory": 512 columns of 128 lanes.
// clusterlaunchcontrol: PTX ISA, sm_100 and later.
// PTX 8.8: LLVM's own default for sm_100a (8.6) lacks three-input max, 256-bit
// loads and the .block16 and .block32 scales.
static constexpr TargetInfo targets[] = {
    {"sm_100a", "+ptx88", layout::kMaxSharedBytes, layout::kTmemColumns, true,
     false, true},
    {"sm_90a", "+ptx88", layout::kMaxSharedBytes, 0, false, true, false},
};

std::span<const TargetInfo> knownTargets() { return targets; }

rt::Expected<TargetInfo> lookupTarget(std::string_view name) {
  std::vector<std::string_view> names;
  for (const TargetInfo &target : targets) {
    if (target.name == name)
      return target;
    names.push_back(target.name);
  }
  return rt::makeError("unknown target '{}'; the known targets are {}", name,
                       fmt::join(names, ", "));
}

} // namespace tirx
