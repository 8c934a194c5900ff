//===- Directives.h - custom parts of assembly formats ----------*- C++ -*-===//
#pragma once

#include "tirx/Dialect/TIRx.h"

namespace tirx::ir {

/// `custom<ClusterSize>`: `(2, 1, 1)`.
mlir::ParseResult parseClusterSize(mlir::OpAsmParser &parser,
                                   mlir::DenseI64ArrayAttr &cluster);
void printClusterSize(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                      mlir::DenseI64ArrayAttr cluster);

/// `custom<WarpRange>`: `(5)`, or `(0 to 4)` for the warps 0 to 3.
mlir::ParseResult parseWarpRange(mlir::OpAsmParser &parser,
                                 mlir::IntegerAttr &first,
                                 mlir::IntegerAttr &warps);
void printWarpRange(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                    mlir::IntegerAttr first, mlir::IntegerAttr warps);

/// `custom<Signal>`: the keyword alone.
mlir::ParseResult parseSignal(mlir::OpAsmParser &parser,
                              PipelineSignalAttr &signal);
void printSignal(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                 PipelineSignalAttr signal);

} // namespace tirx::ir
