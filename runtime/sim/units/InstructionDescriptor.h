//===- InstructionDescriptor.h - tcgen05.mma idesc --------------*- C++ -*-===//
#pragma once

#include "SharedSpan.h"

namespace tirx::rt::sim {

/// `.kind` of tcgen05.mma.
enum class MmaKind : uint8_t {
  f16,
  tf32,
  f8f6f4,
  i8,
  mxf8f6f4,
  mxf4,
  mxf4nvf4
};
std::string_view nameOf(MmaKind kind);

enum class ElementType : uint8_t {
  f16,
  bf16,
  tf32,
  e4m3,
  e5m2,
  e2m3,
  e3m2,
  e2m1,
  u8,
  s8
};
std::string_view nameOf(ElementType type);
/// Bytes of one element as tcgen05.mma reads it from memory: 4 tf32, 2 f16 and
/// bf16, 1 otherwise.
unsigned containerBytes(ElementType type);

enum class AccumulatorType : uint8_t { f16, f32, s32 };
std::string_view nameOf(AccumulatorType type);

enum class Major : uint8_t { K, MN };

/// Decoded 32-bit instruction descriptor (PTX ISA, "Instruction descriptor").
struct InstructionDescriptor {
  MmaKind kind = MmaKind::f16;
  ElementType a = ElementType::f16, b = ElementType::f16;
  AccumulatorType d = AccumulatorType::f32;
  unsigned m = 128, n = 128; ///< of the whole instruction (both CTAs)
  unsigned k = 16;           ///< implied by the kind
  Major majorA = Major::K, majorB = Major::K;
  bool negateA = false, negateB = false;
  bool saturate = false; ///< i8: clamp to s32 instead of wrapping
  bool sparse = false;
  unsigned maxShift = 0;         ///< .ws: 0, 8, 16, 32
  unsigned sfaId = 0, sfbId = 0; ///< block-scaled kinds: byte of the SF word
  bool scaleUe8m0 = false;       ///< block-scaled kinds: UE8M0, else UE4M3

  bool operator==(const InstructionDescriptor &) const = default;
};

/// Decodes `bits` for an instruction of `kind` and `ctaGroup` (1, 2), `ws` for
/// .ws forms. Every illegal field, type, shape or combination is an error that
/// names the field, its bits and the legal values. Warning: shapes that PTX
/// allows and other implementations refuse.
Expected<InstructionDescriptor>
decodeInstructionDescriptor(uint32_t bits, MmaKind kind, unsigned ctaGroup,
                            bool ws = false, Warnings *warnings = nullptr);

/// The bits of `desc`; no checks.
uint32_t encodeInstructionDescriptor(const InstructionDescriptor &desc);

/// K of one dense instruction: 16 (f16), 8 (tf32), 32 (8-bit), 64 (mxf4*).
unsigned instructionK(MmaKind kind);

} // namespace tirx::rt::sim
