//===- Verify.cpp - protocol rules that can be checked statically ---------===//

#include "Rules.h"

#include "tirx/Passes/Passes.h"

namespace tirx::passes {
#define GEN_PASS_DEF_TIRXVERIFY
#include "tirx/Passes/Passes.h.inc"
} // namespace tirx::passes

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;

static constexpr LogicalResult (*ruleGroups[])(LaunchOp) = {
    verifyExecutors, verifyNamedBarriers, verifyBarrierInits,
    verifyArrivals,  verifyTmemLifetimes, verifyCtaGroups,
    verifyPlans,     verifyStageTiles,    verifyTripCounts,
};

namespace {
struct VerifyPass : tirx::passes::impl::TIRxVerifyBase<VerifyPass> {
  void runOnOperation() override {
    bool ok = true;
    getOperation().walk([&](LaunchOp launch) {
      for (auto *verify : ruleGroups)
        ok &= succeeded(verify(launch));
    });
    if (!ok)
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
