//===- TileOrder.h - from a tile's number to its coordinates ----*- C++ -*-===//
#pragma once

#include "tirx/Dialect/TIRx.h"

namespace tirx::passes {

/// The host values by which a schedule's tiles are found, and the device code
/// that finds them. The order is that of tirx/Layout/TileSchedule.h.
class TileOrder {
public:
  /// Computes the host values in front of the launch, which gets the check that
  /// tile numbers fit 32 bits.
  TileOrder(ir::ScheduleOp schedule, ir::LaunchOp launch);

  /// The number of tiles.
  mlir::Value getTiles() const { return tiles; }
  /// The number of clusters to launch, a CTA being one where there are none.
  mlir::Value getClusters() const { return clusters; }

  /// The coordinates of tile `number`, in device code: at most three divisions
  /// by values of the host.
  mlir::SmallVector<mlir::Value, 3> buildCoordinates(mlir::OpBuilder &builder,
                                                     mlir::Location loc,
                                                     mlir::Value number) const;

private:
  mlir::SmallVector<mlir::Value, 3> extents;
  int64_t group;
  mlir::Value tiles, clusters;
  /// Tiles of one batch and of one whole group; null where not needed.
  mlir::Value batchTiles, groupTiles;
};

/// The number of this CTA's cluster, or of the CTA where there are none.
mlir::Value buildClusterNumber(mlir::OpBuilder &builder, mlir::Location loc,
                               ir::LaunchOp launch);

/// Moves the loop's body to the builder's place, for tile `number`.
void inlineTile(mlir::OpBuilder &builder, ir::ForTilesOp loop,
                const TileOrder &order, mlir::Value number);

} // namespace tirx::passes
