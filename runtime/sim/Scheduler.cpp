//===- Scheduler.cpp --------------------------------------------*- C++ -*-===//

#include "Scheduler.h"
#include "Handlers.h"

namespace tirx::rt::sim {

// One cluster runs at a time until it blocks for good; this many instructions
// without a cluster's end let in another, for kernels that spin on each other.
static constexpr uint64_t kAdmitAfter = 2'000'000;
static constexpr size_t kMaxResident = 148; // SMs of a B200
static constexpr uint32_t kQuantum = 512;
// A loop that changes nothing for this many instructions may wait for what
// lazy delivery, or a join, holds back; after many more it never ends.
static constexpr uint64_t kNudgeAfter = 20'000;
static constexpr uint64_t kLivelockAfter = uint64_t(1) << 28;
// Timed-out waits in a row, without any other event, that count as deadlock.
static constexpr unsigned kMaxTimeouts = 16;

// --- starting and ending CTAs
// -------------------------------------------------

void Scheduler::makeWarp(Cta &cta, uint32_t index) {
  const EntryCode &entry = machine.entry;
  auto warp = std::make_unique<Warp>();
  warp->cta = &cta;
  warp->index = index;
  uint32_t threads =
      std::min<uint32_t>(kLanes, machine.threads_per_cta - index * kLanes);
  warp->existing = threads == kLanes ? 0xFFFFFFFFu : (1u << threads) - 1;
  warp->live = warp->existing;
  // Registers start as a pattern that reads as NaN, never as a useful zero.
  warp->storage.assign(entry.register_bytes + 256, 0xFF);
  auto raw = reinterpret_cast<uintptr_t>(warp->storage.data());
  warp->lanes.bases[0] = warp->storage.data() + ((raw + 255) / 256 * 256 - raw);
  warp->lanes.bases[1] = machine.constantBase();
  warp->preds.assign(entry.predicates, 0);
  warp->preds[kTruePred] = 0xFFFFFFFFu;
  warp->lanes.preds = warp->preds.data();
  warp->local.assign(size_t(entry.local_bytes) * kLanes, 0xFF);
  Fragment fragment;
  fragment.mask = warp->live;
  warp->fragments.push_back(fragment);
  warps.push_back(warp.get());
  cta.warps.push_back(std::move(warp));
}

std::unique_ptr<Cta> Scheduler::makeCta(Cluster &cluster, uint32_t rank) {
  const SimLaunch &launch = machine.launch;
  auto cta = std::make_unique<Cta>();
  cta->machine = &machine;
  cta->cluster = &cluster;
  cta->rank = rank;
  cta->rank3 = {rank % launch.cluster[0],
                rank / launch.cluster[0] % launch.cluster[1],
                rank / launch.cluster[0] / launch.cluster[1]};
  for (unsigned i = 0; i < 3; ++i)
    cta->id[i] = cluster.id[i] * launch.cluster[i] + cta->rank3[i];
  cta->linear =
      cta->id[0] + launch.grid[0] * (cta->id[1] + launch.grid[1] * cta->id[2]);
  // 0xFF..: NaN in every float type, so that an early read shows.
  cta->shared.assign(machine.shared_bytes, std::byte(0xFF));
  cta->shadow.resize(machine.shared_bytes);
  cta->live_threads = machine.threads_per_cta;
  cluster.live_threads += machine.threads_per_cta;
  for (uint32_t w = 0; w < machine.warps_per_cta; ++w)
    makeWarp(*cta, w);
  startRaces(machine, *cta);
  shareRegisters(*cta, registersAtEntry(*machine.entry.function));
  return cta;
}

void Scheduler::admit() {
  const SimLaunch &launch = machine.launch;
  auto cluster = std::make_unique<Cluster>();
  cluster->race_base = machine.race_base;
  uint64_t index = machine.next_cluster++;
  for (unsigned i = 0; i < 3; ++i) {
    uint64_t extent = launch.grid[i] / launch.cluster[i];
    cluster->id[i] = static_cast<uint32_t>(index % extent);
    index /= extent;
  }
  for (uint32_t rank = 0; rank < machine.cluster_size; ++rank)
    cluster->ctas.push_back(makeCta(*cluster, rank));
  machine.clusters.push_back(std::move(cluster));
  admitted_at = machine.stats.warp_instructions;
}

void Scheduler::checkExit(Cta &cta) {
  std::string name = fmt::format("kernel '{}', CTA ({},{},{}) has ended",
                                 machine.entry.function->name, cta.id[0],
                                 cta.id[1], cta.id[2]);
  for (const auto &op : machine.engine.outstanding())
    if (op->cta == &cta && op->must_finish)
      return machine.faultText(fmt::format(
          "{} with an operation outstanding that uses its memory: {}", name,
          op->describe()));
  for (const auto &warp : cta.warps)
    for (const auto &[lane, groups] : warp->bulk) {
      for (const auto &status : groups.open)
        return machine.faultText(fmt::format(
            "{}: warp {} lane {} issued a bulk copy from shared memory (PTX "
            "line {}: {}) and did not commit it to a group and wait for that "
            "(cp.async.bulk.commit_group, cp.async.bulk.wait_group.read)",
            name, warp->index, lane, status->line,
            machine.program.module.lineText(status->line)));
      for (const auto &group : groups.committed)
        for (const auto &status : group.copies) {
          if (group.waited)
            break;
          return machine.faultText(fmt::format(
              "{}: warp {} lane {} did not wait for its bulk copy from shared "
              "memory (PTX line {}: {}); cp.async.bulk.wait_group.read must "
              "come before the end",
              name, warp->index, lane, status->line,
              machine.program.module.lineText(status->line)));
        }
    }
  for (const auto &[address, barrier] : cta.barriers.live())
    if (barrier.state().tx != 0)
      return machine.faultText(fmt::format(
          "{} while an mbarrier has {} bytes of transactions {}: {}", name,
          std::abs(barrier.state().tx),
          barrier.state().tx > 0 ? "pending that never arrived"
                                 : "that nobody had expected",
          barrier.describe()));
  checkRegisterChanges(cta, name);
  if (Expected<void> freed = cta.allocator.checkExit(); !freed)
    machine.faultText(fmt::format("{}: {}", name, freed.error().message));
}

/// Removes clusters all of whose threads have exited.
void Scheduler::retire() {
  for (size_t i = 0; i < machine.clusters.size();) {
    Cluster &cluster = *machine.clusters[i];
    if (cluster.live_threads != 0) {
      ++i;
      continue;
    }
    for (const auto &cta : cluster.ctas)
      checkExit(*cta);
    if (!machine.error.empty())
      return;
    // What may still run (stores to global memory, commits) is completed.
    auto busy = [&] {
      for (const auto &cta : cluster.ctas)
        if (machine.engine.anyFor(*cta))
          return true;
      return false;
    };
    while (busy() && machine.error.empty() &&
           machine.engine.finishOldest(machine)) {
    }
    for (const auto &cta : cluster.ctas) {
      machine.engine.drop(*cta);
      endRaces(machine, *cta);
    }
    for (const auto &cta : cluster.ctas)
      std::erase_if(warps, [&](Warp *warp) { return warp->cta == cta.get(); });
    cursor = 0;
    machine.clusters.erase(machine.clusters.begin() +
                           static_cast<ptrdiff_t>(i));
    if (resident > 1)
      --resident;
  }
}

// --- the loop
// -----------------------------------------------------------------

void Scheduler::run() {
  const SimLaunch &launch = machine.launch;
  machine.cluster_count = 1;
  for (unsigned i = 0; i < 3; ++i)
    machine.cluster_count *= launch.grid[i] / launch.cluster[i];
  bool randomised = machine.options.schedule == SimOptions::Schedule::random;
  size_t base = randomised ? 2 : 1;
  resident = base;
  while (machine.error.empty()) {
    if (machine.clusters.size() < resident &&
        machine.next_cluster < machine.cluster_count)
      admit();
    if (machine.clusters.empty())
      break;
    Choice choice = {nullptr, 0};
    if (pick(choice)) {
      uint32_t quantum =
          randomised ? 1 + static_cast<uint32_t>(machine.random(48)) : kQuantum;
      if (machine.options.delivery == SimOptions::Delivery::random)
        quantum = std::min<uint32_t>(
            quantum, 1 + static_cast<uint32_t>(machine.random(64)));
      runFragment(*choice.warp, choice.fragment, quantum);
      deliver();
      watchProgress(choice);
    } else if (!unblock()) {
      reportDeadlock();
    }
    uint64_t limit = machine.options.max_instructions;
    if (limit && machine.stats.warp_instructions > limit && choice.warp &&
        !choice.warp->fragments.empty()) {
      const Fragment &fragment = choice.warp->fragments.front();
      machine.fault(*choice.warp, fragment.pc, fragment.mask,
                    fmt::format("stopped after {} warp instructions, the limit "
                                "that SimOptions::max_instructions sets",
                                limit));
    }
    bool ended = false;
    for (const auto &cluster : machine.clusters)
      ended |= cluster->live_threads == 0;
    if (ended && machine.error.empty()) {
      retire();
      resident = std::max(resident, base);
    }
    if (machine.stats.warp_instructions - admitted_at > kAdmitAfter &&
        resident < kMaxResident) {
      ++resident;
      admitted_at = machine.stats.warp_instructions;
    }
  }
}

void Scheduler::watchProgress(const Choice &choice) {
  uint64_t now = machine.events + machine.stores;
  uint64_t instructions = machine.stats.warp_instructions;
  if (now != progress) {
    progress = now;
    progress_at = instructions;
    nudge_at = instructions + kNudgeAfter;
    return;
  }
  if (instructions < nudge_at || !machine.error.empty())
    return;
  nudge_at = instructions + kNudgeAfter;
  if (machine.engine.finishOldest(machine) || releaseJoins())
    return;
  if (instructions - progress_at > kLivelockAfter &&
      !choice.warp->fragments.empty()) {
    const Fragment &fragment = choice.warp->fragments.front();
    machine.fault(*choice.warp, fragment.pc, fragment.mask,
                  fmt::format("livelock: {} warp instructions since any thread "
                              "changed memory or a barrier",
                              instructions - progress_at));
  }
}

void Scheduler::deliver() {
  using Delivery = SimOptions::Delivery;
  if (machine.engine.idle() || !machine.error.empty())
    return;
  if (machine.options.delivery == Delivery::eager)
    return machine.engine.drain(machine);
  if (machine.options.delivery == Delivery::random) {
    uint64_t steps = machine.random(4);
    while (steps-- > 0 && machine.error.empty() &&
           machine.engine.stepRandom(machine)) {
    }
  }
}

bool Scheduler::canRun(const Fragment &fragment) const {
  const Wait &wait = fragment.wait;
  switch (wait.kind) {
  case Wait::Kind::none:
    return true;
  case Wait::Kind::join:
  case Wait::Kind::converge:
    return false;
  case Wait::Kind::mbarrier: {
    if (wait.timed_out)
      return true;
    const Mbarrier *barrier = wait.cta->barriers.find(wait.address);
    if (!barrier)
      return true; // runs into the error
    if (!wait.by_token)
      return (barrier->state().phase & 1) != wait.parity;
    return machine.events != wait.since;
  }
  case Wait::Kind::named:
    return wait.cta->named[wait.address].generation != wait.count;
  case Wait::Kind::cluster:
    return wait.cta->cluster->phase != wait.count;
  default:
    return machine.events != wait.since;
  }
}

bool Scheduler::pickRoundRobin(Choice &choice) {
  for (size_t step = 0; step < warps.size(); ++step) {
    size_t at = (cursor + step) % warps.size();
    Warp &warp = *warps[at];
    // The fragment that is furthest behind, so that others are waited for
    // least; after a while the others get their turn.
    int best = -1;
    for (uint32_t i = 0; i < warp.fragments.size(); ++i)
      if (canRun(warp.fragments[i]) &&
          (best < 0 || warp.fragments[i].turns < warp.fragments[best].turns ||
           (warp.fragments[i].turns == warp.fragments[best].turns &&
            warp.fragments[i].pc < warp.fragments[best].pc)))
        best = static_cast<int>(i);
    if (best < 0)
      continue;
    cursor = at + 1;
    choice = {&warp, static_cast<uint32_t>(best)};
    return true;
  }
  return false;
}

bool Scheduler::pickRandom(Choice &choice) {
  std::vector<Choice> choices;
  for (Warp *warp : warps)
    for (uint32_t i = 0; i < warp->fragments.size(); ++i)
      if (canRun(warp->fragments[i]))
        choices.push_back({warp, i});
  if (choices.empty())
    return false;
  choice = choices[machine.random(choices.size())];
  return true;
}

bool Scheduler::pick(Choice &choice) {
  return machine.options.schedule == SimOptions::Schedule::random
             ? pickRandom(choice)
             : pickRoundRobin(choice);
}

// --- running
// ------------------------------------------------------------------

void Scheduler::runFragment(Warp &warp, uint32_t index, uint32_t quantum) {
  const Instr *code = machine.entry.code.data();
  const bool eager = machine.options.delivery == SimOptions::Delivery::eager;
  ++warp.fragments[index].turns;
  while (quantum-- > 0) {
    Fragment *fragment = &warp.fragments[index];
    const Instr &instr = code[fragment->pc];
    if (instr.is_join && fragment->group >= 0 &&
        fragment->wait.kind == Wait::Kind::none &&
        warp.groups[fragment->group].pc == fragment->pc) {
      arriveAtJoin(warp, index);
      return;
    }
    uint32_t active =
        fragment->mask & (warp.preds[instr.guard] ^ instr.guard_invert);
    // A register that tcgen05.ld has yet to write: `arrived` tells the wait of
    // tcgen05.wait::ld from this one.
    if (fragment->wait.kind == Wait::Kind::tmem_load && !fragment->wait.arrived)
      fragment->wait = Wait();
    if (warp.pending_tmem_loads && active) {
      Context context{machine, warp, index, instr, active};
      if (touchesPendingRegisters(context)) {
        Wait wait;
        wait.kind = Wait::Kind::tmem_load;
        context.block(wait);
        return;
      }
    }
    ++machine.stats.warp_instructions;
    ++machine.time;
    if (instr.alu) {
      if (active)
        instr.alu(warp.lanes, instr, active);
      fragment->wait = Wait();
      ++fragment->pc;
      continue;
    }
    if (!active && fragment->wait.kind == Wait::Kind::none) {
      ++fragment->pc;
      continue;
    }
    Context context{machine, warp, index, instr, active};
    Outcome outcome = instr.op(context);
    switch (outcome) {
    case Outcome::next:
    case Outcome::yielded:
      ++warp.fragments[index].pc;
      warp.fragments[index].wait = Wait();
      for (uint32_t other : context.others) {
        ++warp.fragments[other].pc;
        warp.fragments[other].wait = Wait();
      }
      break;
    case Outcome::blocked:
      for (uint32_t other : context.others)
        warp.fragments[other].wait = warp.fragments[index].wait;
      break;
    case Outcome::jumped:
    case Outcome::gone:
    case Outcome::fault:
      break;
    }
    if (eager && !machine.engine.idle())
      machine.engine.drain(machine);
    if (outcome > Outcome::jumped || !machine.error.empty())
      return;
  }
}

// --- nothing can run
// ----------------------------------------------------------

bool Scheduler::timeOutWaits() {
  uint64_t progress = machine.events + machine.stores;
  if (progress != timeout_events)
    timeouts = 0;
  timeout_events = progress;
  if (timeouts++ >= kMaxTimeouts)
    return false;
  bool any = false;
  for (Warp *warp : warps)
    for (Fragment &fragment : warp->fragments)
      if (fragment.wait.kind == Wait::Kind::mbarrier) {
        fragment.wait.timed_out = true;
        any = true;
      }
  return any;
}

/// Lanes that wait for others of their branch go on alone: forward progress
/// does not depend on reconvergence.
bool Scheduler::releaseJoins() {
  bool any = false;
  for (Warp *warp : warps)
    for (Fragment &fragment : warp->fragments) {
      if (fragment.wait.kind != Wait::Kind::join)
        continue;
      JoinGroup &group = warp->groups[fragment.group];
      group.expected &= ~fragment.mask;
      group.arrived &= ~fragment.mask;
      fragment.group = group.parent;
      fragment.wait = Wait();
      any = true;
    }
  return any;
}

bool Scheduler::unblock() {
  using Delivery = SimOptions::Delivery;
  if (machine.options.delivery == Delivery::random
          ? machine.engine.stepRandom(machine)
          : machine.engine.finishOldest(machine))
    return true;
  if (machine.clusters.size() < kMaxResident &&
      machine.next_cluster < machine.cluster_count) {
    resident = machine.clusters.size() + 1;
    return true;
  }
  if (releaseJoins())
    return true;
  return timeOutWaits();
}

std::string Scheduler::describeWait(const Warp &warp,
                                    const Fragment &fragment) const {
  const Wait &wait = fragment.wait;
  switch (wait.kind) {
  case Wait::Kind::mbarrier: {
    const Mbarrier *barrier = wait.cta->barriers.find(wait.address);
    std::string text = fmt::format(
        "waits for {} of the mbarrier at shared offset {:#x}{}; {}",
        wait.by_token ? fmt::format("phase token {:#x}", wait.token)
                      : fmt::format("the phase of parity {}", wait.parity),
        wait.address,
        wait.cta != warp.cta ? fmt::format(" of CTA rank {}", wait.cta->rank)
                             : "",
        barrier ? barrier->describe() : "there is no live mbarrier");
    if (barrier && !wait.by_token && barrier->state().phase >= 2)
      text += fmt::format(
          "\n    phase {} had this parity too: a thread that others have left "
          "two phases behind waits for the wrong one",
          barrier->state().phase - 2);
    return text;
  }
  case Wait::Kind::named: {
    const NamedBarrier &barrier = wait.cta->named[wait.address];
    std::string who;
    for (const auto &[index, lanes] : barrier.warps)
      who += fmt::format("{}{}", who.empty() ? "" : ",", index);
    return fmt::format("waits at named barrier {}: {} of {} threads have "
                       "arrived (warps {})",
                       wait.address, barrier.arrived, barrier.expected, who);
  }
  case Wait::Kind::cluster:
    return fmt::format("waits at barrier.cluster: {} of {} threads have "
                       "arrived",
                       wait.cta->cluster->arrived,
                       wait.cta->cluster->live_threads);
  case Wait::Kind::join:
    return "waits for the other lanes of its branch";
  case Wait::Kind::converge:
    return "waits for the other lanes of a .sync instruction";
  case Wait::Kind::bulk_group:
    return "waits for bulk groups";
  case Wait::Kind::async_group:
    return "waits for cp.async groups";
  case Wait::Kind::tmem_load:
    return "waits for a tcgen05.ld";
  case Wait::Kind::tmem_store:
    return "waits for a tcgen05.st";
  case Wait::Kind::tmem_alloc:
    return fmt::format("waits in tcgen05.alloc for {} columns; {}", wait.count,
                       wait.cta->allocator.describe());
  case Wait::Kind::registers:
    return fmt::format("waits in setmaxnreg.inc for {} registers a thread "
                       "instead of {}; {}",
                       wait.count, warp.registers,
                       describeRegisters(*wait.cta));
  default:
    return "can run";
  }
}

void Scheduler::reportDeadlock() {
  std::string text =
      fmt::format("deadlock in kernel '{}': no thread can run, and no "
                  "asynchronous operation can complete",
                  machine.entry.function->name);
  size_t shown = 0, total = 0;
  for (const Warp *warp : warps)
    for (const Fragment &fragment : warp->fragments) {
      ++total;
      if (++shown > 32)
        continue;
      const Cta &cta = *warp->cta;
      text += fmt::format(
          "\n  CTA ({},{},{}) warp {} {} at {}\n    {}", cta.id[0], cta.id[1],
          cta.id[2], warp->index, laneText(fragment.mask),
          machine.whereLine(fragment.pc), describeWait(*warp, fragment));
    }
  if (total > 32)
    text += fmt::format("\n  and {} more", total - 32);
  if (machine.engine.idle())
    text += "\n  no asynchronous operation is outstanding";
  for (const auto &op : machine.engine.outstanding())
    text += fmt::format("\n  outstanding: {}", op->describe());
  machine.faultText(text);
}

} // namespace tirx::rt::sim
