//===- LaunchControl.cpp - tiles handed out by clusterlaunchcontrol -------===//

#include "LaunchControl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;

/// PTX ISA, clusterlaunchcontrol.try_cancel.
constexpr int64_t responseBytes = 16;
/// One response is read while the next one is on its way.
constexpr int64_t stages = 2;

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// The role that runs `op` outside of any other control flow, in tirx.roles.
static RoleOp getRole(Operation *op) {
  auto role = dyn_cast<RoleOp>(op->getParentOp());
  return role && isa<RolesOp>(role->getParentOp()) ? role : RoleOp();
}

static LogicalResult verifyFetch(FetchTilesOp fetch) {
  RoleOp role = getRole(fetch);
  if (!role)
    return fetch.emitOpError("of a clc schedule must lie directly in a "
                             "tirx.role of tirx.roles");
  if (role.getWarps() != 1)
    return fetch.emitOpError("lies in role \"")
           << role.getRoleName() << "\" of " << role.getWarps()
           << " warps: one warp fetches the tiles";
  if (role.getLeader())
    return fetch.emitOpError("lies in the leader role \"")
           << role.getRoleName()
           << "\": every CTA of the cluster expects its responses";
  return success();
}

static LogicalResult verifyWalk(ForTilesOp loop, FetchTilesOp fetch) {
  RoleOp role = getRole(loop);
  if (!role)
    return loop.emitOpError("over a clc schedule must lie directly in a "
                            "tirx.role of tirx.roles");
  if (role->getParentOp() == fetch->getParentOp()->getParentOp() &&
      role != fetch->getParentOp())
    return success();
  InFlightDiagnostic diagnostic = loop.emitOpError(
      "over a clc schedule needs a tirx.fetch_tiles in another "
      "role of the same tirx.roles");
  diagnostic.attachNote(fetch.getLoc()) << "tiles are fetched here";
  return diagnostic;
}

/// Two operations of which a clc schedule has one.
static LogicalResult refuseSecond(Operation *first, Operation *second,
                                  StringRef where) {
  InFlightDiagnostic diagnostic =
      second->emitOpError("is the second one of a clc schedule ") << where;
  diagnostic.attachNote(first->getLoc()) << "the first one is here";
  return diagnostic;
}

LogicalResult tirx::passes::verifyLaunchControl(ScheduleOp schedule,
                                                LaunchOp launch) {
  SmallVector<ForTilesOp> loops;
  SmallVector<FetchTilesOp> fetches;
  launch.walk([&](Operation *op) {
    if (auto loop = dyn_cast<ForTilesOp>(op);
        loop && loop.getSchedule() == schedule.getResult())
      loops.push_back(loop);
    else if (auto fetch = dyn_cast<FetchTilesOp>(op);
             fetch && fetch.getSchedule() == schedule.getResult())
      fetches.push_back(fetch);
  });
  if (fetches.empty()) {
    if (loops.empty())
      return success();
    InFlightDiagnostic diagnostic =
        schedule.emitOpError("clc needs a role that runs tirx.fetch_tiles");
    diagnostic.attachNote(loops.front().getLoc()) << "its tiles are asked for "
                                                     "here";
    return diagnostic;
  }
  if (fetches.size() > 1)
    return refuseSecond(fetches[0], fetches[1], "in the kernel");
  if (failed(verifyFetch(fetches.front())))
    return failure();
  llvm::DenseMap<Operation *, ForTilesOp> walks;
  for (ForTilesOp loop : loops) {
    if (failed(verifyWalk(loop, fetches.front())))
      return failure();
    auto [known, isNew] = walks.try_emplace(loop->getParentOp(), loop);
    if (!isNew)
      return refuseSecond(known->second, loop, "in the role");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The ring of responses
//===----------------------------------------------------------------------===//

namespace {
/// A place in the ring (index) and the parity of its phase (i1).
struct Position {
  Value stage, phase;

  SmallVector<Value, 2> values() const { return {stage, phase}; }
};

class ResponseRing {
public:
  ResponseRing(OpBuilder &builder, LaunchOp launch, int64_t arrivals)
      : builder(builder), ctas(launch.getClusterCtas()),
        width(launch.getClusterSize()[0]) {
    allocate(launch, arrivals);
  }

  bool hasCluster() const { return ctas > 1; }

  Position buildFirst(Location loc) {
    return {index(loc, 0), arith::ConstantIntOp::create(builder, loc, 0, 1)};
  }

  /// The phase flips behind the last stage, which is stage 1.
  Position buildNext(Location loc, Position position) {
    Value last = index(loc, stages - 1);
    Value isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                         position.stage, last);
    return {arith::SubIOp::create(builder, loc, last, position.stage),
            arith::XOrIOp::create(builder, loc, position.phase, isLast)};
  }

  /// What follows is done in the first CTA of the cluster only, which all
  /// threads decide alike. Returns the branch, if there is one.
  Operation *beginFirstCta(Location loc, Value isFirstCta) {
    if (!isFirstCta)
      return nullptr;
    auto branch = scf::IfOp::create(builder, loc, isFirstCta);
    builder.setInsertionPointToStart(branch.thenBlock());
    return branch;
  }
  void endFirstCta(Operation *branch) {
    if (branch)
      builder.setInsertionPointAfter(branch);
  }
  Value buildIsFirstCta(Location loc) {
    if (!hasCluster())
      return {};
    Value rank = IdOp::create(builder, loc, ThreadAxis::cta_rank);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, rank,
                                 index(loc, 0));
  }

  /// Waits until all have released the response; of a new barrier the phase
  /// before the first counts as complete (PTX ISA, mbarrier.try_wait.parity).
  void buildWaitEmpty(Location loc, Position position) {
    Value yes = arith::ConstantIntOp::create(builder, loc, 1, 1);
    Value before = arith::XOrIOp::create(builder, loc, position.phase, yes);
    MbarrierWaitOp::create(builder, loc, empty, position.stage, before,
                           hasCluster());
  }
  void buildExpect(Location loc, Position position) {
    MbarrierArriveOp::create(builder, loc, full, position.stage, ValueRange(),
                             Value(), builder.getI64IntegerAttr(responseBytes),
                             UnitAttr());
  }
  void buildTryCancel(Location loc, Position position) {
    ClcTryCancelOp::create(builder, loc, responses, position.stage, full,
                           position.stage, hasCluster());
  }
  /// Waits for the response: whether a cluster was canceled.
  Value buildWaitFull(Location loc, Position position) {
    MbarrierWaitOp::create(builder, loc, full, position.stage, position.phase,
                           /*cluster=*/false);
    return ClcQueryCancelOp::create(builder, loc, builder.getI1Type(),
                                    ClcQuery::is_canceled, responses,
                                    position.stage);
  }
  /// The canceled cluster's number, which is its tile's.
  Value buildReadNumber(Location loc, Position position) {
    Value x = ClcQueryCancelOp::create(builder, loc, builder.getIndexType(),
                                       ClcQuery::first_ctaid_x, responses,
                                       position.stage);
    return builder.createOrFold<arith::DivUIOp>(loc, x, index(loc, width));
  }
  /// The response was read by the generic proxy, the next one is written by the
  /// async proxy.
  void buildRelease(Location loc, Position position) {
    FenceOp::create(builder, loc, FenceKind::proxy_async);
    MbarrierArriveOp::create(builder, loc, empty, position.stage, ValueRange(),
                             hasCluster() ? index(loc, 0) : Value(),
                             IntegerAttr(), UnitAttr());
  }

private:
  Value index(Location loc, int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  void allocate(LaunchOp launch, int64_t arrivals) {
    MLIRContext *context = builder.getContext();
    Location loc = launch.getLoc();
    builder.setInsertionPointToStart(&launch.getBody().front());
    tirx::layout::Layout rows;
    rows.tile.shard = {{stages, responseBytes, tirx::layout::Axis::m},
                       {responseBytes, 1, tirx::layout::Axis::m}};
    auto type =
        BufferType::get(context, {stages, responseBytes}, builder.getI8Type(),
                        LayoutAttr::get(context, rows), MemorySpace::shared);
    responses = SharedAllocOp::create(builder, loc, type, IntegerAttr());
    auto barriers = BarrierType::get(context, stages);
    full = MbarrierAllocOp::create(builder, loc, barriers, IntegerAttr());
    empty = MbarrierAllocOp::create(builder, loc, barriers, IntegerAttr());
    auto elect = ElectOp::create(builder, loc, builder.getI64IntegerAttr(0));
    builder.createBlock(&elect.getBody());
    MbarrierInitOp::create(builder, loc, full, 1);
    MbarrierInitOp::create(builder, loc, empty, arrivals);
    FenceOp::create(builder, loc, FenceKind::mbarrier_init);
    ReturnOp::create(builder, loc);
    builder.setInsertionPointAfter(elect);
    if (hasCluster())
      ClusterSyncOp::create(builder, loc);
    else
      CtaSyncOp::create(builder, loc);
  }

  OpBuilder &builder;
  int64_t ctas, width;
  Value responses, full, empty;
};
} // namespace

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// A loop that the response at its end continues. `buildBody` is given the
/// loop's values, whose last two are the position, and returns whether to go on
/// and the values for that, the position aside.
static scf::WhileOp
buildLoop(OpBuilder &builder, Location loc, ResponseRing &ring,
          SmallVector<Value> inits,
          llvm::function_ref<std::pair<Value, SmallVector<Value>>(ValueRange,
                                                                  Position)>
              buildBody) {
  llvm::append_range(inits, ring.buildFirst(loc).values());
  SmallVector<Type> types(ValueRange(inits).getTypes());
  auto loop = scf::WhileOp::create(builder, loc, types, inits);
  SmallVector<Location> locations(types.size(), loc);
  Block *before = builder.createBlock(&loop.getBefore(), {}, types, locations);
  ValueRange arguments = before->getArguments();
  Position position{arguments[types.size() - 2], arguments.back()};
  auto [goOn, values] = buildBody(arguments, position);
  llvm::append_range(values, ring.buildNext(loc, position).values());
  scf::ConditionOp::create(builder, loc, goOn, values);
  Block *after = builder.createBlock(&loop.getAfter(), {}, types, locations);
  scf::YieldOp::create(builder, loc, after->getArguments());
  builder.setInsertionPointAfter(loop);
  return loop;
}

static void lowerFetch(OpBuilder &builder, FetchTilesOp fetch,
                       ResponseRing &ring) {
  Location loc = fetch.getLoc();
  auto role = cast<RoleOp>(fetch->getParentOp());
  builder.setInsertionPoint(fetch);
  Value isFirstCta = ring.buildIsFirstCta(loc);
  scf::WhileOp loop =
      buildLoop(builder, loc, ring, {}, [&](ValueRange, Position position) {
        Operation *branch = ring.beginFirstCta(loc, isFirstCta);
        ring.buildWaitEmpty(loc, position);
        ring.endFirstCta(branch);

        auto elect = ElectOp::create(
            builder, loc, builder.getI64IntegerAttr(role.getFirstWarp()));
        builder.createBlock(&elect.getBody());
        ring.buildExpect(loc, position);
        branch = ring.beginFirstCta(loc, isFirstCta);
        ring.buildTryCancel(loc, position);
        ring.endFirstCta(branch);
        ReturnOp::create(builder, loc);
        builder.setInsertionPointAfter(elect);

        Value more = ring.buildWaitFull(loc, position);
        auto release = scf::IfOp::create(builder, loc, more);
        builder.setInsertionPointToStart(release.thenBlock());
        ring.buildRelease(loc, position);
        builder.setInsertionPointAfter(release);
        return std::pair(more, SmallVector<Value>());
      });
  // Arrivals of other CTAs at this one's barriers must find it: it does not end
  // before all have released the last response but one, which is the next
  // place.
  if (isFirstCta) {
    Operation *branch = ring.beginFirstCta(loc, isFirstCta);
    ring.buildWaitEmpty(loc, {loop.getResult(0), loop.getResult(1)});
    ring.endFirstCta(branch);
  }
  fetch.erase();
}

static void lowerWalk(OpBuilder &builder, ForTilesOp walk, ResponseRing &ring,
                      const TileOrder &order) {
  Location loc = walk.getLoc();
  builder.setInsertionPoint(walk);
  Value first =
      buildClusterNumber(builder, loc, walk->getParentOfType<LaunchOp>());
  buildLoop(builder, loc, ring, {first},
            [&](ValueRange arguments, Position position) {
              Value number = arguments.front();
              inlineTile(builder, walk, order, number);
              Value more = ring.buildWaitFull(loc, position);
              auto read =
                  scf::IfOp::create(builder, loc, number.getType(), more,
                                    /*withElseRegion=*/true);
              builder.setInsertionPointToStart(read.thenBlock());
              Value next = ring.buildReadNumber(loc, position);
              ring.buildRelease(loc, position);
              scf::YieldOp::create(builder, loc, next);
              builder.setInsertionPointToStart(read.elseBlock());
              scf::YieldOp::create(builder, loc, number);
              builder.setInsertionPointAfter(read);
              return std::pair(more, SmallVector<Value>{read.getResult(0)});
            });
  walk.erase();
}

/// Threads of the cluster that run the role.
static int64_t countThreads(RoleOp role, LaunchOp launch) {
  return role.getThreads() * launch.getClusterCtas() /
         (role.getLeader() ? 2 : 1);
}

void tirx::passes::lowerLaunchControl(OpBuilder &builder, ScheduleOp schedule,
                                      LaunchOp launch, const TileOrder &order) {
  int64_t arrivals = 0;
  SmallVector<ForTilesOp> walks;
  FetchTilesOp fetch;
  for (Operation *user : schedule->getUsers()) {
    if (isa<GridSizeOp>(user))
      continue;
    arrivals += countThreads(cast<RoleOp>(user->getParentOp()), launch);
    if (auto walk = dyn_cast<ForTilesOp>(user))
      walks.push_back(walk);
    else
      fetch = cast<FetchTilesOp>(user);
  }
  if (!fetch)
    return;
  ResponseRing ring(builder, launch, arrivals);
  lowerFetch(builder, fetch, ring);
  for (ForTilesOp walk : walks)
    lowerWalk(builder, walk, ring, order);
}
