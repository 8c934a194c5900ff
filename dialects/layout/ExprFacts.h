//===- ExprFacts.h - ranges and residues of operations ----------*- C++ -*-===//
#ifndef TIRX_LAYOUT_EXPRFACTS_H
#define TIRX_LAYOUT_EXPRFACTS_H

#include "tirx/Layout/Expr.h"

namespace tirx::layout::detail {

/// Facts of `a kind b` from those of its operands, which hold wherever the
/// operation is defined. `kind` is a binary kind.
ExprFacts factsOf(ExprKind kind, const ExprFacts &a, const ExprFacts &b);

/// `facts` with bounds moved to the nearest values of the right residue.
ExprFacts tightened(ExprFacts facts);

/// Bits that may be set, from the range and the residue alone.
std::optional<uint64_t> possibleBits(const ExprFacts &facts);

} // namespace tirx::layout::detail

#endif // TIRX_LAYOUT_EXPRFACTS_H
