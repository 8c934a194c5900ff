//===- LaunchControl.h - tiles handed out by clusterlaunchcontrol -*- C++
//-*-===//
//
// A grid of as many clusters as tiles is launched; those that run cancel others
// and take over their tiles. The role with tirx.fetch_tiles asks for them:
//
//   first CTA of the cluster        every CTA
//   ------------------------        ---------
//   wait for an empty response
//                                   full barrier: expect 16 bytes
//   try_cancel, to all CTAs
//                                   wait for full; read; release if canceled
//
// and each role with tirx.for_tiles, after a tile, waits for full, reads, and
// releases at the first CTA's empty barrier. A response that says that nothing
// was canceled ends all loops and is not released.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "TileOrder.h"

namespace tirx::passes {

/// Refuses a clc schedule unless one role of one warp in tirx.roles fetches
/// tiles and other roles there walk them, each once.
mlir::LogicalResult verifyLaunchControl(ir::ScheduleOp schedule,
                                        ir::LaunchOp launch);

/// Allocates the ring of responses at the start of the launch and lowers the
/// loops over the schedule, which was verified.
void lowerLaunchControl(mlir::OpBuilder &builder, ir::ScheduleOp schedule,
                        ir::LaunchOp launch, const TileOrder &order);

} // namespace tirx::passes
