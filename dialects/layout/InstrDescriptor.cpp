//===- InstrDescriptor.cpp - encode, decode, shapes -------------*- C++ -*-===//
#include "tirx/Layout/InstrDescriptor.h"

#include "Detail.h"

#include <algorithm>

namespace tirx::layout {

using detail::makeError;

std::string_view toString(MmaKind kind) {
  static constexpr std::string_view names[] = {
      "f16", "tf32", "f8f6f4", "i8", "mxf8f6f4", "mxf4", "mxf4nvf4"};
  return names[unsigned(kind)];
}

namespace {
struct TypeInfo {
  std::string_view name;
  int64_t bits;
};
} // namespace

static constexpr TypeInfo types[] = {{"f16", 16}, {"bf16", 16}, {"tf32", 32},
                                     {"f32", 32}, {"s32", 32},  {"u8", 8},
                                     {"s8", 8},   {"e4m3", 8},  {"e5m2", 8},
                                     {"e2m3", 6}, {"e3m2", 6},  {"e2m1", 4}};

std::string_view toString(ElementType type) {
  return types[unsigned(type)].name;
}
int64_t elementBits(ElementType type) { return types[unsigned(type)].bits; }

std::string_view toString(ScaleType type) {
  return type == ScaleType::UE4M3 ? "ue4m3" : "ue8m0";
}

bool isBlockScaled(MmaKind kind) { return kind >= MmaKind::MXF8F6F4; }
static bool isMxf4(MmaKind kind) { return kind >= MmaKind::MXF4; }

namespace {
struct TypeCode {
  ElementType type;
  uint32_t code;
};
} // namespace

/// Codes of the A and B type fields for a kind.
static std::span<const TypeCode> operandCodes(MmaKind kind) {
  using enum ElementType;
  static constexpr TypeCode f16[] = {{F16, 0}, {BF16, 1}};
  static constexpr TypeCode tf32[] = {{TF32, 2}};
  static constexpr TypeCode f8f6f4[] = {
      {E4M3, 0}, {E5M2, 1}, {E2M3, 3}, {E3M2, 4}, {E2M1, 5}};
  static constexpr TypeCode i8[] = {{U8, 0}, {S8, 1}};
  static constexpr TypeCode mxf4[] = {{E2M1, 1}};
  switch (kind) {
  case MmaKind::F16:
    return f16;
  case MmaKind::TF32:
    return tf32;
  case MmaKind::F8F6F4:
  case MmaKind::MXF8F6F4:
    return f8f6f4;
  case MmaKind::I8:
    return i8;
  default:
    return mxf4;
  }
}

static Expected<uint32_t> operandCode(MmaKind kind, const char *field,
                                      ElementType type) {
  std::string legal;
  for (const TypeCode &c : operandCodes(kind)) {
    if (c.type == type)
      return c.code;
    legal += fmt::format("{}{}", legal.empty() ? "" : ", ", toString(c.type));
  }
  return makeError("{} = {}: kind::{} takes {}", field, toString(type),
                   toString(kind), legal);
}

static Expected<uint32_t> resultCode(const InstrDescriptor &d) {
  using enum ElementType;
  if (d.kind == MmaKind::I8) {
    if (d.dType == S32)
      return 2;
    return makeError("D type = {}: kind::i8 accumulates in s32",
                     toString(d.dType));
  }
  if (d.dType == F32)
    return 1;
  const bool f16 =
      (d.kind == MmaKind::F16 && d.aType == F16 && d.bType == F16) ||
      d.kind == MmaKind::F8F6F4;
  if (d.dType == F16 && f16)
    return 0;
  return makeError("D type = {}: kind::{} with {} operands accumulates in {}",
                   toString(d.dType), toString(d.kind), toString(d.aType),
                   f16 ? "f32 or f16" : "f32");
}

/// Rules common to all kinds that involve more than one field.
static Expected<void> checkFields(const InstrDescriptor &d) {
  const MmaKind kind = d.kind;
  if (kind == MmaKind::F16 && d.aType != d.bType)
    return makeError(
        "B type = {} differs from A type = {}: kind::f16 takes one type",
        toString(d.bType), toString(d.aType));
  for (auto [field, major, type] : {std::tuple("A major", d.aMajor, d.aType),
                                    std::tuple("B major", d.bMajor, d.bType)})
    if (major == Major::MN && elementBits(type) < 8)
      return makeError("{} = MN: {} operands are K-major only", field,
                       toString(type));
  if (kind == MmaKind::I8 && (d.negateA || d.negateB))
    return makeError("negate {} is not available for kind::i8",
                     d.negateA ? "A" : "B");
  if (d.saturate && kind != MmaKind::I8)
    return makeError("saturate is available for kind::i8 only, not kind::{}",
                     toString(kind));
  if (d.sparsitySelector > 3)
    return makeError("sparsity selector = {} is outside [0, 3]",
                     d.sparsitySelector);
  if (d.sparsitySelector &&
      !(d.sparse && (kind == MmaKind::F16 || kind == MmaKind::TF32)))
    return makeError(
        "sparsity selector = {} is for sparse kind::f16 and kind::tf32",
        d.sparsitySelector);
  if (d.n < 8 || d.n > 504 || d.n % 8 != 0)
    return makeError(
        "N = {} does not fit its field: a multiple of 8 in [8, 504]", d.n);
  if (isBlockScaled(kind)) {
    if (d.m < 128 || d.m > 384 || d.m % 128 != 0)
      return makeError(
          "M = {} does not fit its field in kind::{}: a multiple of "
          "128 in [128, 384]",
          d.m, toString(kind));
    if (d.maxShift)
      return makeError("max shift = {} is for .ws forms, which kind::{} lacks",
                       d.maxShift, toString(kind));
    for (auto [field, id] : {std::pair("SFA_ID", d.sfaId), {"SFB_ID", d.sfbId}})
      if (id > 3 || (isMxf4(kind) && id % 2 != 0))
        return makeError("{} = {}: kind::{} takes {}", field, id,
                         toString(kind), isMxf4(kind) ? "0 or 2" : "0 to 3");
    if (d.scaleType == ScaleType::UE4M3 && kind != MmaKind::MXF4NVF4)
      return makeError("scale type = ue4m3: kind::{} takes ue8m0",
                       toString(kind));
    return {};
  }
  if (d.m < 16 || d.m > 496 || d.m % 16 != 0)
    return makeError(
        "M = {} does not fit its field: a multiple of 16 in [16, 496]", d.m);
  if (d.maxShift > 3)
    return makeError("max shift = {} is outside [0, 3]", d.maxShift);
  if (d.sfaId || d.sfbId || d.scaleType != ScaleType::UE8M0)
    return makeError("{} is for block-scaled kinds, not kind::{}",
                     d.sfaId   ? "SFA_ID"
                     : d.sfbId ? "SFB_ID"
                               : "scale type",
                     toString(kind));
  return {};
}

Expected<uint32_t> encode(const InstrDescriptor &d) {
  TIRX_LAYOUT_CHECK(checkFields(d));
  TIRX_LAYOUT_ASSIGN(const uint32_t a, operandCode(d.kind, "A type", d.aType));
  TIRX_LAYOUT_ASSIGN(const uint32_t b, operandCode(d.kind, "B type", d.bType));
  TIRX_LAYOUT_ASSIGN(const uint32_t result, resultCode(d));
  uint32_t bits = uint32_t(d.sparse) << 2 | a << 7 | b << 10 |
                  uint32_t(d.negateA) << 13 | uint32_t(d.negateB) << 14 |
                  uint32_t(d.aMajor == Major::MN) << 15 |
                  uint32_t(d.bMajor == Major::MN) << 16 |
                  uint32_t(d.n >> 3) << 17 | uint32_t(d.m >> 4) << 24;
  if (isBlockScaled(d.kind))
    bits |= uint32_t(d.sfbId) << 4 |
            uint32_t(d.scaleType == ScaleType::UE8M0) << 23 |
            uint32_t(d.sfaId) << 29;
  else
    bits |= uint32_t(d.sparsitySelector) | uint32_t(d.saturate) << 3 |
            result << 4 | uint32_t(d.maxShift) << 30;
  return bits;
}

static Expected<ElementType> decodeType(MmaKind kind, const char *field,
                                        uint32_t code) {
  for (const TypeCode &c : operandCodes(kind))
    if (c.code == code)
      return c.type;
  return makeError("{} code {} is no type of kind::{}", field, code,
                   toString(kind));
}

Expected<InstrDescriptor> decodeInstrDescriptor(uint32_t bits, MmaKind kind) {
  auto field = [&](int low, int width) {
    return bits >> low & ((1u << width) - 1);
  };
  const bool scaled = isBlockScaled(kind);
  const uint32_t reserved =
      scaled ? field(0, 2) | field(3, 1) | field(6, 1) | field(24, 3)
             : field(6, 1) | field(23, 1) | field(29, 1);
  if (reserved)
    return makeError(
        "reserved bits of the kind::{} descriptor {:#010x} are set",
        toString(kind), bits);
  if (scaled && field(31, 1))
    return makeError("bit 31 of {:#010x}: {}", bits,
                     isMxf4(kind) ? "K = 96 exists on sm_103a only"
                                  : "reserved in kind::mxf8f6f4");
  InstrDescriptor d;
  d.kind = kind;
  d.sparse = field(2, 1);
  TIRX_LAYOUT_ASSIGN(d.aType, decodeType(kind, "A type", field(7, 3)));
  TIRX_LAYOUT_ASSIGN(d.bType, decodeType(kind, "B type", field(10, 3)));
  d.negateA = field(13, 1);
  d.negateB = field(14, 1);
  d.aMajor = field(15, 1) ? Major::MN : Major::K;
  d.bMajor = field(16, 1) ? Major::MN : Major::K;
  d.n = int64_t(field(17, 6)) << 3;
  d.m = int64_t(field(24, 5)) << 4;
  if (scaled) {
    d.sfbId = uint8_t(field(4, 2));
    d.scaleType = field(23, 1) ? ScaleType::UE8M0 : ScaleType::UE4M3;
    d.sfaId = uint8_t(field(29, 2));
  } else {
    static constexpr ElementType results[] = {
        ElementType::F16, ElementType::F32, ElementType::S32};
    if (field(4, 2) == 3)
      return makeError("D type code 3 of {:#010x} is no type", bits);
    d.dType = results[field(4, 2)];
    d.sparsitySelector = uint8_t(field(0, 2));
    d.saturate = field(3, 1);
    d.maxShift = uint8_t(field(30, 2));
  }
  TIRX_LAYOUT_CHECK(encode(d));
  return d;
}

//===--- shapes ----------------------------------------------------------===//

int64_t mmaK(MmaKind kind, bool sparse) {
  static constexpr int64_t k[] = {16, 8, 32, 32, 32, 64, 64};
  return k[unsigned(kind)] * (sparse ? 2 : 1);
}

namespace {
enum class Family : uint8_t { Float, Int, Scaled };

/// N is a multiple of `step` in [step, 256], or in `extra`.
struct ShapeRule {
  Family family;
  int ctaGroup;
  bool ws;
  int64_t m;
  int64_t step;
  std::array<int64_t, 2> extra;
  bool denseOnly;
};
} // namespace

// PTX ISA 9.7.16.2.1. Where published kernels and their headers agree on a
// tighter N than the table text (M = 128 needs N % 16; cta_group::2 of the
// dense float kinds N % 32) the tighter one is taken: code must run on
// hardware.
static constexpr ShapeRule shapeRules[] = {
    {Family::Float, 1, false, 64, 8, {}, false},
    {Family::Float, 1, false, 128, 16, {}, false},
    {Family::Float, 2, false, 128, 32, {}, false},
    {Family::Float, 2, false, 256, 32, {}, false},
    {Family::Int, 1, false, 64, 16, {8, 24}, false},
    {Family::Int, 1, false, 128, 16, {}, false},
    {Family::Int, 2, false, 128, 32, {}, false},
    {Family::Int, 2, false, 256, 32, {}, false},
    {Family::Scaled, 1, false, 128, 8, {}, false},
    {Family::Scaled, 2, false, 128, 16, {}, true},
    {Family::Scaled, 2, false, 256, 16, {}, false},
};

static Family familyOf(MmaKind kind) {
  return isBlockScaled(kind)   ? Family::Scaled
         : kind == MmaKind::I8 ? Family::Int
                               : Family::Float;
}

static Expected<void> checkWeightStationary(const InstrDescriptor &d,
                                            MmaForm form) {
  if (isBlockScaled(d.kind))
    return makeError("kind::{} has no .ws form", toString(d.kind));
  if (form.ctaGroup != 1)
    return makeError(".ws forms exist for cta_group::1 only, not cta_group::{}",
                     form.ctaGroup);
  if (d.m != 32 && d.m != 64 && d.m != 128)
    return makeError("M = {} for .ws kind::{}; legal: 32, 64, 128", d.m,
                     toString(d.kind));
  if (d.n != 64 && d.n != 128 && (d.n != 256 || d.sparse))
    return makeError("N = {} for {}.ws kind::{}; legal: 64, 128{}", d.n,
                     d.sparse ? "sparse " : "", toString(d.kind),
                     d.sparse ? "" : ", 256");
  return {};
}

Expected<void> checkMmaShape(const InstrDescriptor &d, MmaForm form) {
  if (form.weightStationary)
    return checkWeightStationary(d, form);
  std::string legalM;
  const ShapeRule *rule = nullptr;
  for (const ShapeRule &r : shapeRules) {
    if (r.family != familyOf(d.kind) || r.ctaGroup != form.ctaGroup ||
        (d.sparse && r.denseOnly))
      continue;
    if (r.m == d.m)
      rule = &r;
    legalM += fmt::format("{}{}", legalM.empty() ? "" : ", ", r.m);
  }
  if (legalM.empty())
    return makeError("cta_group::{} does not exist; legal: 1, 2",
                     form.ctaGroup);
  if (!rule)
    return makeError("M = {} for {}kind::{} cta_group::{}; legal: {}", d.m,
                     d.sparse ? "sparse " : "", toString(d.kind), form.ctaGroup,
                     legalM);
  const bool listed = std::find(rule->extra.begin(), rule->extra.end(), d.n) !=
                          rule->extra.end() &&
                      d.n != 0;
  if (!listed && (d.n < rule->step || d.n > 256 || d.n % rule->step != 0))
    return makeError(
        "N = {} for kind::{} cta_group::{} M = {}; legal: multiples of "
        "{} from {} to 256{}",
        d.n, toString(d.kind), form.ctaGroup, d.m, rule->step, rule->step,
        rule->extra[0] ? ", and 8, 24" : "");
  // PTX ISA 9.7.16.4.2: an 8-bit B that is transposed needs wider N.
  const int64_t wide = 16 * form.ctaGroup;
  if (d.bMajor == Major::MN && elementBits(d.bType) == 8 && d.n % wide != 0)
    return makeError(
        "N = {} with MN-major {} B and cta_group::{}; legal: multiples "
        "of {}",
        d.n, toString(d.bType), form.ctaGroup, wide);
  return {};
}

Expected<void> checkInstrDescriptor(const InstrDescriptor &d, MmaForm form) {
  TIRX_LAYOUT_CHECK(encode(d));
  return checkMmaShape(d, form);
}

} // namespace tirx::layout
