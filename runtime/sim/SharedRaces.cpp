//===- SharedRaces.cpp ------------------------------------------*- C++ -*-===//

#include "SharedRaces.h"
#include "Machine.h"

namespace tirx::rt::sim {

void release(Warp &warp, VectorClock &to) {
  to.join(warp.clock);
  warp.clock.advance(warp.agent);
  uint32_t &base = warp.cta->machine->race_base;
  base = std::max(base, warp.clock[warp.agent]);
}

void acquire(Warp &warp, const VectorClock &from) { warp.clock.join(from); }

void synchroniseMemory(Warp &warp) {
  VectorClock &clock = warp.cta->cluster->memory_clock;
  acquire(warp, clock);
  release(warp, clock);
}

void startRaces(Machine &machine, Cta &cta) {
  if (!machine.race_memory.empty()) {
    cta.race_words = std::move(machine.race_memory.back());
    machine.race_memory.pop_back();
  }
  cta.race_words.resize((machine.shared_bytes + 3) / 4);
  for (const auto &warp : cta.warps) {
    warp->agent = cta.rank * machine.warps_per_cta + warp->index;
    warp->clock = VectorClock(machine.cluster_size * machine.warps_per_cta,
                              cta.cluster->race_base);
    warp->clock.advance(warp->agent);
  }
}

void endRaces(Machine &machine, Cta &cta) {
  machine.race_memory.push_back(std::move(cta.race_words));
}

namespace {

bool races(const Warp &warp, const RaceWord::Access &earlier, uint8_t bytes) {
  return (earlier.bytes & bytes) && earlier.warp != warp.agent &&
         earlier.tick > warp.clock[earlier.warp];
}

/// `action`: "reads".
void report(Context &c, unsigned lane, uint32_t address,
            const std::string &action, const RaceWord::Access &earlier,
            bool earlierWrote) {
  Machine &m = c.machine;
  c.machine.warn(
      c.frag().pc, "race",
      fmt::format("race: lane {} of warp {} {} shared memory at {:#x}, which "
                  "CTA rank {} warp {} lane {} {} (PTX line {}: {}) with no "
                  "synchronisation in between",
                  lane, c.warp.index, action, address,
                  earlier.warp / m.warps_per_cta,
                  earlier.warp % m.warps_per_cta, earlier.lane,
                  earlierWrote ? "wrote" : "read", earlier.line,
                  m.program.module.lineText(earlier.line)));
}

/// `action`: "writes".
void checkBulkReads(Context &c, unsigned lane, const Cta &cta, uint64_t begin,
                    uint64_t end, const std::string &action) {
  for (const BulkRead &read : cta.bulk_reads) {
    if (read.end <= begin || end <= read.begin)
      continue;
    const CopyStatus &status = *read.status;
    const bool own = read.warp == c.warp.agent;
    if (status.released && (own || status.released <= c.warp.clock[read.warp]))
      continue;
    Machine &m = c.machine;
    m.warn(c.frag().pc, "bulk read",
           fmt::format(
               "race: lane {} of warp {} {} shared memory at {:#x}, which "
               "a bulk copy of CTA rank {} warp {} lane {} reads (PTX "
               "line {}: {}), {}",
               lane, c.warp.index, action, begin, read.warp / m.warps_per_cta,
               read.warp % m.warps_per_cta, read.lane, status.line,
               m.program.module.lineText(status.line),
               status.released ? "with no synchronisation after that thread's "
                                 "cp.async.bulk.wait_group"
                               : "and that thread has not waited for by "
                                 "cp.async.bulk.wait_group"));
    return;
  }
}

} // namespace

void noteBulkRead(Context &c, unsigned lane, Cta &cta, uint32_t begin,
                  uint32_t bytes, std::shared_ptr<const CopyStatus> status) {
  // Who issues it comes after those that wrote it since the last one.
  const uint32_t end = begin + bytes;
  std::erase_if(cta.bulk_reads, [&](const BulkRead &read) {
    return read.status->released && read.begin < end && begin < read.end;
  });
  cta.bulk_reads.push_back({std::move(status), begin, end,
                            static_cast<uint16_t>(c.warp.agent),
                            static_cast<uint8_t>(lane)});
}

void noteRace(Context &c, unsigned lane, Cta &cta, uint32_t address,
              uint64_t bytes, bool write) {
  if (c.instr.strong)
    return;
  const Warp &warp = c.warp;
  if (write && !cta.bulk_reads.empty())
    checkBulkReads(c, lane, cta, address, address + bytes, "writes");
  RaceWord::Access mark = {
      warp.clock[warp.agent], c.machine.entry.lineOf(c.frag().pc),
      static_cast<uint16_t>(warp.agent), 0, static_cast<uint8_t>(lane)};
  const uint64_t end = address + bytes;
  for (uint64_t at = address; at < end; at = at / 4 * 4 + 4) {
    const unsigned first = at % 4, count = static_cast<unsigned>(
                                       std::min<uint64_t>(4 - first, end - at));
    mark.bytes = static_cast<uint8_t>(((1u << count) - 1) << first);
    RaceWord &word = cta.race_words[at / 4];
    if (races(warp, word.write, mark.bytes))
      report(c, lane, static_cast<uint32_t>(at), write ? "writes" : "reads",
             word.write, true);
    else if (write && races(warp, word.read, mark.bytes))
      report(c, lane, static_cast<uint32_t>(at), "writes", word.read, false);
    RaceWord::Access &record = write ? word.write : word.read;
    if (record.tick == mark.tick && record.warp == mark.warp)
      mark.bytes |= record.bytes;
    record = mark;
  }
}

void checkAsyncRace(Context &c, unsigned lane, Cta &cta, uint32_t address,
                    uint64_t bytes, bool write, std::string_view what) {
  if (write && !cta.bulk_reads.empty())
    checkBulkReads(c, lane, cta, address, address + bytes,
                   fmt::format("issues {} that writes", what));
  const uint64_t end =
      std::min<uint64_t>((address + bytes + 3) / 4, cta.race_words.size());
  for (uint64_t at = address / 4; at < end; ++at) {
    const RaceWord &word = cta.race_words[at];
    const bool wrote = races(c.warp, word.write, 0xF);
    if (!wrote && !(write && races(c.warp, word.read, 0xF)))
      continue;
    report(c, lane, static_cast<uint32_t>(4 * at),
           fmt::format("issues {} that {}", what, write ? "writes" : "reads"),
           wrote ? word.write : word.read, wrote);
    return;
  }
}

} // namespace tirx::rt::sim
