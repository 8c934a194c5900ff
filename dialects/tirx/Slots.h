//===- Slots.h - which barrier of an array is meant --------------*- C++
//-*-===//
#pragma once

#include "tirx/Dialect/TIRx.h"

namespace tirx::ir {

/// Refuses a missing slot of an array of several barriers, and a constant slot
/// outside of the array. `slot` is null where none is written.
mlir::LogicalResult verifySlot(mlir::Operation *op, mlir::Value barrier,
                               mlir::Value slot);

} // namespace tirx::ir
