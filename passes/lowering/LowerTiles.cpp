//===- LowerTiles.cpp - expand tile operations on memory ------------------===//

#include "../dispatch/CopyTiles.h"
#include "../dispatch/LayoutArithmetic.h"
#include "../dispatch/Plans.h"
#include "GlobalAddress.h"
#include "HostChecks.h"

#include "tirx/Passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tirx::passes {
#define GEN_PASS_DEF_TIRXLOWERTILES
#include "tirx/Passes/Passes.h.inc"
} // namespace tirx::passes

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;
namespace layout = tirx::layout;

//===----------------------------------------------------------------------===//
// vector
//===----------------------------------------------------------------------===//

/// All threads of the CTA walk over the tile; neighbours in a warp touch
/// neighbours in global memory.
static void lowerVectorCopy(OpBuilder &builder, Operation *op,
                            const VectorCopyPlan &plan) {
  Location loc = op->getLoc();
  CopyTiles tiles(op);
  auto launch = op->getParentOfType<LaunchOp>();
  bool toShared = tiles.sourceBuffer.isGlobal();
  Value sharedValue = toShared ? tiles.destination : tiles.source;
  GlobalTile global =
      *findGlobalTile(toShared ? tiles.source : tiles.destination);
  requireStrideMultiple(builder, launch, global.argument, plan.vectorElements);

  ArrayRef<int64_t> shape = tiles.getShape();
  int64_t accesses = ShapedType::getNumElements(shape) / plan.vectorElements;
  IndexBuilder index(builder, loc);
  Value base = buildTileBase(builder, loc, global);
  Value thread = IdOp::create(builder, loc, ThreadAxis::tx);
  auto loop = scf::ForOp::create(
      builder, loc, thread, index.value(index.constant(accesses)),
      index.value(index.constant(launch.getThreads())));

  builder.setInsertionPointToStart(loop.getBody());
  OpFoldResult linear =
      index.mul(OpFoldResult(loop.getInductionVar()), plan.vectorElements);
  SmallVector<OpFoldResult> coordinates = unflatten(index, linear, shape);
  Value globalOffset =
      buildElementOffset(builder, loc, global, base, coordinates);
  auto sharedType = cast<BufferType>(sharedValue.getType());
  Value sharedOffset = index.value(applyLayout(
      index, sharedType.getLayout().getValue(), coordinates, shape));
  auto vector = VectorType::get({plan.vectorElements}, tiles.getElementType());
  Value from = toShared ? Value(global.argument) : sharedValue;
  Value to = toShared ? sharedValue : Value(global.argument);
  Value fromOffset = toShared ? globalOffset : sharedOffset;
  Value toOffset = toShared ? sharedOffset : globalOffset;
  Value data = LdOp::create(builder, loc, vector, from, fromOffset);
  StOp::create(builder, loc, data, to, toOffset);
}

//===----------------------------------------------------------------------===//
// tma
//===----------------------------------------------------------------------===//

/// The CTAs along the multicast's axis through this one: those through rank 0,
/// moved by what the other coordinates add to the rank.
static Value buildMulticastMask(OpBuilder &builder, Location loc,
                                const TmaShare &share, Value coordinate) {
  layout::ClusterMask line =
      layout::clusterLine(share.cluster, share.clusterAxis);
  if (layout::clusterCount(line) == layout::clusterSize(share.cluster))
    return arith::ConstantIntOp::create(builder, loc, (int16_t)line, 16);
  IndexBuilder index(builder, loc);
  Value along = index.value(
      index.mul(OpFoldResult(coordinate),
                layout::clusterStride(share.cluster, share.clusterAxis)));
  Value rank = IdOp::create(builder, loc, ThreadAxis::cta_rank);
  Value shift = arith::IndexCastOp::create(
      builder, loc, builder.getI32Type(),
      arith::SubIOp::create(builder, loc, rank, along));
  Value all = arith::ConstantIntOp::create(builder, loc, line, 32);
  Value mask = arith::ShLIOp::create(builder, loc, all, shift);
  return arith::TruncIOp::create(builder, loc, builder.getI16Type(), mask);
}

static void lowerTma(OpBuilder &builder, CopyAsyncOp op, const TmaPlan &plan) {
  Location loc = op.getLoc();
  CopyTiles tiles(op);
  bool load = tiles.sourceBuffer.isGlobal();
  GlobalTile global = *findGlobalTile(load ? tiles.source : tiles.destination);
  Value map = getTensorMap(builder, op->getParentOfType<LaunchOp>(),
                           global.argument, plan.map);
  IndexBuilder index(builder, loc);
  Value partOffset, mask;
  if (const auto &share = plan.share) {
    Value at = IdOp::create(builder, loc, share->axis);
    OpFoldResult rows = index.mul(OpFoldResult(at), share->rows);
    Value &begin = global.offsets[share->dim];
    begin = index.value(index.add(OpFoldResult(begin), rows));
    partOffset = index.value(index.mul(OpFoldResult(at), share->bytes));
    mask = buildMulticastMask(builder, loc, *share, at);
  }
  for (const TmaPlan::Issue &issue : plan.issues) {
    SmallVector<Value> coordinates;
    for (auto [offset, step] : llvm::zip(global.offsets, issue.coordinates))
      coordinates.push_back(
          index.value(index.add(OpFoldResult(offset), index.constant(step))));
    if (load)
      TmaLoadOp::create(builder, loc, map, coordinates, tiles.destination,
                        issue.sharedOffset, partOffset, op.getBarrier(),
                        op.getSlot(), mask, op.getCtaGroup());
    else
      TmaStoreOp::create(builder, loc, tiles.source, issue.sharedOffset, map,
                         coordinates);
  }
}

//===----------------------------------------------------------------------===//
// tcgen05
//===----------------------------------------------------------------------===//

static void lowerMma(OpBuilder &builder, GemmAsyncOp op, const MmaPlan &plan) {
  Location loc = op.getLoc();
  Value yes;
  for (const MmaPlan::Issue &issue : plan.issues) {
    if (!issue.first && !yes)
      yes = arith::ConstantIntOp::create(builder, loc, 1, /*width=*/1);
    Tcgen05MmaOp::create(builder, loc, op.getD(), issue.column, op.getA(),
                         issue.aOffset, op.getB(), issue.bOffset,
                         issue.first ? op.getAccumulate() : yes, plan.m, plan.n,
                         plan.k, plan.aDesc, plan.bDesc, op.getCtaGroup());
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Lowers one operation; false leaves it to tirx-distribute.
static FailureOr<bool> lower(OpBuilder &builder, Operation *op) {
  // The plans below exist: dispatching asked for them.
  if (failed(verifyDispatched(op)))
    return failure();
  builder.setInsertionPoint(op);
  if (auto gemm = dyn_cast<GemmAsyncOp>(op))
    lowerMma(builder, gemm, *planMma(gemm));
  else if (CopyTiles(op).getRegisterTile())
    return false;
  else if (auto async = dyn_cast<CopyAsyncOp>(op))
    lowerTma(builder, async, *planTma(op));
  else
    lowerVectorCopy(builder, op, *planVectorCopy(op));
  return true;
}

namespace {
struct LowerTilesPass : tirx::passes::impl::TIRxLowerTilesBase<LowerTilesPass> {
  void runOnOperation() override {
    SmallVector<Operation *> tileOps;
    getOperation().walk([&](Operation *op) {
      if (!getVariants(op).empty())
        tileOps.push_back(op);
    });
    OpBuilder builder(&getContext());
    for (Operation *op : tileOps) {
      FailureOr<bool> lowered = lower(builder, op);
      if (failed(lowered))
        return signalPassFailure();
      if (*lowered)
        op->erase();
    }
  }
};
} // namespace
