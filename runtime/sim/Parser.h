//===- Parser.h - PTX text to ast::Module -----------------------*- C++ -*-===//
#pragma once

#include "Ast.h"
#include "tirx/Runtime/Error.h"

#include <string_view>

namespace tirx::rt::sim {

/// Parses PTX. Registers, labels, variables and branch tables are resolved;
/// opcodes and operands' fitness are not looked at. Errors name the module,
/// the PTX line and its text.
Expected<ast::Module> parseModule(std::string_view text, std::string_view name);

/// The message of an error at a PTX line: "NAME:LINE: WHAT\n  | TEXT".
std::string ptxMessage(const ast::Module &module, uint32_t line,
                       std::string_view what);

} // namespace tirx::rt::sim
