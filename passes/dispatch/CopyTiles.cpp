//===- CopyTiles.cpp - the two ends of a copy -----------------------------===//

#include "CopyTiles.h"

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;

template <typename OpT> static Value getDestinationOf(OpT op) {
  if (op.getDestination())
    return op.getDestination();
  return op.getResult();
}

CopyTiles::CopyTiles(Operation *op) {
  if (auto copy = dyn_cast<CopyOp>(op)) {
    source = copy.getSource();
    destination = getDestinationOf(copy);
  } else {
    auto async = cast<CopyAsyncOp>(op);
    source = async.getSource();
    destination = getDestinationOf(async);
  }
  sourceBuffer = dyn_cast<BufferType>(source.getType());
  destinationBuffer = dyn_cast<BufferType>(destination.getType());
  sourceTile = dyn_cast<RankedTensorType>(source.getType());
  destinationTile = dyn_cast<RankedTensorType>(destination.getType());
}

llvm::ArrayRef<int64_t> CopyTiles::getShape() const {
  ArrayRef<int64_t> shape = getTileShape(source.getType());
  return dropLeadingUnits(shape, getTileShape(destination.getType()).size());
}

Type CopyTiles::getElementType() const {
  return getTileElementType(source.getType());
}

unsigned CopyTiles::getElementBits() const {
  return getElementType().getIntOrFloatBitWidth();
}

static std::string describePlace(BufferType buffer) {
  if (!buffer)
    return "in registers";
  return ("in " + stringifyMemorySpace(buffer.getSpace()) + " memory").str();
}

std::string CopyTiles::describeSource() const {
  return describePlace(sourceBuffer);
}

std::string CopyTiles::describeDestination() const {
  return describePlace(destinationBuffer);
}
