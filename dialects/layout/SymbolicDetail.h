//===- SymbolicDetail.h - shared by the symbolic layout code ----*- C++ -*-===//
#ifndef TIRX_LAYOUT_SYMBOLICDETAIL_H
#define TIRX_LAYOUT_SYMBOLICDETAIL_H

#include "tirx/Layout/Symbolic.h"

namespace tirx::layout::detail {

/// values[axis] += term, simplified.
void addTo(AxisExprs &values, Axis axis, const Expr &term);

/// Adds the place of row-major `index` over `run`; the first digit is not
/// reduced modulo its extent.
void addDigits(std::span<const SymbolicIter> run, Expr index, AxisExprs &place);

/// A part of the layout lies on axis m.
bool usesM(const SymbolicLayout &layout);

} // namespace tirx::layout::detail

#endif // TIRX_LAYOUT_SYMBOLICDETAIL_H
