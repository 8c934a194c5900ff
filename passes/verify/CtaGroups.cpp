//===- CtaGroups.cpp - one CTA or a pair, in the whole kernel -------------===//

#include "Rules.h"
#include "ThreadDependence.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;

/// The cta_group of an operation of the tensor core. TMA has an attribute of
/// that name, too, but may use both in one kernel.
static std::optional<int64_t> getTcgen05Group(Operation *op) {
  return TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case<GemmAsyncOp, Tcgen05MmaOp, Tcgen05CommitOp, Tcgen05AllocOp,
            Tcgen05DeallocOp>([](auto op) { return op.getCtaGroup(); })
      .Case<PipelineOp>([](PipelineOp op) -> std::optional<int64_t> {
        bool commits = op.getFull() == PipelineSignal::mma ||
                       op.getEmpty() == PipelineSignal::mma;
        if (!commits)
          return std::nullopt;
        return op.getCtaGroup();
      })
      .Default(std::nullopt);
}

static std::optional<int64_t> getTmaGroup(Operation *op) {
  return TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case<TmaLoadOp, CopyAsyncOp>([](auto op) { return op.getCtaGroup(); })
      .Default(std::nullopt);
}

/// Whether the value may differ between the two CTAs of a pair. What is not
/// followed may.
static bool mayDifferInPair(Value value, llvm::DenseSet<Value> &seen) {
  if (!seen.insert(value).second)
    return false;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (isa<ForTilesOp, KernelOp>(parent))
      return false;
    auto loop = dyn_cast<scf::ForOp>(parent);
    return !loop || argument != loop.getInductionVar() ||
           mayDifferInPair(loop.getLowerBound(), seen) ||
           mayDifferInPair(loop.getStep(), seen);
  }
  Operation *op = value.getDefiningOp();
  if (auto id = dyn_cast<IdOp>(op)) {
    switch (id.getAxis()) {
    case ThreadAxis::bx:
    case ThreadAxis::cta_rank:
    case ThreadAxis::cbx:
      return true;
    default:
      return false;
    }
  }
  if (op->getNumRegions() || !isPure(op))
    return true;
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return mayDifferInPair(operand, seen);
  });
}

/// One CTA of a pair issues for both (PTX ISA, "tcgen05.mma: .cta_group::2").
static LogicalResult verifyIssuer(Operation *op) {
  if (!isa<GemmAsyncOp, Tcgen05MmaOp, Tcgen05CommitOp>(op))
    return success();
  if (auto role = op->getParentOfType<RoleOp>(); role && role.getLeader())
    return success();
  llvm::DenseSet<Value> seen;
  for (Operation *parent = op->getParentOp(); !isa<LaunchOp>(parent);
       parent = parent->getParentOp())
    for (const Guard &guard : getGuards(parent))
      if (mayDifferInPair(guard.value, seen))
        return success();
  return op->emitOpError("of cta_group(2) would be issued by both CTAs of a "
                         "pair: put it into a leader role, or under a "
                         "condition on tirx.id cta_rank");
}

LogicalResult tirx::passes::verifyCtaGroups(LaunchOp launch) {
  Operation *first = nullptr, *pair = nullptr;
  int64_t group = 0;
  bool ok = true;
  launch.walk([&](Operation *op) {
    auto ofTcgen05 = getTcgen05Group(op);
    if (!pair && (ofTcgen05 == 2 || getTmaGroup(op) == 2))
      pair = op;
    if (!ofTcgen05)
      return;
    if (!first) {
      first = op;
      group = *ofTcgen05;
    } else if (*ofTcgen05 != group) {
      InFlightDiagnostic diagnostic =
          op->emitOpError("is of cta_group(")
          << *ofTcgen05 << "), but " << first->getName() << " of cta_group("
          << group
          << "): a kernel has one (PTX ISA, tcgen05: all instructions of a "
             "kernel specify the same .cta_group)";
      diagnostic.attachNote(first->getLoc()) << "that is here";
      ok = false;
      return;
    }
    if (group == 2)
      ok &= succeeded(verifyIssuer(op));
  });
  if (int64_t extent = launch.getClusterSize()[0]; pair && extent % 2)
    return pair->emitOpError("of cta_group(2) needs a cluster of CTA pairs: an "
                             "even x extent, not ")
           << extent;
  return success(ok);
}
