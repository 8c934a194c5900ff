//===- SliceOffset.cpp - where a slice begins in its buffer ---------------===//

#include "tirx/Dialect/SliceOffset.h"

#include "tirx/Layout/Algebra.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tirx::ir;
namespace layout = tirx::layout;

static tl::unexpected<std::string> refuse(const llvm::Twine &reason) {
  return tl::unexpected<std::string>(reason.str());
}

/// The one iter that axis `dim` moves along, if it is one.
static const layout::Iter *getOnlyIter(const layout::Grouped &grouped,
                                       size_t dim) {
  const layout::Iter *only = nullptr;
  for (const layout::Iter &iter : grouped.dim(dim)) {
    if (iter.extent == 1)
      continue;
    if (only)
      return nullptr;
    only = &iter;
  }
  return only ? only : &grouped.dim(dim).front();
}

tl::expected<SliceOffset, std::string> tirx::ir::getSliceOffset(SliceOp slice) {
  auto source = cast<BufferType>(slice.getSource().getType());
  auto result = cast<BufferType>(slice.getResult().getType());
  const layout::Layout &from = source.getLayout().getValue();
  const layout::Layout &to = result.getLayout().getValue();
  if (from.swizzle != to.swizzle)
    return refuse("the swizzles of source and result differ");

  layout::Shape shape(source.getShape().begin(), source.getShape().end());
  layout::Shape extent(shape.size() - result.getShape().size(), 1);
  extent.insert(extent.end(), result.getShape().begin(),
                result.getShape().end());
  auto grouped = layout::group(from.tile, shape);
  if (!grouped)
    return refuse(grouped.error().message);

  SliceOffset offset;
  layout::Shape begin(shape.size(), 0);
  int64_t period = from.swizzle ? from.swizzle->period() : 1;
  for (auto [axis, value] : llvm::enumerate(slice.getOffsets())) {
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant))) {
      begin[axis] = constant.getSExtValue();
      if (begin[axis] < 0 || begin[axis] + extent[axis] > shape[axis])
        return refuse("the window [" + llvm::Twine(begin[axis]) + ", " +
                      llvm::Twine(begin[axis] + extent[axis]) + ") of axis " +
                      llvm::Twine(axis) + " exceeds the extent " +
                      llvm::Twine(shape[axis]));
      continue;
    }
    const layout::Iter *iter = getOnlyIter(*grouped, axis);
    if (!iter)
      return refuse("the offset along axis " + llvm::Twine(axis) +
                    " must be constant: the layout does not move along it by "
                    "one stride");
    if (iter->axis == layout::Axis::m && iter->stride % period)
      return refuse("the offset along axis " + llvm::Twine(axis) +
                    " must be constant: it moves the tile by " +
                    llvm::Twine(iter->stride) +
                    " elements, no multiple of the swizzle's period of " +
                    llvm::Twine(period));
    offset.terms.push_back({value, iter->stride, iter->axis});
  }

  auto window = layout::slice(from.tile, shape, begin, extent);
  auto place = layout::apply(layout::Layout(from.tile), begin, shape);
  if (!window || !place)
    return refuse((window ? place.error() : window.error()).message);
  offset.constant = *place;
  if (place->get(layout::Axis::m) % period)
    return refuse("the window begins " +
                  llvm::Twine(place->get(layout::Axis::m)) +
                  " elements into the buffer, no multiple of the swizzle's "
                  "period of " +
                  llvm::Twine(period));
  layout::TileLayout cut = window->tile;
  cut.offset = {};
  if (!layout::equivalent(cut, to.tile))
    return refuse("the window's layout is " + layout::toString(cut) +
                  ", the result's " + layout::toString(to.tile));
  return offset;
}
