//===- SharedSpan.h - checked access to a CTA's shared memory ---*- C++ -*-===//
#pragma once

#include "tirx/Runtime/Error.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tirx::rt::sim {

/// Shared memory of one CTA. Element 0 has window offset 0; every address given
/// to a unit is an offset into the window (cluster-rank bits removed).
using SharedSpan = std::span<std::byte>;
using ConstSharedSpan = std::span<const std::byte>;

/// Findings that do not stop the kernel. Functions that take a `Warnings *`
/// append to it; a null pointer drops them.
using Warnings = std::vector<std::string>;

/// Checks that [address, address+bytes) lies in a window of `windowBytes`.
/// `what` names the access in the error ("MMA operand A", "TMA destination").
Expected<void> checkSharedRange(uint64_t windowBytes, uint64_t address,
                                uint64_t bytes, std::string_view what);

/// Who did something: one thread, or an asynchronous operation and its issuer.
struct Actor {
  uint32_t cta = 0;         ///< linear CTA index in the grid
  uint16_t warp = 0;        ///< warp in the CTA
  uint8_t lane = 0;         ///< lane in the warp
  uint32_t line = 0;        ///< PTX line of the instruction (0 = unknown)
  std::string_view op = {}; ///< async operation ("cp.async.bulk.tensor",
                            ///< "tcgen05.commit"); empty for the thread itself.
                            ///< Must refer to static storage.
};

/// "CTA 3 warp 2 lane 0 (PTX line 117)", "tcgen05.commit issued by CTA ...".
std::string describe(const Actor &actor);

} // namespace tirx::rt::sim
