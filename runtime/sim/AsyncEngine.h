//===- AsyncEngine.h - operations that complete later -----------*- C++ -*-===//
#pragma once

#include "units/SharedSpan.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tirx::rt::sim {

struct Machine;
struct Cta;
struct Warp;

/// An asynchronous operation between its issue and its completion. Nothing of
/// it happens at issue; the engine calls step() when the policy says so.
class AsyncOp {
public:
  virtual ~AsyncOp() = default;
  /// Whether it may advance now, order with other operations apart.
  virtual bool ready() const { return true; }
  /// One indivisible part: read the source, write some of the destination,
  /// signal. Returns true after the last. On error sets Machine::error.
  virtual bool step(Machine &machine) = 0;
  virtual std::string describe() const = 0;
  /// Whether it will still touch the memory or a barrier of `other`.
  virtual bool uses(const Cta &other) const { return &other == cta; }

  Cta *cta = nullptr;
  Warp *warp = nullptr;
  unsigned lane = 0;
  uint32_t pc = 0;
  std::string_view name; ///< static storage
  /// Operations with equal keys run in issue order; 0: unordered.
  uint64_t pipe = 0;
  /// It writes the CTA's memory: outstanding at the CTA's end, it is an error.
  bool must_finish = false;
};

class AsyncEngine {
public:
  void issue(std::unique_ptr<AsyncOp> op);
  bool idle() const { return operations.empty(); }
  /// Runs everything that can run, in issue order (eager delivery).
  void drain(Machine &machine);
  /// Completes the oldest operation that can run; false if none can.
  bool finishOldest(Machine &machine);
  /// One step of a random operation; false if none can run.
  bool stepRandom(Machine &machine);

  const std::vector<std::unique_ptr<AsyncOp>> &outstanding() const {
    return operations;
  }
  bool anyFor(const Cta &cta) const;
  /// Forgets what `cta` has issued and can no longer happen.
  void drop(const Cta &cta);

private:
  bool isHead(const AsyncOp &op) const;
  void remove(size_t index);

  std::vector<std::unique_ptr<AsyncOp>> operations; ///< by issue
  std::map<uint64_t, std::deque<const AsyncOp *>> pipes;
};

} // namespace tirx::rt::sim
