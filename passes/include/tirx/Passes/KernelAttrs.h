//===- KernelAttrs.h - what outlining says of a kernel ----------*- C++ -*-===//
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tirx::passes {

/// Attributes of tirx.kernel, set by tirx-outline-kernels: the numbers of the
/// arguments that the device code reads and writes (DenseI64ArrayAttr).
inline constexpr llvm::StringLiteral readArgumentsAttr = "tirx.reads";
inline constexpr llvm::StringLiteral writtenArgumentsAttr = "tirx.writes";

} // namespace tirx::passes
