//===- TensorMap.cpp - legality and copy planning ---------------*- C++ -*-===//
#include "tirx/Layout/TensorMap.h"

#include "Detail.h"

#include "tirx/Layout/Algebra.h"
#include "tirx/Layout/Proofs.h"

#include <algorithm>

namespace tirx::layout {

using detail::makeError;

static constexpr TensorMapTypeInfo typeTable[] = {
    {TensorMapType::U8, "u8", 8, false, false},
    {TensorMapType::U16, "u16", 16, false, false},
    {TensorMapType::U32, "u32", 32, false, false},
    {TensorMapType::S32, "s32", 32, false, false},
    {TensorMapType::U64, "u64", 64, false, false},
    {TensorMapType::S64, "s64", 64, false, false},
    {TensorMapType::F16, "f16", 16, true, false},
    {TensorMapType::F32, "f32", 32, true, false},
    {TensorMapType::F64, "f64", 64, true, false},
    {TensorMapType::BF16, "bf16", 16, true, false},
    {TensorMapType::F32Ftz, "f32.ftz", 32, true, false},
    {TensorMapType::TF32, "tf32", 32, true, false},
    {TensorMapType::TF32Ftz, "tf32.ftz", 32, true, false},
    {TensorMapType::U4x16Align8, "16U4_ALIGN8B", 4, false, true},
    {TensorMapType::U4x16Align16, "16U4_ALIGN16B", 4, false, true},
    {TensorMapType::U6x16Align16, "16U6_ALIGN16B", 6, false, true},
};

const TensorMapTypeInfo *tensorMapTypeInfo(TensorMapType type) {
  return unsigned(type) < std::size(typeTable) ? &typeTable[unsigned(type)]
                                               : nullptr;
}

//===--- legality --------------------------------------------------------===//

static Expected<void> checkEnums(const TensorMapParams &p, SmTarget target) {
  const TensorMapTypeInfo *type = tensorMapTypeInfo(p.type);
  if (p.rank < 1 || p.rank > 5)
    return makeError("rank: {} is outside [1, 5]", p.rank);
  if (!type)
    return makeError("type: {} is no tensor-map data type", unsigned(p.type));
  if (p.interleave > TensorMapInterleave::B32)
    return makeError("interleave: {} is outside [0, 2]",
                     unsigned(p.interleave));
  if (p.swizzle > SwizzleMode::B128Atom64B)
    return makeError("swizzle: {} is outside [0, 6]", unsigned(p.swizzle));
  if (p.l2 > TensorMapL2::B256)
    return makeError("l2_promotion: {} is outside [0, 3]", unsigned(p.l2));
  if (p.oob > TensorMapOob::NaN)
    return makeError("oob: {} is outside [0, 1]", unsigned(p.oob));
  if (p.oob == TensorMapOob::NaN && !type->isFloat)
    return makeError(
        "nan_oob_dtype: NaN fill needs a floating-point type, not {}",
        type->name);
  if (target == SmTarget::Sm90a && type->packed)
    return makeError("target: type {} needs sm_100a", type->name);
  if (target == SmTarget::Sm90a && p.swizzle > SwizzleMode::B128)
    return makeError("target: swizzle {} needs sm_100a", toString(p.swizzle));
  if (p.interleave != TensorMapInterleave::None && p.rank < 3)
    return makeError("interleave: an interleaved tensor has rank >= 3, not {}",
                     p.rank);
  if (p.interleave == TensorMapInterleave::B32 && p.swizzle != SwizzleMode::B32)
    return makeError("interleave: 32B interleave needs swizzle 32B, not {}",
                     toString(p.swizzle));
  return {};
}

static Expected<void> checkPacked(const TensorMapParams &p) {
  if (p.type == TensorMapType::U4x16Align8)
    return {};
  if (p.globalDim[0] % 128 != 0)
    return makeError("global_dim: dim 0 = {} must be a multiple of 128 for {}",
                     p.globalDim[0], tensorMapTypeInfo(p.type)->name);
  if (p.boxDim[0] != 128)
    return makeError("box_dim: dim 0 = {} must be 128 for {}", p.boxDim[0],
                     tensorMapTypeInfo(p.type)->name);
  if (p.swizzle != SwizzleMode::None && p.swizzle != SwizzleMode::B128)
    return makeError("swizzle: {} is not available for {}; legal: none, 128B",
                     toString(p.swizzle), tensorMapTypeInfo(p.type)->name);
  return {};
}

Expected<void> checkTensorMap(const TensorMapParams &p, SmTarget target) {
  TIRX_LAYOUT_CHECK(checkEnums(p, target));
  const TensorMapTypeInfo &type = *tensorMapTypeInfo(p.type);
  const bool align16 = type.packed && p.type != TensorMapType::U4x16Align8;
  const uint64_t align =
      align16 || p.interleave == TensorMapInterleave::B32 ? 32 : 16;
  if (p.globalAddress % align != 0)
    return makeError("global_base_alignment: {:#x} is not a multiple of {}",
                     p.globalAddress, align);
  for (uint32_t d = 0; d < p.rank; ++d)
    if (p.globalDim[d] < 1 || p.globalDim[d] > uint64_t(1) << 32)
      return makeError("global_dim: dim {} = {} is outside [1, 2^32]", d,
                       p.globalDim[d]);
  for (uint32_t d = 0; d + 1 < p.rank; ++d) {
    if (p.globalStride[d] >= uint64_t(1) << 40)
      return makeError(
          "global_stride_range: stride of dim {} = {} is not below 2^40", d + 1,
          p.globalStride[d]);
    if (p.globalStride[d] % align != 0)
      return makeError(
          "global_stride_alignment: stride of dim {} = {} bytes is not "
          "a multiple of {}",
          d + 1, p.globalStride[d], align);
  }
  for (uint32_t d = 0; d < p.rank; ++d) {
    if (p.boxDim[d] < 1 || p.boxDim[d] > 256)
      return makeError("box_dim: dim {} = {} is outside [1, 256]", d,
                       p.boxDim[d]);
    if (p.elementStride[d] < 1 || p.elementStride[d] > 8)
      return makeError("element_stride: dim {} = {} is outside [1, 8]", d,
                       p.elementStride[d]);
  }
  if (type.packed)
    TIRX_LAYOUT_CHECK(checkPacked(p));
  if (p.interleave != TensorMapInterleave::None)
    return {};
  const int64_t innerBits = int64_t(p.boxDim[0]) * type.bits;
  if (!align16 && innerBits % 128 != 0)
    return makeError(
        "inner_box_bytes: {} elements of {} are {} bytes, no multiple "
        "of 16",
        p.boxDim[0], type.name, innerBits / 8);
  // A 4- or 6-bit ALIGN16B element takes 8 bits in shared memory.
  const int64_t innerBytes = align16 ? p.boxDim[0] : innerBits / 8;
  const int64_t width = swizzleWidth(p.swizzle);
  if (width && innerBytes > width)
    return makeError(
        "swizzle_inner_box: {} bytes exceed the {} bytes of swizzle {}",
        innerBytes, width, toString(p.swizzle));
  return {};
}

//===--- planning --------------------------------------------------------===//

static int64_t largestDivisor(int64_t value, int64_t limit) {
  for (int64_t d = std::min(value, limit); d > 1; --d)
    if (value % d == 0)
      return d;
  return 1;
}

namespace {
/// A digit that selects issues: `extent` steps of `coord` elements along a
/// tensor dim and `shared` elements in shared memory.
struct IssueDigit {
  int64_t extent;
  size_t dim;
  int64_t coord, shared;
};

struct Boxes {
  std::vector<uint32_t> box; // fastest first
  std::vector<IssueDigit> digits;
};
} // namespace

/// Grows the box from the fastest tensor dim on while it stays dense.
static Expected<Boxes> growBox(const Grouped &g, std::span<const int> axes,
                               int rank, int64_t innerLimit,
                               int64_t elementBits, SwizzleMode mode) {
  Boxes out;
  out.box.assign(size_t(rank), 1);
  int64_t dense = 1; // elements of the box so far
  bool grow = true;
  for (int dim = 0; dim < rank; ++dim) {
    const int axis = rank - 1 - dim;
    const auto found = std::find(axes.begin(), axes.end(), axis);
    if (found == axes.end()) {
      if (dim == 0)
        return makeError("the tile does not cover the innermost global axis {}",
                         axis);
      continue;
    }
    std::vector<Iter> run =
        detail::fuseRun(g.dim(size_t(found - axes.begin())));
    int64_t weight = 1; // elements along the axis below the current iter
    if (!run.empty() && run.back().stride == dense && grow) {
      const Iter it = run.back();
      const int64_t b = largestDivisor(it.extent, dim == 0 ? innerLimit : 256);
      out.box[size_t(dim)] = uint32_t(b);
      dense *= b;
      run.pop_back();
      if (b != it.extent)
        run.push_back({it.extent / b, it.stride * b, it.axis});
      weight = b;
    } else if (dim == 0 && !run.empty()) {
      return makeError(
          "the innermost global axis {} has stride {} in the shared "
          "tile; TMA needs 1 (is the tile transposed?)",
          axis, run.back().stride);
    }
    for (size_t i = run.size(); i-- > 0;) {
      out.digits.push_back({run[i].extent, size_t(dim), weight, run[i].stride});
      weight *= run[i].extent;
    }
    if (dim == 0) {
      const int64_t bytes = out.box[0] * elementBits / 8;
      if (bytes * 8 != out.box[0] * elementBits || bytes % 16 != 0)
        return makeError("the inner box is {} elements of {} bits; TMA needs a "
                         "multiple of 16 bytes",
                         out.box[0], elementBits);
      // Row pitch of a box narrower than the swizzle width is not documented,
      // so such a box has one row.
      grow = mode == SwizzleMode::None || bytes == swizzleWidth(mode);
    }
  }
  return out;
}

Expected<TensorCopyPlan> planTensorCopy(const Layout &shared,
                                        ShapeRef tileShape,
                                        std::span<const int> axesOf, int rank,
                                        TensorMapType type) {
  const TensorMapTypeInfo *info = tensorMapTypeInfo(type);
  if (!info || info->packed)
    return makeError("type {} cannot be planned; view packed operands as u8",
                     info ? info->name : "?");
  if (rank < 1 || rank > 5)
    return makeError("tensor rank {} is outside [1, 5]", rank);
  if (axesOf.size() != tileShape.size())
    return makeError("{} global axes for a tile of rank {}", axesOf.size(),
                     tileShape.size());
  for (size_t d = 0; d < axesOf.size(); ++d)
    if (axesOf[d] < 0 || axesOf[d] >= rank ||
        std::find(axesOf.begin(), axesOf.begin() + ptrdiff_t(d), axesOf[d]) !=
            axesOf.begin() + ptrdiff_t(d))
      return makeError(
          "global axis {} of tile dim {} is outside [0, {}) or named "
          "twice",
          axesOf[d], d, rank);
  const TileLayout tile = canonicalize(shared.tile);
  for (Axis axis : axes(tile))
    if (axis != Axis::m)
      return makeError(
          "shared layout {} uses axis {}; TMA writes linear memory",
          toString(shared), toString(axis));
  if (!tile.replica.empty())
    return makeError("shared layout {} has replicas", toString(shared));
  TIRX_LAYOUT_ASSIGN(const SwizzleMode mode,
                     swizzleModeOf(shared.swizzle, info->bits));
  TIRX_LAYOUT_ASSIGN(const Grouped g, group(tile, tileShape));
  const int64_t width = swizzleWidth(mode);
  const int64_t innerLimit =
      width ? std::min<int64_t>(256, width * 8 / info->bits) : 256;
  TIRX_LAYOUT_ASSIGN(Boxes boxes,
                     growBox(g, axesOf, rank, innerLimit, info->bits, mode));

  TensorCopyPlan plan{type,
                      mode,
                      boxes.box,
                      {},
                      size(tile) * info->bits / 8,
                      std::max<int64_t>(128, swizzlePeriod(mode))};
  int64_t count = 1, boxBytes = info->bits / 8;
  for (const IssueDigit &digit : boxes.digits) {
    count *= digit.extent;
    if (count > 4096)
      return makeError(
          "the copy needs more than 4096 instructions; the tile {} is "
          "not dense in boxes of the tensor",
          toString(shared));
  }
  for (uint32_t b : boxes.box)
    boxBytes *= b;
  for (int64_t i = 0; i < count; ++i) {
    TensorCopyIssue issue{std::vector<int64_t>(size_t(rank), 0),
                          tile.offset.get(Axis::m), boxBytes};
    int64_t rest = i;
    for (const IssueDigit &digit : boxes.digits) {
      const int64_t x = rest % digit.extent;
      rest /= digit.extent;
      issue.coord[digit.dim] += x * digit.coord;
      issue.sharedOffset += x * digit.shared;
    }
    issue.sharedOffset = issue.sharedOffset * info->bits / 8;
    // PTX ISA 9.7.9.25.5.2: the shared address of a tensor copy is 128-byte
    // aligned.
    if (issue.sharedOffset < 0 || issue.sharedOffset % 128 != 0)
      return makeError(
          "a box would start at shared byte {}; TMA needs multiples of "
          "128{}",
          issue.sharedOffset,
          width && boxBytes < width ? " (the inner box is narrower than "
                                      "the swizzle)"
                                    : "");
    plan.issues.push_back(std::move(issue));
  }
  return plan;
}

Expected<void> proveTensorCopy(const TensorCopyPlan &plan, const Layout &shared,
                               ShapeRef tileShape,
                               std::span<const int> axesOf) {
  TIRX_LAYOUT_CHECK(checkCovers(shared, tileShape));
  const int64_t total = size(shared), rank = int64_t(plan.box.size());
  if (total > kMaxEnumeration)
    return makeError("{} elements are too many to enumerate (limit {})", total,
                     kMaxEnumeration);
  const int64_t bits = tensorMapTypeInfo(plan.type)->bits;
  std::vector<bool> seen(size_t(total), false);
  int64_t boxSize = 1;
  for (uint32_t b : plan.box)
    boxSize *= b;
  for (const TensorCopyIssue &issue : plan.issues)
    for (int64_t e = 0; e < boxSize; ++e) {
      Shape at(tileShape.size(), 0);
      int64_t rest = e;
      for (int64_t dim = 0; dim < rank; ++dim) {
        const int64_t c =
            issue.coord[size_t(dim)] + rest % plan.box[size_t(dim)];
        rest /= plan.box[size_t(dim)];
        const auto found =
            std::find(axesOf.begin(), axesOf.end(), int(rank - 1 - dim));
        if (found != axesOf.end())
          at[size_t(found - axesOf.begin())] = c;
        else if (c != 0)
          return makeError("an issue leaves the tile on global axis {}",
                           rank - 1 - dim);
      }
      for (size_t d = 0; d < at.size(); ++d)
        if (at[d] < 0 || at[d] >= tileShape[d])
          return makeError("an issue leaves the tile at {}", toString(at));
      const int64_t linear = flatten(at, tileShape);
      if (seen[size_t(linear)])
        return makeError("element {} is copied twice", toString(at));
      seen[size_t(linear)] = true;
      const uint64_t wrote = swizzleAddress(
          plan.swizzle, uint64_t(issue.sharedOffset + e * bits / 8));
      const int64_t want = apply(shared, linear).get(Axis::m) * bits / 8;
      if (int64_t(wrote) != want)
        return makeError(
            "element {} is written to shared byte {}, the layout says "
            "{}",
            toString(at), wrote, want);
    }
  const auto missing = std::find(seen.begin(), seen.end(), false);
  if (missing != seen.end())
    return makeError("element {} is not copied", missing - seen.begin());
  return {};
}

} // namespace tirx::layout
