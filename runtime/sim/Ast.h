//===- Ast.h - parsed PTX ---------------------------------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tirx::rt::sim::ast {

/// State spaces of variables.
enum class Space : uint8_t { global, constant, shared, local, param };

/// Storage classes of registers: predicates are 32-bit lane masks, registers
/// of 8, 16 and 32 bits take 4 bytes a lane, others 8 or 16.
enum class RegClass : uint8_t { pred, b32, b64, b128 };

struct Register {
  std::string name;
  RegClass cls = RegClass::b32;
  uint8_t bits = 32; ///< declared width; 1 for predicates
};

/// A source position from .file/.loc.
struct SourceLoc {
  uint32_t file = 0; ///< key of Module::files; 0: unknown
  uint32_t line = 0;
  uint32_t column = 0;
  int32_t inlined_at = -1; ///< index into Module::locs
};

struct Operand {
  enum class Kind : uint8_t {
    reg,     ///< reg
    integer, ///< imm
    f32,     ///< imm holds the bits
    f64,     ///< imm holds the bits
    symbol,  ///< variable or function `symbol` plus imm
    special, ///< special register `symbol`
    label,   ///< imm is the index of the target instruction
    targets, ///< imm is an index into Function::branch_targets
    vector,  ///< elements
    address, ///< elements[0] (reg, symbol or integer) + imm; elements[1..]:
             ///< coordinates of a tensor address
    pair,    ///< elements[0] | elements[1]
    sink,    ///< _
    list,    ///< parenthesised operands of a call
  };
  Kind kind = Kind::integer;
  bool negated = false; ///< !p
  uint32_t reg = 0;
  int32_t variable = -1; ///< symbol: index into Function or Module variables
  bool module_scope = false;
  bool parameter = false; ///< symbol: index into Function::parameters
  int64_t imm = 0;
  std::string symbol;
  std::vector<Operand> elements;
};

struct Instruction {
  uint32_t line = 0;
  int32_t loc = -1; ///< index into Module::locs
  int32_t guard = -1;
  bool guard_negated = false;
  std::string mnemonic;               ///< "tcgen05"
  std::vector<std::string> modifiers; ///< "mma", "cta_group::1", ...
  std::vector<Operand> operands;

  std::string opcode() const {
    std::string text = mnemonic;
    for (const std::string &modifier : modifiers)
      text += "." + modifier;
    return text;
  }
};

struct Variable {
  std::string name;
  Space space = Space::global;
  uint32_t align = 1;
  uint64_t bytes = 0; ///< 0 for `extern .shared x[]`
  bool is_extern = false;
  uint32_t line = 0;
  std::vector<uint8_t> init; ///< empty or `bytes` long
};

struct Parameter {
  std::string name;
  uint32_t align = 1;
  uint32_t bytes = 0;
  uint32_t offset = 0;
};

struct Function {
  std::string name;
  bool is_entry = false;
  bool has_body = false;
  uint32_t line = 0;
  std::vector<Parameter> parameters;
  uint32_t parameter_bytes = 0;
  std::vector<Register> registers;
  std::vector<Variable> variables;
  std::vector<Instruction> instructions;
  std::vector<std::vector<uint32_t>> branch_targets;
  /// Performance directives: zeros where absent.
  uint32_t reqntid[3] = {0, 0, 0};
  uint32_t maxntid[3] = {0, 0, 0};
  uint32_t reqnctapercluster[3] = {0, 0, 0};
  uint32_t maxnreg = 0, minnctapersm = 0;
};

struct File {
  uint32_t key = 0;
  std::string path;
};

struct Module {
  std::string name;
  std::string target;
  unsigned version_major = 0, version_minor = 0;
  std::vector<File> files;
  std::vector<SourceLoc> locs;
  std::vector<Variable> variables;
  std::vector<Function> functions;
  /// The PTX text by line, for messages.
  std::string text;
  std::vector<uint32_t> line_starts;

  std::string_view lineText(uint32_t line) const;
  std::string_view filePath(uint32_t key) const;
};

} // namespace tirx::rt::sim::ast
