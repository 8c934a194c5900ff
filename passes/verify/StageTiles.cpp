//===- StageTiles.cpp - who uses the tiles of a stage, and when -----------===//

#include "../pipelines/PipelinePlan.h"
#include "LoopCounts.h"
#include "Rules.h"

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;

namespace {
/// A use of a tile, or of a view of it.
struct TileUse {
  OpOperand *operand;
  Value tile;
};
} // namespace

static SmallVector<TileUse> getTileUses(Operation *open) {
  SmallVector<TileUse> uses;
  for (Value tile : open->getResults()) {
    SmallVector<Value> aliases{tile};
    for (size_t i = 0; i < aliases.size(); ++i)
      for (OpOperand &use : aliases[i].getUses()) {
        uses.push_back({&use, tile});
        if (isView(use.getOwner()))
          aliases.push_back(use.getOwner()->getResult(0));
      }
  }
  return uses;
}

/// Whether the operation writes to this operand.
static bool isWritten(const OpOperand &use) {
  Operation *op = use.getOwner();
  Value value = use.get();
  if (auto copy = dyn_cast<CopyOp>(op))
    return copy.getDestination() == value;
  if (auto copy = dyn_cast<CopyAsyncOp>(op))
    return copy.getDestination() == value;
  if (auto gemm = dyn_cast<GemmAsyncOp>(op))
    return gemm.getD() == value;
  if (auto mma = dyn_cast<Tcgen05MmaOp>(op))
    return mma.getD() == value;
  return isa<StOp, Tcgen05StOp, TmaLoadOp>(op);
}

/// The operation that gives the stage away, in the block.
template <typename CloseT> static Operation *findClose(Operation *open) {
  for (Operation *op = open->getNextNode(); op; op = op->getNextNode())
    if (auto close = dyn_cast<CloseT>(op);
        close && close.getPipeline() == open->getOperand(0))
      return op;
  return nullptr; // refused by the operation's verifier
}

/// Uses of the tiles lie between `open` and the `CloseT`.
template <typename CloseT>
static LogicalResult verifyStage(Operation *open, llvm::StringRef given) {
  Operation *close = findClose<CloseT>(open);
  if (!close)
    return success();
  bool ok = true;
  for (const TileUse &use : getTileUses(open)) {
    Operation *user = use.operand->getOwner();
    Operation *top = open->getBlock()->findAncestorOpInBlock(*user);
    if (user->hasTrait<OpTrait::IsTerminator>() ||
        isa<RegionBranchOpInterface>(user)) {
      user->emitOpError("passes on a tile of a stage: tiles are used where "
                        "they were acquired or waited for")
              .attachNote(open->getLoc())
          << "here";
      ok = false;
    } else if (top && close->isBeforeInBlock(top)) {
      user->emitOpError("uses a tile of a stage that was ")
              .append(given)
              .attachNote(close->getLoc())
          << "here";
      ok = false;
    } else if (isa<WaitOp>(open) && isWritten(*use.operand)) {
      user->emitOpError("writes to a tile that tirx.wait returned: consumers "
                        "only read; a producer acquires a stage to write it")
              .attachNote(open->getLoc())
          << "here";
      ok = false;
    }
  }
  return success(ok);
}

//===----------------------------------------------------------------------===//
// Filling
//===----------------------------------------------------------------------===//

/// A phase of a tma pipeline completes with the bytes of all tiles of a stage:
/// less and the consumers wait for ever, more and a later phase gets them.
static LogicalResult verifyFilled(AcquireOp acquire) {
  auto pipeline = acquire.getPipeline().getDefiningOp<PipelineOp>();
  if (!pipeline || pipeline.getFull() != PipelineSignal::tma)
    return success();
  bool ok = true;
  LoopCounts counts;
  for (auto [index, tile] : llvm::enumerate(acquire.getTiles())) {
    std::optional<Polynomial> times = Polynomial(0);
    SmallVector<Operation *> copies;
    for (Operation *user : tile.getUsers()) {
      auto copy = dyn_cast<CopyAsyncOp>(user);
      if (!copy || copy.getDestination() != tile || copy.getBarrier())
        continue;
      copies.push_back(copy);
      auto count = counts.get(copy, acquire->getParentOp());
      times = times && count ? times->plus(*count) : std::nullopt;
    }
    auto constant = times ? times->getConstant() : std::nullopt;
    if (!constant || *constant == 1)
      continue;
    int64_t bytes = cast<BufferType>(tile.getType()).getTileBytes();
    InFlightDiagnostic diagnostic = acquire.emitOpError("expects ")
                                    << bytes << " bytes in tile " << index
                                    << " (" << describeTile(tile.getType())
                                    << "), but copies deliver "
                                    << *constant * bytes;
    if (copies.empty())
      diagnostic << ": no tirx.copy_async fills it";
    for (Operation *copy : llvm::reverse(copies))
      diagnostic.attachNote(copy->getLoc()) << "it is filled here";
    ok = false;
  }
  return success(ok);
}

//===----------------------------------------------------------------------===//
// The groups
//===----------------------------------------------------------------------===//

LogicalResult tirx::passes::verifyPlans(LaunchOp launch) {
  bool ok = true;
  launch.walk([&](PipelineOp op) { ok &= succeeded(planPipeline(op)); });
  return success(ok);
}

LogicalResult tirx::passes::verifyStageTiles(LaunchOp launch) {
  bool ok = true;
  launch.walk([&](Operation *op) {
    if (auto acquire = dyn_cast<AcquireOp>(op)) {
      ok &= succeeded(verifyStage<PublishOp>(op, "published"));
      ok &= succeeded(verifyFilled(acquire));
    }
    if (isa<WaitOp>(op))
      ok &= succeeded(verifyStage<ReleaseOp>(op, "released"));
  });
  return success(ok);
}
