//===- ClusterSets.h - CTAs of a cluster as sets of ranks -------*- C++ -*-===//
//
// Multicasts and commits name CTAs by a mask: bit r is the CTA whose
// %cluster_ctarank is r. Ranks count along x first, then y, then z (PTX ISA,
// "%cluster_ctarank").
//
//===----------------------------------------------------------------------===//
#ifndef TIRX_LAYOUT_CLUSTERSETS_H
#define TIRX_LAYOUT_CLUSTERSETS_H

#include "tirx/Layout/Support.h"

#include <array>

namespace tirx::layout {

/// CTAs of a cluster along x, y and z.
using ClusterDims = std::array<int64_t, 3>;
enum class ClusterAxis : uint8_t { X, Y, Z };
/// A set of CTAs: bit r is the CTA of rank r.
using ClusterMask = uint16_t;

/// A mask has 16 bits. Clusters above 8 CTAs need the launch to allow a
/// non-portable size (CUDA programming guide, "Thread Block Clusters").
inline constexpr int64_t kMaxClusterSize = 16;

/// Error: an extent below 1, or more than kMaxClusterSize CTAs together. The
/// other functions want dims without that error, and ranks of CTAs in them.
Expected<void> checkCluster(ClusterDims dims);

/// CTAs of the cluster.
int64_t clusterSize(ClusterDims dims);
/// %cluster_ctaid of the CTA of rank `rank`: x, y, z.
ClusterDims clusterCoordinates(ClusterDims dims, int64_t rank);
/// The inverse of clusterCoordinates.
int64_t clusterRank(ClusterDims dims, ClusterDims coordinates);

/// By how much the ranks of neighbours along `axis` differ.
int64_t clusterStride(ClusterDims dims, ClusterAxis axis);
/// The CTAs along `axis` through the CTA of rank `rank`, itself included. It is
/// that through rank 0, shifted left by rank - coordinate * stride.
ClusterMask clusterLine(ClusterDims dims, ClusterAxis axis, int64_t rank = 0);
/// The union of the lines along each of `axes` through each CTA of `ranks`; no
/// axes give `ranks` themselves. With the axes of a kernel's multicasts these
/// are the CTAs whose copies reach the CTAs of `ranks`, and whom these must
/// tell that a slot is free.
ClusterMask clusterLines(ClusterDims dims, std::span<const ClusterAxis> axes,
                         ClusterMask ranks);

/// The two CTAs of cta_group::2 to which `rank` belongs: ranks that differ in
/// bit 0 (PTX ISA, "tcgen05: CTA pair").
ClusterMask clusterPair(int64_t rank);
/// Number of CTAs in a set.
int64_t clusterCount(ClusterMask mask);

} // namespace tirx::layout

#endif // TIRX_LAYOUT_CLUSTERSETS_H
