//===- Plans.h - what each dispatch variant will do -------------*- C++ -*-===//
//
// Plans are pure functions of the operation. `tirx-dispatch` asks whether there
// is one, the lowering carries it out: both see the same conditions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Variant.h"

#include "tirx/Dialect/TIRx.h"
#include "tirx/Layout/ClusterSets.h"

#include "llvm/ADT/SmallVector.h"

namespace tirx::passes {

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

/// CTAs of a cluster of the launch around `op`; one without a launch.
layout::ClusterDims getClusterDims(mlir::Operation *op);

/// The axis of a multicast: cbx, cby or cbz.
layout::ClusterAxis toClusterAxis(ir::ThreadAxis axis);

/// Refused if `group` is 2 and the launch around `op` has no pairs of CTAs.
Planned<void> checkCtaGroup(mlir::Operation *op, int64_t group);

//===----------------------------------------------------------------------===//
// Global buffers
//===----------------------------------------------------------------------===//

/// A tile of a kernel argument: the argument and where the tile begins.
struct GlobalTile {
  mlir::BlockArgument argument;
  llvm::SmallVector<mlir::Value> offsets; ///< one an axis, of type index
};

/// Follows slices to the argument. Refused if the buffer is something else.
Planned<GlobalTile> findGlobalTile(mlir::Value buffer);

//===----------------------------------------------------------------------===//
// Register tiles
//===----------------------------------------------------------------------===//

/// Refused if the launch around `op` lacks threads that the layout names.
Planned<void> checkThreads(mlir::Operation *op,
                           const layout::TileLayout &layout);

/// For each register of the result the source's that holds its element. Refused
/// if that differs between threads, or another thread holds it.
Planned<llvm::SmallVector<int64_t>> planBroadcast(ir::BroadcastOp op);

//===----------------------------------------------------------------------===//
// vector: ld and st of up to 16 bytes
//===----------------------------------------------------------------------===//

/// A copy between global and shared memory by all threads of the CTA.
struct VectorCopyPlan {
  int64_t vectorElements; ///< elements of one access
};
Planned<VectorCopyPlan> planVectorCopy(mlir::Operation *op);

/// A copy between a register tile and global or shared memory: every thread
/// moves its own registers.
struct RegisterCopyPlan {
  int64_t vectorElements;
  int64_t registers; ///< elements of the tile that a thread holds
};
Planned<RegisterCopyPlan> planRegisterCopy(mlir::Operation *op);

//===----------------------------------------------------------------------===//
// tma
//===----------------------------------------------------------------------===//

/// What one CTA contributes to a multicast: of the tile's rows the CTA with
/// coordinate i along the axis loads rows i * rows to (i + 1) * rows.
struct TmaShare {
  ir::ThreadAxis axis;
  layout::ClusterAxis clusterAxis;
  layout::ClusterDims cluster;
  int64_t dim;   ///< of the global tile, that is cut
  int64_t rows;  ///< of the tile, in one share
  int64_t bytes; ///< by which shares are apart in shared memory
};

/// Box, coordinates and offsets of a multicast are those of the first share.
struct TmaPlan {
  ir::TensorMapType map;
  std::optional<TmaShare> share;
  struct Issue {
    llvm::SmallVector<int64_t> coordinates; ///< added to the tile's begin
    int64_t sharedOffset;                   ///< bytes
  };
  llvm::SmallVector<Issue> issues;
};
Planned<TmaPlan> planTma(mlir::Operation *op);

//===----------------------------------------------------------------------===//
// tcgen05
//===----------------------------------------------------------------------===//

struct MmaPlan {
  int64_t m, n, k; ///< of one instruction
  ir::SmemDescAttr aDesc, bDesc;
  struct Issue {
    int64_t aOffset, bOffset; ///< bytes
    int64_t column;           ///< 32-bit columns
    bool first;               ///< takes the operation's accumulate flag
  };
  llvm::SmallVector<Issue> issues;
};
Planned<MmaPlan> planMma(ir::GemmAsyncOp op);

struct TmemCopyPlan {
  ir::Tcgen05LdStShape shape;
  struct Issue {
    int64_t column, num;
    int64_t registers; ///< 32-bit registers of one thread
  };
  llvm::SmallVector<Issue> issues;
};
/// A copy between a TMEM buffer and a register tile.
Planned<TmemCopyPlan> planTmemCopy(mlir::Operation *op);

/// Refused unless `tile` is what one tcgen05.ld or st of this shape moves.
Planned<void> checkTmemAccess(ir::Tcgen05LdStShape shape, int64_t num,
                              mlir::RankedTensorType tile);

} // namespace tirx::passes
