//===- PlanPipelines.cpp - write down what roles imply --------------------===//

#include "PipelinePlan.h"

#include "tirx/Passes/Passes.h"

namespace tirx::passes {
#define GEN_PASS_DEF_TIRXPLANPIPELINES
#include "tirx/Passes/Passes.h.inc"
} // namespace tirx::passes

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;

/// Producers whose stages other CTAs release stay until all are released.
static LogicalResult addDrains(const PipelinePlan &plan) {
  if (!plan.needsDrain())
    return success();
  PipelineOp pipeline = plan.op;
  SmallVector<AcquireOp> acquires;
  for (Operation *user : pipeline.getResult().getUsers()) {
    if (isa<DrainOp>(user))
      return success();
    if (auto acquire = dyn_cast<AcquireOp>(user))
      acquires.push_back(acquire);
  }
  llvm::SmallPtrSet<Operation *, 4> drained;
  for (AcquireOp acquire : acquires) {
    auto role = acquire->getParentOfType<RoleOp>();
    if (!role || !isa<RolesOp>(role->getParentOp()))
      return acquire.emitOpError(
          "fills a stage that other CTAs release: put it "
          "into a role of tirx.roles, at whose end the "
          "releases are waited for, or end with "
          "tirx.drain");
    if (!drained.insert(role).second)
      continue;
    OpBuilder builder(role.getBody().front().getTerminator());
    DrainOp::create(builder, pipeline.getLoc(), pipeline.getResult(), Value(),
                    Value());
  }
  return success();
}

namespace {
struct PlanPipelinesPass
    : tirx::passes::impl::TIRxPlanPipelinesBase<PlanPipelinesPass> {
  void runOnOperation() override {
    SmallVector<PipelineOp> pipelines;
    getOperation().walk([&](PipelineOp op) { pipelines.push_back(op); });
    bool ok = true;
    for (PipelineOp op : pipelines) {
      FailureOr<PipelinePlan> plan = planPipeline(op);
      ok &= succeeded(plan) && succeeded(addDrains(*plan));
      if (failed(plan))
        continue;
      op.setFullCount(plan->full.count);
      op.setEmptyCount(plan->empty.count);
      if (plan->full.kind == PipelineSignal::tma)
        op.setBytes(plan->bytes);
    }
    if (!ok)
      signalPassFailure();
  }
};
} // namespace
