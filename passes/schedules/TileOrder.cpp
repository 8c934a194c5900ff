//===- TileOrder.cpp - from a tile's number to its coordinates ------------===//

#include "TileOrder.h"

#include "tirx/Layout/TileSchedule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;
using tirx::layout::kMaxTiles;

namespace {
/// Index arithmetic at one place; folds what is constant.
struct Arithmetic {
  OpBuilder &builder;
  Location loc;

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value add(Value a, Value b) {
    return builder.createOrFold<arith::AddIOp>(loc, a, b);
  }
  Value sub(Value a, Value b) {
    return builder.createOrFold<arith::SubIOp>(loc, a, b);
  }
  Value mul(Value a, Value b) {
    return builder.createOrFold<arith::MulIOp>(loc, a, b);
  }
  Value div(Value a, Value b) {
    return builder.createOrFold<arith::DivUIOp>(loc, a, b);
  }
  Value min(Value a, Value b) {
    return builder.createOrFold<arith::MinUIOp>(loc, a, b);
  }
  Value max(Value a, Value b) {
    return builder.createOrFold<arith::MaxUIOp>(loc, a, b);
  }
  /// Quotient and rest, at one division.
  std::pair<Value, Value> divRem(Value a, Value b) {
    Value quotient = div(a, b);
    return {quotient, sub(a, mul(quotient, b))};
  }
};
} // namespace

/// A persistent loop adds the number of clusters to a tile's number once more
/// after the last tile.
static void requireThatTilesFit(Arithmetic host, ScheduleKind kind, Value tiles,
                                Value clusters) {
  bool isPersistent = kind == ScheduleKind::persistent;
  Value most = isPersistent ? host.add(tiles, clusters) : tiles;
  Value fits = host.builder.createOrFold<arith::CmpIOp>(
      host.loc, arith::CmpIPredicate::ule, most, host.constant(kMaxTiles));
  if (matchPattern(fits, m_One()))
    return;
  RequireOp::create(
      host.builder, host.loc, fits,
      (llvm::Twine("the tiles of a schedule") +
       (isPersistent ? " and its clusters must together" : " must") +
       " be at most " + llvm::Twine(kMaxTiles) + ": tile numbers have 32 bits")
          .str());
}

TileOrder::TileOrder(ScheduleOp schedule, LaunchOp launch)
    : extents(schedule.getExtents()), group(schedule.getGroup()) {
  OpBuilder builder(schedule);
  builder.setInsertionPointAfter(schedule);
  Arithmetic host{builder, schedule.getLoc()};
  tiles = extents[0];
  if (extents.size() > 1) {
    tiles = batchTiles = host.mul(tiles, extents[1]);
    // A group that is larger than the grid is the grid; then the product has
    // no more bits than the number of tiles.
    Value rows = group == 1 ? host.constant(1)
                            : host.min(extents[0], host.constant(group));
    groupTiles = host.mul(rows, extents[1]);
  }
  if (extents.size() > 2)
    tiles = host.mul(tiles, extents[2]);

  clusters = tiles;
  if (schedule.getKind() == ScheduleKind::persistent) {
    Value sms = SmCountOp::create(builder, host.loc, builder.getIndexType());
    Value room = host.div(sms, host.constant(launch.getClusterCtas()));
    clusters = host.max(host.min(tiles, room), host.constant(1));
  }
  requireThatTilesFit(host, schedule.getKind(), tiles, clusters);
}

SmallVector<Value, 3> TileOrder::buildCoordinates(OpBuilder &builder,
                                                  Location loc,
                                                  Value number) const {
  Arithmetic device{builder, loc};
  if (extents.size() == 1)
    return {number};
  Value batch;
  if (extents.size() == 3)
    std::tie(batch, number) = device.divRem(number, batchTiles);
  Value row, column;
  auto [groupNumber, inGroup] = device.divRem(number, groupTiles);
  if (group == 1) {
    row = groupNumber;
    column = inGroup;
  } else {
    // What is left of the rows is a smaller group.
    Value size = device.constant(group);
    Value firstRow = device.mul(groupNumber, size);
    Value height = device.min(device.sub(extents[0], firstRow), size);
    Value rowInGroup;
    std::tie(column, rowInGroup) = device.divRem(inGroup, height);
    row = device.add(firstRow, rowInGroup);
  }
  if (!batch)
    return {row, column};
  return {row, column, batch};
}

Value tirx::passes::buildClusterNumber(OpBuilder &builder, Location loc,
                                       LaunchOp launch) {
  return IdOp::create(builder, loc,
                      launch.getClusterCtas() == 1 ? ThreadAxis::bx
                                                   : ThreadAxis::clx);
}

void tirx::passes::inlineTile(OpBuilder &builder, ForTilesOp loop,
                              const TileOrder &order, Value number) {
  Block *body = &loop.getBody().front();
  auto coordinates = order.buildCoordinates(builder, loop.getLoc(), number);
  for (auto [argument, value] : llvm::zip(body->getArguments(), coordinates))
    argument.replaceAllUsesWith(value);
  body->getTerminator()->erase();
  builder.getBlock()->getOperations().splice(builder.getInsertionPoint(),
                                             body->getOperations());
}
