//===- TargetCode.cpp - which code of a kernel a device runs ----*- C++ -*-===//
#include "device/TargetCode.h"

#include "tirx/Runtime/Limits.h"

using namespace tirx::rt;

Expected<const TargetCode *>
tirx::rt::findCode(const Kernel &kernel,
                   const std::vector<std::string> &targets,
                   std::string_view device) {
  for (const std::string &target : targets)
    for (const TargetCode &code : kernel.codes)
      if (code.target == target)
        return &code;
  std::vector<std::string_view> present;
  for (const TargetCode &code : kernel.codes)
    present.push_back(code.target);
  return makeError("kernel {}: has no code for {}, which device {} needs; it "
                   "has code for {}",
                   kernel.name, fmt::join(targets, " or "), device,
                   present.empty()
                       ? "no target"
                       : fmt::format("{}", fmt::join(present, ", ")));
}

Expected<void> tirx::rt::checkSharedMemory(const Kernel &kernel,
                                           const TargetCode &code) {
  const uint64_t fixed =
      code.resources ? code.resources->static_shared_bytes : 0;
  const uint64_t total = fixed + kernel.dynamic_shared_bytes;
  if (total <= kMaxSharedBytes)
    return {};
  return makeError("kernel {}: {} bytes of static and {} of dynamic shared "
                   "memory for {}, more than {} (227 KiB a CTA)",
                   kernel.name, fixed, kernel.dynamic_shared_bytes, code.target,
                   kMaxSharedBytes);
}
