//===- Fragments.cpp - register fragments and scale factors -----*- C++ -*-===//
#include "tirx/Layout/Fragments.h"

#include "Detail.h"

#include "tirx/Layout/Algebra.h"

namespace tirx::layout {

using detail::makeError;
using enum Axis;

static TileLayout shardOnly(std::vector<Iter> shard) {
  return {std::move(shard), {}, {}};
}

//===--- warp fragments --------------------------------------------------===//

Expected<TileLayout> ldmatrixLayout(int64_t count, bool trans) {
  if (count != 1 && count != 2 && count != 4)
    return makeError("ldmatrix moves 1, 2 or 4 matrices, not {}", count);
  if (trans)
    return shardOnly({{count, 2}, {4, 1, laneid}, {2, 1}, {8, 4, laneid}});
  return shardOnly({{count, 2}, {8, 4, laneid}, {4, 1, laneid}, {2, 1}});
}

/// Elements of a 32-bit register; an error for other widths.
static Expected<int64_t> perRegister(int64_t elementBits) {
  if (elementBits != 8 && elementBits != 16 && elementBits != 32)
    return makeError("fragments have 8-, 16- or 32-bit elements, not {}-bit",
                     elementBits);
  return 32 / elementBits;
}

Expected<TileLayout> mmaSyncLayout(MmaOperandRole role, int64_t elementBits,
                                   int64_t k) {
  if (role == MmaOperandRole::C)
    return shardOnly({{2, 2}, {8, 4, laneid}, {4, 1, laneid}, {2, 1}});
  TIRX_LAYOUT_ASSIGN(const int64_t e, perRegister(elementBits));
  if (k != 4 * e && k != 8 * e)
    return makeError("mma.sync of {}-bit elements has K {} or {}, not {}",
                     elementBits, 4 * e, 8 * e, k);
  const int64_t deep = k / (4 * e); // registers along K
  if (role == MmaOperandRole::A)
    return shardOnly(
        {{2, e}, {8, 4, laneid}, {deep, 2 * e}, {4, 1, laneid}, {e, 1}});
  return shardOnly({{deep, e}, {4, 1, laneid}, {e, 1}, {8, 4, laneid}});
}

//===--- warpgroup fragments ---------------------------------------------===//

Expected<TileLayout> wgmmaAccumulatorLayout(int64_t n) {
  if (n < 8 || n > 256 || n % 8 != 0)
    return makeError("wgmma has N a multiple of 8 in [8, 256], not {}", n);
  return shardOnly({{4, 1, wid_in_wg},
                    {2, 2},
                    {8, 4, laneid},
                    {n / 8, 4},
                    {4, 1, laneid},
                    {2, 1}});
}

Expected<TileLayout> wgmmaALayout(int64_t elementBits) {
  TIRX_LAYOUT_ASSIGN(const int64_t e, perRegister(elementBits));
  return shardOnly({{4, 1, wid_in_wg},
                    {2, e},
                    {8, 4, laneid},
                    {2, 2 * e},
                    {4, 1, laneid},
                    {e, 1}});
}

//===--- scale factors ---------------------------------------------------===//

int64_t scalesPerMma(ScaleFormat format) {
  static constexpr int64_t n[] = {4, 2, 1};
  return n[unsigned(format)];
}

static Expected<void> checkStages(int64_t stages) {
  if (stages >= 1)
    return {};
  return makeError("{} stages of scale factors", stages);
}

Expected<TileLayout> scaleFactorSharedLayout(int64_t rows, int64_t scales,
                                             int64_t stages) {
  if (rows < 128 || rows % 128 != 0)
    return makeError(
        "scale factors in shared memory come in blocks of 128 rows; {} "
        "rows",
        rows);
  if (scales < 4 || scales % 4 != 0)
    return makeError(
        "scale factors in shared memory come in groups of 4 along K; "
        "{} scales",
        scales);
  TIRX_LAYOUT_CHECK(checkStages(stages));
  TIRX_LAYOUT_CHECK(shapeSize(Shape{stages, rows, scales}));
  std::vector<Iter> shard = {
      {rows / 128, 128 * scales}, {4, 4}, {32, 16}, {scales / 4, 512}, {4, 1}};
  if (stages > 1)
    shard.insert(shard.begin(), Iter{stages, rows * scales});
  return detail::verified(canonicalize(shardOnly(std::move(shard))));
}

Expected<TileLayout> scaleFactorTmemLayout(int64_t rows, int64_t scales,
                                           int64_t stages, int64_t reuse) {
  if (rows < 32 || rows % 32 != 0)
    return makeError("scale factors in TMEM come in blocks of 32 rows; {} rows",
                     rows);
  if (scales != 1 && scales != 2 && (scales < 4 || scales % 4 != 0))
    return makeError(
        "{} scales a row in TMEM; legal: 1, 2 or a multiple of 4, the "
        "bytes of a column",
        scales);
  if (reuse < 1)
    return makeError("scale reuse {} must be >= 1", reuse);
  TIRX_LAYOUT_CHECK(checkStages(stages));
  TIRX_LAYOUT_CHECK(shapeSize(Shape{stages, rows, scales, reuse}));
  const int64_t blocks = rows / 32, packed = std::min<int64_t>(scales, 4);
  TileLayout t;
  t.shard = {{blocks, 4, TCol},
             {32, 1, TLane},
             {scales / packed, 4 * blocks, TCol},
             {packed, 1, TCol}};
  if (stages > 1)
    t.shard.insert(t.shard.begin(),
                   Iter{stages, 4 * blocks * (scales / packed), TCol});
  if (reuse > 1)
    t.shard.push_back({reuse, 0, TCol});
  t.replica = {{4, 32, TLane}};
  return detail::verified(canonicalize(t));
}

Expected<ScaleSelect> scaleSelect(ScaleFormat format, int64_t rows,
                                  int64_t step) {
  if (rows < 32 || rows % 32 != 0 || step < 0)
    return makeError(
        "scales of {} rows at K step {}: rows come in blocks of 32 and "
        "steps count from 0",
        rows, step);
  const int64_t first = step * scalesPerMma(format);
  return ScaleSelect{first / 4 * (rows / 32), int(first % 4)};
}

} // namespace tirx::layout
