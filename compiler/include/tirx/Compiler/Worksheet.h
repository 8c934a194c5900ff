//===- Worksheet.h - what a kernel's roles share and hand over --*- C++ -*-===//
#pragma once

#include "tirx/Compiler/Compiler.h"

namespace tirx {

/// Describes the kernels of a module, textual IR or bytecode, as tables of text
/// (docs/worksheet.md): grid and schedules, roles, hand-offs, storage,
/// registers, tensor maps. Of `options` it reads `target` and `retype`. Names
/// are those of the text; of bytecode they are numbers. Errors carry all
/// diagnostics of what does not pass the checks, or does not fit the target.
rt::Expected<std::string> worksheet(llvm::StringRef source,
                                    llvm::StringRef name,
                                    const CompileOptions &options = {});

} // namespace tirx
