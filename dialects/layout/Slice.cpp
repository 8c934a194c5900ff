//===- Slice.cpp - layouts of sub-regions -----------------------*- C++ -*-===//
#include "tirx/Layout/Algebra.h"

#include "Detail.h"

#include <numeric>

namespace tirx::layout {

using detail::makeError;

/// Ranges of more chunks than this are refused instead of searched.
static constexpr int64_t kMaxChunks = 4096;

/// Value of row-major `index` over `run`, per axis.
static AxisValues runValue(std::span<const Iter> run, int64_t index) {
  TileLayout t;
  t.shard.assign(run.begin(), run.end());
  return t.shard.empty() ? AxisValues() : apply(Layout(t), index);
}

/// b - a when it is nonzero on at most one axis; the axis and the difference.
static std::optional<std::pair<Axis, int64_t>>
singleDelta(const AxisValues &a, const AxisValues &b, Axis fallback) {
  std::optional<std::pair<Axis, int64_t>> delta;
  for (unsigned i = 0; i < kNumAxes; ++i) {
    const int64_t d = b.get(Axis(i)) - a.get(Axis(i));
    if (d == 0)
      continue;
    if (delta)
      return std::nullopt;
    delta = {Axis(i), d};
  }
  return delta ? delta : std::pair(fallback, int64_t(0));
}

/// The iters, slow to fast, that run through `values` from the first on;
/// nullopt when no mixed radix does. Exact: tries every extent of the fastest
/// iter.
static std::optional<std::vector<Iter>>
recognise(std::span<const AxisValues> values, Axis fallback) {
  const size_t n = values.size();
  if (n == 1)
    return std::vector<Iter>();
  const auto step = singleDelta(values[0], values[1], fallback);
  if (!step)
    return std::nullopt;
  auto isStep = [&](size_t i) {
    return singleDelta(values[i], values[i + 1], step->first) == step;
  };
  size_t longest = 2; // of the run that the first element starts
  while (longest < n && isStep(longest - 1))
    ++longest;
  for (size_t extent = longest; extent >= 2; --extent) {
    if (n % extent != 0)
      continue;
    bool equal = true;
    std::vector<AxisValues> starts;
    for (size_t i = 0; equal && i < n; i += extent) {
      starts.push_back(values[i]);
      for (size_t k = 0; equal && k + 1 < extent; ++k)
        equal = isStep(i + k);
    }
    if (!equal)
      continue;
    if (auto out = recognise(starts, fallback)) {
      out->push_back({int64_t(extent), step->second, step->first});
      return out;
    }
  }
  return std::nullopt;
}

std::optional<std::vector<Iter>>
detail::sliceRun(std::vector<Iter> run, int64_t begin, int64_t extent) {
  std::vector<Iter> peeled; // fast to slow
  while (!run.empty() && begin % run.back().extent == 0 &&
         extent % run.back().extent == 0) {
    begin /= run.back().extent;
    extent /= run.back().extent;
    peeled.push_back(run.back());
    run.pop_back();
  }
  std::vector<Iter> out;
  if (!run.empty() && extent > 1) {
    const Iter pivot = run.back();
    const int64_t first = begin % pivot.extent;
    if (first + extent <= pivot.extent) {
      out.push_back({extent, pivot.stride, pivot.axis});
    } else {
      // The range crosses digits of slower iters: equal chunks that never cross
      // are one digit, and their starts must be a mixed radix in turn.
      int64_t chunk = std::gcd(pivot.extent - first, extent);
      if (extent - (pivot.extent - first) > pivot.extent)
        chunk = std::gcd(chunk, pivot.extent);
      if (extent / chunk > kMaxChunks)
        return std::nullopt;
      std::vector<AxisValues> starts;
      for (int64_t i = 0; i < extent / chunk; ++i)
        starts.push_back(runValue(run, begin + i * chunk));
      auto slow = recognise(starts, pivot.axis);
      // A coincidence of strides may need smaller chunks.
      if (!slow && extent <= kMaxChunks) {
        starts.clear();
        for (int64_t i = 0; i < extent; ++i)
          starts.push_back(runValue(run, begin + i));
        slow = recognise(starts, pivot.axis);
        chunk = 1;
      }
      if (!slow)
        return std::nullopt;
      out = std::move(*slow);
      out.push_back({chunk, pivot.stride, pivot.axis});
    }
  }
  out.insert(out.end(), peeled.rbegin(), peeled.rend());
  return out;
}

Expected<Layout> slice(const Layout &layout, ShapeRef shape, ShapeRef begin,
                       ShapeRef extent) {
  if (begin.size() != shape.size() || extent.size() != shape.size())
    return makeError("slice of rank {} and {} for shape {}", begin.size(),
                     extent.size(), toString(shape));
  for (size_t d = 0; d < shape.size(); ++d)
    if (begin[d] < 0 || extent[d] < 1 || begin[d] > shape[d] - extent[d])
      return makeError("slice [{}, {}+{}) is outside dim {} of shape {}",
                       begin[d], begin[d], extent[d], d, toString(shape));
  TIRX_LAYOUT_ASSIGN(const Grouped g, group(canonicalize(layout.tile), shape));
  TileLayout out;
  out.replica = g.layout.replica;
  out.offset = g.layout.offset;
  for (size_t d = 0; d < shape.size(); ++d) {
    const std::vector<Iter> run = detail::fuseRun(g.dim(d));
    auto part = detail::sliceRun(run, begin[d], extent[d]);
    if (!part)
      return makeError(
          "slice [{}, {}) of dim {} of {} wraps an iter unevenly; no "
          "layout describes it",
          begin[d], begin[d] + extent[d], d, toString(layout));
    out.shard.insert(out.shard.end(), part->begin(), part->end());
    runValue(run, begin[d]).forEach([&](Axis axis, int64_t value) {
      out.offset.add(axis, value);
    });
  }
  if (out.shard.empty())
    out.shard.push_back({1, 1, g.layout.shard.front().axis});
  return detail::verified(canonicalize(Layout(out, layout.swizzle)));
}

} // namespace tirx::layout
