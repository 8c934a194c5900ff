//===- CtaGroup.h - tcgen05 of one CTA or of a pair --------------*- C++
//-*-===//
#pragma once

#include "mlir/IR/Operation.h"

namespace tirx::ir {

/// Refuses a cta_group that the hardware does not have (PTX ISA, tcgen05:
/// .cta_group::1 and .cta_group::2).
inline mlir::LogicalResult verifyCtaGroup(mlir::Operation *op, int64_t group) {
  if (group == 1 || group == 2)
    return mlir::success();
  return op->emitOpError("cta_group(")
         << group << ") must be 1 or 2 (PTX ISA, .cta_group)";
}

} // namespace tirx::ir
