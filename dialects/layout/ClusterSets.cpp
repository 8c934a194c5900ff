//===- ClusterSets.cpp - CTAs of a cluster as sets of ranks ---------------===//
#include "tirx/Layout/ClusterSets.h"

#include "Detail.h"

#include <bit>

namespace tirx::layout {

Expected<void> checkCluster(ClusterDims dims) {
  int64_t size = 1;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] < 1 || dims[axis] > kMaxClusterSize)
      return detail::makeError("cluster extent {} along {} is outside [1, {}]",
                               dims[axis], "xyz"[axis], kMaxClusterSize);
    size *= dims[axis];
  }
  if (size > kMaxClusterSize)
    return detail::makeError("a cluster of {} x {} x {} CTAs has {}, above {}",
                             dims[0], dims[1], dims[2], size, kMaxClusterSize);
  return {};
}

int64_t clusterSize(ClusterDims dims) { return dims[0] * dims[1] * dims[2]; }

ClusterDims clusterCoordinates(ClusterDims dims, int64_t rank) {
  return {rank % dims[0], rank / dims[0] % dims[1], rank / (dims[0] * dims[1])};
}

int64_t clusterRank(ClusterDims dims, ClusterDims coordinates) {
  return coordinates[0] + dims[0] * (coordinates[1] + dims[1] * coordinates[2]);
}

int64_t clusterStride(ClusterDims dims, ClusterAxis axis) {
  int64_t stride = 1;
  for (size_t faster = 0; faster < size_t(axis); ++faster)
    stride *= dims[faster];
  return stride;
}

ClusterMask clusterLine(ClusterDims dims, ClusterAxis axis, int64_t rank) {
  ClusterDims coordinates = clusterCoordinates(dims, rank);
  uint32_t mask = 0;
  for (int64_t i = 0; i < dims[size_t(axis)]; ++i) {
    coordinates[size_t(axis)] = i;
    mask |= uint32_t(1) << clusterRank(dims, coordinates);
  }
  return ClusterMask(mask);
}

ClusterMask clusterLines(ClusterDims dims, std::span<const ClusterAxis> axes,
                         ClusterMask ranks) {
  ClusterMask mask = ranks;
  for (int64_t rank = 0; rank < clusterSize(dims); ++rank)
    if (ranks >> rank & 1)
      for (ClusterAxis axis : axes)
        mask |= clusterLine(dims, axis, rank);
  return mask;
}

ClusterMask clusterPair(int64_t rank) {
  return ClusterMask(uint32_t(3) << (rank & ~int64_t(1)));
}

int64_t clusterCount(ClusterMask mask) { return std::popcount(mask); }

} // namespace tirx::layout
