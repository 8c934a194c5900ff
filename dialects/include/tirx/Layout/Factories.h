//===- Factories.h - layouts that the hardware asks for ---------*- C++ -*-===//
#ifndef TIRX_LAYOUT_FACTORIES_H
#define TIRX_LAYOUT_FACTORIES_H

#include "tirx/Layout/SwizzleMode.h"

namespace tirx::layout {

//===--- shared memory ---------------------------------------------------===//

/// Matrix-operand layout of `shape` = (stages..., rows, cols), cols contiguous
/// (K-major when cols is K). Swizzled modes tile atoms of 8 rows x width bytes
/// down the rows, then across the columns, then the stages:
/// (stages..., rows, cols/c, c):(..., c, rows*c, 1) with c = width*8/bits. None
/// is packed 16-byte lines: (rows, cols/e, e):(e, rows*e, 1), e = 128/bits.
/// Canonical. Errors: rank < 2, rows not a multiple of 8 (swizzled), cols not a
/// multiple of c or e, element width not 4, 8, 16 or 32 bits.
Expected<Layout> mmaSharedLayout(int64_t elementBits, SwizzleMode mode,
                                 ShapeRef shape);

/// Order in which MN-major atoms follow each other in memory.
enum class AtomOrder : uint8_t {
  MnFirst, ///< along MN, then K: (M/c, c, K/8, 8):(c*8, 1, M*8, c)
  KFirst,  ///< along K, then MN: what a [K, MN] buffer of mmaSharedLayout has
};

/// MN-major matrix-operand layout of `shape` = (stages..., MN, K): MN is
/// contiguous. Atoms are width bytes of MN x 8 rows of K (4 for B128Atom32B).
Expected<Layout> mmaSharedLayoutMnMajor(int64_t elementBits, SwizzleMode mode,
                                        ShapeRef shape,
                                        AtomOrder order = AtomOrder::MnFirst);

//===--- tensor memory ---------------------------------------------------===//

/// Accumulator placements of tcgen05.mma (PTX ISA 9.7.16.10.5), per CTA.
enum class TmemDatapath : uint8_t { A, B, C, D, E, F, G };

/// The placement of the accumulator. `m` is the M of the instruction (for
/// ctaGroup 2 over both CTAs). Error: no such instruction shape.
Expected<TmemDatapath> tmemDatapathOf(int64_t m, int ctaGroup,
                                      bool weightStationary, bool sparse);

/// Layout of a (rows, cols) accumulator on TLane and TCol. A, D: 128 rows,
/// row r in lane r; B, E: 64 rows, second half of the columns in lanes 64..127;
/// C, F: 64 rows, row r in lane 32*(r/16) + 16*subSlab + r%16; G: 32 rows, four
/// column quarters in the four lane windows. Errors: rows differ from the
/// placement, cols not divisible, subSlab not 0 (or 1 for C, F).
Expected<TileLayout> tmemDatapathLayout(TmemDatapath datapath, int64_t rows,
                                        int64_t cols, int subSlab = 0);

/// Layout of A in tensor memory over (rows, k), TCol counting elements: the
/// lanes of the accumulator's rows, k dense along the columns. B and E need the
/// 64 rows in both lane halves (replica). Error: rows differ from the
/// placement; C and G, whose A placement is not documented.
Expected<TileLayout> tmemOperandLayout(TmemDatapath datapath, int64_t rows,
                                       int64_t k, int subSlab = 0);

/// Shapes of tcgen05.cp (PTX ISA 9.7.16.9).
enum class TmemCopy : uint8_t {
  C128x256b,
  C4x256b,
  C128x128b,
  C64x128bWarpx2_02_13,
  C64x128bWarpx2_01_23,
  C32x128bWarpx4,
};

std::string_view toString(TmemCopy shape);

/// Where tcgen05.cp puts (row, 32-bit column) of its source: TLane and TCol (in
/// 32-bit cells), multicast as replicas.
TileLayout tmemCopyLayout(TmemCopy shape);

//===--- registers -------------------------------------------------------===//

/// Shapes of tcgen05.ld and tcgen05.st (PTX ISA 9.7.16.2.3).
enum class TmemAccess : uint8_t { L32x32b, L16x64b, L16x128b, L16x256b };

/// What one repeat of a shape moves, and how many an instruction takes (PTX ISA
/// 9.7.16.8). Columns have 32 bits.
struct TmemAccessInfo {
  std::string_view name; ///< "32x32b"
  int64_t registers;     ///< of a thread, 32 bits each
  int64_t columns;
  int64_t maxRepeat; ///< the largest N of .xN
};

const TmemAccessInfo &tmemAccessInfo(TmemAccess access);

std::string_view toString(TmemAccess access);

/// A register image of tcgen05.ld/st for a warpgroup.
struct TmemAtom {
  TileLayout
      layout;     ///< over (rows, cols): wid_in_wg/laneid or tid_in_wg, and m
  int64_t repeat; ///< N of the .xN qualifier
  int64_t registers; ///< 32-bit registers a thread and instruction
  int64_t
      instructions; ///< 1; 2 for 128 rows of a 16-lane shape (TMEM rows +16)
};

/// The register image of a (rows, cols) tile of `elementBits` (16 or 32) wide
/// elements, several of which share a 32-bit TMEM cell densely. rows is 128
/// (32x32b), 64 or 128 (16x*b). Errors name rows, cols or the repeat that is no
/// power of two within the limit of the shape (128, 128, 64, 32).
Expected<TmemAtom> tcgen05AtomLayout(TmemAccess access, int64_t rows,
                                     int64_t cols, int64_t elementBits = 32);

/// S[(rows,cols):(1@tid_in_wg,1)]: one row a thread. Error: rows > 128.
Expected<TileLayout> wgRegisterTile(int64_t rows, int64_t cols);

} // namespace tirx::layout

#endif // TIRX_LAYOUT_FACTORIES_H
