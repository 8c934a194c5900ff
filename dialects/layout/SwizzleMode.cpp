//===- SwizzleMode.cpp - hardware swizzles as XOR ---------------*- C++ -*-===//
#include "tirx/Layout/SwizzleMode.h"

#include "Detail.h"

namespace tirx::layout {

using detail::makeError;

namespace {
/// The byte-address form: bits [base, base+len) ^= bits [base+shift, ...).
struct ModeInfo {
  std::string_view name;
  int64_t width, period;
  int base, len, shift;
};
} // namespace

// PTX ISA 5.5.7; the flip of 8-byte halves in odd 128-byte lines is added
// below.
static constexpr ModeInfo modes[] = {
    {"none", 0, 16, 4, 0, 3},
    {"32B", 32, 256, 4, 1, 3},
    {"64B", 64, 512, 4, 2, 3},
    {"128B", 128, 1024, 4, 3, 3},
    {"128B_ATOM_32B", 128, 512, 5, 2, 2},
    {"128B_ATOM_32B_FLIP_8B", 128, 512, 5, 2, 2},
    {"128B_ATOM_64B", 128, 256, 6, 1, 1},
};

static const ModeInfo &info(SwizzleMode mode) { return modes[unsigned(mode)]; }

std::string_view toString(SwizzleMode mode) { return info(mode).name; }
int64_t swizzleWidth(SwizzleMode mode) { return info(mode).width; }
int64_t swizzlePeriod(SwizzleMode mode) { return info(mode).period; }

uint64_t swizzleAddress(SwizzleMode mode, uint64_t address) {
  const ModeInfo &i = info(mode);
  const uint64_t mask = (uint64_t(1) << i.len) - 1;
  uint64_t out = address ^ ((address >> (i.base + i.shift) & mask) << i.base);
  if (mode == SwizzleMode::B128Atom32BFlip8B)
    out ^= (address >> 7 & 1) << 3;
  return out;
}

static Expected<int> elementShift(int64_t elementBits) {
  switch (elementBits) {
  case 4:
  case 8:
  case 16:
  case 32:
  case 64:
    // log2 of elements in a byte address unit of 16 bytes, minus 4.
    return detail::log2Exact(128 / elementBits) - 4;
  default:
    return makeError("element width {} is none of 4, 8, 16, 32, 64 bits",
                     elementBits);
  }
}

Expected<std::optional<Swizzle>> elementSwizzle(SwizzleMode mode,
                                                int64_t elementBits) {
  TIRX_LAYOUT_ASSIGN(const int shift, elementShift(elementBits));
  if (mode == SwizzleMode::None)
    return std::nullopt;
  if (mode == SwizzleMode::B128Atom32BFlip8B)
    return makeError("swizzle mode {} has no layout form", toString(mode));
  const ModeInfo &i = info(mode);
  return Swizzle{i.base + shift, i.len, i.shift};
}

Expected<SwizzleMode> swizzleModeOf(const std::optional<Swizzle> &swizzle,
                                    int64_t elementBits) {
  TIRX_LAYOUT_CHECK(elementShift(elementBits));
  if (!swizzle || swizzle->swizzleLen == 0)
    return SwizzleMode::None;
  for (SwizzleMode mode :
       {SwizzleMode::B32, SwizzleMode::B64, SwizzleMode::B128,
        SwizzleMode::B128Atom32B, SwizzleMode::B128Atom64B})
    if (auto s = elementSwizzle(mode, elementBits); s && *s == *swizzle)
      return mode;
  return makeError(
      "swizzle({},{},{}{}) over {}-bit elements is no hardware "
      "swizzle; 128B is ({},3,3)",
      swizzle->perElement, swizzle->swizzleLen, swizzle->atomLen,
      swizzle->inner ? "" : ",outer", elementBits,
      (*elementSwizzle(SwizzleMode::B128, elementBits))->perElement);
}

} // namespace tirx::layout
