//===- Swizzle.h - shared-memory swizzles as address XOR --------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <string_view>

namespace tirx::rt::sim {

/// Swizzle modes of tensor maps and matrix descriptors. All of them permute
/// *absolute* shared-memory address bits (PTX ISA, "Swizzling Modes"), so a
/// tile that does not start on a period boundary keeps the phase of its
/// address.
enum class Swizzle : uint8_t {
  none,
  b32,             ///< bit 4 ^= bit 7
  b64,             ///< bits 5:4 ^= bits 8:7
  b128,            ///< bits 6:4 ^= bits 9:7 (16-byte atoms)
  b128Atom32,      ///< bits 6:5 ^= bits 8:7 (32-byte atoms)
  b128Atom32Flip8, ///< b128Atom32 and bit 3 ^= bit 7 (tensor maps only)
  b128Atom64,      ///< bit 6 ^= bit 7 (tensor maps only)
};

/// Physical address of linear address `address` (bytes). Its own inverse.
constexpr uint32_t applySwizzle(Swizzle mode, uint32_t address) {
  switch (mode) {
  case Swizzle::none:
    return address;
  case Swizzle::b32:
    return address ^ ((address >> 3) & 0x10);
  case Swizzle::b64:
    return address ^ ((address >> 3) & 0x30);
  case Swizzle::b128:
    return address ^ ((address >> 3) & 0x70);
  case Swizzle::b128Atom32:
    return address ^ ((address >> 2) & 0x60);
  case Swizzle::b128Atom32Flip8:
    return address ^ ((address >> 2) & 0x60) ^ ((address >> 4) & 0x08);
  case Swizzle::b128Atom64:
    return address ^ ((address >> 1) & 0x40);
  }
  return address;
}

/// Bytes of one swizzled row: 32, 64 or 128; 16 for `none`.
constexpr unsigned swizzleWidth(Swizzle mode) {
  switch (mode) {
  case Swizzle::none:
    return 16;
  case Swizzle::b32:
    return 32;
  case Swizzle::b64:
    return 64;
  default:
    return 128;
  }
}

/// Bytes after which the pattern repeats: 256, 512 or 1024; 16 for `none`.
/// A tile whose start is not a multiple of it starts inside the pattern.
constexpr unsigned swizzlePeriod(Swizzle mode) {
  switch (mode) {
  case Swizzle::none:
    return 16;
  case Swizzle::b32:
  case Swizzle::b128Atom64:
    return 256;
  case Swizzle::b64:
  case Swizzle::b128Atom32:
  case Swizzle::b128Atom32Flip8:
    return 512;
  case Swizzle::b128:
    return 1024;
  }
  return 16;
}

/// Largest run of bytes that no mode splits: 8 for the flip mode, else 16.
constexpr unsigned swizzleChunk(Swizzle mode) {
  return mode == Swizzle::b128Atom32Flip8 ? 8 : 16;
}

/// "none", "32B", "64B", "128B", "128B_ATOM_32B", "128B_ATOM_32B_FLIP_8B",
/// "128B_ATOM_64B".
constexpr std::string_view nameOf(Swizzle mode) {
  constexpr std::string_view names[] = {
      "none",         "32B",           "64B",
      "128B",         "128B_ATOM_32B", "128B_ATOM_32B_FLIP_8B",
      "128B_ATOM_64B"};
  return names[static_cast<unsigned>(mode)];
}

} // namespace tirx::rt::sim
