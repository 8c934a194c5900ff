//===- SmemDescriptor.cpp - encode, decode, check ---------------*- C++ -*-===//
#include "tirx/Layout/SmemDescriptor.h"

#include "Detail.h"

namespace tirx::layout {

using detail::makeError;

std::string_view toString(MmaGeneration generation) {
  return generation == MmaGeneration::Tcgen05 ? "tcgen05" : "wgmma";
}
std::string_view toString(Major major) {
  return major == Major::K ? "K-major" : "MN-major";
}

// Layout-type codes: tcgen05 in bits 61-63, wgmma in bits 62-63.
static std::optional<uint64_t> layoutType(SwizzleMode mode, MmaGeneration gen) {
  const bool tcgen05 = gen == MmaGeneration::Tcgen05;
  switch (mode) {
  case SwizzleMode::None:
    return 0;
  case SwizzleMode::B128:
    return tcgen05 ? 2 : 1;
  case SwizzleMode::B64:
    return tcgen05 ? 4 : 2;
  case SwizzleMode::B32:
    return tcgen05 ? 6 : 3;
  case SwizzleMode::B128Atom32B:
    return tcgen05 ? std::optional<uint64_t>(1) : std::nullopt;
  default:
    return std::nullopt;
  }
}

static Expected<uint64_t> addressField(const char *name, uint32_t bytes) {
  if (bytes % 16 != 0)
    return makeError("{} = {} must be a multiple of 16 bytes", name, bytes);
  if (bytes >= 1u << 18)
    return makeError("{} = {} does not fit the 14-bit field of 16-byte units "
                     "(limit 262128)",
                     name, bytes);
  return bytes >> 4;
}

Expected<uint64_t> encode(const SmemDescriptor &d) {
  const bool tcgen05 = d.generation == MmaGeneration::Tcgen05;
  TIRX_LAYOUT_ASSIGN(const uint64_t start,
                     addressField("start address", d.startAddress));
  TIRX_LAYOUT_ASSIGN(const uint64_t lbo,
                     addressField("leading byte offset", d.leadingByteOffset));
  TIRX_LAYOUT_ASSIGN(const uint64_t sbo,
                     addressField("stride byte offset", d.strideByteOffset));
  if (d.baseOffset > 7)
    return makeError("base offset = {} does not fit its 3-bit field",
                     d.baseOffset);
  if (d.leadingIsAbsolute && !tcgen05)
    return makeError(
        "the absolute leading-offset mode does not exist for wgmma");
  const auto type = layoutType(d.swizzle, d.generation);
  if (!type)
    return makeError("swizzle {} has no layout type in a {} descriptor",
                     toString(d.swizzle), toString(d.generation));
  uint64_t bits = start | lbo << 16 | sbo << 32 | uint64_t(d.baseOffset) << 49;
  if (tcgen05) // bits 46-48 hold the constant 0b001
    bits |=
        uint64_t(1) << 46 | uint64_t(d.leadingIsAbsolute) << 52 | *type << 61;
  else
    bits |= *type << 62;
  return bits;
}

Expected<SmemDescriptor> decodeSmemDescriptor(uint64_t bits,
                                              MmaGeneration gen) {
  const bool tcgen05 = gen == MmaGeneration::Tcgen05;
  auto field = [&](int low, int width) {
    return bits >> low & ((uint64_t(1) << width) - 1);
  };
  const uint64_t version = field(46, 3);
  if (version != (tcgen05 ? 1 : 0))
    return makeError("bits 46-48 of {:#018x} are {}; a {} descriptor has {}",
                     bits, version, toString(gen), tcgen05 ? 1 : 0);
  const uint64_t reserved = field(14, 2) | field(30, 2) | field(53, 8) |
                            (tcgen05 ? 0 : field(52, 1) | field(61, 1));
  if (reserved)
    return makeError("reserved bits of the {} descriptor {:#018x} are set",
                     toString(gen), bits);
  const uint64_t type = tcgen05 ? field(61, 3) : field(62, 2);
  SmemDescriptor d;
  d.generation = gen;
  bool known = false;
  for (int i = 0; i <= int(SwizzleMode::B128Atom64B); ++i)
    if (layoutType(SwizzleMode(i), gen) == type) {
      d.swizzle = SwizzleMode(i);
      known = true;
    }
  if (!known)
    return makeError("layout type {} of {:#018x} is none of 0, 1, 2, 4, 6",
                     type, bits);
  d.startAddress = uint32_t(field(0, 14) << 4);
  d.leadingByteOffset = uint32_t(field(16, 14) << 4);
  d.strideByteOffset = uint32_t(field(32, 14) << 4);
  d.baseOffset = uint8_t(field(49, 3));
  d.leadingIsAbsolute = tcgen05 && field(52, 1);
  return d;
}

Expected<void> checkSmemDescriptor(const SmemDescriptor &d,
                                   const SmemOperand &operand) {
  TIRX_LAYOUT_CHECK(encode(d));
  const bool tcgen05 = d.generation == MmaGeneration::Tcgen05;
  const int64_t bits = operand.elementBits;
  if (bits != 4 && bits != 8 && bits != 16 && bits != 32)
    return makeError("operand elements are 4, 8, 16 or 32 bits wide, not {}",
                     bits);
  if (d.leadingIsAbsolute)
    return makeError("leading offset mode: absolute exists on sm_103a only");
  if (d.baseOffset != 0)
    return makeError(
        "base offset = {}: how hardware applies it is not documented; "
        "align the tile to {} bytes and use 0",
        d.baseOffset, swizzlePeriod(d.swizzle));
  const bool atom32 = d.swizzle == SwizzleMode::B128Atom32B;
  if (operand.major == Major::K) {
    if (atom32)
      return makeError("swizzle {} is for MN-major 32-bit operands",
                       toString(d.swizzle));
    return {};
  }
  // PTX ISA 9.7.16.4.2 (transpose bits) and 9.7.15.5 (imm-trans).
  if (!tcgen05 && bits != 16)
    return makeError("wgmma reads {}-bit operands K-major only", bits);
  if (bits < 8)
    return makeError("tcgen05 reads {}-bit operands K-major only", bits);
  if (bits == 32 && !atom32)
    return makeError(
        "MN-major 32-bit operands need swizzle 128B_ATOM_32B, not {}",
        toString(d.swizzle));
  if (bits != 32 && atom32)
    return makeError("swizzle {} is for 32-bit operands, not {}-bit",
                     toString(d.swizzle), bits);
  return {};
}

uint64_t operandLinearAddress(const SmemDescriptor &d,
                              const SmemOperand &operand, int64_t mn,
                              int64_t k) {
  const int64_t lbo = d.leadingByteOffset, sbo = d.strideByteOffset;
  const int64_t width = swizzleWidth(d.swizzle);
  int64_t rel;
  if (operand.major == Major::K) {
    const int64_t kb = k * operand.elementBits / 8;
    rel = width ? mn % 8 * width + mn / 8 * sbo + kb
                : mn % 8 * 16 + mn / 8 * sbo + kb / 16 * lbo + kb % 16;
  } else {
    const int64_t mb = mn * operand.elementBits / 8;
    if (!width)
      rel = mb % 16 + mb / 16 * sbo + k % 8 * 16 + k / 8 * lbo;
    else {
      const int64_t kAtom = d.swizzle == SwizzleMode::B128Atom32B ? 4 : 8;
      rel = mb % width + mb / width * lbo + k % kAtom * width + k / kAtom * sbo;
    }
  }
  return d.startAddress + uint64_t(rel);
}

uint64_t operandAddress(const SmemDescriptor &d, const SmemOperand &operand,
                        int64_t mn, int64_t k) {
  return swizzleAddress(d.swizzle, operandLinearAddress(d, operand, mn, k));
}

} // namespace tirx::layout
