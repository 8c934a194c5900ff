//===- GlobalAddress.cpp - addresses in kernel arguments ------------------===//

#include "GlobalAddress.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;

Value tirx::passes::buildElementOffset(OpBuilder &builder, Location loc,
                                       const GlobalTile &tile, Value base,
                                       ArrayRef<OpFoldResult> coordinates) {
  Type i64 = builder.getI64Type();
  int64_t rank = cast<BufferType>(tile.argument.getType()).getRank();
  int64_t last = rank - 1;
  int64_t axis = rank - coordinates.size() - 1;
  Value sum = base;
  for (OpFoldResult coordinate : coordinates) {
    ++axis;
    if (isZeroInteger(coordinate))
      continue;
    Value term;
    if (std::optional<int64_t> constant = getConstantIntValue(coordinate))
      term = arith::ConstantIntOp::create(builder, loc, *constant, 64);
    else // Coordinates are below 2^31: extents are.
      term = arith::IndexCastOp::create(builder, loc, i64,
                                        cast<Value>(coordinate));
    if (axis != last)
      term = arith::MulIOp::create(
          builder, loc, term,
          StrideOp::create(builder, loc, tile.argument, axis));
    sum =
        sum ? arith::AddIOp::create(builder, loc, sum, term).getResult() : term;
  }
  if (!sum)
    sum = arith::ConstantIntOp::create(builder, loc, 0, 64);
  return sum;
}

Value tirx::passes::buildTileBase(OpBuilder &builder, Location loc,
                                  const GlobalTile &tile) {
  SmallVector<OpFoldResult> offsets(tile.offsets.begin(), tile.offsets.end());
  return buildElementOffset(builder, loc, tile, Value(), offsets);
}
