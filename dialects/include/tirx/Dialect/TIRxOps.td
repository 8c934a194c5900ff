//===- TIRxOps.td - the tirx operations --------------------*- tablegen -*-===//
//
// One file a level: kernels and launch, schedules of tiles, roles, pipelines,
// memory, scopes and synchronisation, tiles, hardware.
//
//===----------------------------------------------------------------------===//

#ifndef TIRX_OPS_TD
#define TIRX_OPS_TD

include "tirx/Dialect/TIRxKernelOps.td"
include "tirx/Dialect/TIRxScheduleOps.td"
include "tirx/Dialect/TIRxRoleOps.td"
include "tirx/Dialect/TIRxPipelineOps.td"
include "tirx/Dialect/TIRxMemoryOps.td"
include "tirx/Dialect/TIRxSyncOps.td"
include "tirx/Dialect/TIRxTileOps.td"
include "tirx/Dialect/TIRxHardwareOps.td"
include "tirx/Dialect/TIRxClcOps.td"

#endif // TIRX_OPS_TD
