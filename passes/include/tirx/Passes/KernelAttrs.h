//===- KernelAttrs.h - what outlining says of a kernel ----------*- C++ -*-===//
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tirx::passes {

/// Attributes of tirx.kernel, set by tirx-outline-kernels: the numbers of the
/// arguments that the device code reads and writes (DenseI64ArrayAttr).
inline constexpr llvm::StringLiteral readArgumentsAttr = "tirx.reads";
inline constexpr llvm::StringLiteral writtenArgumentsAttr = "tirx.writes";

/// Unit attribute of tirx.kernel: the device code waits for the grid before it by
/// itself (tirx.griddepcontrol), so that it may be launched before that ends.
inline constexpr llvm::StringLiteral dependentLaunchAttr =
    "tirx.programmatic_dependent_launch";

} // namespace tirx::passes
