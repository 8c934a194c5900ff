//===- Factories.cpp - operand, TMEM, register layouts ----------*- C++ -*-===//
#include "tirx/Layout/Factories.h"

#include "Detail.h"

#include "tirx/Layout/Algebra.h"

namespace tirx::layout {

using detail::makeError;

//===--- shared memory ---------------------------------------------------===//

/// Checks what both operand factories need and returns the elements of one
/// line.
static Expected<int64_t> lineElements(int64_t elementBits, SwizzleMode mode,
                                      ShapeRef shape) {
  if (elementBits != 4 && elementBits != 8 && elementBits != 16 &&
      elementBits != 32)
    return makeError("matrix operands have 4-, 8-, 16- or 32-bit elements, not "
                     "{}-bit",
                     elementBits);
  if (shape.size() < 2)
    return makeError("an operand shape has at least two dims; {} has {}",
                     toString(shape), shape.size());
  TIRX_LAYOUT_CHECK(shapeSize(shape));
  if (mode > SwizzleMode::B128Atom32B)
    return makeError("swizzle {} is not readable by the matrix units",
                     toString(mode));
  const int64_t width = mode == SwizzleMode::None ? 16 : swizzleWidth(mode);
  return width * 8 / elementBits;
}

static Expected<void> checkMultiple(int64_t value, int64_t of, const char *what,
                                    SwizzleMode mode, ShapeRef shape) {
  if (value % of == 0)
    return {};
  return makeError("{} = {} of shape {} is not a multiple of {}, the atom of "
                   "swizzle {}",
                   what, value, toString(shape), of, toString(mode));
}

static TileLayout withStages(ShapeRef shape, std::vector<Iter> tile) {
  int64_t stride = shape[shape.size() - 2] * shape[shape.size() - 1];
  TileLayout out;
  for (size_t d = shape.size() - 2; d-- > 0;) {
    out.shard.insert(out.shard.begin(), Iter{shape[d], stride});
    stride *= shape[d];
  }
  out.shard.insert(out.shard.end(), tile.begin(), tile.end());
  return out;
}

Expected<Layout> mmaSharedLayout(int64_t elementBits, SwizzleMode mode,
                                 ShapeRef shape) {
  TIRX_LAYOUT_ASSIGN(const int64_t c, lineElements(elementBits, mode, shape));
  TIRX_LAYOUT_ASSIGN(const auto swizzle, elementSwizzle(mode, elementBits));
  const int64_t rows = shape[shape.size() - 2], cols = shape[shape.size() - 1];
  if (mode != SwizzleMode::None)
    TIRX_LAYOUT_CHECK(checkMultiple(
        rows, mode == SwizzleMode::B128Atom32B ? 4 : 8, "rows", mode, shape));
  TIRX_LAYOUT_CHECK(checkMultiple(cols, c, "cols", mode, shape));
  TileLayout tile =
      withStages(shape, {{rows, c}, {cols / c, rows * c}, {c, 1}});
  return detail::verified(canonicalize(Layout(std::move(tile), swizzle)));
}

Expected<Layout> mmaSharedLayoutMnMajor(int64_t elementBits, SwizzleMode mode,
                                        ShapeRef shape, AtomOrder order) {
  TIRX_LAYOUT_ASSIGN(const int64_t c, lineElements(elementBits, mode, shape));
  TIRX_LAYOUT_ASSIGN(const auto swizzle, elementSwizzle(mode, elementBits));
  const int64_t mn = shape[shape.size() - 2], k = shape[shape.size() - 1];
  const int64_t kAtom = mode == SwizzleMode::B128Atom32B ? 4 : 8;
  TIRX_LAYOUT_CHECK(checkMultiple(mn, c, "MN", mode, shape));
  TIRX_LAYOUT_CHECK(checkMultiple(k, kAtom, "K", mode, shape));
  const bool mnFirst = order == AtomOrder::MnFirst;
  TileLayout tile =
      withStages(shape, {{mn / c, mnFirst ? c * kAtom : c * k},
                         {c, 1},
                         {k / kAtom, mnFirst ? mn * kAtom : c * kAtom},
                         {kAtom, c}});
  return detail::verified(canonicalize(Layout(std::move(tile), swizzle)));
}

//===--- tensor memory ---------------------------------------------------===//

Expected<TmemDatapath> tmemDatapathOf(int64_t m, int ctaGroup,
                                      bool weightStationary, bool sparse) {
  struct Row {
    int64_t m;
    int group;
    bool ws;
    TmemDatapath dense, sparse;
  };
  using enum TmemDatapath;
  static constexpr Row rows[] = {
      {256, 2, false, A, A}, {128, 2, false, B, C}, {128, 1, false, D, D},
      {64, 1, false, F, F},  {128, 1, true, D, D},  {64, 1, true, E, E},
      {32, 1, true, G, G},
  };
  for (const Row &r : rows)
    if (r.m == m && r.group == ctaGroup && r.ws == weightStationary)
      return sparse ? r.sparse : r.dense;
  return makeError(
      "tcgen05.mma has no M = {} with cta_group::{}{}; M is 64 or 128 "
      "(cta_group::1), 128 or 256 (cta_group::2), 32, 64 or 128 (.ws)",
      m, ctaGroup, weightStationary ? " and .ws" : "");
}

Expected<TileLayout> tmemDatapathLayout(TmemDatapath datapath, int64_t rows,
                                        int64_t cols, int subSlab) {
  using enum TmemDatapath;
  const char letter = char('A' + int(datapath));
  const bool slabs = datapath == C || datapath == F;
  const int64_t need = datapath == A || datapath == D ? 128
                       : datapath == G                ? 32
                                                      : 64;
  const int64_t parts = datapath == B || datapath == E ? 2
                        : datapath == G                ? 4
                                                       : 1;
  if (rows != need)
    return makeError("TMEM layout {} has {} rows a CTA, not {}", letter, need,
                     rows);
  if (cols < 1 || cols % parts != 0)
    return makeError(
        "TMEM layout {} splits the columns into {}; {} columns do not "
        "divide",
        letter, parts, cols);
  if (subSlab != 0 && !(slabs && subSlab == 1))
    return makeError("TMEM layout {} has no sub-slab {}", letter, subSlab);
  TileLayout t;
  if (slabs)
    t.shard = {
        {4, 32, Axis::TLane}, {16, 1, Axis::TLane}, {cols, 1, Axis::TCol}};
  else if (parts == 1)
    t.shard = {{rows, 1, Axis::TLane}, {cols, 1, Axis::TCol}};
  else
    t.shard = {{rows, 1, Axis::TLane},
               {parts, rows, Axis::TLane},
               {cols / parts, 1, Axis::TCol}};
  if (subSlab)
    t.offset.set(Axis::TLane, 16);
  return detail::verified(std::move(t));
}

Expected<TileLayout> tmemOperandLayout(TmemDatapath datapath, int64_t rows,
                                       int64_t k, int subSlab) {
  using enum TmemDatapath;
  switch (datapath) {
  case A:
  case D:
  case F:
    return tmemDatapathLayout(datapath, rows, k, subSlab);
  case B:
  case E: {
    TIRX_LAYOUT_CHECK(tmemDatapathLayout(datapath, rows, 2, subSlab)); // rows
    return detail::verified(
        TileLayout{{{rows, 1, Axis::TLane}, {k, 1, Axis::TCol}},
                   {{2, 64, Axis::TLane}},
                   {}});
  }
  default:
    return makeError(
        "the placement of A in TMEM for layout {} is not documented",
        char('A' + int(datapath)));
  }
}

namespace {
struct CopyInfo {
  std::string_view name;
  std::vector<Iter> shard, replica;
};
} // namespace

static const CopyInfo &copyInfo(TmemCopy shape) {
  using enum Axis;
  static const CopyInfo table[] = {
      {"128x256b", {{128, 1, TLane}, {8, 1, TCol}}, {}},
      {"4x256b", {{4, 32, TLane}, {8, 1, TCol}}, {}},
      {"128x128b", {{128, 1, TLane}, {4, 1, TCol}}, {}},
      {"64x128b.warpx2::02_13",
       {{64, 1, TLane}, {4, 1, TCol}},
       {{2, 64, TLane}}},
      {"64x128b.warpx2::01_23",
       {{2, 64, TLane}, {32, 1, TLane}, {4, 1, TCol}},
       {{2, 32, TLane}}},
      {"32x128b.warpx4", {{32, 1, TLane}, {4, 1, TCol}}, {{4, 32, TLane}}},
  };
  return table[unsigned(shape)];
}

std::string_view toString(TmemCopy shape) { return copyInfo(shape).name; }

TileLayout tmemCopyLayout(TmemCopy shape) {
  const CopyInfo &info = copyInfo(shape);
  return {info.shard, info.replica, {}};
}

//===--- registers -------------------------------------------------------===//

static constexpr TmemAccessInfo atoms[] = {
    {"32x32b", 1, 1, 128},
    {"16x64b", 1, 2, 128},
    {"16x128b", 2, 4, 64},
    {"16x256b", 4, 8, 32},
};

const TmemAccessInfo &tmemAccessInfo(TmemAccess access) {
  return atoms[unsigned(access)];
}

std::string_view toString(TmemAccess access) {
  return tmemAccessInfo(access).name;
}

Expected<TmemAtom> tcgen05AtomLayout(TmemAccess access, int64_t rows,
                                     int64_t cols, int64_t elementBits) {
  const TmemAccessInfo &atom = tmemAccessInfo(access);
  const bool full = access == TmemAccess::L32x32b;
  if (elementBits != 16 && elementBits != 32)
    return makeError("register images have 16- or 32-bit elements, not {}-bit",
                     elementBits);
  if (rows != 128 && (full || rows != 64))
    return makeError("{} covers {} rows of a warpgroup, not {}", atom.name,
                     full ? "128" : "64 or 128", rows);
  const int64_t e = 32 / elementBits; // elements a cell
  if (cols < 1 || cols % (atom.columns * e) != 0)
    return makeError("{} columns of {}-bit elements are no multiple of {}, one "
                     "repeat of {}",
                     cols, elementBits, atom.columns * e, atom.name);
  const int64_t n = cols / (atom.columns * e);
  if (!detail::isPowerOfTwo(n) || n > atom.maxRepeat)
    return makeError(
        "{} columns of {}-bit elements need {}.x{}; the repeat is a "
        "power of two up to {}",
        cols, elementBits, atom.name, n, atom.maxRepeat);
  const int64_t used = atom.registers * n;
  using enum Axis;
  std::vector<Iter> row, col;
  switch (access) {
  case TmemAccess::L32x32b:
    row = {{128, 1, tid_in_wg}};
    col = {{n, 1, m}};
    break;
  case TmemAccess::L16x64b:
    row = {{4, 1, wid_in_wg}, {2, 1, laneid}, {8, 4, laneid}};
    col = {{n, 1, m}, {2, 2, laneid}};
    break;
  case TmemAccess::L16x128b:
    row = {{4, 1, wid_in_wg}, {2, 1, m}, {8, 4, laneid}};
    col = {{n, 2, m}, {4, 1, laneid}};
    break;
  case TmemAccess::L16x256b:
    row = {{4, 1, wid_in_wg}, {2, 2, m}, {8, 4, laneid}};
    col = {{n, 4, m}, {4, 1, laneid}, {2, 1, m}};
    break;
  }
  if (!full && rows == 128) // the second instruction reads TMEM rows +16
    row.insert(row.begin() + 1, Iter{2, used, m});
  TileLayout t;
  for (const auto *part : {&row, &col})
    for (Iter it : *part) {
      if (it.axis == m)
        it.stride *= e;
      t.shard.push_back(it);
    }
  if (e > 1)
    t.shard.push_back({e, 1, m});
  return TmemAtom{std::move(t), n, used, !full && rows == 128 ? 2 : 1};
}

Expected<TileLayout> wgRegisterTile(int64_t rows, int64_t cols) {
  if (rows < 1 || rows > 128)
    return makeError("a warpgroup holds 1 to 128 rows, one a thread, not {}",
                     rows);
  return detail::verified(
      TileLayout{{{rows, 1, Axis::tid_in_wg}, {cols, 1, Axis::m}}, {}, {}});
}

} // namespace tirx::layout
