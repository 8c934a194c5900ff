//===- Manifest.h - what the runtime must know of a kernel ------*- C++ -*-===//
#pragma once

#include "tirx/Runtime/Artifact.h"

#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace tirx {

/// The kernels of a module that has been through the pipeline: their arguments,
/// PTX parameters, launch rules and checks, without code. Errors name the
/// kernel and what of it cannot be described.
rt::Expected<std::vector<rt::Kernel>> buildManifest(mlir::ModuleOp module);

} // namespace tirx
