//===- OpsMma.cpp - tcgen05.mma and tcgen05.commit --------------*- C++ -*-===//

#include "AsyncProxy.h"
#include "OpsBulk.h"
#include "OpsTensor.h"
#include "TmemUse.h"
#include "units/TensorCore.h"

#include <algorithm>

namespace tirx::rt::sim {

using ast::Operand;
using ast::RegClass;

uint64_t tensorPipe(const Context &c, unsigned lane, unsigned cta_group) {
  return (uint64_t(c.warp.cta->linear) + 1) << 16 |
         (c.warp.index * kLanes + lane) << 2 | cta_group;
}

namespace {

/// Shared memory that an operand occupies in one CTA.
struct OperandUse {
  Cta *cta;
  std::vector<std::pair<uint32_t, uint32_t>> ranges; ///< address, bytes
};

struct MmaOp final : AsyncOp {
  MmaRequest request;
  std::vector<Cta *> ctas;
  std::vector<OperandUse> reads;
  MmaOperands operands;
  bool gathered = false;

  std::vector<MmaCta> memories() const {
    std::vector<MmaCta> out;
    for (Cta *one : ctas)
      out.push_back({one->shared, &one->tensorMemory(), &one->allocator});
    return out;
  }
  bool step(Machine &machine) override {
    std::vector<MmaCta> memory = memories();
    if (!gathered) {
      auto r = gatherMmaOperands(request, memory);
      if (!r) {
        asyncFault(machine, *this, r.error().message);
        return true;
      }
      operands = std::move(*r);
      return !(gathered = true);
    }
    commitMma(request, operands, memory);
    for (const OperandUse &use : reads)
      for (auto [address, bytes] : use.ranges)
        endAsyncRead(*use.cta, address, bytes);
    for (Cta *one : ctas)
      removeTmemUse(*one, *this);
    return true;
  }
  bool uses(const Cta &other) const override {
    return std::count(ctas.begin(), ctas.end(), &other) != 0;
  }
  std::string describe() const override {
    return fmt::format("{}; accumulator at TMEM address {:#x}",
                       describeIssue(*this), request.dTmem);
  }
};

std::vector<std::pair<uint32_t, uint32_t>>
mergeChunks(std::vector<uint32_t> chunks) {
  std::sort(chunks.begin(), chunks.end());
  std::vector<std::pair<uint32_t, uint32_t>> ranges;
  for (uint32_t chunk : chunks) {
    if (!ranges.empty() && ranges.back().first + ranges.back().second >= chunk)
      ranges.back().second = chunk + 16 - ranges.back().first;
    else
      ranges.push_back({chunk, 16});
  }
  return ranges;
}

void warnings(Context &c, const Warnings &found) {
  for (const std::string &text : found)
    c.machine.warn(c.frag().pc, text, text);
}

void warnOddCta(Context &c) {
  if (c.cta().rank & 1)
    c.machine.warn(c.frag().pc, "odd",
                   "cta_group::2 operation issued by the odd CTA of the pair");
}

/// The CTAs of an operation: this one, or its pair, even rank first.
bool groupCtas(Context &c, unsigned lane, unsigned group,
               std::vector<Cta *> &out) {
  Cta &cta = c.cta();
  if (group == 1) {
    out = {&cta};
    return true;
  }
  if (cta.cluster->ctas.size() < 2) {
    c.fault("cta_group::2 in a cluster of one CTA", static_cast<int>(lane));
    return false;
  }
  uint32_t even = cta.rank & ~1u;
  out = {cta.cluster->ctas[even].get(), cta.cluster->ctas[even + 1].get()};
  for (Cta *one : out)
    if (one->live_threads == 0) {
      c.fault(fmt::format("cta_group::2 while CTA rank {} of the pair has "
                          "exited",
                          one->rank),
              static_cast<int>(lane));
      return false;
    }
  warnOddCta(c);
  return true;
}

/// sub: 0 MmaKind, 1 group, 2 A in TMEM, 3 lane mask registers, 4 negated
/// enable. src: A, B, idesc, enable; offset1, imm: offsets of D, A; offset2:
/// scale-input-d. lists: D, then the lane masks.
bool buildRequest(Context &c, unsigned lane, MmaRequest &request) {
  const Instr &i = c.instr;
  const uint32_t *list = c.machine.entry.lists.data() + i.list;
  int at = static_cast<int>(lane);
  MmaKind kind = static_cast<MmaKind>(i.sub[0]);
  request.ctaGroup = i.sub[1];
  request.aInTmem = i.sub[2];
  request.dTmem = c.read32(list[0], lane) + static_cast<uint32_t>(i.offset1);
  Warnings found;
  auto idesc = decodeInstructionDescriptor(c.read32(i.src[2], lane), kind,
                                           request.ctaGroup, false, &found);
  if (!idesc)
    return c.fault(idesc.error().message, at), false;
  request.idesc = *idesc;
  if (request.aInTmem) {
    request.aTmem = c.read32(i.src[0], lane) + static_cast<uint32_t>(i.imm);
  } else {
    auto a = decodeMatrixDescriptor(c.read64(i.src[0], lane), "A");
    if (!a)
      return c.fault(a.error().message, at), false;
    request.a = *a;
  }
  auto b = decodeMatrixDescriptor(c.read64(i.src[1], lane), "B");
  if (!b)
    return c.fault(b.error().message, at), false;
  request.b = *b;
  uint32_t enable = c.warp.preds[i.src[3]] ^ (i.sub[4] ? ~0u : 0);
  request.enableInputD = enable >> lane & 1;
  request.scaleInputD = static_cast<unsigned>(i.offset2);
  for (unsigned k = 0; k < i.sub[3]; ++k)
    request.disableOutputLane[k] = c.read32(list[1 + k], lane);
  request.numerics = c.machine.options.numerics == SimOptions::Numerics::fast
                         ? MmaNumerics::fast
                         : MmaNumerics::exact;
  warnings(c, found);
  return true;
}

/// Reads of A and B: the rules of the async proxy, and who wrote them how.
bool beginOperand(Context &c, unsigned lane, MmaOp &op,
                  const MatrixDescriptor &desc, const OperandTile &tile,
                  std::string_view what) {
  // Kernels come back to the same few stages; sorting chunks is dear.
  auto &ranges = c.machine.operand_ranges[{
      desc.start, desc.leadingBytes, desc.strideBytes,
      static_cast<uint32_t>(desc.swizzle), tile.rows << 16 | tile.k,
      tile.elementBytes << 1 | (tile.major == Major::MN)}];
  if (ranges.empty()) {
    auto chunks = operandChunks(desc, tile, c.machine.shared_bytes, what);
    if (!chunks) {
      c.fault(chunks.error().message, static_cast<int>(lane));
      return false;
    }
    ranges = mergeChunks(std::move(*chunks));
  }
  for (Cta *cta : op.ctas) {
    OperandUse use{cta, ranges};
    std::string name = fmt::format("tcgen05.mma operand {}", what);
    for (auto [address, bytes] : use.ranges)
      if (!beginAsyncRead(c, lane, *cta, address, bytes, name, desc.swizzle))
        return false;
    op.reads.push_back(std::move(use));
  }
  return true;
}

void poison(TensorMemory &memory, std::span<const TmemRegion> regions) {
  for (const TmemRegion &region : regions)
    for (unsigned column = 0; column < region.columns; ++column)
      for (unsigned row = 0; row < region.lanes; ++row)
        memory.word[region.column + column][region.lane + row] = 0x7FA5A5A5u;
}

Outcome opMma(Context &c) {
  const Instr &i = c.instr;
  for (uint32_t left = c.mask; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    auto op = std::make_unique<MmaOp>();
    stamp(*op, c, lane, "tcgen05.mma");
    op->pipe = tensorPipe(c, lane, i.sub[1]);
    MmaRequest &request = op->request;
    if (!groupCtas(c, lane, i.sub[1], op->ctas) ||
        !buildRequest(c, lane, request))
      return Outcome::fault;
    Warnings found;
    if (auto r = checkMma(request, op->memories(), &found); !r)
      return c.fault(r.error().message, static_cast<int>(lane));
    warnings(c, found);
    const InstructionDescriptor &idesc = request.idesc;
    OperandTile a{idesc.m / request.ctaGroup, idesc.k, containerBytes(idesc.a),
                  idesc.majorA};
    OperandTile b{idesc.n / request.ctaGroup, idesc.k, containerBytes(idesc.b),
                  idesc.majorB};
    if (!request.aInTmem && !beginOperand(c, lane, *op, request.a, a, "A"))
      return Outcome::fault;
    if (!beginOperand(c, lane, *op, request.b, b, "B"))
      return Outcome::fault;
    uint32_t line = c.machine.entry.lineOf(op->pc);
    bool masked = std::any_of(request.disableOutputLane.begin(),
                              request.disableOutputLane.end(),
                              [](uint32_t word) { return word != 0; });
    const MmaFootprint footprint = mmaTmemFootprint(request);
    for (Cta *one : op->ctas) {
      Cta &cta = *one;
      if (!checkTmemUse(c, lane, cta, footprint.tmemReads,
                        TmemAccessKind::mma_read, "tcgen05.mma") ||
          !checkTmemUse(c, lane, cta, footprint.tmemWrites,
                        TmemAccessKind::mma_write, "tcgen05.mma"))
        return Outcome::fault;
      addTmemUse(cta, footprint.tmemReads, TmemAccessKind::mma_read, line, *op);
      addTmemUse(cta, footprint.tmemWrites, TmemAccessKind::mma_write, line,
                 *op);
      orderTmem(c, lane, cta, footprint.tmemReads, false, true);
      orderTmem(c, lane, cta, footprint.tmemWrites, true, true);
      if (!request.enableInputD && !masked)
        poison(cta.tensorMemory(), footprint.tmemWrites);
    }
    c.machine.engine.issue(std::move(op));
    ++c.machine.stats.tensor_core_ops;
  }
  return Outcome::next;
}

bool decodeMma(Decoder &d, const OpRow &, const ast::Instruction &in,
               Instr &out) {
  static constexpr const char *kinds[] = {"kind::f16", "kind::tf32",
                                          "kind::f8f6f4", "kind::i8"};
  out.op = opMma;
  for (uint8_t k = 0; k < 4; ++k)
    if (has(in, kinds[k]))
      out.sub[0] = k;
  out.sub[1] = has(in, "cta_group::2") ? 2 : 1;
  if (!d.expectOperands(in, 5, 7))
    return false;
  const Operand &dst = in.operands[0], &a = in.operands[1];
  if (dst.kind != Operand::Kind::address || dst.elements.size() != 1 ||
      !d.isReg(dst.elements[0]))
    return d.fail("D must be a TMEM address in a register");
  out.offset1 = dst.imm;
  if (!d.listOperand(dst.elements[0], RegClass::b32, false, 1, 1))
    return false;
  if (a.kind == Operand::Kind::address) {
    uint8_t wide = 0;
    out.sub[2] = 1;
    if (!d.addressValue(a, 2, out.imm, wide))
      return false;
    if (wide)
      return d.fail("TMEM addresses have 32 bits");
  } else if (!d.srcValue(a, RegClass::b64, 2)) {
    return false;
  }
  if (!d.srcValue(in.operands[2], RegClass::b64, 3) ||
      !d.srcValue(in.operands[3], RegClass::b32, 4))
    return false;
  size_t at = 4;
  if (in.operands[at].kind == Operand::Kind::vector) {
    out.sub[3] = out.sub[1] == 2 ? 8 : 4;
    if (!d.listOperand(in.operands[at++], RegClass::b32, false, out.sub[3],
                       out.sub[3]))
      return false;
  }
  if (at >= in.operands.size())
    return d.fail("enable-input-d is missing");
  out.sub[4] = in.operands[at].negated;
  if (!d.srcValue(in.operands[at++], RegClass::pred, 5, true))
    return false;
  if (at < in.operands.size()) {
    if (!d.immediate(in.operands[at++], out.offset2))
      return false;
    if (out.offset2 < 0 || out.offset2 > 15)
      return d.fail("scale-input-d must be 0 to 15");
  }
  return at == in.operands.size() || d.fail("too many operands");
}

// --- commit
// -------------------------------------------------------------------

struct CommitOp final : AsyncOp {
  std::vector<Cta *> targets;
  uint32_t barrier = 0;

  bool step(Machine &machine) override {
    for (Cta *target : targets) {
      auto r =
          target->barriers.arrive(target->span(), barrier, 1, actorOf(*this));
      if (!r) {
        asyncFault(machine, *this, r.error().message);
        return true;
      }
      arrivedAt(*target, barrier, *warp, r->phaseCompleted);
    }
    return true;
  }
  bool uses(const Cta &other) const override {
    return std::count(targets.begin(), targets.end(), &other) != 0;
  }
  std::string describe() const override {
    return fmt::format("{}; arrives at mbarrier {:#x}", describeIssue(*this),
                       barrier);
  }
};

/// A cta_group::2 commit releases memory of both CTAs of the pair, and of
/// others only where copies were multicast to them.
void warnCommitMask(Context &c, uint32_t mask) {
  const uint32_t pair = 3u << (c.cta().rank & ~1u);
  if ((mask & pair) != pair)
    c.machine.warn(
        c.frag().pc, "commit misses the pair",
        fmt::format("tcgen05.commit.cta_group::2 with multicast mask "
                    "{:#x} does not signal both CTAs of the pair "
                    "({:#x})",
                    mask, pair));
  if ((mask & ~pair) && !c.cta().cluster->multicast_beyond_pair)
    c.machine.warn(
        c.frag().pc, "commit exceeds the pair",
        fmt::format("tcgen05.commit.cta_group::2 with multicast mask "
                    "{:#x} signals CTAs outside the pair ({:#x}), to "
                    "which no copy was multicast",
                    mask, pair));
}

/// sub[1]: MemSpace; sub[2]: group; sub[3]: multicast.
Outcome opCommit(Context &c) {
  const Instr &i = c.instr;
  for (uint32_t left = c.mask; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    int at = static_cast<int>(lane);
    SharedRef ref;
    if (!barrierOperand(c, laneAddress(c, lane), lane, ref))
      return Outcome::fault;
    auto op = std::make_unique<CommitOp>();
    stamp(*op, c, lane, "tcgen05.commit");
    op->pipe = tensorPipe(c, lane, i.sub[2]);
    op->barrier = ref.offset;
    op->targets = {ref.cta};
    if (i.sub[3]) {
      uint32_t mask = c.read32(i.src[1], lane) & 0xFFFF;
      op->targets.clear();
      for (uint32_t bit = 0; bit < 16; ++bit) {
        if (!(mask >> bit & 1))
          continue;
        if (bit >= c.cta().cluster->ctas.size())
          return c.fault(fmt::format("multicast mask {:#x} names CTA rank {}; "
                                     "the cluster has {}",
                                     mask, bit, c.cta().cluster->ctas.size()),
                         at);
        op->targets.push_back(c.cta().cluster->ctas[bit].get());
      }
      if (i.sub[2] == 2)
        warnCommitMask(c, mask);
    }
    if (i.sub[2] == 2)
      warnOddCta(c);
    for (const Cta *target : op->targets)
      if (target->live_threads == 0)
        return c.fault(fmt::format("tcgen05.commit to an mbarrier of CTA rank "
                                   "{}, which has exited",
                                   target->rank),
                       at);
    // The barrier must be there when the commit is executed.
    for (Cta *target : op->targets)
      if (!target->barriers.find(op->barrier))
        return c.fault(fmt::format("tcgen05.commit to shared offset {:#x}, "
                                   "where no mbarrier is initialised",
                                   op->barrier),
                       at);
    c.machine.engine.issue(std::move(op));
  }
  return Outcome::next;
}
bool decodeCommit(Decoder &d, const OpRow &, const ast::Instruction &in,
                  Instr &out) {
  out.op = opCommit;
  MemSpace space =
      has(in, "shared::cluster") ? MemSpace::shared_cluster : MemSpace::generic;
  out.sub[1] = static_cast<uint8_t>(space);
  out.sub[2] = has(in, "cta_group::2") ? 2 : 1;
  out.sub[3] = has(in, "multicast::cluster");
  return d.expectOperands(in, 1u + out.sub[3], 1u + out.sub[3]) &&
         d.address(in.operands[0], space, out) &&
         (!out.sub[3] || d.srcValue(in.operands[1], RegClass::b32, 3));
}

} // namespace

std::vector<OpRow> mmaRows() {
#define ROW(pattern, decode, fidelity, source, note)                           \
  {pattern, "", decode, AluOp::count, {0, 0, 0}, fidelity, source, note}
#define GROUP "cta_group::1|cta_group::2"
#define COLLECTOR                                                              \
  "[collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::" \
  "discard]"
  constexpr Fidelity no = Fidelity::unsupported;
  return {
      ROW("tcgen05 mma " GROUP
          " kind::f16|kind::tf32|kind::f8f6f4|kind::i8 " COLLECTOR,
          decodeMma, Fidelity::exact, "9.7.16.10",
          "collectors have no effect; fast numerics by option"),
      ROW("tcgen05 mma " GROUP
          " kind::f16|kind::tf32|kind::f8f6f4|kind::i8 [ashift] " COLLECTOR
          " [ashift]",
          nullptr, no, "9.7.16.10", ".ashift"),
      ROW("tcgen05 mma " GROUP
          " kind::mxf8f6f4|kind::mxf4|kind::mxf4nvf4 block_scale "
          "[scale_vec::1X|scale_vec::2X|scale_vec::4X|block16|block32] "
          "" COLLECTOR,
          nullptr, no, "9.7.16.10", "block-scaled kinds"),
      ROW("tcgen05 mma sp|ws", nullptr, no, "9.7.16.10",
          "sparse and .ws forms"),
      ROW("tcgen05 commit " GROUP
          " mbarrier::arrive::one [shared::cluster] [multicast::cluster] b64",
          decodeCommit, Fidelity::exact, "9.7.16.12", ""),
      ROW("wgmma fence|mma_async|commit_group|wait_group", nullptr, no,
          "9.7.15", "sm_90a"),
      ROW("mma|wmma sync|load|store|mma", nullptr, no, "9.7.14", ""),
  };
#undef ROW
#undef GROUP
#undef COLLECTOR
}

} // namespace tirx::rt::sim
