//===- InstructionDescriptor.cpp - tcgen05.mma idesc ------------*- C++ -*-===//
#include "InstructionDescriptor.h"

#include <algorithm>

namespace tirx::rt::sim {
namespace {

constexpr std::string_view source = "(PTX ISA, tcgen05 instruction descriptor)";

/// A type that a kind accepts and its code in the descriptor.
struct TypeCode {
  ElementType type;
  unsigned code;
};
constexpr TypeCode f16Types[] = {{ElementType::f16, 0}, {ElementType::bf16, 1}};
constexpr TypeCode tf32Types[] = {{ElementType::tf32, 2}};
constexpr TypeCode f8f6f4Types[] = {{ElementType::e4m3, 0},
                                    {ElementType::e5m2, 1},
                                    {ElementType::e2m3, 3},
                                    {ElementType::e3m2, 4},
                                    {ElementType::e2m1, 5}};
constexpr TypeCode i8Types[] = {{ElementType::u8, 0}, {ElementType::s8, 1}};
constexpr TypeCode mxf4Types[] = {{ElementType::e2m1, 1}};

std::span<const TypeCode> typesOf(MmaKind kind) {
  switch (kind) {
  case MmaKind::f16:
    return f16Types;
  case MmaKind::tf32:
    return tf32Types;
  case MmaKind::f8f6f4:
  case MmaKind::mxf8f6f4:
    return f8f6f4Types;
  case MmaKind::i8:
    return i8Types;
  case MmaKind::mxf4:
  case MmaKind::mxf4nvf4:
    return mxf4Types;
  }
  return {};
}

constexpr bool isBlockScaled(MmaKind kind) {
  return kind == MmaKind::mxf8f6f4 || kind == MmaKind::mxf4 ||
         kind == MmaKind::mxf4nvf4;
}

constexpr unsigned field(uint32_t bits, unsigned low, unsigned width) {
  return bits >> low & ((1u << width) - 1);
}

/// Legal M of a (kind, cta_group, ws), and N as a step with bounds.
struct ShapeRule {
  std::vector<unsigned> m;
  unsigned nMin, nStep;
  bool wsN;      ///< only 64, 128, 256
  bool narrowI8; ///< also 8 and 24 besides multiples of 16
};

Expected<ShapeRule> shapeRule(MmaKind kind, unsigned ctaGroup, bool ws,
                              bool sparse) {
  if (ws) {
    if (ctaGroup != 1 || isBlockScaled(kind))
      return makeError("tcgen05.mma.ws exists for cta_group::1 and kinds f16, "
                       "tf32, f8f6f4, i8 only, not for cta_group::{} "
                       "kind::{}",
                       ctaGroup, nameOf(kind));
    return ShapeRule{{32, 64, 128}, 64, 64, true, false};
  }
  if (isBlockScaled(kind)) {
    if (ctaGroup == 1)
      return ShapeRule{{128}, 8, 8, false, false};
    if (sparse)
      return ShapeRule{{256}, 16, 16, false, false};
    return ShapeRule{{128, 256}, 16, 16, false, false};
  }
  if (kind == MmaKind::i8) {
    if (ctaGroup == 1)
      return ShapeRule{{64, 128}, 16, 16, false, true};
    return ShapeRule{{128, 256}, 32, 32, false, false};
  }
  if (ctaGroup == 1)
    return ShapeRule{{64, 128}, 8, 8, false, false};
  return ShapeRule{{128, 256}, 16, 16, false, false};
}

bool legalN(const ShapeRule &rule, unsigned n, bool sparse) {
  if (rule.wsN)
    return n == 64 || n == 128 || (n == 256 && !sparse);
  if (rule.narrowI8 && (n == 8 || n == 24))
    return true;
  return n >= rule.nMin && n <= 256 && n % rule.nStep == 0;
}

std::string nText(const ShapeRule &rule, bool sparse) {
  if (rule.wsN)
    return sparse ? "64, 128" : "64, 128, 256";
  if (rule.narrowI8)
    return "8, 16, 24, 32, then 48..256 in steps of 16";
  return fmt::format("{}..256 in steps of {}", rule.nMin, rule.nStep);
}

Expected<ElementType> decodeType(uint32_t bits, MmaKind kind, char operand,
                                 unsigned low, unsigned width) {
  unsigned code = field(bits, low, width);
  std::string legal;
  for (const TypeCode &entry : typesOf(kind)) {
    if (entry.code == code)
      return entry.type;
    legal += fmt::format("{}{} {}", legal.empty() ? "" : ", ", entry.code,
                         nameOf(entry.type));
  }
  return makeError("instruction descriptor {:#010x}: {} type (bits {}-{}) is "
                   "{}; kind::{} has {} {}",
                   bits, operand, low, low + width - 1, code, nameOf(kind),
                   legal, source);
}

Expected<void> requireZero(uint32_t bits, unsigned low, unsigned width,
                           std::string_view name, MmaKind kind) {
  if (field(bits, low, width) == 0)
    return {};
  std::string where = width == 1
                          ? fmt::format("bit {}", low)
                          : fmt::format("bits {}-{}", low, low + width - 1);
  return makeError("instruction descriptor {:#010x}: {} ({}) is {:#x} but must "
                   "be 0 for kind::{} {}",
                   bits, name, where, field(bits, low, width), nameOf(kind),
                   source);
}

/// A bit field that must be zero for some kinds.
struct ReservedField {
  unsigned low, width;
  std::string_view name;
};
constexpr ReservedField plainReserved[] = {
    {6, 1, "reserved"}, {23, 1, "reserved"}, {29, 1, "reserved"}};
constexpr ReservedField mxf8Reserved[] = {{0, 2, "reserved"},
                                          {3, 1, "reserved"},
                                          {6, 1, "reserved"},
                                          {24, 3, "reserved"},
                                          {31, 1, "reserved"}};
constexpr ReservedField mxf4Reserved[] = {
    {0, 2, "reserved"},     {3, 1, "reserved"},
    {6, 1, "reserved"},     {12, 1, "reserved"},
    {15, 1, "transpose A"}, {16, 1, "transpose B"},
    {24, 3, "reserved"},    {31, 1, "K = 96 (sm_103a only)"}};

std::span<const ReservedField> reservedOf(MmaKind kind) {
  if (!isBlockScaled(kind))
    return plainReserved;
  if (kind == MmaKind::mxf8f6f4)
    return mxf8Reserved;
  return mxf4Reserved;
}

Expected<AccumulatorType> decodeAccumulator(uint32_t bits, MmaKind kind) {
  if (isBlockScaled(kind))
    return AccumulatorType::f32;
  unsigned code = field(bits, 4, 2);
  if (kind == MmaKind::i8) {
    if (code == 2)
      return AccumulatorType::s32;
  } else if (code == 1) {
    return AccumulatorType::f32;
  } else if (code == 0 && kind != MmaKind::tf32) {
    return AccumulatorType::f16;
  }
  std::string_view legal = kind == MmaKind::i8     ? "2 (s32)"
                           : kind == MmaKind::tf32 ? "1 (f32)"
                                                   : "0 (f16) or 1 (f32)";
  return makeError("instruction descriptor {:#010x}: D type (bits 4-5) is {}; "
                   "kind::{} needs {} {}",
                   bits, code, nameOf(kind), legal, source);
}

Expected<void> checkShape(uint32_t bits, const InstructionDescriptor &desc,
                          unsigned ctaGroup, bool ws) {
  auto rule = shapeRule(desc.kind, ctaGroup, ws, desc.sparse);
  if (!rule)
    return addContext(fmt::format("instruction descriptor {:#010x}", bits),
                      rule.error());
  std::string form =
      fmt::format("kind::{} cta_group::{}{}{}", nameOf(desc.kind), ctaGroup,
                  desc.sparse ? " sparse" : "", ws ? " .ws" : "");
  if (std::find(rule->m.begin(), rule->m.end(), desc.m) == rule->m.end())
    return makeError("instruction descriptor {:#010x}: M = {} is no shape of "
                     "{}; legal: {} (PTX ISA, tcgen05.mma shapes)",
                     bits, desc.m, form, fmt::join(rule->m, ", "));
  if (!legalN(*rule, desc.n, desc.sparse))
    return makeError("instruction descriptor {:#010x}: N = {} is no shape of "
                     "{}; legal: {} (PTX ISA, tcgen05.mma shapes)",
                     bits, desc.n, form, nText(*rule, desc.sparse));
  bool narrow = containerBytes(desc.b) == 1;
  unsigned step = ctaGroup == 1 ? 16 : 32;
  if (narrow && desc.majorB == Major::MN && desc.n % step)
    return makeError("instruction descriptor {:#010x}: an MN-major 8-bit B "
                     "needs N in multiples of {} with cta_group::{}; N = {} "
                     "(PTX ISA, tcgen05 transpose rules)",
                     bits, step, ctaGroup, desc.n);
  return {};
}

Expected<void> decodeScaling(uint32_t bits, InstructionDescriptor &desc) {
  desc.sfbId = field(bits, 4, 2);
  desc.sfaId = field(bits, 29, 2);
  desc.scaleUe8m0 = field(bits, 23, 1);
  if (desc.kind != MmaKind::mxf4nvf4 && !desc.scaleUe8m0)
    return makeError("instruction descriptor {:#010x}: scale type (bit 23) is "
                     "0 (UE4M3); kind::{} has 1 (UE8M0) only {}",
                     bits, nameOf(desc.kind), source);
  if (desc.kind != MmaKind::mxf8f6f4)
    for (auto [id, name] : {std::pair(desc.sfaId, "SFA_ID (bits 29-30)"),
                            std::pair(desc.sfbId, "SFB_ID (bits 4-5)")})
      if (id % 2)
        return makeError("instruction descriptor {:#010x}: {} is {}; kind::{} "
                         "has 0 and 2 {}",
                         bits, name, id, nameOf(desc.kind), source);
  return {};
}

void warnTightShapes(const InstructionDescriptor &desc, uint32_t bits,
                     unsigned ctaGroup, bool ws, Warnings *warnings) {
  if (!warnings)
    return;
  if (!ws && ctaGroup == 1 && desc.m == 128 && desc.n % 16)
    warnings->push_back(fmt::format(
        "instruction descriptor {:#010x}: N = {} with M = 128 is not a "
        "multiple of 16; the PTX ISA table allows it, other compilers do not",
        bits, desc.n));
  if (desc.kind == MmaKind::f8f6f4 && desc.d == AccumulatorType::f16)
    warnings->push_back(fmt::format(
        "instruction descriptor {:#010x}: f16 D with kind::f8f6f4 is in the "
        "PTX ISA shape table but not in its descriptor table",
        bits));
}

} // namespace

std::string_view nameOf(MmaKind kind) {
  constexpr std::string_view names[] = {"f16",      "tf32", "f8f6f4",  "i8",
                                        "mxf8f6f4", "mxf4", "mxf4nvf4"};
  return names[unsigned(kind)];
}

std::string_view nameOf(ElementType type) {
  constexpr std::string_view names[] = {"f16",  "bf16", "tf32", "e4m3", "e5m2",
                                        "e2m3", "e3m2", "e2m1", "u8",   "s8"};
  return names[unsigned(type)];
}

std::string_view nameOf(AccumulatorType type) {
  constexpr std::string_view names[] = {"f16", "f32", "s32"};
  return names[unsigned(type)];
}

unsigned containerBytes(ElementType type) {
  switch (type) {
  case ElementType::tf32:
    return 4;
  case ElementType::f16:
  case ElementType::bf16:
    return 2;
  default:
    return 1;
  }
}

unsigned instructionK(MmaKind kind) {
  switch (kind) {
  case MmaKind::tf32:
    return 8;
  case MmaKind::f16:
    return 16;
  case MmaKind::f8f6f4:
  case MmaKind::i8:
  case MmaKind::mxf8f6f4:
    return 32;
  case MmaKind::mxf4:
  case MmaKind::mxf4nvf4:
    return 64;
  }
  return 0;
}

Expected<InstructionDescriptor>
decodeInstructionDescriptor(uint32_t bits, MmaKind kind, unsigned ctaGroup,
                            bool ws, Warnings *warnings) {
  if (ctaGroup != 1 && ctaGroup != 2)
    return makeError("cta_group::{} does not exist; PTX has 1 and 2", ctaGroup);
  for (const ReservedField &entry : reservedOf(kind))
    if (auto ok = requireZero(bits, entry.low, entry.width, entry.name, kind);
        !ok)
      return tl::unexpected(ok.error());

  InstructionDescriptor desc;
  desc.kind = kind;
  desc.sparse = field(bits, 2, 1);
  desc.k = instructionK(kind) * (desc.sparse ? 2 : 1);
  bool mxf4 = kind == MmaKind::mxf4 || kind == MmaKind::mxf4nvf4;
  auto a = decodeType(bits, kind, 'A', 7, 3);
  if (!a)
    return tl::unexpected(a.error());
  auto b = decodeType(bits, kind, 'B', 10, mxf4 ? 2 : 3);
  if (!b)
    return tl::unexpected(b.error());
  desc.a = *a;
  desc.b = *b;
  auto d = decodeAccumulator(bits, kind);
  if (!d)
    return tl::unexpected(d.error());
  desc.d = *d;
  desc.negateA = field(bits, 13, 1);
  desc.negateB = field(bits, 14, 1);
  desc.majorA = field(bits, 15, 1) ? Major::MN : Major::K;
  desc.majorB = field(bits, 16, 1) ? Major::MN : Major::K;
  desc.n = field(bits, 17, 6) << 3;
  desc.m =
      isBlockScaled(kind) ? field(bits, 27, 2) << 7 : field(bits, 24, 5) << 4;

  if (isBlockScaled(kind)) {
    if (auto ok = decodeScaling(bits, desc); !ok)
      return tl::unexpected(ok.error());
  } else {
    constexpr unsigned shifts[] = {0, 8, 16, 32};
    desc.maxShift = shifts[field(bits, 30, 2)];
    if (!ws && desc.maxShift)
      return makeError("instruction descriptor {:#010x}: maximum B shift (bits "
                       "30-31) is {} but only .ws forms shift {}",
                       bits, desc.maxShift, source);
    desc.saturate = field(bits, 3, 1);
    if (kind != MmaKind::i8)
      if (auto ok = requireZero(bits, 3, 1, "saturate", kind); !ok)
        return tl::unexpected(ok.error());
    bool selector =
        desc.sparse && kind != MmaKind::f8f6f4 && kind != MmaKind::i8;
    if (!selector)
      if (auto ok = requireZero(bits, 0, 2, "sparsity selector", kind); !ok)
        return tl::unexpected(ok.error());
  }
  if (kind == MmaKind::i8)
    if (auto ok = requireZero(bits, 13, 2, "negate A/B", kind); !ok)
      return tl::unexpected(ok.error());
  if (kind == MmaKind::f16 && desc.a != desc.b)
    return makeError("instruction descriptor {:#010x}: A is {} and B is {}; "
                     "kind::f16 needs one type for both {}",
                     bits, nameOf(desc.a), nameOf(desc.b), source);
  if (kind == MmaKind::f16 && desc.d == AccumulatorType::f16 &&
      desc.a != ElementType::f16)
    return makeError("instruction descriptor {:#010x}: D of f16 needs A and B "
                     "of f16, not {} {}",
                     bits, nameOf(desc.a), source);
  bool subByte = desc.kind == MmaKind::f8f6f4 || desc.kind == MmaKind::mxf8f6f4;
  for (auto [type, major, name] : {std::tuple(desc.a, desc.majorA, 'A'),
                                   std::tuple(desc.b, desc.majorB, 'B')})
    if (subByte && major == Major::MN && type != ElementType::e4m3 &&
        type != ElementType::e5m2)
      return makeError("instruction descriptor {:#010x}: {} is MN-major {}; "
                       "types below 8 bits are K-major only (PTX ISA, tcgen05 "
                       "transpose rules)",
                       bits, name, nameOf(type));
  if (auto ok = checkShape(bits, desc, ctaGroup, ws); !ok)
    return tl::unexpected(ok.error());
  warnTightShapes(desc, bits, ctaGroup, ws, warnings);
  return desc;
}

uint32_t encodeInstructionDescriptor(const InstructionDescriptor &desc) {
  auto code = [&](ElementType type) -> uint32_t {
    for (const TypeCode &entry : typesOf(desc.kind))
      if (entry.type == type)
        return entry.code;
    return 7;
  };
  uint32_t bits =
      uint32_t(desc.sparse) << 2 | code(desc.a) << 7 | code(desc.b) << 10 |
      uint32_t(desc.negateA) << 13 | uint32_t(desc.negateB) << 14 |
      uint32_t(desc.majorA == Major::MN) << 15 |
      uint32_t(desc.majorB == Major::MN) << 16 | (desc.n >> 3) << 17;
  if (isBlockScaled(desc.kind))
    return bits | desc.sfbId << 4 | uint32_t(desc.scaleUe8m0) << 23 |
           (desc.m >> 7) << 27 | desc.sfaId << 29;
  uint32_t shift = desc.maxShift == 0    ? 0
                   : desc.maxShift == 8  ? 1
                   : desc.maxShift == 16 ? 2
                                         : 3;
  return bits | uint32_t(desc.saturate) << 3 | uint32_t(desc.d) << 4 |
         (desc.m >> 4) << 24 | shift << 30;
}

} // namespace tirx::rt::sim
