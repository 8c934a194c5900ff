//===- MatrixDescriptor.cpp - shared-memory matrix descriptor ---*- C++ -*-===//
#include "MatrixDescriptor.h"

namespace tirx::rt::sim {
namespace {

constexpr std::string_view source = "(PTX ISA, shared memory descriptor)";

constexpr uint32_t field(uint64_t bits, unsigned low, unsigned width) {
  return uint32_t(bits >> low & ((uint64_t(1) << width) - 1));
}

MatrixDescriptor commonFields(uint64_t bits) {
  MatrixDescriptor desc;
  desc.start = field(bits, 0, 14) << 4;
  desc.leadingBytes = field(bits, 16, 14) << 4;
  desc.strideBytes = field(bits, 32, 14) << 4;
  desc.baseOffset = uint8_t(field(bits, 49, 3));
  return desc;
}

Expected<void> checkBaseOffset(uint64_t bits, const MatrixDescriptor &desc,
                               std::string_view what) {
  if (desc.baseOffset == 0)
    return {};
  return makeError(
      "{}: descriptor {:#018x} has base offset (bits 49-51) {}; "
      "only 0 is simulated, for tiles whose swizzle pattern starts "
      "on its own period {}",
      what, bits, desc.baseOffset, source);
}

} // namespace

Expected<MatrixDescriptor> decodeMatrixDescriptor(uint64_t bits,
                                                  std::string_view what) {
  MatrixDescriptor desc = commonFields(bits);
  if (uint32_t version = field(bits, 46, 3); version != 1)
    return makeError("{}: descriptor {:#018x} has version (bits 46-48) {}; "
                     "tcgen05 needs 1 {}",
                     what, bits, version, source);
  if (field(bits, 52, 1))
    return makeError("{}: descriptor {:#018x} has the absolute leading-offset "
                     "mode (bit 52), which sm_103a alone has {}",
                     what, bits, source);
  if (uint32_t reserved = field(bits, 53, 8))
    return makeError("{}: descriptor {:#018x} has reserved bits 53-60 set "
                     "({:#x}) {}",
                     what, bits, reserved, source);
  switch (uint32_t code = field(bits, 61, 3)) {
  case 0:
    desc.swizzle = Swizzle::none;
    break;
  case 1:
    desc.swizzle = Swizzle::b128Atom32;
    break;
  case 2:
    desc.swizzle = Swizzle::b128;
    break;
  case 4:
    desc.swizzle = Swizzle::b64;
    break;
  case 6:
    desc.swizzle = Swizzle::b32;
    break;
  default:
    return makeError("{}: descriptor {:#018x} has swizzle code (bits 61-63) "
                     "{}; legal: 0 none, 1 128B_ATOM_32B, 2 128B, 4 64B, 6 32B "
                     "{}",
                     what, bits, code, source);
  }
  if (auto ok = checkBaseOffset(bits, desc, what); !ok)
    return tl::unexpected(ok.error());
  return desc;
}

Expected<MatrixDescriptor> decodeWgmmaDescriptor(uint64_t bits,
                                                 std::string_view what) {
  MatrixDescriptor desc = commonFields(bits);
  constexpr Swizzle codes[] = {Swizzle::none, Swizzle::b128, Swizzle::b64,
                               Swizzle::b32};
  desc.swizzle = codes[field(bits, 62, 2)];
  if (field(bits, 46, 3) || field(bits, 52, 10))
    return makeError("{}: wgmma descriptor {:#018x} has bits set outside its "
                     "fields (46-48, 52-61); a tcgen05 descriptor? {}",
                     what, bits, source);
  if (auto ok = checkBaseOffset(bits, desc, what); !ok)
    return tl::unexpected(ok.error());
  return desc;
}

uint64_t encodeMatrixDescriptor(const MatrixDescriptor &desc) {
  auto put = [](uint64_t value, unsigned low, unsigned width) {
    return (value & ((uint64_t(1) << width) - 1)) << low;
  };
  uint64_t code = 0;
  switch (desc.swizzle) {
  case Swizzle::b128Atom32:
    code = 1;
    break;
  case Swizzle::b128:
    code = 2;
    break;
  case Swizzle::b64:
    code = 4;
    break;
  case Swizzle::b32:
    code = 6;
    break;
  case Swizzle::none:
    break;
  case Swizzle::b128Atom32Flip8:
  case Swizzle::b128Atom64:
    code = 7; // No descriptor has them; decoding says so.
    break;
  }
  return put(desc.start >> 4, 0, 14) | put(desc.leadingBytes >> 4, 16, 14) |
         put(desc.strideBytes >> 4, 32, 14) | put(1, 46, 3) |
         put(desc.baseOffset, 49, 3) | put(code, 61, 3);
}

Expected<void> checkOperand(const MatrixDescriptor &desc,
                            const OperandTile &tile, std::string_view what,
                            Warnings *warnings) {
  bool atom32 = desc.swizzle == Swizzle::b128Atom32;
  if (desc.swizzle == Swizzle::b128Atom32Flip8 ||
      desc.swizzle == Swizzle::b128Atom64)
    return makeError("{}: swizzle {} exists for tensor maps only", what,
                     nameOf(desc.swizzle));
  if (tile.major == Major::MN && tile.elementBytes == 4 && !atom32)
    return makeError("{}: an MN-major 32-bit operand needs swizzle "
                     "128B_ATOM_32B (code 1), not {} (PTX ISA, tcgen05 "
                     "transpose rules)",
                     what, nameOf(desc.swizzle));
  if (atom32 && tile.major == Major::MN && tile.elementBytes != 4)
    return makeError("{}: swizzle 128B_ATOM_32B is for 32-bit elements, not "
                     "{}-byte ones (PTX ISA, tcgen05 transpose rules)",
                     what, tile.elementBytes);
  if (atom32 && tile.major == Major::K)
    return makeError("{}: K-major operands with swizzle 128B_ATOM_32B are not "
                     "simulated; sources disagree on whether they exist",
                     what);
  if (!warnings)
    return {};
  // What SBO strides, by canonical layout.
  unsigned group = tile.major == Major::K          ? 8
                   : desc.swizzle == Swizzle::none ? 16 / tile.elementBytes
                                                   : (atom32 ? 4 : 8);
  unsigned extent = tile.major == Major::K || desc.swizzle == Swizzle::none
                        ? tile.rows
                        : tile.k;
  if (desc.strideBytes == 0 && extent > group)
    warnings->push_back(fmt::format(
        "{}: the stride byte offset is 0 but {} groups of {} need it; they all "
        "read the same memory",
        what, (extent + group - 1) / group, group));
  return {};
}

uint32_t operandAddress(const MatrixDescriptor &desc, const OperandTile &tile,
                        unsigned row, unsigned k) {
  const uint32_t e = tile.elementBytes, lbo = desc.leadingBytes,
                 sbo = desc.strideBytes, width = swizzleWidth(desc.swizzle);
  uint32_t offset;
  if (tile.major == Major::K) {
    uint32_t byte = k * e;
    if (desc.swizzle == Swizzle::none)
      offset = row % 8 * 16 + row / 8 * sbo + byte / 16 * lbo + byte % 16;
    else
      offset = row % 8 * width + row / 8 * sbo + byte;
  } else {
    uint32_t byte = row * e;
    if (desc.swizzle == Swizzle::none) {
      offset = byte % 16 + byte / 16 * sbo + k % 8 * 16 + k / 8 * lbo;
    } else {
      uint32_t kRows = desc.swizzle == Swizzle::b128Atom32 ? 4 : 8;
      offset = byte % width + byte / width * lbo + k % kRows * width +
               k / kRows * sbo;
    }
  }
  return applySwizzle(desc.swizzle, desc.start + offset);
}

} // namespace tirx::rt::sim
