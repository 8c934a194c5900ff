//===- MmaTypes.h - element types that tcgen05.mma multiplies ---*- C++ -*-===//
#pragma once

#include "tirx/Layout/InstrDescriptor.h"

#include "mlir/IR/Types.h"

#include <optional>
#include <string>

namespace tirx::ir {

/// What the hardware calls a pair of operand types.
struct MmaTypes {
  layout::MmaKind kind;
  layout::ElementType a, b;
};

/// nullopt unless one instruction multiplies `a` by `b` (PTX ISA, tcgen05.mma:
/// table of kinds): f16 or bf16 by itself, f32 by f32 (as tf32: the low 13 bits
/// of the fraction are ignored), f8E4M3FN and f8E5M2 in any pairing. All of
/// them accumulate in f32.
std::optional<MmaTypes> getMmaTypes(mlir::Type a, mlir::Type b);

/// "f16 by f16, ...": what getMmaTypes knows, for diagnostics.
std::string listMmaTypes();

} // namespace tirx::ir
