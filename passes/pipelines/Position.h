//===- Position.h - where a role is in a ring of stages ---------*- C++ -*-===//
#pragma once

#include "mlir/IR/Builders.h"

namespace tirx::passes {

/// A stage (index) and the parity that it waits for (i1).
struct Position {
  mlir::Value stage, phase;
};

/// The stage after `position`; the phase flips when all `stages` are through.
Position buildNextPosition(mlir::OpBuilder &builder, mlir::Location loc,
                           Position position, int64_t stages);

} // namespace tirx::passes
