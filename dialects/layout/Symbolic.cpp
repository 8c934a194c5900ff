//===- Symbolic.cpp - evaluation of symbolic layouts ------------*- C++ -*-===//
#include "tirx/Layout/Symbolic.h"

#include "Detail.h"
#include "SymbolicDetail.h"

#include <algorithm>

namespace tirx::layout {

using detail::makeError;

static std::vector<SymbolicIter> lift(std::span<const Iter> iters) {
  std::vector<SymbolicIter> out;
  for (const Iter &it : iters)
    out.push_back({it.extent, it.stride, it.axis});
  return out;
}

SymbolicLayout::SymbolicLayout(const Layout &layout)
    : shard(lift(layout.tile.shard)), replica(lift(layout.tile.replica)),
      swizzle(layout.swizzle) {
  layout.tile.offset.forEach([&](Axis axis, int64_t value) {
    offset.insert_or_assign(axis, Expr(value));
  });
}

void detail::addTo(AxisExprs &values, Axis axis, const Expr &term) {
  auto [it, fresh] = values.try_emplace(axis, term);
  it->second = simplify(fresh ? term : it->second + term);
}

bool detail::usesM(const SymbolicLayout &layout) {
  const auto onM = [](const SymbolicIter &it) { return it.axis == Axis::m; };
  return layout.offset.contains(Axis::m) ||
         std::ranges::any_of(layout.shard, onM) ||
         std::ranges::any_of(layout.replica, onM);
}

//===--- checks and evaluation -------------------------------------------===//

static Expected<void> verifyIters(std::span<const SymbolicIter> iters,
                                  const char *what) {
  if (iters.size() > kMaxIters)
    return makeError("{} has {} iters; the limit is {}", what, iters.size(),
                     kMaxIters);
  for (size_t i = 0; i < iters.size(); ++i)
    if (simplify(iters[i].extent).facts().min < 1)
      return makeError("{} iter {} has extent {}, which is not proven >= 1",
                       what, i, toString(iters[i].extent));
  return {};
}

Expected<void> verify(const SymbolicLayout &layout) {
  if (layout.shard.empty())
    return makeError("a layout needs at least one shard iter");
  TIRX_LAYOUT_CHECK(verifyIters(layout.shard, "shard"));
  TIRX_LAYOUT_CHECK(verifyIters(layout.replica, "replica"));
  if (!layout.swizzle)
    return {};
  if (!detail::usesM(layout))
    return makeError(
        "a swizzle permutes axis m, which the layout does not use");
  // The parameters are checked on a layout that has nothing else to refuse.
  return verify(Layout(rowMajor(Shape{1}), layout.swizzle));
}

static Expected<std::vector<Iter>>
evaluateIters(std::span<const SymbolicIter> iters, const Bindings &bindings) {
  std::vector<Iter> out;
  for (const SymbolicIter &it : iters) {
    TIRX_LAYOUT_ASSIGN(const int64_t extent, evaluate(it.extent, bindings));
    TIRX_LAYOUT_ASSIGN(const int64_t stride, evaluate(it.stride, bindings));
    out.push_back({extent, stride, it.axis});
  }
  return out;
}

Expected<AxisValues> evaluate(const AxisExprs &values,
                              const Bindings &bindings) {
  AxisValues out;
  for (const auto &[axis, e] : values) {
    TIRX_LAYOUT_ASSIGN(const int64_t value, evaluate(e, bindings));
    out.set(axis, value);
  }
  return out;
}

Expected<Layout> evaluate(const SymbolicLayout &layout,
                          const Bindings &bindings) {
  Layout out;
  TIRX_LAYOUT_ASSIGN(out.tile.shard, evaluateIters(layout.shard, bindings));
  TIRX_LAYOUT_ASSIGN(out.tile.replica, evaluateIters(layout.replica, bindings));
  TIRX_LAYOUT_ASSIGN(out.tile.offset, evaluate(layout.offset, bindings));
  out.swizzle = layout.swizzle;
  return detail::verified(std::move(out));
}

static Expr product(ExprRef factors) {
  Expr out = 1;
  for (const Expr &e : factors)
    out = simplify(out * e);
  return out;
}

Expr size(const SymbolicLayout &layout) {
  std::vector<Expr> extents;
  for (const SymbolicIter &it : layout.shard)
    extents.push_back(it.extent);
  return product(extents);
}

//===--- places ----------------------------------------------------------===//

void detail::addDigits(std::span<const SymbolicIter> run, Expr index,
                       AxisExprs &place) {
  for (size_t i = run.size(); i-- > 0;) {
    const SymbolicIter &it = run[i];
    const Expr digit = i ? mod(index, it.extent) : index;
    addTo(place, it.axis, digit * it.stride);
    if (i)
      index = simplify(floorDiv(index, it.extent));
  }
}

/// The shard cut into one run per dim of `shape`; nullopt when a boundary is
/// not proven to fall between (parts of) iters. Needs equal sizes.
static std::optional<std::vector<std::vector<SymbolicIter>>>
groupRuns(std::span<const SymbolicIter> shard, ExprRef shape) {
  std::vector<std::vector<SymbolicIter>> runs(shape.size());
  std::vector<SymbolicIter> left(shard.begin(), shard.end());
  for (size_t d = shape.size(); d-- > 0;) {
    Expr rest = simplify(shape[d]);
    while (!proveEqual(rest, 1)) {
      if (left.empty())
        return std::nullopt;
      SymbolicIter it = left.back();
      left.pop_back();
      if (proveEqual(rest, it.extent)) {
        rest = 1;
      } else if (auto e = it.extent.constant();
                 e && *e >= 1 && rest.facts().multipleOf(*e)) {
        rest = simplify(floorDiv(rest, *e));
      } else if (auto r = rest.constant();
                 r && *r >= 1 && it.extent.facts().multipleOf(*r)) {
        left.push_back({simplify(floorDiv(it.extent, *r)),
                        simplify(it.stride * *r), it.axis});
        it.extent = rest;
        rest = 1;
      } else {
        return std::nullopt;
      }
      runs[d].insert(runs[d].begin(), it);
    }
  }
  for (const SymbolicIter &it : left)
    if (!proveEqual(it.extent, 1))
      return std::nullopt;
  // Slowest unit iters take what dim 0 extrapolates.
  if (!runs.empty())
    runs[0].insert(runs[0].begin(), left.begin(), left.end());
  return runs;
}

static void swizzlePlace(const SymbolicLayout &layout, AxisExprs &place) {
  if (!layout.swizzle)
    return;
  const Swizzle &s = *layout.swizzle;
  const auto it = place.try_emplace(Axis::m, Expr(0)).first;
  const auto power = [](int bits) { return Expr(int64_t(1) << bits); };
  const Expr m = it->second;
  const Expr bits =
      mod(floorDiv(m, power(s.perElement + (s.inner ? s.atomLen : 0))),
          power(s.swizzleLen));
  it->second =
      simplify(m ^ bits * power(s.perElement + (s.inner ? 0 : s.atomLen)));
}

/// Axes of the layout start at their offset, or 0, as in apply(Layout).
static AxisExprs startPlace(const SymbolicLayout &layout) {
  AxisExprs place;
  for (const auto &[axis, e] : layout.offset)
    place.insert_or_assign(axis, simplify(e));
  for (const SymbolicIter &it : layout.shard)
    place.try_emplace(it.axis, Expr(0));
  return place;
}

/// The place before the swizzle.
static Expected<AxisExprs> applyTile(const SymbolicLayout &layout,
                                     ExprRef coord, ExprRef shape) {
  TIRX_LAYOUT_CHECK(verify(layout));
  if (coord.size() != shape.size())
    return makeError("{} coordinates for a shape of rank {}", coord.size(),
                     shape.size());
  const Expr total = product(shape), own = size(layout);
  if (!proveEqual(total, own))
    return makeError("the shape has {} elements, layout {} has {}; they are "
                     "not proven equal",
                     toString(total), toString(layout), toString(own));
  for (size_t d = 1; d < coord.size(); ++d) {
    const ExprFacts c = simplify(coord[d]).facts();
    const ExprFacts room = simplify(shape[d] - coord[d]).facts();
    if (c.min < 0 || room.min < 1)
      return makeError("coordinate {} of dim {} is not proven inside [0, {}); "
                       "known: [{}, {}]",
                       toString(coord[d]), d, toString(shape[d]), c.min, c.max);
  }
  AxisExprs place = startPlace(layout);
  const auto runs = groupRuns(layout.shard, shape);
  if (runs && !shape.empty() && !runs->front().empty()) {
    for (size_t d = 0; d < shape.size(); ++d)
      detail::addDigits((*runs)[d], simplify(coord[d]), place);
    return place;
  }
  Expr linear = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    linear = simplify(linear * shape[d] + coord[d]);
  detail::addDigits(layout.shard, linear, place);
  return place;
}

Expected<AxisExprs> apply(const SymbolicLayout &layout, const Expr &linear) {
  TIRX_LAYOUT_CHECK(verify(layout));
  AxisExprs place = startPlace(layout);
  detail::addDigits(layout.shard, simplify(linear), place);
  swizzlePlace(layout, place);
  return place;
}

Expected<AxisExprs> apply(const SymbolicLayout &layout, ExprRef coord,
                          ExprRef shape) {
  TIRX_LAYOUT_ASSIGN(AxisExprs place, applyTile(layout, coord, shape));
  swizzlePlace(layout, place);
  return place;
}

//===--- structured form -------------------------------------------------===//

Expr StructuredSwizzle::address() const {
  const Expr inside = base == Expr(0) ? low ^ mask : base + (low ^ mask);
  return constant ? inside ^ Expr(constant) : inside;
}

Expected<StructuredSwizzle> structureSwizzle(const Expr &m, const Swizzle &s) {
  TIRX_LAYOUT_CHECK(verify(Layout(rowMajor(Shape{1}), s)));
  if (!s.inner)
    return makeError("an outer-form swizzle changes the bits that select the "
                     "mask; it has no structured form");
  const int64_t atom = int64_t(1) << (s.perElement + s.atomLen);
  const LinearTerms sum = linearTerms(m);
  const int64_t high = detail::floorDiv(sum.constant, atom);
  const int64_t constant = sum.constant - high * atom;
  Expr base = high * atom, low = 0;
  for (const auto &[term, c] : sum.terms) {
    const Expr scaled = simplify(Expr(c) * term);
    if (scaled.facts().multipleOf(atom)) {
      base = base + scaled;
    } else if (c > 0 && atom % c == 0 && !scaled.facts().within(0, atom - 1)) {
      base = base + Expr(atom) * floorDiv(term, atom / c);
      low = low + Expr(c) * mod(term, atom / c);
    } else {
      low = low + scaled;
    }
  }
  base = simplify(base);
  low = simplify(low);
  const auto bits = possibleBits(low);
  const bool carryFree = bits && (*bits & uint64_t(constant)) == 0;
  if (!carryFree)
    low = simplify(low + Expr(constant));
  if (!low.facts().within(0, atom - 1))
    return makeError("the part {} below the swizzle atom of {} elements is "
                     "known to be in [{}, {}] only; it may carry into the bits "
                     "that select the mask",
                     toString(low), atom, low.facts().min, low.facts().max);
  const Expr mask =
      simplify(mod(floorDiv(base, atom), int64_t(1) << s.swizzleLen) *
               Expr(int64_t(1) << s.perElement));
  return StructuredSwizzle{base, low, mask, carryFree ? constant : 0};
}

Expected<StructuredPlace> applyStructured(const SymbolicLayout &layout,
                                          ExprRef coord, ExprRef shape) {
  StructuredPlace out;
  TIRX_LAYOUT_ASSIGN(out.place, applyTile(layout, coord, shape));
  if (!layout.swizzle) {
    out.fallback = "the layout has no swizzle";
    return out;
  }
  const auto it = out.place.try_emplace(Axis::m, Expr(0)).first;
  auto structured = structureSwizzle(it->second, *layout.swizzle);
  if (!structured) {
    out.fallback = structured.error().message;
    swizzlePlace(layout, out.place);
    return out;
  }
  it->second = structured->address();
  out.swizzle = std::move(*structured);
  return out;
}

//===--- text ------------------------------------------------------------===//

static std::string printValue(const Expr &e, Axis axis) {
  std::string text = toString(e);
  if (e.kind() != ExprKind::Const && e.kind() != ExprKind::Symbol)
    text = "(" + text + ")";
  return axis == Axis::m ? text : fmt::format("{}@{}", text, toString(axis));
}

static std::string printIters(char letter,
                              std::span<const SymbolicIter> iters) {
  std::string extents, strides;
  for (const SymbolicIter &it : iters) {
    const char *comma = extents.empty() ? "" : ",";
    // An extent carries no axis.
    extents += comma + printValue(it.extent, Axis::m);
    strides += comma + printValue(it.stride, it.axis);
  }
  return iters.size() == 1
             ? fmt::format("{}[{}:{}]", letter, extents, strides)
             : fmt::format("{}[({}):({})]", letter, extents, strides);
}

std::string toString(const SymbolicLayout &layout) {
  std::string out = printIters('S', layout.shard);
  if (!layout.replica.empty())
    out += " + " + printIters('R', layout.replica);
  for (const auto &[axis, e] : layout.offset)
    out += " + " + printValue(e, axis);
  if (const auto &s = layout.swizzle)
    out += fmt::format(" swizzle({},{},{}{})", s->perElement, s->swizzleLen,
                       s->atomLen, s->inner ? "" : ",outer");
  return out;
}

std::string toString(const AxisExprs &values) {
  std::string out;
  for (const auto &[axis, e] : values)
    out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", toString(axis),
                       toString(e));
  return "{" + out + "}";
}

} // namespace tirx::layout
