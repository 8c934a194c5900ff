//===- FloatFormats.h - conversions of the narrow float formats -*- C++ -*-===//
#pragma once

#include "InstructionDescriptor.h"

namespace tirx::rt::sim {

/// Rounding of a conversion: `.rn` (nearest, ties to even), `.rz` (toward
/// zero), `.rna` (nearest, ties away), `.rm`/`.rp` (toward -inf/+inf).
enum class Rounding : uint8_t { rn, rz, rna, rm, rp };

/// Exact widening. NaN payloads are kept in the upper bits; the result is the
/// canonical quiet NaN 0x7FFFFFFF for the 8-bit formats.
float f16ToFloat(uint16_t bits);
float bf16ToFloat(uint16_t bits);
float e4m3ToFloat(uint8_t bits); ///< no infinity; 0x7F, 0xFF are NaN
float e5m2ToFloat(uint8_t bits);
float e2m3ToFloat(uint8_t bits);  ///< low 6 bits
float e3m2ToFloat(uint8_t bits);  ///< low 6 bits
float e2m1ToFloat(uint8_t bits);  ///< low 4 bits
float ue8m0ToFloat(uint8_t bits); ///< 2^(bits-127), 0xFF NaN
/// A .b32 register read as tf32: the low 13 bits are dropped.
float tf32ToFloat(uint32_t bits);

/// Narrowing. Overflow: infinity, or the largest finite value with `satfinite`
/// (and for rounding modes that stop there). NaN -> canonical NaN (0x7FFF).
uint16_t floatToF16(float value, Rounding rounding = Rounding::rn,
                    bool satfinite = false);
uint16_t floatToBf16(float value, Rounding rounding = Rounding::rn,
                     bool satfinite = false);
/// cvt.*.tf32.f32: a float whose low 13 bits are zero. rn, rz, rna.
uint32_t floatToTf32(float value, Rounding rounding, bool satfinite = false);
/// cvt.rn.satfinite.e4m3/e5m2: saturates to +-448 / +-57344, NaN -> 0x7F.
uint8_t floatToE4m3(float value);
uint8_t floatToE5m2(float value);
/// cvt.rn.satfinite.e2m3/e3m2/e2m1: saturates; NaN -> + largest.
uint8_t floatToE2m3(float value);
uint8_t floatToE3m2(float value);
uint8_t floatToE2m1(float value);
/// cvt.{rz,rp}.satfinite.ue8m0: a power of two not above (rz) or not below (rp)
/// `value`, saturated to 2^-127..2^127. NaN -> 0xFF. Zero and negative values,
/// which the format lacks, give 2^-127 (PTX does not say what they give).
uint8_t floatToUe8m0(float value, Rounding rounding);

/// float64 -> float32 with the given rounding (rz keeps subnormals).
float doubleToFloat(double value, Rounding rounding);
/// float64 -> f16 in one rounding (double rounding through f32 differs).
uint16_t doubleToF16(double value, Rounding rounding = Rounding::rn);

} // namespace tirx::rt::sim
