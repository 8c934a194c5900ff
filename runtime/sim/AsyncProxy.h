//===- AsyncProxy.h - checks of asynchronous memory use ---------*- C++ -*-===//
#pragma once

#include "Handlers.h"
#include "units/Swizzle.h"

#include <optional>
#include <span>

namespace tirx::rt::sim {

/// At the issue of an operation that will read shared memory through the async
/// proxy: no generic write without fence.proxy.async in between, no copy that
/// still writes there. With `swizzle`, warns about cells that a bulk tensor
/// copy wrote with another mode. On success marks the cells as being read.
/// False after a fault.
bool beginAsyncRead(Context &context, unsigned lane, Cta &cta, uint32_t address,
                    uint64_t bytes, std::string_view what,
                    std::optional<Swizzle> swizzle = std::nullopt);
void endAsyncRead(Cta &cta, uint32_t address, uint64_t bytes);

/// At the issue of an operation that will write shared memory: nothing else
/// reads or writes there any more. Fills the range with 0xFF (NaN) and marks
/// it. False after a fault.
bool beginAsyncWrite(Context &context, unsigned lane, Cta &cta,
                     uint32_t address, uint64_t bytes, std::string_view what);
/// `swizzle`: how a bulk tensor copy wrote it.
void endAsyncWrite(Cta &cta, uint32_t address, uint64_t bytes,
                   std::optional<Swizzle> swizzle);

} // namespace tirx::rt::sim
