//===- Target.h - the GPUs that tirx compiles for ---------------*- C++ -*-===//
#pragma once

#include "tirx/Runtime/Error.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tirx {

/// One GPU architecture. All targets are architecture-specific ("a"): their PTX
/// runs on that architecture only.
struct TargetInfo {
  /// The name on the command line and in artifacts; also LLVM's CPU and
  /// ptxas' -arch.
  std::string_view name;
  /// LLVM's feature string: which PTX ISA version is emitted.
  std::string_view features;
  /// Dynamic shared memory that one CTA may have, in bytes, after opt-in.
  uint32_t maxDynamicSharedBytes;
  /// Columns of tensor memory, 32 bits wide and 128 lanes high; 0: none.
  uint32_t tmemColumns;
  bool hasTcgen05;
  bool hasWgmma;
  bool hasClusterLaunchControl;
};

/// Every target, in the order in which messages list them.
std::span<const TargetInfo> knownTargets();

/// The target of that name. Error: names `name` and the known targets.
rt::Expected<TargetInfo> lookupTarget(std::string_view name);

} // namespace tirx
