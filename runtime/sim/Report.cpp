//===- Report.cpp - texts that tell where something happened ----*- C++ -*-===//

#include "Handlers.h"

namespace tirx::rt::sim {

const EntryCode *Program::find(std::string_view name) const {
  for (const EntryCode &entry : entries)
    if (entry.function->name == name)
      return &entry;
  return nullptr;
}

std::string Program::sourceOf(const EntryCode &entry, uint32_t pc) const {
  if (pc >= entry.function->instructions.size())
    return {};
  // Line 0 marks code that belongs to no line (LLVM); what precedes it tells
  // where one is.
  int32_t index = -1;
  for (uint32_t at = pc + 1; at-- > 0;) {
    index = entry.function->instructions[at].loc;
    if (index < 0 || module.locs[static_cast<size_t>(index)].line != 0)
      break;
  }
  std::string text;
  while (index >= 0) {
    const ast::SourceLoc &loc = module.locs[static_cast<size_t>(index)];
    std::string_view file = module.filePath(loc.file);
    std::string one = fmt::format("{}:{}:{}", file.empty() ? "?" : file,
                                  loc.line, loc.column);
    if (loc.line != 0)
      text += text.empty() ? one : " inlined at " + one;
    index = loc.inlined_at;
  }
  return text;
}

std::string Machine::whereLine(uint32_t pc) const {
  uint32_t line = entry.lineOf(pc);
  std::string source = program.sourceOf(entry, pc);
  return fmt::format("{}{}PTX line {}: {}", source, source.empty() ? "" : ", ",
                     line, program.module.lineText(line));
}

std::string Machine::where(const Warp &warp, uint32_t pc, uint32_t mask) const {
  const Cta &cta = *warp.cta;
  std::string rank =
      cluster_size > 1 ? fmt::format(" rank {} of its cluster", cta.rank) : "";
  return fmt::format("kernel '{}', {}\n  CTA ({},{},{}){}, warp {}, {}",
                     entry.function->name, whereLine(pc), cta.id[0], cta.id[1],
                     cta.id[2], rank, warp.index, laneText(mask));
}

void Machine::fault(const Warp &warp, uint32_t pc, uint32_t mask,
                    const std::string &what) {
  faultText(fmt::format("{}\n  {}", where(warp, pc, mask), what));
}

void Machine::faultText(const std::string &what) {
  if (error.empty())
    error = what;
}

void Machine::warn(uint32_t pc, std::string_view kind,
                   const std::string &text) {
  // A loop would repeat it without end.
  if (warned.size() < 100 && warned.emplace(pc, kind).second)
    stats.warnings.push_back(fmt::format("{}\n  {}", whereLine(pc), text));
}

Outcome Context::fault(const std::string &what, int lane) {
  machine.fault(warp, frag().pc, lane < 0 ? mask : 1u << lane, what);
  return Outcome::fault;
}

Outcome Context::block(Wait wait) {
  wait.since = machine.events;
  frag().wait = wait;
  return Outcome::blocked;
}

Actor Context::actor(unsigned lane, std::string_view op) const {
  Actor actor;
  actor.cta = warp.cta->linear;
  actor.warp = static_cast<uint16_t>(warp.index);
  actor.lane = static_cast<uint8_t>(lane);
  actor.line = machine.entry.lineOf(warp.fragments[fragment].pc);
  actor.op = op;
  return actor;
}

} // namespace tirx::rt::sim
