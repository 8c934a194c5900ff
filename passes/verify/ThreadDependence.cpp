//===- ThreadDependence.cpp - which values differ between threads ---------===//

#include "ThreadDependence.h"

#include "tirx/Dialect/TIRx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;

/// Whether `op` compares the number of the thread with a constant that is no
/// boundary between warps.
static bool cutsThroughWarp(Operation *op) {
  auto compare = dyn_cast<arith::CmpIOp>(op);
  auto id = compare ? compare.getLhs().getDefiningOp<IdOp>() : IdOp();
  APInt bound;
  if (!id ||
      (id.getAxis() != ThreadAxis::tx &&
       id.getAxis() != ThreadAxis::tid_in_wg) ||
      !matchPattern(compare.getRhs(), m_ConstantInt(&bound)))
    return false;
  constexpr unsigned warpSize = 32;
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::eq:
  case arith::CmpIPredicate::ne:
    return true;
  case arith::CmpIPredicate::ult:
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::uge:
  case arith::CmpIPredicate::sge:
    return bound.urem(warpSize) != 0;
  default: // le, gt
    return (bound + 1).urem(warpSize) != 0;
  }
}

/// Coordinates of the CTA, not of a thread in it.
static bool isSameInCta(ThreadAxis axis) {
  switch (axis) {
  case ThreadAxis::bx:
  case ThreadAxis::by:
  case ThreadAxis::bz:
  case ThreadAxis::cta_rank:
  case ThreadAxis::cbx:
  case ThreadAxis::cby:
  case ThreadAxis::cbz:
  case ThreadAxis::clx:
  case ThreadAxis::cly:
  case ThreadAxis::clz:
    return true;
  default:
    return false;
  }
}

bool ThreadDependence::isSource(Operation *op) const {
  auto id = dyn_cast<IdOp>(op);
  if (among == Among::warp)
    return isa<ElectSyncOp>(op) || cutsThroughWarp(op) ||
           (id && id.getAxis() == ThreadAxis::laneid);
  if (id)
    return !isSameInCta(id.getAxis());
  // Pure functions of uniform values are uniform; what reads memory or asks
  // the hardware need not be.
  if (!isPure(op))
    return true;
  return op->getNumOperands() == 0 && !op->hasTrait<OpTrait::ConstantLike>();
}

/// Marks what `op` makes dependent; true if that is new.
bool ThreadDependence::mark(Operation *op) {
  bool changed = false;
  auto add = [&](Value value) { changed |= dependent.insert(value).second; };
  auto addAll = [&](ValueRange values) { llvm::for_each(values, add); };
  auto flow = [&](ValueRange from, ValueRange to) {
    for (auto [source, target] : llvm::zip(from, to))
      if (isDependent(source))
        add(target);
  };
  bool anyOperand = llvm::any_of(
      op->getOperands(), [&](Value value) { return isDependent(value); });

  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (ValueRange values :
         {ValueRange(loop.getInits()), ValueRange(loop.getYieldedValues())}) {
      flow(values, loop.getRegionIterArgs());
      flow(values, loop.getResults());
    }
    bool beginDiffers =
        isDependent(loop.getLowerBound()) || isDependent(loop.getStep());
    if (beginDiffers)
      add(loop.getInductionVar());
    if (beginDiffers || isDependent(loop.getUpperBound()))
      addAll(loop.getResults());
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    flow(loop.getInits(), loop.getBeforeArguments());
    flow(loop.getYieldedValues(), loop.getBeforeArguments());
    scf::ConditionOp condition = loop.getConditionOp();
    flow(condition.getArgs(), loop.getAfterArguments());
    flow(condition.getArgs(), loop.getResults());
    if (isDependent(condition.getCondition()))
      addAll(loop.getResults());
  } else if (auto role = dyn_cast<RoleOp>(op)) {
    // Warps that skip the role keep what it carries.
    flow(role.getCarried(), role.getResults());
    flow(role.getBody().front().getTerminator()->getOperands(),
         role.getResults());
    if (among == Among::cta)
      addAll(role.getResults());
  } else if (isa<RegionBranchOpInterface>(op)) {
    if (anyOperand)
      addAll(op->getResults());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        flow(block.getTerminator()->getOperands(), op->getResults());
  } else if (anyOperand || isSource(op)) {
    addAll(op->getResults());
  }
  return changed;
}

ThreadDependence::ThreadDependence(Operation *root, Among among)
    : among(among) {
  bool changed = true;
  while (changed) {
    changed = false;
    root->walk([&](Operation *op) { changed |= mark(op); });
  }
}

SmallVector<Guard, 3> tirx::passes::getGuards(Operation *op) {
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return {{branch.getCondition(), "condition"}};
  if (auto choice = dyn_cast<scf::IndexSwitchOp>(op))
    return {{choice.getArg(), "condition"}};
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return {{loop.getConditionOp().getCondition(), "loop condition"}};
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return {{loop.getLowerBound(), "loop bound"},
            {loop.getUpperBound(), "loop bound"},
            {loop.getStep(), "loop bound"}};
  return {};
}
