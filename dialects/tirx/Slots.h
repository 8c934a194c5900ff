//===- Slots.h - what mbarriers can count, which one is meant ---*- C++ -*-===//
#pragma once

#include "tirx/Dialect/TIRx.h"

namespace tirx::ir {

/// PTX ISA, "Contents of the mbarrier object": pending count and tx-count are
/// limited to 2^20 - 1.
constexpr int64_t mbarrierCountLimit = (1 << 20) - 1;

/// Refuses a missing slot of an array of several barriers, and a constant slot
/// outside of the array. `slot` is null where none is written.
mlir::LogicalResult verifySlot(mlir::Operation *op, mlir::Value barrier,
                               mlir::Value slot);

} // namespace tirx::ir
