//===- SyncOps.cpp - scopes, barriers, fences -----------------------------===//

#include "CtaGroup.h"
#include "Slots.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tirx::ir;

int64_t ElectOp::getElectedWarp() {
  if (std::optional<int64_t> warp = getWarp())
    return *warp;
  auto role = (*this)->getParentOfType<RoleOp>();
  return role ? (int64_t)role.getFirstWarp() : 0;
}

LogicalResult ElectOp::verify() {
  if ((*this)->getParentOfType<ElectOp>())
    return emitOpError("may not be nested in another tirx.elect");
  if (getBody().getNumArguments())
    return emitOpError("region takes no arguments");
  int64_t warp = getElectedWarp();
  if (warp < 0)
    return emitOpError("warp(") << warp << ") is negative";
  if (auto launch = (*this)->getParentOfType<LaunchOp>()) {
    int64_t warps = launch.getThreads() / 32;
    if (warp >= warps)
      return emitOpError("warp(")
             << warp << ") is out of range: the launch has " << warps
             << " warps";
  }
  if (auto role = (*this)->getParentOfType<RoleOp>())
    if (warp < (int64_t)role.getFirstWarp() || warp > role.getLastWarp())
      return emitOpError("warp(")
             << warp << ") is none of role \"" << role.getRoleName()
             << "\", which has the warps " << role.getFirstWarp() << " to "
             << role.getLastWarp();
  return success();
}

template <typename OpT> static LogicalResult verifyNamedBarrier(OpT op) {
  int64_t id = op.getId(), threads = op.getThreads();
  if (id < 1 || id > 15)
    return op.emitOpError("id(") << id
                                 << ") is outside [1, 15] (PTX ISA, bar: 16 "
                                    "barriers, 0 is tirx.cta_sync's)";
  if (threads <= 0 || threads % 32)
    return op.emitOpError("threads(")
           << threads << ") must be a multiple of the warp size 32";
  if (auto launch = op->template getParentOfType<LaunchOp>())
    if (threads > (int64_t)launch.getThreads())
      return op.emitOpError("threads(")
             << threads << ") exceeds the launch's " << launch.getThreads();
  return success();
}

LogicalResult BarrierSyncOp::verify() { return verifyNamedBarrier(*this); }
LogicalResult BarrierArriveOp::verify() { return verifyNamedBarrier(*this); }

LogicalResult SetMaxNRegOp::verify() {
  int64_t count = getCount();
  if (count < 24 || count > 256 || count % 8)
    return emitOpError("count ")
           << count
           << " must be a multiple of 8 in [24, 256] (PTX ISA, setmaxnreg)";
  return success();
}

LogicalResult tirx::ir::verifySlot(Operation *op, Value barrier, Value slot) {
  int64_t slots = cast<BarrierType>(barrier.getType()).getSlots();
  if (!slot) {
    if (slots != 1)
      return op->emitOpError("must say which of the ")
             << slots << " barriers it means, as in %bar[%slot]";
    return success();
  }
  APInt constant;
  if (matchPattern(slot, m_ConstantInt(&constant)) &&
      (constant.isNegative() || constant.getSExtValue() >= slots))
    return op->emitOpError("slot ")
           << constant.getSExtValue() << " is outside [0, " << slots - 1
           << "], the slots of " << barrier.getType();
  return success();
}

LogicalResult MbarrierInitOp::verify() {
  int64_t count = getCount();
  if (count < 1 || count > mbarrierCountLimit)
    return emitOpError("count(")
           << count << ") is outside [1, " << mbarrierCountLimit
           << "] (PTX ISA, mbarrier.init)";
  return success();
}

LogicalResult MbarrierArriveOp::verify() {
  if (!getExpected().empty() && getExpectTx())
    return emitOpError("takes either expect(...) or expect_tx(...), not both");
  if (getCta() && (!getExpected().empty() || getExpectTx()))
    return emitOpError("an arrival at another CTA cannot expect bytes: let the "
                       "CTA that owns the barrier expect them");
  int64_t bytes = getExpectTx().value_or(0);
  for (Value buffer : getExpected()) {
    auto type = cast<BufferType>(buffer.getType());
    if (!type.hasStaticShape() || !type.isShared())
      return emitOpError("can only expect shared buffers, not ") << type;
    bytes += type.getTileBytes();
  }
  if (bytes < 0 || bytes > mbarrierCountLimit)
    return emitOpError("expects ")
           << bytes << " bytes, outside the [0, " << mbarrierCountLimit
           << "] that an mbarrier can count (PTX ISA, mbarrier tx-count)";
  return verifySlot(*this, getBarrier(), getSlot());
}

LogicalResult MbarrierWaitOp::verify() {
  return verifySlot(*this, getBarrier(), getSlot());
}

LogicalResult MbarrierTryWaitOp::verify() {
  return verifySlot(*this, getBarrier(), getSlot());
}

LogicalResult Tcgen05CommitOp::verify() {
  if (failed(verifyCtaGroup(*this, getCtaGroup())))
    return failure();
  return verifySlot(*this, getBarrier(), getSlot());
}

LogicalResult BulkWaitGroupOp::verify() {
  if ((int64_t)getPending() < 0)
    return emitOpError("pending count ")
           << (int64_t)getPending() << " is negative";
  return success();
}
