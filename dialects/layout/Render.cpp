//===- Render.cpp - tables of places as text -------------------------*- C++
//-*-===//
#include "tirx/Layout/Render.h"

#include "Detail.h"
#include "RenderDetail.h"

#include <algorithm>

namespace tirx::layout {

using detail::makeError;
using detail::makeTable;
using detail::replicaNote;
using detail::Table;

std::string Table::label(size_t i) const {
  std::string out;
  for (Axis a : axes)
    out += fmt::format("{}{}", out.empty() ? "" : "/", places[i].get(a));
  return out;
}

std::string Table::heading() const {
  std::string out;
  for (Axis a : axes)
    out += fmt::format("{}{}", out.empty() ? "" : "/", toString(a));
  return out;
}

Expected<Table> detail::makeTable(const Layout &layout, ShapeRef shape) {
  if (shape.size() != 1 && shape.size() != 2)
    return makeError("pictures show one or two dims, not {}", shape.size());
  TIRX_LAYOUT_ASSIGN(const int64_t total, shapeSize(shape));
  if (total != size(layout))
    return makeError("shape {} has {} elements, layout {} has {}",
                     toString(shape), total, toString(layout), size(layout));
  if (total > kMaxRenderedCells)
    return makeError("{} cells; the limit of a picture is {}", total,
                     kMaxRenderedCells);
  Table t{
      shape.size() == 2 ? shape[0] : 1, shape.back(), axes(layout.tile), {}};
  for (int64_t x = 0; x < total; ++x)
    t.places.push_back(apply(layout, x));
  return t;
}

std::string detail::replicaNote(const Layout &layout) {
  std::string out;
  for (const Iter &it : layout.tile.replica)
    out += fmt::format("{}{}x at +{}@{}", out.empty() ? "replicas: " : ", ",
                       it.extent, it.stride, toString(it.axis));
  return out;
}

Expected<std::string> renderText(const Layout &layout, ShapeRef shape) {
  TIRX_LAYOUT_ASSIGN(const Table t, makeTable(layout, shape));
  size_t width = std::to_string(t.cols - 1).size();
  for (size_t i = 0; i < t.places.size(); ++i)
    width = std::max(width, t.label(i).size());
  const size_t margin = std::to_string(t.rows - 1).size();
  std::string out = fmt::format("{}\n{}\n{:>{}} |", toString(layout),
                                t.heading(), "", margin);
  for (int64_t c = 0; c < t.cols; ++c)
    out += fmt::format(" {:>{}}", c, width);
  out +=
      fmt::format("\n{:->{}}", "", margin + 2 + size_t(t.cols) * (width + 1));
  for (int64_t r = 0; r < t.rows; ++r) {
    out += fmt::format("\n{:>{}} |", r, margin);
    for (int64_t c = 0; c < t.cols; ++c)
      out += fmt::format(" {:>{}}", t.label(size_t(r * t.cols + c)), width);
  }
  out += "\n";
  if (const std::string note = replicaNote(layout); !note.empty())
    out += note + "\n";
  return out;
}

} // namespace tirx::layout
