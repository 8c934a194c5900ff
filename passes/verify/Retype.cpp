//===- Retype.cpp - the twin of a kernel for another element type ---------===//

#include "tirx/Dialect/TIRx.h"
#include "tirx/Passes/Passes.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/SetVector.h"

namespace tirx::passes {
#define GEN_PASS_DEF_TIRXRETYPE
#include "tirx/Passes/Passes.h.inc"
} // namespace tirx::passes

using namespace mlir;

namespace {
struct RetypePass : tirx::passes::impl::TIRxRetypeBase<RetypePass> {
  using TIRxRetypeBase::TIRxRetypeBase;

  FloatType parseElementType(llvm::StringRef option, llvm::StringRef text) {
    // A syntax error is reported below, with the option's name.
    ScopedDiagnosticHandler silence(&getContext(),
                                    [](Diagnostic &) { return success(); });
    Type type = text.empty() ? Type() : parseType(text, &getContext());
    return dyn_cast_or_null<FloatType>(type);
  }

  void runOnOperation() override {
    FloatType fromType = parseElementType("from", from);
    FloatType toType = parseElementType("to", to);
    for (auto [name, text, type] :
         {std::tuple("from", &from, fromType), {"to", &to, toType}})
      if (!type) {
        getOperation().emitError("tirx-retype: ")
            << name << "='" << text->getValue() << "' is not a float type";
        return signalPassFailure();
      }
    if (fromType.getIntOrFloatBitWidth() != toType.getIntOrFloatBitWidth()) {
      getOperation().emitError("tirx-retype: ")
          << fromType << " has " << fromType.getIntOrFloatBitWidth()
          << " bits, " << toType << " has " << toType.getIntOrFloatBitWidth()
          << ": layouts would no longer fit";
      return signalPassFailure();
    }
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](Type type) -> std::optional<Type> {
      return type == fromType ? std::optional<Type>(toType) : std::nullopt;
    });
    // Constants carry their value in the old type's format.
    llvm::SetVector<Attribute> overflowing;
    auto convert = [&](Attribute constant, APFloat value) {
      bool losesInfo;
      if (value.convert(toType.getFloatSemantics(),
                        APFloat::rmNearestTiesToEven, &losesInfo) &
          APFloat::opOverflow)
        overflowing.insert(constant);
      return value;
    };
    using Replaced = std::optional<std::pair<Attribute, WalkResult>>;
    replacer.addReplacement([&](FloatAttr attr) -> Replaced {
      if (attr.getType() != fromType)
        return std::nullopt;
      return std::pair(FloatAttr::get(toType, convert(attr, attr.getValue())),
                       WalkResult::skip());
    });
    replacer.addReplacement([&](DenseFPElementsAttr attr) -> Replaced {
      if (attr.getElementType() != fromType)
        return std::nullopt;
      return std::pair(
          attr.mapValues(toType,
                         [&](const APFloat &value) {
                           return convert(attr, value).bitcastToAPInt();
                         }),
          WalkResult::skip());
    });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    for (Attribute constant : overflowing)
      getOperation().emitError("tirx-retype: constant ")
          << constant << " is too large for " << toType;
    if (!overflowing.empty())
      signalPassFailure();
  }
};
} // namespace
