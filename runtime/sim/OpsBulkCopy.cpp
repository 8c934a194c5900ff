//===- OpsBulkCopy.cpp - cp.async.bulk and bulk groups ----------*- C++ -*-===//

#include "AsyncProxy.h"
#include "MemoryAccess.h"
#include "OpsBulk.h"
#include "units/TmaBox.h"

#include <algorithm>
#include <cstring>

namespace tirx::rt::sim {

using ast::Operand;
using ast::RegClass;

namespace {

/// A bulk copy of contiguous bytes between global memory and the shared memory
/// of the CTAs of a cluster.
struct BulkCopy final : AsyncOp {
  Cta *from_cta = nullptr; ///< null: global
  uint64_t from = 0;
  std::vector<Cta *> to_ctas; ///< empty: global
  uint64_t to = 0;
  uint32_t bytes = 0;
  uint32_t byte_mask = 0xFFFF;       ///< .cp_mask: of each 16 bytes
  std::optional<TmaReduceOp> reduce; ///< cp.reduce, to global memory
  TensorMapDType type = TensorMapDType::u32;
  uint32_t barrier = 0;
  std::vector<Cta *> barrier_ctas;
  std::shared_ptr<CopyStatus> status;
  std::vector<std::byte> copy;

  bool step(Machine &machine) override {
    if (copy.empty()) {
      const std::byte *source = from_cta
                                    ? from_cta->shared.data() + from
                                    : machine.findGlobal(from, bytes, false);
      if (!source) {
        asyncFault(machine, *this, machine.describeGlobal(from, bytes, false));
        return true;
      }
      copy.assign(source, source + bytes);
      if (from_cta)
        endAsyncRead(*from_cta, static_cast<uint32_t>(from), bytes);
      if (status)
        status->read = true;
      return false;
    }
    if (to_ctas.empty()) {
      std::byte *target = machine.findGlobal(to, bytes, true);
      if (!target) {
        asyncFault(machine, *this, machine.describeGlobal(to, bytes, true));
        return true;
      }
      if (reduce) {
        if (auto r = reduceBulk(*reduce, type, target, copy.data(), bytes); !r)
          asyncFault(machine, *this, r.error().message);
      } else {
        for (uint32_t i = 0; i < bytes; ++i)
          if (byte_mask >> (i % 16) & 1)
            target[i] = copy[i];
      }
    }
    for (Cta *target : to_ctas) {
      std::copy(copy.begin(), copy.end(),
                target->shared.begin() + static_cast<ptrdiff_t>(to));
      endAsyncWrite(*target, static_cast<uint32_t>(to), bytes, std::nullopt);
    }
    for (Cta *target : barrier_ctas)
      if (!completeTx(machine, *this, *target, barrier, bytes))
        return true;
    if (status)
      status->written = true;
    return true;
  }
  bool uses(const Cta &other) const override {
    return from_cta == &other ||
           std::count(to_ctas.begin(), to_ctas.end(), &other) != 0;
  }
  std::string describe() const override {
    return fmt::format("{}; {} bytes", describeIssue(*this), bytes);
  }
};

/// sub[1]: 1 when the source is shared; sub[4]: 1 when the destination is
/// global; sub[5]: multicast; sub[6]: .cp_mask; sub[7]: 1 + TmaReduceOp of
/// cp.reduce, sub[8]: its TensorMapDType. src: dst, src address, barrier,
/// mask; lists[0]: size.
Outcome opBulkCopy(Context &c) {
  const Instr &i = c.instr;
  for (uint32_t left = c.mask; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    int at = static_cast<int>(lane);
    uint64_t dst = laneAddress(c, lane);
    uint64_t src = operandAddress(c, i.src[1], i.sub[2], i.offset1, lane);
    uint32_t bytes = c.read32(c.machine.entry.lists[i.list], lane);
    if (bytes == 0 || bytes % 16 != 0 || dst % 16 != 0 || src % 16 != 0)
      return c.fault(fmt::format("cp.async.bulk of {} bytes from {:#x} to "
                                 "{:#x}: size and addresses must be multiples "
                                 "of 16",
                                 bytes, src, dst),
                     at);
    auto op = std::make_unique<BulkCopy>();
    stamp(*op, c, lane, "cp.async.bulk");
    op->bytes = bytes;
    SharedRef ref;
    if (i.sub[1]) {
      if (!resolveShared(c, src, false, "source of cp.async.bulk", ref, lane) ||
          !beginAsyncRead(c, lane, *ref.cta, ref.offset, bytes,
                          "cp.async.bulk"))
        return Outcome::fault;
      op->from_cta = ref.cta;
      op->from = ref.offset;
    } else {
      if (!c.machine.findGlobal(src, bytes, false))
        return c.fault("source of cp.async.bulk: " +
                           c.machine.describeGlobal(src, bytes, false),
                       at);
      op->from = src;
    }
    if (i.sub[4]) {
      if (!c.machine.findGlobal(dst, bytes, true))
        return c.fault("destination of cp.async.bulk: " +
                           c.machine.describeGlobal(dst, bytes, true),
                       at);
      op->to = dst;
      if (i.sub[7]) {
        op->reduce = static_cast<TmaReduceOp>(i.sub[7] - 1);
        op->type = static_cast<TensorMapDType>(i.sub[8]);
      }
      if (i.sub[6])
        op->byte_mask = c.read32(i.src[3], lane) & 0xFFFF;
      op->status = std::make_shared<CopyStatus>();
      op->status->line = c.machine.entry.lineOf(op->pc);
      c.warp.bulk[lane].open.push_back(op->status);
      noteBulkRead(c, lane, *op->from_cta, static_cast<uint32_t>(op->from),
                   bytes, op->status);
    } else {
      SharedRef barrier;
      if (!resolveShared(c, dst, c.machine.cluster_size > 1,
                         "destination of cp.async.bulk", ref, lane) ||
          !barrierOperand(
              c, operandAddress(c, i.src[2], i.sub[3], i.offset2, lane), lane,
              barrier))
        return Outcome::fault;
      op->to = ref.offset;
      op->barrier = barrier.offset;
      op->must_finish = true;
      op->to_ctas = {ref.cta};
      if (i.sub[5]) {
        uint32_t mask = c.read32(i.src[3], lane) & 0xFFFF;
        op->to_ctas.clear();
        for (uint32_t bit = 0; bit < c.cta().cluster->ctas.size(); ++bit)
          if (mask >> bit & 1)
            op->to_ctas.push_back(c.cta().cluster->ctas[bit].get());
      } else if (barrier.cta != ref.cta) {
        return c.fault("cp.async.bulk: mbarrier and destination lie in "
                       "different CTAs",
                       at);
      }
      op->barrier_ctas = op->to_ctas;
      for (const Cta *target : op->to_ctas)
        if (target->live_threads == 0)
          return c.fault(fmt::format("cp.async.bulk to CTA rank {}, which has "
                                     "exited",
                                     target->rank),
                         at);
      for (Cta *target : op->to_ctas)
        if (!beginAsyncWrite(c, lane, *target, ref.offset, bytes,
                             "cp.async.bulk"))
          return Outcome::fault;
    }
    c.machine.engine.issue(std::move(op));
    ++c.machine.stats.tma_ops;
  }
  return Outcome::next;
}

bool decodeBulkCopy(Decoder &d, const OpRow &, const ast::Instruction &in,
                    Instr &out) {
  out.op = opBulkCopy;
  bool store = in.modifiers[2] == "global";
  out.sub[4] = store;
  out.sub[1] = in.modifiers[3] == "shared::cta";
  out.sub[5] = has(in, "multicast::cluster");
  out.sub[6] = has(in, "cp_mask");
  size_t hint = has(in, "L2::cache_hint");
  size_t operands = 3u + !store + out.sub[5] + out.sub[6] + hint;
  if (!d.expectOperands(in, operands, operands))
    return false;
  if (!d.address(in.operands[0],
                 store ? MemSpace::global : MemSpace::shared_cta, out) ||
      !d.addressValue(in.operands[1], 3, out.offset1, out.sub[2]) ||
      !d.listOperand(in.operands[2], RegClass::b32, false, 1, 1))
    return false;
  if (!store && !d.addressValue(in.operands[3], 4, out.offset2, out.sub[3]))
    return false;
  if (out.sub[5])
    return d.srcValue(in.operands[4], RegClass::b32, 5);
  if (out.sub[6])
    return d.srcValue(in.operands.back(), RegClass::b32, 5);
  return true;
}

/// A name in PTX and what it means here.
template <typename T> struct Named {
  const char *name;
  T value;
};
constexpr Named<TmaReduceOp> kReduceOps[] = {
    {"add", TmaReduceOp::add},  {"min", TmaReduceOp::min},
    {"max", TmaReduceOp::max},  {"inc", TmaReduceOp::inc},
    {"dec", TmaReduceOp::dec},  {"and", TmaReduceOp::bitAnd},
    {"or", TmaReduceOp::bitOr}, {"xor", TmaReduceOp::bitXor},
};
constexpr Named<TensorMapDType> kReduceTypes[] = {
    {"f16", TensorMapDType::f16}, {"bf16", TensorMapDType::bf16},
    {"f32", TensorMapDType::f32}, {"f64", TensorMapDType::f64},
    {"b32", TensorMapDType::u32}, {"u32", TensorMapDType::u32},
    {"s32", TensorMapDType::s32}, {"b64", TensorMapDType::u64},
    {"u64", TensorMapDType::u64}, {"s64", TensorMapDType::s64},
};

bool decodeBulkReduce(Decoder &d, const OpRow &, const ast::Instruction &in,
                      Instr &out) {
  out.op = opBulkCopy;
  out.sub[1] = out.sub[4] = 1;
  TmaReduceOp op = TmaReduceOp::add;
  TensorMapDType type = TensorMapDType::u32;
  for (const auto &entry : kReduceOps)
    if (has(in, entry.name))
      op = entry.value;
  for (const auto &entry : kReduceTypes)
    if (in.modifiers.back() == entry.name)
      type = entry.value;
  const bool half = type == TensorMapDType::f16 || type == TensorMapDType::bf16;
  const bool add = op == TmaReduceOp::add;
  if (has(in, "noftz") != (half && add))
    return d.fail(".noftz belongs to .add of f16 and bf16, which needs it (PTX "
                  "ISA, cp.reduce.async.bulk)");
  if (auto defined = reduceBulk(op, type, nullptr, nullptr, 0); !defined)
    return d.fail(defined.error().message);
  out.sub[7] = static_cast<uint8_t>(1 + static_cast<uint8_t>(op));
  out.sub[8] = static_cast<uint8_t>(type);
  const size_t operands = 3u + has(in, "L2::cache_hint");
  return d.expectOperands(in, operands, operands) &&
         d.address(in.operands[0], MemSpace::global, out) &&
         d.addressValue(in.operands[1], 3, out.offset1, out.sub[2]) &&
         d.listOperand(in.operands[2], RegClass::b32, false, 1, 1);
}

// --- bulk groups
// --------------------------------------------------------------

Outcome opBulkCommit(Context &c) {
  for (uint32_t left = c.mask; left; left &= left - 1)
    c.warp.bulk[static_cast<unsigned>(__builtin_ctz(left))].commit();
  return Outcome::next;
}
bool decodeBulkCommit(Decoder &d, const OpRow &, const ast::Instruction &in,
                      Instr &out) {
  out.op = opBulkCommit;
  return d.expectOperands(in, 0, 0);
}

/// imm: groups that may be left; sub[0]: .read.
Outcome opBulkWait(Context &c) {
  size_t left_groups = static_cast<size_t>(c.instr.imm);
  bool read_only = c.instr.sub[0];
  for (uint32_t left = c.mask; left; left &= left - 1) {
    auto found = c.warp.bulk.find(static_cast<unsigned>(__builtin_ctz(left)));
    if (found != c.warp.bulk.end() &&
        found->second.pending(read_only) > left_groups) {
      Wait wait;
      wait.kind = Wait::Kind::bulk_group;
      return c.block(wait);
    }
  }
  for (uint32_t left = c.mask; left; left &= left - 1) {
    auto found = c.warp.bulk.find(static_cast<unsigned>(__builtin_ctz(left)));
    if (found != c.warp.bulk.end())
      found->second.waited(left_groups, read_only, c.warp.clock[c.warp.agent]);
  }
  return Outcome::next;
}
bool decodeBulkWait(Decoder &d, const OpRow &, const ast::Instruction &in,
                    Instr &out) {
  out.op = opBulkWait;
  out.sub[0] = has(in, "read");
  if (!d.expectOperands(in, 1, 1) || !d.immediate(in.operands[0], out.imm))
    return false;
  return out.imm >= 0 || d.fail("negative number of groups");
}

Outcome opNothing(Context &) { return Outcome::next; }
bool decodeNothing(Decoder &, const OpRow &, const ast::Instruction &,
                   Instr &out) {
  out.op = opNothing;
  return true;
}

} // namespace

std::vector<OpRow> bulkCopyRows() {
#define ROW(pattern, decode, fidelity, source, note)                           \
  {                                                                            \
    pattern, "", decode, AluOp::count, {0, 0, 0}, fidelity, source, note       \
  }
  constexpr Fidelity exact = Fidelity::exact, no = Fidelity::unsupported;
  return {
      ROW("cp async bulk shared::cta|shared::cluster global "
          "mbarrier::complete_tx::bytes [multicast::cluster] [L2::cache_hint]",
          decodeBulkCopy, exact, "9.7.9.25", ""),
      ROW("cp async bulk shared::cluster shared::cta "
          "mbarrier::complete_tx::bytes",
          decodeBulkCopy, exact, "9.7.9.25", ""),
      ROW("cp async bulk global shared::cta bulk_group [L2::cache_hint] "
          "[cp_mask]",
          decodeBulkCopy, exact, "9.7.9.25", ""),
      ROW("cp async bulk prefetch L2 global [L2::cache_hint]", decodeNothing,
          Fidelity::approximate, "9.7.9.25", "no effect"),
      ROW("cp async bulk commit_group", decodeBulkCommit, exact, "9.7.9.25",
          ""),
      ROW("cp async bulk wait_group [read]", decodeBulkWait, exact, "9.7.9.25",
          ""),
      ROW("cp reduce async bulk global shared::cta bulk_group "
          "[L2::cache_hint] add|min|max|inc|dec|and|or|xor [noftz] "
          "f16|bf16|f32|f64|b32|u32|s32|b64|u64|s64",
          decodeBulkReduce, exact, "9.7.9.25", ""),
      ROW("cp reduce async bulk shared::cluster shared::cta "
          "mbarrier::complete_tx::bytes add|min|max|inc|dec|and|or|xor "
          "b32|u32|s32|u64",
          nullptr, no, "9.7.9.25", "to global memory only"),
  };
#undef ROW
}

} // namespace tirx::rt::sim
