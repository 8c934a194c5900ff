//===- MemoryOps.cpp - allocation and views -------------------------------===//

#include "tirx/Dialect/SliceOffset.h"

using namespace mlir;
using namespace tirx::ir;

/// Allocations are those of the CTA as a whole: no thread may skip one.
static LogicalResult verifyInLaunchRegion(Operation *op) {
  Operation *parent = op->getParentOp();
  if (isa<LaunchOp>(parent) || isa<FunctionOpInterface>(parent))
    return success();
  return op->emitOpError("must be directly in the region of tirx.launch");
}

/// An offset, where one is assigned, has the alignment that the hardware needs.
static LogicalResult verifyOffset(Operation *op, std::optional<int64_t> offset,
                                  int64_t alignment) {
  if (offset && (*offset < 0 || *offset % alignment))
    return op->emitOpError("offset(")
           << *offset << ") must be a non-negative multiple of " << alignment;
  return verifyInLaunchRegion(op);
}

// 128 bytes: PTX ISA, cp.async.bulk.tensor; 8 bytes: mbarrier object.
LogicalResult SharedAllocOp::verify() {
  return verifyOffset(*this, getOffset(), 128);
}
LogicalResult MbarrierAllocOp::verify() {
  return verifyOffset(*this, getOffset(), 8);
}

LogicalResult TmemAllocOp::verify() {
  if (std::optional<int64_t> column = getColumn();
      column && (*column < 0 || *column >= 512))
    return emitOpError("column(")
           << *column << ") is outside [0, 511] (PTX ISA, Tensor Memory)";
  return verifyInLaunchRegion(*this);
}

LogicalResult TmemDeallocOp::verify() {
  if (!getBuffer().getDefiningOp<TmemAllocOp>())
    return emitOpError("operand must be the result of a tirx.tmem.alloc");
  return verifyInLaunchRegion(*this);
}

LogicalResult SliceOp::verify() {
  auto source = cast<BufferType>(getSource().getType());
  auto result = cast<BufferType>(getResult().getType());
  if ((int64_t)getOffsets().size() != source.getRank())
    return emitOpError("has ")
           << getOffsets().size() << " offsets, but the source has rank "
           << source.getRank();
  if (source.getSpace() != result.getSpace())
    return emitOpError("changes the memory space from ")
           << stringifyMemorySpace(source.getSpace()) << " to "
           << stringifyMemorySpace(result.getSpace());
  if (source.getElementType() != result.getElementType())
    return emitOpError("changes the element type from ")
           << source.getElementType() << " to " << result.getElementType();
  if (source.isGlobal() ? source.getRank() != result.getRank()
                        : source.getRank() < result.getRank())
    return emitOpError("changes the rank from ")
           << source.getRank() << " to " << result.getRank();
  if (!result.hasStaticShape())
    return emitOpError("result must have static extents, not ") << result;
  if (source.isGlobal())
    return success();
  if (auto offset = getSliceOffset(*this); !offset)
    return emitOpError() << offset.error();
  return success();
}
