//===- TripCounts.cpp - roles pass the stages of a ring equally often -----===//

#include "../pipelines/PipelinePlan.h"
#include "LoopCounts.h"
#include "Rules.h"
#include "ThreadSets.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;

namespace {
/// How often an executor takes a stage of one pipeline.
struct Passage {
  SmallVector<Operation *> sites; ///< all acquires, or all waits
  std::optional<Polynomial> count = Polynomial(0);
};

struct Passages {
  std::map<Executor, Passage> producers, consumers;
};
} // namespace

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
        << getExecutor(site).describe() << " passes it here";
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
  diagnostic << "unequal trip counts: " << getExecutor(op).describe()
             << verb(op) << "stages " << print(other) << " times, "
             << getExecutor(first).describe() << verb(first) << "them "
             << print(reference)
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
        (fills ? passages.producers : passages.consumers)[getExecutor(op)];
    passage.sites.push_back(op);
    auto count = counts.get(op, launch);
    passage.count =
        count && passage.count ? passage.count->plus(*count) : std::nullopt;
  });
  bool ok = true;
  for (auto &[pipeline, passages] : pipelines) {
    if (passages.producers.empty())
      continue;
    const Passage &reference = passages.producers.begin()->second;
    for (auto *side : {&passages.producers, &passages.consumers})
      for (auto &[executor, passage] : *side)
        ok &= succeeded(compare(reference, passage, counts));
  }
  return success(ok);
}
