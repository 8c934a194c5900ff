//===- MmaOperandTest.cpp - operand plans -----------------------*- C++ -*-===//
#include "TestSupport.h"

#include "tirx/Layout/Factories.h"
#include "tirx/Layout/MmaOperand.h"

using namespace tirx::layout;
using namespace tirx::layout::test;
using Catch::Matchers::Contains;

/// Every element of every slice, through the encoded descriptor, at an aligned
/// base: the address the hardware reads is where the layout puts the element.
static void checkEveryElement(const Layout &layout,
                              const MmaOperandPlan &plan) {
  const uint32_t base = 0x2000;
  for (size_t i = 0; i < plan.mnOffsets.size(); ++i)
    for (size_t j = 0; j < plan.kOffsets.size(); ++j) {
      const auto bits =
          get(encode(get(plan.descriptor(MmaGeneration::Tcgen05, base, i, j))));
      const auto d = get(decodeSmemDescriptor(bits, MmaGeneration::Tcgen05));
      REQUIRE(checkSmemDescriptor(d, {plan.major, plan.elementBits}));
      for (int64_t x = 0; x < plan.mnStep; ++x)
        for (int64_t y = 0; y < plan.kStep; ++y) {
          const int64_t mn = int64_t(i) * plan.mnStep + x;
          const int64_t k = int64_t(j) * plan.kStep + y;
          const int64_t place = at(layout, {mn, k}, {plan.mn, plan.k});
          REQUIRE(int64_t(operandAddress(d, {plan.major, plan.elementBits}, x,
                                         y)) ==
                  base + place * plan.elementBits / 8);
        }
    }
}

TEST_CASE("operand plans: the table of common operands") {
  using enum SwizzleMode;
  constexpr auto K = Major::K, MN = Major::MN;
  struct Case {
    const char *name;
    Layout layout;
    int64_t mn, k, bits;
    Major major;
    SwizzleMode mode;
    int64_t lbo, sbo; // 16-byte units
    uint64_t descriptor;
  };
  auto km = [](int64_t bits, SwizzleMode mode, int64_t mn, int64_t k) {
    return get(mmaSharedLayout(bits, mode, {{mn, k}}));
  };
  const Case cases[] = {
      {"128,64 128B", km(16, B128, 128, 64), 128, 64, 16, K, B128, 0, 64,
       0x4000404000000000},
      {"128,128 128B", km(16, B128, 128, 128), 128, 128, 16, K, B128, 1024, 64,
       0x4000404004000000},
      {"128,64 64B", km(16, B64, 128, 64), 128, 64, 16, K, B64, 512, 32,
       0x8000402002000000},
      {"128,64 32B", km(16, B32, 128, 64), 128, 64, 16, K, B32, 256, 16,
       0xC000401001000000},
      {"fp8", km(8, B128, 128, 128), 128, 128, 8, K, B128, 0, 64,
       0x4000404000000000},
      {"fp4", km(4, B128, 128, 256), 128, 256, 4, K, B128, 0, 64,
       0x4000404000000000},
      {"tf32", km(32, B128, 128, 32), 128, 32, 32, K, B128, 0, 64,
       0x4000404000000000},
      {"fp8 32B", km(8, B32, 128, 32), 128, 32, 8, K, B32, 0, 16,
       0xC000401000000000},
      {"bf16 [K=64,N=256]",
       get(mmaSharedLayoutMnMajor(16, B128, {{256, 64}}, AtomOrder::KFirst)),
       256, 64, 16, MN, B128, 512, 64, 0x4000404002000000},
      {"bf16 M-first", get(mmaSharedLayoutMnMajor(16, B128, {{128, 128}})), 128,
       128, 16, MN, B128, 64, 128, 0x4000408000400000},
      {"packed M=64", km(16, None, 64, 64), 64, 64, 16, K, None, 64, 8,
       0x0000400800400000},
  };
  for (const Case &c : cases) {
    INFO(c.name);
    const MmaOperandPlan p = get(planMmaOperand(c.layout, c.mn, c.k, c.bits));
    CHECK(p.major == c.major);
    CHECK(p.swizzle == c.mode);
    CHECK(p.leadingByteOffset == c.lbo * 16);
    CHECK(p.strideByteOffset == c.sbo * 16);
    CHECK(get(encode(get(p.descriptor(MmaGeneration::Tcgen05, 0, 0, 0)))) ==
          c.descriptor);
    checkEveryElement(c.layout, p);
  }
}

TEST_CASE(
    "operand plans: CuTe's values for one tile [semantics note, appendix A]") {
  using enum SwizzleMode;
  struct Case {
    Layout layout;
    int64_t mn, k, bits, lbo, sbo; // lbo -1: not used by the hardware
  };
  auto km = [](int64_t bits, SwizzleMode m, int64_t mn, int64_t k) {
    return get(mmaSharedLayout(bits, m, {{mn, k}}));
  };
  auto mm = [](int64_t bits, SwizzleMode m, int64_t mn, int64_t k) {
    return get(mmaSharedLayoutMnMajor(bits, m, {{mn, k}}));
  };
  const Case cases[] = {
      {km(16, B128, 128, 64), 128, 64, 16, -1, 1024},
      {km(16, B64, 128, 64), 128, 64, 16, -1, 512},
      {km(16, B32, 128, 64), 128, 64, 16, -1, 256},
      {km(16, None, 128, 64), 128, 64, 16, 2048, 128},
      {mm(16, B128, 128, 64), 128, 64, 16, 1024, 2048},
      {mm(16, B64, 128, 64), 128, 64, 16, 512, 2048},
      {mm(16, B32, 128, 64), 128, 64, 16, 256, 2048},
      {mm(16, None, 128, 64), 128, 64, 16, 2048, 128},
      {km(8, B128, 128, 128), 128, 128, 8, -1, 1024},
      {km(32, B128, 128, 32), 128, 32, 32, -1, 1024},
      {mm(8, B128, 128, 64), 128, 64, 8, 0, 1024},
      {mm(32, B128Atom32B, 128, 32), 128, 32, 32, 512, 2048},
  };
  for (const Case &c : cases) {
    INFO(toString(c.layout));
    const MmaOperandPlan p = get(planMmaOperand(c.layout, c.mn, c.k, c.bits));
    if (c.lbo >= 0)
      CHECK(p.leadingByteOffset == c.lbo);
    CHECK(p.strideByteOffset == c.sbo);
    checkEveryElement(c.layout, p);
  }
}

TEST_CASE("operand plans: slice offsets") {
  // 128B K-major: 32 bytes a K step inside the atom, LBO at its edge.
  const Layout l = get(mmaSharedLayout(16, SwizzleMode::B128, {{256, 128}}));
  const MmaOperandPlan p = get(planMmaOperand(l, 256, 128, 16, 128));
  CHECK(p.kOffsets ==
        std::vector<int64_t>{0, 32, 64, 96, 32768, 32800, 32832, 32864});
  CHECK(p.mnOffsets == std::vector<int64_t>{0, 16384});
  CHECK(p.offset(1, 4) == 49152);
  checkEveryElement(l, p);
  // MN-major: a 16-bit K step of 16 is two groups of 8 rows.
  const Layout mn = get(mmaSharedLayoutMnMajor(16, SwizzleMode::B128,
                                               {{128, 64}}, AtomOrder::KFirst));
  const MmaOperandPlan q = get(planMmaOperand(mn, 128, 64, 16));
  CHECK(q.kOffsets == std::vector<int64_t>{0, 2048, 4096, 6144});
  checkEveryElement(mn, q);
  // A slice of a larger tile and one stage of a ring keep their offset.
  const Layout ring =
      get(mmaSharedLayout(16, SwizzleMode::B128, {{3, 128, 64}}));
  const Layout stage =
      get(slice(ring, {{3, 128, 64}}, {{2, 64, 0}}, {{1, 64, 64}}));
  const MmaOperandPlan r = get(planMmaOperand(stage, 64, 64, 16));
  CHECK(r.mnOffsets == std::vector<int64_t>{2 * 16384 + 8192});
  checkEveryElement(stage, r);
}

TEST_CASE("operand plans: many shapes") {
  using enum SwizzleMode;
  for (int64_t bits : {4, 8, 16, 32})
    for (SwizzleMode mode : {None, B32, B64, B128, B128Atom32B})
      for (int64_t mn : {64, 128, 256})
        for (int64_t kBytes : {128, 256}) {
          const int64_t k = kBytes * 8 / bits;
          if (auto l = mmaSharedLayout(bits, mode, {{mn, k}});
              l && mode != B128Atom32B) {
            INFO(toString(*l));
            const auto p = get(planMmaOperand(*l, mn, k, bits, mn / 2));
            CHECK(p.major == Major::K);
            if (bits >= 8)
              checkEveryElement(*l, p);
          }
          for (AtomOrder order : {AtomOrder::MnFirst, AtomOrder::KFirst})
            if (auto l = mmaSharedLayoutMnMajor(bits, mode, {{mn, k}}, order)) {
              INFO(toString(*l));
              auto p = planMmaOperand(*l, mn, k, bits);
              const bool legal = bits == 32 ? mode == B128Atom32B
                                            : bits >= 8 && mode != B128Atom32B;
              REQUIRE(bool(p) == legal);
              if (p) {
                CHECK(p->major == Major::MN);
                checkEveryElement(*l, *p);
              }
            }
        }
}

TEST_CASE("operand plans: refusals") {
  auto refused = [](const char *text, int64_t mn, int64_t k, int64_t bits,
                    int64_t step = 0) {
    return errorOf(planMmaOperand(L(text), mn, k, bits, step));
  };
  // Row-major without a swizzle: rows are 128 bytes apart, not 16.
  CHECK_THAT(refused("S[(128,64):(64,1)]", 128, 64, 16),
             Contains("row 1 of its slice is 128 bytes") &&
                 Contains("reads byte 16"));
  CHECK_THAT(refused("S[(128,64):(64,1)] swizzle(4,3,3)", 128, 64, 16),
             Contains("no hardware swizzle"));
  CHECK_THAT(refused("S[(128,64):(64,1)] swizzle(3,3,3,outer)", 128, 64, 16),
             Contains("no hardware swizzle"));
  CHECK_THAT(refused("S[(128,64):(64,1)] swizzle(3,2,3)", 128, 64, 16),
             Contains("64B"));
  CHECK_THAT(refused("S[(128,24):(24,1)]", 128, 24, 16), Contains("K = 24"));
  CHECK_THAT(refused("S[(128,64):(1@TLane,1@TCol)]", 128, 64, 16),
             Contains("axis TLane"));
  CHECK_THAT(refused("S[(128,64):(64,1)] + R[2:8192]", 128, 64, 16),
             Contains("replicas"));
  CHECK_THAT(refused("S[(128,64):(64,1)] swizzle(3,3,3)", 128, 64, 16, 100),
             Contains("slice of 100 rows"));
  CHECK_THAT(refused("S[(128,64):(64,1)] + 4 swizzle(3,3,3)", 128, 64, 16),
             Contains("byte 8"));
  // Non-uniform atom grid; its uniform twin is accepted [reference 7.2].
  CHECK_THAT(
      refused("S[(2,4,8,64):(4096,512,64,1)] swizzle(3,3,3)", 64, 64, 16),
      Contains("row 32"));
  CHECK(planMmaOperand(L("S[(2,4,8,64):(2048,512,64,1)] swizzle(3,3,3)"), 64,
                       64, 16));
  // tf32 MN-major needs the 32-byte atoms; fp4 is never MN-major.
  CHECK_THAT(errorOf(planMmaOperand(get(mmaSharedLayoutMnMajor(
                                        32, SwizzleMode::B128, {{128, 32}})),
                                    128, 32, 32)),
             Contains("128B_ATOM_32B"));
  const Layout l = get(mmaSharedLayout(16, SwizzleMode::B128, {{128, 64}}));
  const MmaOperandPlan p = get(planMmaOperand(l, 128, 64, 16));
  CHECK_THAT(errorOf(p.descriptor(MmaGeneration::Tcgen05, 512, 0, 0)),
             Contains("aligned to 1024"));
  CHECK_THAT(errorOf(p.descriptor(MmaGeneration::Tcgen05, 0, 1, 0)),
             Contains("slice"));
}
