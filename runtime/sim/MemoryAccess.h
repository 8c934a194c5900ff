//===- MemoryAccess.h - checked memory of all state spaces ------*- C++ -*-===//
#pragma once

#include "Handlers.h"

namespace tirx::rt::sim {

/// Host memory behind an access of one lane, after the checks of bounds,
/// alignment and outstanding asynchronous operations; null after a fault.
/// Writes to shared memory are recorded in its shadow.
std::byte *resolveAccess(Context &context, MemSpace space, uint64_t address,
                         uint64_t bytes, uint64_t align, bool write,
                         unsigned lane);

/// Host memory of every active lane of a load or store: `base[lane]`. Takes a
/// short cut when all lanes fall into one piece of memory, and resolveAccess a
/// lane otherwise. False after a fault.
bool resolveLanes(Context &context, MemSpace space, uint64_t bytes, bool write,
                  std::byte *(&base)[kLanes]);

/// The state space that an instruction's modifiers name; generic if none.
MemSpace spaceOf(const ast::Instruction &instruction);

/// Parts of memoryRows().
std::vector<OpRow> accessRows();
std::vector<OpRow> addressRows();

} // namespace tirx::rt::sim
