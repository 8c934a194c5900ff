//===- LowerRoles.cpp - roles as branches of warps ------------------------===//

#include "../lowering/CtaPair.h"
#include "../lowering/RegisterBudget.h"

#include "tirx/Dialect/TIRx.h"
#include "tirx/Passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <map>
#include <set>

namespace tirx::passes {
#define GEN_PASS_DEF_TIRXLOWERROLES
#include "tirx/Passes/Passes.h.inc"
} // namespace tirx::passes

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;
namespace layout = tirx::layout;

static Value buildCompare(OpBuilder &builder, Location loc,
                          arith::CmpIPredicate predicate, Value value,
                          int64_t bound) {
  return arith::CmpIOp::create(
      builder, loc, predicate, value,
      arith::ConstantIndexOp::create(builder, loc, bound));
}

//===----------------------------------------------------------------------===//
// role_sync
//===----------------------------------------------------------------------===//

namespace {
/// Named barriers that a launch has in use, and those that its roles get.
class BarrierIds {
public:
  explicit BarrierIds(LaunchOp launch) {
    launch.walk([&](Operation *op) {
      if (auto sync = dyn_cast<BarrierSyncOp>(op))
        used.insert(sync.getId());
      else if (auto arrive = dyn_cast<BarrierArriveOp>(op))
        used.insert(arrive.getId());
    });
  }

  /// nullopt: all are in use.
  std::optional<int64_t> get(RoleOp role) {
    std::pair<int64_t, int64_t> warps(role.getFirstWarp(), role.getWarps());
    if (auto known = assigned.find(warps); known != assigned.end())
      return known->second;
    // PTX ISA, bar: 16 barriers; 0 is tirx.cta_sync's.
    for (int64_t id = 1; id < 16; ++id)
      if (used.insert(id).second)
        return assigned[warps] = id;
    return std::nullopt;
  }

private:
  std::set<int64_t> used;
  std::map<std::pair<int64_t, int64_t>, int64_t> assigned;
};
} // namespace

static LogicalResult lowerRoleSync(OpBuilder &builder, RoleSyncOp sync,
                                   BarrierIds &ids) {
  auto role = sync->getParentOfType<RoleOp>();
  builder.setInsertionPoint(sync);
  if (!role) {
    CtaSyncOp::create(builder, sync.getLoc());
  } else if (role.getWarps() == 1) {
    WarpSyncOp::create(builder, sync.getLoc());
  } else {
    std::optional<int64_t> id = ids.get(role);
    if (!id)
      return sync.emitOpError("needs a named barrier, but all 15 are in use "
                              "(PTX ISA, bar)");
    BarrierSyncOp::create(builder, sync.getLoc(), *id, role.getThreads());
  }
  sync.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

/// In a role of one warp the warp need not be asked for again.
static void lowerElect(OpBuilder &builder, ElectOp elect, RoleOp role) {
  elect.setWarp(elect.getElectedWarp());
  if (role.getWarps() != 1)
    return;
  Location loc = elect.getLoc();
  builder.setInsertionPoint(elect);
  Value elected = ElectSyncOp::create(builder, loc);
  auto branch = scf::IfOp::create(builder, loc, elected);
  Block *body = &elect.getBody().front();
  body->getTerminator()->erase();
  branch.thenBlock()->getOperations().splice(branch.thenBlock()->begin(),
                                             body->getOperations());
  elect.erase();
}

/// One comparison: an unsigned one for a range.
static Value buildIsInWarps(OpBuilder &builder, Location loc, int64_t first,
                            int64_t warps) {
  Value warp = IdOp::create(builder, loc, ThreadAxis::warpid);
  if (warps == 1)
    return buildCompare(builder, loc, arith::CmpIPredicate::eq, warp, first);
  if (first)
    warp = arith::SubIOp::create(
        builder, loc, warp,
        arith::ConstantIndexOp::create(builder, loc, first));
  return buildCompare(builder, loc, arith::CmpIPredicate::ult, warp, warps);
}

/// Moves the role's operations into `block`, before its end.
static void spliceBody(RoleOp role, Block *block, Block::iterator before) {
  Block *body = &role.getBody().front();
  body->getTerminator()->erase();
  block->getOperations().splice(before, body->getOperations());
  role.erase();
}

/// Without `branch` the place is reached by the role's warps only.
static void lowerRole(OpBuilder &builder, RoleOp role, bool branch = true) {
  Location loc = role.getLoc();
  builder.setInsertionPoint(role);
  Value mine;
  if (branch)
    mine = buildIsInWarps(builder, loc, role.getFirstWarp(), role.getWarps());
  if (role.getLeader()) {
    Value leads = buildIsEvenCta(builder, loc);
    mine = mine ? arith::AndIOp::create(builder, loc, mine, leads) : leads;
  }
  if (!mine)
    return spliceBody(role, role->getBlock(), role->getIterator());
  bool carries = role.getNumResults() != 0;
  auto lowered =
      scf::IfOp::create(builder, loc, role.getResultTypes(), mine, carries);
  if (carries) {
    auto end = cast<ReturnOp>(role.getBody().front().getTerminator());
    builder.setInsertionPointToEnd(lowered.thenBlock());
    scf::YieldOp::create(builder, loc, end.getValues());
    builder.setInsertionPointToEnd(lowered.elseBlock());
    scf::YieldOp::create(builder, loc, role.getCarried());
    role->replaceAllUsesWith(lowered.getResults());
  }
  Block *target = lowered.thenBlock();
  spliceBody(role, target, target->begin());
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

namespace {
/// Warpgroups that roles connect, and those roles: what one setmaxnreg is for.
struct BudgetGroup {
  int64_t firstWarp, endWarp; ///< whole warpgroups
  int64_t registers;
  SmallVector<RoleOp> roles;
};
} // namespace

static std::vector<BudgetGroup> groupByBudget(RolesOp roles) {
  std::vector<BudgetGroup> groups;
  for (RoleOp role : roles.getBody().getOps<RoleOp>()) {
    int64_t first =
        role.getFirstWarp() / layout::kWarpgroupWarps * layout::kWarpgroupWarps;
    int64_t end = (role.getLastWarp() / layout::kWarpgroupWarps + 1) *
                  layout::kWarpgroupWarps;
    BudgetGroup merged{first, end, (int64_t)*role.getRegisters(), {role}};
    llvm::erase_if(groups, [&](const BudgetGroup &group) {
      if (group.endWarp <= merged.firstWarp ||
          merged.endWarp <= group.firstWarp)
        return false;
      merged.firstWarp = std::min(merged.firstWarp, group.firstWarp);
      merged.endWarp = std::max(merged.endWarp, group.endWarp);
      merged.roles.insert(merged.roles.begin(), group.roles.begin(),
                          group.roles.end());
      return true;
    });
    groups.push_back(std::move(merged));
  }
  return groups;
}

/// The roles of each warpgroup go below its setmaxnreg, in a branch of their
/// own: where branches meet again ptxas would have to keep to the smallest
/// budget.
static void lowerBudgets(OpBuilder &builder, RolesOp roles) {
  int64_t base =
      getMaxRegisters(roles->getParentOfType<LaunchOp>().getThreads());
  Location loc = roles.getLoc();
  for (BudgetGroup &group : groupByBudget(roles)) {
    builder.setInsertionPoint(roles);
    auto branch =
        scf::IfOp::create(builder, loc,
                          buildIsInWarps(builder, loc, group.firstWarp,
                                         group.endWarp - group.firstWarp));
    builder.setInsertionPointToStart(branch.thenBlock());
    if (group.registers != base)
      SetMaxNRegOp::create(builder, loc,
                           group.registers > base ? SetMaxNRegAction::increase
                                                  : SetMaxNRegAction::decrease,
                           group.registers);
    Operation *end = branch.thenBlock()->getTerminator();
    for (RoleOp role : group.roles) {
      role->moveBefore(end);
      bool isWhole = (int64_t)role.getFirstWarp() == group.firstWarp &&
                     (int64_t)role.getLastWarp() + 1 == group.endWarp;
      lowerRole(builder, role, /*branch=*/!isWhole);
    }
  }
}

static LogicalResult lowerLaunch(OpBuilder &builder, LaunchOp launch) {
  BarrierIds ids(launch);
  SmallVector<RoleSyncOp> syncs;
  SmallVector<ElectOp> elects;
  SmallVector<RolesOp> groups;
  launch.walk([&](Operation *op) {
    if (auto sync = dyn_cast<RoleSyncOp>(op))
      syncs.push_back(sync);
    else if (auto elect = dyn_cast<ElectOp>(op))
      elects.push_back(elect);
    else if (auto group = dyn_cast<RolesOp>(op))
      groups.push_back(group);
  });
  for (RoleSyncOp sync : syncs)
    if (failed(lowerRoleSync(builder, sync, ids)))
      return failure();
  for (ElectOp elect : elects)
    if (auto role = elect->getParentOfType<RoleOp>())
      lowerElect(builder, elect, role);
  for (RolesOp group : groups)
    if (group.statesRegisters())
      lowerBudgets(builder, group);
  SmallVector<RoleOp> roles;
  launch.walk([&](RoleOp role) { roles.push_back(role); });
  for (RoleOp role : roles)
    lowerRole(builder, role);
  for (RolesOp group : groups) {
    Block *body = &group.getBody().front();
    body->getTerminator()->erase();
    group->getBlock()->getOperations().splice(group->getIterator(),
                                              body->getOperations());
    group.erase();
  }
  return success();
}

namespace {
struct LowerRolesPass : tirx::passes::impl::TIRxLowerRolesBase<LowerRolesPass> {
  void runOnOperation() override {
    OpBuilder builder(&getContext());
    SmallVector<LaunchOp> launches;
    getOperation().walk([&](LaunchOp launch) { launches.push_back(launch); });
    for (LaunchOp launch : launches)
      if (failed(lowerLaunch(builder, launch)))
        return signalPassFailure();
  }
};
} // namespace
