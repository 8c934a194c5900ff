//===- Mbarrier.h - the mbarrier automaton ----------------------*- C++ -*-===//
#pragma once

#include "SharedSpan.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

namespace tirx::rt::sim {

/// Limits of PTX ISA "mbarrier": counts 1..2^20-1, |tx-count| <= 2^20-1.
inline constexpr uint32_t mbarrierMaxCount = (1u << 20) - 1;
inline constexpr int32_t mbarrierMaxTx = (1 << 20) - 1;

/// The architectural state of one mbarrier object.
struct MbarrierState {
  uint64_t phase = 0;    ///< number of the current (incomplete) phase
  uint32_t expected = 0; ///< arrivals that each next phase waits for
  uint32_t pending = 0;  ///< arrivals that this phase still waits for
  int32_t tx = 0;        ///< outstanding transaction bytes; may be negative

  bool operator==(const MbarrierState &) const = default;
};

/// The 64-bit word that stands in shared memory for `state` of the barrier at
/// `address`. The encoding is the simulator's own: parity, pending, expected
/// and tx, a two-bit tag, and a mask that depends on the address, so that a
/// copied, zeroed or overwritten word does not pass for a barrier.
uint64_t packMbarrier(const MbarrierState &state, uint32_t address);
/// Inverse of packMbarrier up to the phase, of which only the parity survives;
/// nullopt for a word that packMbarrier cannot have made.
std::optional<MbarrierState> unpackMbarrier(uint64_t word, uint32_t address);

enum class MbarrierEventKind : uint8_t {
  init,
  arrive,
  expectTx,
  completeTx,
  arriveDrop,
  phaseComplete,
};

/// One entry of the history that reports quote.
struct MbarrierEvent {
  MbarrierEventKind kind;
  int64_t amount; ///< arrivals or bytes
  Actor who;
  uint64_t phaseAfter; ///< phase number after the event
};

/// What an arrive-like operation did.
struct MbarrierOutcome {
  uint64_t token;      ///< state token (`mbarrier.arrive`'s result)
  bool phaseCompleted; ///< this operation completed the phase
};

/// What a wait found.
struct MbarrierWait {
  bool complete;
  /// The waiter is at least two phases behind, so that the parity it tests
  /// means another phase than the one it waits for; names both phases.
  std::optional<std::string> aliasing = {};
};

/// One live barrier: automaton, history and waiters. It holds no memory; see
/// MbarrierFile for the objects of a CTA. Every operation that is refused
/// leaves the state as it was.
class Mbarrier {
public:
  /// `count` 1..2^20-1.
  static Expected<Mbarrier> init(uint32_t address, uint32_t count,
                                 const Actor &who);

  const MbarrierState &state() const { return current; }
  uint32_t address() const { return where; }
  uint64_t word() const { return packMbarrier(current, where); }

  /// pending -= count (1..pending). Error: over-arrive.
  Expected<MbarrierOutcome> arrive(uint32_t count, const Actor &who);
  /// tx += bytes. Never completes a phase. Error: tx-count above its range.
  Expected<void> expectTx(uint32_t bytes, const Actor &who);
  /// tx -= bytes, then the completion test. Error: tx-count below its range.
  Expected<MbarrierOutcome> completeTx(uint32_t bytes, const Actor &who);
  /// expectTx(bytes), then arrive(1).
  Expected<MbarrierOutcome> arriveExpectTx(uint32_t bytes, const Actor &who);
  /// expected -= count and arrive(count). Error: more than is expected.
  Expected<MbarrierOutcome> arriveDrop(uint32_t count, const Actor &who);

  /// test_wait/try_wait.parity: true when the phase of parity `parity` (0, 1)
  /// is complete. `waiter` identifies the waiting thread (or warp) for the
  /// aliasing check; any stable number of the caller's choice.
  MbarrierWait testParity(unsigned parity, uint64_t waiter);
  /// test_wait/try_wait with a state token. Error: a word that is no token of
  /// this barrier, or one older than the preceding phase.
  Expected<bool> testToken(uint64_t token) const;
  /// mbarrier.pending_count of a token.
  static Expected<uint32_t> pendingCount(uint64_t token);

  /// One paragraph: address, phase and parity, pending of expected, tx bytes,
  /// and the arrivals of the current phase from the history.
  std::string describe() const;
  /// The last events, oldest first (at most 32).
  std::vector<MbarrierEvent> events() const;

private:
  Mbarrier(uint32_t address, uint32_t count);
  uint64_t token() const;
  MbarrierOutcome settle(uint64_t tokenBefore, const Actor &who);
  void record(MbarrierEventKind kind, int64_t amount, const Actor &who);

  uint32_t where;
  MbarrierState current;
  std::array<MbarrierEvent, 32> ring;
  uint64_t eventCount = 0;
  std::unordered_map<uint64_t, uint64_t> observed; ///< waiter -> phases seen
};

/// The mbarrier objects of one CTA. Every access compares the word in shared
/// memory with the automaton and so diagnoses memory that was never
/// initialised, was invalidated, or was overwritten by an ordinary store.
class MbarrierFile {
public:
  /// mbarrier.init. Errors: misaligned (8 bytes), out of window, bad count,
  /// already a live barrier (undefined until mbarrier.inval).
  Expected<void> init(SharedSpan shared, uint32_t address, uint32_t count,
                      const Actor &who);
  /// mbarrier.inval. Errors: no live barrier; arrivals or bytes outstanding in
  /// a phase that has begun.
  Expected<void> inval(SharedSpan shared, uint32_t address, const Actor &who);

  /// The operations of Mbarrier on the object at `address`; the word in shared
  /// memory follows the state.
  Expected<MbarrierOutcome> arrive(SharedSpan shared, uint32_t address,
                                   uint32_t count, const Actor &who);
  Expected<void> expectTx(SharedSpan shared, uint32_t address, uint32_t bytes,
                          const Actor &who);
  Expected<MbarrierOutcome> completeTx(SharedSpan shared, uint32_t address,
                                       uint32_t bytes, const Actor &who);
  Expected<MbarrierOutcome> arriveExpectTx(SharedSpan shared, uint32_t address,
                                           uint32_t bytes, const Actor &who);
  Expected<MbarrierOutcome> arriveDrop(SharedSpan shared, uint32_t address,
                                       uint32_t count, const Actor &who);
  Expected<MbarrierWait> testParity(SharedSpan shared, uint32_t address,
                                    unsigned parity, uint64_t waiter,
                                    const Actor &who);
  Expected<bool> testToken(SharedSpan shared, uint32_t address, uint64_t token,
                           const Actor &who);

  /// The live barrier at `address`; null when there is none.
  const Mbarrier *find(uint32_t address) const;
  /// A live barrier whose 8 bytes overlap [address, address+bytes), for the
  /// "ordinary store onto a barrier" check; null when there is none.
  const Mbarrier *overlapping(uint32_t address, uint32_t bytes) const;
  /// All live barriers by address.
  const std::map<uint32_t, Mbarrier> &live() const { return objects; }

private:
  Expected<Mbarrier *> checked(SharedSpan shared, uint32_t address,
                               std::string_view operation, const Actor &who);

  std::map<uint32_t, Mbarrier> objects;
  std::map<uint32_t, Actor> invalidated;
};

} // namespace tirx::rt::sim
