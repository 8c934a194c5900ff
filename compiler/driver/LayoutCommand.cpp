//===- LayoutCommand.cpp - tirxc layout LAYOUT ----------------------------===//
#include "CommandLine.h"
#include "Commands.h"
#include "tirx/Layout/Algebra.h"
#include "tirx/Layout/Analysis.h"
#include "tirx/Layout/Render.h"
#include "tirx/Runtime/File.h"

#include <algorithm>

namespace tirx::driver {
namespace {

using layout::Axis;
using layout::Layout;
using layout::Shape;

const OptionSpec options[] = {
    {"--shape", "8x64",
     "the logical shape; by default the extents of S[...]. The table and the\n"
     "picture show all dims but the last as rows"},
    {"--dtype", "DTYPE",
     "element type: f64, f32 (default), tf32, f16, bf16, i32, u8, e4m3, e2m1,\n"
     "... It counts for banks only"},
    {"--at", "I,J",
     "print the places of one coordinate of the shape, all replicas"},
    {"--canonical", "", "print the canonical form"},
    {"--compose", "OUTER",
     "tile the layout by an outer one first, dim by dim:\n"
     "result[o*I + i] = outer[o] * span(layout) + layout[i] on every axis\n"
     "along which the layout moves; the shape becomes OUTER's times the\n"
     "layout's"},
    {"--outer-shape", "8x8", "OUTER's shape; by default its extents"},
    {"--svg", "FILE", "draw a picture; - is stdout"},
    {"--color", "AXIS",
     "what colours show: an axis, or bank (the default\n"
     "where all axes are m, else the first axis)"},
    {"--cell", "N",
     "elements a cell of the picture: neighbours in a row and in memory"},
    {"--title", "TEXT", "the picture's title"},
    {"--region", "NAME[:DTYPE]=LAYOUT",
     "instead of LAYOUT: draw, with --svg, where several buffers lie in\n"
     "tensor memory",
     true},
};

const CommandSpec spec = {
    "tirxc layout 'S[(8,64):(64,1)]' [options]\n"
    "       tirxc layout --region NAME=LAYOUT ... --svg FILE",
    "Prints the size, span, axes, bank conflicts (of layouts on axis m) and "
    "map\n"
    "of a layout; with --canonical, --at or --svg only what they ask for.",
    options};

/// More elements than this are not printed as a table.
constexpr int64_t kMaxTable = 2048;

struct DtypeBits {
  llvm::StringRef name;
  int64_t bits;
};
const DtypeBits dtypes[] = {
    {"f64", 64}, {"i64", 64}, {"u64", 64},  {"f32", 32}, {"tf32", 32},
    {"i32", 32}, {"s32", 32}, {"u32", 32},  {"f16", 16}, {"bf16", 16},
    {"i16", 16}, {"u16", 16}, {"i8", 8},    {"s8", 8},   {"u8", 8},
    {"e4m3", 8}, {"e5m2", 8}, {"ue8m0", 8}, {"e2m1", 4}, {"i4", 4},
};

/// An error of the layout library, with what it is about.
tl::unexpected<rt::Error> about(llvm::StringRef what,
                                const layout::Error &error) {
  return rt::makeError("{}: {}", what.str(), error.message);
}

rt::Expected<int64_t> parseDtype(llvm::StringRef option, llvm::StringRef name) {
  std::vector<std::string> names;
  for (const DtypeBits &d : dtypes) {
    if (d.name == name)
      return d.bits;
    names.push_back(d.name.str());
  }
  return rt::makeError("{}: '{}' is no dtype; there are {}", option.str(),
                       name.str(), fmt::join(names, ", "));
}

/// Integers of at least `least` between `separator`s.
rt::Expected<Shape> parseIntegers(llvm::StringRef option, llvm::StringRef text,
                                  char separator, int64_t least) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, separator);
  Shape values;
  for (llvm::StringRef part : parts) {
    int64_t value;
    if (part.trim().getAsInteger(10, value) || value < least)
      return rt::makeError("{}={}: '{}' is no integer of {} or more; the "
                           "integers are written with '{}' between them",
                           option.str(), text.str(), part.str(), least,
                           separator);
    values.push_back(value);
  }
  return values;
}

Shape extents(const Layout &layout) {
  Shape shape;
  for (const layout::Iter &iter : layout.tile.shard)
    shape.push_back(iter.extent);
  return shape;
}

/// The shape of `value`: of the option, or the extents.
rt::Expected<Shape> shapeOf(const ParsedLine &line, llvm::StringRef option,
                            const Layout &value) {
  auto text = line.value(option);
  if (!text)
    return extents(value);
  auto shape = parseIntegers(option, *text, 'x', 1);
  if (!shape)
    return shape;
  auto total = layout::shapeSize(*shape);
  if (!total)
    return about(option, total.error());
  if (*total != layout::size(value))
    return rt::makeError("{}={} has {} elements, {} has {}", option.str(),
                         *text, *total, layout::toString(value),
                         layout::size(value));
  return shape;
}

struct Subject {
  Layout value;
  Shape shape;
};

rt::Expected<Subject> compose(const ParsedLine &line, Subject inner) {
  auto text = line.value("--compose");
  if (!text) {
    if (line.has("--outer-shape"))
      return rt::makeError("--outer-shape goes with --compose");
    return inner;
  }
  auto outer = layout::parseLayout(*text);
  if (!outer)
    return about("--compose", outer.error());
  if (outer->swizzle)
    return rt::makeError("--compose: the outer layout has a swizzle; only the "
                         "inner one may have one");
  auto outerShape = shapeOf(line, "--outer-shape", *outer);
  if (!outerShape)
    return tl::unexpected(outerShape.error());
  auto tiled = layout::tile(outer->tile, *outerShape, inner.value, inner.shape);
  if (!tiled)
    return about("--compose", tiled.error());
  Subject result{*tiled, {}};
  for (size_t d = 0; d < inner.shape.size(); ++d)
    result.shape.push_back((*outerShape)[d] * inner.shape[d]);
  return result;
}

/// All dims but the last as rows.
Shape asTable(const Shape &shape) {
  int64_t rows = 1;
  for (size_t d = 0; d + 1 < shape.size(); ++d)
    rows *= shape[d];
  return {rows, shape.back()};
}

bool isShared(const Layout &value) {
  return layout::axes(value.tile) == std::vector<Axis>{Axis::m};
}

/// The first elements of the lanes of one warp.
using Lanes = std::vector<int64_t>;

/// A warp whose lanes follow each other along the rows.
std::vector<Lanes> alongRows(const Shape &table, int64_t run) {
  Lanes lanes;
  const int64_t count = std::min<int64_t>(32, table[0] * table[1] / run);
  for (int64_t lane = 0; lane < count; ++lane)
    lanes.push_back(lane * run);
  return {lanes};
}

/// Warps that have a lane a row, one warp for each run of a row. Rows of more
/// runs than this repeat what the first ones do.
std::vector<Lanes> downColumns(const Shape &table, int64_t run) {
  std::vector<Lanes> warps;
  for (int64_t first = 0; first < std::min(table[1], 256 * run); first += run) {
    Lanes &lanes = warps.emplace_back();
    for (int64_t row = 0; row < std::min<int64_t>(32, table[0]); ++row)
      lanes.push_back(row * table[1] + first);
  }
  return warps;
}

/// The worst of the warps, with the widest access that the layout allows.
std::string conflictsOf(const Layout &value, const Shape &table, int64_t bits,
                        llvm::StringRef name,
                        std::vector<Lanes> (*warpsOf)(const Shape &, int64_t)) {
  for (int64_t bytes : {16, 8, 4, 2, 1}) {
    const int64_t run = bytes * 8 / bits;
    if (bytes * 8 % bits != 0 || table[1] % run != 0)
      continue;
    const std::vector<Lanes> warps = warpsOf(table, run);
    std::optional<layout::SharedAccess> worst;
    bool possible = true;
    for (const Lanes &lanes : warps) {
      auto access = layout::analyzeShared(value, bits, lanes, bytes);
      possible = possible && access;
      if (!possible)
        break;
      if (!worst || access->conflicts() > worst->conflicts())
        worst = *access;
    }
    if (possible && worst)
      return fmt::format("  {} lanes {}, {} bytes a lane: {} wavefronts, {} "
                         "without conflicts\n",
                         warps.front().size(), name.str(), bytes,
                         worst->wavefronts, worst->ideal);
  }
  return fmt::format("  lanes {}: no access of 1 to 16 bytes\n", name.str());
}

std::string bankConflicts(const Layout &value, const Shape &table,
                          int64_t bits) {
  std::string out = fmt::format("bank conflicts of {}-bit elements:\n", bits);
  if (const int64_t min = layout::range(value.tile, Axis::m).min; min < 0)
    return out +
           fmt::format("  not analysed: the layout starts at {}, and no shared "
                       "address is below 0\n",
                       min);
  return out + conflictsOf(value, table, bits, "along the rows", alongRows) +
         conflictsOf(value, table, bits, "down a column", downColumns);
}

rt::Expected<std::string> describe(const Subject &subject, int64_t bits) {
  const auto &[value, shape] = subject;
  std::string out = fmt::format("layout: {}\n", layout::toString(value));
  out += fmt::format("canonical: {}\n",
                     layout::toString(layout::canonicalize(value)));
  out += fmt::format("shape: {}\nsize: {}\n", layout::toString(shape),
                     layout::size(value));
  if (const int64_t copies = layout::replicaCount(value.tile); copies > 1)
    out += fmt::format("replicas: {}\n", copies);
  out += fmt::format("span: {}\naxes:\n", layout::span(value.tile));
  for (Axis axis : layout::axes(value.tile)) {
    const layout::Range range = layout::range(value.tile, axis);
    out += fmt::format("  {}: {} to {}, span {} ({})\n", layout::toString(axis),
                       range.min, range.max, layout::span(value.tile, axis),
                       layout::axisInfo(axis).description);
  }
  const Shape table = asTable(shape);
  if (isShared(value))
    out += bankConflicts(value, table, bits);
  if (layout::size(value) > kMaxTable)
    return out + fmt::format("map: {} elements; the table shows up to {}, use "
                             "--at or --svg\n",
                             layout::size(value), kMaxTable);
  auto text = layout::renderText(value, table);
  if (!text)
    return about("map", text.error());
  // Its first line is the layout.
  return out + "map: " + text->substr(text->find('\n') + 1);
}

rt::Expected<std::string> evaluate(const Subject &subject,
                                   llvm::StringRef text) {
  auto coord = parseIntegers("--at", text, ',', 0);
  if (!coord)
    return tl::unexpected(coord.error());
  if (coord->size() != subject.shape.size())
    return rt::makeError("--at={}: {} coordinates; shape {} has {} dims",
                         text.str(), coord->size(),
                         layout::toString(subject.shape), subject.shape.size());
  for (size_t d = 0; d < coord->size(); ++d)
    if ((*coord)[d] >= subject.shape[d])
      return rt::makeError("--at={}: coordinate {} is {}; dim {} of shape {} "
                           "has {}",
                           text.str(), d, (*coord)[d], d,
                           layout::toString(subject.shape), subject.shape[d]);
  auto places = layout::applyReplicas(subject.value,
                                      layout::flatten(*coord, subject.shape));
  if (!places)
    return about("--at", places.error());
  std::string out;
  for (const layout::AxisValues &place : *places)
    out += layout::toString(place) + "\n";
  return out;
}

rt::Expected<void> write(const std::string &path, const std::string &text) {
  if (path == "-")
    return writeStdout(text);
  return rt::writeFileAtomically(path, text.data(), text.size());
}

rt::Expected<std::string> draw(const ParsedLine &line, const Subject &subject,
                               int64_t bits) {
  layout::RenderOptions render;
  render.elementBits = bits;
  render.title = line.value("--title").value_or("");
  if (auto color = line.value("--color")) {
    if (*color != "bank") {
      auto axis = layout::parseAxis(*color);
      if (!axis)
        return about("--color", axis.error());
      render.colorBy = *axis;
    }
  } else if (!isShared(subject.value)) {
    render.colorBy = layout::axes(subject.value.tile).front();
  }
  if (auto cell = line.value("--cell")) {
    auto count = parseIntegers("--cell", *cell, ',', 1);
    if (!count)
      return tl::unexpected(count.error());
    if (count->size() != 1)
      return rt::makeError("--cell={}: one integer was expected", *cell);
    render.elementsPerCell = count->front();
  }
  auto svg = layout::renderSvg(subject.value, asTable(subject.shape), render);
  if (!svg)
    return about("--svg", svg.error());
  return *svg;
}

rt::Expected<void> drawRegions(const ParsedLine &line) {
  if (!line.positional.empty())
    return rt::makeError("--region stands instead of the layout '{}'",
                         line.positional.front());
  for (const OptionSpec &option : options)
    if (line.has(option.name) && option.name != "--region" &&
        option.name != "--svg" && option.name != "--title")
      return rt::makeError("{} does not go with --region", option.name.str());
  auto path = line.value("--svg");
  if (!path)
    return rt::makeError("--region needs --svg FILE");
  std::vector<layout::TmemRegion> regions;
  for (const std::string &item : line.values("--region")) {
    auto [left, text] = llvm::StringRef(item).split('=');
    auto [name, dtype] = left.split(':');
    if (name.empty() || text.empty())
      return rt::makeError("--region {}: NAME[:DTYPE]=LAYOUT was expected",
                           item);
    auto bits = parseDtype("--region", dtype.empty() ? "f32" : dtype);
    if (!bits)
      return tl::unexpected(bits.error());
    auto value = layout::parseLayout({text.data(), text.size()});
    if (!value)
      return about("--region " + name.str(), value.error());
    regions.push_back({name.str(), *value, *bits});
  }
  auto svg = layout::renderTmemMap(regions, line.value("--title").value_or(""));
  if (!svg)
    return about("--region", svg.error());
  return write(*path, *svg);
}

} // namespace

rt::Expected<void> layoutCommand(Arguments arguments) {
  auto line = parseCommandLine(spec, arguments);
  if (!line)
    return tl::unexpected(line.error());
  if (line->has("--help"))
    return writeStdout(renderHelp(spec));
  if (line->has("--region"))
    return drawRegions(*line);
  auto text = onlyOperand(line->positional, "layout");
  if (!text)
    return tl::unexpected(text.error());
  auto parsed = layout::parseLayout(*text);
  if (!parsed)
    return about(fmt::format("'{}'", *text), parsed.error());
  auto shape = shapeOf(*line, "--shape", *parsed);
  if (!shape)
    return tl::unexpected(shape.error());
  auto bits = parseDtype("--dtype", line->value("--dtype").value_or("f32"));
  if (!bits)
    return tl::unexpected(bits.error());
  auto subject = compose(*line, {*parsed, *shape});
  if (!subject)
    return tl::unexpected(subject.error());

  std::optional<std::string> picture;
  if (line->has("--svg")) {
    auto svg = draw(*line, *subject, *bits);
    if (!svg)
      return tl::unexpected(svg.error());
    picture = *svg;
  } else {
    for (llvm::StringRef option : {"--color", "--cell", "--title"})
      if (line->has(option))
        return rt::makeError("{} goes with --svg", option.str());
  }
  std::string out;
  if (line->has("--canonical"))
    out += layout::toString(layout::canonicalize(subject->value)) + "\n";
  if (auto at = line->value("--at")) {
    auto places = evaluate(*subject, *at);
    if (!places)
      return tl::unexpected(places.error());
    out += *places;
  }
  if (out.empty() && !picture) {
    auto description = describe(*subject, *bits);
    if (!description)
      return tl::unexpected(description.error());
    out = *description;
  }
  if (picture)
    if (auto done = write(*line->value("--svg"), *picture); !done)
      return done;
  return writeStdout(out);
}

} // namespace tirx::driver
