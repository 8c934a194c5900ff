//===- Rules.h - groups of rules that tirx-verify checks --------*- C++ -*-===//
//
// Each group looks at one launch, reports everything that it refuses at the
// operation's place, and changes nothing. Groups do not build on one another:
// one must not stumble over what another refuses.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "tirx/Dialect/TIRx.h"

namespace tirx::passes {

/// Whether the only result of `op` is memory of its first operand.
inline bool isView(mlir::Operation *op) {
  return mlir::isa<ir::SliceOp, ir::TransposeOp>(op);
}

/// Operations run in the threads that they need: one, whole warps, all of the
/// role, all of the CTA.
mlir::LogicalResult verifyExecutors(ir::LaunchOp launch);
/// The threads that reach a named barrier are those that it counts.
mlir::LogicalResult verifyNamedBarriers(ir::LaunchOp launch);
/// Mbarriers are initialised once, before any role begins.
mlir::LogicalResult verifyBarrierInits(ir::LaunchOp launch);
/// The arrivals at explicit mbarriers can add up to their counts.
mlir::LogicalResult verifyArrivals(ir::LaunchOp launch);
/// Tensor memory is given back once, and not used afterwards.
mlir::LogicalResult verifyTmemLifetimes(ir::LaunchOp launch);
/// All tcgen05 operations are of one CTA, or all are of a pair.
mlir::LogicalResult verifyCtaGroups(ir::LaunchOp launch);
/// Pipelines have producers and consumers that fit their signals.
mlir::LogicalResult verifyPlans(ir::LaunchOp launch);
/// A stage's tiles are used while the role has the stage, consumers only
/// read; copies fill each tile of a tma pipeline once.
mlir::LogicalResult verifyStageTiles(ir::LaunchOp launch);
/// Producers and consumers of a pipeline pass its stages equally often.
mlir::LogicalResult verifyTripCounts(ir::LaunchOp launch);

} // namespace tirx::passes
