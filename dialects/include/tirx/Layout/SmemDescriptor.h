//===- SmemDescriptor.h - matrix descriptors of shared memory ---*- C++ -*-===//
//
// The 64-bit operand of tcgen05.mma/cp (PTX ISA 9.7.16.4.1) and wgmma
// (9.7.15.5).
//
//===----------------------------------------------------------------------===//
#ifndef TIRX_LAYOUT_SMEMDESCRIPTOR_H
#define TIRX_LAYOUT_SMEMDESCRIPTOR_H

#include "tirx/Layout/SwizzleMode.h"

namespace tirx::layout {

enum class MmaGeneration : uint8_t { Wgmma, Tcgen05 };
enum class Major : uint8_t { K, MN };

std::string_view toString(MmaGeneration generation);
std::string_view toString(Major major);

/// All offsets are bytes and multiples of 16.
struct SmemDescriptor {
  MmaGeneration generation = MmaGeneration::Tcgen05;
  uint32_t startAddress = 0; ///< < 2^18, an address inside the CTA's window
  uint32_t leadingByteOffset = 0; ///< < 2^18
  uint32_t strideByteOffset = 0;  ///< < 2^18
  uint8_t baseOffset = 0;         ///< 0..7: (pattern start >> 7) & 7
  bool leadingIsAbsolute = false; ///< sm_103a only (bit 52)
  SwizzleMode swizzle = SwizzleMode::None;
  friend bool operator==(const SmemDescriptor &,
                         const SmemDescriptor &) = default;
};

/// The bits; an error names the field, its value and its limit.
Expected<uint64_t> encode(const SmemDescriptor &descriptor);

/// The inverse of encode. Errors: version bits, reserved bits or a layout type
/// that no descriptor of this generation has.
Expected<SmemDescriptor> decodeSmemDescriptor(uint64_t bits,
                                              MmaGeneration generation);

/// What the descriptor describes, for the rules that depend on it.
struct SmemOperand {
  Major major;
  int64_t elementBits; ///< 4, 8, 16 or 32
};

/// Whether hardware of sm_90a (Wgmma) or sm_100a (Tcgen05) accepts the
/// descriptor for this operand: the encoding rules, MN-major only for element
/// types it can transpose, B128Atom32B for 32-bit MN-major only, no absolute
/// leading offset, base offset 0.
Expected<void> checkSmemDescriptor(const SmemDescriptor &descriptor,
                                   const SmemOperand &operand);

/// Linear byte address, before the swizzle, of element (mn, k) of one
/// instruction's operand slice: the canonical layouts of PTX ISA 9.7.16.3.3.
uint64_t operandLinearAddress(const SmemDescriptor &descriptor,
                              const SmemOperand &operand, int64_t mn,
                              int64_t k);
/// The address that the hardware reads: swizzleAddress of the linear one.
uint64_t operandAddress(const SmemDescriptor &descriptor,
                        const SmemOperand &operand, int64_t mn, int64_t k);

} // namespace tirx::layout

#endif // TIRX_LAYOUT_SMEMDESCRIPTOR_H
