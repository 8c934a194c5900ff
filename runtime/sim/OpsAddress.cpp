//===- OpsAddress.cpp - cvta, mapa, fences, hints, matrices -----*- C++ -*-===//

#include "MemoryAccess.h"

#include <cstring>

namespace tirx::rt::sim {
namespace {

using ast::Operand;
using ast::RegClass;

// --- address conversion
// -------------------------------------------------------

constexpr uint64_t windowOf(MemSpace space) {
  switch (space) {
  case MemSpace::shared_cta:
  case MemSpace::shared_cluster:
    return kSharedWindow;
  case MemSpace::local:
    return kLocalWindow;
  case MemSpace::param:
    return kParamWindow;
  default:
    return 0;
  }
}

/// sub[0] MemSpace; sub[1] 1: to the space.
Outcome opCvta(Context &c) {
  const Instr &i = c.instr;
  MemSpace space = static_cast<MemSpace>(i.sub[0]);
  uint64_t window = windowOf(space);
  for (uint32_t left = c.mask; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    uint64_t a = c.read64(i.src[0], lane);
    if (i.sub[1]) {
      if ((a & kWindowMask) != window)
        return c.fault(fmt::format("cvta.to: generic address {:#x} lies in "
                                   "another state space",
                                   a),
                       static_cast<int>(lane));
      a &= ~kWindowMask;
    } else {
      // A shared::cta address without a rank means this CTA.
      if (space == MemSpace::shared_cta && a >> kRankShift == 0)
        a |= uint64_t(c.cta().rank) << kRankShift;
      a |= window;
    }
    c.write64(i.dst, lane, a);
  }
  return Outcome::next;
}
bool decodeCvta(Decoder &d, const OpRow &, const ast::Instruction &in,
                Instr &out) {
  out.op = opCvta;
  out.sub[0] = static_cast<uint8_t>(spaceOf(in));
  out.sub[1] = has(in, "to");
  if (!d.expectOperands(in, 2, 2))
    return false;
  const Operand &src = in.operands[1];
  if (src.kind == Operand::Kind::symbol && src.variable >= 0) {
    ast::Space space;
    uint32_t offset = 0;
    if (!d.variableOffset(src, space, offset))
      return d.fail("cvta of this symbol is not supported by the simulator; "
                    "mov it first");
    Operand constant;
    constant.imm = src.imm + offset;
    return d.dstReg(in.operands[0], RegClass::b64, 0) &&
           d.srcValue(constant, RegClass::b64, 2);
  }
  return d.dstReg(in.operands[0], RegClass::b64, 0) &&
         d.srcValue(src, RegClass::b64, 2);
}

Outcome opIsspacep(Context &c) {
  const Instr &i = c.instr;
  MemSpace space = static_cast<MemSpace>(i.sub[0]);
  uint32_t r = 0;
  for (uint32_t left = c.mask; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    uint64_t a = c.read64(i.src[0], lane);
    bool in = (a & kWindowMask) == windowOf(space);
    if (in && space == MemSpace::shared_cta)
      in = (static_cast<uint32_t>(a) >> kRankShift) == c.cta().rank;
    if (space == MemSpace::constant) {
      const GlobalMemory::Allocation *found = c.machine.memory.find(a, 1);
      in = found && !found->writable;
    }
    r |= uint32_t(in) << lane;
  }
  uint32_t &pred = c.warp.preds[i.dst];
  pred = (pred & ~c.mask) | r;
  return Outcome::next;
}
bool decodeIsspacep(Decoder &d, const OpRow &, const ast::Instruction &in,
                    Instr &out) {
  out.op = opIsspacep;
  out.sub[0] = static_cast<uint8_t>(spaceOf(in));
  return d.expectOperands(in, 2, 2) &&
         d.dstReg(in.operands[0], RegClass::pred, 0) &&
         d.srcValue(in.operands[1], RegClass::b64, 2);
}

/// The same offset in another CTA of the cluster. sub[0]: 1 for 64 bits,
/// sub[1]: 1 for a generic address.
Outcome opMapa(Context &c) {
  const Instr &i = c.instr;
  for (uint32_t left = c.mask; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    uint64_t a = i.sub[0] ? c.read64(i.src[0], lane) : c.read32(i.src[0], lane);
    uint32_t rank = c.read32(i.src[1], lane);
    if (rank >= c.machine.cluster_size)
      return c.fault(fmt::format("mapa to CTA rank {}; the cluster has {}",
                                 rank, c.machine.cluster_size),
                     static_cast<int>(lane));
    uint64_t mapped = (a & kOffsetMask) | uint64_t(rank) << kRankShift;
    if (i.sub[1])
      mapped |= kSharedWindow;
    if (i.sub[0])
      c.write64(i.dst, lane, mapped);
    else
      c.write32(i.dst, lane, static_cast<uint32_t>(mapped));
  }
  return Outcome::next;
}
bool decodeMapa(Decoder &d, const OpRow &, const ast::Instruction &in,
                Instr &out) {
  out.op = opMapa;
  out.sub[0] = in.modifiers.back() == "u64";
  out.sub[1] = in.modifiers.size() == 1;
  RegClass cls = out.sub[0] ? RegClass::b64 : RegClass::b32;
  return d.expectOperands(in, 3, 3) && d.dstReg(in.operands[0], cls, 0) &&
         d.srcValue(in.operands[1], cls, 2) &&
         d.srcValue(in.operands[2], RegClass::b32, 3);
}
Outcome opGetctarank(Context &c) {
  const Instr &i = c.instr;
  for (uint32_t left = c.mask; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    uint64_t a = i.sub[0] ? c.read64(i.src[0], lane) : c.read32(i.src[0], lane);
    c.write32(i.dst, lane, static_cast<uint32_t>(a) >> kRankShift);
  }
  return Outcome::next;
}
bool decodeGetctarank(Decoder &d, const OpRow &, const ast::Instruction &in,
                      Instr &out) {
  out.op = opGetctarank;
  out.sub[0] = in.modifiers.back() == "u64";
  return d.expectOperands(in, 2, 2) &&
         d.dstReg(in.operands[0], RegClass::b32, 0) &&
         d.srcValue(in.operands[1], out.sub[0] ? RegClass::b64 : RegClass::b32,
                    2);
}

// --- fences and hints
// ---------------------------------------------------------

Outcome opFence(Context &) { return Outcome::next; }
bool decodeFence(Decoder &, const OpRow &, const ast::Instruction &,
                 Instr &out) {
  out.op = opFence;
  return true;
}
Outcome opProxyFence(Context &c) {
  for (uint32_t left = c.mask; left; left &= left - 1)
    c.warp.fence_time[__builtin_ctz(left)] = c.machine.time;
  return Outcome::next;
}
bool decodeProxyFence(Decoder &, const OpRow &, const ast::Instruction &,
                      Instr &out) {
  out.op = opProxyFence;
  return true;
}

Outcome opPrefetch(Context &) { return Outcome::next; }
bool decodePrefetch(Decoder &, const OpRow &, const ast::Instruction &,
                    Instr &out) {
  out.op = opPrefetch; // no caches, and prefetching faults nowhere
  return true;
}

Outcome opPolicy(Context &c) {
  for (uint32_t left = c.mask; left; left &= left - 1)
    c.write64(c.instr.dst, static_cast<unsigned>(__builtin_ctz(left)), 0);
  return Outcome::next;
}
bool decodePolicy(Decoder &d, const OpRow &, const ast::Instruction &in,
                  Instr &out) {
  out.op = opPolicy;
  return d.expectOperands(in, 1, 4) &&
         d.dstReg(in.operands[0], RegClass::b64, 0);
}

// --- matrices
// -----------------------------------------------------------------

/// ldmatrix/stmatrix m8n8.b16: lane 8m+r gives the address of row r of matrix
/// m; register m of lane t holds elements (t/4, 2(t%4)) and the next. sub[2]
/// matrices, sub[3] transposed, sub[4] store.
Outcome opMatrix(Context &c) {
  Converged v = convergeWarp(c);
  if (!v.run)
    return v.outcome;
  const Instr &i = c.instr;
  const uint32_t *registers = c.machine.entry.lists.data() + i.list;
  std::byte *rows[4][8];
  for (unsigned m = 0; m < i.sub[2]; ++m)
    for (unsigned r = 0; r < 8; ++r) {
      unsigned lane = 8 * m + r;
      rows[m][r] = resolveAccess(c, static_cast<MemSpace>(i.sub[1]),
                                 laneAddress(c, lane), 16, 16, i.sub[4], lane);
      if (!rows[m][r])
        return Outcome::fault;
    }
  for (unsigned m = 0; m < i.sub[2]; ++m)
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      uint32_t value = i.sub[4] ? c.read32(registers[m], lane) : 0;
      for (unsigned k = 0; k < 2; ++k) {
        unsigned row = lane / 4, column = 2 * (lane % 4) + k;
        if (i.sub[3])
          std::swap(row, column);
        std::byte *at = rows[m][row] + 2 * column;
        uint16_t element = static_cast<uint16_t>(value >> (16 * k));
        if (i.sub[4]) {
          std::memcpy(at, &element, 2);
        } else {
          std::memcpy(&element, at, 2);
          value |= uint32_t(element) << (16 * k);
        }
      }
      if (!i.sub[4] && registers[m] != kNoOperand)
        c.write32(registers[m], lane, value);
    }
  return Outcome::next;
}
/// stmatrix m16n8.b8 with .trans: lane 8m+r gives the address of the 16 bytes
/// of column r of matrix m; register m of lane t holds elements (t/4, 2(t%4))
/// and the next, and those of row t/4 + 8, as the accumulators of mma.m16n8.
Outcome opStoreBytes(Context &c) {
  Converged v = convergeWarp(c);
  if (!v.run)
    return v.outcome;
  const Instr &i = c.instr;
  const uint32_t *registers = c.machine.entry.lists.data() + i.list;
  for (unsigned m = 0; m < i.sub[2]; ++m) {
    std::byte *columns[8];
    for (unsigned r = 0; r < 8; ++r) {
      unsigned lane = 8 * m + r;
      columns[r] = resolveAccess(c, static_cast<MemSpace>(i.sub[1]),
                                 laneAddress(c, lane), 16, 16, true, lane);
      if (!columns[r])
        return Outcome::fault;
    }
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      uint32_t value = c.read32(registers[m], lane);
      for (unsigned k = 0; k < 4; ++k)
        columns[2 * (lane % 4) + k % 2][lane / 4 + 8 * (k / 2)] =
            static_cast<std::byte>(value >> (8 * k));
    }
  }
  return Outcome::next;
}
bool decodeMatrix(Decoder &d, const OpRow &, const ast::Instruction &in,
                  Instr &out) {
  bool store = in.mnemonic == "stmatrix";
  out.op = has(in, "b8") ? opStoreBytes : opMatrix;
  MemSpace space = spaceOf(in);
  out.sub[1] = static_cast<uint8_t>(space);
  out.sub[2] = has(in, "x4") ? 4 : has(in, "x2") ? 2 : 1;
  out.sub[3] = has(in, "trans");
  out.sub[4] = store;
  return d.expectOperands(in, 2, 2) &&
         d.listOperand(in.operands[store ? 1 : 0], RegClass::b32, !store,
                       out.sub[2], out.sub[2]) &&
         d.address(in.operands[store ? 0 : 1], space, out);
}

} // namespace

std::vector<OpRow> addressRows() {
#define ROW(pattern, decode, source, ...)                                      \
  {pattern,         "",     decode,     AluOp::count, {0, 0, 0},               \
   Fidelity::exact, source, __VA_ARGS__}
#define ROUGH(pattern, decode, source, note)                                   \
  {pattern, "",  decode, AluOp::count, {0, 0, 0}, Fidelity::approximate,       \
   source,  note}
#define NOPE(pattern, source, note)                                            \
  {pattern, "",  nullptr, AluOp::count, {0, 0, 0}, Fidelity::unsupported,      \
   source,  note}
#define SCOPE "[cta|cluster|gpu|sys]"
  return {
      ROW("cvta [to] global|shared|shared::cta|shared::cluster|local|const|"
          "param|param::entry u64",
          decodeCvta, "9.7.9.20", ""),
      ROW("isspacep "
          "global|shared|shared::cta|shared::cluster|local|const|param|"
          "param::entry",
          decodeIsspacep, "9.7.9.19", ""),
      ROW("mapa [shared::cluster] u32|u64", decodeMapa, "9.7.9.23", ""),
      ROW("getctarank [shared::cluster] u32|u64", decodeGetctarank, "9.7.9.24",
          ""),
      ROUGH("fence [sc|acq_rel|acquire|release] " SCOPE, decodeFence,
            "9.7.13.4", "no effect: memory is sequentially consistent"),
      ROUGH("fence acquire|release "
            "sync_restrict::shared::cluster|sync_restrict::shared::cta cluster",
            decodeFence, "9.7.13.4",
            "no effect: memory is sequentially consistent"),
      ROUGH("fence mbarrier_init release cluster", decodeFence, "9.7.13.4",
            "no effect: memory is sequentially consistent"),
      ROUGH("fence proxy alias", decodeFence, "9.7.13.4", "no effect"),
      ROUGH("fence proxy async [global|shared::cta|shared::cluster]",
            decodeProxyFence, "9.7.13.4", "covers all state spaces"),
      ROUGH("fence proxy async::generic acquire|release "
            "sync_restrict::shared::cluster|sync_restrict::shared::cta cluster",
            decodeProxyFence, "9.7.13.4", "taken as bidirectional"),
      ROUGH("fence proxy tensormap::generic acquire|release " SCOPE,
            decodeFence, "9.7.13.4",
            "no effect: tensor maps are read at issue"),
      ROUGH("membar cta|gl|sys", decodeFence, "9.7.13.4",
            "no effect: memory is sequentially consistent"),
      ROUGH("prefetch [global|local|param] "
            "L1|L2|L2::evict_last|L2::evict_normal|tensormap",
            decodePrefetch, "9.7.9.15", "no effect; the address is unchecked"),
      ROUGH("prefetchu L1", decodePrefetch, "9.7.9.15", "no effect"),
      ROUGH("applypriority [global] L2::evict_normal", decodePrefetch,
            "9.7.9.16", "no effect"),
      ROUGH(
          "createpolicy fractional|range [global] "
          "L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged "
          "[L2::evict_first|L2::evict_unchanged] b64",
          decodePolicy, "9.7.9.18", "a policy of 0; no effect"),
      ROW("ldmatrix sync aligned m8n8 x1|x2|x4 [trans] [shared|shared::cta] "
          "b16",
          decodeMatrix, "9.7.14.5", ""),
      ROW("stmatrix sync aligned m8n8 x1|x2|x4 [trans] [shared|shared::cta] "
          "b16",
          decodeMatrix, "9.7.14.5", ""),
      NOPE("ldmatrix sync aligned m8n16|m16n16 x1|x2|x4 [trans] "
           "[shared|shared::cta] b8|b8x16.b6x16_p32|b8x16.b4x16_p64",
           "9.7.14.5", "8-bit and narrower matrices"),
      ROUGH(
          "stmatrix sync aligned m16n8 x1|x2|x4 trans [shared|shared::cta] b8",
          decodeMatrix, "9.7.14.5",
          "fragments as the accumulators of mma.m16n8; PTX shows them in a "
          "figure only"),
  };
#undef ROW
#undef ROUGH
#undef NOPE
#undef SCOPE
}

} // namespace tirx::rt::sim
