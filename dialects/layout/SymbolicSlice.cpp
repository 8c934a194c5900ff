//===- SymbolicSlice.cpp - regions with a symbolic begin --------*- C++ -*-===//
#include "tirx/Layout/Algebra.h"

#include "Detail.h"
#include "SymbolicDetail.h"

namespace tirx::layout {

using detail::makeError;

/// The iters of [begin, begin+extent) of a run; `begin` is proven in range.
static Expected<std::vector<Iter>> sliceSymbolicRun(std::vector<Iter> run,
                                                    Expr begin, int64_t extent,
                                                    size_t dim) {
  if (auto b = begin.constant()) {
    auto part = detail::sliceRun(std::move(run), *b, extent);
    if (part)
      return std::move(*part);
    return makeError("slice [{}, {}) of dim {} wraps an iter unevenly; no "
                     "layout describes it",
                     *b, *b + extent, dim);
  }
  std::vector<Iter> peeled; // fast to slow
  while (!run.empty() && begin.facts().multipleOf(run.back().extent) &&
         extent % run.back().extent == 0) {
    begin = simplify(floorDiv(begin, run.back().extent));
    extent /= run.back().extent;
    peeled.push_back(run.back());
    run.pop_back();
  }
  std::vector<Iter> out;
  if (!run.empty() && extent > 1) {
    const Iter pivot = run.back();
    // The slowest iter holds the whole range, since begin is in range.
    if (run.size() > 1) {
      const Expr first = simplify(mod(begin, pivot.extent));
      if (first.facts().max > pivot.extent - extent)
        return makeError(
            "slice of {} positions of dim {} from {} may cross an iter of "
            "extent {}: its first digit is known to be in [{}, {}] only and "
            "must be proven <= {}",
            extent, dim, toString(begin), pivot.extent, first.facts().min,
            first.facts().max, pivot.extent - extent);
    }
    out.push_back({extent, pivot.stride, pivot.axis});
  }
  out.insert(out.end(), peeled.rbegin(), peeled.rend());
  return out;
}

Expected<SymbolicLayout> slice(const Layout &layout, ShapeRef shape,
                               ExprRef begin, ShapeRef extent) {
  if (begin.size() != shape.size() || extent.size() != shape.size())
    return makeError("slice of rank {} and {} for shape {}", begin.size(),
                     extent.size(), toString(shape));
  TIRX_LAYOUT_ASSIGN(const Grouped g, group(canonicalize(layout.tile), shape));
  TileLayout tile;
  tile.replica = g.layout.replica;
  AxisExprs offset = SymbolicLayout(Layout(g.layout)).offset;
  for (size_t d = 0; d < shape.size(); ++d) {
    const Expr first = simplify(begin[d]);
    if (extent[d] < 1 || extent[d] > shape[d] ||
        !first.facts().within(0, shape[d] - extent[d]))
      return makeError("slice of {} positions from {} is not proven inside dim "
                       "{} of shape {}: the begin is known to be in [{}, {}]",
                       extent[d], toString(first), d, toString(shape),
                       first.facts().min, first.facts().max);
    const std::vector<Iter> run = detail::fuseRun(g.dim(d));
    TIRX_LAYOUT_ASSIGN(const std::vector<Iter> part,
                       sliceSymbolicRun(run, first, extent[d], d));
    tile.shard.insert(tile.shard.end(), part.begin(), part.end());
    TileLayout digits;
    digits.shard = run;
    detail::addDigits(SymbolicLayout(Layout(digits)).shard, first, offset);
  }
  if (tile.shard.empty())
    tile.shard.push_back({1, 1, g.layout.shard.front().axis});
  SymbolicLayout out{Layout(canonicalize(tile))};
  std::erase_if(offset,
                [](const auto &entry) { return entry.second.constant() == 0; });
  out.offset = std::move(offset);
  // Without an m part the swizzle permutes 0 only.
  if (detail::usesM(out))
    out.swizzle = layout.swizzle;
  return out;
}

} // namespace tirx::layout
