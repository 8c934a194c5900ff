//===- TIRx.h - the tirx dialect: attributes, types, operations -*- C++ -*-===//
#pragma once

#include "tirx/Layout/Layout.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tirx::layout {
/// Layouts are parameters of an attribute, which MLIR keeps unique by hash.
llvm::hash_code hash_value(const Layout &layout);
} // namespace tirx::layout

#include "tirx/Dialect/TIRxDialect.h.inc"
#include "tirx/Dialect/TIRxEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tirx/Dialect/TIRxAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "tirx/Dialect/TIRxTypes.h.inc"

#define GET_OP_CLASSES
#include "tirx/Dialect/TIRxOps.h.inc"

namespace tirx::ir {

/// Shape of a buffer or register tile.
llvm::ArrayRef<int64_t> getTileShape(mlir::Type tile);
/// Element type of a buffer or register tile.
mlir::Type getTileElementType(mlir::Type tile);
/// `shape` without leading extents of 1, as long as it has more than `rank`.
llvm::ArrayRef<int64_t> dropLeadingUnits(llvm::ArrayRef<int64_t> shape,
                                         size_t rank);
/// "128x64xf16", for diagnostics.
std::string describeTile(mlir::Type tile);
/// Width of the swizzle span in bytes: 0, 32, 64 or 128.
unsigned getSwizzleBytes(SwizzleMode mode);

} // namespace tirx::ir
