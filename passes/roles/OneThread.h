//===- OneThread.h - operations that one thread executes --------*- C++ -*-===//
#pragma once

#include "mlir/IR/Operation.h"

namespace tirx::passes {

/// Whether `op` does its work once for each thread that executes it, so that
/// exactly one must: TMA, MMA, commits, expected bytes, barrier initialisation.
bool isOneThreadOperation(mlir::Operation *op);

} // namespace tirx::passes
