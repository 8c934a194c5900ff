//===- OpsBarrier.cpp - bar, barrier, barrier.cluster -----------*- C++ -*-===//

#include "Handlers.h"
#include "OpsSync.h"

namespace tirx::rt::sim {

using ast::Operand;
using ast::RegClass;

namespace {

enum BarrierOp : uint8_t { kSync, kArrive, kRedPopc, kRedAnd, kRedOr };

/// Threads that a barrier without a count waits for.
uint32_t allThreads(const Cta &cta) {
  uint32_t warps = 0;
  for (const auto &warp : cta.warps)
    warps += warp->live != 0;
  return warps * kLanes;
}

void complete(NamedBarrier &barrier, const Cta &cta) {
  ++barrier.generation;
  barrier.clock.complete();
  // A barrier does not wait for threads that have exited.
  barrier.clock.done.join(cta.exit_clock);
  barrier.result_and = barrier.red_and;
  barrier.result_or = barrier.red_or;
  barrier.result_popc = barrier.red_popc;
  barrier.expected = barrier.arrived = 0;
  barrier.counted = false;
  barrier.red_and = 1;
  barrier.red_or = barrier.red_popc = 0;
  barrier.warps.clear();
  cta.machine->event();
}

void writeReduction(Context &c, const NamedBarrier &barrier) {
  const Instr &i = c.instr;
  if (i.sub[0] == kRedPopc) {
    for (uint32_t left = c.mask; left; left &= left - 1)
      c.write32(i.dst, static_cast<unsigned>(__builtin_ctz(left)),
                barrier.result_popc);
  } else if (i.sub[0] == kRedAnd || i.sub[0] == kRedOr) {
    bool r = i.sub[0] == kRedAnd ? barrier.result_and : barrier.result_or;
    uint32_t &pred = c.warp.preds[i.dst];
    pred = (pred & ~c.mask) | (r ? c.mask : 0);
  }
}

Outcome opBarrier(Context &c) {
  const Instr &i = c.instr;
  Cta &cta = c.cta();
  if (c.resumed()) {
    acquire(c.warp, cta.named[c.frag().wait.address].clock.done);
    writeReduction(c, cta.named[c.frag().wait.address]);
    return Outcome::next;
  }
  if (i.sub[1])
    if (Converged v = convergeWarp(c); !v.run)
      return v.outcome;
  unsigned first = c.firstLane();
  uint32_t id = c.read32(i.src[0], first);
  bool counted = i.src[1] != kNoOperand;
  uint32_t count = counted ? c.read32(i.src[1], first) : allThreads(cta);
  for (uint32_t left = c.mask; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    if (c.read32(i.src[0], lane) != id ||
        (counted && c.read32(i.src[1], lane) != count))
      return c.fault(fmt::format("lanes {} and {} name different barriers or "
                                 "thread counts",
                                 first, lane),
                     static_cast<int>(lane));
  }
  if (id >= 16)
    return c.fault(
        fmt::format("barrier {} does not exist; a CTA has 0 to 15", id));
  if (counted &&
      (count == 0 || count % kLanes != 0 || count > cta.warps.size() * kLanes))
    return c.fault(fmt::format("barrier thread count {} is no multiple of 32 "
                               "from 32 to {}, the CTA's size",
                               count, cta.warps.size() * kLanes));
  if (i.sub[0] == kArrive && !counted)
    return c.fault("bar.arrive needs a thread count");
  NamedBarrier &barrier = cta.named[id];
  if (barrier.arrived == 0) {
    barrier.expected = count;
    barrier.counted = counted;
  } else if (barrier.expected != count && counted) {
    return c.fault(fmt::format("barrier {}: this thread counts on {} threads, "
                               "those that arrived before on {}",
                               id, count, barrier.expected));
  }
  release(c.warp, barrier.clock.pending);
  // A warp counts as 32 threads, also when it has fewer.
  uint32_t &seen = barrier.warps[c.warp.index];
  uint32_t add = kLanes;
  if (!i.sub[1]) {
    add = static_cast<uint32_t>(__builtin_popcount(c.mask));
    seen |= c.mask;
    if ((c.warp.live & ~seen) == 0)
      add += kLanes - static_cast<uint32_t>(__builtin_popcount(seen));
  } else {
    seen |= c.warp.live;
  }
  barrier.arrived += add;
  if (i.sub[0] >= kRedPopc) {
    uint32_t p = c.warp.preds[i.src[2]] ^ (i.sub[2] ? ~0u : 0);
    p &= c.mask;
    barrier.red_popc += static_cast<uint32_t>(__builtin_popcount(p));
    barrier.red_or |= p != 0;
    barrier.red_and &= p == c.mask;
  }
  if (barrier.arrived > barrier.expected)
    return c.fault(fmt::format("barrier {}: {} threads have arrived, {} are "
                               "expected",
                               id, barrier.arrived, barrier.expected));
  if (barrier.arrived == barrier.expected) {
    complete(barrier, cta);
    acquire(c.warp, barrier.clock.done);
    writeReduction(c, barrier);
    return Outcome::next;
  }
  if (i.sub[0] == kArrive)
    return Outcome::next;
  Wait wait;
  wait.kind = Wait::Kind::named;
  wait.cta = &cta;
  wait.address = id;
  wait.count = barrier.generation;
  wait.arrived = true;
  return c.block(wait);
}

bool decodeBarrier(Decoder &d, const OpRow &, const ast::Instruction &in,
                   Instr &out) {
  out.op = opBarrier;
  out.sub[0] = has(in, "arrive") ? kArrive
               : has(in, "popc") ? kRedPopc
               : has(in, "and")  ? kRedAnd
               : has(in, "or")   ? kRedOr
                                 : kSync;
  out.sub[1] = in.mnemonic == "bar" || has(in, "aligned");
  bool reduction = out.sub[0] >= kRedPopc;
  size_t least = reduction ? 3 : 1;
  if (!d.expectOperands(in, least, least + 1))
    return false;
  size_t at = 0;
  if (reduction &&
      !d.dstReg(in.operands[at++],
                out.sub[0] == kRedPopc ? RegClass::b32 : RegClass::pred, 0))
    return false;
  if (!d.srcValue(in.operands[at++], RegClass::b32, 2))
    return false;
  if (in.operands.size() > least &&
      !d.srcValue(in.operands[at++], RegClass::b32, 3))
    return false;
  if (!reduction)
    return true;
  out.sub[2] = in.operands[at].negated;
  return d.srcValue(in.operands[at], RegClass::pred, 4, true);
}

// --- barrier.cluster
// ----------------------------------------------------------

void completeCluster(Cluster &cluster, Machine &machine) {
  ++cluster.phase;
  cluster.clock.complete();
  for (const auto &cta : cluster.ctas)
    cluster.clock.done.join(cta->exit_clock);
  cluster.arrived = 0;
  cluster.arrived_lanes.clear();
  machine.event();
}

Outcome opClusterBarrier(Context &c) {
  const Instr &i = c.instr;
  Cluster &cluster = *c.cta().cluster;
  if (c.resumed()) {
    acquire(c.warp, cluster.clock.done);
    return Outcome::next;
  }
  if (i.sub[1])
    if (Converged v = convergeWarp(c); !v.run)
      return v.outcome;
  uint32_t &lanes = cluster.arrived_lanes[&c.warp];
  if (i.sub[0] == 0) {
    if (lanes & c.mask)
      return c.fault("barrier.cluster.arrive twice without a wait in between");
    lanes |= c.mask;
    release(c.warp, cluster.clock.pending);
    c.warp.cluster_arrived |= c.mask;
    cluster.arrived += static_cast<uint32_t>(__builtin_popcount(c.mask));
    if (cluster.arrived >= cluster.live_threads)
      completeCluster(cluster, c.machine);
    return Outcome::next;
  }
  if (c.mask & ~c.warp.cluster_arrived)
    return c.fault("barrier.cluster.wait without an arrive before it");
  c.warp.cluster_arrived &= ~c.mask;
  if (!(lanes & c.mask)) { // the phase of the arrive is complete
    acquire(c.warp, cluster.clock.done);
    return Outcome::next;
  }
  Wait wait;
  wait.kind = Wait::Kind::cluster;
  wait.cta = &c.cta();
  wait.count = cluster.phase;
  return c.block(wait);
}
bool decodeClusterBarrier(Decoder &d, const OpRow &, const ast::Instruction &in,
                          Instr &out) {
  out.op = opClusterBarrier;
  out.sub[0] = has(in, "wait");
  out.sub[1] = has(in, "aligned");
  return d.expectOperands(in, 0, 0);
}

} // namespace

void recheckBarriers(Cta &cta) {
  for (NamedBarrier &barrier : cta.named)
    if (barrier.arrived && !barrier.counted) {
      barrier.expected = allThreads(cta);
      if (barrier.arrived >= barrier.expected && cta.live_threads)
        complete(barrier, cta);
    }
  Cluster &cluster = *cta.cluster;
  if (cluster.arrived && cluster.arrived >= cluster.live_threads)
    completeCluster(cluster, *cta.machine);
}

std::vector<OpRow> barrierRows() {
#define ROW(pattern, decode, source, note)                                     \
  {                                                                            \
    pattern, "", decode, AluOp::count, {0, 0, 0}, Fidelity::exact, source,     \
        note                                                                   \
  }
  return {
      ROW("bar [cta] sync|arrive", decodeBarrier, "9.7.13.1",
          "without a count: all threads that have not exited"),
      ROW("bar [cta] red popc u32", decodeBarrier, "9.7.13.1", ""),
      ROW("bar [cta] red and|or pred", decodeBarrier, "9.7.13.1", ""),
      ROW("barrier [cta] sync|arrive [aligned]", decodeBarrier, "9.7.13.1", ""),
      ROW("barrier [cta] red popc [aligned] u32", decodeBarrier, "9.7.13.1",
          ""),
      ROW("barrier [cta] red and|or [aligned] pred", decodeBarrier, "9.7.13.1",
          ""),
      ROW("barrier cluster arrive [release|relaxed] [aligned]",
          decodeClusterBarrier, "9.7.13.3", ""),
      ROW("barrier cluster wait [acquire] [aligned]", decodeClusterBarrier,
          "9.7.13.3", ""),
  };
#undef ROW
}

} // namespace tirx::rt::sim
