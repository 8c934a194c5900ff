//===- RegAlloc.h - control flow and register slots -------------*- C++ -*-===//
#pragma once

#include "Decoder.h"

namespace tirx::rt::sim {

/// Basic blocks of a function, with post-dominators.
class ControlFlowGraph {
public:
  struct Block {
    uint32_t first, last; ///< instructions, inclusive
    std::vector<uint32_t> successors;
  };

  ControlFlowGraph(const std::vector<Instr> &code,
                   const ast::Function &function);

  std::vector<Block> blocks;
  std::vector<uint32_t> block_of; ///< by instruction

  /// Whether lanes may part at instruction `at`.
  bool isDivergent(size_t at) const;
  /// First instruction of the block that post-dominates the block of `at`
  /// immediately; kNoOperand when there is none.
  uint32_t joinOf(size_t at) const;

private:
  void findPostDominators();
  const ast::Function &function;
  std::vector<int32_t> ipdom; ///< by block; -1: the exit
};

struct RegisterMap {
  std::vector<uint32_t>
      slot; ///< by virtual register: byte offset, or predicate
  uint32_t slots32 = 0, slots64 = 0, slots128 = 0, predicates = 0;
};

/// Linear scan over live intervals. A slot is shared by registers whose
/// intervals do not overlap; an interval covers every point where some path
/// still needs the value, which is all that divergent lanes need, since a lane
/// touches no other lane's element of a slot.
RegisterMap allocateSlots(const ControlFlowGraph &graph,
                          const ast::Function &function,
                          const std::vector<RegisterUse> &uses);

} // namespace tirx::rt::sim
