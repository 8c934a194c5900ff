//===- FusedSum.h - the tensor core's truncating fused sum ------*- C++ -*-===//
#pragma once

#include "InstructionDescriptor.h"

namespace tirx::rt::sim {

/// Parameters of the fused-sum rule by unit. All products of one instruction
/// and C are one sum: E is the largest exponent of a non-zero term, products
/// not normalised, and at least -126; every term is cut toward zero to
/// `fraction` bits below 2^E; the sum is exact; one rounding ends it (f32
/// toward zero, f16 to nearest even). A result that leaves the format is
/// infinite, a NaN is 0x7FFFFFFF (0x7FFF). Source: MMA-Sim (arXiv 2511.10909),
/// validated there on hardware; that zero terms do not raise E is its newer
/// reading.
struct FusedSumRule {
  unsigned fraction;    ///< F
  bool truncateToE8m13; ///< Hopper fp8: result has 13 fraction bits
};

enum class TensorUnit : uint8_t { tcgen05, wgmma };

/// tcgen05: F=25 for f16, bf16, tf32, fp8. wgmma: F=25 for f16, bf16, tf32;
/// F=13 and e8m13 results for fp8.
FusedSumRule fusedSumRule(TensorUnit unit, ElementType a);

/// One value of a format, decoded without normalising: (-1)^negative *
/// significand * 2^(exponent - fractionBits). Subnormals keep the format's
/// least exponent.
struct DecodedValue {
  bool negative = false, isNan = false, isInf = false;
  uint32_t significand = 0;
  int exponent = -126;
  unsigned fractionBits = 0;
};
/// Decodes raw bits of an operand type (tf32: the low 13 bits are dropped).
DecodedValue decodeValue(ElementType type, uint32_t bits);
DecodedValue decodeFloat32(uint32_t bits);
DecodedValue decodeFloat16(uint16_t bits);

/// The rule for one output, straight from its text with wide integers: slow,
/// the reference for everything else. `a`, `b`: `count` decoded operands; `c`:
/// accumulator already scaled by scale-input-d (exact power of two: pass
/// `cShift` = scale). Returns f32 bits, or f16 bits in the low half if `d` is
/// f16.
uint32_t fusedSumReference(const DecodedValue *a, const DecodedValue *b,
                           unsigned count, const DecodedValue &c,
                           unsigned cShift, AccumulatorType d,
                           const FusedSumRule &rule);

} // namespace tirx::rt::sim
