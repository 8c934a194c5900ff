//===- ThreadDependence.h - which values differ between threads -*- C++ -*-===//
#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringRef.h"

namespace tirx::passes {

/// The values under an operation that may differ between threads, and all that
/// is computed from them.
class ThreadDependence {
public:
  enum class Among {
    cta, ///< thread coordinates, what is loaded from memory, register tiles,
         ///< results of operations that are not known to be uniform
    warp ///< what differs between the lanes of a warp for certain: the lane,
         ///< its election, comparisons of a thread's number that cut through a
         ///< warp. A value loaded, or a quotient of tx, may be uniform.
  };
  ThreadDependence(mlir::Operation *root, Among among);
  bool isDependent(mlir::Value value) const { return dependent.count(value); }

private:
  bool isSource(mlir::Operation *op) const;
  bool mark(mlir::Operation *op);
  Among among;
  llvm::DenseSet<mlir::Value> dependent;
};

/// What decides whether, or how often, the regions of an operation run.
struct Guard {
  mlir::Value value;
  llvm::StringRef what;
};

/// The guards of a branch or a loop; none for other operations.
llvm::SmallVector<Guard, 3> getGuards(mlir::Operation *op);

} // namespace tirx::passes
