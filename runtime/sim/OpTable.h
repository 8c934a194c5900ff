//===- OpTable.h - the table of instructions --------------------*- C++ -*-===//
//
// One row an instruction form: which opcodes it covers, how they are decoded,
// how faithful their execution is, and where that is written down. Decoding
// and the fidelity table of docs/simulator.md both come from here.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "AluKernels.h"
#include "Ast.h"
#include "NumType.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tirx::rt::sim {

class Decoder;

enum class Fidelity : uint8_t { exact, approximate, unsupported };

struct OpRow;
/// Fills `out` from the parsed instruction; false after Decoder::fail.
using DecodeFn = bool (*)(Decoder &, const OpRow &, const ast::Instruction &,
                          Instr &);

struct OpRow {
  /// Mnemonic, then modifier groups in order: `a|b` one of them, `[a|b]` at
  /// most one of them.
  const char *pattern;
  /// Operands of plain arithmetic: destinations, comma, sources; w, l, q: 32-,
  /// 64-, 128-bit registers, p: predicate, i: integer constant.
  const char *operands = "";
  DecodeFn decode = nullptr;
  AluOp alu = AluOp::count;
  uint8_t sub[3] = {0, 0, 0};
  Fidelity fidelity = Fidelity::exact;
  const char *source = ""; ///< section of the PTX ISA
  const char *note = "";
};

/// All rows, by class of instruction.
std::span<const OpRow> integerRows();
std::span<const OpRow> floatRows();
std::span<const OpRow> convertRows();
std::span<const OpRow> memoryRows();
std::span<const OpRow> controlRows();
std::span<const OpRow> syncRows();
std::span<const OpRow> bulkRows();
std::span<const OpRow> tensorRows();

/// The row that covers the opcode, or null. `reason` then says which modifier
/// is at fault where that can be told.
const OpRow *findRow(const ast::Instruction &instruction, std::string &reason);

/// Type by modifier name ("u32", "b64", "f16"); nullopt for others. The bits
/// types b8..b64 count as unsigned.
std::optional<NumType> numType(std::string_view name);

} // namespace tirx::rt::sim
