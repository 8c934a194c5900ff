//===- Tma.cpp - plans of cp.async.bulk.tensor ----------------------------===//

#include "CopyTiles.h"
#include "Plans.h"
#include "SwizzleModes.h"

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
  SmallVector<int> axes(shape.size());
  std::iota(axes.begin(), axes.end(), 0);
  auto copy = layout::planTensorCopy(shared.getLayout().getValue(), shape, axes,
                                     shape.size(), *type);
  if (!copy)
    return refuse(copy.error().message);
  std::optional<SwizzleMode> swizzle = toDialectSwizzle(copy->swizzle);
  if (!swizzle)
    return refuse("the shared layout's swizzle is not one of 32B, 64B, 128B");

  TmaPlan plan;
  SmallVector<int64_t> box(copy->box.rbegin(), copy->box.rend());
  plan.map = TensorMapType::get(op->getContext(), box, tiles.getElementType(),
                                *swizzle);
  for (const layout::TensorCopyIssue &issue : copy->issues)
    plan.issues.push_back(
        {SmallVector<int64_t>(issue.coord.rbegin(), issue.coord.rend()),
         issue.sharedOffset});
  return plan;
}
