//===- Arrivals.h - what explicit arrivals bring ----------------*- C++ -*-===//
#pragma once

#include "tirx/Dialect/TIRx.h"

namespace tirx::passes {

/// Bytes that the arrival expects besides; 0 for a plain one.
int64_t getExpectedBytes(ir::MbarrierArriveOp arrive);

} // namespace tirx::passes
