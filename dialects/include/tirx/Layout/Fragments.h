//===- Fragments.h - register fragments and scale factors -------*- C++ -*-===//
#ifndef TIRX_LAYOUT_FRAGMENTS_H
#define TIRX_LAYOUT_FRAGMENTS_H

#include "tirx/Layout/Layout.h"

namespace tirx::layout {

//===--- warp fragments --------------------------------------------------===//
// On axes laneid and m; m counts elements in the thread's registers, the low
// half or byte of a register first.

/// ldmatrix/stmatrix .m8n8.b16 of `count` (1, 2, 4) matrices over the shape
/// (count, 8, 8) of 16-bit elements as they lie in shared memory (PTX ISA
/// 9.7.14.5.15). With `trans` a thread holds a column pair instead of a row
/// pair.
Expected<TileLayout> ldmatrixLayout(int64_t count, bool trans);

enum class MmaOperandRole : uint8_t { A, B, C };

/// Fragments of mma.sync.m16n8k*: A over (16, k), B over (k, 8), C and D over
/// (16, 8). `elementBits` of A and B is 8, 16 or 32 (tf32) and k one or two
/// registers deep: k = 128/bits or 256/bits; C has 32-bit elements (or 16-bit,
/// packed in pairs, the same places). `k` is ignored for C.
Expected<TileLayout> mmaSyncLayout(MmaOperandRole role, int64_t elementBits,
                                   int64_t k);

//===--- warpgroup fragments ---------------------------------------------===//
// On axes wid_in_wg, laneid and m (PTX ISA 9.7.15.5).

/// Accumulator of wgmma.m64nNk*: (64, n), n a multiple of 8 up to 256.
Expected<TileLayout> wgmmaAccumulatorLayout(int64_t n);
/// A in registers: (64, k) of 8-, 16- or 32-bit elements, k = 256/bits.
Expected<TileLayout> wgmmaALayout(int64_t elementBits);

//===--- scale factors ---------------------------------------------------===//
// One scale is 8 bits, so m and TCol count bytes.

enum class ScaleFormat : uint8_t { NVFP4, MXFP4, MXFP8 };

/// Scales one tcgen05.mma reads per row: 4 (nvfp4: K 64 in blocks of 16), 2
/// (mxfp4: K 64 in blocks of 32), 1 (mxfp8: K 32 in blocks of 32).
int64_t scalesPerMma(ScaleFormat format);

/// Shared-memory source of tcgen05.cp.32x128b.warpx4 over ([stages,] rows,
/// scales): byte 16*(r%32) + 4*(r/32%4) + k%4 + 512*(k/4) + 128-row blocks of
/// 128*scales bytes. rows a multiple of 128, scales of 4.
Expected<TileLayout> scaleFactorSharedLayout(int64_t rows, int64_t scales,
                                             int64_t stages = 1);

/// TMEM placement over ([stages,] rows, scales): row r in lane r%32 of all four
/// windows, byte column 4*(r/32) + k%4 + 4*(rows/32)*(k/4). rows a multiple of
/// 32, scales 1, 2 or a multiple of 4. Stages do not overlap.
/// `reuse` > 1 appends a dim of that extent whose elements share the scale.
Expected<TileLayout> scaleFactorTmemLayout(int64_t rows, int64_t scales,
                                           int64_t stages = 1,
                                           int64_t reuse = 1);

/// Where the scales of one MMA start: 32-bit TMEM column relative to the tile
/// and SF_ID of the instruction descriptor, for K step `step`.
struct ScaleSelect {
  int64_t column;
  int sfId;
};
Expected<ScaleSelect> scaleSelect(ScaleFormat format, int64_t rows,
                                  int64_t step);

} // namespace tirx::layout

#endif // TIRX_LAYOUT_FRAGMENTS_H
