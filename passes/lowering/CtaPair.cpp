//===- CtaPair.cpp - the CTAs of a pair, in device code -------------------===//

#include "CtaPair.h"

#include "tirx/Dialect/TIRx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tirx::ir;

/// %cluster_ctarank, of which `mask` is kept.
static Value buildMaskedRank(OpBuilder &builder, Location loc, int64_t mask) {
  Value rank = IdOp::create(builder, loc, ThreadAxis::cta_rank);
  return arith::AndIOp::create(
      builder, loc, rank, arith::ConstantIndexOp::create(builder, loc, mask));
}

Value tirx::passes::buildEvenRank(OpBuilder &builder, Location loc) {
  return buildMaskedRank(builder, loc, ~int64_t(1));
}

Value tirx::passes::buildIsEvenCta(OpBuilder &builder, Location loc) {
  Value odd = buildMaskedRank(builder, loc, 1);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, odd,
                               arith::ConstantIndexOp::create(builder, loc, 0));
}
