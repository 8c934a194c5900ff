//===- DescriptorTest.cpp - smem and instruction descriptors ----*- C++ -*-===//
#include "TestSupport.h"

#include "tirx/Layout/InstrDescriptor.h"

using namespace tirx::layout;
using namespace tirx::layout::test;
using Catch::Matchers::Contains;

//===--- shared-memory descriptors ---------------------------------------===//

TEST_CASE("smem descriptor: goldens S1-S14") {
  using enum SwizzleMode;
  constexpr auto T = MmaGeneration::Tcgen05, W = MmaGeneration::Wgmma;
  struct Case {
    MmaGeneration gen;
    uint32_t lbo, sbo; // 16-byte units
    SwizzleMode mode;
    uint32_t address;
    uint64_t bits;
  };
  const Case cases[] = {
      {T, 0, 8, None, 0, 0x0000400800000000},          // S1
      {T, 0, 8, B128, 0, 0x4000400800000000},          // S2
      {T, 64, 128, B64, 0, 0x8000408000400000},        // S3
      {T, 32, 64, B32, 0, 0xC000404000200000},         // S4
      {T, 16, 16, B128Atom32B, 0, 0x2000401000100000}, // S5
      {T, 128, 8, None, 0x400, 0x0000400800800040},    // S6
      {T, 256, 16, B32, 0x400, 0xC000401001000040},    // S7
      {T, 512, 32, B64, 0x400, 0x8000402002000040},    // S8
      {T, 1, 64, B128, 0x400, 0x4000404000010040},     // S9
      {T, 64, 8, None, 0, 0x0000400800400000},         // S10
      {T, 0, 64, B128, 0x8000, 0x4000404000000800},    // S11
      {W, 1, 64, B128, 0x400, 0x4000004000010040},     // S12
      {W, 1, 32, B64, 0x400, 0x8000002000010040},      // S13
      {W, 1, 16, B32, 0x400, 0xC000001000010040},      // S14
  };
  for (const Case &c : cases) {
    const SmemDescriptor d{c.gen, c.address, c.lbo * 16, c.sbo * 16,
                           0,     false,     c.mode};
    CHECK(get(encode(d)) == c.bits);
    CHECK(get(decodeSmemDescriptor(c.bits, c.gen)) == d);
  }
}

TEST_CASE("smem descriptor: decode of words seen in compiled kernels") {
  const auto fmha =
      get(decodeSmemDescriptor(0x4000404004001234, MmaGeneration::Tcgen05));
  CHECK(fmha.leadingByteOffset == 16384);
  CHECK(fmha.strideByteOffset == 1024);
  CHECK(fmha.swizzle == SwizzleMode::B128);
  CHECK(fmha.startAddress == 0x12340);
}

TEST_CASE("smem descriptor: round trip and illegal fields") {
  auto random = rng();
  INFO("seed " << Catch::rngSeed());
  for (int i = 0; i < 5000; ++i) {
    SmemDescriptor d;
    d.generation = random() % 2 ? MmaGeneration::Tcgen05 : MmaGeneration::Wgmma;
    d.startAddress = uint32_t(random() % (1 << 14)) << 4;
    d.leadingByteOffset = uint32_t(random() % (1 << 14)) << 4;
    d.strideByteOffset = uint32_t(random() % (1 << 14)) << 4;
    d.baseOffset = random() % 8;
    d.swizzle =
        SwizzleMode(random() % (d.generation == MmaGeneration::Wgmma ? 4 : 5));
    d.leadingIsAbsolute =
        d.generation == MmaGeneration::Tcgen05 && random() % 2;
    REQUIRE(get(decodeSmemDescriptor(get(encode(d)), d.generation)) == d);
  }
  // Every word either decodes to something that encodes back, or is refused.
  int accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    const uint64_t bits = (random() & 0xE01F7FFF3FFF3FFF) | uint64_t(1) << 46;
    if (auto d = decodeSmemDescriptor(bits, MmaGeneration::Tcgen05)) {
      ++accepted;
      REQUIRE(get(encode(*d)) == bits);
    }
  }
  CHECK(accepted > 500);
  auto refused = [](auto change) {
    SmemDescriptor d;
    change(d);
    return errorOf(encode(d));
  };
  CHECK_THAT(refused([](auto &d) { d.startAddress = 8; }),
             Contains("start address = 8"));
  CHECK_THAT(refused([](auto &d) { d.leadingByteOffset = 1 << 18; }),
             Contains("leading byte offset = 262144"));
  CHECK_THAT(refused([](auto &d) { d.strideByteOffset = 20; }),
             Contains("stride byte offset = 20"));
  CHECK_THAT(refused([](auto &d) { d.baseOffset = 8; }),
             Contains("base offset = 8"));
  CHECK_THAT(refused([](auto &d) { d.swizzle = SwizzleMode::B128Atom64B; }),
             Contains("128B_ATOM_64B"));
  CHECK_THAT(refused([](auto &d) {
               d.generation = MmaGeneration::Wgmma;
               d.swizzle = SwizzleMode::B128Atom32B;
             }),
             Contains("no layout type in a wgmma"));
  const auto T = MmaGeneration::Tcgen05;
  CHECK_THAT(errorOf(decodeSmemDescriptor(0, T)), Contains("bits 46-48"));
  CHECK_THAT(
      errorOf(decodeSmemDescriptor(uint64_t(3) << 61 | uint64_t(1) << 46, T)),
      Contains("layout type 3"));
  CHECK_THAT(errorOf(decodeSmemDescriptor(uint64_t(1) << 46 | 1 << 14, T)),
             Contains("reserved"));
  CHECK_THAT(
      errorOf(decodeSmemDescriptor(uint64_t(1) << 46, MmaGeneration::Wgmma)),
      Contains("wgmma descriptor has 0"));
}

TEST_CASE("smem descriptor: operand legality") {
  auto check = [](MmaGeneration gen, SwizzleMode mode, Major major,
                  int64_t bits) {
    SmemDescriptor d;
    d.generation = gen;
    d.swizzle = mode;
    auto r = checkSmemDescriptor(d, {major, bits});
    return r ? std::string() : r.error().message;
  };
  constexpr auto T = MmaGeneration::Tcgen05, W = MmaGeneration::Wgmma;
  using enum SwizzleMode;
  CHECK(check(T, B128, Major::K, 4) == "");
  CHECK_THAT(check(T, B128, Major::MN, 4),
             Contains("4-bit operands K-major only"));
  CHECK(check(T, B128, Major::MN, 8) == "");
  CHECK_THAT(check(W, B128, Major::MN, 8), Contains("wgmma reads 8-bit"));
  CHECK(check(W, B128, Major::MN, 16) == "");
  CHECK(check(T, B128Atom32B, Major::MN, 32) == "");
  CHECK_THAT(check(T, B128, Major::MN, 32),
             Contains("need swizzle 128B_ATOM_32B"));
  CHECK_THAT(check(T, B128Atom32B, Major::MN, 16),
             Contains("for 32-bit operands"));
  CHECK_THAT(check(T, B128Atom32B, Major::K, 32), Contains("MN-major 32-bit"));
  SmemDescriptor d;
  d.baseOffset = 1;
  CHECK_THAT(errorOf(checkSmemDescriptor(d, {Major::K, 16})),
             Contains("base offset"));
  d = {};
  d.leadingIsAbsolute = true;
  CHECK_THAT(errorOf(checkSmemDescriptor(d, {Major::K, 16})),
             Contains("sm_103a"));
}

TEST_CASE("operand addresses: sample values [semantics note, appendix A]") {
  SmemDescriptor d;
  d.swizzle = SwizzleMode::B128;
  d.strideByteOffset = 1024;
  CHECK(operandLinearAddress(d, {Major::K, 16}, 3, 8) == 0x190);
  CHECK(operandAddress(d, {Major::K, 16}, 3, 8) == 0x1A0);
  d.swizzle = SwizzleMode::B64;
  d.leadingByteOffset = 512;
  d.strideByteOffset = 2048;
  CHECK(operandAddress(d, {Major::MN, 16}, 40, 9) == 0xA50);
  d.swizzle = SwizzleMode::B128Atom32B;
  CHECK(operandLinearAddress(d, {Major::MN, 32}, 9, 2) == 0x124);
  CHECK(operandAddress(d, {Major::MN, 32}, 9, 2) == 0x164);
}

//===--- instruction descriptors -----------------------------------------===//

namespace {
struct Golden {
  const char *name;
  InstrDescriptor d;
  uint32_t bits;
};

InstrDescriptor idesc(MmaKind kind, ElementType a, ElementType b, int64_t m,
                      int64_t n, Major aMajor = Major::K,
                      Major bMajor = Major::K) {
  InstrDescriptor d;
  d.kind = kind;
  d.dType = kind == MmaKind::I8 ? ElementType::S32 : ElementType::F32;
  d.aType = a;
  d.bType = b;
  d.m = m;
  d.n = n;
  d.aMajor = aMajor;
  d.bMajor = bMajor;
  return d;
}
} // namespace

TEST_CASE("instruction descriptor: goldens I1-I25") {
  using enum ElementType;
  using MmaKind::F8F6F4, MmaKind::I8, MmaKind::MXF4, MmaKind::MXF4NVF4,
      MmaKind::MXF8F6F4;
  constexpr auto K = Major::K, MN = Major::MN;
  auto f16d = idesc(MmaKind::F16, ElementType::F16, ElementType::F16, 128, 256);
  f16d.dType = ElementType::F16;
  auto nv = [](int64_t m, int64_t n) {
    auto d = idesc(MXF4NVF4, E2M1, E2M1, m, n);
    d.scaleType = ScaleType::UE4M3;
    return d;
  };
  auto ids = idesc(MXF8F6F4, E4M3, E4M3, 128, 128);
  ids.sfaId = ids.sfbId = 2;
  constexpr auto H = ElementType::F16;
  constexpr auto KF = MmaKind::F16;
  const Golden goldens[] = {
      {"I1", idesc(KF, BF16, BF16, 64, 256, K, MN), 0x04410490},
      {"I2", idesc(KF, BF16, BF16, 64, 256, MN, MN), 0x04418490},
      {"I3", idesc(KF, BF16, BF16, 128, 128), 0x08200490},
      {"I4", idesc(KF, BF16, BF16, 128, 256), 0x08400490},
      {"I5", idesc(KF, BF16, BF16, 256, 256), 0x10400490},
      {"I6", idesc(KF, BF16, BF16, 256, 128), 0x10200490},
      {"I7", idesc(KF, H, H, 128, 128), 0x08200010},
      {"I8", idesc(KF, H, H, 128, 64), 0x08100010},
      {"I9", idesc(KF, H, H, 256, 256), 0x10400010},
      {"I10", f16d, 0x08400000},
      {"I11", idesc(KF, H, H, 128, 128, K, MN), 0x08210010},
      {"I12", idesc(KF, H, H, 128, 128, MN, MN), 0x08218010},
      {"I13",
       idesc(MmaKind::TF32, ElementType::TF32, ElementType::TF32, 128, 128),
       0x08200910},
      {"I14", idesc(F8F6F4, E4M3, E4M3, 128, 128), 0x08200010},
      {"I15", idesc(F8F6F4, E4M3, E5M2, 128, 256), 0x08400410},
      {"I16", idesc(F8F6F4, E4M3, E4M3, 256, 224), 0x10380010},
      {"I17", idesc(I8, S8, S8, 128, 128), 0x082004A0},
      {"I18", idesc(MXF8F6F4, E4M3, E4M3, 128, 224), 0x08B80000},
      {"I19", idesc(MXF8F6F4, E4M3, E4M3, 128, 128, MN, MN), 0x08A18000},
      {"I20", idesc(MXF8F6F4, E4M3, E5M2, 256, 256, K, MN), 0x10C10400},
      {"I21", idesc(MXF8F6F4, E4M3, E4M3, 256, 256), 0x10C00000},
      {"I22", idesc(MXF4, E2M1, E2M1, 128, 64), 0x08900480},
      {"I23", nv(128, 128), 0x08200480},
      {"I24", nv(256, 256), 0x10400480},
      {"I25", ids, 0x48A00020},
      // Appendix A of the semantics note.
      {"M256", idesc(KF, H, H, 256, 128), 0x10200010},
      {"M64", idesc(KF, BF16, BF16, 64, 256), 0x04400490},
      {"tf32",
       idesc(MmaKind::TF32, ElementType::TF32, ElementType::TF32, 128, 64),
       0x08100910},
      {"mxf8f6f4", idesc(MXF8F6F4, E4M3, E4M3, 128, 128), 0x08A00000},
  };
  for (const Golden &g : goldens) {
    INFO(g.name);
    CHECK(get(encode(g.d)) == g.bits);
    CHECK(get(decodeInstrDescriptor(g.bits, g.d.kind)) == g.d);
  }
  // Words of compiled block-scaled kernels: SF ids 1, 2, 3.
  for (auto [bits, id] :
       {std::pair(0x28A00010u, 1), {0x48A00020u, 2}, {0x68A00030u, 3}}) {
    const auto d = get(decodeInstrDescriptor(bits, MXF8F6F4));
    CHECK(d.sfaId == id);
    CHECK(d.sfbId == id);
  }
}

TEST_CASE("instruction descriptor: every accepted word decodes to itself") {
  auto random = rng();
  INFO("seed " << Catch::rngSeed());
  for (int k = 0; k < 7; ++k) {
    // Fix what would refuse nearly every random word: reserved bits, and the
    // one legal type of the 4-bit kinds.
    const bool scaled = k >= int(MmaKind::MXF8F6F4),
               mxf4 = k >= int(MmaKind::MXF4);
    const uint32_t zero = scaled ? 0x8700004B : 0x20800040;
    const uint32_t fixed = mxf4 ? 0x9F80 : 0, value = mxf4 ? 0x480 : 0;
    int accepted = 0;
    for (int i = 0; i < 200000; ++i) {
      const uint32_t bits = (uint32_t(random()) & ~zero & ~fixed) | value;
      if (auto d = decodeInstrDescriptor(bits, MmaKind(k))) {
        ++accepted;
        REQUIRE(get(encode(*d)) == bits);
      }
    }
    INFO(toString(MmaKind(k)));
    CHECK(accepted > 100);
  }
}

TEST_CASE("instruction descriptor: illegal fields are named") {
  using enum ElementType;
  const InstrDescriptor good =
      idesc(MmaKind::F16, ElementType::F16, ElementType::F16, 128, 128);
  CHECK(encode(good));
  auto refused = [](InstrDescriptor d, auto change) {
    change(d);
    return errorOf(encode(d));
  };
  const auto i8 = idesc(MmaKind::I8, U8, S8, 128, 128);
  const auto mx = idesc(MmaKind::MXF8F6F4, E4M3, E4M3, 128, 128);
  const auto mx4 = idesc(MmaKind::MXF4, E2M1, E2M1, 128, 128);
  const auto f8 = idesc(MmaKind::F8F6F4, E4M3, E2M1, 128, 128);
  for (const auto &d : {i8, mx, mx4, f8})
    CHECK(encode(d));
  CHECK_THAT(refused(good, [](auto &d) { d.aType = E4M3; }),
             Contains("differs"));
  CHECK_THAT(refused(good, [](auto &d) { d.aType = d.bType = E4M3; }),
             Contains("A type = e4m3: kind::f16 takes f16, bf16"));
  CHECK_THAT(refused(good,
                     [](auto &d) {
                       d.aType = d.bType = BF16;
                       d.dType = ElementType::F16;
                     }),
             Contains("D type = f16"));
  CHECK_THAT(refused(good, [](auto &d) { d.saturate = true; }),
             Contains("saturate"));
  CHECK_THAT(refused(good, [](auto &d) { d.n = 12; }), Contains("N = 12"));
  CHECK_THAT(refused(good, [](auto &d) { d.n = 512; }), Contains("N = 512"));
  CHECK_THAT(refused(good, [](auto &d) { d.m = 24; }), Contains("M = 24"));
  CHECK_THAT(refused(good, [](auto &d) { d.sparsitySelector = 1; }),
             Contains("sparsity selector"));
  CHECK_THAT(refused(good, [](auto &d) { d.maxShift = 4; }),
             Contains("max shift"));
  CHECK_THAT(refused(good, [](auto &d) { d.sfaId = 1; }), Contains("SFA_ID"));
  CHECK_THAT(refused(i8, [](auto &d) { d.negateB = true; }),
             Contains("negate B"));
  CHECK_THAT(refused(i8, [](auto &d) { d.dType = F32; }), Contains("s32"));
  CHECK_THAT(refused(mx, [](auto &d) { d.m = 64; }), Contains("M = 64"));
  CHECK_THAT(refused(mx, [](auto &d) { d.sfbId = 4; }), Contains("SFB_ID = 4"));
  CHECK_THAT(refused(mx, [](auto &d) { d.scaleType = ScaleType::UE4M3; }),
             Contains("scale type = ue4m3"));
  CHECK_THAT(refused(mx4, [](auto &d) { d.sfaId = 1; }),
             Contains("SFA_ID = 1"));
  CHECK_THAT(refused(mx4, [](auto &d) { d.aMajor = Major::MN; }),
             Contains("A major"));
  CHECK_THAT(refused(f8, [](auto &d) { d.bMajor = Major::MN; }),
             Contains("B major"));
  CHECK_THAT(errorOf(decodeInstrDescriptor(0x08200010 | 1 << 6, MmaKind::F16)),
             Contains("reserved"));
  CHECK_THAT(errorOf(decodeInstrDescriptor(0x08200010 | 2 << 7, MmaKind::F16)),
             Contains("A type code 2"));
  CHECK_THAT(errorOf(decodeInstrDescriptor(0x88900480, MmaKind::MXF4)),
             Contains("sm_103a"));
}

TEST_CASE("instruction shapes") {
  using enum ElementType;
  auto ok = [](MmaKind kind, int group, int64_t m, int64_t n, bool ws = false,
               bool sparse = false, Major b = Major::K) {
    static constexpr ElementType type[] = {
        ElementType::F16, ElementType::TF32, E4M3, S8, E4M3, E2M1, E2M1};
    auto d = idesc(kind, type[int(kind)], type[int(kind)], m, n, Major::K, b);
    d.sparse = sparse;
    auto r = checkMmaShape(d, {group, ws});
    return r ? std::string() : r.error().message;
  };
  using MmaKind::F8F6F4, MmaKind::I8, MmaKind::MXF4, MmaKind::MXF4NVF4,
      MmaKind::MXF8F6F4;
  CHECK(ok(MmaKind::F16, 1, 64, 8) == "");
  CHECK(ok(MmaKind::F16, 1, 128, 16) == "");
  CHECK_THAT(ok(MmaKind::F16, 1, 128, 8),
             Contains("N = 8") && Contains("multiples of 16"));
  CHECK_THAT(ok(MmaKind::F16, 1, 128, 24), Contains("N = 24"));
  CHECK_THAT(ok(MmaKind::F16, 1, 256, 128),
             Contains("M = 256") && Contains("legal: 64, 128"));
  CHECK(ok(MmaKind::F16, 2, 256, 256) == "");
  CHECK_THAT(ok(MmaKind::F16, 2, 256, 272), Contains("N = 272"));
  CHECK_THAT(ok(MmaKind::F16, 2, 64, 64), Contains("legal: 128, 256"));
  CHECK_THAT(ok(MmaKind::F16, 3, 128, 64),
             Contains("cta_group::3 does not exist"));
  CHECK(ok(I8, 1, 64, 24) == "");
  CHECK_THAT(ok(I8, 1, 64, 40), Contains("N = 40") && Contains("8, 24"));
  CHECK(ok(MXF8F6F4, 1, 128, 8) == "");
  CHECK_THAT(ok(MXF8F6F4, 1, 64, 64), Contains("legal: 128"));
  CHECK(ok(MXF4, 2, 128, 16) == "");
  CHECK_THAT(ok(MXF4, 2, 128, 16, false, true), Contains("sparse kind::mxf4"));
  CHECK(ok(MmaKind::F16, 1, 32, 64, true) == "");
  CHECK_THAT(ok(MmaKind::F16, 1, 32, 96, true), Contains("N = 96"));
  CHECK_THAT(ok(MmaKind::F16, 1, 32, 256, true, true), Contains("sparse .ws"));
  CHECK_THAT(ok(MXF4, 1, 128, 64, true), Contains("no .ws form"));
  CHECK_THAT(ok(MmaKind::F16, 2, 128, 64, true), Contains("cta_group::1 only"));
  CHECK_THAT(ok(F8F6F4, 1, 64, 24, false, false, Major::MN),
             Contains("MN-major e4m3 B"));
  CHECK(ok(F8F6F4, 1, 64, 32, false, false, Major::MN) == "");
  CHECK(mmaK(MmaKind::F16) == 16);
  CHECK(mmaK(MmaKind::TF32) == 8);
  CHECK(mmaK(MXF4) == 64);
  CHECK(mmaK(F8F6F4, true) == 64);
}
