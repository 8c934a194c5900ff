//===- SharedRaces.h - races of ordinary shared-memory accesses -*- C++ -*-===//
//
// Happens-before over the warps of a cluster with vector clocks: a warp's clock
// counts its releases, and says up to which release of each other warp it has
// acquired. An access races with an earlier one to the same byte by another
// warp that it has not acquired, if one of them writes.
//
// What releases: arrivals at bar, barrier.cluster and mbarriers, completions of
// asynchronous operations (with the clock of the issuing warp), and atomic or
// strong memory accesses, which release and acquire one clock of the cluster.
// That is more than PTX promises, so that nothing ordered is reported; races
// may be missed, also since each word remembers its last reader only.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace tirx::rt::sim {

struct Context;
struct CopyStatus;
struct Cta;
struct Machine;
struct Warp;

class VectorClock {
public:
  VectorClock() = default;
  VectorClock(uint32_t warps, uint32_t tick) : ticks(warps, tick) {}

  uint32_t operator[](uint32_t warp) const { return ticks[warp]; }
  void advance(uint32_t warp) { ++ticks[warp]; }
  void join(const VectorClock &other) {
    if (ticks.size() < other.ticks.size())
      ticks.resize(other.ticks.size());
    for (size_t i = 0; i < other.ticks.size(); ++i)
      ticks[i] = ticks[i] < other.ticks[i] ? other.ticks[i] : ticks[i];
  }
  void clear() { ticks.clear(); }

private:
  std::vector<uint32_t> ticks; ///< empty: all 0
};

/// What threads have released at a barrier: in the phase that is under way, and
/// in those that are complete.
struct BarrierClock {
  VectorClock pending, done;

  void complete() {
    done.join(pending);
    pending.clear();
  }
};

/// Four bytes of shared memory: the last write and the last read. A record of
/// an earlier CTA that used the same memory has a tick that is acquired by
/// everybody (Machine::race_base).
struct RaceWord {
  struct Access {
    uint32_t tick = 0;
    uint32_t line = 0;
    uint16_t warp = 0; ///< in the cluster
    uint8_t bytes = 0; ///< mask
    uint8_t lane = 0;
  };
  Access write, read;
};

/// The source of a bulk copy out of shared memory. Whoever writes it must come
/// after the issuing thread's wait_group (PTX ISA, cp.async.bulk.wait_group),
/// whether or not the copy happens to have read it.
struct BulkRead {
  std::shared_ptr<const CopyStatus> status;
  uint32_t begin, end; ///< offsets in the CTA's shared memory
  uint16_t warp;       ///< in the cluster
  uint8_t lane;
};

/// `warp` releases to, or acquires from, a clock.
void release(Warp &warp, VectorClock &to);
void acquire(Warp &warp, const VectorClock &from);
/// A strong or atomic access: both, with the clock of the cluster.
void synchroniseMemory(Warp &warp);

/// Clocks of the warps of a new cluster, and memory for its records.
void startRaces(Machine &machine, Cta &cta);
/// Gives the memory back.
void endRaces(Machine &machine, Cta &cta);

/// Notes an ordinary access by `lane` and warns if it races.
void noteRace(Context &context, unsigned lane, Cta &cta, uint32_t address,
              uint64_t bytes, bool write);

/// Notes that `lane` has issued a bulk copy that reads `bytes` at `begin`.
void noteBulkRead(Context &context, unsigned lane, Cta &cta, uint32_t begin,
                  uint32_t bytes, std::shared_ptr<const CopyStatus> status);

/// As noteRace for an operation `what` that is issued now and will read, or
/// write, shared memory through the async proxy: it comes after all that the
/// issuing warp has acquired. It leaves no record: who uses its result waits
/// for its completion.
void checkAsyncRace(Context &context, unsigned lane, Cta &cta, uint32_t address,
                    uint64_t bytes, bool write, std::string_view what);

} // namespace tirx::rt::sim
