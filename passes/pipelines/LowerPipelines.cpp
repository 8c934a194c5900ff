//===- LowerPipelines.cpp - pipelines as buffers and mbarriers ------------===//

#include "../lowering/CtaPair.h"
#include "PipelinePlan.h"
#include "Position.h"

#include "tirx/Layout/Algebra.h"
#include "tirx/Passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace tirx::passes {
#define GEN_PASS_DEF_TIRXLOWERPIPELINES
#include "tirx/Passes/Passes.h.inc"
} // namespace tirx::passes

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;
namespace layout = tirx::layout;

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

/// `stages` tiles one after the other: in shared memory at whole swizzle
/// periods, in tensor memory in the columns after each other's.
static BufferType getRingType(BufferType tile, int64_t stages) {
  layout::Layout ring = tile.getLayout().getValue();
  layout::Axis axis = tile.isTmem() ? layout::Axis::TCol : layout::Axis::m;
  int64_t stride = layout::span(ring.tile, axis);
  if (ring.swizzle)
    stride = llvm::alignTo(stride, ring.swizzle->period());
  ring.tile.shard.insert(ring.tile.shard.begin(), {stages, stride, axis});
  SmallVector<int64_t> shape = {stages};
  llvm::append_range(shape, tile.getShape());
  return BufferType::get(tile.getContext(), shape, tile.getElementType(),
                         LayoutAttr::get(tile.getContext(), ring),
                         tile.getSpace());
}

namespace {
/// A pipeline and what it became.
struct Ring {
  PipelinePlan plan;
  Value full, empty;
  SmallVector<Value> storage;
};
} // namespace

/// The pipeline's buffers and barriers, where the pipeline stands.
static Ring buildRing(OpBuilder &builder, PipelinePlan plan) {
  PipelineOp op = plan.op;
  Location loc = op.getLoc();
  builder.setInsertionPoint(op);
  int64_t stages = plan.type.getStages();
  auto barrier = BarrierType::get(builder.getContext(), stages);
  Ring ring{std::move(plan), {}, {}, {}};
  for (BufferType tile : ring.plan.type.getTiles()) {
    BufferType type = getRingType(tile, stages);
    ring.storage.push_back(
        tile.isTmem()
            ? TmemAllocOp::create(builder, loc, type, IntegerAttr()).getResult()
            : SharedAllocOp::create(builder, loc, type, IntegerAttr())
                  .getResult());
  }
  ring.full = MbarrierAllocOp::create(builder, loc, barrier, IntegerAttr());
  ring.empty = MbarrierAllocOp::create(builder, loc, barrier, IntegerAttr());
  return ring;
}

/// One thread initialises all barriers; then all threads that use them, in
/// other CTAs too, may go on (PTX ISA, fence.mbarrier_init).
static void buildPrologue(OpBuilder &builder, LaunchOp launch,
                          ArrayRef<Ring> rings) {
  builder.setInsertionPointAfter(rings.back().plan.op);
  Location loc = launch.getLoc();
  auto elect = ElectOp::create(builder, loc, IntegerAttr());
  Block *body = builder.createBlock(&elect.getBody());
  for (const Ring &ring : rings) {
    Location at = ring.plan.op->getLoc();
    MbarrierInitOp::create(builder, at, ring.full, ring.plan.full.count);
    MbarrierInitOp::create(builder, at, ring.empty, ring.plan.empty.count);
  }
  FenceOp::create(builder, loc, FenceKind::mbarrier_init);
  ReturnOp::create(builder, loc);
  builder.setInsertionPointAfter(body->getParentOp());
  if (launch.getClusterCtas() > 1)
    ClusterSyncOp::create(builder, loc);
  else
    CtaSyncOp::create(builder, loc);
}

/// Tensor memory is given back when all roles have ended; and no CTA of a
/// cluster ends while others may read its memory.
static void buildEpilogue(OpBuilder &builder, LaunchOp launch,
                          ArrayRef<Ring> rings) {
  builder.setInsertionPoint(launch.getBody().front().getTerminator());
  bool tmem = false;
  for (const Ring &ring : rings)
    for (Value buffer : ring.storage)
      if (cast<BufferType>(buffer.getType()).isTmem()) {
        TmemDeallocOp::create(builder, ring.plan.op->getLoc(), buffer);
        tmem = true;
      }
  // The lowering of deallocation synchronises, too.
  if (!tmem && launch.getClusterCtas() > 1)
    ClusterSyncOp::create(builder, launch.getLoc());
}

//===----------------------------------------------------------------------===//
// Signals
//===----------------------------------------------------------------------===//

/// This CTA's entry of a table with one 16-bit mask a rank.
static Value buildMask(OpBuilder &builder, Location loc,
                       ArrayRef<layout::ClusterMask> masks) {
  // Odd CTAs of pairs issue nothing.
  SmallVector<layout::ClusterMask> used;
  llvm::copy_if(masks, std::back_inserter(used),
                [](layout::ClusterMask mask) { return mask != 0; });
  if (llvm::all_equal(used))
    return arith::ConstantIntOp::create(builder, loc, used.front(), 16);
  constexpr int64_t masksPerWord = 4;
  Value rank = IdOp::create(builder, loc, ThreadAxis::cta_rank);
  Value rank64 =
      arith::IndexCastUIOp::create(builder, loc, builder.getI64Type(), rank);
  Value word;
  for (size_t first = 0; first < masks.size(); first += masksPerWord) {
    uint64_t packed = 0;
    for (size_t i = first; i < std::min(first + masksPerWord, masks.size());
         ++i)
      packed |= uint64_t(masks[i]) << 16 * (i - first);
    Value constant =
        arith::ConstantIntOp::create(builder, loc, (int64_t)packed, 64);
    if (!word) {
      word = constant;
      continue;
    }
    Value begin = arith::ConstantIndexOp::create(builder, loc, first);
    Value reached = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::uge, rank, begin);
    word = arith::SelectOp::create(builder, loc, reached, constant, word);
  }
  Value three = arith::ConstantIntOp::create(builder, loc, 3, 64);
  Value four = arith::ConstantIntOp::create(builder, loc, 4, 64);
  Value shift = arith::ShLIOp::create(
      builder, loc, arith::AndIOp::create(builder, loc, rank64, three), four);
  return arith::TruncIOp::create(
      builder, loc, builder.getIntegerType(16),
      arith::ShRUIOp::create(builder, loc, word, shift));
}

/// Runs `build` in one thread of the executor.
static void buildInOneThread(OpBuilder &builder, Location loc,
                             const Executor &executor,
                             llvm::function_ref<void()> build) {
  auto elect = ElectOp::create(builder, loc,
                               builder.getI64IntegerAttr(executor.firstWarp));
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&elect.getBody());
  build();
  ReturnOp::create(builder, loc);
}

static void buildArrive(OpBuilder &builder, Location loc, Value barrier,
                        Value stage, Value cta, bool cluster) {
  MbarrierArriveOp::create(builder, loc, barrier, stage, ValueRange(), cta,
                           IntegerAttr(), cluster);
}

/// What publish and release do, after their fences.
static void buildSignal(OpBuilder &builder, Location loc,
                        const Executor &executor, const SignalPlan &signal,
                        int64_t ctaGroup, Value barrier, Value stage) {
  if (signal.kind == PipelineSignal::tma)
    return; // the copies signal
  if (signal.kind == PipelineSignal::mma) {
    Value mask = signal.commitMasks.empty()
                     ? Value()
                     : buildMask(builder, loc, signal.commitMasks);
    buildInOneThread(builder, loc, executor, [&] {
      Tcgen05CommitOp::create(builder, loc, barrier, stage, mask, ctaGroup);
    });
    return;
  }
  switch (signal.arrive) {
  case SignalPlan::Arrive::own:
    buildArrive(builder, loc, barrier, stage, Value(), false);
    return;
  case SignalPlan::Arrive::even:
    buildArrive(builder, loc, barrier, stage, buildEvenRank(builder, loc),
                false);
    return;
  case SignalPlan::Arrive::pair: {
    Value even = buildEvenRank(builder, loc);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    buildArrive(builder, loc, barrier, stage, even, false);
    buildArrive(builder, loc, barrier, stage,
                arith::AddIOp::create(builder, loc, even, one), false);
    return;
  }
  }
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

namespace {
class StageLowering {
public:
  StageLowering(OpBuilder &builder, const Ring &ring)
      : builder(builder), ring(ring), plan(ring.plan),
        ctaGroup(PipelineOp(ring.plan.op).getCtaGroup()) {}

  LogicalResult lower(Operation *op) {
    builder.setInsertionPoint(op);
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<AcquireOp, PublishOp, WaitOp, ReleaseOp, DrainOp>(
            [&](auto stageOp) -> LogicalResult {
              if (!stageOp.getStage())
                return stageOp.emitOpError("has no position: run "
                                           "tirx-thread-pipeline-state first");
              lowerStage(stageOp);
              stageOp.erase();
              return success();
            })
        .Default([](Operation *op) {
          return op->emitOpError("cannot use a pipeline");
        });
  }

private:
  void buildFence(Location loc, std::optional<FenceKind> kind) {
    if (kind)
      FenceOp::create(builder, loc, *kind);
  }

  void buildWait(Location loc, Value barrier, Value stage, Value parity,
                 const SignalPlan &signal) {
    MbarrierWaitOp::create(builder, loc, barrier, stage, parity,
                           signal.fromOtherCtas);
  }

  /// The stage's tiles take the place of the operation's results.
  template <typename OpT> void replaceTiles(OpT op) {
    Value zero = arith::ConstantIndexOp::create(builder, op.getLoc(), 0);
    for (auto [tile, buffer] : llvm::zip(op.getTiles(), ring.storage)) {
      auto type = cast<BufferType>(tile.getType());
      SmallVector<Value> offsets = {op.getStage()};
      offsets.append(type.getRank(), zero);
      Value slice =
          SliceOp::create(builder, op.getLoc(), type, buffer, offsets);
      tile.replaceAllUsesWith(slice);
    }
  }

  void lowerStage(AcquireOp op) {
    Location loc = op.getLoc();
    buildWait(loc, ring.empty, op.getStage(), op.getPhase(), plan.empty);
    buildFence(loc, plan.getWaitFence());
    if (plan.full.kind == PipelineSignal::tma) {
      buildExpect(op);
      for (Value tile : op.getTiles())
        signalCopies(tile, op.getStage());
    }
    replaceTiles(op);
  }

  /// The bytes are expected where they arrive.
  void buildExpect(AcquireOp op) {
    Location loc = op.getLoc();
    OpBuilder::InsertionGuard guard(builder);
    Executor executor = getExecutor(op);
    auto expect = [&] {
      buildInOneThread(builder, loc, executor, [&] {
        MbarrierArriveOp::create(builder, loc, ring.full, op.getStage(),
                                 ValueRange(), Value(),
                                 builder.getI64IntegerAttr(plan.bytes), false);
      });
    };
    if (!plan.bytesAtEvenCta)
      return expect();
    auto branch = scf::IfOp::create(builder, loc, buildIsEvenCta(builder, loc));
    builder.setInsertionPointToStart(branch.thenBlock());
    expect();
  }

  /// Copies into the tile complete at the stage's barrier.
  void signalCopies(Value tile, Value stage) {
    for (Operation *user : tile.getUsers()) {
      auto copy = dyn_cast<CopyAsyncOp>(user);
      if (!copy || copy.getDestination() != tile || copy.getBarrier())
        continue;
      copy.getBarrierMutable().assign(ring.full);
      copy.getSlotMutable().assign(stage);
      copy.setCtaGroup(ctaGroup);
    }
  }

  void lowerStage(PublishOp op) {
    Location loc = op.getLoc();
    buildFence(loc, plan.getPublishFence());
    buildSignal(builder, loc, getExecutor(op), plan.full, ctaGroup, ring.full,
                op.getStage());
  }

  void lowerStage(WaitOp op) {
    Location loc = op.getLoc();
    buildWait(loc, ring.full, op.getStage(), op.getPhase(), plan.full);
    buildFence(loc, plan.getWaitFence());
    replaceTiles(op);
  }

  void lowerStage(ReleaseOp op) {
    Location loc = op.getLoc();
    buildFence(loc, plan.getReleaseFence());
    buildSignal(builder, loc, getExecutor(op), plan.empty, ctaGroup, ring.empty,
                op.getStage());
  }

  void lowerStage(DrainOp op) {
    Location loc = op.getLoc();
    Value first = arith::ConstantIndexOp::create(builder, loc, 0);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value end =
        arith::ConstantIndexOp::create(builder, loc, plan.type.getStages());
    scf::ForOp::create(
        builder, loc, first, end, one, {op.getStage(), op.getPhase()},
        [&](OpBuilder &b, Location, Value, ValueRange position) {
          MbarrierWaitOp::create(b, loc, ring.empty, position[0], position[1],
                                 plan.empty.fromOtherCtas);
          auto [stage, phase] = buildNextPosition(
              b, loc, {position[0], position[1]}, plan.type.getStages());
          scf::YieldOp::create(b, loc, {stage, phase});
        });
  }

  OpBuilder &builder;
  const Ring &ring;
  const PipelinePlan &plan;
  int64_t ctaGroup;
};
} // namespace

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static LogicalResult lowerLaunch(OpBuilder &builder, LaunchOp launch) {
  std::vector<Ring> rings;
  SmallVector<PipelineOp> pipelines(launch.getBody().getOps<PipelineOp>());
  if (pipelines.empty())
    return success();
  for (PipelineOp op : pipelines) {
    FailureOr<PipelinePlan> plan = planPipeline(op);
    if (failed(plan))
      return failure();
    rings.push_back(buildRing(builder, std::move(*plan)));
  }
  buildPrologue(builder, launch, rings);
  buildEpilogue(builder, launch, rings);
  for (const Ring &ring : rings) {
    PipelineOp op = ring.plan.op;
    for (Operation *user :
         llvm::make_early_inc_range(op.getResult().getUsers()))
      if (failed(StageLowering(builder, ring).lower(user)))
        return failure();
  }
  for (PipelineOp op : pipelines)
    op.erase();
  return success();
}

namespace {
struct LowerPipelinesPass
    : tirx::passes::impl::TIRxLowerPipelinesBase<LowerPipelinesPass> {
  void runOnOperation() override {
    OpBuilder builder(&getContext());
    SmallVector<LaunchOp> launches;
    getOperation().walk([&](LaunchOp launch) { launches.push_back(launch); });
    for (LaunchOp launch : launches)
      if (failed(lowerLaunch(builder, launch)))
        return signalPassFailure();
  }
};
} // namespace
