//===- CtaPair.h - the CTAs of a pair, in device code -----------*- C++ -*-===//
//
// Two CTAs of a cluster whose ranks differ in bit 0; the even one leads (PTX
// ISA, "tcgen05: CTA pair").
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Builders.h"

namespace tirx::passes {

/// The rank (index) of the even CTA of the pair of the executing thread.
mlir::Value buildEvenRank(mlir::OpBuilder &builder, mlir::Location loc);

/// Whether the executing thread is in the even CTA of its pair (i1).
mlir::Value buildIsEvenCta(mlir::OpBuilder &builder, mlir::Location loc);

} // namespace tirx::passes
