//===- HostChecks.h - launch checks that a lowering relies on ---*- C++ -*-===//
#pragma once

#include "tirx/Dialect/TIRx.h"

namespace tirx::passes {

/// Makes the launch refuse strides of `argument` that are not a multiple of
/// `elements`, which accesses of that many elements need. Says so once for each
/// argument, axis and width.
void requireStrideMultiple(mlir::OpBuilder &builder, ir::LaunchOp launch,
                           mlir::BlockArgument argument, int64_t elements);

/// The tensor map of `argument`, made once in the host part of the kernel.
mlir::Value getTensorMap(mlir::OpBuilder &builder, ir::LaunchOp launch,
                         mlir::BlockArgument argument, ir::TensorMapType type);

} // namespace tirx::passes
