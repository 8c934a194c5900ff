//===- DumpAfter.h - print the module after passes --------------*- C++ -*-===//
#pragma once

#include "tirx/Runtime/Error.h"

#include "mlir/Pass/PassManager.h"

#include <string>
#include <vector>

namespace tirx {

/// The arguments ("canonicalize", ...) of a pipeline's passes, each once, in
/// the order in which they first run.
std::vector<std::string> passNames(mlir::PassManager &manager);

/// Makes `manager` print the module to stderr after each pass that is named, or
/// after all if "all" is among the names. Error: a name that is no pass of this
/// pipeline, with the names that are.
rt::Expected<void> dumpAfter(mlir::PassManager &manager,
                             const std::vector<std::string> &names);

} // namespace tirx
