//===- SharedSpan.cpp - checked access to a CTA's shared memory -*- C++ -*-===//
#include "SharedSpan.h"

namespace tirx::rt::sim {

Expected<void> checkSharedRange(uint64_t windowBytes, uint64_t address,
                                uint64_t bytes, std::string_view what) {
  if (address <= windowBytes && bytes <= windowBytes - address)
    return {};
  return makeError("{}: bytes [{:#x}, {:#x}) leave the CTA's shared memory, "
                   "which ends at {:#x}",
                   what, address, address + bytes, windowBytes);
}

std::string describe(const Actor &actor) {
  std::string thread =
      fmt::format("CTA {} warp {} lane {}", actor.cta, actor.warp, actor.lane);
  if (actor.line)
    thread += fmt::format(" (PTX line {})", actor.line);
  if (actor.op.empty())
    return thread;
  return fmt::format("{} issued by {}", actor.op, thread);
}

} // namespace tirx::rt::sim
