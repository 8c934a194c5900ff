//===- SwizzleMode.h - hardware shared-memory swizzles ----------*- C++ -*-===//
//
// The swizzles of TMA and of the matrix units act on absolute shared-memory
// addresses (PTX ISA 5.5.7). In a layout the same map is a Swizzle on element
// indices; the two agree when the buffer starts at a multiple of the period.
//
//===----------------------------------------------------------------------===//
#ifndef TIRX_LAYOUT_SWIZZLEMODE_H
#define TIRX_LAYOUT_SWIZZLEMODE_H

#include "tirx/Layout/Layout.h"

namespace tirx::layout {

enum class SwizzleMode : uint8_t {
  None,
  B32,               ///< 32-byte rows, 16-byte units
  B64,               ///< 64-byte rows, 16-byte units
  B128,              ///< 128-byte rows, 16-byte units
  B128Atom32B,       ///< 128-byte rows, 32-byte units
  B128Atom32BFlip8B, ///< the same, 8-byte halves exchanged in odd rows; TMA
                     ///< only
  B128Atom64B,       ///< 128-byte rows, 64-byte units; TMA only
};

std::string_view toString(SwizzleMode mode);

/// Bytes of one row of the pattern: 0, 32, 64 or 128.
int64_t swizzleWidth(SwizzleMode mode);
/// Bytes after which the pattern repeats, which is also the alignment that a
/// tile needs: 16 (None), 256, 512, 1024, 512, 512, 256.
int64_t swizzlePeriod(SwizzleMode mode);
/// The address that the hardware uses for the linear byte address `address`.
uint64_t swizzleAddress(SwizzleMode mode, uint64_t address);

/// The same map on indices of `elementBits`-wide elements; nullopt for None.
/// Errors: the width is not 4, 8, 16, 32 or 64, or the mode has no such form.
Expected<std::optional<Swizzle>> elementSwizzle(SwizzleMode mode,
                                                int64_t elementBits);
/// The hardware mode of a layout's swizzle over `elementBits`-wide elements.
/// Error: it is none of them (outer form, other unit or period).
Expected<SwizzleMode> swizzleModeOf(const std::optional<Swizzle> &swizzle,
                                    int64_t elementBits);

} // namespace tirx::layout

#endif // TIRX_LAYOUT_SWIZZLEMODE_H
