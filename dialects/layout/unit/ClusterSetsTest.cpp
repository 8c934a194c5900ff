//===- ClusterSetsTest.cpp ------------------------------------------------===//
#include "TestSupport.h"

#include "tirx/Layout/ClusterSets.h"

using namespace tirx::layout;
using namespace tirx::layout::test;

namespace {
/// All clusters that there are.
std::vector<ClusterDims> allClusters() {
  std::vector<ClusterDims> clusters;
  for (int64_t x = 1; x <= kMaxClusterSize; ++x)
    for (int64_t y = 1; y <= kMaxClusterSize / x; ++y)
      for (int64_t z = 1; z <= kMaxClusterSize / (x * y); ++z)
        clusters.push_back({x, y, z});
  return clusters;
}
constexpr ClusterAxis allAxes[] = {ClusterAxis::X, ClusterAxis::Y,
                                   ClusterAxis::Z};
} // namespace

TEST_CASE("ranks and coordinates are one to one, x fastest") {
  for (ClusterDims dims : allClusters()) {
    REQUIRE(checkCluster(dims));
    int64_t rank = 0;
    for (int64_t z = 0; z < dims[2]; ++z)
      for (int64_t y = 0; y < dims[1]; ++y)
        for (int64_t x = 0; x < dims[0]; ++x, ++rank) {
          INFO(dims[0] << "x" << dims[1] << "x" << dims[2] << " rank " << rank);
          CHECK(clusterRank(dims, {x, y, z}) == rank);
          CHECK(clusterCoordinates(dims, rank) == ClusterDims{x, y, z});
        }
    CHECK(rank == clusterSize(dims));
  }
}

TEST_CASE("a line holds the CTAs that differ in one coordinate only") {
  for (ClusterDims dims : allClusters())
    for (ClusterAxis axis : allAxes)
      for (int64_t rank = 0; rank < clusterSize(dims); ++rank) {
        ClusterDims mine = clusterCoordinates(dims, rank);
        uint32_t expected = 0;
        for (int64_t other = 0; other < clusterSize(dims); ++other) {
          ClusterDims its = clusterCoordinates(dims, other);
          its[size_t(axis)] = mine[size_t(axis)];
          if (its == mine)
            expected |= 1u << other;
        }
        ClusterMask line = clusterLine(dims, axis, rank);
        CHECK(line == expected);
        CHECK(clusterCount(line) == dims[size_t(axis)]);
        // The form that code on the device computes.
        int64_t shift = rank - mine[size_t(axis)] * clusterStride(dims, axis);
        CHECK(line == ClusterMask(clusterLine(dims, axis) << shift));
      }
}

TEST_CASE("masks of known clusters") {
  constexpr ClusterDims wide{4, 2, 1};
  CHECK(clusterLine(wide, ClusterAxis::X, 6) == 0xF0);
  CHECK(clusterLine(wide, ClusterAxis::Y, 6) == 0x44);
  CHECK(clusterLine(wide, ClusterAxis::Z, 6) == 0x40);
  CHECK(clusterLine({16, 1, 1}, ClusterAxis::X, 15) == 0xFFFF);
  CHECK(clusterStride(wide, ClusterAxis::Y) == 4);
  CHECK(clusterStride(wide, ClusterAxis::Z) == 8);
}

TEST_CASE("unions of lines tell whose copies reach a set of CTAs") {
  constexpr ClusterDims wide{4, 2, 1};
  constexpr ClusterAxis both[] = {ClusterAxis::X, ClusterAxis::Y};
  CHECK(clusterLines(wide, both, 1 << 6) == 0xF4);
  CHECK(clusterLines(wide, {}, 0x42) == 0x42);
  CHECK(clusterLines(wide, std::span(both).subspan(1), clusterPair(6)) == 0xCC);
  // Reaching is mutual: a free slot is told to those who fill it.
  for (ClusterDims dims : allClusters())
    for (int64_t a = 0; a < clusterSize(dims); ++a)
      for (int64_t b = 0; b < clusterSize(dims); ++b)
        CHECK((clusterLines(dims, both, ClusterMask(1 << a)) >> b & 1) ==
              (clusterLines(dims, both, ClusterMask(1 << b)) >> a & 1));
}

TEST_CASE("pairs differ in the lowest bit of the rank") {
  CHECK(clusterPair(0) == 0x3);
  CHECK(clusterPair(1) == 0x3);
  CHECK(clusterPair(6) == 0xC0);
  CHECK(clusterPair(15) == 0xC000);
}

TEST_CASE("clusters that there are not") {
  CHECK(errorOf(checkCluster({0, 1, 1})) ==
        "cluster extent 0 along x is outside [1, 16]");
  CHECK(errorOf(checkCluster({1, 17, 1})) ==
        "cluster extent 17 along y is outside [1, 16]");
  CHECK(errorOf(checkCluster({4, 2, 4})) ==
        "a cluster of 4 x 2 x 4 CTAs has 32, above 16");
  CHECK(checkCluster({4, 2, 2}));
}
