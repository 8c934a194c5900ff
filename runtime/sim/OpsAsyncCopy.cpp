//===- OpsAsyncCopy.cpp - cp.async (not bulk) -------------------*- C++ -*-===//

#include "AsyncProxy.h"
#include "MemoryAccess.h"
#include "OpsBulk.h"

#include <cstring>

namespace tirx::rt::sim {

using ast::Operand;
using ast::RegClass;

namespace {

/// The copies of one warp instruction. They belong to the generic proxy.
struct AsyncCopy final : AsyncOp {
  struct One {
    unsigned lane;
    uint64_t from;
    uint32_t to, read, bytes;
    std::shared_ptr<CopyStatus> status;
  };
  std::vector<One> copies;
  size_t done = 0;

  bool step(Machine &machine) override {
    One &one = copies[done++];
    std::byte buffer[16] = {};
    const std::byte *source =
        one.read ? machine.findGlobal(one.from, one.read, false) : buffer;
    if (!source) {
      asyncFault(machine, *this,
                 machine.describeGlobal(one.from, one.read, false));
      return true;
    }
    std::memcpy(buffer, source, one.read);
    std::memcpy(cta->shared.data() + one.to, buffer, one.bytes);
    endAsyncWrite(*cta, one.to, one.bytes, std::nullopt);
    cta->shadow.note(one.to, one.bytes,
                     {machine.time, machine.entry.lineOf(pc),
                      static_cast<uint16_t>(warp->index),
                      static_cast<uint8_t>(one.lane)});
    one.status->read = one.status->written = true;
    return done == copies.size();
  }
  std::string describe() const override {
    return fmt::format("{}; {} lanes left", describeIssue(*this),
                       copies.size() - done);
  }
};

/// imm2 is the copy size: sub[4]; src[2] (optional) the source size; sub[5]: a
/// predicate in src[3] that ignores the source.
Outcome opAsyncCopy(Context &c) {
  const Instr &i = c.instr;
  auto op = std::make_unique<AsyncCopy>();
  stamp(*op, c, c.firstLane(), "cp.async");
  op->must_finish = true;
  uint32_t bytes = i.sub[4];
  for (uint32_t left = c.mask; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    int at = static_cast<int>(lane);
    uint64_t from = operandAddress(c, i.src[1], i.sub[2], i.offset1, lane);
    uint32_t read = i.src[2] == kNoOperand ? bytes : c.read32(i.src[2], lane);
    if (i.sub[5] && (c.warp.preds[i.src[3]] >> lane & 1))
      read = 0;
    if (read > bytes)
      return c.fault(
          fmt::format("cp.async of {} bytes with a source size of {}", bytes,
                      read),
          at);
    SharedRef ref;
    if (!resolveShared(c, laneAddress(c, lane), false,
                       "destination of cp.async", ref, lane))
      return Outcome::fault;
    if (ref.offset % bytes != 0 || from % bytes != 0)
      return c.fault(fmt::format("cp.async of {} bytes from {:#x} to {:#x}: "
                                 "addresses must be multiples of the size",
                                 bytes, from, ref.offset),
                     at);
    if (read && !c.machine.findGlobal(from, read, false))
      return c.fault("source of cp.async: " +
                         c.machine.describeGlobal(from, read, false),
                     at);
    // Narrow copies of neighbouring lanes share a cell of the shadow.
    if (bytes == 16) {
      if (!beginAsyncWrite(c, lane, *ref.cta, ref.offset, bytes, "cp.async"))
        return Outcome::fault;
    } else {
      if (ref.offset < kSharedBase ||
          ref.offset + bytes > ref.cta->shared.size())
        return c.fault("destination of cp.async lies outside shared memory",
                       at);
      ref.cta->shadow.forRange(
          ref.offset, bytes, [&](SharedShadow::Cell &cell, uint32_t) {
            ++cell.async_writes;
            cell.async_line = c.machine.entry.lineOf(op->pc);
          });
      std::memset(ref.cta->shared.data() + ref.offset, 0xFF, bytes);
    }
    auto status = std::make_shared<CopyStatus>();
    status->line = c.machine.entry.lineOf(op->pc);
    c.warp.cp_async[lane].open.push_back(status);
    op->copies.push_back({lane, from, ref.offset, read, bytes, status});
  }
  c.machine.engine.issue(std::move(op));
  return Outcome::next;
}
bool decodeAsyncCopy(Decoder &d, const OpRow &, const ast::Instruction &in,
                     Instr &out) {
  out.op = opAsyncCopy;
  bool hint = has(in, "L2::cache_hint");
  if (!d.expectOperands(in, 3u + hint, 4u + hint))
    return false;
  int64_t bytes = 0;
  if (!d.address(in.operands[0], MemSpace::shared_cta, out) ||
      !d.addressValue(in.operands[1], 3, out.offset1, out.sub[2]) ||
      !d.immediate(in.operands[2], bytes))
    return false;
  bool cg = has(in, "cg");
  if (cg ? bytes != 16 : bytes != 4 && bytes != 8 && bytes != 16)
    return d.fail("cp.async copies 16 bytes (.cg) or 4, 8, 16 (.ca)");
  out.sub[4] = static_cast<uint8_t>(bytes);
  if (in.operands.size() == 3u + hint)
    return true;
  const Operand &extra = in.operands[3];
  if (d.isReg(extra) && d.classOf(extra) == RegClass::pred) {
    out.sub[5] = 1;
    return d.srcValue(extra, RegClass::pred, 5);
  }
  return d.srcValue(extra, RegClass::b32, 4);
}

Outcome opAsyncCommit(Context &c) {
  for (uint32_t left = c.mask; left; left &= left - 1)
    c.warp.cp_async[static_cast<unsigned>(__builtin_ctz(left))].commit();
  return Outcome::next;
}
bool decodeAsyncCommit(Decoder &d, const OpRow &, const ast::Instruction &in,
                       Instr &out) {
  out.op = opAsyncCommit;
  return d.expectOperands(in, 0, 0);
}

/// sub[0]: wait_all, which includes what is not committed.
Outcome opAsyncWait(Context &c) {
  size_t groups = static_cast<size_t>(c.instr.imm);
  for (uint32_t left = c.mask; left; left &= left - 1) {
    auto found =
        c.warp.cp_async.find(static_cast<unsigned>(__builtin_ctz(left)));
    if (found == c.warp.cp_async.end())
      continue;
    if (c.instr.sub[0] && !found->second.open.empty())
      found->second.commit();
    if (found->second.pending(false) > groups) {
      Wait wait;
      wait.kind = Wait::Kind::async_group;
      return c.block(wait);
    }
    found->second.waited(groups, false, c.warp.clock[c.warp.agent]);
  }
  return Outcome::next;
}
bool decodeAsyncWait(Decoder &d, const OpRow &, const ast::Instruction &in,
                     Instr &out) {
  out.op = opAsyncWait;
  out.sub[0] = has(in, "wait_all");
  if (out.sub[0])
    return d.expectOperands(in, 0, 0);
  if (!d.expectOperands(in, 1, 1) || !d.immediate(in.operands[0], out.imm))
    return false;
  return out.imm >= 0 || d.fail("negative number of groups");
}

/// cp.async.mbarrier.arrive.noinc: arrives when the thread's copies are done.
struct CopyArrive final : AsyncOp {
  std::vector<std::shared_ptr<CopyStatus>> copies;
  Cta *target = nullptr;
  uint32_t barrier = 0;

  bool ready() const override {
    for (const auto &status : copies)
      if (!status->written)
        return false;
    return true;
  }
  bool step(Machine &machine) override {
    auto r =
        target->barriers.arrive(target->span(), barrier, 1, actorOf(*this));
    if (!r)
      asyncFault(machine, *this, r.error().message);
    else
      arrivedAt(*target, barrier, *warp, r->phaseCompleted);
    return true;
  }
  std::string describe() const override {
    return fmt::format("{}; arrives at mbarrier {:#x}", describeIssue(*this),
                       barrier);
  }
};

Outcome opCopyArrive(Context &c) {
  for (uint32_t left = c.mask; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    SharedRef ref;
    if (!resolveShared(c, laneAddress(c, lane), false, "mbarrier", ref, lane))
      return Outcome::fault;
    auto op = std::make_unique<CopyArrive>();
    stamp(*op, c, lane, "cp.async.mbarrier.arrive");
    op->target = ref.cta;
    op->barrier = ref.offset;
    CopyGroups &groups = c.warp.cp_async[lane];
    op->copies = groups.open;
    for (const CopyGroups::Group &group : groups.committed)
      op->copies.insert(op->copies.end(), group.copies.begin(),
                        group.copies.end());
    c.machine.engine.issue(std::move(op));
  }
  return Outcome::next;
}
bool decodeCopyArrive(Decoder &d, const OpRow &, const ast::Instruction &in,
                      Instr &out) {
  out.op = opCopyArrive;
  return d.expectOperands(in, 1, 1) &&
         d.address(in.operands[0], MemSpace::shared_cta, out);
}

} // namespace

std::vector<OpRow> asyncCopyRows() {
#define ROW(pattern, decode, fidelity, source, note)                           \
  {                                                                            \
    pattern, "", decode, AluOp::count, {0, 0, 0}, fidelity, source, note       \
  }
  constexpr Fidelity exact = Fidelity::exact, no = Fidelity::unsupported;
  return {
      ROW("cp async ca|cg shared|shared::cta global [L2::cache_hint] "
          "[L2::64B|L2::128B|L2::256B]",
          decodeAsyncCopy, exact, "9.7.9.25", ""),
      ROW("cp async commit_group", decodeAsyncCommit, exact, "9.7.9.25", ""),
      ROW("cp async wait_group", decodeAsyncWait, exact, "9.7.9.25", ""),
      ROW("cp async wait_all", decodeAsyncWait, exact, "9.7.9.25", ""),
      ROW("cp async mbarrier arrive noinc [shared|shared::cta] b64",
          decodeCopyArrive, exact, "9.7.13.15", ""),
      ROW("cp async mbarrier arrive [shared|shared::cta] b64", nullptr, no,
          "9.7.13.15", ".noinc only"),
  };
#undef ROW
}

} // namespace tirx::rt::sim
