//===- OpsRegisters.cpp - setmaxnreg ----------------------------*- C++ -*-===//
//
// A CTA has the 65536 registers of its SM. Each warp starts with the entry's
// count for each of its 32 threads; setmaxnreg moves registers between warps
// and what is left (PTX ISA, setmaxnreg). The count is a promise to ptxas, so
// that nothing but its bookkeeping shows here.
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

namespace tirx::rt::sim {

namespace {

constexpr uint32_t kSmRegisters = 65536;
constexpr uint32_t kUnit = 8; ///< registers of a thread that go together
constexpr uint32_t kWarpgroup = 4;

std::string changeText(const RegisterChange &change) {
  return fmt::format("setmaxnreg.{} {}", change.increase ? "inc" : "dec",
                     change.count);
}

/// The other warps of the warpgroup execute the same sequence, each step not
/// before all have done the one before.
bool agreesWithWarpgroup(Context &c, const RegisterChange &change) {
  const Warp &warp = c.warp;
  Cta &cta = c.cta();
  const uint32_t first = warp.index / kWarpgroup * kWarpgroup;
  if (first + kWarpgroup > cta.warps.size()) {
    c.fault(fmt::format("setmaxnreg by warp {}: warps {} to {} are no whole "
                        "warpgroup of {} (PTX ISA, setmaxnreg)",
                        warp.index, first, cta.warps.size() - 1, kWarpgroup));
    return false;
  }
  const size_t step = warp.register_changes.size();
  for (uint32_t index = first; index < first + kWarpgroup; ++index) {
    const Warp &other = *cta.warps[index];
    if (&other == &warp)
      continue;
    if (other.register_changes.size() > step &&
        other.register_changes[step] != change) {
      c.fault(fmt::format(
          "warp {} executes {}, warp {} of its warpgroup executed {} (PTX line "
          "{}); all warps of a warpgroup must execute the same (PTX ISA, "
          "setmaxnreg)",
          warp.index, changeText(change), index,
          changeText(other.register_changes[step]),
          other.register_changes[step].line));
      return false;
    }
    if (other.register_changes.size() < step) {
      c.fault(fmt::format(
          "warp {} executes {} before warp {} of its warpgroup has executed {} "
          "(PTX line {}); they must synchronise in between (PTX ISA, "
          "setmaxnreg)",
          warp.index, changeText(change), index,
          changeText(warp.register_changes[step - 1]),
          warp.register_changes[step - 1].line));
      return false;
    }
  }
  return true;
}

/// imm: registers of a thread; sub[0]: .inc.
Outcome opSetMaxNReg(Context &c) {
  Warp &warp = c.warp;
  Cta &cta = c.cta();
  const auto count = static_cast<uint32_t>(c.instr.imm);
  const bool increase = c.instr.sub[0];
  if (!c.resumed()) {
    if (Converged v = convergeWarp(c); !v.run)
      return v.outcome;
    if (warp.registers == 0) {
      c.machine.warn(c.frag().pc, "setmaxnreg ignored",
                     "ptxas ignores setmaxnreg: the entry has neither .maxnreg "
                     "nor .minnctapersm with .reqntid or .maxntid, so the "
                     "registers at entry are not known (C7508)");
      return Outcome::next;
    }
    const RegisterChange change = {count, increase,
                                   c.machine.entry.lineOf(c.frag().pc)};
    if (!agreesWithWarpgroup(c, change))
      return Outcome::fault;
    if (increase ? count < warp.registers : count > warp.registers)
      return c.fault(fmt::format("{} by a warp that has {} registers a thread: "
                                 ".{} cannot {} them (PTX ISA, setmaxnreg)",
                                 changeText(change), warp.registers,
                                 increase ? "inc" : "dec",
                                 increase ? "lower" : "raise"));
    warp.register_changes.push_back(change);
  }
  if (!increase) {
    cta.free_registers += (warp.registers - count) * kLanes;
    warp.registers = count;
    c.machine.event();
    return Outcome::next;
  }
  const uint32_t needed = (count - warp.registers) * kLanes;
  if (needed > cta.free_registers) {
    Wait wait;
    wait.kind = Wait::Kind::registers;
    wait.cta = &cta;
    wait.count = count;
    return c.block(wait);
  }
  cta.free_registers -= needed;
  warp.registers = count;
  return Outcome::next;
}

bool decodeSetMaxNReg(Decoder &d, const OpRow &, const ast::Instruction &in,
                      Instr &out) {
  out.op = opSetMaxNReg;
  out.sub[0] = has(in, "inc");
  if (!d.expectOperands(in, 1, 1) || !d.immediate(in.operands[0], out.imm))
    return false;
  if (out.imm < 24 || out.imm > 256 || out.imm % kUnit != 0)
    return d.fail(fmt::format("setmaxnreg of {} registers; allowed are the "
                              "multiples of 8 from 24 to 256 (PTX ISA, "
                              "setmaxnreg)",
                              out.imm));
  return true;
}

} // namespace

uint32_t registersAtEntry(const ast::Function &function) {
  const auto up = [](uint32_t count) {
    return (count + kUnit - 1) / kUnit * kUnit;
  };
  if (function.maxnreg != 0)
    return std::min(up(function.maxnreg), 256u);
  const uint32_t (&size)[3] =
      function.reqntid[0] ? function.reqntid : function.maxntid;
  const uint64_t threads = uint64_t(size[0]) * size[1] * size[2];
  if (threads == 0 || function.minnctapersm == 0)
    return 0;
  return static_cast<uint32_t>(std::min<uint64_t>(
      kSmRegisters / (threads * function.minnctapersm) / kUnit * kUnit, 256));
}

void shareRegisters(Cta &cta, uint32_t registers) {
  const uint64_t taken = uint64_t(registers) * kLanes * cta.warps.size();
  cta.free_registers =
      taken < kSmRegisters ? kSmRegisters - static_cast<uint32_t>(taken) : 0;
  for (const auto &warp : cta.warps)
    warp->registers = registers;
}

std::string describeRegisters(const Cta &cta) {
  std::string text;
  for (size_t first = 0; first < cta.warps.size(); first += kWarpgroup) {
    const size_t end = std::min(first + kWarpgroup, cta.warps.size());
    uint32_t sum = 0;
    for (size_t index = first; index < end; ++index)
      sum += cta.warps[index]->registers * kLanes;
    text += fmt::format("warps {}-{} have {}, ", first, end - 1, sum);
  }
  return fmt::format("of the SM's {} registers {}{} are free", kSmRegisters,
                     text, cta.free_registers);
}

void checkRegisterChanges(Cta &cta, const std::string &ended) {
  for (size_t index = 0; index < cta.warps.size(); ++index) {
    const Warp &first = *cta.warps[index / kWarpgroup * kWarpgroup];
    const Warp &warp = *cta.warps[index];
    const size_t least =
        std::min(first.register_changes.size(), warp.register_changes.size());
    if (first.register_changes.size() == warp.register_changes.size())
      continue;
    const Warp &more = first.register_changes.size() > least ? first : warp;
    const RegisterChange &change = more.register_changes[least];
    return cta.machine->faultText(fmt::format(
        "{}: warp {} executed {} (PTX line {}: {}), warp {} of its warpgroup "
        "did not (PTX ISA, setmaxnreg)",
        ended, more.index, changeText(change), change.line,
        cta.machine->program.module.lineText(change.line),
        (&more == &first ? warp : first).index));
  }
}

std::vector<OpRow> registerRows() {
  return {{"setmaxnreg inc|dec sync aligned u32",
           "",
           decodeSetMaxNReg,
           AluOp::count,
           {0, 0, 0},
           Fidelity::exact,
           "9.7.19.5",
           "the pool of a CTA is its SM's 65536 registers"}};
}

} // namespace tirx::rt::sim
