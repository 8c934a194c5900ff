//===- TIRxDialect.cpp - registration of the dialect ----------------------===//

#include "Directives.h"
#include "EnumSyntax.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tirx::ir;

#include "tirx/Dialect/TIRxDialect.cpp.inc"
#include "tirx/Dialect/TIRxEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "tirx/Dialect/TIRxAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "tirx/Dialect/TIRxTypes.cpp.inc"

#define GET_OP_CLASSES
#include "tirx/Dialect/TIRxOps.cpp.inc"

namespace {
/// Layouts are long and recur: print each once, under a name.
struct TIRxAsmInterface : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    if (!isa<LayoutAttr>(attr))
      return AliasResult::NoAlias;
    os << "layout";
    return AliasResult::OverridableAlias;
  }
};
} // namespace

/// Folding makes constants of index, integer and float type.
Operation *TIRxDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

void TIRxDialect::initialize() {
  addInterfaces<TIRxAsmInterface>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tirx/Dialect/TIRxAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "tirx/Dialect/TIRxTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tirx/Dialect/TIRxOps.cpp.inc"
      >();
}
