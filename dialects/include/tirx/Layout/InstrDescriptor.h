//===- InstrDescriptor.h - tcgen05.mma instruction descriptor ---*- C++ -*-===//
//
// The 32-bit operand of tcgen05.mma (PTX ISA 9.7.16.4.2) and the legal shapes
// (9.7.16.2.1, table of kinds).
//
//===----------------------------------------------------------------------===//
#ifndef TIRX_LAYOUT_INSTRDESCRIPTOR_H
#define TIRX_LAYOUT_INSTRDESCRIPTOR_H

#include "tirx/Layout/SmemDescriptor.h"

namespace tirx::layout {

enum class MmaKind : uint8_t {
  F16,
  TF32,
  F8F6F4,
  I8,
  MXF8F6F4,
  MXF4,
  MXF4NVF4
};

enum class ElementType : uint8_t {
  F16,
  BF16,
  TF32,
  F32,
  S32,
  U8,
  S8,
  E4M3,
  E5M2,
  E2M3,
  E3M2,
  E2M1,
};

enum class ScaleType : uint8_t { UE4M3, UE8M0 };

std::string_view toString(MmaKind kind);
std::string_view toString(ElementType type);
std::string_view toString(ScaleType type);

/// Bits of the type itself (tf32: 32, its container).
int64_t elementBits(ElementType type);
bool isBlockScaled(MmaKind kind);

/// Dense descriptors use saturate, dType and maxShift; block-scaled ones
/// scaleType, sfaId and sfbId (dType must be F32). The kind is not part of the
/// bits: the instruction states it.
struct InstrDescriptor {
  MmaKind kind = MmaKind::F16;
  ElementType dType = ElementType::F32;
  ElementType aType = ElementType::F16;
  ElementType bType = ElementType::F16;
  Major aMajor = Major::K;
  Major bMajor = Major::K;
  int64_t m = 128; ///< of the instruction: for cta_group::2 over both CTAs
  int64_t n = 128;
  bool negateA = false;
  bool negateB = false;
  bool sparse = false;
  uint8_t sparsitySelector = 0; ///< 0..3, sparse f16/tf32 only
  bool saturate = false;        ///< i8 only
  uint8_t maxShift = 0;         ///< 0..3: none, 8, 16, 32 (.ws)
  ScaleType scaleType = ScaleType::UE8M0;
  uint8_t sfaId = 0;
  uint8_t sfbId = 0;
  friend bool operator==(const InstrDescriptor &,
                         const InstrDescriptor &) = default;
};

/// The bits. Errors name the field, its value and the kind that forbids it;
/// shapes need only fit their fields, see checkInstrDescriptor.
Expected<uint32_t> encode(const InstrDescriptor &descriptor);

/// The inverse of encode for the kind that the instruction states.
Expected<InstrDescriptor> decodeInstrDescriptor(uint32_t bits, MmaKind kind);

/// How the instruction is issued.
struct MmaForm {
  int ctaGroup = 1;              ///< 1 or 2
  bool weightStationary = false; ///< .ws
};

/// K of one instruction: 256 bits of A's type (f16 16, tf32 8, 8-bit 32,
/// mxf4 64; 6- and 4-bit types of f8f6f4 and mxf8f6f4 count as 8 bits), twice
/// that when sparse.
int64_t mmaK(MmaKind kind, bool sparse = false);

/// Legality of M and N for the kind, group and form; the error lists the legal
/// values. `bMajor` and `bType` matter for 8-bit transposed B.
Expected<void> checkMmaShape(const InstrDescriptor &descriptor, MmaForm form);

/// encode succeeds and checkMmaShape accepts it.
Expected<void> checkInstrDescriptor(const InstrDescriptor &descriptor,
                                    MmaForm form);

} // namespace tirx::layout

#endif // TIRX_LAYOUT_INSTRDESCRIPTOR_H
