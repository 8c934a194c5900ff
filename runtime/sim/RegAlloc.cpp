//===- RegAlloc.cpp ---------------------------------------------*- C++ -*-===//

#include "RegAlloc.h"

#include <algorithm>
#include <queue>

namespace tirx::rt::sim {
namespace {

bool isExit(const ast::Instruction &in) {
  return in.mnemonic == "exit" || in.mnemonic == "ret" || in.mnemonic == "trap";
}
bool isBranch(const ast::Instruction &in) {
  return in.mnemonic == "bra" || in.mnemonic == "brx";
}

} // namespace

ControlFlowGraph::ControlFlowGraph(const std::vector<Instr> &code,
                                   const ast::Function &function)
    : function(function) {
  uint32_t count = static_cast<uint32_t>(code.size());
  std::vector<bool> leader(count + 1, false);
  leader[0] = true;
  auto targetsOf = [&](uint32_t at) {
    std::vector<uint32_t> targets;
    const ast::Instruction &in = function.instructions[at];
    if (in.mnemonic == "bra")
      targets.push_back(code[at].target);
    else
      targets = function.branch_targets[code[at].target];
    return targets;
  };
  for (uint32_t at = 0; at + 1 < count; ++at) {
    const ast::Instruction &in = function.instructions[at];
    if (!isBranch(in) && !isExit(in))
      continue;
    leader[at + 1] = true;
    if (isBranch(in))
      for (uint32_t target : targetsOf(at))
        leader[target] = true;
  }
  block_of.resize(count);
  for (uint32_t at = 0; at < count; ++at) {
    if (leader[at])
      blocks.push_back({at, at, {}});
    blocks.back().last = at;
    block_of[at] = static_cast<uint32_t>(blocks.size() - 1);
  }
  for (Block &block : blocks) {
    uint32_t at = block.last;
    if (at + 1 == count)
      continue;
    const ast::Instruction &in = function.instructions[at];
    bool falls = true;
    if (isBranch(in)) {
      for (uint32_t target : targetsOf(at))
        block.successors.push_back(block_of[target]);
      falls = in.guard >= 0;
    } else if (isExit(in)) {
      falls = in.guard >= 0;
    }
    if (falls)
      block.successors.push_back(block_of[at + 1]);
    std::sort(block.successors.begin(), block.successors.end());
    block.successors.erase(
        std::unique(block.successors.begin(), block.successors.end()),
        block.successors.end());
  }
  findPostDominators();
}

/// Cooper, Harvey, Kennedy on the reversed graph with a virtual exit.
void ControlFlowGraph::findPostDominators() {
  uint32_t count = static_cast<uint32_t>(blocks.size());
  uint32_t exit = count;
  std::vector<std::vector<uint32_t>> successors(count + 1),
      predecessors(count + 1);
  for (uint32_t b = 0; b < count; ++b) {
    successors[b] = blocks[b].successors;
    uint32_t last = blocks[b].last;
    bool leaves = last + 1 == block_of.size() ||
                  isExit(function.instructions[last]) || successors[b].empty();
    if (leaves)
      successors[b].push_back(exit);
    for (uint32_t s : successors[b])
      predecessors[s].push_back(b);
  }
  // Post-order of the reversed graph from the exit.
  std::vector<int32_t> order(count + 1, -1);
  std::vector<uint32_t> sequence;
  std::vector<std::pair<uint32_t, size_t>> stack = {{exit, 0}};
  std::vector<bool> seen(count + 1, false);
  seen[exit] = true;
  while (!stack.empty()) {
    auto &[node, next] = stack.back();
    if (next < predecessors[node].size()) {
      uint32_t p = predecessors[node][next++];
      if (!seen[p]) {
        seen[p] = true;
        stack.push_back({p, 0});
      }
      continue;
    }
    order[node] = static_cast<int32_t>(sequence.size());
    sequence.push_back(node);
    stack.pop_back();
  }
  std::vector<int32_t> idom(count + 1, -1);
  idom[exit] = static_cast<int32_t>(exit);
  bool changed = true;
  while (changed) {
    changed = false;
    for (size_t i = sequence.size(); i-- > 0;) {
      uint32_t node = sequence[i];
      if (node == exit)
        continue;
      int32_t best = -1;
      for (uint32_t s : successors[node]) {
        if (idom[s] < 0)
          continue;
        if (best < 0) {
          best = static_cast<int32_t>(s);
          continue;
        }
        int32_t a = best, b = static_cast<int32_t>(s);
        while (a != b) {
          while (order[a] < order[b])
            a = idom[a];
          while (order[b] < order[a])
            b = idom[b];
        }
        best = a;
      }
      if (best >= 0 && idom[node] != best) {
        idom[node] = best;
        changed = true;
      }
    }
  }
  ipdom.assign(count, -1);
  for (uint32_t b = 0; b < count; ++b)
    if (idom[b] >= 0 && idom[b] != static_cast<int32_t>(exit))
      ipdom[b] = idom[b];
}

bool ControlFlowGraph::isDivergent(size_t at) const {
  const ast::Instruction &in = function.instructions[at];
  return in.mnemonic == "brx" || (in.mnemonic == "bra" && in.guard >= 0);
}

uint32_t ControlFlowGraph::joinOf(size_t at) const {
  int32_t block = ipdom[block_of[at]];
  return block < 0 ? kNoOperand : blocks[static_cast<uint32_t>(block)].first;
}

namespace {

struct Interval {
  uint32_t reg;
  uint32_t begin = UINT32_MAX, end = 0;
};

/// Live intervals in instruction positions: [begin, end].
std::vector<Interval> liveIntervals(const ControlFlowGraph &graph,
                                    const ast::Function &function,
                                    const std::vector<RegisterUse> &uses) {
  size_t registers = function.registers.size();
  size_t words = registers / 64 + 1;
  size_t blocks = graph.blocks.size();
  std::vector<uint64_t> gen(blocks * words), kill(blocks * words),
      in(blocks * words), out(blocks * words);
  std::vector<Interval> intervals(registers);
  for (size_t r = 0; r < registers; ++r)
    intervals[r].reg = static_cast<uint32_t>(r);
  auto touch = [&](uint32_t reg, uint32_t at) {
    intervals[reg].begin = std::min(intervals[reg].begin, at);
    intervals[reg].end = std::max(intervals[reg].end, at);
  };
  // `uses` is sorted by instruction. Within one, uses come before definitions.
  for (size_t i = 0; i < uses.size();) {
    size_t next = i;
    while (next < uses.size() && uses[next].instr == uses[i].instr)
      ++next;
    uint64_t *g = &gen[graph.block_of[uses[i].instr] * words];
    uint64_t *k = &kill[graph.block_of[uses[i].instr] * words];
    for (size_t j = i; j < next; ++j) {
      uint32_t reg = uses[j].reg;
      touch(reg, uses[j].instr);
      if (uses[j].is_use && !(k[reg / 64] >> (reg % 64) & 1))
        g[reg / 64] |= uint64_t(1) << (reg % 64);
    }
    for (size_t j = i; j < next; ++j)
      if (uses[j].is_def)
        k[uses[j].reg / 64] |= uint64_t(1) << (uses[j].reg % 64);
    i = next;
  }
  bool changed = true;
  while (changed) {
    changed = false;
    for (size_t b = blocks; b-- > 0;) {
      uint64_t *o = &out[b * words];
      for (uint32_t s : graph.blocks[b].successors)
        for (size_t w = 0; w < words; ++w)
          o[w] |= in[s * words + w];
      for (size_t w = 0; w < words; ++w) {
        uint64_t live = gen[b * words + w] | (o[w] & ~kill[b * words + w]);
        if (live != in[b * words + w]) {
          in[b * words + w] = live;
          changed = true;
        }
      }
    }
  }
  for (size_t b = 0; b < blocks; ++b)
    for (size_t w = 0; w < words; ++w) {
      for (uint64_t live = in [b * words + w]; live; live &= live - 1)
        touch(static_cast<uint32_t>(w * 64 + __builtin_ctzll(live)),
              graph.blocks[b].first);
      for (uint64_t live = out[b * words + w]; live; live &= live - 1)
        touch(static_cast<uint32_t>(w * 64 + __builtin_ctzll(live)),
              graph.blocks[b].last);
    }
  return intervals;
}

} // namespace

RegisterMap allocateSlots(const ControlFlowGraph &graph,
                          const ast::Function &function,
                          const std::vector<RegisterUse> &uses) {
  std::vector<Interval> intervals = liveIntervals(graph, function, uses);
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval &a, const Interval &b) {
              return a.begin < b.begin || (a.begin == b.begin && a.reg < b.reg);
            });
  RegisterMap map;
  map.slot.assign(function.registers.size(), kNoOperand);
  struct Pool {
    uint32_t count = 0;
    std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> free;
    std::priority_queue<std::pair<uint32_t, uint32_t>,
                        std::vector<std::pair<uint32_t, uint32_t>>,
                        std::greater<>>
        active; ///< end, slot
  };
  Pool pools[4];
  std::vector<uint32_t> index(function.registers.size(), 0);
  for (const Interval &interval : intervals) {
    if (interval.begin == UINT32_MAX)
      continue;
    Pool &pool =
        pools[static_cast<unsigned>(function.registers[interval.reg].cls)];
    // Strictly before: a destination never shares a slot with a source of the
    // same instruction, so handlers may write while they still read.
    while (!pool.active.empty() && pool.active.top().first < interval.begin) {
      pool.free.push(pool.active.top().second);
      pool.active.pop();
    }
    uint32_t slot;
    if (pool.free.empty()) {
      slot = pool.count++;
    } else {
      slot = pool.free.top();
      pool.free.pop();
    }
    pool.active.push({interval.end, slot});
    index[interval.reg] = slot;
  }
  using ast::RegClass;
  map.predicates =
      kFirstPred + pools[static_cast<unsigned>(RegClass::pred)].count;
  map.slots32 = pools[static_cast<unsigned>(RegClass::b32)].count;
  map.slots64 = pools[static_cast<unsigned>(RegClass::b64)].count;
  map.slots128 = pools[static_cast<unsigned>(RegClass::b128)].count;
  // 64-bit slots first: they want 256-byte alignment.
  uint32_t base128 = map.slots64 * 256, base32 = base128 + map.slots128 * 512;
  for (size_t r = 0; r < function.registers.size(); ++r) {
    switch (function.registers[r].cls) {
    case RegClass::pred:
      map.slot[r] = kFirstPred + index[r];
      break;
    case RegClass::b32:
      map.slot[r] = base32 + index[r] * 128;
      break;
    case RegClass::b64:
      map.slot[r] = index[r] * 256;
      break;
    case RegClass::b128:
      map.slot[r] = base128 + index[r] * 512;
      break;
    }
  }
  return map;
}

} // namespace tirx::rt::sim
