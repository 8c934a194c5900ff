//===- Symbolic.h - layouts with symbolic parts -----------------*- C++ -*-===//
//
// Layouts whose extents, strides and offsets are expressions, and the places of
// symbolic coordinates. Everything here is exact: what the facts of the symbols
// do not prove is refused, and the error names the missing fact.
//
//===----------------------------------------------------------------------===//
#ifndef TIRX_LAYOUT_SYMBOLIC_H
#define TIRX_LAYOUT_SYMBOLIC_H

#include "tirx/Layout/Expr.h"
#include "tirx/Layout/Layout.h"

namespace tirx::layout {

/// A digit whose extent and stride may be symbolic.
struct SymbolicIter {
  Expr extent;
  Expr stride;
  Axis axis = Axis::m;
};

/// Expressions by axis; an absent axis is 0.
using AxisExprs = std::map<Axis, Expr>;
using ExprRef = std::span<const Expr>;

/// Layout with expressions in place of integers; the parts mean the same.
struct SymbolicLayout {
  std::vector<SymbolicIter> shard;
  std::vector<SymbolicIter> replica;
  AxisExprs offset;
  std::optional<Swizzle> swizzle;

  SymbolicLayout() = default;
  SymbolicLayout(const Layout &layout);
};

/// At least one shard iter, at most kMaxIters iters, extents proven >= 1, and
/// for a swizzle valid parameters (see verify(Layout)) and a part on axis m.
Expected<void> verify(const SymbolicLayout &layout);

/// The concrete layout under `bindings`, verified. Errors: those of evaluate
/// and verify(Layout).
Expected<Layout> evaluate(const SymbolicLayout &layout,
                          const Bindings &bindings);

/// Values by axis under `bindings`.
Expected<AxisValues> evaluate(const AxisExprs &values,
                              const Bindings &bindings);

/// Product of the shard extents, simplified.
Expr size(const SymbolicLayout &layout);

/// Place of the element with row-major index `linear`, simplified, replicas
/// ignored; the first digit is not reduced, as in apply(Layout). Error: those
/// of verify.
Expected<AxisExprs> apply(const SymbolicLayout &layout, const Expr &linear);

/// Same for coordinates in a logical `shape`, split dim by dim where the dims
/// are runs of iters (no division by the extent of another dim, and none by
/// the outermost extent of a dim), else through the row-major index. Errors:
/// rank mismatch, sizes not proven equal, a coordinate after the first not
/// proven inside its dim.
Expected<AxisExprs> apply(const SymbolicLayout &layout, ExprRef coord,
                          ExprRef shape);

/// A swizzled address in strength-reduced form. With A the swizzle atom
/// 2^(perElement + atomLen), the swizzle of m is
///   (base + (low ^ mask)) ^ constant.
/// Only `mask` depends on the swizzle, and it depends on `base` alone.
struct StructuredSwizzle {
  Expr base;        ///< multiple of A
  Expr low;         ///< in [0, A)
  Expr mask;        ///< ((base / A) mod 2^swizzleLen) * 2^perElement
  int64_t constant; ///< in [0, A)
  /// The whole expression, kept in this form (not simplified further).
  Expr address() const;
};

/// That form for the unswizzled coordinate `m`. The constant below A stays
/// outside when adding it is proven carry-free, else it joins `low`. Terms that
/// cross A are split where their coefficient divides A. Errors: an outer-form
/// swizzle, a low part that is not proven in [0, A).
Expected<StructuredSwizzle> structureSwizzle(const Expr &m, const Swizzle &s);

/// apply, with the m coordinate of a swizzled layout in structured form. Where
/// structureSwizzle refuses, the place is that of apply, and `fallback` holds
/// the reason.
struct StructuredPlace {
  AxisExprs place;
  std::optional<StructuredSwizzle> swizzle;
  std::string fallback;
};
Expected<StructuredPlace> applyStructured(const SymbolicLayout &layout,
                                          ExprRef coord, ExprRef shape);

/// The layout of the region [begin, begin + extent) of `shape` with a symbolic
/// begin: static iters, an offset that depends on begin, and
/// result[x] = layout[begin + x]. A dim that is one iter needs only
/// 0 <= begin <= shape - extent proven. A dim of several iters also needs the
/// region to stay inside one digit of the slowest iter it cuts: begin mod E
/// plus the extent must be proven <= E. State facts through the symbols
/// (modulus 64 for begin % 64 == 0). Errors: rank mismatch, a shape that does
/// not group, and conditions not proven, naming the dim and the range known.
Expected<SymbolicLayout> slice(const Layout &layout, ShapeRef shape,
                               ExprRef begin, ShapeRef extent);

/// S/R/O notation of toString(Layout) with expressions in parentheses:
/// `S[(n,64):(64,1)] + (64*b)@TCol`.
std::string toString(const SymbolicLayout &layout);
std::string toString(const AxisExprs &values);

} // namespace tirx::layout

#endif // TIRX_LAYOUT_SYMBOLIC_H
