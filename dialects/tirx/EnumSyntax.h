//===- EnumSyntax.h - keywords of enumerations, with errors ------*- C++
//-*-===//
#pragma once

#include "tirx/Dialect/TIRx.h"

namespace tirx::ir {

/// What diagnostics call a value of the enumeration.
template <typename EnumT> constexpr llvm::StringLiteral enumTitle = "";
template <>
inline constexpr llvm::StringLiteral enumTitle<MemorySpace> = "memory space";
template <>
inline constexpr llvm::StringLiteral enumTitle<ThreadAxis> = "thread axis";
template <> inline constexpr llvm::StringLiteral enumTitle<FenceKind> = "fence";
template <>
inline constexpr llvm::StringLiteral enumTitle<GridDepAction> =
    "griddepcontrol action";
template <>
inline constexpr llvm::StringLiteral enumTitle<SetMaxNRegAction> =
    "setmaxnreg action";
template <>
inline constexpr llvm::StringLiteral enumTitle<Tcgen05WaitKind> =
    "tcgen05.wait kind";
template <>
inline constexpr llvm::StringLiteral enumTitle<PipelineSignal> =
    "pipeline signal";
template <>
inline constexpr llvm::StringLiteral enumTitle<ScheduleKind> = "schedule";
template <>
inline constexpr llvm::StringLiteral enumTitle<ClcQuery> = "clc query";
template <>
inline constexpr llvm::StringLiteral enumTitle<SwizzleMode> = "swizzle";
template <> inline constexpr llvm::StringLiteral enumTitle<MajorMode> = "major";
template <>
inline constexpr llvm::StringLiteral enumTitle<Tcgen05LdStShape> =
    "tcgen05.ld and st shape";

/// The names of all values: "a, b or c". Values count from 0 without gaps.
template <typename EnumT> std::string listEnum() {
  std::string list;
  for (unsigned value = 0;; ++value) {
    llvm::StringRef name = stringifyEnum(static_cast<EnumT>(value));
    if (name.empty())
      return list;
    bool last = stringifyEnum(static_cast<EnumT>(value + 1)).empty();
    if (value)
      list += last ? " or " : ", ";
    list += name;
  }
}

/// The value that `name`, read at `location`, stands for. An error lists all.
template <typename EnumT>
mlir::ParseResult resolveEnumKeyword(mlir::AsmParser &parser,
                                     llvm::SMLoc location, llvm::StringRef name,
                                     EnumT &value) {
  if (std::optional<EnumT> known = symbolizeEnum<EnumT>(name)) {
    value = *known;
    return mlir::success();
  }
  return parser.emitError(location)
         << "unknown " << enumTitle<EnumT> << " '" << name << "': expected "
         << listEnum<EnumT>();
}

/// Parses a keyword; `custom<EnumKeyword>` in assembly formats.
template <typename EnumT>
mlir::ParseResult parseEnumKeyword(mlir::AsmParser &parser, EnumT &value) {
  llvm::SMLoc location = parser.getCurrentLocation();
  llvm::StringRef name;
  if (mlir::failed(parser.parseOptionalKeyword(&name)))
    return parser.emitError(location)
           << "expected a " << enumTitle<EnumT> << ": " << listEnum<EnumT>();
  return resolveEnumKeyword(parser, location, name, value);
}

template <typename EnumT>
void printEnumKeyword(mlir::AsmPrinter &printer, EnumT value) {
  printer << stringifyEnum(value);
}

} // namespace tirx::ir
