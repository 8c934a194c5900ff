//===- ThreadSets.h - which threads of a CTA execute an operation *- C++
//-*-===//
#pragma once

#include "ThreadDependence.h"

#include "tirx/Dialect/TIRx.h"

#include "llvm/ADT/DenseMap.h"

#include <bitset>

namespace tirx::passes {

constexpr int64_t warpSize = 32;

/// Threads of a CTA by number; as many as one can have (PTX ISA, .reqntid).
using ThreadSet = std::bitset<1024>;

/// Finds the threads that reach an operation by computing, for every thread,
/// the conditions around it.
class ThreadSets {
public:
  explicit ThreadSets(ir::LaunchOp launch)
      : launch(launch), amongCta(launch, ThreadDependence::Among::cta) {}

  /// The threads that execute `op` when the CTA gets there; in tirx.elect one
  /// of them, the warp's first, stands for the elected. None if that depends on
  /// more than the thread's coordinates and constants.
  std::optional<ThreadSet> get(mlir::Operation *op);

private:
  using PerThread = std::optional<llvm::SmallVector<int64_t>>;
  const PerThread &evaluate(mlir::Value value, int depth = 0);
  PerThread compute(mlir::Value value, int depth);
  /// Takes the threads away that do not enter `region` of `parent`.
  bool restrict(ThreadSet &threads, mlir::Operation *parent,
                mlir::Region *region);

  ir::LaunchOp launch;
  ThreadDependence amongCta;
  llvm::DenseMap<mlir::Value, PerThread> known;
};

} // namespace tirx::passes
