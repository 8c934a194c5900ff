//===- RenderSvg.cpp - SVG pictures of layouts ----------------------------===//
#include "Detail.h"

#include "RenderDetail.h"
#include "tirx/Layout/HardwareLimits.h"

#include <algorithm>
#include <map>

namespace tirx::layout {

using detail::makeError;
using detail::makeTable;
using detail::replicaNote;
using detail::Table;

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

static std::string svgStart(int64_t width, int64_t height) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" font-family=\"monospace\" font-size=\"11\">\n"
      "<path d=\"M0 0H{0}V{1}H0z\" fill=\"#fff\"/>\n",
      width, height);
}

static std::string svgText(int64_t x, int64_t y, std::string_view text,
                           std::string_view attributes = "") {
  return fmt::format("<text x=\"{}\" y=\"{}\"{}{}>{}</text>\n", x, y,
                     attributes.empty() ? "" : " ", attributes, escape(text));
}

static std::string svgRect(int64_t x, int64_t y, int64_t width, int64_t height,
                           std::string_view fill, std::string_view stroke) {
  return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" "
                     "fill=\"{}\" stroke=\"{}\"/>\n",
                     x, y, width, height, fill, stroke);
}

/// Up to 12 hues go evenly round the circle. More take steps of the golden
/// angle and three lightnesses, so that neighbouring values stay apart.
static std::string color(size_t index, size_t count) {
  if (count <= 12)
    return fmt::format("hsl({},70%,80%)", 360 * index / count);
  const int64_t hue = int64_t(index * 137508 / 1000) % 360;
  return fmt::format("hsl({},65%,{}%)", hue, 88 - 6 * (index % 3));
}

static constexpr std::string_view kMiddle = "text-anchor=\"middle\"";
static constexpr std::string_view kGreyMiddle =
    "text-anchor=\"middle\" fill=\"#666\"";
static constexpr std::string_view kGreyEnd =
    "text-anchor=\"end\" fill=\"#666\"";
static constexpr std::string_view kIndex =
    "text-anchor=\"middle\" fill=\"#333\" font-size=\"9\"";

//===--- tables ----------------------------------------------------------===//

/// Whether elements [first, first + n) lie one after the other on one memory
/// axis and agree on all others.
static bool adjacent(const Table &t, size_t first, size_t n) {
  for (size_t i = first + 1; i < first + n; ++i) {
    int moved = 0;
    for (Axis a : t.axes) {
      const int64_t step = t.places[i].get(a) - t.places[i - 1].get(a);
      if (step == 1 && isMemory(a))
        ++moved;
      else if (step != 0)
        return false;
    }
    if (moved != 1)
      return false;
  }
  return true;
}

static Expected<void> checkOptions(const Table &t,
                                   const RenderOptions &options) {
  if (options.elementBits < 1 || options.elementBits > 128)
    return makeError("element width {} is outside [1, 128]",
                     options.elementBits);
  const int64_t n = options.elementsPerCell;
  if (n < 1 || t.cols % n != 0)
    return makeError("cells of {} elements do not divide a row of {}", n,
                     t.cols);
  for (size_t i = 0; i < t.places.size(); i += size_t(n))
    if (!adjacent(t, i, size_t(n)))
      return makeError("cells of {} elements: elements {} to {} are not "
                       "neighbours in memory",
                       n, i, i + size_t(n) - 1);
  return {};
}

Expected<std::string> renderSvg(const Layout &layout, ShapeRef shape,
                                const RenderOptions &options) {
  TIRX_LAYOUT_ASSIGN(const Table t, makeTable(layout, shape));
  TIRX_LAYOUT_CHECK(checkOptions(t, options));
  const int64_t per = options.elementsPerCell;
  auto bank = [&](int64_t bit) { return (bit / 32 % 32 + 32) % 32; };
  auto key = [&](const AxisValues &place) {
    return options.colorBy ? place.get(*options.colorBy)
                           : bank(place.get(Axis::m) * options.elementBits);
  };
  // What the legend says of a value: the banks of a whole cell.
  auto valueText = [&](int64_t value) {
    const int64_t banks = options.elementBits * per / 32;
    return options.colorBy || banks < 2
               ? std::to_string(value)
               : fmt::format("{}-{}", value, (value + banks - 1) % 32);
  };
  std::map<int64_t, size_t> colors; // value -> index in order of value
  for (size_t i = 0; i < t.places.size(); i += size_t(per))
    colors.emplace(key(t.places[i]), 0);
  size_t next = 0;
  for (auto &[value, index] : colors)
    index = next++;
  auto fill = [&](int64_t value) {
    return color(colors.at(value), colors.size());
  };
  size_t chars = 1;
  for (size_t i = 0; i < t.places.size(); ++i)
    chars = std::max(chars, t.label(i).size());
  const int64_t cols = t.cols / per;
  const int64_t cell = 32, wide = std::max<int64_t>(30, int64_t(chars) * 7 + 6);
  const int64_t left = 44, top = 66;
  const std::string title =
      options.title.empty() ? toString(layout) : options.title;
  const std::string note = replicaNote(layout);
  std::string explanation =
      fmt::format("cell: {} under its element's index", t.heading());
  if (per > 1)
    explanation += fmt::format("; {} elements, the first is shown", per);
  if (!note.empty())
    explanation += "; " + note;
  const int64_t textWidth =
      7 * int64_t(std::max(title.size(), explanation.size())) + 8;
  const int64_t width = std::max(left + cols * wide + 10, textWidth);
  const size_t legend = std::min<size_t>(colors.size(), 64);
  const int64_t legendCols = std::max<int64_t>(1, (width - 8) / 64);
  const int64_t height = top + t.rows * cell + 28 + 10 +
                         (int64_t(legend) + legendCols - 1) / legendCols * 18;

  std::string out = svgStart(width, height);
  out += svgText(4, 14, title);
  out += svgText(4, 32, explanation, "fill=\"#333\"");
  for (int64_t c = 0; c < cols; ++c)
    out += svgText(left + c * wide + wide / 2, top - 5, std::to_string(c * per),
                   kGreyMiddle);
  for (int64_t r = 0; r < t.rows; ++r) {
    const int64_t y = top + r * cell;
    out += svgText(left - 5, y + 20, std::to_string(r), kGreyEnd);
    for (int64_t c = 0; c < cols; ++c) {
      const size_t i = size_t(r * t.cols + c * per);
      const int64_t x = left + c * wide;
      out += svgRect(x, y, wide, cell, fill(key(t.places[i])), "#fff");
      out += svgText(x + wide / 2, y + 11, std::to_string(i), kIndex);
      out += svgText(x + wide / 2, y + 25, t.label(i), kMiddle);
    }
  }
  const std::string_view what =
      options.colorBy ? toString(*options.colorBy) : "bank";
  const int64_t y0 = top + t.rows * cell + 18;
  out += svgText(
      4, y0,
      fmt::format("colour: {}{}", what,
                  colors.size() > legend
                      ? fmt::format(" (first {} of {})", legend, colors.size())
                      : ""));
  int64_t shown = 0;
  for (const auto &[value, index] : colors) {
    if (shown == int64_t(legend))
      break;
    const int64_t x = 4 + shown % legendCols * 64;
    const int64_t y = y0 + 6 + shown / legendCols * 18;
    out += svgRect(x, y, 12, 12, fill(value), "#999");
    out += svgText(x + 16, y + 10, valueText(value));
    ++shown;
  }
  return out + "</svg>\n";
}

//===--- tensor memory ---------------------------------------------------===//

namespace {
/// A rectangle of cells, ends exclusive.
struct Box {
  int64_t lane, laneEnd, col, colEnd;
  bool inside(const Box &other) const {
    return lane >= other.lane && laneEnd <= other.laneEnd && col >= other.col &&
           colEnd <= other.colEnd;
  }
};
} // namespace

static Expected<std::vector<char>> cellsOf(const TmemRegion &region) {
  const Layout &layout = region.layout;
  const int64_t bits = region.elementBits;
  if (bits != 8 && bits != 16 && bits != 32)
    return makeError("region {}: elements of 8, 16 or 32 bits lie in tensor "
                     "memory, not of {}",
                     region.name, bits);
  if (layout.swizzle)
    return makeError("region {}: tensor memory has no swizzle", region.name);
  for (Axis a : axes(layout.tile))
    if (a != Axis::TLane && a != Axis::TCol)
      return makeError("region {}: axis {} is not TLane or TCol", region.name,
                       toString(a));
  if (size(layout) > kMaxRenderedCells ||
      replicaCount(layout.tile) > kMaxRenderedCells / size(layout))
    return makeError("region {}: {} elements, {} times; the limit of a picture "
                     "is {}",
                     region.name, size(layout), replicaCount(layout.tile),
                     kMaxRenderedCells);
  std::vector<char> cells(size_t(kTmemLanes * kTmemColumns), 0);
  for (int64_t x = 0; x < size(layout); ++x) {
    TIRX_LAYOUT_ASSIGN(const auto places, applyReplicas(layout, x));
    for (const AxisValues &p : places) {
      const int64_t lane = p.get(Axis::TLane), element = p.get(Axis::TCol);
      const int64_t col = element * bits / 32;
      if (lane < 0 || lane >= kTmemLanes || element < 0 || col >= kTmemColumns)
        return makeError("region {}: element {} is in lane {}, column {}; "
                         "tensor memory has {} lanes and {} columns",
                         region.name, x, lane, col, kTmemLanes, kTmemColumns);
      cells[size_t(lane * kTmemColumns + col)] = 1;
    }
  }
  return cells;
}

/// Cuts the set cells into rectangles: runs of a lane, joined while the next
/// lane has the same run.
static std::vector<Box> boxesOf(const std::vector<char> &cells) {
  std::vector<Box> boxes;
  for (int64_t lane = 0; lane < kTmemLanes; ++lane)
    for (int64_t c = 0; c < kTmemColumns; ++c) {
      const int64_t first = c;
      while (c < kTmemColumns && cells[size_t(lane * kTmemColumns + c)])
        ++c;
      if (c == first)
        continue;
      auto above = std::find_if(boxes.begin(), boxes.end(), [&](const Box &b) {
        return b.laneEnd == lane && b.col == first && b.colEnd == c;
      });
      if (above != boxes.end())
        ++above->laneEnd;
      else
        boxes.push_back({lane, lane + 1, first, c});
    }
  return boxes;
}

Expected<std::string> renderTmemMap(std::span<const TmemRegion> regions,
                                    std::string_view title) {
  if (regions.empty())
    return makeError("a map of tensor memory needs a region");
  constexpr int64_t left = 52, top = 66, scale = 2;
  int64_t width = left + kTmemColumns * scale + 16; // or the longest line
  const int64_t height =
      top + kTmemLanes * scale + 30 + int64_t(regions.size()) * 18 + 8;
  std::string out = svgText(4, 14, title.empty() ? "tensor memory" : title);
  out += svgText(4, 32, "across: columns of 32 bits; down: lanes",
                 "fill=\"#333\"");
  for (int64_t c = 0; c <= kTmemColumns; c += 64)
    out += svgText(left + c * scale, top - 5, std::to_string(c), kGreyMiddle);
  for (int64_t l = 0; l <= kTmemLanes; l += 32)
    out += svgText(left - 5, top + l * scale + 4, std::to_string(l), kGreyEnd);
  out += svgRect(left, top, kTmemColumns * scale, kTmemLanes * scale, "#eee",
                 "#999");
  std::vector<std::pair<Box, int64_t>> drawn; // with how deep it is nested
  const int64_t y0 = top + kTmemLanes * scale + 26;
  for (size_t i = 0; i < regions.size(); ++i) {
    TIRX_LAYOUT_ASSIGN(const auto cells, cellsOf(regions[i]));
    const std::string fill = color(i, regions.size());
    const std::vector<Box> boxes = boxesOf(cells);
    std::string where;
    for (const Box &b : boxes) {
      int64_t depth = 0;
      for (const auto &[other, otherDepth] : drawn)
        if (b.inside(other))
          depth = std::max(depth, otherDepth + 1);
      drawn.push_back({b, depth});
      // What is nested leaves a strip with the name of its surroundings.
      const int64_t x = left + b.col * scale, w = (b.colEnd - b.col) * scale;
      const int64_t h = (b.laneEnd - b.lane) * scale;
      const int64_t inset = std::min<int64_t>(24 * depth, h / 2);
      const int64_t y = top + b.lane * scale + inset;
      out += svgRect(x, y, w, h - inset, fill, "#666");
      if (w >= 7 * int64_t(regions[i].name.size()) + 4 && h - inset >= 14)
        out += svgText(x + w / 2, y + std::min<int64_t>(16, h - inset - 3),
                       regions[i].name, kMiddle);
      if (boxes.size() <= 4)
        where += fmt::format("{}lanes {}-{}, columns {}-{}",
                             where.empty() ? "" : "; ", b.lane, b.laneEnd - 1,
                             b.col, b.colEnd - 1) +
                 (depth ? " (drawn lower, in its surroundings)" : "");
    }
    if (where.empty())
      where = fmt::format("{} rectangles", boxes.size());
    const int64_t y = y0 + int64_t(i) * 18;
    out += svgRect(4, y - 10, 12, 12, fill, "#999");
    const std::string text =
        fmt::format("{}: {}; {}-bit {}", regions[i].name, where,
                    regions[i].elementBits, toString(regions[i].layout));
    width = std::max(width, 24 + 7 * int64_t(text.size()));
    out += svgText(20, y, text);
  }
  return svgStart(width, height) + out + "</svg>\n";
}

} // namespace tirx::layout
