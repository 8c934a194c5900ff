//===- Broadcast.cpp - plans of tirx.broadcast ----------------------------===//

#include "Plans.h"

#include "tirx/Layout/Algebra.h"

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;
namespace layout = tirx::layout;

/// Thread axes as one where they can be: tid_in_wg instead of laneid and
/// wid_in_wg.
static layout::TileLayout unifyThreads(const layout::TileLayout &tile) {
  auto fused = layout::fuseThreadAxes(tile, layout::Scope::Thread,
                                      layout::Scope::Warpgroup);
  return fused ? *fused : tile;
}

namespace {
/// Digits of one dimension, the fastest first; taken apart as needed.
class Digits {
public:
  explicit Digits(std::span<const layout::Iter> iters) {
    for (const layout::Iter &iter : llvm::reverse(iters))
      if (iter.extent > 1)
        list.push_back(iter);
  }

  bool empty() const { return at == list.size(); }
  int64_t extent() const { return list[at].extent; }
  /// The fastest `extent` values of the current digit, which they divide.
  layout::Iter take(int64_t extent) {
    layout::Iter part{extent, list[at].stride, list[at].axis};
    list[at].extent /= extent;
    list[at].stride *= extent;
    if (list[at].extent == 1)
      ++at;
    return part;
  }

private:
  SmallVector<layout::Iter> list;
  size_t at = 0;
};

/// A digit of the result's coordinates and, unless it is one along which the
/// source is repeated, where the source has it.
struct Pair {
  layout::Iter result;
  std::optional<layout::Iter> source;
};
} // namespace

/// Whether all threads that differ in this digit only are replicas.
static bool isReplicated(const layout::TileLayout &tile,
                         const layout::Iter &digit) {
  int64_t at = digit.stride, end = digit.stride * digit.extent;
  while (at < end) {
    auto cover = llvm::find_if(tile.replica, [&](const layout::Iter &replica) {
      int64_t reach = replica.stride * replica.extent;
      return replica.axis == digit.axis && replica.stride > 0 &&
             at % replica.stride == 0 && at < reach && reach % at == 0;
    });
    if (cover == tile.replica.end())
      return false;
    at = cover->stride * cover->extent;
  }
  return true;
}

static Planned<void> pairDigits(Digits result, Digits source, int64_t axis,
                                SmallVectorImpl<Pair> &pairs) {
  while (!result.empty() && !source.empty()) {
    int64_t extent = std::min(result.extent(), source.extent());
    if (std::max(result.extent(), source.extent()) % extent)
      return refuse("the two layouts cut dimension " + std::to_string(axis) +
                    " of the result differently");
    pairs.push_back({result.take(extent), source.take(extent)});
  }
  return {};
}

static Planned<void> checkPair(const Pair &pair,
                               const layout::TileLayout &source,
                               llvm::StringRef layouts) {
  bool ofThread = !layout::isMemory(pair.result.axis);
  bool held = pair.source
                  ? pair.source->axis == pair.result.axis &&
                        (!ofThread || pair.source->stride == pair.result.stride)
                  : !ofThread || isReplicated(source, pair.result);
  if (held)
    return {};
  return refuse("threads need elements that others hold: " + layouts);
}

Planned<SmallVector<int64_t>> tirx::passes::planBroadcast(BroadcastOp op) {
  auto sourceType = cast<RankedTensorType>(op.getSource().getType());
  auto resultType = cast<RankedTensorType>(op.getResult().getType());
  auto getLayout = [](RankedTensorType type) {
    return unifyThreads(cast<LayoutAttr>(type.getEncoding()).getValue().tile);
  };
  layout::TileLayout source = getLayout(sourceType);
  layout::TileLayout result = getLayout(resultType);
  std::string layouts =
      layout::toString(source) + " to " + layout::toString(result);
  if (!source.offset.empty() || !result.offset.empty())
    return refuse("a layout has an offset: " + layouts);
  auto sourceDims = layout::group(source, sourceType.getShape());
  auto resultDims = layout::group(result, resultType.getShape());
  if (!sourceDims || !resultDims)
    return refuse("a layout does not follow its dimensions: " + layouts);

  SmallVector<Pair> pairs;
  int64_t added = resultType.getRank() - sourceType.getRank();
  for (int64_t axis = 0; axis < resultType.getRank(); ++axis) {
    Digits digits(resultDims->dim(axis));
    if (axis < added || sourceType.getDimSize(axis - added) == 1) {
      while (!digits.empty())
        pairs.push_back({digits.take(digits.extent()), std::nullopt});
      continue;
    }
    if (auto paired = pairDigits(digits, Digits(sourceDims->dim(axis - added)),
                                 axis, pairs);
        !paired)
      return tl::unexpected(paired.error());
  }
  for (const layout::Iter &replica : result.replica)
    pairs.push_back({replica, std::nullopt});
  for (const Pair &pair : pairs)
    if (auto held = checkPair(pair, source, layouts); !held)
      return tl::unexpected(held.error());

  SmallVector<int64_t> registers(layout::size(result, layout::Axis::m));
  for (auto [at, from] : llvm::enumerate(registers))
    for (const Pair &pair : pairs)
      if (pair.source && pair.source->axis == layout::Axis::m)
        from += (int64_t)at / pair.result.stride % pair.result.extent *
                pair.source->stride;
  return registers;
}
