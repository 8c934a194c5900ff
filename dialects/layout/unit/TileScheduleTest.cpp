//===- TileScheduleTest.cpp -----------------------------------------------===//
#include "TestSupport.h"

#include "tirx/Layout/TileSchedule.h"

#include <algorithm>

using namespace tirx::layout;
using namespace tirx::layout::test;

namespace {
/// A tile, for messages.
std::string describe(const TileGrid &grid, int64_t number) {
  return std::to_string(grid.extents[0]) + "x" +
         std::to_string(grid.extents[1]) + "x" +
         std::to_string(grid.extents[2]) + " in groups of " +
         std::to_string(grid.group) + ", tile " + std::to_string(number);
}

/// The first number whose tile is outside of the grid, was visited before, or
/// has another number; all of them have one of their own if there is none.
std::string findWrongTile(const TileGrid &grid) {
  auto [rows, columns, batches] = grid.extents;
  std::vector<bool> visited(tileCount(grid));
  for (int64_t number = 0; number < tileCount(grid); ++number) {
    TileCoordinates tile = tileCoordinates(grid, number);
    for (size_t axis = 0; axis < 3; ++axis)
      if (tile[axis] < 0 || tile[axis] >= grid.extents[axis])
        return describe(grid, number) + " is outside";
    int64_t place = (tile[2] * rows + tile[0]) * columns + tile[1];
    if (visited[place])
      return describe(grid, number) + " is visited twice";
    visited[place] = true;
    if (tileNumber(grid, tile) != number)
      return describe(grid, number) + " has another number";
  }
  return {};
}

std::vector<int64_t> numbersOfRow(const TileGrid &grid, int64_t row) {
  std::vector<int64_t> numbers;
  for (int64_t column = 0; column < grid.extents[1]; ++column)
    numbers.push_back(tileNumber(grid, {row, column, 0}));
  return numbers;
}
} // namespace

TEST_CASE("every tile has exactly one number") {
  for (int64_t rows = 1; rows <= 20; ++rows)
    for (int64_t columns = 1; columns <= 20; ++columns)
      for (int64_t group = 1; group <= 20; ++group)
        for (int64_t batches = 1; batches <= 3; ++batches) {
          std::string wrong = findWrongTile({{rows, columns, batches}, group});
          if (!wrong.empty())
            FAIL(wrong);
        }
  // Those in which TVM's serpentine order of 8x8 blocks loses tiles.
  CHECK(tileCount({{10, 10, 1}, 8}) == 100);
  CHECK(tileCount({{3, 10, 1}, 8}) == 30);
}

TEST_CASE("groups of rows are walked together") {
  // TIRx's 4x4 tiles in groups of 2.
  TileGrid grid{{4, 4, 1}, 2};
  CHECK(numbersOfRow(grid, 0) == std::vector<int64_t>{0, 2, 4, 6});
  CHECK(numbersOfRow(grid, 1) == std::vector<int64_t>{1, 3, 5, 7});
  CHECK(numbersOfRow(grid, 2) == std::vector<int64_t>{8, 10, 12, 14});
  CHECK(numbersOfRow(grid, 3) == std::vector<int64_t>{9, 11, 13, 15});
  // The last group has one row: its tiles follow each other.
  grid.extents[0] = 3;
  CHECK(numbersOfRow(grid, 2) == std::vector<int64_t>{8, 9, 10, 11});
  // Groups of one row are row-major, one of all rows is column-major.
  CHECK(tileCoordinates({{3, 4, 1}, 1}, 5) == TileCoordinates{1, 1, 0});
  CHECK(tileCoordinates({{3, 4, 1}, 9}, 5) == TileCoordinates{2, 1, 0});
  // Batches follow each other, each with its own residual group.
  CHECK(tileCoordinates({{3, 4, 2}, 2}, 12 + 9) == TileCoordinates{2, 1, 1});
}

TEST_CASE("persistent clusters share all tiles") {
  for (int64_t smCount : {1, 2, 3, 7, 8, 132, 148})
    for (int64_t clusterCtas : {1, 2, 3, 4, 8, 16})
      for (int64_t tiles = 0; tiles <= 400; ++tiles) {
        int64_t clusters = persistentClusters(tiles, smCount, clusterCtas);
        INFO(tiles << " tiles, " << smCount << " SMs, clusters of "
                   << clusterCtas);
        REQUIRE(clusters >= 1);
        REQUIRE(clusters <= std::max<int64_t>(tiles, 1));
        if (clusters > 1)
          REQUIRE(clusters * clusterCtas <= smCount);
        std::vector<int64_t> all;
        for (int64_t cluster = 0; cluster < clusters; ++cluster)
          for (int64_t number : persistentTiles(tiles, clusters, cluster)) {
            if (persistentCluster(clusters, number) != cluster)
              FAIL("tile " << number << " belongs to another cluster");
            all.push_back(number);
          }
        std::ranges::sort(all);
        REQUIRE((int64_t)all.size() == tiles);
        for (int64_t number = 0; number < tiles; ++number)
          if (all[number] != number)
            FAIL("tile " << number << " is not computed once");
      }
  CHECK(persistentClusters(1000, 148, 2) == 74);
  CHECK(persistentClusters(1000, 7, 2) == 3);
  CHECK(persistentClusters(1000, 1, 2) == 1);
  CHECK(persistentTiles(12, 4, 1) == std::vector<int64_t>{1, 5, 9});
}

TEST_CASE("grids that cannot be dealt out") {
  CHECK(errorOf(checkTileGrid({{1, 1, 1}, 0})) == "group 0 must be positive");
  CHECK(errorOf(checkTileGrid({{1, -2, 1}, 1})) ==
        "extent -2 of coordinate 1 is negative");
  CHECK(errorOf(checkTileGrid({{65536, 32768, 1}, 1})) ==
        "65536 x 32768 x 1 tiles are more than 2147483647");
  CHECK(checkTileGrid({{kMaxTiles, 1, 1}, 8}));
  CHECK(checkTileGrid({{kMaxTiles, kMaxTiles, 0}, 8}));
}

TEST_CASE("the largest grids do not overflow") {
  for (TileGrid grid :
       {TileGrid{{kMaxTiles, 1, 1}, kMaxTiles}, TileGrid{{1, kMaxTiles, 1}, 20},
        TileGrid{{46340, 46340, 1}, 7}, TileGrid{{1290, 1290, 1290}, 1290}}) {
    REQUIRE(checkTileGrid(grid));
    for (int64_t number :
         {int64_t(0), tileCount(grid) / 2, tileCount(grid) - 1}) {
      INFO(describe(grid, number));
      CHECK(tileNumber(grid, tileCoordinates(grid, number)) == number);
    }
  }
}
