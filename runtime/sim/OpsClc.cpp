//===- OpsClc.cpp - clusterlaunchcontrol ------------------------*- C++ -*-===//
//
// The response is the simulator's own: word 0 is 1 when a cluster was canceled,
// words 1-3 are the ctaid of its first CTA.
//
//===----------------------------------------------------------------------===//

#include "AsyncProxy.h"
#include "OpsBulk.h"
#include "OpsSync.h"

#include <algorithm>
#include <cstring>

namespace tirx::rt::sim {

using ast::Operand;
using ast::RegClass;

namespace {

struct CancelOp final : AsyncOp {
  std::vector<Cta *> targets;
  uint32_t response = 0, barrier = 0;

  bool step(Machine &machine) override {
    uint32_t words[4] = {0, 0, 0, 0};
    // Another launch may start the cluster first; the random schedule tries it.
    bool lost = machine.options.schedule == SimOptions::Schedule::random &&
                machine.random(4) == 0;
    if (machine.next_cluster < machine.cluster_count && !lost) {
      uint64_t index = machine.next_cluster++;
      words[0] = 1;
      for (unsigned i = 0; i < 3; ++i) {
        uint64_t extent = machine.launch.grid[i] / machine.launch.cluster[i];
        words[1 + i] =
            static_cast<uint32_t>(index % extent) * machine.launch.cluster[i];
        index /= extent;
      }
    }
    for (Cta *target : targets) {
      std::memcpy(target->shared.data() + response, words, 16);
      endAsyncWrite(*target, response, 16, std::nullopt);
      if (!completeTx(machine, *this, *target, barrier, 16))
        return true;
    }
    return true;
  }
  bool uses(const Cta &other) const override {
    return std::count(targets.begin(), targets.end(), &other) != 0;
  }
  std::string describe() const override {
    return fmt::format("{}; response at shared offset {:#x}",
                       describeIssue(*this), response);
  }
};

/// sub[4]: multicast to all CTAs of the cluster.
Outcome opTryCancel(Context &c) {
  const Instr &i = c.instr;
  for (uint32_t left = c.mask; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    SharedRef response, barrier;
    if (!resolveShared(c, laneAddress(c, lane), false,
                       "response of clusterlaunchcontrol", response, lane) ||
        !resolveShared(c,
                       operandAddress(c, i.src[1], i.sub[2], i.offset1, lane),
                       false, "mbarrier", barrier, lane))
      return Outcome::fault;
    if (const uint32_t line = c.cta().cluster->cancel_failed)
      return c.fault(fmt::format("clusterlaunchcontrol.try_cancel after a "
                                 "request was seen to have failed (PTX line "
                                 "{}: {}); that is undefined (PTX ISA, "
                                 "clusterlaunchcontrol.try_cancel)",
                                 line, c.machine.program.module.lineText(line)),
                     static_cast<int>(lane));
    if (response.offset % 16 != 0)
      return c.fault("the response of clusterlaunchcontrol must be aligned to "
                     "16 bytes",
                     static_cast<int>(lane));
    auto op = std::make_unique<CancelOp>();
    stamp(*op, c, lane, "clusterlaunchcontrol.try_cancel");
    op->must_finish = true;
    op->response = response.offset;
    op->barrier = barrier.offset;
    op->targets = {&c.cta()};
    if (i.sub[4]) {
      op->targets.clear();
      for (const auto &cta : c.cta().cluster->ctas) {
        if (cta->live_threads == 0)
          return c.fault(fmt::format("multicast to CTA rank {}, which has "
                                     "exited",
                                     cta->rank),
                         static_cast<int>(lane));
        op->targets.push_back(cta.get());
      }
    }
    for (Cta *target : op->targets)
      if (!beginAsyncWrite(c, lane, *target, response.offset, 16,
                           "clusterlaunchcontrol.try_cancel"))
        return Outcome::fault;
    c.machine.engine.issue(std::move(op));
  }
  return Outcome::next;
}
bool decodeTryCancel(Decoder &d, const OpRow &, const ast::Instruction &in,
                     Instr &out) {
  out.op = opTryCancel;
  out.sub[4] = has(in, "multicast::cluster::all");
  return d.expectOperands(in, 2, 2) &&
         d.address(in.operands[0], MemSpace::shared_cta, out) &&
         d.addressValue(in.operands[1], 3, out.offset1, out.sub[2]);
}

uint32_t responseWord(const Context &c, unsigned lane, unsigned index) {
  uint32_t word;
  std::memcpy(&word, c.warp.lanes.at(c.instr.src[0]) + lane * 16 + index * 4,
              4);
  return word;
}

Outcome opIsCanceled(Context &c) {
  uint32_t r = 0;
  for (uint32_t left = c.mask; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    uint32_t word = responseWord(c, lane, 0);
    if (word > 1)
      return c.fault(fmt::format("query_cancel of a register that holds no "
                                 "response of try_cancel (word {:#x})",
                                 word),
                     static_cast<int>(lane));
    if (word == 0)
      c.cta().cluster->cancel_failed = c.machine.entry.lineOf(c.frag().pc);
    r |= word << lane;
  }
  uint32_t &pred = c.warp.preds[c.instr.dst];
  pred = (pred & ~c.mask) | r;
  return Outcome::next;
}
bool decodeIsCanceled(Decoder &d, const OpRow &, const ast::Instruction &in,
                      Instr &out) {
  out.op = opIsCanceled;
  return d.expectOperands(in, 2, 2) &&
         d.dstReg(in.operands[0], RegClass::pred, 0) &&
         d.srcValue(in.operands[1], RegClass::b128, 2);
}

/// sub[0]: first axis; the list holds one register, or the four of .v4.
Outcome opFirstCtaid(Context &c) {
  const Instr &i = c.instr;
  for (uint32_t left = c.mask; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    if (responseWord(c, lane, 0) != 1)
      return c.fault("get_first_ctaid of a response that canceled nothing",
                     static_cast<int>(lane));
    for (uint32_t k = 0; k < i.list_count; ++k) {
      uint32_t axis = i.sub[0] + k;
      uint32_t reg = c.machine.entry.lists[i.list + k];
      if (reg != kNoOperand)
        c.write32(reg, lane, axis < 3 ? responseWord(c, lane, 1 + axis) : 0);
    }
  }
  return Outcome::next;
}
bool decodeFirstCtaid(Decoder &d, const OpRow &, const ast::Instruction &in,
                      Instr &out) {
  out.op = opFirstCtaid;
  size_t count = has(in, "v4") ? 4 : 1;
  out.sub[0] = has(in, "get_first_ctaid::y")   ? 1
               : has(in, "get_first_ctaid::z") ? 2
                                               : 0;
  return d.expectOperands(in, 2, 2) &&
         d.listOperand(in.operands[0], RegClass::b32, true, count, count) &&
         d.srcValue(in.operands[1], RegClass::b128, 2);
}

} // namespace

std::vector<OpRow> launchControlRows() {
#define ROW(pattern, decode, note)                                             \
  {                                                                            \
    pattern, "", decode, AluOp::count, {0, 0, 0}, Fidelity::exact,             \
        "9.7.13.17", note                                                      \
  }
  return {
      ROW("clusterlaunchcontrol try_cancel async shared::cta "
          "mbarrier::complete_tx::bytes [multicast::cluster::all] b128",
          decodeTryCancel,
          "cancels the next cluster in grid order; the random schedule lets "
          "some requests fail"),
      ROW("clusterlaunchcontrol query_cancel is_canceled pred b128",
          decodeIsCanceled, ""),
      ROW("clusterlaunchcontrol query_cancel "
          "get_first_ctaid|get_first_ctaid::x|get_first_ctaid::y|"
          "get_first_ctaid::z [v4] b32 b128",
          decodeFirstCtaid, ""),
  };
#undef ROW
}

} // namespace tirx::rt::sim
