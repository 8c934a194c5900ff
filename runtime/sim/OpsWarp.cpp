//===- OpsWarp.cpp - collectives of a warp ----------------------*- C++ -*-===//

#include "Handlers.h"

#include <bit>

namespace tirx::rt::sim {

using ast::Operand;
using ast::RegClass;

namespace {

// --- warp collectives
// ---------------------------------------------------------

/// The member mask of a .sync instruction, which all lanes must agree on and
/// belong to. Returns false after a fault.
bool memberMask(Context &c, uint32_t operand, uint32_t &members) {
  unsigned first = c.firstLane();
  members = c.read32(operand, first);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!(c.mask >> lane & 1))
      continue;
    uint32_t own = c.read32(operand, lane);
    if (!(own >> lane & 1)) {
      c.fault(fmt::format("member mask {:#x} does not include the executing "
                          "lane {}",
                          own, lane),
              static_cast<int>(lane));
      return false;
    }
    if (own != members) {
      c.fault(fmt::format("lanes {} and {} have member masks {:#x} and {:#x}",
                          first, lane, members, own),
              static_cast<int>(lane));
      return false;
    }
  }
  return true;
}

#define CONVERGE_MEMBERS(c, operand, members)                                  \
  uint32_t members = 0;                                                        \
  if (!memberMask(c, operand, members))                                        \
    return Outcome::fault;                                                     \
  if (Converged v = converge(c, members); !v.run)                              \
    return v.outcome;

/// The lane with the lowest number is elected, as PTX leaves it open.
Outcome opElect(Context &c) {
  CONVERGE_MEMBERS(c, c.instr.src[0], members)
  unsigned leader = c.firstLane();
  if (c.instr.dst != kNoOperand)
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if (c.mask >> lane & 1)
        c.write32(c.instr.dst, lane, leader);
  if (c.instr.dst2 != kNoOperand) {
    uint32_t &pred = c.warp.preds[c.instr.dst2];
    pred = (pred & ~c.mask) | (1u << leader);
  }
  return Outcome::next;
}
bool decodeElect(Decoder &d, const OpRow &, const ast::Instruction &in,
                 Instr &out) {
  out.op = opElect;
  if (!d.expectOperands(in, 2, 2))
    return false;
  const Operand &dst = in.operands[0];
  if (dst.kind != Operand::Kind::pair)
    return d.fail("elect.sync writes d|p");
  return d.dstReg(dst.elements[0], RegClass::b32, 0) &&
         d.dstReg(dst.elements[1], RegClass::pred, 1) &&
         d.srcValue(in.operands[1], RegClass::b32, 2);
}

/// sub[0]: up, down, bfly, idx.
Outcome opShfl(Context &c) {
  CONVERGE_MEMBERS(c, c.instr.src[3], members)
  uint32_t values[kLanes], result[kLanes], ok = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    values[lane] = c.read32(c.instr.src[0], lane);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!(c.mask >> lane & 1))
      continue;
    uint32_t b = c.read32(c.instr.src[1], lane) & 31;
    uint32_t control = c.read32(c.instr.src[2], lane);
    uint32_t segment = control >> 8 & 31, clamp = control & 31;
    int most = static_cast<int>((lane & segment) | (clamp & ~segment));
    int least = static_cast<int>(lane & segment);
    int from = 0;
    bool valid = false;
    switch (c.instr.sub[0]) {
    case 0:
      from = static_cast<int>(lane) - static_cast<int>(b);
      valid = from >= most;
      break;
    case 1:
      from = static_cast<int>(lane + b);
      valid = from <= most;
      break;
    case 2:
      from = static_cast<int>(lane ^ b);
      valid = from <= most;
      break;
    default:
      from = least | static_cast<int>(b & ~segment);
      valid = from <= most;
      break;
    }
    if (!valid)
      from = static_cast<int>(lane);
    if (!(c.mask >> from & 1))
      return c.fault(fmt::format("shfl.sync reads lane {}, which does not "
                                 "execute it",
                                 from),
                     static_cast<int>(lane));
    result[lane] = values[from];
    ok |= uint32_t(valid) << lane;
  }
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (c.mask >> lane & 1)
      c.write32(c.instr.dst, lane, result[lane]);
  if (c.instr.dst2 != kNoOperand) {
    uint32_t &pred = c.warp.preds[c.instr.dst2];
    pred = (pred & ~c.mask) | ok;
  }
  return Outcome::next;
}
bool decodeShfl(Decoder &d, const OpRow &, const ast::Instruction &in,
                Instr &out) {
  static constexpr const char *modes[] = {"up", "down", "bfly", "idx"};
  out.op = opShfl;
  if (!d.expectOperands(in, 5, 5))
    return false;
  for (unsigned i = 0; i < 4; ++i)
    if (has(in, modes[i]))
      out.sub[0] = static_cast<uint8_t>(i);
  const Operand &dst = in.operands[0];
  bool pair = dst.kind == Operand::Kind::pair;
  if (!d.dstReg(pair ? dst.elements[0] : dst, RegClass::b32, 0))
    return false;
  if (pair && !d.dstReg(dst.elements[1], RegClass::pred, 1))
    return false;
  for (uint8_t i = 0; i < 4; ++i)
    if (!d.srcValue(in.operands[i + 1u], RegClass::b32,
                    static_cast<uint8_t>(2 + i)))
      return false;
  return true;
}

/// sub[0]: all, any, uni, ballot; sub[1]: source negated.
Outcome opVote(Context &c) {
  CONVERGE_MEMBERS(c, c.instr.src[1], members)
  uint32_t p = c.warp.preds[c.instr.src[0]] ^ (c.instr.sub[1] ? ~0u : 0);
  p &= c.mask;
  if (c.instr.sub[0] == 3) {
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if (c.mask >> lane & 1)
        c.write32(c.instr.dst, lane, p);
    return Outcome::next;
  }
  bool r = c.instr.sub[0] == 0   ? p == c.mask
           : c.instr.sub[0] == 1 ? p != 0
                                 : p == 0 || p == c.mask;
  uint32_t &pred = c.warp.preds[c.instr.dst];
  pred = (pred & ~c.mask) | (r ? c.mask : 0);
  return Outcome::next;
}
bool decodeVote(Decoder &d, const OpRow &, const ast::Instruction &in,
                Instr &out) {
  static constexpr const char *modes[] = {"all", "any", "uni", "ballot"};
  out.op = opVote;
  if (!d.expectOperands(in, 3, 3))
    return false;
  for (unsigned i = 0; i < 4; ++i)
    if (has(in, modes[i]))
      out.sub[0] = static_cast<uint8_t>(i);
  out.sub[1] = in.operands[1].negated;
  return d.dstReg(in.operands[0],
                  out.sub[0] == 3 ? RegClass::b32 : RegClass::pred, 0) &&
         d.srcValue(in.operands[1], RegClass::pred, 2, true) &&
         d.srcValue(in.operands[2], RegClass::b32, 3);
}

/// sub[0]: 1 for .all; sub[1]: 1 for b64.
Outcome opMatch(Context &c) {
  CONVERGE_MEMBERS(c, c.instr.src[1], members)
  auto value = [&](unsigned lane) {
    return c.instr.sub[1] ? c.read64(c.instr.src[0], lane)
                          : c.read32(c.instr.src[0], lane);
  };
  uint32_t result[kLanes] = {};
  bool all = true;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!(c.mask >> lane & 1))
      continue;
    for (unsigned other = 0; other < kLanes; ++other)
      if ((c.mask >> other & 1) && value(other) == value(lane))
        result[lane] |= 1u << other;
    all &= result[lane] == c.mask;
  }
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if ((c.mask >> lane & 1) && c.instr.dst != kNoOperand)
      c.write32(c.instr.dst, lane,
                c.instr.sub[0] ? (all ? c.mask : 0) : result[lane]);
  if (c.instr.dst2 != kNoOperand) {
    uint32_t &pred = c.warp.preds[c.instr.dst2];
    pred = (pred & ~c.mask) | (all ? c.mask : 0);
  }
  return Outcome::next;
}
bool decodeMatch(Decoder &d, const OpRow &, const ast::Instruction &in,
                 Instr &out) {
  out.op = opMatch;
  out.sub[0] = has(in, "all");
  out.sub[1] = has(in, "b64");
  if (!d.expectOperands(in, 3, 3))
    return false;
  const Operand &dst = in.operands[0];
  bool pair = dst.kind == Operand::Kind::pair;
  return d.dstReg(pair ? dst.elements[0] : dst, RegClass::b32, 0) &&
         (!pair || d.dstReg(dst.elements[1], RegClass::pred, 1)) &&
         d.srcValue(in.operands[1], out.sub[1] ? RegClass::b64 : RegClass::b32,
                    2) &&
         d.srcValue(in.operands[2], RegClass::b32, 3);
}

/// sub[0]: add, min, max, and, or, xor; sub[1]: 0 u32, 1 s32, 2 f32.
Outcome opRedux(Context &c) {
  CONVERGE_MEMBERS(c, c.instr.src[1], members)
  uint32_t r = c.read32(c.instr.src[0], c.firstLane());
  bool nan = false;
  auto load = [&](unsigned lane) {
    uint32_t v = c.read32(c.instr.src[0], lane);
    return c.instr.sub[1] == 2 && (c.instr.mods & kAbs) ? v & 0x7FFFFFFFu : v;
  };
  r = load(c.firstLane());
  if (c.instr.sub[1] == 2)
    nan = std::bit_cast<float>(r) != std::bit_cast<float>(r);
  for (unsigned lane = c.firstLane() + 1; lane < kLanes; ++lane) {
    if (!(c.mask >> lane & 1))
      continue;
    uint32_t v = load(lane);
    int32_t a = static_cast<int32_t>(r), b = static_cast<int32_t>(v);
    if (c.instr.sub[1] == 2) {
      float x = std::bit_cast<float>(r), y = std::bit_cast<float>(v);
      nan |= y != y;
      bool less = x < y || (x == y && (r >> 31) > (v >> 31));
      bool second = c.instr.sub[0] == 1 ? !less : less;
      if (x != x || (second && y == y))
        r = v;
      continue;
    }
    switch (c.instr.sub[0]) {
    case 0:
      r += v;
      break;
    case 1:
      r = c.instr.sub[1] ? static_cast<uint32_t>(std::min(a, b))
                         : std::min(r, v);
      break;
    case 2:
      r = c.instr.sub[1] ? static_cast<uint32_t>(std::max(a, b))
                         : std::max(r, v);
      break;
    case 3:
      r &= v;
      break;
    case 4:
      r |= v;
      break;
    default:
      r ^= v;
      break;
    }
  }
  if (c.instr.sub[1] == 2 &&
      ((nan && (c.instr.mods & kNaN)) ||
       std::bit_cast<float>(r) != std::bit_cast<float>(r)))
    r = 0x7FFFFFFFu;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (c.mask >> lane & 1)
      c.write32(c.instr.dst, lane, r);
  return Outcome::next;
}
bool decodeRedux(Decoder &d, const OpRow &, const ast::Instruction &in,
                 Instr &out) {
  static constexpr const char *ops[] = {"add", "min", "max",
                                        "and", "or",  "xor"};
  out.op = opRedux;
  out.mods = modsOf(in);
  for (unsigned i = 0; i < 6; ++i)
    if (has(in, ops[i]))
      out.sub[0] = static_cast<uint8_t>(i);
  out.sub[1] = has(in, "s32") ? 1 : has(in, "f32") ? 2 : 0;
  return d.expectOperands(in, 3, 3) &&
         d.dstReg(in.operands[0], RegClass::b32, 0) &&
         d.srcValue(in.operands[1], RegClass::b32, 2) &&
         d.srcValue(in.operands[2], RegClass::b32, 3);
}

Outcome opActivemask(Context &c) {
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (c.mask >> lane & 1)
      c.write32(c.instr.dst, lane, c.mask);
  return Outcome::next;
}
bool decodeActivemask(Decoder &d, const OpRow &, const ast::Instruction &in,
                      Instr &out) {
  out.op = opActivemask;
  return d.expectOperands(in, 1, 1) &&
         d.dstReg(in.operands[0], RegClass::b32, 0);
}

Outcome opWarpSync(Context &c) {
  CONVERGE_MEMBERS(c, c.instr.src[0], members)
  return Outcome::next;
}
bool decodeWarpSync(Decoder &d, const OpRow &, const ast::Instruction &in,
                    Instr &out) {
  out.op = opWarpSync;
  return d.expectOperands(in, 1, 1) &&
         d.srcValue(in.operands[0], RegClass::b32, 2);
}

} // namespace

std::vector<OpRow> warpRows() {
#define ROW(pattern, decode, source, note)                                     \
  {                                                                            \
    pattern, "", decode, AluOp::count, {0, 0, 0}, Fidelity::exact, source,     \
        note                                                                   \
  }
  return {
      ROW("elect sync", decodeElect, "9.7.13.15",
          "elects the lowest lane; PTX leaves it open"),
      ROW("shfl sync up|down|bfly|idx b32", decodeShfl, "9.7.9.6", ""),
      ROW("vote sync all|any|uni pred", decodeVote, "9.7.13.9", ""),
      ROW("vote sync ballot b32", decodeVote, "9.7.13.9", ""),
      ROW("match any sync b32|b64", decodeMatch, "9.7.13.10", ""),
      ROW("match all sync b32|b64", decodeMatch, "9.7.13.10", ""),
      ROW("redux sync add|min|max u32|s32", decodeRedux, "9.7.13.12", ""),
      ROW("redux sync and|or|xor b32", decodeRedux, "9.7.13.12", ""),
      ROW("redux sync min|max [abs] [NaN] f32", decodeRedux, "9.7.13.12", ""),
      ROW("activemask b32", decodeActivemask, "9.7.13.11", ""),
      ROW("bar warp sync", decodeWarpSync, "9.7.13.2", ""),
  };
#undef ROW
}

} // namespace tirx::rt::sim
