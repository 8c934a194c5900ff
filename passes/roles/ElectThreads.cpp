//===- ElectThreads.cpp - one thread for what one thread does -------------===//

#include "OneThread.h"

#include "tirx/Dialect/TIRx.h"
#include "tirx/Passes/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tirx::passes {
#define GEN_PASS_DEF_TIRXELECTTHREADS
#include "tirx/Passes/Passes.h.inc"
} // namespace tirx::passes

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;

bool tirx::passes::isOneThreadOperation(Operation *op) {
  if (auto copy = dyn_cast<CopyAsyncOp>(op))
    return copy.getDestination() && isa<BufferType>(copy.getSource().getType());
  if (auto arrive = dyn_cast<MbarrierArriveOp>(op))
    return !arrive.getExpected().empty() || arrive.getExpectTx();
  return isa<GemmAsyncOp, Tcgen05MmaOp, Tcgen05CommitOp, TmaLoadOp, TmaStoreOp,
             MbarrierInitOp, BulkCommitGroupOp, BulkWaitGroupOp>(op);
}

namespace {
/// Gathers the one-thread operations of a block of a role of one warp into
/// elections, one for each run of them.
class Gatherer {
public:
  Gatherer(OpBuilder &builder, int64_t warp) : builder(builder), warp(warp) {}

  void run(Block *block) {
    ElectOp open;
    for (Operation &op : llvm::make_early_inc_range(*block)) {
      auto elect = dyn_cast<ElectOp>(op);
      if (elect && elect.getElectedWarp() == warp) {
        if (open)
          append(open, elect);
        else
          open = elect;
      } else if (isOneThreadOperation(&op)) {
        if (!open)
          open = create(&op);
        op.moveBefore(open.getBody().front().getTerminator());
      } else if (open && op.getNumRegions() == 0 && isPure(&op) &&
                 !op.hasTrait<OpTrait::IsTerminator>()) {
        // Computing an operand does not end a run.
        op.moveBefore(open);
      } else {
        open = {};
        for (Region &region : op.getRegions())
          for (Block &inner : region)
            run(&inner);
      }
    }
  }

private:
  ElectOp create(Operation *before) {
    builder.setInsertionPoint(before);
    auto elect = ElectOp::create(builder, before->getLoc(),
                                 builder.getI64IntegerAttr(warp));
    builder.createBlock(&elect.getBody());
    ReturnOp::create(builder, before->getLoc());
    return elect;
  }

  static void append(ElectOp open, ElectOp next) {
    Block &from = next.getBody().front();
    from.getTerminator()->erase();
    Operation *end = open.getBody().front().getTerminator();
    end->getBlock()->getOperations().splice(end->getIterator(),
                                            from.getOperations());
    next.erase();
  }

  OpBuilder &builder;
  int64_t warp;
};

struct ElectThreadsPass
    : tirx::passes::impl::TIRxElectThreadsBase<ElectThreadsPass> {
  void runOnOperation() override {
    OpBuilder builder(&getContext());
    SmallVector<RoleOp> roles;
    getOperation().walk([&](RoleOp role) {
      if (role.getWarps() == 1)
        roles.push_back(role);
    });
    for (RoleOp role : roles)
      Gatherer(builder, role.getFirstWarp()).run(&role.getBody().front());
  }
};
} // namespace
