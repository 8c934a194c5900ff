//===- TIRxAttrs.cpp - layouts and descriptors ----------------------------===//

#include "tirx/Dialect/TIRx.h"
#include "tirx/Layout/Proofs.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/Hashing.h"

using namespace mlir;
using namespace tirx::ir;

llvm::hash_code tirx::layout::hash_value(const Layout &layout) {
  return llvm::hash_code(layout::hash(layout));
}

//===----------------------------------------------------------------------===//
// LayoutAttr
//===----------------------------------------------------------------------===//

/// Consumes the tokens of a layout up to (not including) the closing '>'.
static ParseResult skipLayoutTokens(AsmParser &parser, int depth = 0) {
  auto bracketed = [&](auto open, auto close, auto optionalClose) {
    if (failed((parser.*open)()))
      return std::optional<ParseResult>();
    if (succeeded((parser.*optionalClose)()))
      return std::optional<ParseResult>(success());
    if (skipLayoutTokens(parser, depth + 1) || (parser.*close)())
      return std::optional<ParseResult>(failure());
    return std::optional<ParseResult>(success());
  };
  // Brackets nest two deep at most in the notation.
  if (depth > 4)
    return parser.emitError(parser.getCurrentLocation(),
                            "layout is nested too deeply");
  while (true) {
    llvm::StringRef keyword;
    int64_t integer;
    StringAttr axis;
    OptionalParseResult number = parser.parseOptionalInteger(integer);
    if (number.has_value()) {
      if (failed(*number))
        return failure();
      continue;
    }
    if (succeeded(parser.parseOptionalKeyword(&keyword)) ||
        succeeded(parser.parseOptionalSymbolName(axis)) ||
        succeeded(parser.parseOptionalColon()) ||
        succeeded(parser.parseOptionalComma()) ||
        succeeded(parser.parseOptionalPlus()) ||
        succeeded(parser.parseOptionalMinus()))
      continue;
    if (auto square = bracketed(&AsmParser::parseOptionalLSquare,
                                &AsmParser::parseRSquare,
                                &AsmParser::parseOptionalRSquare)) {
      if (failed(*square))
        return failure();
      continue;
    }
    if (auto paren =
            bracketed(&AsmParser::parseOptionalLParen, &AsmParser::parseRParen,
                      &AsmParser::parseOptionalRParen)) {
      if (failed(*paren))
        return failure();
      continue;
    }
    return success();
  }
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  // The layout library reads the text itself, so that there is one grammar.
  const char *begin = parser.getCurrentLocation().getPointer();
  if (skipLayoutTokens(parser))
    return {};
  const char *end = parser.getCurrentLocation().getPointer();
  std::string_view text(begin, end - begin);
  if (parser.parseGreater())
    return {};
  auto layout = layout::parseLayout(text);
  if (!layout) {
    // The location says the column.
    int column = layout.error().column;
    llvm::StringRef message = layout.error().message;
    message.consume_front("column " + std::to_string(column) + ": ");
    parser.emitError(
        llvm::SMLoc::getFromPointer(begin + std::max(column - 1, 0)))
        << "layout: " << message;
    return {};
  }
  return LayoutAttr::get(parser.getContext(), *layout);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << '<' << layout::toString(getValue()) << '>';
}

LogicalResult LayoutAttr::verifyEncoding(
    llvm::ArrayRef<int64_t> shape, Type elementType,
    llvm::function_ref<InFlightDiagnostic()> emitError) const {
  if (ShapedType::isDynamicShape(shape))
    return emitError() << "a register tile needs static extents";
  if (auto covers = layout::checkCovers(getValue(), shape); !covers)
    return emitError() << "layout " << *this << ": " << covers.error().message;
  if (getValue().swizzle)
    return emitError() << "layout " << *this
                       << " of a register tile may not be swizzled: registers "
                          "have no address";
  if (auto scope = layout::scopeOf(getValue().tile); !scope)
    return emitError() << "layout " << *this << ": " << scope.error().message;
  for (layout::Axis axis : layout::axes(getValue().tile))
    if (layout::isMemory(axis) && axis != layout::Axis::m)
      return emitError() << "layout " << *this << " of a register tile uses "
                         << layout::toString(axis)
                         << "; only thread axes and m have a meaning there";
  auto bounds = layout::proveInBounds(getValue(), layout::hardwareBounds());
  if (!bounds || !*bounds)
    return emitError() << "layout " << *this << ": "
                       << (bounds ? bounds->witness->message
                                  : bounds.error().message);
  auto injective = layout::proveInjective(getValue());
  if (!injective || !*injective)
    return emitError() << "layout " << *this << ": "
                       << (injective ? injective->witness->message
                                     : injective.error().message);
  return success();
}

//===----------------------------------------------------------------------===//
// SmemDescAttr
//===----------------------------------------------------------------------===//

LogicalResult
SmemDescAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                     int64_t lbo, int64_t sbo, SwizzleMode, MajorMode) {
  // Both are 14-bit fields in units of 16 bytes (PTX ISA, "Shared memory
  // descriptor").
  for (auto [name, offset] : {std::pair("lbo", lbo), {"sbo", sbo}})
    if (offset < 0 || offset % 16 || offset >> 4 >= (1 << 14))
      return emitError() << name << " = " << offset
                         << " must be a multiple of 16 below 262144";
  return success();
}
