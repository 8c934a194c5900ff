//===- Position.cpp - where a role is in a ring of stages -----------------===//

#include "Position.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tirx::passes;

Position tirx::passes::buildNextPosition(OpBuilder &builder, Location loc,
                                         Position position, int64_t stages) {
  Value yes = arith::ConstantIntOp::create(builder, loc, 1, 1);
  if (stages == 1)
    return {position.stage,
            arith::XOrIOp::create(builder, loc, position.phase, yes)};
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value end = arith::ConstantIndexOp::create(builder, loc, stages);
  Value first = arith::ConstantIndexOp::create(builder, loc, 0);
  Value next = arith::AddIOp::create(builder, loc, position.stage, one);
  Value wraps =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, next, end);
  return {arith::SelectOp::create(builder, loc, wraps, first, next),
          arith::XOrIOp::create(builder, loc, position.phase, wraps)};
}
