//===- Analysis.h - memory behaviour of warp accesses -----------*- C++ -*-===//
#ifndef TIRX_LAYOUT_ANALYSIS_H
#define TIRX_LAYOUT_ANALYSIS_H

#include "tirx/Layout/Layout.h"

namespace tirx::layout {

/// One warp-wide shared-memory instruction. A wavefront serves 32 banks of 4
/// bytes; 8-byte accesses go by half warps and 16-byte ones by quarter warps.
struct SharedAccess {
  int64_t wavefronts; ///< passes needed
  int64_t ideal;      ///< passes a conflict-free access of these lanes needs
  int bank;           ///< a bank with the most distinct words in one pass
  std::vector<int> lanes; ///< lanes that meet in that bank and pass
  int64_t conflicts() const { return wavefronts - ideal; }
};

/// `addresses[i]` is the byte address of lane i (up to 32; inactive lanes are
/// left out at the end or given as -1), each aligned to `accessBytes` (4, 8 or
/// 16; 1 and 2 count as their 4-byte word). Errors name the lane.
Expected<SharedAccess> analyzeShared(std::span<const int64_t> addresses,
                                     int64_t accessBytes);

/// The same for an access through a layout: lane i moves `accessBytes` that
/// start at row-major element `elements[i]`. Error also when the run of
/// elements is not contiguous in memory.
Expected<SharedAccess> analyzeShared(const Layout &layout, int64_t elementBits,
                                     std::span<const int64_t> elements,
                                     int64_t accessBytes);

/// One warp-wide global access: 32-byte sectors and 128-byte lines touched.
struct GlobalAccess {
  int64_t sectors;
  int64_t idealSectors; ///< ceil(distinct bytes / 32)
  int64_t lines;
  double efficiency; ///< distinct bytes / (32 * sectors)
};
Expected<GlobalAccess> analyzeGlobal(std::span<const int64_t> addresses,
                                     int64_t accessBytes);

} // namespace tirx::layout

#endif // TIRX_LAYOUT_ANALYSIS_H
