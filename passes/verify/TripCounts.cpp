//===- TripCounts.cpp - roles pass the stages of a ring equally often -----===//

#include "LoopCounts.h"
#include "Rules.h"
#include "ThreadSets.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;

namespace {
/// The warps that walk over the stages together: a role, or the CTA.
using Agent = std::tuple<int64_t, int64_t, int64_t>;

/// How often an agent takes a stage of one pipeline.
struct Passage {
  SmallVector<Operation *> sites; ///< all acquires, or all waits
  std::optional<Polynomial> count = Polynomial(0);
};

struct Passages {
  llvm::MapVector<Agent, Passage> producers, consumers;
};
} // namespace

static Agent getAgent(Operation *op) {
  auto role = op->getParentOfType<RoleOp>();
  if (!role)
    return {-1, 0, 0};
  return {role.getFirstWarp(), role.getWarps(), role.getLeader()};
}

/// Whether the counts differ for certain: for all values of what is not known,
/// or because one of them follows the number of tiles and the other does not.
static bool areDifferent(const Polynomial &a, const Polynomial &b,
                         const LoopCounts &counts) {
  auto difference = a.minus(b);
  if (!difference || difference->isZero())
    return false;
  for (auto &[product, coefficient] : difference->getTerms())
    if (llvm::any_of(product, [&](auto s) { return counts.isVague(s); }))
      return false;
  bool positive = false, negative = false, tilesOnly = true;
  Polynomial rest = difference->withoutCommonFactor();
  for (auto &[product, coefficient] : rest.getTerms()) {
    (coefficient > 0 ? positive : negative) = true;
    for (Polynomial::Symbol symbol : product)
      tilesOnly &= counts.isTileCount(symbol);
  }
  return tilesOnly || positive != negative;
}

static void noteSites(InFlightDiagnostic &diagnostic, const Passage &passage) {
  for (Operation *site : passage.sites)
    diagnostic.attachNote(site->getLoc())
        << describeRole(site) << " passes it here";
}

static LogicalResult compare(const Passage &reference, const Passage &other,
                             const LoopCounts &counts) {
  if (!reference.count || !other.count ||
      !areDifferent(*other.count, *reference.count, counts))
    return success();
  auto print = [&](const Passage &passage) {
    return passage.count->print([&](auto s) { return counts.name(s); });
  };
  auto verb = [](Operation *op) {
    return isa<AcquireOp>(op) ? " acquires " : " waits for ";
  };
  Operation *op = other.sites.front(), *first = reference.sites.front();
  InFlightDiagnostic diagnostic = op->emitOpError();
  diagnostic << "unequal trip counts: " << describeRole(op) << verb(op)
             << "stages " << print(other) << " times, " << describeRole(first)
             << verb(first) << "them " << print(reference)
             << " times: the pipeline would stop or fall out of step";
  noteSites(diagnostic, other);
  noteSites(diagnostic, reference);
  return diagnostic;
}

LogicalResult tirx::passes::verifyTripCounts(LaunchOp launch) {
  LoopCounts counts;
  llvm::MapVector<Value, Passages> pipelines;
  launch.walk([&](Operation *op) {
    bool fills = isa<AcquireOp>(op);
    if (!fills && !isa<WaitOp>(op))
      return;
    Passages &passages = pipelines[op->getOperand(0)];
    Passage &passage =
        (fills ? passages.producers : passages.consumers)[getAgent(op)];
    passage.sites.push_back(op);
    auto count = counts.get(op, launch);
    passage.count =
        count && passage.count ? passage.count->plus(*count) : std::nullopt;
  });
  bool ok = true;
  for (auto &[pipeline, passages] : pipelines) {
    if (passages.producers.empty())
      continue;
    const Passage &reference = passages.producers.front().second;
    for (auto *side : {&passages.producers, &passages.consumers})
      for (auto &[agent, passage] : *side)
        ok &= succeeded(compare(reference, passage, counts));
  }
  return success(ok);
}
