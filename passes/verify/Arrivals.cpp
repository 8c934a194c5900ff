//===- Arrivals.cpp - initialisation and counts of explicit mbarriers -----===//

#include "Arrivals.h"

#include "../pipelines/PipelinePlan.h"
#include "../roles/OneThread.h"
#include "Rules.h"
#include "ThreadSets.h"

#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;

template <typename OpT> static SmallVector<OpT> getUsers(Value value) {
  SmallVector<OpT> found;
  for (Operation *user : value.getUsers())
    if (auto op = dyn_cast<OpT>(user))
      found.push_back(op);
  // Users are listed last first.
  return {found.rbegin(), found.rend()};
}

//===----------------------------------------------------------------------===//
// Initialisation
//===----------------------------------------------------------------------===//

static LogicalResult verifyInit(MbarrierAllocOp alloc) {
  auto inits = getUsers<MbarrierInitOp>(alloc.getResult());
  if (inits.empty() && !alloc.getResult().use_empty())
    return alloc.emitOpError("is used, but never initialised by a "
                             "tirx.mbarrier.init");
  if (inits.size() > 1) {
    InFlightDiagnostic diagnostic = alloc.emitOpError("is initialised ")
                                    << inits.size() << " times";
    for (MbarrierInitOp init : inits)
      diagnostic.attachNote(init.getLoc()) << "here";
    return diagnostic;
  }
  if (inits.empty())
    return success();
  MbarrierInitOp init = inits.front();
  if (init->getParentOfType<LoopLikeOpInterface>() ||
      init->getParentOfType<ForTilesOp>())
    return init.emitOpError("lies in a loop: initialising a barrier "
                            "that is in use is undefined (PTX ISA, "
                            "mbarrier.init)");
  if (init->getParentOfType<RolesOp>())
    return init.emitOpError("lies in tirx.roles: other roles may use the "
                            "barrier before; initialise it before the roles, "
                            "and let all threads meet");
  return success();
}

LogicalResult tirx::passes::verifyBarrierInits(LaunchOp launch) {
  bool ok = true;
  launch.walk(
      [&](MbarrierAllocOp alloc) { ok &= succeeded(verifyInit(alloc)); });
  return success(ok);
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

int64_t tirx::passes::getExpectedBytes(MbarrierArriveOp arrive) {
  int64_t bytes = arrive.getExpectTx().value_or(0);
  for (Value buffer : arrive.getExpected())
    bytes += cast<BufferType>(buffer.getType()).getTileBytes();
  return bytes;
}

/// Arrivals that an operation makes each time it is executed; none if that is
/// not known.
static std::optional<int64_t> countArrivals(Operation *op, ThreadSets &sets) {
  if (isa<Tcgen05CommitOp>(op))
    return 1;
  auto arrive = cast<MbarrierArriveOp>(op);
  // The compiler elects for what expects bytes in a role of one warp.
  auto role = arrive->getParentOfType<RoleOp>();
  if (isOneThreadOperation(op) && role && role.getWarps() == 1)
    return 1;
  std::optional<ThreadSet> threads = sets.get(op);
  if (!threads || threads->none())
    return std::nullopt;
  return threads->count();
}

/// Whether `total` is a sum of the `parts`, each taken any number of times.
static bool isSumOf(int64_t total, ArrayRef<int64_t> parts) {
  if (llvm::is_contained(parts, 1))
    return true;
  llvm::BitVector reachable(total + 1);
  reachable.set(0);
  for (int64_t sum = 1; sum <= total; ++sum)
    if (llvm::any_of(parts, [&](int64_t part) {
          return part <= sum && reachable.test(sum - part);
        }))
      reachable.set(sum);
  return reachable.test(total);
}

/// Operations that leave the arrivals of a barrier as they are.
static bool arrivesNever(Operation *op) {
  return isa<MbarrierInitOp, MbarrierWaitOp, MbarrierTryWaitOp, TmaLoadOp,
             CopyAsyncOp>(op);
}

static LogicalResult verifyCount(MbarrierAllocOp alloc, ThreadSets &sets) {
  Value barrier = alloc.getResult();
  auto inits = getUsers<MbarrierInitOp>(barrier);
  if (inits.size() != 1)
    return success();
  SmallVector<Operation *> sites;
  for (Operation *user : barrier.getUsers()) {
    if (isa<MbarrierArriveOp, Tcgen05CommitOp>(user))
      sites.push_back(user);
    else if (!arrivesNever(user))
      return success();
  }
  std::reverse(sites.begin(), sites.end());
  auto waits = getUsers<MbarrierWaitOp>(barrier);
  if (sites.empty()) {
    if (waits.empty())
      return success();
    return waits.front().emitOpError(
        "waits for a barrier at which nothing arrives: copies deliver bytes, "
        "which a tirx.mbarrier.arrive must expect");
  }
  SmallVector<int64_t> parts;
  for (Operation *site : sites) {
    auto arrivals = countArrivals(site, sets);
    if (!arrivals)
      return success();
    parts.push_back(*arrivals);
  }
  int64_t count = inits.front().getCount();
  if (isSumOf(count, parts))
    return success();
  SmallVector<int64_t> distinct(parts);
  llvm::sort(distinct);
  distinct.erase(llvm::unique(distinct), distinct.end());
  InFlightDiagnostic diagnostic = inits.front().emitOpError("count(")
                                  << count
                                  << ") cannot be reached: arrivals come in "
                                     "multiples of ";
  llvm::interleave(
      distinct, [&](int64_t part) { diagnostic << part; },
      [&] { diagnostic << " and "; });
  for (auto [site, part] : llvm::zip(sites, parts))
    diagnostic.attachNote(site->getLoc())
        << part << " arrivals of " << getExecutor(site).describe() << " here";
  return diagnostic;
}

LogicalResult tirx::passes::verifyArrivals(LaunchOp launch) {
  ThreadSets sets(launch);
  bool ok = true;
  launch.walk([&](MbarrierAllocOp alloc) {
    ok &= succeeded(verifyCount(alloc, sets));
  });
  return success(ok);
}
