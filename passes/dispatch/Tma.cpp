//===- Tma.cpp - plans of cp.async.bulk.tensor ----------------------------===//

#include "CopyTiles.h"
#include "Plans.h"
#include "SwizzleModes.h"

#include "tirx/Layout/Algebra.h"
#include "tirx/Layout/TensorMap.h"

#include <numeric>

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;
namespace layout = tirx::layout;

/// The tensor-map type that moves elements of this width: integers, which TMA
/// copies bit by bit. Floats keep their own, for fills other than zero.
static std::optional<layout::TensorMapType> getMapType(Type element) {
  if (element.isF16())
    return layout::TensorMapType::F16;
  if (element.isBF16())
    return layout::TensorMapType::BF16;
  if (element.isF32())
    return layout::TensorMapType::F32;
  if (element.isF64())
    return layout::TensorMapType::F64;
  switch (element.getIntOrFloatBitWidth()) {
  case 8:
    return layout::TensorMapType::U8;
  case 16:
    return layout::TensorMapType::U16;
  case 32:
    return layout::TensorMapType::U32;
  case 64:
    return layout::TensorMapType::U64;
  }
  return std::nullopt;
}

namespace {
/// The part of the tile that one CTA of a multicast loads: its shape and layout
/// in the shared tile, those of the first share.
struct SharedPart {
  std::optional<TmaShare> share;
  layout::Shape shape;
  layout::Layout layout;
};
} // namespace

/// Cuts the outermost dimension among the CTAs along the multicast's axis.
static Planned<SharedPart> cutShares(Operation *op, ThreadAxis axis,
                                     const layout::Layout &tile,
                                     ArrayRef<int64_t> tileShape,
                                     unsigned elementBits) {
  TmaShare share;
  share.axis = axis;
  share.clusterAxis = toClusterAxis(axis);
  share.cluster = getClusterDims(op);
  int64_t shares = share.cluster[(size_t)share.clusterAxis];
  SharedPart part{std::nullopt,
                  layout::Shape(tileShape.begin(), tileShape.end()), tile};
  if (shares == 1)
    return part;
  std::string who = "the " + std::to_string(shares) + " CTAs along " +
                    stringifyEnum(axis).str();
  share.dim = 0;
  while (share.dim + 1 < (int64_t)tileShape.size() && tileShape[share.dim] == 1)
    ++share.dim;
  int64_t extent = tileShape[share.dim];
  if (extent % shares)
    return refuse(who + " cannot share " + std::to_string(extent) +
                  " rows evenly");
  share.rows = extent / shares;
  part.shape[share.dim] = share.rows;

  layout::Shape begin(tileShape.size(), 0);
  auto first = layout::slice(tile, tileShape, begin, part.shape);
  if (!first)
    return refuse("the first of the parts that " + who +
                  " load: " + first.error().message);
  part.layout = *first;
  int64_t origin = first->tile.offset.get(layout::Axis::m), apart = 0;
  for (int64_t i = 1; i < shares; ++i) {
    begin[share.dim] = i * share.rows;
    auto other = layout::slice(tile, tileShape, begin, part.shape);
    if (!other)
      return refuse("part " + std::to_string(i) + " of those that " + who +
                    " load: " + other.error().message);
    int64_t distance = other->tile.offset.get(layout::Axis::m) - origin;
    if (i == 1)
      apart = distance;
    other->tile.offset = first->tile.offset;
    if (distance != i * apart || !layout::equivalent(*other, *first))
      return refuse("the parts that " + who +
                    " load do not lie at equal distances in shared memory");
  }
  share.bytes = apart * elementBits / 8;
  // PTX ISA, cp.async.bulk.tensor: shared memory alignment; and the swizzle
  // must not see where a part begins.
  int64_t atom = 128;
  if (tile.swizzle)
    atom = std::max(atom, tile.swizzle->period() * elementBits / 8);
  if (share.bytes % atom)
    return refuse("the parts of " + std::to_string(share.rows) + " rows that " +
                  who + " load are " + std::to_string(share.bytes) +
                  " bytes apart, no multiple of the " + std::to_string(atom) +
                  " bytes of " +
                  (tile.swizzle ? "a swizzle atom" : "TMA's alignment"));
  part.share = share;
  return part;
}

static Planned<SharedPart> getSharedPart(Operation *op,
                                         const layout::Layout &tile,
                                         ArrayRef<int64_t> tileShape,
                                         unsigned elementBits) {
  if (auto async = dyn_cast<CopyAsyncOp>(op)) {
    if (auto group = checkCtaGroup(op, async.getCtaGroup()); !group)
      return tl::unexpected(group.error());
    if (auto axis = async.getMulticast())
      return cutShares(op, *axis, tile, tileShape, elementBits);
  }
  return SharedPart{std::nullopt,
                    layout::Shape(tileShape.begin(), tileShape.end()), tile};
}

Planned<TmaPlan> tirx::passes::planTma(Operation *op) {
  CopyTiles tiles(op);
  if (!tiles.sourceBuffer || !tiles.destinationBuffer)
    return refuse("one side is in registers");
  BufferType global = tiles.sourceBuffer, shared = tiles.destinationBuffer;
  Value globalValue = tiles.source;
  if (!global.isGlobal()) {
    std::swap(global, shared);
    globalValue = tiles.destination;
  }
  if (!global.isGlobal() || !shared.isShared())
    return refuse("the source is " + tiles.describeSource() +
                  ", the destination " + tiles.describeDestination() +
                  "; it copies between global and shared memory");
  if (auto tile = findGlobalTile(globalValue); !tile)
    return refuse(tile.error());
  std::optional<layout::TensorMapType> type =
      getMapType(tiles.getElementType());
  if (!type)
    return refuse("there is no tensor-map type for its elements");

  ArrayRef<int64_t> shape = tiles.getShape();
  // Leading axes that only the global side has get boxes of 1.
  int64_t skipped = global.getRank() - shape.size();
  SmallVector<int> axes(shape.size());
  std::iota(axes.begin(), axes.end(), (int)skipped);
  auto part = getSharedPart(op, shared.getLayout().getValue(), shape,
                            tiles.getElementBits());
  if (!part)
    return tl::unexpected(part.error());
  auto copy = layout::planTensorCopy(part->layout, part->shape, axes,
                                     (int)global.getRank(), *type);
  if (!copy)
    return refuse(copy.error().message);
  std::optional<SwizzleMode> swizzle = toDialectSwizzle(copy->swizzle);
  if (!swizzle)
    return refuse("the shared layout's swizzle is not one of 32B, 64B, 128B");

  TmaPlan plan;
  plan.share = part->share;
  if (plan.share)
    plan.share->dim += skipped;
  SmallVector<int64_t> box(copy->box.rbegin(), copy->box.rend());
  plan.map = TensorMapType::get(op->getContext(), box, tiles.getElementType(),
                                *swizzle);
  for (const layout::TensorCopyIssue &issue : copy->issues)
    plan.issues.push_back(
        {SmallVector<int64_t>(issue.coord.rbegin(), issue.coord.rend()),
         issue.sharedOffset});
  return plan;
}
