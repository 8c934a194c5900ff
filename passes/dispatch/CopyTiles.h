//===- CopyTiles.h - the two ends of a copy ---------------------*- C++ -*-===//
#pragma once

#include "tirx/Dialect/TIRx.h"

namespace tirx::passes {

/// Source and destination of tirx.copy and tirx.copy_async alike. Of the two
/// tiles, a buffer is null where the tile is in registers, and vice versa.
struct CopyTiles {
  explicit CopyTiles(mlir::Operation *op);

  mlir::Value source, destination; ///< destination: buffer or result
  ir::BufferType sourceBuffer, destinationBuffer;
  mlir::RankedTensorType sourceTile, destinationTile;

  /// The shape that both have, without the leading unit extents that only a
  /// global side has.
  llvm::ArrayRef<int64_t> getShape() const;
  mlir::Type getElementType() const;
  unsigned getElementBits() const;
  /// The buffer of a copy between a buffer and a register tile.
  mlir::Value getMemory() const { return sourceBuffer ? source : destination; }
  ir::BufferType getMemoryType() const {
    return sourceBuffer ? sourceBuffer : destinationBuffer;
  }
  mlir::RankedTensorType getRegisterTile() const {
    return sourceTile ? sourceTile : destinationTile;
  }
  /// "global memory", "registers": for refusals.
  std::string describeSource() const;
  std::string describeDestination() const;
};

} // namespace tirx::passes
