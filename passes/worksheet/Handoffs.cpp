//===- Handoffs.cpp - who signals whom ------------------------------------===//

#include "Handoffs.h"

#include "../verify/Arrivals.h"

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;

std::string tirx::passes::getName(Operation *op) {
  auto name = dyn_cast<NameLoc>(op->getLoc());
  return name ? name.getName().str() : "(added)";
}

//===----------------------------------------------------------------------===//
// Pipelines
//===----------------------------------------------------------------------===//

static std::string describeSignal(PipelineSignal signal) {
  switch (signal) {
  case PipelineSignal::tma:
    return "TMA";
  case PipelineSignal::mma:
    return "commit";
  case PipelineSignal::threads:
    return "arrive";
  }
  return "";
}

/// "tcgen05_before_thread_sync, after the wait tcgen05_after_thread_sync".
static std::string describeFences(std::optional<FenceKind> before,
                                  std::optional<FenceKind> after) {
  std::string text;
  if (before)
    text += stringifyFenceKind(*before).str() + " before";
  if (after)
    text += (text.empty() ? "" : ", ") + stringifyFenceKind(*after).str() +
            " after";
  return text.empty() ? "none" : text;
}

static void addPipeline(const PipelinePlan &plan,
                        std::vector<Handoff> &handoffs) {
  std::string name = getName(plan.op);
  auto add = [&](const char *side, const SignalPlan &signal, auto &from,
                 auto &to, int64_t bytes, const char *firstWait,
                 std::optional<FenceKind> before) {
    handoffs.push_back({name + side, plan.type.getStages(), from, to,
                        describeSignal(signal.kind), signal.count, bytes,
                        firstWait, signal.fromOtherCtas,
                        describeFences(before, plan.getWaitFence())});
  };
  add(".full", plan.full, plan.producers, plan.consumers, plan.bytes, "blocks",
      plan.getPublishFence());
  add(".empty", plan.empty, plan.consumers, plan.producers, 0, "passes",
      plan.getReleaseFence());
}

//===----------------------------------------------------------------------===//
// Explicit mbarriers
//===----------------------------------------------------------------------===//

static void addUnique(std::vector<Executor> &executors, Operation *op) {
  if (Executor executor = getExecutor(op);
      !llvm::is_contained(executors, executor))
    executors.push_back(executor);
}

static void addWord(std::string &words, StringRef word) {
  if (!StringRef(words).contains(word))
    words += (words.empty() ? "" : ", ") + word.str();
}

static Handoff describeBarrier(MbarrierAllocOp alloc) {
  auto type = cast<BarrierType>(alloc.getResult().getType());
  Handoff handoff{getName(alloc), type.getSlots(), {},          {}, "", 0, 0,
                  "as written",   false,           "as written"};
  SmallVector<Operation *> users(alloc.getResult().getUsers());
  for (Operation *user : llvm::reverse(users)) {
    if (auto init = dyn_cast<MbarrierInitOp>(user)) {
      handoff.arrivals = init.getCount();
    } else if (auto arrive = dyn_cast<MbarrierArriveOp>(user)) {
      addUnique(handoff.from, user);
      bool expects = getExpectedBytes(arrive) != 0;
      addWord(handoff.signal, expects ? "TMA" : "arrive");
      handoff.bytes = std::max(handoff.bytes, getExpectedBytes(arrive));
      handoff.cluster |= arrive.getCta() || arrive.getCluster();
    } else if (auto commit = dyn_cast<Tcgen05CommitOp>(user)) {
      addUnique(handoff.from, user);
      addWord(handoff.signal, "commit");
      handoff.cluster |= (bool)commit.getMulticast();
    } else if (auto wait = dyn_cast<MbarrierWaitOp>(user)) {
      addUnique(handoff.to, user);
      handoff.cluster |= wait.getCluster();
    }
  }
  return handoff;
}

FailureOr<std::vector<Handoff>> tirx::passes::collectHandoffs(LaunchOp launch) {
  std::vector<Handoff> handoffs;
  for (auto pipeline : launch.getBody().getOps<PipelineOp>()) {
    FailureOr<PipelinePlan> plan = planPipeline(pipeline);
    if (failed(plan))
      return failure();
    addPipeline(*plan, handoffs);
  }
  for (auto alloc : launch.getBody().getOps<MbarrierAllocOp>())
    handoffs.push_back(describeBarrier(alloc));
  return handoffs;
}
