//===- PipelinePlan.cpp - what follows from who uses a pipeline -----------===//

#include "PipelinePlan.h"

#include "../dispatch/Plans.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;
namespace layout = tirx::layout;

//===----------------------------------------------------------------------===//
// Executors
//===----------------------------------------------------------------------===//

std::string Executor::describe() const {
  return role.empty() ? "the CTA" : "role \"" + role + "\"";
}

Executor tirx::passes::getExecutor(Operation *op) {
  if (auto role = op->getParentOfType<RoleOp>())
    return {(int64_t)role.getFirstWarp(), (int64_t)role.getWarps(),
            role.getLeader(), role.getRoleName().str()};
  auto launch = op->getParentOfType<LaunchOp>();
  return {0, (int64_t)launch.getThreads() / 32, false, ""};
}

template <typename OpT>
static std::vector<Executor> collectExecutors(PipelineOp pipeline) {
  std::vector<Executor> executors;
  for (Operation *user : pipeline.getResult().getUsers())
    if (isa<OpT>(user))
      if (Executor executor = getExecutor(user);
          !llvm::is_contained(executors, executor))
        executors.push_back(executor);
  llvm::sort(executors);
  return executors;
}

static bool isLeader(const Executor &executor) { return executor.leader; }

//===----------------------------------------------------------------------===//
// Signals
//===----------------------------------------------------------------------===//

namespace {
/// Which CTAs of a pair a set of executors runs in.
enum class Ctas { every, even };
} // namespace

static Ctas getCtas(ArrayRef<Executor> executors) {
  return llvm::all_of(executors, isLeader) ? Ctas::even : Ctas::every;
}

static std::string listExecutors(ArrayRef<Executor> executors) {
  std::string list;
  for (const Executor &executor : executors)
    list += (list.empty() ? "" : ", ") + executor.describe();
  return list;
}

/// Threads of `from` arrive where `to` wait.
static SignalPlan planArrivals(int64_t ctaGroup, ArrayRef<Executor> from,
                               ArrayRef<Executor> to) {
  SignalPlan plan;
  plan.kind = PipelineSignal::threads;
  for (const Executor &executor : from)
    plan.count += executor.getThreads();
  Ctas source = getCtas(from), target = getCtas(to);
  if (ctaGroup == 1 || source == target)
    return plan;
  plan.fromOtherCtas = true;
  if (target == Ctas::even) {
    plan.arrive = SignalPlan::Arrive::even;
    plan.count *= 2;
  } else {
    plan.arrive = SignalPlan::Arrive::pair;
  }
  return plan;
}

/// The even CTA of the pair of `rank`, or `rank` itself without pairs.
static int64_t getIssuer(int64_t ctaGroup, int64_t rank) {
  return ctaGroup == 2 ? rank & ~1 : rank;
}

/// Each executor of `from` commits to the CTAs where `to` wait. `axes` are
/// those along which the copies of a CTA reach others, whose commits it needs.
static SignalPlan planCommits(int64_t ctaGroup, layout::ClusterDims cluster,
                              ArrayRef<layout::ClusterAxis> axes,
                              ArrayRef<Executor> from, ArrayRef<Executor> to) {
  SignalPlan plan;
  plan.kind = PipelineSignal::mma;
  int64_t ctas = layout::clusterSize(cluster);
  bool toPair = ctaGroup == 2 && getCtas(to) == Ctas::every;
  plan.commitMasks.assign(ctas, 0);
  for (int64_t target = 0; target < ctas; ++target) {
    if (ctaGroup == 2 && !toPair && target % 2)
      continue;
    llvm::SmallSet<int64_t, 16> issuers;
    layout::ClusterMask reached = layout::clusterLines(
        cluster, std::span(axes.data(), axes.size()), 1 << target);
    for (int64_t rank = 0; rank < ctas; ++rank)
      if (reached >> rank & 1)
        issuers.insert(getIssuer(ctaGroup, rank));
    for (int64_t issuer : issuers) {
      plan.commitMasks[issuer] |= 1 << target;
      plan.fromOtherCtas |= issuer != target;
    }
    // The same for every CTA: lines along an axis are translates.
    plan.count = (int64_t)(issuers.size() * from.size());
  }
  if (!plan.fromOtherCtas)
    plan.commitMasks.clear();
  return plan;
}

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

std::optional<FenceKind> PipelinePlan::getPublishFence() const {
  if (full.kind != PipelineSignal::threads)
    return std::nullopt;
  return type.isTmem() ? FenceKind::tcgen05_before_thread_sync
                       : FenceKind::proxy_async;
}

std::optional<FenceKind> PipelinePlan::getReleaseFence() const {
  if (empty.kind != PipelineSignal::threads)
    return std::nullopt;
  if (type.isTmem())
    return FenceKind::tcgen05_before_thread_sync;
  // Reads by ld, then a write by TMA (PTX ISA, "Async proxy").
  if (full.kind == PipelineSignal::tma)
    return FenceKind::proxy_async;
  return std::nullopt;
}

std::optional<FenceKind> PipelinePlan::getWaitFence() const {
  if (!type.isTmem())
    return std::nullopt;
  return FenceKind::tcgen05_after_thread_sync;
}

//===----------------------------------------------------------------------===//
// Copies into stages
//===----------------------------------------------------------------------===//

/// The axes of all multicasts into the pipeline's stages.
static SmallVector<layout::ClusterAxis, 3>
collectMulticastAxes(PipelineOp pipeline) {
  llvm::SmallSetVector<layout::ClusterAxis, 3> axes;
  for (Operation *user : pipeline.getResult().getUsers()) {
    auto acquire = dyn_cast<AcquireOp>(user);
    if (!acquire)
      continue;
    for (Value tile : acquire.getTiles())
      for (Operation *use : tile.getUsers())
        if (auto copy = dyn_cast<CopyAsyncOp>(use); copy && copy.getMulticast())
          axes.insert(toClusterAxis(*copy.getMulticast()));
  }
  return axes.takeVector();
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

static LogicalResult checkUsers(const PipelinePlan &plan) {
  PipelineOp op = plan.op;
  if (plan.producers.empty())
    return op.emitOpError(plan.consumers.empty()
                              ? "is never filled nor emptied"
                              : "is never filled: no role acquires it");
  if (plan.consumers.empty())
    return op.emitOpError("is filled by ")
           << listExecutors(plan.producers) << ", but no role waits for it";
  if (op.getCtaGroup() == 1)
    return success();
  // The pair's tensor cores work together on one instruction.
  auto checkLeaders = [&](PipelineSignal signal, StringRef which,
                          ArrayRef<Executor> executors) -> LogicalResult {
    if (signal != PipelineSignal::mma || llvm::all_of(executors, isLeader))
      return success();
    return op.emitOpError(which)
           << "(mma) of cta_group(2) is signalled by leader roles: the even "
              "CTA "
              "issues the MMAs of the pair, but "
           << llvm::find_if_not(executors, isLeader)->describe()
           << " runs in both CTAs";
  };
  if (failed(checkLeaders(op.getFull(), "full", plan.producers)) ||
      failed(checkLeaders(op.getEmpty(), "empty", plan.consumers)))
    return failure();
  if (op.getFull() == PipelineSignal::tma &&
      getCtas(plan.consumers) == Ctas::every)
    return op.emitOpError(
               "full(tma) of cta_group(2) delivers the bytes of both "
               "CTAs at the even one: its consumers must be leader "
               "roles, not ")
           << listExecutors(plan.consumers);
  if (op.getFull() == PipelineSignal::tma &&
      getCtas(plan.producers) == Ctas::even)
    return op.emitOpError("full(tma) of cta_group(2) is filled by both CTAs, "
                          "each its half, but ")
           << listExecutors(plan.producers) << " runs in the even one only";
  return success();
}

static LogicalResult checkStated(PipelineOp op, StringRef name,
                                 std::optional<int64_t> stated, int64_t derived,
                                 StringRef why) {
  if (!stated || *stated == derived)
    return success();
  return op.emitOpError(name)
         << "(" << *stated << ") disagrees with " << why << ": " << derived;
}

FailureOr<PipelinePlan> tirx::passes::planPipeline(PipelineOp op) {
  auto launch = op->getParentOfType<LaunchOp>();
  PipelinePlan plan;
  plan.op = op;
  plan.type = cast<PipelineType>(op.getResult().getType());
  plan.producers = collectExecutors<AcquireOp>(op);
  plan.consumers = collectExecutors<WaitOp>(op);
  if (failed(checkUsers(plan)))
    return failure();
  int64_t group = op.getCtaGroup();
  layout::ClusterDims cluster = launch.getClusterSize();
  SmallVector<layout::ClusterAxis, 3> axes = collectMulticastAxes(op);
  if (!axes.empty() && op.getEmpty() != PipelineSignal::mma)
    return op.emitOpError(
        "is filled by multicast copies: empty(threads) cannot "
        "tell the other CTAs, empty(mma) can");

  switch (op.getFull()) {
  case PipelineSignal::tma:
    if (plan.producers.size() > 1)
      return op.emitOpError("full(tma) has ")
             << plan.producers.size()
             << " producers, one must expect all bytes of a stage: "
             << listExecutors(plan.producers);
    plan.full.kind = PipelineSignal::tma;
    plan.full.count = 1;
    plan.full.fromOtherCtas = group == 2 || !axes.empty();
    plan.bytes = plan.type.getStageBytes() * group;
    plan.bytesAtEvenCta = group == 2;
    break;
  case PipelineSignal::mma:
    plan.full = planCommits(group, cluster, {}, plan.producers, plan.consumers);
    break;
  case PipelineSignal::threads:
    plan.full = planArrivals(group, plan.producers, plan.consumers);
    break;
  }
  plan.empty =
      op.getEmpty() == PipelineSignal::mma
          ? planCommits(group, cluster, axes, plan.consumers, plan.producers)
          : planArrivals(group, plan.consumers, plan.producers);

  if (failed(checkStated(op, "full_count", op.getFullCount(), plan.full.count,
                         "the arrivals of its producers in a phase")) ||
      failed(checkStated(op, "empty_count", op.getEmptyCount(),
                         plan.empty.count,
                         "the arrivals of its consumers in a phase")) ||
      failed(checkStated(op, "bytes", op.getBytes(), plan.bytes,
                         "the bytes of a stage")))
    return failure();
  return plan;
}
