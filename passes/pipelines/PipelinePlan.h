//===- PipelinePlan.h - what follows from who uses a pipeline ---*- C++ -*-===//
//
// Counts, bytes and destinations of a pipeline's signals, derived from the
// roles that fill and empty it. The lowering, the verifier and the worksheet
// all read the plan; none derives anything of it again.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "tirx/Dialect/TIRx.h"
#include "tirx/Layout/ClusterSets.h"

#include <compare>
#include <optional>
#include <string>
#include <vector>

namespace tirx::passes {

/// The warps that execute an operation: those of its role, else all of the CTA.
struct Executor {
  int64_t firstWarp;
  int64_t warps;
  /// Only in the even CTA of each pair.
  bool leader;
  /// "load"; empty for the whole CTA.
  std::string role;

  int64_t getThreads() const { return warps * 32; }
  /// `role "load"`, `the CTA`: for diagnostics.
  std::string describe() const;
  /// Roles of the same warps are one executor, whatever they are called.
  friend bool operator==(const Executor &a, const Executor &b) {
    return (a <=> b) == 0;
  }
  friend std::strong_ordering operator<=>(const Executor &a,
                                          const Executor &b) {
    return std::tie(a.firstWarp, a.warps, a.leader) <=>
           std::tie(b.firstWarp, b.warps, b.leader);
  }
};

/// `op` is in a tirx.launch.
Executor getExecutor(mlir::Operation *op);

/// Where the signals of one of a stage's two barriers go.
struct SignalPlan {
  ir::PipelineSignal kind = ir::PipelineSignal::threads;
  /// Arrivals of a phase at one barrier.
  int64_t count = 0;
  /// Whether arrivals, or bytes, come from other CTAs of the cluster, so that
  /// waits and arrivals need cluster scope.
  bool fromOtherCtas = false;
  /// The CTAs whose barriers a commit by the CTA of rank r signals; empty where
  /// that is its own only.
  std::vector<layout::ClusterMask> commitMasks;
  /// Where a thread arrives: at its own CTA's barrier, at that of the even CTA
  /// of its pair, or at both of the pair.
  enum class Arrive { own, even, pair } arrive = Arrive::own;
};

struct PipelinePlan {
  ir::PipelineOp op;
  ir::PipelineType type;
  std::vector<Executor> producers, consumers;
  SignalPlan full, empty;
  /// What a phase of a tma pipeline expects, in bytes; else 0.
  int64_t bytes = 0;
  /// The bytes of both CTAs of a pair arrive at the even one's barrier.
  bool bytesAtEvenCta = false;
  /// Producers must wait for the last releases before they end: those come from
  /// other CTAs and need this one's barriers.
  bool needsDrain() const { return empty.fromOtherCtas; }

  /// Fences that publish and release execute before they signal, and those of
  /// acquire and wait after they have waited; none where there is no need.
  std::optional<ir::FenceKind> getPublishFence() const;
  std::optional<ir::FenceKind> getReleaseFence() const;
  std::optional<ir::FenceKind> getWaitFence() const;
};

/// Fails, with a diagnostic, for a pipeline that nobody fills or empties, or
/// whose roles do not fit its signals.
mlir::FailureOr<PipelinePlan> planPipeline(ir::PipelineOp op);

} // namespace tirx::passes
