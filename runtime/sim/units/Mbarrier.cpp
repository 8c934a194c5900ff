//===- Mbarrier.cpp - the mbarrier automaton --------------------*- C++ -*-===//
#include "Mbarrier.h"

#include <algorithm>

namespace tirx::rt::sim {
namespace {

constexpr uint64_t countMask = (1u << 20) - 1;
constexpr uint64_t txMask = (1u << 21) - 1;
constexpr uint64_t wordTag = 0b10;
// Tokens: tag, pending at the time, phase.
constexpr uint64_t tokenTag = 0xB4;
constexpr uint64_t tokenPhaseMask = (uint64_t(1) << 36) - 1;

/// A mask that no two addresses share (an odd multiplier is a bijection).
uint64_t addressMask(uint32_t address) {
  uint64_t x = (uint64_t(address) + 1) * 0x9E3779B97F4A7C15ull;
  return x ^ x >> 29;
}

std::string_view verb(MbarrierEventKind kind) {
  constexpr std::string_view names[] = {"init",        "arrive",
                                        "expect_tx",   "complete_tx",
                                        "arrive_drop", "phase completed"};
  return names[unsigned(kind)];
}

} // namespace

uint64_t packMbarrier(const MbarrierState &state, uint32_t address) {
  uint64_t word = (state.phase & 1) | uint64_t(state.pending & countMask) << 1 |
                  uint64_t(state.expected & countMask) << 21 |
                  (uint64_t(int64_t(state.tx)) & txMask) << 41 | wordTag << 62;
  return word ^ addressMask(address);
}

std::optional<MbarrierState> unpackMbarrier(uint64_t word, uint32_t address) {
  word ^= addressMask(address);
  if (word >> 62 != wordTag)
    return std::nullopt;
  MbarrierState state;
  state.phase = word & 1;
  state.pending = uint32_t(word >> 1 & countMask);
  state.expected = uint32_t(word >> 21 & countMask);
  // Sign-extends the 21-bit tx-count.
  state.tx = int32_t(int64_t(word << 2) >> 43);
  if (state.pending > state.expected || state.tx < -mbarrierMaxTx)
    return std::nullopt;
  return state;
}

Mbarrier::Mbarrier(uint32_t address, uint32_t count) : where(address), ring() {
  current.expected = current.pending = count;
}

Expected<Mbarrier> Mbarrier::init(uint32_t address, uint32_t count,
                                  const Actor &who) {
  if (count == 0 || count > mbarrierMaxCount)
    return makeError("mbarrier.init at shared {:#x} by {}: count {} is outside "
                     "1..{} (PTX ISA, mbarrier)",
                     address, sim::describe(who), count, mbarrierMaxCount);
  Mbarrier barrier(address, count);
  barrier.record(MbarrierEventKind::init, count, who);
  return barrier;
}

uint64_t Mbarrier::token() const {
  return tokenTag << 56 | uint64_t(current.pending & countMask) << 36 |
         (current.phase & tokenPhaseMask);
}

void Mbarrier::record(MbarrierEventKind kind, int64_t amount,
                      const Actor &who) {
  ring[eventCount++ % ring.size()] = {kind, amount, who, current.phase};
}

MbarrierOutcome Mbarrier::settle(uint64_t tokenBefore, const Actor &who) {
  if (current.pending != 0 || current.tx != 0)
    return {tokenBefore, false};
  ++current.phase;
  current.pending = current.expected;
  record(MbarrierEventKind::phaseComplete, 0, who);
  return {tokenBefore, true};
}

Expected<MbarrierOutcome> Mbarrier::arrive(uint32_t count, const Actor &who) {
  if (count == 0 || count > mbarrierMaxCount)
    return makeError("mbarrier arrive at shared {:#x} by {}: count {} is "
                     "outside 1..{} (PTX ISA, mbarrier)",
                     where, sim::describe(who), count, mbarrierMaxCount);
  if (count > current.pending)
    return makeError("mbarrier over-arrive at shared {:#x} by {}: {} arrivals, "
                     "but the phase waits for {} only. {}",
                     where, sim::describe(who), count, current.pending,
                     describe());
  uint64_t before = token();
  current.pending -= count;
  record(MbarrierEventKind::arrive, count, who);
  return settle(before, who);
}

Expected<void> Mbarrier::expectTx(uint32_t bytes, const Actor &who) {
  if (int64_t(current.tx) + bytes > mbarrierMaxTx)
    return makeError(
        "mbarrier expect_tx at shared {:#x} by {}: {} bytes on top "
        "of {} exceed the tx-count limit {} (PTX ISA, mbarrier). "
        "{}",
        where, sim::describe(who), bytes, current.tx, mbarrierMaxTx,
        describe());
  current.tx += int32_t(bytes);
  record(MbarrierEventKind::expectTx, bytes, who);
  return {};
}

Expected<MbarrierOutcome> Mbarrier::completeTx(uint32_t bytes,
                                               const Actor &who) {
  if (int64_t(current.tx) - bytes < -mbarrierMaxTx)
    return makeError("mbarrier complete_tx at shared {:#x} by {}: {} bytes "
                     "below {} leave the tx-count limit -{} (PTX ISA, "
                     "mbarrier). {}",
                     where, sim::describe(who), bytes, current.tx,
                     mbarrierMaxTx, describe());
  uint64_t before = token();
  current.tx -= int32_t(bytes);
  record(MbarrierEventKind::completeTx, bytes, who);
  return settle(before, who);
}

Expected<MbarrierOutcome> Mbarrier::arriveExpectTx(uint32_t bytes,
                                                   const Actor &who) {
  if (current.pending == 0)
    return arrive(1, who); // Reports the over-arrive; the state stays.
  if (auto ok = expectTx(bytes, who); !ok)
    return tl::unexpected(ok.error());
  return arrive(1, who);
}

Expected<MbarrierOutcome> Mbarrier::arriveDrop(uint32_t count,
                                               const Actor &who) {
  if (count == 0 || count > current.pending || count > current.expected)
    return makeError("mbarrier arrive_drop at shared {:#x} by {}: count {} is "
                     "outside 1..{} (arrivals that the phase waits for). {}",
                     where, sim::describe(who), count, current.pending,
                     describe());
  uint64_t before = token();
  current.expected -= count;
  current.pending -= count;
  record(MbarrierEventKind::arriveDrop, count, who);
  return settle(before, who);
}

MbarrierWait Mbarrier::testParity(unsigned parity, uint64_t waiter) {
  parity &= 1;
  MbarrierWait result{(current.phase & 1) != parity, {}};
  // The phase that this waiter means: the next one of its parity that it has
  // not yet seen complete. `observed` holds the number of the latest seen + 1.
  auto seen = observed.find(waiter);
  if (seen != observed.end()) {
    uint64_t meant = seen->second + ((seen->second ^ parity) & 1);
    // Waiting once more for the phase just seen is legal.
    bool again = seen->second > 0 && ((seen->second - 1) & 1) == parity;
    if (again && current.phase == seen->second)
      meant = seen->second - 1;
    if (current.phase >= meant + 2)
      result.aliasing = fmt::format(
          "mbarrier at shared {:#x}: a wait for parity {} means phase {}, but "
          "the barrier is in phase {} already; parities tell the current and "
          "the preceding phase apart, nothing older. {}",
          where, parity, meant, current.phase, describe());
  }
  if (result.complete)
    observed[waiter] = current.phase;
  return result;
}

Expected<bool> Mbarrier::testToken(uint64_t token) const {
  if (token >> 56 != tokenTag)
    return makeError("mbarrier wait at shared {:#x}: {:#018x} is no state that "
                     "mbarrier.arrive returned",
                     where, token);
  uint64_t phase = token & tokenPhaseMask;
  uint64_t now = current.phase & tokenPhaseMask;
  if (phase > now || now - phase > 1)
    return makeError(
        "mbarrier wait at shared {:#x}: the state belongs to phase "
        "{}, the barrier is in phase {}; a state serves for the "
        "current and the preceding phase only (PTX ISA, "
        "mbarrier.test_wait)",
        where, phase, now);
  return phase != now;
}

Expected<uint32_t> Mbarrier::pendingCount(uint64_t token) {
  if (token >> 56 != tokenTag)
    return makeError("mbarrier.pending_count: {:#018x} is no state that "
                     "mbarrier.arrive returned",
                     token);
  return uint32_t(token >> 36 & countMask);
}

std::vector<MbarrierEvent> Mbarrier::events() const {
  std::vector<MbarrierEvent> list;
  uint64_t count = std::min<uint64_t>(eventCount, ring.size());
  for (uint64_t i = eventCount - count; i < eventCount; ++i)
    list.push_back(ring[i % ring.size()]);
  return list;
}

std::string Mbarrier::describe() const {
  std::string text = fmt::format(
      "Barrier {:#x}: phase {} (parity {}), {} of {} arrivals pending, {} "
      "transaction bytes pending",
      where, current.phase, current.phase & 1, current.pending,
      current.expected, current.tx);
  std::string thisPhase;
  for (const MbarrierEvent &event : events())
    if (event.phaseAfter == current.phase &&
        event.kind != MbarrierEventKind::phaseComplete)
      thisPhase += fmt::format("\n  {}({}) by {}", verb(event.kind),
                               event.amount, sim::describe(event.who));
  if (thisPhase.empty())
    return text + "; nothing has arrived in this phase.";
  return text + "; in this phase:" + thisPhase;
}

} // namespace tirx::rt::sim
