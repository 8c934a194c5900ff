//===- StaticTensorCopy.cpp - cut, merge and box ----------------*- C++ -*-===//
#include "tirx/Layout/StaticTensorCopy.h"

#include "Detail.h"

#include "tirx/Layout/Algebra.h"
#include "tirx/Layout/Proofs.h"

#include <algorithm>
#include <map>

namespace tirx::layout {

using detail::makeError;

namespace {

/// A dim of the tensor map: `extent` positions `stride` elements apart, of
/// which the copy covers [coord, coord+box), `shared` elements apart in shared
/// memory.
struct Dim {
  int64_t extent, stride, coord, box, shared;
};

/// A digit of the issue loop on tensor dim `dim`.
struct Loop {
  int64_t extent;
  size_t dim;
  int64_t coord, shared;
};

struct Candidate {
  std::vector<Dim> dims; // fastest first
  std::vector<Loop> loops;
};

} // namespace

//===--- cutting ---------------------------------------------------------===//

/// Cuts one global dim (iters slow to fast) so that every part has one stride
/// in global and in shared memory. The parts come fastest first.
static Expected<std::vector<Dim>> cutDim(std::vector<Iter> global,
                                         int64_t begin,
                                         std::vector<Iter> shared, size_t d) {
  std::vector<Dim> out;
  while (!global.empty()) {
    Iter &g = global.back();
    if (shared.empty()) { // nothing left to cover: a coordinate
      const bool last = global.size() == 1;
      out.push_back(
          {g.extent, g.stride, last ? begin : begin % g.extent, 1, 0});
      begin /= g.extent;
      global.pop_back();
      continue;
    }
    Iter &s = shared.back();
    const int64_t at = global.size() == 1 ? begin : begin % g.extent;
    if (shared.size() == 1 && at + s.extent <= g.extent) {
      out.push_back({g.extent, g.stride, at, s.extent, s.stride});
      begin /= g.extent;
      global.pop_back();
      shared.pop_back();
      continue;
    }
    // A part that is not the last must be covered from its start to its end.
    const int64_t part = std::min(g.extent, s.extent);
    if (g.extent % part != 0 || s.extent % part != 0)
      return makeError(
          "global_shape: dim {} has a part of {} elements where the "
          "shared tile is cut at {}",
          d, g.extent, s.extent);
    if (begin % part != 0)
      return makeError(
          "coordinate: the region of dim {} starts inside a part of {} "
          "elements",
          d, part);
    out.push_back({part, g.stride, 0, part, s.stride});
    begin /= part;
    g = {g.extent / part, g.stride * part, g.axis};
    s = {s.extent / part, s.stride * part, s.axis};
    if (g.extent == 1 && global.size() > 1)
      global.pop_back();
    if (s.extent == 1)
      shared.pop_back();
  }
  return out;
}

//===--- merging ---------------------------------------------------------===//

static bool full(const Dim &d) { return d.coord == 0 && d.box == d.extent; }

/// Joins neighbours a (faster) and b when a is covered completely and b goes on
/// where a ends, as long as `allowed` accepts the joint box.
template <class Allowed>
static void merge(std::vector<Dim> &dims, Allowed &&allowed) {
  for (size_t i = 0; i + 1 < dims.size();) {
    const Dim a = dims[i], b = dims[i + 1];
    const bool follows = b.stride == a.stride * a.extent &&
                         (b.box == 1 || b.shared == a.shared * a.box);
    if (full(a) && follows && allowed(i, a, b)) {
      dims[i] = {a.extent * b.extent, a.stride, b.coord * a.extent,
                 a.box * b.box, a.box > 1 ? a.shared : b.shared};
      dims.erase(dims.begin() + ptrdiff_t(i) + 1);
    } else {
      ++i;
    }
  }
}

//===--- candidates ------------------------------------------------------===//

static Expected<TensorMapParams>
makeParams(const Candidate &c, TensorMapType type, SwizzleMode mode) {
  if (c.dims.empty() || c.dims.size() > 5)
    return makeError("rank: {} dims are outside [1, 5]", c.dims.size());
  if (c.dims[0].stride != 1)
    return makeError(
        "inner_stride: the fastest dim of the shared tile has stride "
        "{} in global memory; TMA needs 1",
        c.dims[0].stride);
  const int64_t bytes = tensorMapTypeInfo(type)->bits / 8;
  TensorMapParams p;
  p.type = type;
  p.rank = uint32_t(c.dims.size());
  p.swizzle = mode;
  for (size_t d = 0; d < c.dims.size(); ++d) {
    p.globalDim[d] = uint64_t(c.dims[d].extent);
    p.boxDim[d] = uint32_t(std::min<int64_t>(c.dims[d].box, 1 << 20));
    if (d)
      p.globalStride[d - 1] = uint64_t(c.dims[d].stride) * uint64_t(bytes);
  }
  TIRX_LAYOUT_CHECK(checkTensorMap(p, SmTarget::Sm100a));
  // Row pitch of a box narrower than the swizzle width is not documented.
  const int64_t width = swizzleWidth(mode);
  int64_t rows = 1;
  for (size_t d = 1; d < c.dims.size(); ++d)
    rows *= c.dims[d].box;
  if (width && rows > 1 && c.dims[0].box * bytes != width)
    return makeError("swizzle_inner_box: {} rows of {} bytes under swizzle {}",
                     rows, c.dims[0].box * bytes, toString(mode));
  return p;
}

/// The next wider unsigned integer; nullopt where the view must not change.
static std::optional<TensorMapType> widen(TensorMapType type) {
  switch (type) {
  case TensorMapType::U8:
    return TensorMapType::U16;
  case TensorMapType::U16:
    return TensorMapType::U32;
  case TensorMapType::U32:
    return TensorMapType::U64;
  default:
    return std::nullopt;
  }
}

/// Views pairs of elements as one; false when something is odd.
static bool widenCandidate(Candidate &c) {
  Dim &inner = c.dims[0];
  if (inner.stride != 1 || inner.extent % 2 || inner.coord % 2 || inner.box % 2)
    return false;
  for (size_t d = 1; d < c.dims.size(); ++d)
    if (c.dims[d].stride % 2)
      return false;
  inner.extent /= 2;
  inner.coord /= 2;
  inner.box /= 2;
  for (size_t d = 1; d < c.dims.size(); ++d)
    c.dims[d].stride /= 2;
  for (Loop &l : c.loops)
    if (l.dim == 0)
      l.coord /= 2;
  return true;
}

namespace {
struct Chosen {
  Candidate candidate;
  TensorMapParams params;
};
} // namespace

/// Fully covered dims merged into as long a run as possible, with a wider
/// element where the box becomes too long.
static Expected<Chosen> tryWide(Candidate c, TensorMapType type,
                                SwizzleMode mode) {
  merge(c.dims, [](size_t, const Dim &a, const Dim &b) {
    return full(b) || a.box * b.box <= 256;
  });
  for (;;) {
    auto params = makeParams(c, type, mode);
    if (params)
      return Chosen{std::move(c), *params};
    const auto wider = widen(type);
    if (!wider || !c.loops.empty() || !widenCandidate(c))
      return tl::make_unexpected(params.error());
    type = *wider;
  }
}

/// Dims merged only as far as a box goes; the slowest box dim is split when it
/// is longer than 256.
static Expected<Chosen> tryNarrow(Candidate c, size_t boxDims,
                                  TensorMapType type, SwizzleMode mode) {
  const int64_t bits = tensorMapTypeInfo(type)->bits;
  const int64_t width = swizzleWidth(mode);
  if (boxDims > 0 && c.dims[boxDims - 1].box > 256) {
    Dim &last = c.dims[boxDims - 1];
    int64_t b = 256;
    while (last.box % b != 0)
      --b;
    c.loops.push_back({last.box / b, boxDims - 1, b, last.shared * b});
    last.box = b;
  }
  // A loop digit belongs to a dim by number, so merging stops before loops.
  const bool loops = !c.loops.empty();
  if (!loops)
    merge(c.dims, [&](size_t i, const Dim &a, const Dim &b) {
      return a.box * b.box <= 256 &&
             (i != 0 || width == 0 || a.box * b.box * bits / 8 <= width);
    });
  TIRX_LAYOUT_ASSIGN(const TensorMapParams params, makeParams(c, type, mode));
  return Chosen{std::move(c), params};
}

/// Longest prefix of the shared order that makes a legal box.
static Expected<Chosen> choose(const std::vector<Dim> &chain,
                               const std::vector<Dim> &others,
                               TensorMapType type, SwizzleMode mode) {
  std::optional<Error> first;
  for (size_t boxDims = chain.size(); boxDims > 0; --boxDims) {
    Candidate c;
    for (size_t i = 0; i < chain.size(); ++i) {
      Dim d = chain[i];
      if (i >= boxDims) {
        c.loops.push_back({d.box, i, 1, d.shared});
        d.box = 1;
      }
      c.dims.push_back(d);
    }
    c.dims.insert(c.dims.end(), others.begin(), others.end());
    if (c.loops.empty())
      if (auto r = tryWide(c, type, mode))
        return r;
    auto r = tryNarrow(c, boxDims, type, mode);
    if (r)
      return r;
    if (!first)
      first = r.error();
  }
  return tl::make_unexpected(
      first.value_or(Error{"shared_chain: the copy has no element run"}));
}

//===--- the planner -----------------------------------------------------===//

static Expected<void> checkLinear(const TileLayout &tile, const char *what) {
  for (Axis axis : axes(tile))
    if (axis != Axis::m)
      return makeError("{} layout {} uses axis {}; TMA moves linear memory",
                       what, toString(tile), toString(axis));
  if (!tile.replica.empty())
    return makeError("{} layout {} has replicas", what, toString(tile));
  return {};
}

static Expected<void> checkRegion(ShapeRef shape, ShapeRef begin,
                                  ShapeRef extent) {
  if (begin.size() != shape.size() || extent.size() != shape.size())
    return makeError("a region of rank {} and {} of a tensor of rank {}",
                     begin.size(), extent.size(), shape.size());
  for (size_t d = 0; d < shape.size(); ++d)
    if (begin[d] < 0 || extent[d] < 1 || begin[d] > shape[d] - extent[d])
      return makeError("region [{}, {}+{}) is outside dim {} of {}", begin[d],
                       begin[d], extent[d], d, toString(shape));
  return {};
}

/// The fastest shared run is cut at the swizzle width, so that the inner box
/// can be one row of the pattern.
static std::vector<Iter> cutAtWidth(std::vector<Iter> run, int64_t width,
                                    int64_t bits) {
  const int64_t w = width * 8 / bits;
  if (w && !run.empty() && run.back().stride == 1 && run.back().extent > w &&
      run.back().extent % w == 0) {
    const int64_t rest = run.back().extent / w;
    run.back() = {rest, w};
    run.push_back({w, 1});
  }
  return run;
}

Expected<StaticTensorCopyPlan>
planStaticTensorCopy(const TileLayout &globalIn, ShapeRef globalShape,
                     ShapeRef begin, ShapeRef extent, const Layout &shared,
                     TensorMapType type) {
  const TensorMapTypeInfo *info = tensorMapTypeInfo(type);
  if (!info || info->packed)
    return makeError("type {} cannot be planned; view packed operands as u8",
                     info ? info->name : "?");
  const TileLayout global = canonicalize(globalIn);
  const TileLayout tile = canonicalize(shared.tile);
  TIRX_LAYOUT_CHECK(checkLinear(global, "global"));
  TIRX_LAYOUT_CHECK(checkLinear(tile, "shared"));
  TIRX_LAYOUT_CHECK(checkRegion(globalShape, begin, extent));
  TIRX_LAYOUT_ASSIGN(const SwizzleMode mode,
                     swizzleModeOf(shared.swizzle, info->bits));
  TIRX_LAYOUT_ASSIGN(const Grouped g, group(global, globalShape));
  TIRX_LAYOUT_ASSIGN(const Grouped s, group(tile, extent));
  if (global.offset.get(Axis::m) != 0)
    return makeError("global layout {} has an offset; add it to the address",
                     toString(globalIn));
  std::vector<Dim> chain, others;
  for (size_t d = 0; d < globalShape.size(); ++d) {
    auto run = detail::fuseRun(g.dim(d));
    for (const Iter &it : run)
      if (it.stride <= 0)
        return makeError(
            "global dim {} has stride {}; strides must be positive", d,
            it.stride);
    if (run.empty())
      continue; // an extent of 1
    TIRX_LAYOUT_ASSIGN(const auto parts,
                       cutDim(std::move(run), begin[d],
                              cutAtWidth(detail::fuseRun(s.dim(d)),
                                         swizzleWidth(mode), info->bits),
                              d));
    for (const Dim &part : parts)
      if (part.box > 1)
        chain.push_back(part);
      else if (part.extent > 1)
        others.push_back(part);
  }
  std::sort(chain.begin(), chain.end(),
            [](const Dim &a, const Dim &b) { return a.shared < b.shared; });
  int64_t dense = 1;
  for (const Dim &d : chain) {
    if (d.shared != dense)
      return makeError(
          "shared_chain: {} elements lie densely in the shared tile, "
          "the next dim has stride {}",
          dense, d.shared);
    dense *= d.box;
  }
  TIRX_LAYOUT_ASSIGN(const Chosen c, choose(chain, others, type, mode));

  StaticTensorCopyPlan plan{c.params,
                            {},
                            size(tile) * info->bits / 8,
                            std::max<int64_t>(128, swizzlePeriod(mode))};
  int64_t count = 1, boxBytes = tensorMapTypeInfo(c.params.type)->bits / 8;
  for (const Loop &l : c.candidate.loops)
    count *= l.extent;
  if (count > 4096)
    return makeError("the copy needs {} instructions; the limit is 4096",
                     count);
  for (const Dim &d : c.candidate.dims)
    boxBytes *= d.box;
  for (int64_t i = 0; i < count; ++i) {
    TensorCopyIssue issue{{}, tile.offset.get(Axis::m), boxBytes};
    for (const Dim &d : c.candidate.dims)
      issue.coord.push_back(d.coord);
    int64_t rest = i;
    for (const Loop &l : c.candidate.loops) {
      issue.coord[l.dim] += rest % l.extent * l.coord;
      issue.sharedOffset += rest % l.extent * l.shared;
      rest /= l.extent;
    }
    issue.sharedOffset = issue.sharedOffset * info->bits / 8;
    if (issue.sharedOffset < 0 || issue.sharedOffset % 128 != 0)
      return makeError(
          "shared_alignment: a box would start at shared byte {}; TMA "
          "needs multiples of 128",
          issue.sharedOffset);
    plan.issues.push_back(std::move(issue));
  }
  return plan;
}

//===--- the proof -------------------------------------------------------===//

Expected<void> proveStaticTensorCopy(const StaticTensorCopyPlan &plan,
                                     const TileLayout &global,
                                     ShapeRef globalShape, ShapeRef begin,
                                     ShapeRef extent, const Layout &shared,
                                     int64_t elementBits) {
  TIRX_LAYOUT_CHECK(checkRegion(globalShape, begin, extent));
  TIRX_LAYOUT_CHECK(checkCovers(shared, extent));
  const int64_t total = size(shared);
  if (total > kMaxEnumeration)
    return makeError("{} elements are too many to enumerate (limit {})", total,
                     kMaxEnumeration);
  // What must move: shared byte -> global byte, in units of whole elements.
  const int64_t bytes = elementBits / 8;
  std::map<int64_t, int64_t> want;
  for (int64_t x = 0; x < total; ++x) {
    Shape at = unflatten(x, extent);
    for (size_t d = 0; d < at.size(); ++d)
      at[d] += begin[d];
    want[apply(shared, x).get(Axis::m) * bytes] =
        apply(Layout(global), flatten(at, globalShape)).get(Axis::m) * bytes;
  }
  const TensorMapParams &p = plan.params;
  const int64_t unit = tensorMapTypeInfo(p.type)->bits / 8;
  int64_t boxSize = 1, moved = 0;
  for (uint32_t d = 0; d < p.rank; ++d)
    boxSize *= p.boxDim[d];
  for (const TensorCopyIssue &issue : plan.issues)
    for (int64_t e = 0; e < boxSize; ++e) {
      int64_t rest = e, from = 0;
      for (uint32_t d = 0; d < p.rank; ++d) {
        const int64_t c = issue.coord[d] + rest % p.boxDim[d];
        if (c < 0 || uint64_t(c) >= p.globalDim[d])
          return makeError("an issue reads outside tensor dim {}", d);
        from += c * (d ? int64_t(p.globalStride[d - 1]) : unit);
        rest /= p.boxDim[d];
      }
      for (int64_t b = 0; b < unit; b += bytes, ++moved) {
        const auto to = int64_t(swizzleAddress(
            p.swizzle, uint64_t(issue.sharedOffset + e * unit + b)));
        const auto found = want.find(to);
        if (found == want.end() || found->second != from + b)
          return makeError(
              "shared byte {} receives global byte {}, the layouts "
              "say {}",
              to, from + b, found == want.end() ? -1 : found->second);
      }
    }
  if (moved != total)
    return makeError("{} elements are moved, the region has {}", moved, total);
  return {};
}

} // namespace tirx::layout
