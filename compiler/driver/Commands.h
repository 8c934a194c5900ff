//===- Commands.h - the subcommands of tirxc --------------------*- C++ -*-===//
#pragma once

#include "tirx/Compiler/Compiler.h"
#include "tirx/Runtime/Error.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace tirx::driver {

using Arguments = llvm::ArrayRef<std::string>;

/// `tirxc FILE.mlir`: compile to a file or stdout.
rt::Expected<void> compileCommand(Arguments arguments);
/// `tirxc run FILE`: compile if need be, and launch a kernel.
rt::Expected<void> runCommand(Arguments arguments);
/// `tirxc info FILE.txk`: print an artifact's manifest.
rt::Expected<void> infoCommand(Arguments arguments);
/// `tirxc gen gemm`: write a kernel as IR, chosen for a problem.
rt::Expected<void> genCommand(Arguments arguments);
/// `tirxc layout LAYOUT`: describe, evaluate and draw a layout.
rt::Expected<void> layoutCommand(Arguments arguments);
/// `tirxc descriptor 0x...`: decode a matrix or instruction descriptor. Error
/// also when it is illegal, after its fields are printed.
rt::Expected<void> descriptorCommand(Arguments arguments);

/// The text of --help of `tirxc` itself, which compiles.
std::string compileHelp();

/// Reads a source file; "-" is stdin. Errors name the path and the cause.
rt::Expected<std::string> readSource(const std::string &path);
/// Writes to stdout. Error: it is closed or full.
rt::Expected<void> writeStdout(llvm::StringRef text);
/// Prints "tirxc: warning: ..." for each.
void printWarnings(const std::vector<std::string> &warnings);
/// The only operand. Errors: none, or more than one.
rt::Expected<std::string> onlyOperand(const std::vector<std::string> &operands,
                                      llvm::StringRef what);
/// Parses --retype's "f16:bf16" items.
rt::Expected<std::vector<std::pair<std::string, std::string>>>
parseRetype(const std::vector<std::string> &items);

} // namespace tirx::driver
