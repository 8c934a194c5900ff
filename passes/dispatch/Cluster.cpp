//===- Cluster.cpp - the cluster of a launch ------------------------------===//

#include "Plans.h"

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;
namespace layout = tirx::layout;

layout::ClusterDims tirx::passes::getClusterDims(Operation *op) {
  auto launch = op->getParentOfType<LaunchOp>();
  return launch ? launch.getClusterSize() : layout::ClusterDims{1, 1, 1};
}

layout::ClusterAxis tirx::passes::toClusterAxis(ThreadAxis axis) {
  switch (axis) {
  case ThreadAxis::cbx:
    return layout::ClusterAxis::X;
  case ThreadAxis::cby:
    return layout::ClusterAxis::Y;
  default: // The operation has verified the axis.
    return layout::ClusterAxis::Z;
  }
}

Planned<void> tirx::passes::checkCtaGroup(Operation *op, int64_t group) {
  if (group == 1 || !op->getParentOfType<LaunchOp>())
    return {};
  int64_t size = layout::clusterSize(getClusterDims(op));
  if (size % 2)
    return refuse(
        "cta_group(2) pairs the CTAs of a cluster, and the launch has "
        "clusters of " +
        llvm::Twine(size));
  return {};
}
