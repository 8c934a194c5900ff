//===- Handoffs.h - who signals whom --------------------------*- C++ -*-===//
#pragma once

#include "../pipelines/PipelinePlan.h"

#include <string>
#include <vector>

namespace tirx::passes {

/// One mbarrier, or array of them, as a way from some executors to others.
struct Handoff {
  std::string name; ///< "ring.full"
  int64_t slots;
  std::vector<Executor> from, to;
  std::string signal; ///< "TMA", "commit", "arrive"
  int64_t arrivals;   ///< that complete a phase
  int64_t bytes;      ///< that it expects besides; 0 for none
  /// Whether the first wait returns at once or waits for the first signal;
  /// explicit barriers leave that to the kernel.
  std::string firstWait;
  bool cluster; ///< signals come from other CTAs
  std::string fences;
};

/// The name that `nameStorage` gave to what `op` allocates.
std::string getName(mlir::Operation *op);

/// Those of the pipelines, then those of explicit mbarriers, in order of the
/// text. Fails, with diagnostics, if a pipeline has no plan.
mlir::FailureOr<std::vector<Handoff>> collectHandoffs(ir::LaunchOp launch);

} // namespace tirx::passes
