//===- Executors.cpp - which threads an operation needs -------------------===//

#include "../roles/OneThread.h"
#include "Rules.h"
#include "ThreadDependence.h"
#include "ThreadSets.h"

#include "tirx/Layout/Algebra.h"
#include "tirx/Layout/HardwareLimits.h"

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;
namespace layout = tirx::layout;

namespace {
/// Which threads must execute an operation together. `wholeRole` is the CTA
/// outside of roles.
enum class Need { any, oneThread, wholeWarps, wholeRole, wholeCta };
} // namespace

/// A register tile is copied by the threads that its layout names, everything
/// else by all.
static Need getNeed(CopyOp copy) {
  auto tile = dyn_cast<RankedTensorType>(copy.getSource().getType());
  if (copy.getResult())
    tile = cast<RankedTensorType>(copy.getResult().getType());
  if (!tile)
    return Need::wholeCta;
  auto scope =
      layout::scopeOf(cast<LayoutAttr>(tile.getEncoding()).getValue().tile);
  if (scope && !*scope)
    return Need::any; // every thread holds all of it
  return scope && (*scope)->scope <= layout::Scope::Warpgroup ? Need::wholeWarps
                                                              : Need::wholeCta;
}

static Need getNeed(Operation *op) {
  if (isOneThreadOperation(op))
    return Need::oneThread;
  if (isa<CopyAsyncOp>(op))
    return Need::wholeWarps;
  if (auto copy = dyn_cast<CopyOp>(op))
    return getNeed(copy);
  if (isa<CtaSyncOp, ClusterSyncOp, TmemAllocOp, TmemDeallocOp, RolesOp,
          RoleOp>(op))
    return Need::wholeCta;
  if (isa<AcquireOp, PublishOp, WaitOp, ReleaseOp, DrainOp, RoleSyncOp,
          ForTilesOp, FetchTilesOp>(op))
    return Need::wholeRole;
  if (isa<Tcgen05LdOp, Tcgen05StOp, Tcgen05WaitOp, WarpSyncOp, BarrierSyncOp,
          BarrierArriveOp, SetMaxNRegOp, ElectOp>(op))
    return Need::wholeWarps;
  return Need::any;
}

/// Why an operation needs one thread only.
static llvm::StringRef whyOneThread(Operation *op) {
  if (isa<Tcgen05CommitOp>(op))
    return "threads that issued no MMA would arrive at once";
  if (isa<MbarrierInitOp>(op))
    return "an mbarrier is initialised once";
  return "each thread that executes it does the whole work again";
}

namespace {
struct ExecutorRules {
  explicit ExecutorRules(LaunchOp launch)
      : amongCta(launch, ThreadDependence::Among::cta),
        amongWarp(launch, ThreadDependence::Among::warp) {}

  LogicalResult verify(Operation *op) const;

private:
  /// Refuses `op` under conditions that are not the same for all threads that
  /// it needs; those around `end` are somebody else's.
  LogicalResult verifyGuards(Operation *op, llvm::StringRef group,
                             const ThreadDependence &dependence,
                             Operation *end) const;

  ThreadDependence amongCta, amongWarp;
};
} // namespace

LogicalResult ExecutorRules::verifyGuards(Operation *op, llvm::StringRef group,
                                          const ThreadDependence &dependence,
                                          Operation *end) const {
  for (Operation *parent = op->getParentOp(); parent && parent != end;
       parent = parent->getParentOp())
    for (const Guard &guard : getGuards(parent)) {
      if (!dependence.isDependent(guard.value))
        continue;
      InFlightDiagnostic diagnostic =
          op->emitOpError("needs all threads of the ")
          << group << ", but lies under a " << guard.what
          << " that depends on the "
          << (&dependence == &amongCta ? "thread" : "lane");
      diagnostic.attachNote(parent->getLoc()) << "it is here";
      return diagnostic;
    }
  return success();
}

/// Operations of the whole CTA have no place in a role: the others would have
/// to come, too.
static LogicalResult refuseInRole(Operation *op, RoleOp role) {
  InFlightDiagnostic diagnostic =
      op->emitOpError("needs all threads of the CTA, but role \"")
      << role.getRoleName() << "\" has the warps " << role.getFirstWarp()
      << " to " << role.getLastWarp();
  if (isa<CtaSyncOp>(op))
    diagnostic << ": use tirx.role_sync";
  diagnostic.attachNote(role.getLoc()) << "the role is here";
  return diagnostic;
}

static LogicalResult verifyRegisterChange(SetMaxNRegOp op, RoleOp role) {
  constexpr int64_t groupWarps = layout::kWarpgroupWarps;
  if (role.getFirstWarp() % groupWarps || role.getWarps() % groupWarps)
    return op.emitOpError("needs all warps of a warpgroup (PTX ISA, "
                          "setmaxnreg), but role \"")
           << role.getRoleName() << "\" has the warps " << role.getFirstWarp()
           << " to " << role.getLastWarp();
  if (role.getRegisters())
    return op.emitOpError("changes the registers of role \"")
           << role.getRoleName() << "\", which states registers("
           << *role.getRegisters() << ") itself";
  return success();
}

LogicalResult ExecutorRules::verify(Operation *op) const {
  Need need = getNeed(op);
  if (need == Need::any)
    return success();
  auto elect = op->getParentOfType<ElectOp>();
  auto role = op->getParentOfType<RoleOp>();
  auto launch = op->getParentOfType<LaunchOp>();
  if (need == Need::oneThread) {
    if (elect)
      return success();
    // In a role of one warp the compiler elects, and needs the warp for it.
    if (role && role.getWarps() == 1)
      return verifyGuards(op, "warp", amongWarp, launch);
    InFlightDiagnostic diagnostic =
        op->emitOpError("must be executed by one thread: put it into a "
                        "tirx.elect (")
        << whyOneThread(op) << ")";
    if (role)
      diagnostic.attachNote(role.getLoc())
          << "role \"" << role.getRoleName() << "\" has " << role.getWarps()
          << " warps; in a role of one warp the compiler elects";
    return diagnostic;
  }

  bool wholeCta = need == Need::wholeCta || (need == Need::wholeRole && !role);
  llvm::StringRef group = wholeCta                  ? "CTA"
                          : need == Need::wholeRole ? "role"
                                                    : "warp";
  if (elect && !isa<ElectOp>(op)) {
    InFlightDiagnostic diagnostic = op->emitOpError("needs all threads of the ")
                                    << group << ", but tirx.elect leaves one";
    diagnostic.attachNote(elect.getLoc()) << "the tirx.elect is here";
    return diagnostic;
  }
  if (role && need == Need::wholeCta)
    return refuseInRole(op, role);
  if (auto change = dyn_cast<SetMaxNRegOp>(op); change && role)
    if (failed(verifyRegisterChange(change, role)))
      return failure();
  if (wholeCta)
    return verifyGuards(op, group, amongCta, launch);
  if (need == Need::wholeRole && role.getWarps() > 1)
    return verifyGuards(op, group, amongCta, role);
  return verifyGuards(op, group, amongWarp, launch);
}

LogicalResult tirx::passes::verifyExecutors(LaunchOp launch) {
  ExecutorRules rules(launch);
  bool ok = true;
  launch.walk([&](Operation *op) {
    if (op != launch)
      ok &= succeeded(rules.verify(op));
  });
  return success(ok);
}
