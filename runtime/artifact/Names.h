//===- Names.h - how a manifest spells enumerators --------------*- C++ -*-===//
#pragma once

#include "tirx/Runtime/Artifact.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace tirx::rt {

/// Names in the order of the enumerators, which start at 0.
template <typename Enum> struct EnumNames;

#define TIRX_ENUM_NAMES(TYPE, WHAT, ...)                                       \
  template <> struct EnumNames<TYPE> {                                         \
    static constexpr std::string_view what = WHAT;                             \
    static constexpr auto names =                                              \
        std::to_array<std::string_view>({__VA_ARGS__});                        \
  }

TIRX_ENUM_NAMES(HostExpr::Kind, "expression", "constant", "dim", "stride",
                "scalar", "sm_count", "add", "sub", "mul", "floordiv",
                "ceildiv", "mod", "min", "max", "eq", "ne", "lt", "le", "gt",
                "ge", "logical_and", "logical_or", "select");
TIRX_ENUM_NAMES(Argument::Kind, "argument kind", "tensor", "scalar");
TIRX_ENUM_NAMES(Argument::Access, "access", "read", "write", "read_write");
TIRX_ENUM_NAMES(Parameter::Kind, "parameter kind", "pointer", "value", "scalar",
                "tensor_map");
TIRX_ENUM_NAMES(TensorMapRecipe::Swizzle, "swizzle", "none", "32B", "64B",
                "128B", "128B_ATOM_32B");
TIRX_ENUM_NAMES(TensorMapRecipe::L2Promotion, "L2 promotion", "none", "64B",
                "128B", "256B");
TIRX_ENUM_NAMES(TensorMapRecipe::OobFill, "out-of-bounds fill", "zero", "nan");

#undef TIRX_ENUM_NAMES

template <typename Enum> std::string nameOfEnum(Enum value) {
  const auto &names = EnumNames<Enum>::names;
  const auto index = static_cast<size_t>(value);
  return std::string(index < names.size() ? names[index] : "invalid");
}

template <typename Enum> std::optional<Enum> parseEnum(std::string_view name) {
  const auto &names = EnumNames<Enum>::names;
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == name)
      return static_cast<Enum>(i);
  return std::nullopt;
}

/// Operands that an expression of this kind has.
constexpr size_t operandCount(HostExpr::Kind kind) {
  if (kind == HostExpr::Kind::select)
    return 3;
  return kind >= HostExpr::Kind::add ? 2 : 0;
}

} // namespace tirx::rt
