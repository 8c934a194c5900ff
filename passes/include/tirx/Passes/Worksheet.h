//===- Worksheet.h - what a kernel's roles share and hand over --*- C++ -*-===//
#pragma once

#include "tirx/Dialect/TIRx.h"
#include "tirx/Layout/HardwareLimits.h"

#include <string>

namespace tirx::passes {

/// What the target has, for the totals.
struct WorksheetLimits {
  int64_t sharedBytes =
      layout::kMaxSharedBytes; ///< dynamic shared memory of a CTA
  int64_t tmemColumns = layout::kTmemColumns; ///< 32-bit columns of an SM
};

/// Gives every pipeline, tile, barrier and schedule a name of its own: that of
/// its location, else one of its kind and number. Lowering hands locations on,
/// and with them the names.
void nameStorage(ir::KernelOp kernel);

/// Tables of roles, hand-offs, storage, registers and tensor maps, as text.
/// `kernel` has passed tirx-verify, `lowered` is the same kernel after
/// tirx-assign-storage; names must have been given before. Fails, with
/// diagnostics, if a pipeline has no plan.
mlir::FailureOr<std::string> writeWorksheet(ir::KernelOp kernel,
                                            ir::KernelOp lowered,
                                            const WorksheetLimits &limits);

} // namespace tirx::passes
