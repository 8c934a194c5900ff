//===- Decoder.h - ast::Function to executable code -------------*- C++ -*-===//
#pragma once

#include "OpTable.h"
#include "Program.h"

namespace tirx::rt::sim {

/// How the address operand of a memory instruction is formed; Instr::sub[0].
enum class AddressKind : uint8_t {
  constant, ///< imm
  reg32,    ///< src[0] + imm
  reg64,    ///< src[0] + imm
  variable, ///< address of module variable `target` + imm
  shared,   ///< imm in the executing CTA's window, with its rank
};

/// State space of a memory instruction.
enum class MemSpace : uint8_t {
  generic,
  global,
  shared_cta,
  shared_cluster,
  local,
  param,
  constant,
};

/// A register operand of a decoded instruction, to be replaced by its slot.
struct RegisterUse {
  uint32_t instr;
  uint32_t reg;
  uint8_t field; ///< 0 dst, 1 dst2, 2..5 src, 6 guard, 7 lists[index]
  bool is_def;
  bool is_use;
  uint32_t index = 0;
};

/// Decodes one entry. Row decoders call the operand helpers.
class Decoder {
public:
  Decoder(const ast::Module &module, const ast::Function &function,
          EntryCode &out);
  Expected<void> run();

  /// Records the first error at the current instruction; returns false.
  bool fail(const std::string &what);

  // Operand helpers; each returns false after fail().
  bool expectOperands(const ast::Instruction &in, size_t least, size_t most);
  bool dstReg(const ast::Operand &operand, ast::RegClass cls, uint8_t field);
  bool srcValue(const ast::Operand &operand, ast::RegClass cls, uint8_t field,
                bool allow_negated = false);
  /// Any register class of 32 or 64 bits; tells which.
  bool srcWord(const ast::Operand &operand, uint8_t field, bool &is64);
  /// Registers of a vector (or a single register) appended to the list; sinks
  /// allowed for destinations, constants for sources.
  bool listOperand(const ast::Operand &operand, ast::RegClass cls, bool is_def,
                   size_t least, size_t most);
  /// [base + offset]: sets src[0] (or `field`), imm, sub[0], target.
  bool address(const ast::Operand &operand, MemSpace space, Instr &out,
               uint8_t field = 2);
  /// A further address: register or shared symbol in `field`, its constant
  /// offset, and `is64`: 0 for 32 bits, 1 for 64, 2 for an offset into the
  /// executing CTA's shared memory.
  bool addressValue(const ast::Operand &operand, uint8_t field, int64_t &offset,
                    uint8_t &is64);
  bool immediate(const ast::Operand &operand, int64_t &value);
  bool target(const ast::Operand &operand, uint32_t &pc);

  ast::RegClass classOf(const ast::Operand &operand) const;
  bool isReg(const ast::Operand &operand) const {
    return operand.kind == ast::Operand::Kind::reg;
  }
  /// Offset of a variable in its window; false for module global/const.
  bool variableOffset(const ast::Operand &operand, ast::Space &space,
                      uint32_t &offset);

  const ast::Module &module;
  const ast::Function &function;
  EntryCode &code;
  Instr *current = nullptr;
  uint32_t pc = 0;

private:
  bool decodeOne(const ast::Instruction &in, Instr &out);
  uint32_t constantSlot(uint64_t value, bool is64);
  void place(uint32_t operand, uint8_t field);
  void use(uint32_t reg, uint8_t field, bool is_def, uint32_t index = 0);
  Expected<void> layoutVariables();
  Expected<void> allocateRegisters();
  void findJoins();

  std::vector<RegisterUse> uses;
  std::unordered_map<uint64_t, uint32_t> constants32, constants64;
  std::string message;
  bool failed = false;
};

/// Decodes an arithmetic row by its `operands` form and modifiers.
bool decodeAlu(Decoder &, const OpRow &, const ast::Instruction &, Instr &);

/// Instr::mods of an instruction's modifiers.
uint32_t modsOf(const ast::Instruction &in);
bool has(const ast::Instruction &in, std::string_view modifier);

} // namespace tirx::rt::sim
