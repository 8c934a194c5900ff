//===- Verify.cpp - protocol rules that can be checked statically ---------===//

#include "ThreadDependence.h"

#include "tirx/Dialect/TIRx.h"
#include "tirx/Layout/Algebra.h"
#include "tirx/Passes/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tirx::passes {
#define GEN_PASS_DEF_TIRXVERIFY
#include "tirx/Passes/Passes.h.inc"
} // namespace tirx::passes

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;
namespace layout = tirx::layout;

namespace {
/// Which threads must execute an operation together.
enum class Executor { any, oneThread, wholeWarps, wholeCta };
} // namespace

static bool isMemoryCopy(CopyAsyncOp op) {
  return isa<BufferType>(op.getSource().getType()) && op.getDestination();
}

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
  if (auto copy = dyn_cast<CopyAsyncOp>(op))
    return isMemoryCopy(copy) ? Executor::oneThread : Executor::wholeWarps;
  if (auto copy = dyn_cast<CopyOp>(op))
    return getExecutor(copy);
  if (isa<CtaSyncOp, TmemAllocOp, TmemDeallocOp>(op))
    return Executor::wholeCta;
  if (isa<Tcgen05LdOp, Tcgen05StOp, Tcgen05WaitOp, WarpSyncOp, BarrierSyncOp,
          ElectOp>(op))
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
struct Dependences {
  explicit Dependences(LaunchOp launch)
      : amongCta(launch, ThreadDependence::Among::cta),
        amongWarp(launch, ThreadDependence::Among::warp) {}
  ThreadDependence amongCta, amongWarp;
};
} // namespace

static LogicalResult verifyExecutor(Operation *op,
                                    const Dependences &dependences) {
  Executor executor = getExecutor(op);
  auto elect = op->getParentOfType<ElectOp>();
  if (executor == Executor::oneThread && !elect)
    return op->emitOpError("must be executed by one thread: put it into a "
                           "tirx.elect (")
           << whyOneThread(op) << ")";
  if (executor != Executor::wholeCta && executor != Executor::wholeWarps)
    return success();
  bool wholeCta = executor == Executor::wholeCta;
  llvm::StringRef group = wholeCta ? "CTA" : "warp";
  if (elect && !isa<ElectOp>(op)) {
    InFlightDiagnostic diagnostic = op->emitOpError("needs all threads of the ")
                                    << group << ", but tirx.elect leaves one";
    diagnostic.attachNote(elect.getLoc()) << "the tirx.elect is here";
    return diagnostic;
  }
  const ThreadDependence &dependence =
      wholeCta ? dependences.amongCta : dependences.amongWarp;
  for (Operation *parent = op->getParentOp(); parent && !isa<LaunchOp>(parent);
       parent = parent->getParentOp())
    for (const Guard &guard : getGuards(parent)) {
      if (!dependence.isDependent(guard.value))
        continue;
      InFlightDiagnostic diagnostic =
          op->emitOpError("needs all threads of the ")
          << group << ", but lies under a " << guard.what
          << " that depends on the " << (wholeCta ? "thread" : "lane");
      diagnostic.attachNote(parent->getLoc()) << "it is here";
      return diagnostic;
    }
  return success();
}

static LogicalResult verifyBarrier(MbarrierAllocOp alloc) {
  SmallVector<Operation *> inits;
  for (Operation *user : alloc.getResult().getUsers())
    if (isa<MbarrierInitOp>(user))
      inits.push_back(user);
  if (inits.empty() && !alloc.getResult().use_empty())
    return alloc.emitOpError("is used, but never initialised by a "
                             "tirx.mbarrier.init");
  if (inits.size() > 1) {
    InFlightDiagnostic diagnostic = alloc.emitOpError("is initialised ")
                                    << inits.size() << " times";
    for (Operation *init : inits)
      diagnostic.attachNote(init->getLoc()) << "here";
    return diagnostic;
  }
  if (!inits.empty() && inits.front()->getParentOfType<LoopLikeOpInterface>())
    return inits.front()->emitOpError("lies in a loop: initialising a barrier "
                                      "that is in use is undefined (PTX ISA, "
                                      "mbarrier.init)");
  return success();
}

static LogicalResult verifyTmem(TmemAllocOp alloc) {
  SmallVector<Operation *> deallocs;
  for (Operation *user : alloc.getResult().getUsers())
    if (isa<TmemDeallocOp>(user))
      deallocs.push_back(user);
  if (deallocs.empty())
    return alloc.emitOpError("is never deallocated: tensor memory outlives "
                             "the kernel and must be given back (PTX ISA, "
                             "tcgen05.dealloc)");
  if (deallocs.size() > 1) {
    InFlightDiagnostic diagnostic = alloc.emitOpError("is deallocated ")
                                    << deallocs.size() << " times";
    for (Operation *dealloc : deallocs)
      diagnostic.attachNote(dealloc->getLoc()) << "here";
    return diagnostic;
  }
  for (Operation *user : alloc.getResult().getUsers()) {
    Operation *top = alloc->getBlock()->findAncestorOpInBlock(*user);
    if (top != deallocs.front() && deallocs.front()->isBeforeInBlock(top)) {
      InFlightDiagnostic diagnostic =
          user->emitOpError("uses a TMEM tile after it was deallocated");
      diagnostic.attachNote(deallocs.front()->getLoc()) << "here";
      return diagnostic;
    }
  }
  return success();
}

namespace {
struct VerifyPass : tirx::passes::impl::TIRxVerifyBase<VerifyPass> {
  void runOnOperation() override {
    bool ok = true;
    getOperation().walk([&](LaunchOp launch) {
      Dependences dependences(launch);
      launch.walk([&](Operation *op) {
        ok &= succeeded(verifyExecutor(op, dependences));
        if (auto alloc = dyn_cast<MbarrierAllocOp>(op))
          ok &= succeeded(verifyBarrier(alloc));
        if (auto alloc = dyn_cast<TmemAllocOp>(op))
          ok &= succeeded(verifyTmem(alloc));
      });
    });
    if (!ok)
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
