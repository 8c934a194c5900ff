//===- FactoryTest.cpp - hardware layouts, goldens --------------*- C++ -*-===//
#include "TestSupport.h"

#include "tirx/Layout/Factories.h"

using namespace tirx::layout;
using namespace tirx::layout::test;
using Catch::Matchers::Contains;
using enum Axis;

TEST_CASE("swizzle modes: element form equals the address form") {
  for (int64_t bits : {4, 8, 16, 32, 64})
    for (SwizzleMode mode :
         {SwizzleMode::B32, SwizzleMode::B64, SwizzleMode::B128,
          SwizzleMode::B128Atom32B, SwizzleMode::B128Atom64B}) {
      const auto s = get(elementSwizzle(mode, bits));
      REQUIRE(s);
      CHECK(s->period() * bits / 8 == swizzlePeriod(mode));
      CHECK(get(swizzleModeOf(s, bits)) == mode);
      std::vector<bool> hit(size_t(2 * s->period()));
      for (int64_t e = 0; e < 2 * s->period(); ++e) {
        REQUIRE((*s)(e)*bits / 8 ==
                int64_t(swizzleAddress(mode, uint64_t(e * bits / 8))));
        hit[size_t((*s)(e))] = true;
      }
      CHECK(std::count(hit.begin(), hit.end(), false) == 0);
    }
  CHECK_THAT(errorOf(swizzleModeOf(Swizzle{3, 3, 3, false}, 16)),
             Contains("no hardware swizzle"));
  CHECK_THAT(errorOf(swizzleModeOf(Swizzle{4, 3, 3}, 16)), Contains("(3,3,3)"));
  CHECK_THAT(errorOf(elementSwizzle(SwizzleMode::B128Atom32BFlip8B, 16)),
             Contains("no layout form"));
  CHECK_THAT(errorOf(elementSwizzle(SwizzleMode::B128, 6)),
             Contains("width 6"));
}

TEST_CASE("mma_shared_layout: goldens L11-L17 and stages") {
  using enum SwizzleMode;
  struct Case {
    int64_t bits;
    SwizzleMode mode;
    const char *text;
    std::vector<std::pair<Shape, int64_t>> at;
  };
  const Shape shape{64, 256};
  const Case cases[] = {
      {16,
       B128,
       "S[(64,4,64):(64,4096,1)] swizzle(3,3,3)",
       {{{1, 0}, 72},
        {{1, 8}, 64},
        {{7, 63}, 455},
        {{8, 64}, 4608},
        {{5, 130}, 8554},
        {{63, 255}, 16327}}},
      {16,
       B64,
       "S[(64,8,32):(32,2048,1)] swizzle(3,2,3)",
       {{{1, 0}, 32}, {{2, 0}, 72}, {{3, 9}, 97}, {{63, 255}, 16359}}},
      {16,
       B32,
       "S[(64,16,16):(16,1024,1)] swizzle(3,1,3)",
       {{{4, 0}, 72}, {{4, 8}, 64}, {{7, 15}, 119}, {{63, 255}, 16375}}},
      {8,
       B128,
       "S[(64,2,128):(128,8192,1)] swizzle(4,3,3)",
       {{{1, 0}, 144}, {{3, 17}, 417}, {{63, 255}, 16271}}},
      {4,
       B128,
       "S[(64,256):(256,1)] swizzle(5,3,3)",
       {{{1, 0}, 288}, {{3, 33}, 833}, {{63, 255}, 16159}}},
      {32,
       B128,
       "S[(64,8,32):(32,2048,1)] swizzle(2,3,3)",
       {{{1, 0}, 36}, {{3, 5}, 105}, {{63, 255}, 16355}}},
      {16,
       None,
       "S[(64,32,8):(8,512,1)]",
       {{{1, 0}, 8}, {{0, 8}, 512}, {{63, 255}, 16383}}},
  };
  for (const Case &c : cases) {
    const Layout l = get(mmaSharedLayout(c.bits, c.mode, shape));
    CHECK(equivalent(l, L(c.text)));
    for (auto &[coord, want] : c.at)
      CHECK(at(l, coord, shape) == want);
    CHECK(get(proveInjective(l)));
    CHECK(get(proveInBounds(l, {{Axis::m, 64 * 256}})));
    CHECK(get(proveAligned(l, 128 / c.bits)));
  }
  CHECK(toString(get(mmaSharedLayout(16, B128, {{3, 64, 256}}))) ==
        "S[(3,64,4,64):(16384,64,4096,1)] swizzle(3,3,3)");
  CHECK(toString(get(mmaSharedLayout(16, B64, {{3, 64, 256}}))) ==
        "S[(3,64,8,32):(16384,32,2048,1)] swizzle(3,2,3)");
  // [companion] (128,128) and element (9,70) before the swizzle.
  const Layout l = get(mmaSharedLayout(16, B128, {{128, 128}}));
  CHECK(toString(l) == "S[(128,2,64):(64,8192,1)] swizzle(3,3,3)");
  CHECK(at(Layout(l.tile), {9, 70}, {128, 128}) == 128 * 64 + 9 * 64 + 6);
  // S6-S9: the operand tiles of the hand-written kernels.
  CHECK(equivalent(get(mmaSharedLayout(16, None, {{128, 64}})),
                   L("S[(128,8,8):(8,1024,1)]")));
  CHECK(equivalent(get(mmaSharedLayout(16, B32, {{128, 64}})),
                   L("S[(128,4,16):(16,2048,1)] swizzle(3,1,3)")));
  CHECK(equivalent(get(mmaSharedLayout(16, B64, {{128, 64}})),
                   L("S[(128,2,32):(32,4096,1)] swizzle(3,2,3)")));
}

TEST_CASE("mma_shared_layout: a column of the atom is free of bank conflicts") {
  // [companion] 8 rows x 16 bytes of one column touch 8 different 16-byte
  // units.
  for (int64_t bits : {4, 8, 16, 32})
    for (SwizzleMode mode :
         {SwizzleMode::B32, SwizzleMode::B64, SwizzleMode::B128}) {
      const int64_t cols = swizzleWidth(mode) * 8 / bits, unit = 128 / bits;
      const Layout l = get(mmaSharedLayout(bits, mode, {{8, cols}}));
      for (int64_t c = 0; c < cols; c += unit) {
        unsigned groups = 0;
        for (int64_t r = 0; r < 8; ++r)
          groups |= 1u << (at(l, {r, c}, {8, cols}) / unit % 8);
        CHECK(groups == 0xFF);
      }
    }
}

TEST_CASE("mma_shared_layout: errors") {
  using enum SwizzleMode;
  CHECK_THAT(errorOf(mmaSharedLayout(16, B128, {{64, 32}})),
             Contains("cols = 32") && Contains("multiple of 64"));
  CHECK_THAT(errorOf(mmaSharedLayout(16, B128, {{60, 64}})),
             Contains("rows = 60"));
  CHECK_THAT(errorOf(mmaSharedLayout(16, B128, {{64}})), Contains("two dims"));
  CHECK_THAT(errorOf(mmaSharedLayout(6, B128, {{64, 64}})),
             Contains("not 6-bit"));
  CHECK_THAT(errorOf(mmaSharedLayout(16, B128Atom64B, {{64, 64}})),
             Contains("not readable"));
}

TEST_CASE("MN-major shared layout: golden L18") {
  const Layout l =
      get(mmaSharedLayoutMnMajor(16, SwizzleMode::B128, {{128, 128}}));
  CHECK(equivalent(l, L("S[(2,64,16,8):(512,1,1024,64)] swizzle(3,3,3)")));
  CHECK(at(l, {9, 3}, {128, 128}) == 209);
  CHECK(at(l, {70, 17}, {128, 128}) == 2638);
  CHECK(at(l, {127, 127}, {128, 128}) == 16327);
  // K-first atoms are the transposed view of the K-major factory's buffer.
  const size_t swap[] = {1, 0};
  const Layout stored =
      get(mmaSharedLayout(16, SwizzleMode::B128, {{64, 256}}));
  CHECK(
      equivalent(get(permuteByGroups(stored, {{64, 256}}, swap)),
                 get(mmaSharedLayoutMnMajor(16, SwizzleMode::B128, {{256, 64}},
                                            AtomOrder::KFirst))));
}

TEST_CASE("TMEM datapaths: goldens L19-L22 and disjoint slabs") {
  using enum TmemDatapath;
  auto place = [](const TileLayout &l, int64_t r, int64_t c, Shape shape) {
    const AxisValues v = get(apply(Layout(l), {{r, c}}, shape));
    return std::pair(v.get(TLane), v.get(TCol));
  };
  using P = std::pair<int64_t, int64_t>;
  const int64_t rows[] = {0, 15, 16, 31, 63};
  const int64_t lane0[] = {0, 15, 32, 47, 111}, lane1[] = {16, 31, 48, 63, 127};
  for (int i = 0; i < 5; ++i) {
    CHECK(place(get(tmemDatapathLayout(F, 64, 32)), rows[i], 5, {64, 32}) ==
          P{lane0[i], 5});
    CHECK(place(get(tmemDatapathLayout(F, 64, 32, 1)), rows[i], 5, {64, 32}) ==
          P{lane1[i], 5});
  }
  for (TmemDatapath p : {B, E}) {
    const TileLayout l = get(tmemDatapathLayout(p, 64, 128));
    CHECK(place(l, 0, 63, {64, 128}) == P{0, 63});
    CHECK(place(l, 0, 64, {64, 128}) == P{64, 0});
    CHECK(place(l, 63, 127, {64, 128}) == P{127, 63});
  }
  const TileLayout g = get(tmemDatapathLayout(G, 32, 64));
  CHECK(place(g, 0, 16, {32, 64}) == P{32, 0});
  CHECK(place(g, 31, 63, {32, 64}) == P{127, 15});
  // Appendix A of the semantics note.
  CHECK(place(get(tmemDatapathLayout(F, 64, 8)), 17, 5, {64, 8}) == P{33, 5});
  CHECK(place(get(tmemDatapathLayout(B, 64, 256)), 10, 200, {64, 256}) ==
        P{74, 72});
  CHECK(place(get(tmemDatapathLayout(G, 32, 128)), 3, 100, {32, 128}) ==
        P{99, 4});
  // The defining formulas, every element.
  for (int64_t r = 0; r < 64; ++r)
    for (int64_t c = 0; c < 16; ++c) {
      CHECK(place(get(tmemDatapathLayout(C, 64, 16, 1)), r, c, {64, 16}) ==
            P{32 * (r / 16) + 16 + r % 16, c});
      CHECK(place(get(tmemDatapathLayout(E, 64, 16)), r, c, {64, 16}) ==
            P{r + 64 * (c / 8), c % 8});
    }
  // The two sub-slabs of F together are all 128 lanes [companion].
  std::vector<int> used(128, 0);
  for (int slab : {0, 1})
    for (int64_t r = 0; r < 64; ++r)
      ++used[size_t(
          place(get(tmemDatapathLayout(F, 64, 1, slab)), r, 0, {64, 1}).first)];
  CHECK(used == std::vector<int>(128, 1));
  for (TmemDatapath p : {A, B, C, D, E, F, G}) {
    const int64_t r = p == A || p == D ? 128 : p == G ? 32 : 64;
    const TileLayout l = get(tmemDatapathLayout(p, r, 64));
    CHECK(get(proveInjective(l)));
    CHECK(get(proveInBounds(l, hardwareBounds())));
  }
  CHECK_THAT(errorOf(tmemDatapathLayout(B, 128, 64)),
             Contains("64 rows a CTA, not 128"));
  CHECK_THAT(errorOf(tmemDatapathLayout(G, 32, 66)), Contains("do not divide"));
  CHECK_THAT(errorOf(tmemDatapathLayout(D, 128, 64, 1)),
             Contains("no sub-slab 1"));
  CHECK(get(tmemDatapathOf(256, 2, false, false)) == A);
  CHECK(get(tmemDatapathOf(128, 2, false, false)) == B);
  CHECK(get(tmemDatapathOf(128, 2, false, true)) == C);
  CHECK(get(tmemDatapathOf(128, 1, false, false)) == D);
  CHECK(get(tmemDatapathOf(64, 1, true, false)) == E);
  CHECK(get(tmemDatapathOf(64, 1, false, false)) == F);
  CHECK(get(tmemDatapathOf(32, 1, true, false)) == G);
  CHECK_THAT(errorOf(tmemDatapathOf(32, 1, false, false)),
             Contains("no M = 32"));
}

TEST_CASE("TMEM operands and copies") {
  using enum TmemDatapath;
  CHECK(toString(get(tmemOperandLayout(D, 128, 64))) ==
        "S[(128,64):(1@TLane,1@TCol)]");
  CHECK(toString(get(tmemOperandLayout(B, 64, 32))) ==
        "S[(64,32):(1@TLane,1@TCol)] + R[2:64@TLane]");
  CHECK(toString(get(tmemOperandLayout(F, 64, 32, 1))) ==
        "S[(4,16,32):(32@TLane,1@TLane,1@TCol)] + 16@TLane");
  CHECK_THAT(errorOf(tmemOperandLayout(B, 128, 32)), Contains("not 128"));
  CHECK_THAT(errorOf(tmemOperandLayout(G, 32, 32)), Contains("not documented"));
  // Lanes that receive a source row [reference 7.6].
  auto lanes = [](TmemCopy shape, int64_t row) {
    const TileLayout l = tmemCopyLayout(shape);
    std::vector<int64_t> out;
    const int64_t cols = l.shard.back().extent;
    for (const AxisValues &p : get(applyReplicas(Layout(l), row * cols)))
      out.push_back(p.get(TLane));
    return out;
  };
  using V = std::vector<int64_t>;
  CHECK(lanes(TmemCopy::C128x256b, 77) == V{77});
  CHECK(lanes(TmemCopy::C4x256b, 3) == V{96});
  CHECK(lanes(TmemCopy::C64x128bWarpx2_02_13, 40) == V{40, 104});
  CHECK(lanes(TmemCopy::C64x128bWarpx2_01_23, 5) == V{5, 37});
  CHECK(lanes(TmemCopy::C64x128bWarpx2_01_23, 40) == V{72, 104});
  CHECK(lanes(TmemCopy::C32x128bWarpx4, 9) == V{9, 41, 73, 105});
  for (auto c : {TmemCopy::C128x256b, TmemCopy::C4x256b, TmemCopy::C128x128b,
                 TmemCopy::C64x128bWarpx2_02_13, TmemCopy::C64x128bWarpx2_01_23,
                 TmemCopy::C32x128bWarpx4}) {
    CHECK(get(proveInjective(tmemCopyLayout(c))));
    CHECK(get(proveInBounds(tmemCopyLayout(c), hardwareBounds())));
  }
}

TEST_CASE("tcgen05.ld/st atoms: goldens L23-L26") {
  using enum TmemAccess;
  auto place = [](TmemAccess a, int64_t r, int64_t c, int64_t rows,
                  int64_t cols) {
    return get(apply(Layout(get(tcgen05AtomLayout(a, rows, cols)).layout),
                     {{r, c}}, {{rows, cols}}));
  };
  auto lmw = [](int64_t lane, int64_t reg, int64_t warp) {
    return AxisValues{{laneid, lane}, {Axis::m, reg}, {wid_in_wg, warp}};
  };
  CHECK(place(L16x64b, 0, 1, 64, 4) == lmw(2, 0, 0)); // L23
  CHECK(place(L16x64b, 9, 3, 64, 4) == lmw(7, 1, 0));
  CHECK(place(L16x64b, 63, 3, 64, 4) == lmw(31, 1, 3));
  CHECK(place(L16x128b, 0, 1, 64, 8) == lmw(1, 0, 0)); // L24
  CHECK(place(L16x128b, 9, 3, 64, 8) == lmw(7, 1, 0));
  CHECK(place(L16x128b, 63, 7, 64, 8) == lmw(31, 3, 3));
  CHECK(place(L16x256b, 0, 1, 64, 16) == lmw(0, 1, 0)); // L25
  CHECK(place(L16x256b, 9, 3, 64, 16) == lmw(5, 3, 0));
  CHECK(place(L16x256b, 63, 15, 64, 16) == lmw(31, 7, 3));
  CHECK(place(L32x32b, 127, 63, 128, 64) ==
        AxisValues{{tid_in_wg, 127}, {Axis::m, 63}});
}

TEST_CASE("tcgen05.ld/st atoms: the register maps of PTX, inverted") {
  // (thread t, register r) -> (row in the warp's window, column),
  // PTX 9.7.16.2.3.
  struct Map {
    TmemAccess access;
    int64_t registers, columns; // a repeat
    std::pair<int64_t, int64_t> (*at)(int64_t t, int64_t r);
  };
  const Map maps[] = {
      {TmemAccess::L16x64b, 1, 2,
       [](int64_t t, int64_t r) {
         return std::pair(t / 4 + 8 * (t % 2), 2 * r + t / 2 % 2);
       }},
      {TmemAccess::L16x128b, 2, 4,
       [](int64_t t, int64_t r) {
         return std::pair(t / 4 + 8 * (r % 2), 4 * (r / 2) + t % 4);
       }},
      {TmemAccess::L16x256b, 4, 8,
       [](int64_t t, int64_t r) {
         return std::pair(t / 4 + 8 * (r / 2 % 2),
                          8 * (r / 4) + 2 * (t % 4) + r % 2);
       }},
      {TmemAccess::L32x32b, 1, 1,
       [](int64_t t, int64_t r) { return std::pair(t, r); }},
  };
  for (const Map &map : maps)
    for (int64_t rows : {64, 128})
      for (int64_t n : {1, 2, 4, 8})
        for (int64_t bits : {16, 32}) {
          const bool full = map.access == TmemAccess::L32x32b;
          if (full && rows == 64)
            continue;
          const int64_t e = 32 / bits, cols = map.columns * n * e;
          INFO(toString(map.access)
               << " rows " << rows << " x" << n << " bits " << bits);
          const TmemAtom atom =
              get(tcgen05AtomLayout(map.access, rows, cols, bits));
          CHECK(atom.repeat == n);
          CHECK(atom.registers == map.registers * n);
          CHECK(atom.instructions == (!full && rows == 128 ? 2 : 1));
          const int64_t slabs = atom.instructions, window = full ? 32 : 16;
          for (int64_t w = 0; w < 4; ++w)
            for (int64_t t = 0; t < 32; ++t)
              for (int64_t r = 0; r < slabs * atom.registers; ++r)
                for (int64_t h = 0; h < e; ++h) {
                  const auto [row, col] = map.at(t, r % atom.registers);
                  const int64_t R =
                      (w * slabs + r / atom.registers) * window + row;
                  const AxisValues want =
                      full ? AxisValues{{tid_in_wg, 32 * w + t},
                                        {Axis::m, r * e + h}}
                           : AxisValues{{wid_in_wg, w},
                                        {laneid, t},
                                        {Axis::m, r * e + h}};
                  REQUIRE(get(apply(Layout(atom.layout), {{R, col * e + h}},
                                    {{rows, cols}})) == want);
                }
          CHECK(get(proveInjective(atom.layout)));
          CHECK(get(proveInBounds(atom.layout, hardwareBounds())));
        }
  // Appendix A of the semantics note: thread 13 of 16x256b.x2.
  const Layout l =
      Layout(get(tcgen05AtomLayout(TmemAccess::L16x256b, 64, 16)).layout);
  const int64_t row[] = {3, 3, 11, 11, 3, 3, 11, 11},
                col[] = {2, 3, 2, 3, 10, 11, 10, 11};
  for (int64_t r = 0; r < 8; ++r)
    CHECK(get(apply(l, {{row[r], col[r]}}, {{64, 16}})) ==
          AxisValues{{wid_in_wg, 0}, {laneid, 13}, {Axis::m, r}});
}

TEST_CASE("tcgen05.ld/st atoms: errors") {
  using enum TmemAccess;
  CHECK_THAT(errorOf(tcgen05AtomLayout(L32x32b, 64, 8)), Contains("not 64"));
  CHECK_THAT(errorOf(tcgen05AtomLayout(L16x64b, 32, 8)), Contains("64 or 128"));
  CHECK_THAT(errorOf(tcgen05AtomLayout(L16x256b, 64, 12)),
             Contains("multiple of 8"));
  CHECK_THAT(errorOf(tcgen05AtomLayout(L16x256b, 64, 24)),
             Contains("16x256b.x3"));
  CHECK_THAT(errorOf(tcgen05AtomLayout(L16x256b, 64, 512)),
             Contains("up to 32"));
  CHECK(tcgen05AtomLayout(L16x256b, 64, 256));
  CHECK_THAT(errorOf(tcgen05AtomLayout(L32x32b, 128, 8, 8)),
             Contains("16- or 32-bit"));
  CHECK(toString(get(wgRegisterTile(128, 64))) ==
        "S[(128,64):(1@tid_in_wg,1)]");
  CHECK_THAT(errorOf(wgRegisterTile(256, 64)), Contains("not 256"));
}
