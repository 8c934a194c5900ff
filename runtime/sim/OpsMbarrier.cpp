//===- OpsMbarrier.cpp - mbarrier instructions ------------------*- C++ -*-===//

#include "Handlers.h"
#include "MemoryAccess.h"
#include "OpsSync.h"

namespace tirx::rt::sim {

using ast::Operand;
using ast::RegClass;

namespace {

enum MbarOp : uint8_t {
  kInit,
  kInval,
  kExpectTx,
  kCompleteTx,
  kArrive,
  kArriveExpectTx,
  kArriveDrop,
  kArriveDropExpectTx,
};

/// The barrier that a lane's address names; false after a fault. sub[2]:
/// MemSpace.
bool barrierOf(Context &c, unsigned lane, SharedRef &ref) {
  uint64_t address = laneAddress(c, lane);
  MemSpace space = static_cast<MemSpace>(c.instr.sub[2]);
  if (space == MemSpace::generic && (address & kWindowMask) != kSharedWindow) {
    c.fault(fmt::format("mbarrier: generic address {:#x} lies outside shared "
                        "memory",
                        address),
            static_cast<int>(lane));
    return false;
  }
  return resolveShared(c, address, space == MemSpace::shared_cluster,
                       "mbarrier", ref, lane);
}

/// What threads of other CTAs wrote before they arrived is visible to a wait of
/// .cluster scope only (PTX ISA, mbarrier.test_wait: .cta is the default).
void warnNarrowScope(Context &c, const Cta &cta, uint32_t offset) {
  const auto found = cta.remote_arrivals.find(offset);
  if (found == cta.remote_arrivals.end() || found->second.completed == 0)
    return;
  const uint32_t line = found->second.completed;
  c.machine.warn(c.frag().pc, "scope of a wait",
                 fmt::format("a wait of .cta scope at the mbarrier at shared "
                             "offset {:#x}, where a thread of another CTA "
                             "arrived (PTX line {}: {}); .acquire.cluster "
                             "would see what that thread wrote",
                             offset, line,
                             c.machine.program.module.lineText(line)));
}

/// Instr: sub[1] MbarOp; src[1] the count or bytes; dst the state token.
Outcome opMbarrier(Context &c) {
  const Instr &i = c.instr;
  MbarOp op = static_cast<MbarOp>(i.sub[1]);
  for (uint32_t left = c.mask; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    SharedRef ref;
    if (!barrierOf(c, lane, ref))
      return Outcome::fault;
    Cta &cta = *ref.cta;
    if (&cta != &c.cta() &&
        (op == kInit || op == kInval || i.dst != kNoOperand))
      return c.fault(
          "this form of mbarrier takes barriers of the executing CTA "
          "only",
          static_cast<int>(lane));
    Actor who = c.actor(lane);
    uint32_t value = i.src[1] == kNoOperand ? 1 : c.read32(i.src[1], lane);
    std::string failure;
    uint64_t token = 0;
    bool completed = false;
    auto note = [&](const auto &result) {
      if (!result)
        failure = result.error().message;
      return bool(result);
    };
    auto arrived = [&](const auto &result) {
      if (!note(result))
        return;
      token = result->token;
      completed = result->phaseCompleted;
    };
    MbarrierFile &file = cta.barriers;
    switch (op) {
    case kInit:
      if (note(file.init(cta.span(), ref.offset, value, who)))
        cta.shadow.forRange(ref.offset, 8, [](SharedShadow::Cell &cell, auto) {
          ++cell.barriers;
        });
      break;
    case kInval:
      if (note(file.inval(cta.span(), ref.offset, who)))
        cta.shadow.forRange(ref.offset, 8, [](SharedShadow::Cell &cell, auto) {
          --cell.barriers;
        });
      break;
    case kExpectTx:
      note(file.expectTx(cta.span(), ref.offset, value, who));
      break;
    case kCompleteTx:
      arrived(file.completeTx(cta.span(), ref.offset, value, who));
      break;
    case kArrive:
      arrived(file.arrive(cta.span(), ref.offset, value, who));
      break;
    case kArriveExpectTx:
      arrived(file.arriveExpectTx(cta.span(), ref.offset, value, who));
      break;
    case kArriveDrop:
      arrived(file.arriveDrop(cta.span(), ref.offset, value, who));
      break;
    case kArriveDropExpectTx:
      if (note(file.expectTx(cta.span(), ref.offset, value, who)))
        arrived(file.arriveDrop(cta.span(), ref.offset, 1, who));
      break;
    }
    if (!failure.empty())
      return c.fault(failure, static_cast<int>(lane));
    if (op >= kArrive && &cta != &c.cta())
      cta.remote_arrivals[ref.offset].pending = who.line;
    if (op >= kCompleteTx)
      arrivedAt(cta, ref.offset, c.warp, completed);
    if (i.dst != kNoOperand)
      c.write64(i.dst, lane, token);
  }
  c.machine.event();
  return Outcome::next;
}

bool decodeMbarrier(Decoder &d, const OpRow &, const ast::Instruction &in,
                    Instr &out) {
  out.op = opMbarrier;
  bool drop = has(in, "arrive_drop"), expect = has(in, "expect_tx");
  bool arrive = has(in, "arrive") || drop;
  MbarOp op = has(in, "init")          ? kInit
              : has(in, "inval")       ? kInval
              : has(in, "complete_tx") ? kCompleteTx
              : arrive ? (drop ? (expect ? kArriveDropExpectTx : kArriveDrop)
                               : (expect ? kArriveExpectTx : kArrive))
                       : kExpectTx;
  out.sub[1] = op;
  MemSpace space = spaceOf(in);
  out.sub[2] = static_cast<uint8_t>(space);
  size_t at = 0;
  if (arrive && !in.operands.empty() &&
      in.operands[0].kind != Operand::Kind::address) {
    if (!d.dstReg(in.operands[0], RegClass::b64, 0))
      return false;
    at = 1;
  }
  bool needs = op != kInval && op != kArrive && op != kArriveDrop;
  if (!d.expectOperands(in, at + 1 + needs, at + (op == kInval ? 1 : 2)))
    return false;
  if (!d.address(in.operands[at], space, out))
    return false;
  return at + 1 == in.operands.size() ||
         d.srcValue(in.operands[at + 1], RegClass::b32, 3);
}

/// test_wait, try_wait. sub[1]: 1 parity; sub[3]: 1 try; sub[4]: .cluster.
/// src[1]: parity or token. A false try_wait parks the fragment until the
/// barrier moves on or nothing else can run; a test_wait does so when it has
/// spun for a while.
Outcome opMbarrierWait(Context &c) {
  constexpr uint32_t kSpins = 64;
  const Instr &i = c.instr;
  bool timed_out = c.frag().wait.timed_out;
  uint32_t result = 0;
  Wait wait;
  wait.kind = Wait::Kind::mbarrier;
  for (uint32_t left = c.mask; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    SharedRef ref;
    if (!barrierOf(c, lane, ref))
      return Outcome::fault;
    if (ref.cta != &c.cta())
      return c.fault("mbarrier waits take barriers of the executing CTA only",
                     static_cast<int>(lane));
    Cta &cta = *ref.cta;
    bool done = false;
    if (i.sub[1]) {
      uint32_t parity = c.read32(i.src[1], lane);
      if (parity > 1)
        return c.fault(fmt::format("mbarrier wait for parity {}; it must be 0 "
                                   "or 1",
                                   parity),
                       static_cast<int>(lane));
      uint64_t waiter = c.warp.index * kLanes + lane;
      auto r = cta.barriers.testParity(cta.span(), ref.offset, parity, waiter,
                                       c.actor(lane));
      if (!r)
        return c.fault(r.error().message, static_cast<int>(lane));
      if (r->aliasing)
        c.machine.warn(c.frag().pc, "parity", *r->aliasing);
      done = r->complete;
      wait.parity = parity;
    } else {
      uint64_t token = c.read64(i.src[1], lane);
      auto r =
          cta.barriers.testToken(cta.span(), ref.offset, token, c.actor(lane));
      if (!r)
        return c.fault(r.error().message, static_cast<int>(lane));
      done = *r;
      wait.by_token = true;
      wait.token = token;
    }
    if (!done) {
      wait.cta = &cta;
      wait.address = ref.offset;
    } else {
      if (!i.sub[4] && !cta.remote_arrivals.empty())
        warnNarrowScope(c, cta, ref.offset);
      acquire(c.warp, cta.barrier_clocks[ref.offset].done);
    }
    result |= uint32_t(done) << lane;
  }
  Fragment &fragment = c.frag();
  bool all = result == c.mask;
  if (!all && !timed_out) {
    bool park = i.sub[3] || ++fragment.spins > kSpins;
    if (park)
      return c.block(wait);
  }
  if (all)
    fragment.spins = 0;
  uint32_t &pred = c.warp.preds[i.dst];
  pred = (pred & ~c.mask) | result;
  return all ? Outcome::next : Outcome::yielded;
}
bool decodeMbarrierWait(Decoder &d, const OpRow &, const ast::Instruction &in,
                        Instr &out) {
  out.op = opMbarrierWait;
  MemSpace space = spaceOf(in);
  out.sub[1] = has(in, "parity");
  out.sub[2] = static_cast<uint8_t>(space);
  out.sub[3] = has(in, "try_wait");
  out.sub[4] = has(in, "cluster");
  return d.expectOperands(in, 3, 4) &&
         d.dstReg(in.operands[0], RegClass::pred, 0) &&
         d.address(in.operands[1], space, out) &&
         d.srcValue(in.operands[2], out.sub[1] ? RegClass::b32 : RegClass::b64,
                    3) &&
         (in.operands.size() == 3 ||
          d.srcValue(in.operands[3], RegClass::b32, 4));
}

Outcome opPendingCount(Context &c) {
  for (uint32_t left = c.mask; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    auto r = Mbarrier::pendingCount(c.read64(c.instr.src[0], lane));
    if (!r)
      return c.fault(r.error().message, static_cast<int>(lane));
    c.write32(c.instr.dst, lane, *r);
  }
  return Outcome::next;
}
bool decodePendingCount(Decoder &d, const OpRow &, const ast::Instruction &in,
                        Instr &out) {
  out.op = opPendingCount;
  return d.expectOperands(in, 2, 2) &&
         d.dstReg(in.operands[0], RegClass::b32, 0) &&
         d.srcValue(in.operands[1], RegClass::b64, 2);
}

} // namespace

void arrivedAt(Cta &cta, uint32_t barrier, Warp &warp, bool phaseCompleted) {
  BarrierClock &clock = cta.barrier_clocks[barrier];
  release(warp, clock.pending);
  if (!phaseCompleted)
    return;
  clock.complete();
  const auto remote = cta.remote_arrivals.find(barrier);
  if (remote == cta.remote_arrivals.end())
    return;
  remote->second.completed = remote->second.pending;
  remote->second.pending = 0;
}

std::vector<OpRow> mbarrierRows() {
#define ROW(pattern, decode, note)                                             \
  {pattern,         "",          decode, AluOp::count, {0, 0, 0},              \
   Fidelity::exact, "9.7.13.15", note}
#define SPACE "[shared|shared::cta|shared::cluster]"
  return {
      ROW("mbarrier init [shared|shared::cta] b64", decodeMbarrier,
          "the word in memory is the simulator's own"),
      ROW("mbarrier inval [shared|shared::cta] b64", decodeMbarrier, ""),
      ROW("mbarrier expect_tx [relaxed] [cta|cluster] " SPACE " b64",
          decodeMbarrier, ""),
      ROW("mbarrier complete_tx [relaxed] [cta|cluster] " SPACE " b64",
          decodeMbarrier, ""),
      ROW("mbarrier arrive|arrive_drop [expect_tx] [noComplete] "
          "[release|relaxed] [cta|cluster] " SPACE " b64",
          decodeMbarrier, "scopes have no effect"),
      ROW("mbarrier test_wait|try_wait [parity] [acquire|relaxed] "
          "[cta|cluster] "
          "[shared|shared::cta] b64",
          decodeMbarrierWait,
          "try_wait sleeps until the phase completes or nothing else can run"),
      ROW("mbarrier pending_count b64", decodePendingCount, ""),
  };
#undef ROW
#undef SPACE
}

std::span<const OpRow> syncRows() {
  static const std::vector<OpRow> rows = [] {
    std::vector<OpRow> all = barrierRows();
    for (const OpRow &row : mbarrierRows())
      all.push_back(row);
    for (const OpRow &row : launchControlRows())
      all.push_back(row);
    return all;
  }();
  return rows;
}

} // namespace tirx::rt::sim
