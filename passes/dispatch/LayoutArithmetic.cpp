//===- LayoutArithmetic.cpp - layouts as index arithmetic -----------------===//

#include "LayoutArithmetic.h"

#include "tirx/Layout/Algebra.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tirx::passes;
namespace layout = tirx::layout;

Value IndexBuilder::value(OpFoldResult a) {
  if (auto value = dyn_cast<Value>(a))
    return value;
  return arith::ConstantIndexOp::create(builder, loc, *getConstantIntValue(a));
}

template <typename OpT, typename FoldT>
static OpFoldResult build(IndexBuilder &b, OpBuilder &builder, Location loc,
                          OpFoldResult lhs, OpFoldResult rhs, FoldT fold) {
  std::optional<int64_t> x = getConstantIntValue(lhs),
                         y = getConstantIntValue(rhs);
  if (x && y)
    return b.constant(fold(*x, *y));
  return OpT::create(builder, loc, b.value(lhs), b.value(rhs)).getResult();
}

OpFoldResult IndexBuilder::add(OpFoldResult a, OpFoldResult b) {
  if (isZeroInteger(a))
    return b;
  if (isZeroInteger(b))
    return a;
  return build<arith::AddIOp>(*this, builder, loc, a, b,
                              [](int64_t x, int64_t y) { return x + y; });
}

OpFoldResult IndexBuilder::mul(OpFoldResult a, int64_t b) {
  if (b == 1)
    return a;
  if (b == 0)
    return constant(0);
  return build<arith::MulIOp>(*this, builder, loc, a, constant(b),
                              [](int64_t x, int64_t y) { return x * y; });
}

OpFoldResult IndexBuilder::div(OpFoldResult a, int64_t b) {
  if (b == 1)
    return a;
  return build<arith::DivUIOp>(*this, builder, loc, a, constant(b),
                               [](int64_t x, int64_t y) { return x / y; });
}

OpFoldResult IndexBuilder::rem(OpFoldResult a, int64_t b) {
  if (b == 1)
    return constant(0);
  return build<arith::RemUIOp>(*this, builder, loc, a, constant(b),
                               [](int64_t x, int64_t y) { return x % y; });
}

OpFoldResult IndexBuilder::xorWith(OpFoldResult a, OpFoldResult b) {
  return build<arith::XOrIOp>(*this, builder, loc, a, b,
                              [](int64_t x, int64_t y) { return x ^ y; });
}

SmallVector<OpFoldResult> tirx::passes::unflatten(IndexBuilder &b,
                                                  OpFoldResult linear,
                                                  ArrayRef<int64_t> shape) {
  SmallVector<OpFoldResult> coordinates(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    // The slowest coordinate needs no remainder: the index is in range.
    coordinates[axis] = axis ? b.rem(linear, shape[axis]) : linear;
    if (axis)
      linear = b.div(linear, shape[axis]);
  }
  return coordinates;
}

/// Adds what the iters of one dimension contribute to the place.
static OpFoldResult addDigits(IndexBuilder &b, OpFoldResult place,
                              OpFoldResult coordinate,
                              std::span<const layout::Iter> iters) {
  for (size_t i = iters.size(); i-- > 0;) {
    OpFoldResult digit = i ? b.rem(coordinate, iters[i].extent) : coordinate;
    if (i)
      coordinate = b.div(coordinate, iters[i].extent);
    place = b.add(place, b.mul(digit, iters[i].stride));
  }
  return place;
}

static OpFoldResult applySwizzle(IndexBuilder &b, OpFoldResult place,
                                 const layout::Swizzle &swizzle) {
  int64_t unit = int64_t(1) << swizzle.perElement;
  int64_t mask = int64_t(1) << swizzle.swizzleLen;
  OpFoldResult line = b.div(place, unit);
  // In units of elements, so that the low bits need no splitting off.
  OpFoldResult bits =
      swizzle.inner
          ? b.mul(b.rem(b.div(line, int64_t(1) << swizzle.atomLen), mask), unit)
          : b.mul(b.rem(line, mask), unit << swizzle.atomLen);
  return b.xorWith(place, bits);
}

OpFoldResult tirx::passes::applyLayout(IndexBuilder &b,
                                       const layout::Layout &layout,
                                       ArrayRef<OpFoldResult> coordinates,
                                       ArrayRef<int64_t> shape) {
  OpFoldResult place = b.constant(layout.tile.offset.get(layout::Axis::m));
  // Dimension by dimension where the layout allows it: shorter expressions,
  // and constant coordinates fold.
  if (auto grouped = layout::group(layout.tile, shape)) {
    for (size_t axis = 0; axis < shape.size(); ++axis)
      place = addDigits(b, place, coordinates[axis], grouped->dim(axis));
  } else {
    OpFoldResult linear = b.constant(0);
    for (size_t axis = 0; axis < shape.size(); ++axis)
      linear = b.add(b.mul(linear, shape[axis]), coordinates[axis]);
    place = addDigits(b, place, linear, layout.tile.shard);
  }
  return layout.swizzle ? applySwizzle(b, place, *layout.swizzle) : place;
}

/// Larger divisors are of no use: accesses have at most 16 elements.
constexpr int64_t maxDivisor = 1 << 16;

static int64_t findDivisor(Value index, int depth) {
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant))) {
    unsigned zeros = std::min(constant.countr_zero(), 16u);
    return int64_t(1) << zeros;
  }
  // Expressions of offsets are short; values around loops have no end.
  if (depth == 0)
    return 1;
  auto smaller = [&](Value a, Value b) {
    return std::min(findDivisor(a, depth - 1), findDivisor(b, depth - 1));
  };
  if (auto argument = dyn_cast<BlockArgument>(index)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && loop.getInductionVar() == index
               ? smaller(loop.getLowerBound(), loop.getStep())
               : 1;
  }
  Operation *op = index.getDefiningOp();
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinUIOp, arith::MinSIOp,
          arith::MaxUIOp, arith::MaxSIOp>(op))
    return smaller(op->getOperand(0), op->getOperand(1));
  if (isa<arith::SelectOp>(op))
    return smaller(op->getOperand(1), op->getOperand(2));
  if (isa<arith::MulIOp>(op))
    return std::min(maxDivisor, findDivisor(op->getOperand(0), depth - 1) *
                                    findDivisor(op->getOperand(1), depth - 1));
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
          arith::ExtUIOp>(op))
    return findDivisor(op->getOperand(0), depth - 1);
  return 1;
}

int64_t tirx::passes::getKnownDivisor(Value index) {
  return findDivisor(index, /*depth=*/8);
}
