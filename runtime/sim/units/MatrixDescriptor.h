//===- MatrixDescriptor.h - shared-memory matrix descriptor -----*- C++ -*-===//
#pragma once

#include "InstructionDescriptor.h"
#include "Swizzle.h"

namespace tirx::rt::sim {

/// Decoded 64-bit shared-memory descriptor of tcgen05.mma/cp and wgmma (PTX
/// ISA, "Shared memory descriptor"). Lengths in bytes.
struct MatrixDescriptor {
  uint32_t start = 0;        ///< window address, 16-byte granular, < 2^18
  uint32_t leadingBytes = 0; ///< LBO
  uint32_t strideBytes = 0;  ///< SBO
  uint8_t baseOffset = 0;
  Swizzle swizzle = Swizzle::none;

  bool operator==(const MatrixDescriptor &) const = default;
};

/// Decodes a tcgen05 descriptor. Errors: version bits 46-48 not 0b001, LBO mode
/// 1 (sm_103a only), reserved bits 53-60, swizzle codes 3, 5, 7, base offset
/// not 0 (its effect is undocumented). `what` names the operand in the message.
Expected<MatrixDescriptor> decodeMatrixDescriptor(uint64_t bits,
                                                  std::string_view what);
/// Decodes a wgmma descriptor (sm_90): swizzle in bits 62-63, no version.
Expected<MatrixDescriptor> decodeWgmmaDescriptor(uint64_t bits,
                                                 std::string_view what);

/// The bits of a tcgen05 descriptor. Fields are taken modulo their width.
uint64_t encodeMatrixDescriptor(const MatrixDescriptor &desc);

/// The operand tile that an instruction reads through a descriptor.
struct OperandTile {
  unsigned rows = 0;         ///< M or N extent (of one CTA)
  unsigned k = 0;            ///< elements
  unsigned elementBytes = 0; ///< 1, 2 or 4
  Major major = Major::K;

  bool operator==(const OperandTile &) const = default;
};

/// Errors for combinations that hardware does not have: MN-major tf32 without
/// the 32-byte-atom mode, that mode with other types, swizzles of tensor maps
/// only. Warnings: K-major with 32-byte atoms, SBO 0 where it is used.
Expected<void> checkOperand(const MatrixDescriptor &desc,
                            const OperandTile &tile, std::string_view what,
                            Warnings *warnings = nullptr);

/// Physical window address of element (row, k): the canonical layouts of PTX
/// ISA "Canonical layouts", then the swizzle on the absolute address. Scalar
/// reference; see OperandGather.h for whole tiles.
uint32_t operandAddress(const MatrixDescriptor &desc, const OperandTile &tile,
                        unsigned row, unsigned k);

} // namespace tirx::rt::sim
