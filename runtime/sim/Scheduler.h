//===- Scheduler.h - which fragment runs next -------------------*- C++ -*-===//
#pragma once

#include "Machine.h"

namespace tirx::rt::sim {

/// Runs all clusters of a launch. Clusters start in grid order; a bounded
/// number is resident, and more are let in when those cannot go on.
class Scheduler {
public:
  explicit Scheduler(Machine &machine) : machine(machine) {}
  void run();

private:
  struct Choice {
    Warp *warp;
    uint32_t fragment;
  };

  void admit();
  std::unique_ptr<Cta> makeCta(Cluster &cluster, uint32_t rank);
  void makeWarp(Cta &cta, uint32_t index);
  bool pick(Choice &choice);
  bool pickRoundRobin(Choice &choice);
  bool pickRandom(Choice &choice);
  bool canRun(const Fragment &fragment) const;
  void runFragment(Warp &warp, uint32_t fragment, uint32_t quantum);
  void deliver();
  bool unblock();
  void watchProgress(const Choice &choice);
  bool timeOutWaits();
  bool releaseJoins();
  void retire();
  void checkExit(Cta &cta);
  void reportDeadlock();
  std::string describeWait(const Warp &warp, const Fragment &fragment) const;

  Machine &machine;
  std::vector<Warp *> warps;
  size_t resident = 1;
  size_t cursor = 0;
  uint64_t admitted_at = 0;
  uint64_t progress = 0;    ///< events and stores so far
  uint64_t progress_at = 0; ///< instructions when that last changed
  uint64_t nudge_at = 0;
  uint64_t timeout_events = ~uint64_t(0);
  unsigned timeouts = 0;
};

} // namespace tirx::rt::sim
