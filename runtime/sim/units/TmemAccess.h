//===- TmemAccess.h - tcgen05.ld and tcgen05.st -----------------*- C++ -*-===//
#pragma once

#include "TensorMemory.h"

namespace tirx::rt::sim {

/// Shapes of tcgen05.ld/st (PTX ISA, "Data Movement Shape").
enum class TmemShape : uint8_t {
  s32x32b,
  s16x64b,
  s16x128b,
  s16x256b,
  s16x32bx2
};
std::string_view nameOf(TmemShape shape);

/// One tcgen05.ld or tcgen05.st.
struct TmemAccess {
  TmemShape shape = TmemShape::s32x32b;
  unsigned num = 1;             ///< the .xN modifier
  bool pack16 = false;          ///< ld: .pack::16b, st: .unpack::16b
  unsigned halfSplitOffset = 0; ///< immHalfSplitoff of .16x32bx2, columns
};

/// Registers a thread gives or gets: N, N, 2N, 4N, N by shape. Error: an N that
/// the shape does not have.
Expected<unsigned> tmemRegisters(const TmemAccess &access);

/// The rectangles that warp `warp` of the CTA touches at `address`; one, or two
/// for .16x32bx2. Errors: N, lane of `address` not allowed by the shape,
/// columns beyond 512. Warning: lane bits 6:5 of `address` name another warp's
/// window (hardware takes the window from the warp alone).
Expected<std::vector<TmemRegion>> tmemRegions(const TmemAccess &access,
                                              uint32_t address, unsigned warp,
                                              Warnings *warnings = nullptr);

/// Loads into `registers`, tmemRegisters() rows of 32 lanes: registers[i][t] is
/// register i of lane t. Errors as tmemRegions, and columns that `allocator`
/// has not granted (null: unchecked).
Expected<void> tmemLoad(const TensorMemory &memory,
                        const TmemAllocator *allocator,
                        const TmemAccess &access, uint32_t address,
                        unsigned warp, uint32_t (*registers)[32],
                        Warnings *warnings = nullptr);

/// Stores from `registers`, laid out as in tmemLoad. With .unpack::16b the
/// upper half of each word becomes zero (PTX leaves it unspecified).
Expected<void> tmemStore(TensorMemory &memory, const TmemAllocator *allocator,
                         const TmemAccess &access, uint32_t address,
                         unsigned warp, const uint32_t (*registers)[32],
                         Warnings *warnings = nullptr);

} // namespace tirx::rt::sim
