//===- LowerProtocol.cpp - elections, waits, TMEM allocation --------------===//

#include "StorageAttrs.h"

#include "tirx/Dialect/TIRx.h"
#include "tirx/Passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tirx::passes {
#define GEN_PASS_DEF_TIRXLOWERPROTOCOL
#include "tirx/Passes/Passes.h.inc"
} // namespace tirx::passes

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;

/// A branch that one warp of the CTA takes as a whole.
static scf::IfOp buildIfWarp(OpBuilder &builder, Location loc, int64_t warp) {
  Value id = IdOp::create(builder, loc, ThreadAxis::warpid);
  Value wanted = arith::ConstantIndexOp::create(builder, loc, warp);
  Value isMine =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, id, wanted);
  return scf::IfOp::create(builder, loc, isMine);
}

/// The warp branches as a whole, so that the branch is uniform; only what one
/// lane issues is predicated.
static void lowerElect(OpBuilder &builder, ElectOp elect) {
  Location loc = elect.getLoc();
  builder.setInsertionPoint(elect);
  auto ofWarp = buildIfWarp(builder, loc, elect.getElectedWarp());
  builder.setInsertionPointToStart(ofWarp.thenBlock());
  Value isElected = ElectSyncOp::create(builder, loc);
  auto ofThread = scf::IfOp::create(builder, loc, isElected);
  Block *body = &elect.getBody().front();
  body->getTerminator()->erase();
  ofThread.thenBlock()->getOperations().splice(ofThread.thenBlock()->begin(),
                                               body->getOperations());
  elect.erase();
}

static void lowerWait(OpBuilder &builder, MbarrierWaitOp wait) {
  Location loc = wait.getLoc();
  builder.setInsertionPoint(wait);
  scf::WhileOp::create(
      builder, loc, TypeRange(), ValueRange(),
      [&](OpBuilder &b, Location, ValueRange) {
        Value done =
            MbarrierTryWaitOp::create(b, loc, wait.getBarrier(), wait.getSlot(),
                                      wait.getParity(), wait.getCluster());
        Value yes = arith::ConstantIntOp::create(b, loc, 1, /*width=*/1);
        Value again = arith::XOrIOp::create(b, loc, done, yes);
        scf::ConditionOp::create(b, loc, again, ValueRange());
      },
      [&](OpBuilder &b, Location, ValueRange) {
        scf::YieldOp::create(b, loc);
      });
  wait.erase();
}

/// The cta_group of all tcgen05 operations of a launch: 2 if any says so (PTX
/// ISA, "tcgen05: CTA pair": a kernel has one).
static int64_t getCtaGroup(LaunchOp launch) {
  auto isOfPair = [](auto op) {
    return op.getCtaGroup() == 2 ? WalkResult::interrupt()
                                 : WalkResult::advance();
  };
  bool pair = launch.walk([&](Tcgen05MmaOp op) { return isOfPair(op); })
                  .wasInterrupted() ||
              launch.walk([&](Tcgen05CommitOp op) { return isOfPair(op); })
                  .wasInterrupted();
  return pair ? 2 : 1;
}

/// What tcgen05 operations of one warp did before is ordered before what those
/// of others do after; with `cluster` those of all its CTAs.
static void buildTcgen05Sync(OpBuilder &builder, Location loc, bool cluster) {
  FenceOp::create(builder, loc, FenceKind::tcgen05_before_thread_sync);
  if (cluster)
    ClusterSyncOp::create(builder, loc);
  else
    CtaSyncOp::create(builder, loc);
  FenceOp::create(builder, loc, FenceKind::tcgen05_after_thread_sync);
}

/// The warp that allocates and frees (PTX ISA, tcgen05.alloc: one warp).
constexpr int64_t tmemWarp = 0;

static LogicalResult lowerTmem(OpBuilder &builder, LaunchOp launch) {
  SmallVector<TmemAllocOp> allocs(launch.getBody().getOps<TmemAllocOp>());
  if (allocs.empty())
    return success();
  auto columns = launch->getAttrOfType<IntegerAttr>(tmemColumnsAttr);
  auto offset = launch->getAttrOfType<IntegerAttr>(tmemAddressOffsetAttr);
  if (!columns || !offset)
    return launch.emitOpError(
        "has no storage assigned: run tirx-assign-storage first");
  SmallVector<TmemDeallocOp> deallocs(launch.getBody().getOps<TmemDeallocOp>());
  if (deallocs.empty())
    return launch.emitOpError("allocates tensor memory, but never gives it "
                              "back: run tirx-verify first");

  int64_t group = getCtaGroup(launch);
  Location loc = allocs.front().getLoc();
  builder.setInsertionPoint(allocs.front());
  auto allocating = buildIfWarp(builder, loc, tmemWarp);
  builder.setInsertionPointToStart(allocating.thenBlock());
  Tcgen05AllocOp::create(builder, loc, columns.getInt(), offset.getInt(),
                         group);
  builder.setInsertionPointAfter(allocating);
  buildTcgen05Sync(builder, loc, group == 2);

  loc = deallocs.back().getLoc();
  builder.setInsertionPoint(deallocs.back());
  // No CTA ends while others may use its memory.
  buildTcgen05Sync(builder, loc, launch.getClusterCtas() > 1);
  auto freeing = buildIfWarp(builder, loc, tmemWarp);
  builder.setInsertionPointToStart(freeing.thenBlock());
  // The first tile has column 0: its address is the allocation's.
  Tcgen05DeallocOp::create(builder, loc, allocs.front().getResult(),
                           columns.getInt(), group);
  for (TmemDeallocOp dealloc : deallocs)
    dealloc.erase();
  return success();
}

/// A warp's number is made uniform by a shuffle of all its lanes: it must not
/// be asked for where they have parted.
static void hoistWarpIds(LaunchOp launch) {
  Block *body = &launch.getBody().front();
  SmallVector<IdOp> nested;
  launch.walk([&](IdOp id) {
    if (id->getBlock() != body && (id.getAxis() == ThreadAxis::warpid ||
                                   id.getAxis() == ThreadAxis::wgid ||
                                   id.getAxis() == ThreadAxis::wid_in_wg))
      nested.push_back(id);
  });
  for (IdOp id : nested)
    id->moveBefore(body, body->begin());
}

namespace {
struct LowerProtocolPass
    : tirx::passes::impl::TIRxLowerProtocolBase<LowerProtocolPass> {
  void runOnOperation() override {
    OpBuilder builder(&getContext());
    SmallVector<LaunchOp> launches;
    SmallVector<ElectOp> elects;
    SmallVector<MbarrierWaitOp> waits;
    getOperation().walk([&](Operation *op) {
      if (auto launch = dyn_cast<LaunchOp>(op))
        launches.push_back(launch);
      else if (auto elect = dyn_cast<ElectOp>(op))
        elects.push_back(elect);
      else if (auto wait = dyn_cast<MbarrierWaitOp>(op))
        waits.push_back(wait);
    });
    for (LaunchOp launch : launches)
      if (failed(lowerTmem(builder, launch)))
        return signalPassFailure();
    for (ElectOp elect : elects)
      lowerElect(builder, elect);
    for (MbarrierWaitOp wait : waits)
      lowerWait(builder, wait);
    for (LaunchOp launch : launches)
      hoistWarpIds(launch);
  }
};
} // namespace
