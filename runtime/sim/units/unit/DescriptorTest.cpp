//===- DescriptorTest.cpp - instruction and matrix descriptors --*- C++ -*-===//
#include "TestSupport.h"
#include "units/MatrixDescriptor.h"

using namespace tirx::rt::sim;

namespace {

struct Golden {
  uint32_t bits;
  InstructionDescriptor desc;
  unsigned ctaGroup;
};

InstructionDescriptor make(MmaKind kind, ElementType a, ElementType b,
                           AccumulatorType d, unsigned m, unsigned n) {
  InstructionDescriptor desc;
  desc.kind = kind;
  desc.a = a;
  desc.b = b;
  desc.d = d;
  desc.m = m;
  desc.n = n;
  desc.k = instructionK(kind);
  return desc;
}

// Origin: constants in kernels compiled by other compilers, and the field table
// of the PTX ISA.
std::vector<Golden> goldens() {
  using E = ElementType;
  using D = AccumulatorType;
  auto f16 = make(MmaKind::f16, E::f16, E::f16, D::f32, 128, 128);
  auto f16T = f16;
  f16T.majorB = Major::MN;
  auto mx = make(MmaKind::mxf8f6f4, E::e4m3, E::e4m3, D::f32, 128, 128);
  mx.scaleUe8m0 = true;
  auto mx3 = mx;
  mx3.sfaId = mx3.sfbId = 3;
  mx3.n = 160;
  auto nv = make(MmaKind::mxf4nvf4, E::e2m1, E::e2m1, D::f32, 256, 256);
  return {
      {0x08200010, f16, 1},
      {0x08210010, f16T, 1},
      {0x08200490, make(MmaKind::f16, E::bf16, E::bf16, D::f32, 128, 128), 1},
      {0x10200010, make(MmaKind::f16, E::f16, E::f16, D::f32, 256, 128), 2},
      {0x10200490, make(MmaKind::f16, E::bf16, E::bf16, D::f32, 256, 128), 2},
      {0x04400490, make(MmaKind::f16, E::bf16, E::bf16, D::f32, 64, 256), 1},
      {0x08100910, make(MmaKind::tf32, E::tf32, E::tf32, D::f32, 128, 64), 1},
      {0x08400410, make(MmaKind::f8f6f4, E::e4m3, E::e5m2, D::f32, 128, 256),
       1},
      {0x082004A0, make(MmaKind::i8, E::s8, E::s8, D::s32, 128, 128), 1},
      {0x08A00000, mx, 1},
      {0x68A80030, mx3, 1},
      {0x10400480, nv, 2},
  };
}

} // namespace

TEST_CASE("instruction descriptor: known constants both ways") {
  for (const Golden &golden : goldens()) {
    CAPTURE(fmt::format("{:#010x}", golden.bits));
    auto desc = decodeInstructionDescriptor(golden.bits, golden.desc.kind,
                                            golden.ctaGroup);
    INFO(messageOf(desc));
    REQUIRE(desc);
    CHECK(*desc == golden.desc);
    CHECK(encodeInstructionDescriptor(golden.desc) == golden.bits);
  }
}

TEST_CASE("instruction descriptor: encode then decode, random legal fields") {
  auto rng = makeRng(30);
  using E = ElementType;
  for (unsigned i = 0; i < 5000; ++i) {
    InstructionDescriptor desc;
    desc.kind = pickOf<MmaKind>(
        rng, {MmaKind::f16, MmaKind::tf32, MmaKind::f8f6f4, MmaKind::i8});
    unsigned group = pick(rng, 1, 2);
    desc.m = group == 1 ? pickOf<unsigned>(rng, {64, 128})
                        : pickOf<unsigned>(rng, {128, 256});
    desc.n = 32 * pick(rng, 1, 8);
    desc.k = instructionK(desc.kind);
    desc.negateA = desc.kind != MmaKind::i8 && rng() % 2;
    desc.negateB = desc.kind != MmaKind::i8 && rng() % 2;
    desc.majorA = rng() % 2 ? Major::MN : Major::K;
    desc.majorB = rng() % 2 ? Major::MN : Major::K;
    switch (desc.kind) {
    case MmaKind::f16:
      desc.a = desc.b = rng() % 2 ? E::f16 : E::bf16;
      desc.d = desc.a == E::f16 && rng() % 2 ? AccumulatorType::f16
                                             : AccumulatorType::f32;
      break;
    case MmaKind::tf32:
      desc.a = desc.b = E::tf32;
      break;
    case MmaKind::i8:
      desc.a = rng() % 2 ? E::u8 : E::s8;
      desc.b = rng() % 2 ? E::u8 : E::s8;
      desc.d = AccumulatorType::s32;
      desc.saturate = rng() % 2;
      break;
    default:
      desc.a = rng() % 2 ? E::e4m3 : E::e5m2;
      desc.b = rng() % 2 ? E::e4m3 : E::e5m2;
    }
    auto back = decodeInstructionDescriptor(encodeInstructionDescriptor(desc),
                                            desc.kind, group);
    INFO(messageOf(back));
    REQUIRE(back);
    REQUIRE(*back == desc);
  }
}

// Each bad word differs from a good one in the named field only.
TEST_CASE("instruction descriptor: every illegal field is named") {
  struct Bad {
    uint32_t good, bad;
    MmaKind kind;
    unsigned ctaGroup;
    std::vector<std::string_view> parts;
  };
  const uint32_t f16 = 0x08200010;
  const Bad table[] = {
      {f16, f16 | 1 << 6, MmaKind::f16, 1, {"reserved (bit 6)"}},
      {f16, f16 | 1 << 23, MmaKind::f16, 1, {"reserved (bit 23)"}},
      {f16, f16 | 1 << 29, MmaKind::f16, 1, {"reserved (bit 29)"}},
      {f16, f16 | 1, MmaKind::f16, 1, {"sparsity selector (bits 0-1)"}},
      {f16, f16 | 1 << 3, MmaKind::f16, 1, {"saturate (bit 3)"}},
      {f16,
       f16 | 2 << 7,
       MmaKind::f16,
       1,
       {"A type (bits 7-9) is 2", "1 bf16"}},
      {f16, f16 | 3 << 10, MmaKind::f16, 1, {"B type (bits 10-12) is 3"}},
      {f16, f16 | 1 << 10, MmaKind::f16, 1, {"one type for both"}},
      {f16, f16 ^ 3 << 4, MmaKind::f16, 1, {"D type (bits 4-5) is 2"}},
      {0x08200490, 0x08200480, MmaKind::f16, 1, {"D of f16", "bf16"}},
      {f16, f16 | 1u << 30, MmaKind::f16, 1, {"bits 30-31", ".ws"}},
      {f16,
       (f16 & ~(31u << 24)) | 6u << 24,
       MmaKind::f16,
       1,
       {"M = 96", "64, 128"}},
      {0x10200010,
       (f16 & ~(63u << 17)) | 1u << 17,
       MmaKind::f16,
       2,
       {"N = 8", "16..256"}},
      {f16, f16 & ~(63u << 17), MmaKind::f16, 1, {"N = 0", "8..256"}},
      {f16, f16 | 63u << 17, MmaKind::f16, 1, {"N = 504", "8..256"}},
      {0x082004A0,
       (0x082004A0 & ~(63u << 17)) | 5u << 17,
       MmaKind::i8,
       1,
       {"N = 40", "8, 16, 24, 32"}},
      {0x082004A0, 0x082004A0 | 1 << 13, MmaKind::i8, 1, {"negate A/B"}},
      {0x082004A0, 0x082004A0 ^ 3 << 4, MmaKind::i8, 1, {"D type", "2 (s32)"}},
      {0x08400410, 0x08400410 ^ 2 << 7, MmaKind::f8f6f4, 1, {"A type", "is 2"}},
      {0x08400410,
       (0x08400410 & ~(63u << 17)) | 1 << 16 | 3 << 17,
       MmaKind::f8f6f4,
       1,
       {"MN-major 8-bit B", "multiples of 16", "N = 24"}},
      {0x08400410,
       0x08400410 | 5 << 7 | 1 << 15,
       MmaKind::f8f6f4,
       1,
       {"A is MN-major e2m1"}},
      {0x08A00000, 0x08200000, MmaKind::mxf8f6f4, 1, {"scale type (bit 23)"}},
      {0x08A00000, 0x08A00000 | 1u << 31, MmaKind::mxf8f6f4, 1, {"bit 31"}},
      {0x10400480, 0x10400480 | 1u << 31, MmaKind::mxf4nvf4, 2, {"sm_103a"}},
      {0x10400480,
       0x10400480 | 1u << 29,
       MmaKind::mxf4nvf4,
       2,
       {"SFA_ID", "is 1"}},
      {0x10400480,
       0x10400480 | 1u << 15,
       MmaKind::mxf4nvf4,
       2,
       {"transpose A (bit 15)"}},
  };
  for (const Bad &entry : table) {
    CAPTURE(fmt::format("{:#010x}", entry.bad));
    auto good =
        decodeInstructionDescriptor(entry.good, entry.kind, entry.ctaGroup);
    INFO(messageOf(good));
    CHECK(good);
    auto bad =
        decodeInstructionDescriptor(entry.bad, entry.kind, entry.ctaGroup);
    REQUIRE_FALSE(bad);
    CAPTURE(bad.error().message);
    for (std::string_view part : entry.parts)
      CHECK(bad.error().message.find(part) != std::string::npos);
  }
  CHECK(failsWith(decodeInstructionDescriptor(f16, MmaKind::f16, 3),
                  {"cta_group::3"}));
  CHECK(failsWith(
      decodeInstructionDescriptor(0x08A00000, MmaKind::mxf8f6f4, 1, true),
      {".ws"}));
  CHECK(decodeInstructionDescriptor(f16 | 1u << 30, MmaKind::f16, 1, true));
}

TEST_CASE("instruction descriptor: tight shapes warn") {
  Warnings warnings;
  auto desc = make(MmaKind::f16, ElementType::f16, ElementType::f16,
                   AccumulatorType::f32, 128, 24);
  REQUIRE(decodeInstructionDescriptor(encodeInstructionDescriptor(desc),
                                      MmaKind::f16, 1, false, &warnings));
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].find("N = 24") != std::string::npos);
  warnings.clear();
  desc.n = 32;
  REQUIRE(decodeInstructionDescriptor(encodeInstructionDescriptor(desc),
                                      MmaKind::f16, 1, false, &warnings));
  CHECK(warnings.empty());
}

// Origin: descriptors found in compiled kernels; base words that the TVM
// compiler documents for common operands.
TEST_CASE("matrix descriptor: known constants") {
  struct Case {
    uint64_t bits;
    MatrixDescriptor desc;
  };
  const Case cases[] = {
      {0x4000404000010040, {0x400, 16, 1024, 0, Swizzle::b128}},
      {0x4000404004000080, {0x800, 16384, 1024, 0, Swizzle::b128}},
      {0x4000404000000000, {0, 0, 1024, 0, Swizzle::b128}},
      {0x8000402002000000, {0, 8192, 512, 0, Swizzle::b64}},
      {0xC000401001000000, {0, 4096, 256, 0, Swizzle::b32}},
      {0x2000408000200000, {0, 512, 2048, 0, Swizzle::b128Atom32}},
  };
  for (const Case &entry : cases) {
    CAPTURE(fmt::format("{:#018x}", entry.bits));
    auto desc = decodeMatrixDescriptor(entry.bits, "A");
    INFO(messageOf(desc));
    REQUIRE(desc);
    CHECK(*desc == entry.desc);
    CHECK(encodeMatrixDescriptor(entry.desc) == entry.bits);
  }
  auto wgmma = decodeWgmmaDescriptor(0x4000004000010040, "B");
  REQUIRE(wgmma);
  CHECK(*wgmma == MatrixDescriptor{0x400, 16, 1024, 0, Swizzle::b128});
  CHECK(failsWith(decodeWgmmaDescriptor(0x4000404000010040, "B"),
                  {"tcgen05 descriptor?"}));
}

TEST_CASE("matrix descriptor: every field at its full width") {
  auto rng = makeRng(31);
  for (unsigned i = 0; i < 2000; ++i) {
    MatrixDescriptor desc;
    desc.start = 16 * pick(rng, 0, 0x3FFF);
    desc.leadingBytes = 16 * pick(rng, 0, 0x3FFF);
    desc.strideBytes = 16 * pick(rng, 0, 0x3FFF);
    desc.swizzle =
        pickOf<Swizzle>(rng, {Swizzle::none, Swizzle::b32, Swizzle::b64,
                              Swizzle::b128, Swizzle::b128Atom32});
    auto back = decodeMatrixDescriptor(encodeMatrixDescriptor(desc), "A");
    REQUIRE(back);
    REQUIRE(*back == desc);
  }
}

TEST_CASE("matrix descriptor: illegal fields are named") {
  const uint64_t good = 0x4000404000010040;
  REQUIRE(decodeMatrixDescriptor(good, "operand B"));
  CHECK(failsWith(
      decodeMatrixDescriptor(good & ~(uint64_t(1) << 46), "operand B"),
      {"operand B", "version (bits 46-48) 0"}));
  CHECK(failsWith(decodeMatrixDescriptor(good | uint64_t(1) << 52, "A"),
                  {"bit 52", "sm_103a"}));
  CHECK(failsWith(decodeMatrixDescriptor(good | uint64_t(1) << 53, "A"),
                  {"bits 53-60"}));
  CHECK(failsWith(decodeMatrixDescriptor(good | uint64_t(2) << 49, "A"),
                  {"base offset (bits 49-51) 2"}));
  for (uint64_t code : {3, 5, 7})
    CHECK(failsWith(
        decodeMatrixDescriptor((good & ~(uint64_t(7) << 61)) | code << 61, "A"),
        {"swizzle code (bits 61-63)"}));
}

// Origin: hand-evaluated canonical layouts (PTX ISA).
TEST_CASE("matrix descriptor: element addresses") {
  OperandTile f16K{128, 16, 2, Major::K}, f16Mn{128, 16, 2, Major::MN},
      tf32Mn{128, 8, 4, Major::MN};
  MatrixDescriptor k128{0, 16, 1024, 0, Swizzle::b128};
  CHECK(operandAddress(k128, f16K, 3, 8) == 0x1A0);
  MatrixDescriptor mn64{0, 512, 2048, 0, Swizzle::b64};
  CHECK(operandAddress(mn64, f16Mn, 40, 9) == 0xA50);
  MatrixDescriptor mn32{0, 512, 2048, 0, Swizzle::b128Atom32};
  CHECK(operandAddress(mn32, tf32Mn, 9, 2) == 0x164);
  // k = 6 is row 2 of the second group of four: 36 + 2*128 + 2048 = 0x924.
  CHECK(operandAddress(mn32, tf32Mn, 9, 6) == 0x964);
  CHECK(operandAddress(mn32, tf32Mn, 41, 6) == 0xB64);
  // A K step of 32 bytes inside the atom: the phase comes from the address.
  MatrixDescriptor advanced{0x400 + 32, 16, 1024, 0, Swizzle::b128};
  CHECK(operandAddress(advanced, f16K, 3, 8) ==
        applySwizzle(Swizzle::b128, 0x400 + 3 * 128 + 48));
  // No swizzle: LBO and SBO trade places between majors.
  MatrixDescriptor none{0x100, 2048, 128, 0, Swizzle::none};
  CHECK(operandAddress(none, f16K, 9, 10) == 0x100 + 16 + 128 + 2048 + 4);
  CHECK(operandAddress(none, f16Mn, 9, 10) == 0x100 + 2 + 128 + 32 + 2048);
}

TEST_CASE("matrix descriptor: operands that do not exist") {
  MatrixDescriptor plain{0, 16, 1024, 0, Swizzle::b128};
  MatrixDescriptor atom{0, 512, 2048, 0, Swizzle::b128Atom32};
  OperandTile tf32Mn{64, 8, 4, Major::MN}, f16Mn{64, 16, 2, Major::MN},
      tf32K{64, 8, 4, Major::K};
  CHECK(
      failsWith(checkOperand(plain, tf32Mn, "A"), {"128B_ATOM_32B (code 1)"}));
  CHECK(checkOperand(atom, tf32Mn, "A"));
  CHECK(failsWith(checkOperand(atom, f16Mn, "A"), {"32-bit elements"}));
  CHECK(checkOperand(plain, f16Mn, "A"));
  CHECK(failsWith(checkOperand(atom, tf32K, "A"), {"K-major"}));
  MatrixDescriptor flip{0, 0, 0, 0, Swizzle::b128Atom64};
  CHECK(failsWith(checkOperand(flip, tf32K, "A"), {"tensor maps only"}));

  Warnings warnings;
  MatrixDescriptor zero{0, 16, 0, 0, Swizzle::b128};
  REQUIRE(checkOperand(zero, tf32K, "B", &warnings));
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].find("stride byte offset is 0") != std::string::npos);
  REQUIRE(checkOperand(zero, OperandTile{8, 8, 4, Major::K}, "B", &warnings));
  CHECK(warnings.size() == 1);
}
