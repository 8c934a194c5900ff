//===- TileSchedule.h - the order of tiles, and who computes which --*- C++
//-*-===//
//
// Tiles are numbered so that a group of rows (values of the first coordinate)
// is walked together, column by column; then the next group. What is left of
// the rows is a smaller group. A third coordinate runs slowest.
//
//===----------------------------------------------------------------------===//
#ifndef TIRX_LAYOUT_TILESCHEDULE_H
#define TIRX_LAYOUT_TILESCHEDULE_H

#include "tirx/Layout/Support.h"

#include <array>

namespace tirx::layout {

/// Coordinates of a tile, in tiles: row, column, batch.
using TileCoordinates = std::array<int64_t, 3>;

struct TileGrid {
  /// Tiles along each coordinate; 1 for coordinates that there are not.
  TileCoordinates extents{1, 1, 1};
  /// Rows of a group.
  int64_t group = 1;
};

/// Device code counts tiles in 32 bits, signed.
inline constexpr int64_t kMaxTiles = (int64_t(1) << 31) - 1;

/// Error: a negative extent, a group below 1, more than kMaxTiles tiles. The
/// other functions want grids without that error.
Expected<void> checkTileGrid(const TileGrid &grid);

/// Tiles of the grid; 0 if an extent is 0.
int64_t tileCount(const TileGrid &grid);

/// The tile with number `number`, in [0, tileCount).
TileCoordinates tileCoordinates(const TileGrid &grid, int64_t number);

/// The inverse of tileCoordinates.
int64_t tileNumber(const TileGrid &grid, const TileCoordinates &tile);

/// Clusters of `clusterCtas` CTAs (positive) that a persistent kernel launches:
/// one CTA an SM, not more clusters than tiles, at least one.
int64_t persistentClusters(int64_t tiles, int64_t smCount, int64_t clusterCtas);

/// The numbers of the tiles that cluster `cluster` of `clusters` computes, in
/// order: cluster, cluster + clusters, ...
std::vector<int64_t> persistentTiles(int64_t tiles, int64_t clusters,
                                     int64_t cluster);

/// The inverse of persistentTiles: the cluster that computes tile `number`.
int64_t persistentCluster(int64_t clusters, int64_t number);

} // namespace tirx::layout

#endif // TIRX_LAYOUT_TILESCHEDULE_H
