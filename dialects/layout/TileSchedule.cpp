//===- TileSchedule.cpp - the order of tiles, and who computes which ------===//
#include "tirx/Layout/TileSchedule.h"

#include "Detail.h"

#include <algorithm>

namespace tirx::layout {

Expected<void> checkTileGrid(const TileGrid &grid) {
  if (grid.group < 1)
    return detail::makeError("group {} must be positive", grid.group);
  for (size_t axis = 0; axis < grid.extents.size(); ++axis)
    if (grid.extents[axis] < 0)
      return detail::makeError("extent {} of coordinate {} is negative",
                               grid.extents[axis], axis);
  // An empty grid has no tiles, whatever its other extents.
  if (std::ranges::count(grid.extents, 0))
    return {};
  int64_t tiles = 1;
  for (int64_t extent : grid.extents) {
    if (extent > kMaxTiles / tiles)
      return detail::makeError("{} x {} x {} tiles are more than {}",
                               grid.extents[0], grid.extents[1],
                               grid.extents[2], kMaxTiles);
    tiles *= extent;
  }
  return {};
}

int64_t tileCount(const TileGrid &grid) {
  return grid.extents[0] * grid.extents[1] * grid.extents[2];
}

/// Rows of the group that begins at row `firstRow`.
static int64_t groupRows(const TileGrid &grid, int64_t firstRow) {
  return std::min(grid.group, grid.extents[0] - firstRow);
}

TileCoordinates tileCoordinates(const TileGrid &grid, int64_t number) {
  auto [rows, columns, batches] = grid.extents;
  int64_t batch = number / (rows * columns);
  int64_t inBatch = number % (rows * columns);
  int64_t groupTiles = std::min(grid.group, rows) * columns;
  int64_t firstRow = inBatch / groupTiles * grid.group;
  int64_t inGroup = inBatch % groupTiles;
  int64_t height = groupRows(grid, firstRow);
  return {firstRow + inGroup % height, inGroup / height, batch};
}

int64_t tileNumber(const TileGrid &grid, const TileCoordinates &tile) {
  auto [rows, columns, batches] = grid.extents;
  int64_t firstRow = tile[0] - tile[0] % grid.group;
  return tile[2] * rows * columns + firstRow * columns +
         tile[1] * groupRows(grid, firstRow) + (tile[0] - firstRow);
}

int64_t persistentClusters(int64_t tiles, int64_t smCount,
                           int64_t clusterCtas) {
  return std::max<int64_t>(std::min(tiles, smCount / clusterCtas), 1);
}

std::vector<int64_t> persistentTiles(int64_t tiles, int64_t clusters,
                                     int64_t cluster) {
  std::vector<int64_t> numbers;
  for (int64_t number = cluster; number < tiles; number += clusters)
    numbers.push_back(number);
  return numbers;
}

int64_t persistentCluster(int64_t clusters, int64_t number) {
  return number % clusters;
}

} // namespace tirx::layout
