//===- LowerSchedules.cpp - loops over the tiles of a CTA -----------------===//

#include "../verify/ThreadDependence.h"
#include "LaunchControl.h"

#include "tirx/Dialect/TIRx.h"
#include "tirx/Passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

namespace tirx::passes {
#define GEN_PASS_DEF_TIRXLOWERSCHEDULES
#include "tirx/Passes/Passes.h.inc"
} // namespace tirx::passes

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Tiles are dealt out along x: %clusterid.x is the number of the cluster if
/// one cluster spans y and z.
static LogicalResult verifyGrid(LaunchOp launch) {
  std::array<int64_t, 3> cluster = launch.getClusterSize();
  for (auto [axis, grid] :
       {std::pair('y', launch.getGridY()), std::pair('z', launch.getGridZ())}) {
    int64_t wanted = cluster[axis - 'x'];
    APInt extent;
    if (matchPattern(grid, m_ConstantInt(&extent)) &&
        extent.getSExtValue() == wanted)
      continue;
    return launch.emitOpError("follows a tirx.schedule, which deals out tiles "
                              "along x: the grid's ")
           << axis << " extent must be the constant " << wanted
           << ", that of the cluster";
  }
  return success();
}

/// The schedule whose tiles are asked for, if the launch follows it.
static FailureOr<ScheduleOp> getSchedule(Operation *op, LaunchOp launch) {
  Value value = op->getOperand(0);
  auto schedule = value.getDefiningOp<ScheduleOp>();
  if (!schedule)
    return op->emitOpError("needs the result of a tirx.schedule");
  auto size = launch.getGridX().getDefiningOp<GridSizeOp>();
  if (size && size.getSchedule() == value)
    return schedule;
  InFlightDiagnostic diagnostic =
      op->emitOpError("takes tiles of a schedule that the launch does not "
                      "follow: the grid's x extent must be its tirx.grid_size");
  diagnostic.attachNote(launch.getLoc()) << "the launch is here";
  return diagnostic;
}

/// All threads of the role, or of the CTA, walk the tiles together.
static LogicalResult verifyIsUniform(ForTilesOp loop,
                                     const ThreadDependence &dependence) {
  for (Operation *parent = loop->getParentOp(); !isa<LaunchOp>(parent);
       parent = parent->getParentOp()) {
    llvm::StringRef why;
    if (isa<ElectOp>(parent))
      why = "lies in a tirx.elect, which leaves one thread";
    else if (isa<ForTilesOp>(parent))
      why = "lies in another tirx.for_tiles";
    else if (llvm::any_of(getGuards(parent), [&](const Guard &guard) {
               return dependence.isDependent(guard.value);
             }))
      why = "lies in control flow that depends on the thread; only a tirx.role "
            "selects those that walk the tiles";
    if (why.empty())
      continue;
    InFlightDiagnostic diagnostic = loop.emitOpError(why);
    diagnostic.attachNote(parent->getLoc()) << "it is here";
    return diagnostic;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

static void lowerForTiles(OpBuilder &builder, ForTilesOp loop,
                          ScheduleKind kind, const TileOrder &order) {
  Location loc = loop.getLoc();
  builder.setInsertionPoint(loop);
  Value number =
      buildClusterNumber(builder, loc, loop->getParentOfType<LaunchOp>());
  if (kind == ScheduleKind::persistent) {
    auto tiles = scf::ForOp::create(builder, loc, number, order.getTiles(),
                                    order.getClusters());
    builder.setInsertionPointToStart(tiles.getBody());
    number = tiles.getInductionVar();
  }
  inlineTile(builder, loop, order, number);
  loop.erase();
}

static void lowerGridSize(OpBuilder &builder, GridSizeOp op, LaunchOp launch,
                          const TileOrder &order) {
  builder.setInsertionPoint(op);
  Value width = arith::ConstantIndexOp::create(builder, op.getLoc(),
                                               launch.getClusterSize()[0]);
  op.replaceAllUsesWith(builder.createOrFold<arith::MulIOp>(
      op.getLoc(), order.getClusters(), width));
  op.erase();
}

static LogicalResult verifyUsers(ScheduleOp schedule) {
  for (Operation *user : schedule->getUsers())
    if (!isa<GridSizeOp, ForTilesOp, FetchTilesOp>(user))
      return user->emitOpError("may not use a tirx.schedule: tirx.grid_size, "
                               "tirx.for_tiles and tirx.fetch_tiles may");
  return success();
}

static LogicalResult verifySchedules(LaunchOp launch, bool launchControl) {
  for (auto schedule : launch->getBlock()->getOps<ScheduleOp>()) {
    if (failed(verifyUsers(schedule)))
      return failure();
    if (schedule.getKind() != ScheduleKind::clc)
      continue;
    if (!launchControl)
      return schedule.emitOpError("clc needs clusterlaunchcontrol, which the "
                                  "target does not have (PTX ISA: sm_100 and "
                                  "later)");
    if (failed(verifyLaunchControl(schedule, launch)))
      return failure();
  }
  if (launch.getGridX().getDefiningOp<GridSizeOp>() &&
      failed(verifyGrid(launch)))
    return failure();
  ThreadDependence dependence(launch, ThreadDependence::Among::cta);
  WalkResult result = launch.walk([&](Operation *op) -> WalkResult {
    if (!isa<ForTilesOp, FetchTilesOp>(op))
      return WalkResult::advance();
    FailureOr<ScheduleOp> schedule = getSchedule(op, launch);
    if (failed(schedule))
      return WalkResult::interrupt();
    if (auto loop = dyn_cast<ForTilesOp>(op))
      return verifyIsUniform(loop, dependence);
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

static void lowerSchedule(OpBuilder &builder, ScheduleOp schedule,
                          LaunchOp launch) {
  TileOrder order(schedule, launch);
  if (schedule.getKind() == ScheduleKind::clc)
    lowerLaunchControl(builder, schedule, launch, order);
  for (Operation *user : llvm::make_early_inc_range(schedule->getUsers())) {
    if (auto size = dyn_cast<GridSizeOp>(user))
      lowerGridSize(builder, size, launch, order);
    else if (auto loop = dyn_cast<ForTilesOp>(user))
      lowerForTiles(builder, loop, schedule.getKind(), order);
    else
      user->erase(); // tirx.fetch_tiles: there is nothing to fetch.
  }
  schedule.erase();
}

namespace {
struct LowerSchedulesPass
    : tirx::passes::impl::TIRxLowerSchedulesBase<LowerSchedulesPass> {
  using TIRxLowerSchedulesBase::TIRxLowerSchedulesBase;

  void runOnOperation() override {
    OpBuilder builder(&getContext());
    SmallVector<LaunchOp> launches;
    getOperation().walk([&](LaunchOp launch) { launches.push_back(launch); });
    for (LaunchOp launch : launches) {
      if (failed(verifySchedules(launch, launchControl)))
        return signalPassFailure();
      for (auto schedule :
           llvm::make_early_inc_range(launch->getBlock()->getOps<ScheduleOp>()))
        lowerSchedule(builder, schedule, launch);
    }
  }
};
} // namespace
