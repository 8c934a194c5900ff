//===- MmaTypes.cpp - element types that tcgen05.mma multiplies -----------===//

#include "tirx/Dialect/MmaTypes.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace tirx::ir;
namespace layout = tirx::layout;

namespace {
struct OperandType {
  bool (*matches)(Type);
  layout::MmaKind kind;
  layout::ElementType element;
};
} // namespace

static constexpr OperandType operandTypes[] = {
    {[](Type type) { return type.isF16(); }, layout::MmaKind::F16,
     layout::ElementType::F16},
    {[](Type type) { return type.isBF16(); }, layout::MmaKind::F16,
     layout::ElementType::BF16},
    {[](Type type) { return type.isF32(); }, layout::MmaKind::TF32,
     layout::ElementType::TF32},
    {[](Type type) { return isa<Float8E4M3FNType>(type); },
     layout::MmaKind::F8F6F4, layout::ElementType::E4M3},
    {[](Type type) { return isa<Float8E5M2Type>(type); },
     layout::MmaKind::F8F6F4, layout::ElementType::E5M2},
};

static const OperandType *findOperandType(Type type) {
  const auto *found = llvm::find_if(
      operandTypes, [&](const OperandType &o) { return o.matches(type); });
  return found == std::end(operandTypes) ? nullptr : found;
}

std::optional<MmaTypes> tirx::ir::getMmaTypes(Type a, Type b) {
  const OperandType *ofA = findOperandType(a), *ofB = findOperandType(b);
  if (!ofA || !ofB || ofA->kind != ofB->kind)
    return std::nullopt;
  // PTX ISA, "Instruction descriptor": kind::f16 has fields for both types, but
  // only f8f6f4 lets them differ.
  if (ofA != ofB && ofA->kind != layout::MmaKind::F8F6F4)
    return std::nullopt;
  return MmaTypes{ofA->kind, ofA->element, ofB->element};
}

std::string tirx::ir::listMmaTypes() {
  return "f16 by f16, bf16 by bf16, f32 by f32 (as tf32), or f8E4M3FN and "
         "f8E5M2 by each other";
}
