//===- Fragments.cpp - divergence, reconvergence, exit ----------*- C++ -*-===//

#include "Handlers.h"

namespace tirx::rt::sim {
namespace {

int32_t newGroup(Warp &warp, const JoinGroup &group) {
  for (size_t i = 0; i < warp.groups.size(); ++i)
    if (warp.groups[i].expected == 0) {
      warp.groups[i] = group;
      return static_cast<int32_t>(i);
    }
  warp.groups.push_back(group);
  return static_cast<int32_t>(warp.groups.size() - 1);
}

/// All expected lanes have arrived: one fragment takes the place of the
/// waiting ones. Returns its index.
uint32_t completeGroup(Warp &warp, int32_t index) {
  JoinGroup group = warp.groups[index];
  warp.groups[index] = JoinGroup();
  Fragment merged;
  merged.pc = group.pc;
  merged.mask = group.arrived;
  merged.group = group.parent;
  std::vector<Fragment> kept;
  for (const Fragment &fragment : warp.fragments)
    if (!(fragment.group == index && (fragment.mask & group.arrived)))
      kept.push_back(fragment);
    else
      merged.turns = std::max(merged.turns, fragment.turns);
  kept.push_back(merged);
  warp.fragments = std::move(kept);
  return static_cast<uint32_t>(warp.fragments.size() - 1);
}

} // namespace

void splitFragment(Warp &warp, uint32_t index, uint32_t taken, uint32_t target,
                   uint32_t join) {
  Fragment &fragment = warp.fragments[index];
  int32_t group = fragment.group;
  // A loop whose lanes leave one by one joins once, at its exit.
  bool same = group >= 0 && warp.groups[group].pc == join;
  if (join != kNoOperand && !same)
    group = newGroup(warp, {join, fragment.mask, 0, group});
  warp.fragments[index].group = group;
  warp.fragments[index].mask &= ~taken;
  Fragment other;
  other.pc = target;
  other.mask = taken;
  other.group = group;
  other.turns = warp.fragments[index].turns;
  warp.fragments.push_back(other);
}

bool arriveAtJoin(Warp &warp, uint32_t index) {
  Fragment &fragment = warp.fragments[index];
  int32_t at = fragment.group;
  JoinGroup &group = warp.groups[at];
  group.arrived |= fragment.mask;
  if (group.arrived != group.expected) {
    fragment.wait = Wait();
    fragment.wait.kind = Wait::Kind::join;
    return false;
  }
  completeGroup(warp, at);
  return false; // the merged fragment is another one
}

/// Nothing that other CTAs have issued may still reach the memory of a CTA
/// that ends (PTX ISA, cluster and tcgen05: the peer must be there).
static void checkPeers(Machine &machine, const Cta &cta) {
  for (const auto &op : machine.engine.outstanding())
    if (op->cta != &cta && op->uses(cta))
      return machine.faultText(fmt::format(
          "kernel '{}', CTA ({},{},{}) has ended while an operation of CTA "
          "({},{},{}) still uses its shared or tensor memory; "
          "barrier.cluster must come before the end: {}",
          machine.entry.function->name, cta.id[0], cta.id[1], cta.id[2],
          op->cta->id[0], op->cta->id[1], op->cta->id[2], op->describe()));
}

void exitLanes(Machine &machine, Warp &warp, uint32_t mask) {
  warp.live &= ~mask;
  if (warp.live == 0)
    release(warp, warp.cta->exit_clock);
  unsigned count = static_cast<unsigned>(__builtin_popcount(mask));
  warp.cta->live_threads -= count;
  warp.cta->exited_threads += count;
  warp.cta->cluster->live_threads -= count;
  std::vector<Fragment> kept;
  for (Fragment fragment : warp.fragments) {
    fragment.mask &= ~mask;
    // Who waits for lanes that are gone looks again.
    if (fragment.wait.kind == Wait::Kind::converge)
      fragment.wait = Wait();
    if (fragment.mask)
      kept.push_back(fragment);
  }
  warp.fragments = std::move(kept);
  for (size_t i = 0; i < warp.groups.size(); ++i) {
    JoinGroup &group = warp.groups[i];
    if (group.expected == 0)
      continue;
    group.expected &= ~mask;
    group.arrived &= ~mask;
    if (group.expected && group.arrived == group.expected)
      completeGroup(warp, static_cast<int32_t>(i));
  }
  recheckBarriers(*warp.cta);
  machine.event();
  if (warp.cta->live_threads == 0)
    checkPeers(machine, *warp.cta);
}

Converged converge(Context &context, uint32_t required) {
  Warp &warp = context.warp;
  required &= warp.live;
  if ((required & ~context.frag().mask) == 0) {
    context.frag().wait = Wait();
    return {true, Outcome::next};
  }
  uint32_t pc = context.frag().pc, together = context.frag().mask;
  for (uint32_t i = 0; i < warp.fragments.size(); ++i)
    if (i != context.fragment && warp.fragments[i].pc == pc &&
        warp.fragments[i].wait.kind == Wait::Kind::converge)
      together |= warp.fragments[i].mask;
  if ((required & ~together) == 0) {
    const Instr &instr = context.instr;
    context.mask =
        together & (warp.lanes.preds[instr.guard] ^ instr.guard_invert);
    for (uint32_t i = 0; i < warp.fragments.size(); ++i) {
      Fragment &other = warp.fragments[i];
      if (i != context.fragment && other.pc == pc &&
          other.wait.kind == Wait::Kind::converge) {
        context.others.push_back(i);
      }
    }
    context.frag().wait = Wait();
    return {true, Outcome::next};
  }
  Wait wait;
  wait.kind = Wait::Kind::converge;
  context.frag().wait = wait;
  bool stuck = true;
  for (const Fragment &fragment : warp.fragments)
    stuck &= fragment.wait.kind == Wait::Kind::join ||
             fragment.wait.kind == Wait::Kind::converge;
  if (!stuck)
    return {false, Outcome::blocked};
  std::string others;
  for (const Fragment &fragment : warp.fragments)
    if (fragment.pc != pc)
      others += fmt::format("\n  {} {} at {}", laneText(fragment.mask),
                            fragment.wait.kind == Wait::Kind::join
                                ? "have passed, and wait"
                                : "wait",
                            context.machine.whereLine(fragment.pc));
  return {false,
          context.fault(fmt::format(
              "divergent execution of an instruction that {} must execute "
              "together (PTX ISA: .sync, .aligned); {} execute it{}",
              laneText(required), laneText(together), others))};
}

Converged convergeWarp(Context &context) {
  return converge(context, context.warp.live);
}

Outcome opExit(Context &context) {
  uint32_t mask = context.mask;
  Fragment &fragment = context.frag();
  bool all = mask == fragment.mask;
  if (!all)
    ++fragment.pc; // the lanes that stay go on
  exitLanes(context.machine, context.warp, mask);
  return Outcome::gone;
}

std::string laneText(uint32_t mask) {
  std::string text;
  unsigned count = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    unsigned last = lane;
    while (last + 1 < kLanes && (mask >> (last + 1) & 1))
      ++last;
    count += last - lane + 1;
    text += fmt::format("{}{}", text.empty() ? "" : ",", lane);
    if (last > lane)
      text += fmt::format("-{}", last);
    lane = last;
  }
  return fmt::format("{} {}", count == 1 ? "lane" : "lanes", text);
}

} // namespace tirx::rt::sim
