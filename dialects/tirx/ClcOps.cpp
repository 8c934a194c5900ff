//===- ClcOps.cpp - clusterlaunchcontrol ----------------------------------===//

#include "Slots.h"

#include "tirx/Layout/Algebra.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tirx::ir;
namespace layout = tirx::layout;

/// PTX ISA, clusterlaunchcontrol.try_cancel: a response has 16 bytes.
constexpr int64_t responseBytes = 16;

/// One response a row, the rows one behind the other.
static bool holdsResponses(BufferType type) {
  if (type.getRank() != 2 || type.getShape()[1] != responseBytes ||
      !type.getElementType().isInteger(8))
    return false;
  layout::Layout rows;
  rows.tile.shard = {{type.getShape()[0], responseBytes}, {responseBytes, 1}};
  return layout::equivalent(type.getLayout().getValue(), rows);
}

/// Refuses buffers that hold no responses, and an index that names none of
/// them.
static LogicalResult verifyResponses(Operation *op, Value responses,
                                     Value index) {
  auto type = cast<BufferType>(responses.getType());
  if (!holdsResponses(type))
    return op->emitOpError("responses must be Nx16xi8 without gaps, not ")
           << type;
  int64_t count = type.getShape()[0];
  if (!index) {
    if (count != 1)
      return op->emitOpError("must say which of the ")
             << count << " responses it means, as in %responses[%index]";
    return success();
  }
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant)) &&
      (constant.isNegative() || constant.getSExtValue() >= count))
    return op->emitOpError("index ")
           << constant.getSExtValue() << " is outside [0, " << count - 1
           << "], the responses of the buffer";
  return success();
}

LogicalResult ClcTryCancelOp::verify() {
  if (failed(verifyResponses(*this, getResponses(), getIndex())))
    return failure();
  return verifySlot(*this, getBarrier(), getSlot());
}

LogicalResult ClcQueryCancelOp::verify() {
  bool isCondition = getQuery() == ClcQuery::is_canceled;
  if (getResult().getType().isInteger(1) != isCondition)
    return emitOpError() << stringifyEnum(getQuery()) << " gives "
                         << (isCondition ? "i1" : "index") << ", not "
                         << getResult().getType();
  return verifyResponses(*this, getResponses(), getIndex());
}
