//===- GlobalAddress.h - addresses in kernel arguments ----------*- C++ -*-===//
#pragma once

#include "../dispatch/Plans.h"

namespace tirx::passes {

/// Offset in elements (i64) of the tile's first element in its argument.
mlir::Value buildTileBase(mlir::OpBuilder &builder, mlir::Location loc,
                          const GlobalTile &tile);

/// `base` plus coordinates (index) times the argument's strides; coordinates
/// that are constant zero cost nothing. Fewer coordinates than axes are those
/// of the last axes.
mlir::Value buildElementOffset(mlir::OpBuilder &builder, mlir::Location loc,
                               const GlobalTile &tile, mlir::Value base,
                               llvm::ArrayRef<mlir::OpFoldResult> coordinates);

} // namespace tirx::passes
