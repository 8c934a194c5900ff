//===- Support.cpp - shapes -------------------------------------*- C++ -*-===//
#include "tirx/Layout/Support.h"

#include "Detail.h"

namespace tirx::layout {

Expected<int64_t> shapeSize(ShapeRef shape) {
  int64_t size = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] < 1)
      return detail::makeError("extent {} of dim {} in shape {} must be >= 1",
                               shape[d], d, toString(shape));
    auto next = detail::mulChecked(size, shape[d]);
    if (!next || *next > kMaxSize)
      return detail::makeError("shape {} has more than 2^40 elements",
                               toString(shape));
    size = *next;
  }
  return size;
}

Shape unflatten(int64_t linear, ShapeRef shape) {
  Shape coord(shape.size());
  for (size_t d = shape.size(); d-- > 1;) {
    const int64_t q = detail::floorDiv(linear, shape[d]);
    coord[d] = linear - q * shape[d];
    linear = q;
  }
  if (!shape.empty())
    coord[0] = linear;
  return coord;
}

int64_t flatten(ShapeRef coord, ShapeRef shape) {
  int64_t linear = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    linear = linear * shape[d] + coord[d];
  return linear;
}

std::string toString(ShapeRef shape) {
  if (shape.size() == 1)
    return std::to_string(shape[0]);
  return fmt::format("({})", fmt::join(shape, ","));
}

} // namespace tirx::layout
