//===- ThreadState.cpp - positions in pipelines as SSA values -------------===//

#include "PipelinePlan.h"
#include "Position.h"

#include "tirx/Passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tirx::passes {
#define GEN_PASS_DEF_TIRXTHREADPIPELINESTATE
#include "tirx/Passes/Passes.h.inc"
} // namespace tirx::passes

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;

namespace {
enum class Side { producer, consumer };

/// Each executor walks over a pipeline's stages on its own, at each side.
struct Walker {
  Value pipeline;
  Executor executor;
  Side side;

  bool operator==(const Walker &) const = default;
};

/// Positions of the walkers at a point of the program, in a fixed order.
using Positions = SmallVector<std::pair<Walker, Position>>;

bool isClose(Operation *op) { return isa<PublishOp, ReleaseOp>(op); }

std::optional<Walker> getWalker(Operation *op) {
  if (isa<AcquireOp, PublishOp, DrainOp>(op))
    return Walker{op->getOperand(0), getExecutor(op), Side::producer};
  if (isa<WaitOp, ReleaseOp>(op))
    return Walker{op->getOperand(0), getExecutor(op), Side::consumer};
  return std::nullopt;
}

class StateThreader {
public:
  explicit StateThreader(LaunchOp launch) : builder(launch.getContext()) {}

  LogicalResult run(LaunchOp launch) {
    SmallVector<Walker> walkers = collectWalkers(launch, /*moving=*/false);
    if (walkers.empty())
      return success();
    Positions positions = buildInitialPositions(launch, walkers);
    return threadBlock(&launch.getBody().front(), positions);
  }

private:
  /// The walkers at work inside of `root`; with `moving` those that advance.
  SmallVector<Walker> collectWalkers(Operation *root, bool moving) {
    SmallVector<Walker> walkers;
    root->walk([&](Operation *op) {
      if (auto walker = getWalker(op); walker && (!moving || isClose(op)) &&
                                       !llvm::is_contained(walkers, *walker))
        walkers.push_back(*walker);
    });
    return walkers;
  }

  /// All stages are empty, as if the producers' phase before the first had
  /// completed: the producer waits for parity 1, which a new barrier has
  /// behind it, the consumer for parity 0 (PTX ISA, mbarrier.try_wait.parity).
  Positions buildInitialPositions(LaunchOp launch, ArrayRef<Walker> walkers) {
    Operation *last = nullptr;
    for (const Walker &walker : walkers) {
      Operation *pipeline = walker.pipeline.getDefiningOp();
      if (!last || last->isBeforeInBlock(pipeline))
        last = pipeline;
    }
    builder.setInsertionPointAfter(last);
    Location loc = launch.getLoc();
    Value first = arith::ConstantIndexOp::create(builder, loc, 0);
    Value phases[] = {arith::ConstantIntOp::create(builder, loc, 1, 1),
                      arith::ConstantIntOp::create(builder, loc, 0, 1)};
    Positions positions;
    for (const Walker &walker : walkers)
      positions.push_back({walker, {first, phases[(int)walker.side]}});
    return positions;
  }

  static Position &find(Positions &positions, const Walker &walker) {
    return llvm::find_if(positions,
                         [&](auto &entry) { return entry.first == walker; })
        ->second;
  }

  static SmallVector<Value> flatten(Positions &positions,
                                    ArrayRef<Walker> walkers) {
    SmallVector<Value> values;
    for (const Walker &walker : walkers) {
      Position &position = find(positions, walker);
      values.append({position.stage, position.phase});
    }
    return values;
  }

  static void assign(Positions &positions, ArrayRef<Walker> walkers,
                     ValueRange values) {
    for (auto [i, walker] : llvm::enumerate(walkers))
      find(positions, walker) = {values[2 * i], values[2 * i + 1]};
  }

  SmallVector<Type> getTypes(ArrayRef<Walker> walkers) {
    SmallVector<Type> types;
    for (size_t i = 0; i < walkers.size(); ++i)
      types.append({builder.getIndexType(), builder.getI1Type()});
    return types;
  }

  void threadStageOp(Operation *op, const Walker &walker,
                     Positions &positions) {
    Position &position = find(positions, walker);
    llvm::TypeSwitch<Operation *>(op)
        .Case<AcquireOp, PublishOp, WaitOp, ReleaseOp, DrainOp>(
            [&](auto stage) {
              if (stage.getStage())
                return; // written out by hand
              stage.getStageMutable().assign(position.stage);
              stage.getPhaseMutable().assign(position.phase);
            });
    if (!isClose(op))
      return;
    builder.setInsertionPointAfter(op);
    auto type = cast<PipelineType>(walker.pipeline.getType());
    position =
        buildNextPosition(builder, op->getLoc(), position, type.getStages());
  }

  LogicalResult threadBlock(Block *block, Positions &positions) {
    for (Operation &op : llvm::make_early_inc_range(*block)) {
      if (auto walker = getWalker(&op)) {
        threadStageOp(&op, *walker, positions);
        continue;
      }
      if (op.getNumRegions() && failed(threadRegions(&op, positions)))
        return failure();
    }
    return success();
  }

  LogicalResult threadRegions(Operation *op, Positions &positions) {
    SmallVector<Walker> inside = collectWalkers(op, /*moving=*/false);
    if (inside.empty())
      return success();
    SmallVector<Walker> moving = collectWalkers(op, /*moving=*/true);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return threadFor(loop, moving, positions);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return threadIf(branch, moving, positions);
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return threadWhile(loop, moving, positions);
    if (auto role = dyn_cast<RoleOp>(op))
      return threadRole(role, moving, positions);
    if (isa<RolesOp>(op))
      return threadBlock(&op->getRegion(0).front(), positions);
    return op->emitOpError("may not hold operations on pipelines: their "
                           "position cannot be carried through it");
  }

  LogicalResult threadFor(scf::ForOp loop, ArrayRef<Walker> moving,
                          Positions &positions) {
    builder.setInsertionPoint(loop);
    SmallVector<Value> inits(loop.getInits());
    size_t known = inits.size();
    llvm::append_range(inits, flatten(positions, moving));
    auto threaded =
        scf::ForOp::create(builder, loop.getLoc(), loop.getLowerBound(),
                           loop.getUpperBound(), loop.getStep(), inits);
    threaded->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    Block *body = threaded.getBody();
    if (!body->empty())
      body->getTerminator()->erase();
    for (auto [old, now] :
         llvm::zip(loop.getBody()->getArguments(), body->getArguments()))
      old.replaceAllUsesWith(now);
    body->getOperations().splice(body->end(), loop.getBody()->getOperations());
    Positions within = positions;
    assign(within, moving, threaded.getRegionIterArgs().drop_front(known));
    if (failed(threadBlock(body, within)))
      return failure();
    auto yield = cast<scf::YieldOp>(body->getTerminator());
    yield.getResultsMutable().append(flatten(within, moving));
    loop->replaceAllUsesWith(threaded.getResults().take_front(known));
    loop.erase();
    assign(positions, moving, threaded.getResults().drop_front(known));
    return success();
  }

  LogicalResult threadIf(scf::IfOp branch, ArrayRef<Walker> moving,
                         Positions &positions) {
    builder.setInsertionPoint(branch);
    SmallVector<Type> types(branch.getResultTypes());
    size_t known = types.size();
    llvm::append_range(types, getTypes(moving));
    auto threaded = scf::IfOp::create(builder, branch.getLoc(), types,
                                      branch.getCondition(),
                                      /*withElseRegion=*/true);
    for (auto [from, to] :
         llvm::zip(branch->getRegions(), threaded->getRegions())) {
      Block &target = to.front();
      if (!target.empty())
        target.getTerminator()->erase();
      if (from.empty()) {
        builder.setInsertionPointToEnd(&target);
        scf::YieldOp::create(builder, branch.getLoc());
      } else {
        target.getOperations().splice(target.end(),
                                      from.front().getOperations());
      }
      Positions within = positions;
      if (failed(threadBlock(&target, within)))
        return failure();
      cast<scf::YieldOp>(target.getTerminator())
          .getResultsMutable()
          .append(flatten(within, moving));
    }
    branch->replaceAllUsesWith(threaded.getResults().take_front(known));
    branch.erase();
    assign(positions, moving, threaded.getResults().drop_front(known));
    return success();
  }

  LogicalResult threadWhile(scf::WhileOp loop, ArrayRef<Walker> moving,
                            Positions &positions) {
    builder.setInsertionPoint(loop);
    Location loc = loop.getLoc();
    size_t knownInits = loop.getInits().size();
    size_t knownResults = loop.getNumResults();
    SmallVector<Value> inits(loop.getInits());
    llvm::append_range(inits, flatten(positions, moving));
    SmallVector<Type> results(loop.getResultTypes());
    llvm::append_range(results, getTypes(moving));
    auto threaded = scf::WhileOp::create(builder, loc, results, inits);
    threaded.getBefore().takeBody(loop.getBefore());
    threaded.getAfter().takeBody(loop.getAfter());
    Block *before = threaded.getBeforeBody();
    Block *after = threaded.getAfterBody();
    for (Block *block : {before, after})
      for (Type type : getTypes(moving))
        block->addArgument(type, loc);

    Positions within = positions;
    assign(within, moving, before->getArguments().drop_front(knownInits));
    if (failed(threadBlock(before, within)))
      return failure();
    threaded.getConditionOp().getArgsMutable().append(flatten(within, moving));
    within = positions;
    assign(within, moving, after->getArguments().drop_front(knownResults));
    if (failed(threadBlock(after, within)))
      return failure();
    threaded.getYieldOp().getResultsMutable().append(flatten(within, moving));
    loop->replaceAllUsesWith(threaded.getResults().take_front(knownResults));
    loop.erase();
    assign(positions, moving, threaded.getResults().drop_front(knownResults));
    return success();
  }

  /// The warps of a role outside of tirx.roles may come back to it.
  LogicalResult threadRole(RoleOp role, ArrayRef<Walker> moving,
                           Positions &positions) {
    Positions within = positions;
    if (failed(threadBlock(&role.getBody().front(), within)))
      return failure();
    if (moving.empty() || isa<RolesOp>(role->getParentOp()))
      return success();
    builder.setInsertionPoint(role);
    SmallVector<Value> carried = flatten(positions, moving);
    auto threaded =
        RoleOp::create(builder, role.getLoc(), getTypes(moving),
                       role.getRoleName(), role.getFirstWarp(), role.getWarps(),
                       role.getRegistersAttr(), role.getLeader(), carried);
    threaded.getBody().takeBody(role.getBody());
    Operation *end = threaded.getBody().front().getTerminator();
    builder.setInsertionPoint(end);
    ReturnOp::create(builder, end->getLoc(), flatten(within, moving));
    end->erase();
    role.erase();
    assign(positions, moving, threaded.getResults());
    return success();
  }

  OpBuilder builder;
};

struct ThreadStatePass
    : tirx::passes::impl::TIRxThreadPipelineStateBase<ThreadStatePass> {
  void runOnOperation() override {
    SmallVector<LaunchOp> launches;
    getOperation().walk([&](LaunchOp launch) { launches.push_back(launch); });
    for (LaunchOp launch : launches)
      if (failed(StateThreader(launch).run(launch)))
        return signalPassFailure();
  }
};
} // namespace
