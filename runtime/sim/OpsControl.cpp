//===- OpsControl.cpp - branches, warp collectives, registers ---*- C++ -*-===//

#include "Decoder.h"
#include "Handlers.h"

#include <bit>
#include <cstring>

namespace tirx::rt::sim {

using ast::Operand;
using ast::RegClass;

namespace {

// --- branches
// -----------------------------------------------------------------

Outcome opBra(Context &c) {
  Fragment &fragment = c.frag();
  if (c.mask == fragment.mask) {
    fragment.pc = c.instr.target;
    return Outcome::jumped;
  }
  uint32_t taken = c.mask;
  splitFragment(c.warp, c.fragment, taken, c.instr.target, c.instr.join);
  ++c.frag().pc;
  return Outcome::jumped;
}
bool decodeBra(Decoder &d, const OpRow &, const ast::Instruction &in,
               Instr &out) {
  out.op = opBra;
  return d.expectOperands(in, 1, 1) && d.target(in.operands[0], out.target);
}

Outcome opBrx(Context &c) {
  const auto &targets =
      c.machine.entry.function->branch_targets[c.instr.target];
  // Lanes by target; the guarded-off ones fall through.
  std::map<uint32_t, uint32_t> arms;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!(c.mask >> lane & 1))
      continue;
    uint32_t index = c.read32(c.instr.src[0], lane);
    if (index >= targets.size())
      return c.fault(fmt::format("brx.idx with index {}; the table has {} "
                                 "targets",
                                 index, targets.size()),
                     static_cast<int>(lane));
    arms[targets[index]] |= 1u << lane;
  }
  uint32_t left = c.frag().mask;
  for (const auto &[target, lanes] : arms) {
    if (lanes == left) {
      c.frag().pc = target;
      return Outcome::jumped;
    }
    splitFragment(c.warp, c.fragment, lanes, target, c.instr.join);
    left &= ~lanes;
  }
  ++c.frag().pc;
  return Outcome::jumped;
}
bool decodeBrx(Decoder &d, const OpRow &, const ast::Instruction &in,
               Instr &out) {
  if (!d.expectOperands(in, 2, 2))
    return false;
  if (in.operands[1].kind != Operand::Kind::targets)
    return d.fail("brx.idx needs a .branchtargets table");
  out.op = opBrx;
  out.target = static_cast<uint32_t>(in.operands[1].imm);
  return d.srcValue(in.operands[0], RegClass::b32, 2);
}

bool decodeExit(Decoder &d, const OpRow &, const ast::Instruction &in,
                Instr &out) {
  out.op = opExit;
  return d.expectOperands(in, 0, 0);
}
Outcome opTrap(Context &c) { return c.fault("the kernel executed trap"); }
bool decodeTrap(Decoder &d, const OpRow &, const ast::Instruction &in,
                Instr &out) {
  out.op = opTrap;
  return d.expectOperands(in, 0, 0);
}

/// Hints and waits for time: nothing but a chance for others to run.
Outcome opYield(Context &) { return Outcome::yielded; }
Outcome opNothing(Context &) { return Outcome::next; }
bool decodeNothing(Decoder &, const OpRow &row, const ast::Instruction &,
                   Instr &out) {
  out.op = row.sub[0] ? opYield : opNothing;
  return true;
}

// --- special registers
// --------------------------------------------------------

enum Special : uint8_t {
  kTid,
  kNtid,
  kCtaid,
  kNctaid,
  kLaneid,
  kWarpid,
  kNwarpid,
  kSmid,
  kNsmid,
  kGridid,
  kClusterid,
  kNclusterid,
  kClusterCtaid,
  kClusterNctaid,
  kClusterCtarank,
  kClusterNctarank,
  kExplicitCluster,
  kLaneEq,
  kLaneLe,
  kLaneLt,
  kLaneGe,
  kLaneGt,
  kClock,
  kGlobaltimer,
  kDynamicShared,
  kTotalShared,
  kAggregateShared,
};
struct SpecialName {
  const char *name;
  Special id;
  bool vector;
};
constexpr SpecialName kSpecials[] = {
    {"%tid", kTid, true},
    {"%ntid", kNtid, true},
    {"%ctaid", kCtaid, true},
    {"%nctaid", kNctaid, true},
    {"%laneid", kLaneid, false},
    {"%warpid", kWarpid, false},
    {"%nwarpid", kNwarpid, false},
    {"%smid", kSmid, false},
    {"%nsmid", kNsmid, false},
    {"%gridid", kGridid, false},
    {"%clusterid", kClusterid, true},
    {"%nclusterid", kNclusterid, true},
    {"%cluster_ctaid", kClusterCtaid, true},
    {"%cluster_nctaid", kClusterNctaid, true},
    {"%cluster_ctarank", kClusterCtarank, false},
    {"%cluster_nctarank", kClusterNctarank, false},
    {"%is_explicit_cluster", kExplicitCluster, false},
    {"%lanemask_eq", kLaneEq, false},
    {"%lanemask_le", kLaneLe, false},
    {"%lanemask_lt", kLaneLt, false},
    {"%lanemask_ge", kLaneGe, false},
    {"%lanemask_gt", kLaneGt, false},
    {"%clock", kClock, false},
    {"%clock64", kClock, false},
    {"%globaltimer", kGlobaltimer, false},
    {"%globaltimer_lo", kGlobaltimer, false},
    {"%dynamic_smem_size", kDynamicShared, false},
    {"%total_smem_size", kTotalShared, false},
    {"%aggr_smem_size", kAggregateShared, false},
};

uint64_t specialValue(const Context &c, Special id, unsigned axis,
                      unsigned lane) {
  const Machine &m = c.machine;
  const Cta &cta = *c.warp.cta;
  const SimLaunch &l = m.launch;
  uint32_t thread = c.warp.index * kLanes + lane;
  switch (id) {
  case kTid:
    return axis == 0   ? thread % l.block[0]
           : axis == 1 ? thread / l.block[0] % l.block[1]
                       : thread / l.block[0] / l.block[1];
  case kNtid:
    return l.block[axis];
  case kCtaid:
    return cta.id[axis];
  case kNctaid:
    return l.grid[axis];
  case kLaneid:
    return lane;
  case kWarpid:
    return c.warp.index;
  case kNwarpid:
    return m.warps_per_cta;
  case kSmid:
    return cta.linear % 148;
  case kNsmid:
    return 148;
  case kGridid:
    return 1;
  case kClusterid:
    return cta.cluster->id[axis];
  case kNclusterid:
    return l.grid[axis] / l.cluster[axis];
  case kClusterCtaid:
    return cta.rank3[axis];
  case kClusterNctaid:
    return l.cluster[axis];
  case kClusterCtarank:
    return cta.rank;
  case kClusterNctarank:
    return m.cluster_size;
  case kExplicitCluster:
    return m.cluster_size > 1;
  case kLaneEq:
    return 1u << lane;
  case kLaneLe:
    return (2u << lane) - 1;
  case kLaneLt:
    return (1u << lane) - 1;
  case kLaneGe:
    return ~((1u << lane) - 1);
  case kLaneGt:
    return ~((2u << lane) - 1);
  case kClock:
  case kGlobaltimer:
    return m.time; // monotonic, and no measure of anything
  case kDynamicShared:
    return l.dynamic_shared_bytes;
  case kTotalShared:
  case kAggregateShared:
    return m.shared_bytes;
  }
  return 0;
}

Outcome opSpecial(Context &c) {
  Special id = static_cast<Special>(c.instr.sub[0]);
  if (c.instr.sub[2] == 0) {
    uint32_t value = specialValue(c, id, 0, 0) ? c.mask : 0;
    uint32_t &pred = c.warp.preds[c.instr.dst];
    pred = (pred & ~c.mask) | value;
    return Outcome::next;
  }
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!(c.mask >> lane & 1))
      continue;
    uint64_t value = specialValue(c, id, c.instr.sub[1], lane);
    if (c.instr.sub[2] == 8)
      c.write64(c.instr.dst, lane, value);
    else
      c.write32(c.instr.dst, lane, static_cast<uint32_t>(value));
  }
  return Outcome::next;
}

} // namespace

bool decodeSpecial(Decoder &d, const Operand &dst, const Operand &src,
                   Instr &out, unsigned bytes) {
  for (const SpecialName &special : kSpecials) {
    std::string_view name = src.symbol;
    unsigned axis = 0;
    if (special.vector) {
      size_t dot = name.rfind('.');
      if (dot == std::string_view::npos || dot + 2 != name.size() ||
          name[dot + 1] < 'x' || name[dot + 1] > 'z')
        continue;
      axis = static_cast<unsigned>(name[dot + 1] - 'x');
      name = name.substr(0, dot);
    }
    if (name != special.name)
      continue;
    out.alu = nullptr;
    out.op = opSpecial;
    out.sub[0] = special.id;
    out.sub[1] = static_cast<uint8_t>(axis);
    out.sub[2] = static_cast<uint8_t>(bytes);
    return d.dstReg(dst,
                    bytes == 0   ? RegClass::pred
                    : bytes == 8 ? RegClass::b64
                                 : RegClass::b32,
                    0);
  }
  return d.fail(fmt::format("special register '{}' is unknown, or not "
                            "supported by the simulator",
                            src.symbol));
}

Outcome opMov128(Context &c) {
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (c.mask >> lane & 1)
      std::memmove(c.warp.lanes.at(c.instr.dst) + lane * 16,
                   c.warp.lanes.at(c.instr.src[0]) + lane * 16, 16);
  return Outcome::next;
}

std::span<const OpRow> controlRows() {
  static const std::vector<OpRow> all = [] {
    std::vector<OpRow> out = branchRows();
    for (const OpRow &row : warpRows())
      out.push_back(row);
    for (const OpRow &row : registerRows())
      out.push_back(row);
    return out;
  }();
  return all;
}

std::vector<OpRow> branchRows() {
#define ROW(pattern, decode, source, ...)                                      \
  {pattern,         "",     decode,     AluOp::count, {0, 0, 0},               \
   Fidelity::exact, source, __VA_ARGS__}
#define NOPE(pattern, source, note)                                            \
  {                                                                            \
    pattern, "", nullptr, AluOp::count, {0, 0, 0}, Fidelity::unsupported,      \
        source, note                                                           \
  }
  return {
      ROW("bra [uni]", decodeBra, "9.7.12.3", ""),
      ROW("brx idx [uni]", decodeBrx, "9.7.12.4", ""),
      ROW("ret [uni]", decodeExit, "9.7.12.6", ""),
      ROW("exit", decodeExit, "9.7.12.7", ""),
      ROW("trap", decodeTrap, "9.7.19.4", "ends the run with a report"),
      NOPE("call [uni]", "9.7.12.5", "device functions must be inlined"),
      NOPE("brkpt", "9.7.19.1", ""),
      {"nanosleep u32",
       "",
       decodeNothing,
       AluOp::count,
       {1, 0, 0},
       Fidelity::approximate,
       "9.7.19.2",
       "yields; there is no time"},
      {"pmevent [mask]",
       "",
       decodeNothing,
       AluOp::count,
       {0, 0, 0},
       Fidelity::approximate,
       "9.7.19.3",
       "no effect"},
      {"griddepcontrol wait|launch_dependents",
       "",
       decodeNothing,
       AluOp::count,
       {0, 0, 0},
       Fidelity::approximate,
       "9.7.13.13",
       "launches run one after the other, so nothing is left to wait for"},
  };
#undef ROW
#undef NOPE
}

} // namespace tirx::rt::sim
