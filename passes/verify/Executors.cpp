//===- Executors.cpp - which threads an operation needs -------------------===//

#include "Rules.h"
#include "ThreadDependence.h"
#include "ThreadSets.h"

#include "tirx/Layout/Algebra.h"

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;
namespace layout = tirx::layout;

namespace {
/// Which threads must execute an operation together. `wholeRole` is the CTA
/// outside of roles.
enum class Executor { any, oneThread, wholeWarps, wholeRole, wholeCta };
} // namespace

/// A register tile is copied by the threads that its layout names, everything
/// else by all.
static Executor getExecutor(CopyOp copy) {
  auto tile = dyn_cast<RankedTensorType>(copy.getSource().getType());
  if (copy.getResult())
    tile = cast<RankedTensorType>(copy.getResult().getType());
  if (!tile)
    return Executor::wholeCta;
  auto scope =
      layout::scopeOf(cast<LayoutAttr>(tile.getEncoding()).getValue().tile);
  return scope && *scope && (*scope)->scope <= layout::Scope::Warpgroup
             ? Executor::wholeWarps
             : Executor::wholeCta;
}

static Executor getExecutor(Operation *op) {
  if (isa<GemmAsyncOp, Tcgen05MmaOp, Tcgen05CommitOp, TmaLoadOp, TmaStoreOp,
          MbarrierInitOp, BulkCommitGroupOp, BulkWaitGroupOp>(op))
    return Executor::oneThread;
  if (auto arrive = dyn_cast<MbarrierArriveOp>(op))
    return !arrive.getExpected().empty() || arrive.getExpectTx()
               ? Executor::oneThread
               : Executor::any;
  if (auto copy = dyn_cast<CopyAsyncOp>(op)) {
    bool isMemoryCopy =
        isa<BufferType>(copy.getSource().getType()) && copy.getDestination();
    return isMemoryCopy ? Executor::oneThread : Executor::wholeWarps;
  }
  if (auto copy = dyn_cast<CopyOp>(op))
    return getExecutor(copy);
  if (isa<CtaSyncOp, ClusterSyncOp, TmemAllocOp, TmemDeallocOp, RolesOp,
          RoleOp>(op))
    return Executor::wholeCta;
  if (isa<AcquireOp, PublishOp, WaitOp, ReleaseOp, RoleSyncOp, ForTilesOp,
          FetchTilesOp>(op))
    return Executor::wholeRole;
  if (isa<Tcgen05LdOp, Tcgen05StOp, Tcgen05WaitOp, WarpSyncOp, BarrierSyncOp,
          BarrierArriveOp, SetMaxNRegOp, ElectOp>(op))
    return Executor::wholeWarps;
  return Executor::any;
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
  constexpr int64_t groupWarps = 4;
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
  Executor executor = getExecutor(op);
  if (executor == Executor::any)
    return success();
  auto elect = op->getParentOfType<ElectOp>();
  auto role = op->getParentOfType<RoleOp>();
  auto launch = op->getParentOfType<LaunchOp>();
  if (executor == Executor::oneThread) {
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

  bool wholeCta = executor == Executor::wholeCta ||
                  (executor == Executor::wholeRole && !role);
  llvm::StringRef group = wholeCta                          ? "CTA"
                          : executor == Executor::wholeRole ? "role"
                                                            : "warp";
  if (elect && !isa<ElectOp>(op)) {
    InFlightDiagnostic diagnostic = op->emitOpError("needs all threads of the ")
                                    << group << ", but tirx.elect leaves one";
    diagnostic.attachNote(elect.getLoc()) << "the tirx.elect is here";
    return diagnostic;
  }
  if (role && executor == Executor::wholeCta)
    return refuseInRole(op, role);
  if (auto change = dyn_cast<SetMaxNRegOp>(op); change && role)
    if (failed(verifyRegisterChange(change, role)))
      return failure();
  if (wholeCta)
    return verifyGuards(op, group, amongCta, launch);
  if (executor == Executor::wholeRole && role.getWarps() > 1)
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
