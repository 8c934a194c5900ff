//===- Render.cpp - text and SVG tables -------------------------*- C++ -*-===//
#include "tirx/Layout/Render.h"

#include "Detail.h"

#include <algorithm>
#include <map>

namespace tirx::layout {

using detail::makeError;

namespace {
struct Table {
  int64_t rows, cols;
  std::vector<Axis> axes;
  std::vector<AxisValues> places; // row-major
  std::string label(size_t i) const {
    std::string out;
    for (Axis a : axes)
      out += fmt::format("{}{}", out.empty() ? "" : "/", places[i].get(a));
    return out;
  }
  std::string heading() const {
    std::string out;
    for (Axis a : axes)
      out += fmt::format("{}{}", out.empty() ? "" : "/", toString(a));
    return out;
  }
};
} // namespace

static Expected<Table> makeTable(const Layout &layout, ShapeRef shape) {
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

static std::string replicaNote(const Layout &layout) {
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

static std::string escape(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

Expected<std::string> renderSvg(const Layout &layout, ShapeRef shape,
                                const RenderOptions &options) {
  TIRX_LAYOUT_ASSIGN(const Table t, makeTable(layout, shape));
  if (options.elementBits < 1 || options.elementBits > 128)
    return makeError("element width {} is outside [1, 128]",
                     options.elementBits);
  auto key = [&](const AxisValues &place) {
    if (options.colorBy)
      return place.get(*options.colorBy);
    return ((place.get(Axis::m) * options.elementBits / 32) % 32 + 32) % 32;
  };
  std::map<int64_t, size_t> colors; // value -> index in order of value
  for (const AxisValues &p : t.places)
    colors.emplace(key(p), 0);
  size_t next = 0;
  for (auto &[value, index] : colors)
    index = next++;
  // Neighbouring values get far-apart hues: steps of the golden angle.
  auto fill = [&](int64_t value) {
    const double hue = double(colors[value]) * 137.508;
    return fmt::format("hsl({:.0f},65%,78%)", hue - 360 * int64_t(hue / 360));
  };
  size_t chars = 1;
  for (size_t i = 0; i < t.places.size(); ++i)
    chars = std::max(chars, t.label(i).size());
  const int64_t cell = 20, wide = std::max<int64_t>(24, int64_t(chars) * 7 + 6);
  const int64_t left = 34, top = 56;
  const size_t legend = std::min<size_t>(colors.size(), 64);
  const int64_t legendCols = std::max<int64_t>(1, t.cols * wide / 64);
  const int64_t bottom = top + t.rows * cell + 28 +
                         (int64_t(legend) + legendCols - 1) / legendCols * 18;
  const int64_t width = left + std::max(t.cols * wide, int64_t(64)) + 10;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" font-family=\"monospace\" font-size=\"11\">\n",
      width, bottom + 10);
  out += fmt::format(
      "<text x=\"4\" y=\"14\">{}</text>\n",
      escape(options.title.empty() ? toString(layout) : options.title));
  const std::string note = replicaNote(layout);
  out += fmt::format("<text x=\"4\" y=\"30\">cell: {}{}{}</text>\n",
                     escape(t.heading()), note.empty() ? "" : "; ", note);
  for (int64_t c = 0; c < t.cols; ++c)
    out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" "
                       "fill=\"#666\">{}</text>\n",
                       left + c * wide + wide / 2, top - 5, c);
  for (int64_t r = 0; r < t.rows; ++r) {
    out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\" "
                       "fill=\"#666\">{}</text>\n",
                       left - 4, top + r * cell + 14, r);
    for (int64_t c = 0; c < t.cols; ++c) {
      const size_t i = size_t(r * t.cols + c);
      out += fmt::format(
          "<rect x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" "
          "fill=\"{4}\" stroke=\"#fff\"/><text x=\"{5}\" "
          "y=\"{6}\" text-anchor=\"middle\">{7}</text>\n",
          left + c * wide, top + r * cell, wide, cell, fill(key(t.places[i])),
          left + c * wide + wide / 2, top + r * cell + 14, t.label(i));
    }
  }
  const std::string what =
      options.colorBy ? std::string(toString(*options.colorBy)) : "bank";
  const int64_t y0 = top + t.rows * cell + 18;
  size_t shown = 0;
  out += fmt::format("<text x=\"4\" y=\"{}\">colour: {}{}</text>\n", y0, what,
                     colors.size() > legend ? fmt::format(" (first {} of {})",
                                                          legend, colors.size())
                                            : "");
  for (const auto &[value, index] : colors) {
    if (shown == legend)
      break;
    const int64_t x = left + int64_t(shown) % legendCols * 64;
    const int64_t y = y0 + 6 + int64_t(shown) / legendCols * 18;
    out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"12\" height=\"12\" "
                       "fill=\"{}\"/><text x=\"{}\" y=\"{}\">{}</text>\n",
                       x, y, fill(value), x + 16, y + 10, value);
    ++shown;
  }
  return out + "</svg>\n";
}

} // namespace tirx::layout
