//===- Program.h - a decoded PTX module -------------------------*- C++ -*-===//
#pragma once

#include "Ast.h"
#include "Instr.h"
#include "tirx/Runtime/Simulator.h"

#include <unordered_map>

namespace tirx::rt::sim {

/// Shared memory addresses below this are reserved, as on sm_100: without
/// static variables, dynamic shared memory starts here.
inline constexpr uint32_t kSharedBase = 0x400;

/// The decoded form of one entry.
struct EntryCode {
  const ast::Function *function = nullptr;
  std::vector<Instr> code;
  /// Operands of instructions that have many (vectors, tensor coordinates).
  std::vector<uint32_t> lists;
  /// Broadcast constants: 32-bit and 64-bit lanes, 256-byte aligned use.
  std::vector<uint64_t> constants;
  /// Register file of a warp in bytes, and predicates.
  uint32_t register_bytes = 0;
  uint32_t predicates = kFirstPred;
  uint32_t slots32 = 0, slots64 = 0, slots128 = 0;
  /// Shared window: static variables, then dynamic memory from here.
  uint32_t dynamic_shared_base = kSharedBase;
  uint32_t static_shared_bytes = 0;
  uint32_t local_bytes = 0;
  /// Offsets of the function's variables by index; of module variables of
  /// space shared.
  std::vector<uint32_t> variable_offsets;
  std::vector<uint32_t> module_shared_offsets;
  uint32_t lineOf(uint32_t pc) const {
    return pc < function->instructions.size() ? function->instructions[pc].line
                                              : function->line;
  }
};

class Program {
public:
  ast::Module module;
  std::vector<EntryCode> entries;

  const EntryCode *find(std::string_view name) const;
  /// "file.mlir:12:3" of an instruction, or empty.
  std::string sourceOf(const EntryCode &entry, uint32_t pc) const;
};

} // namespace tirx::rt::sim
