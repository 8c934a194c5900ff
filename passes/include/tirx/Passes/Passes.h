//===- Passes.h - the passes over the tirx dialect --------------*- C++ -*-===//
#pragma once

#include "mlir/Pass/Pass.h"

#include <memory>

namespace tirx::passes {

#define GEN_PASS_DECL
#include "tirx/Passes/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tirx/Passes/Passes.h.inc"

} // namespace tirx::passes
