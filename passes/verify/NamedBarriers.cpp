//===- NamedBarriers.cpp - who meets at a named barrier -------------------===//

#include "../pipelines/PipelinePlan.h"
#include "Rules.h"
#include "ThreadSets.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;

namespace {
/// A tirx.barrier_sync or tirx.barrier_arrive.
struct Meeting {
  Operation *op;
  int64_t threads;                   ///< that the barrier counts
  std::optional<ThreadSet> reaching; ///< threads that get there, if known
  bool leader;                       ///< in a leader role
};
} // namespace

static void noteHere(InFlightDiagnostic &diagnostic, const Meeting &meeting) {
  Diagnostic &note = diagnostic.attachNote(meeting.op->getLoc());
  if (meeting.reaching)
    note << meeting.reaching->count() << " threads of "
         << getExecutor(meeting.op).describe() << " here";
  else
    note << "also " << getExecutor(meeting.op).describe() << " here";
}

/// PTX ISA, "bar, barrier": barriers count whole warps, and all who name a
/// barrier must name one number of threads.
static LogicalResult verifyMeetings(int64_t id, ArrayRef<Meeting> meetings) {
  const Meeting &first = meetings.front();
  ThreadSet all;
  bool known = true;
  for (const Meeting &meeting : meetings) {
    if (meeting.threads != first.threads) {
      InFlightDiagnostic diagnostic = meeting.op->emitOpError("id(")
                                      << id << ") waits for " << meeting.threads
                                      << " threads here, for " << first.threads
                                      << " elsewhere";
      diagnostic.attachNote(first.op->getLoc()) << "there";
      return diagnostic;
    }
    if (meeting.leader != first.leader) {
      InFlightDiagnostic diagnostic =
          meeting.op->emitOpError("id(")
          << id
          << ") is shared by a leader role, which the odd CTA of a pair "
             "lacks, and by one that both CTAs have";
      diagnostic.attachNote(first.op->getLoc()) << "the other is here";
      return diagnostic;
    }
    known &= meeting.reaching.has_value();
    if (meeting.reaching)
      all |= *meeting.reaching;
  }
  int64_t reaching = all.count();
  if (!known || reaching == first.threads)
    return success();
  InFlightDiagnostic diagnostic = first.op->emitOpError("id(")
                                  << id << ") waits for " << first.threads
                                  << " threads, but " << reaching
                                  << " reach it";
  if (meetings.size() > 1 && reaching > first.threads)
    diagnostic << ": give each group of threads an id of its own";
  for (const Meeting &meeting : meetings)
    noteHere(diagnostic, meeting);
  return diagnostic;
}

LogicalResult tirx::passes::verifyNamedBarriers(LaunchOp launch) {
  ThreadSets sets(launch);
  llvm::MapVector<int64_t, SmallVector<Meeting>> meetings;
  launch.walk([&](Operation *op) {
    auto add = [&](auto barrier) {
      auto role = op->getParentOfType<RoleOp>();
      // An elected thread is refused as one that needs its warp.
      if (!op->getParentOfType<ElectOp>())
        meetings[barrier.getId()].push_back({op, (int64_t)barrier.getThreads(),
                                             sets.get(op),
                                             role && role.getLeader()});
    };
    if (auto sync = dyn_cast<BarrierSyncOp>(op))
      add(sync);
    if (auto arrive = dyn_cast<BarrierArriveOp>(op))
      add(arrive);
  });
  bool ok = true;
  for (auto &[id, group] : meetings)
    ok &= succeeded(verifyMeetings(id, group));
  return success(ok);
}
