//===- FragmentTest.cpp - fragments and scale factors -----------*- C++ -*-===//
#include "TestSupport.h"

#include "tirx/Layout/Factories.h"
#include "tirx/Layout/Fragments.h"

using namespace tirx::layout;
using namespace tirx::layout::test;
using Catch::Matchers::Contains;
using enum Axis;

/// The element whose place is (lane, register element), found by search.
static Shape holder(const TileLayout &l, Shape shape, int64_t lane, int64_t reg,
                    int64_t warp = 0) {
  for (int64_t x = 0; x < size(l); ++x) {
    const AxisValues p = apply(Layout(l), x);
    if (p.get(laneid) == lane && p.get(Axis::m) == reg &&
        p.get(wid_in_wg) == warp)
      return unflatten(x, shape);
  }
  return {};
}

TEST_CASE("mma.sync fragments [tutorial 2.8]") {
  const TileLayout c = get(mmaSyncLayout(MmaOperandRole::C, 32, 0));
  CHECK(toString(c) == "S[(2,8,4,2):(2,4@laneid,1@laneid,1)]");
  const Shape lane5[] = {{1, 2}, {1, 3}, {9, 2}, {9, 3}};
  for (int64_t r = 0; r < 4; ++r)
    CHECK(holder(c, {16, 8}, 5, r) == lane5[r]);
  // L27: the 8x8 tile of the C fragment.
  CHECK(get(apply(L("S[(32,2):(1@laneid,1)]"), {{5, 3}}, {{8, 8}})) ==
        AxisValues{{laneid, 21}, {Axis::m, 1}});
  const TileLayout a16 = get(mmaSyncLayout(MmaOperandRole::A, 16, 16));
  const TileLayout b16 = get(mmaSyncLayout(MmaOperandRole::B, 16, 16));
  const TileLayout tf32 = get(mmaSyncLayout(MmaOperandRole::A, 32, 8));
  const TileLayout a8 = get(mmaSyncLayout(MmaOperandRole::A, 8, 32));
  for (int64_t l = 0; l < 32; ++l) {
    const int64_t g = l / 4, t = l % 4;
    for (int64_t h = 0; h < 2; ++h) {
      CHECK(holder(a16, {16, 16}, l, 0 + h) == Shape{g, 2 * t + h});
      CHECK(holder(a16, {16, 16}, l, 2 + h) == Shape{g + 8, 2 * t + h});
      CHECK(holder(a16, {16, 16}, l, 4 + h) == Shape{g, 2 * t + 8 + h});
      CHECK(holder(a16, {16, 16}, l, 6 + h) == Shape{g + 8, 2 * t + 8 + h});
      CHECK(holder(b16, {16, 8}, l, 0 + h) == Shape{2 * t + h, g});
      CHECK(holder(b16, {16, 8}, l, 2 + h) == Shape{2 * t + 8 + h, g});
    }
    for (int64_t r = 0; r < 4; ++r) {
      CHECK(holder(tf32, {16, 8}, l, r) ==
            Shape{g + 8 * (r % 2), t + 4 * (r / 2)});
      for (int64_t b = 0; b < 4; ++b)
        CHECK(holder(a8, {16, 32}, l, 4 * r + b) ==
              Shape{g + 8 * (r % 2), 4 * t + 16 * (r / 2) + b});
    }
  }
  CHECK(toString(get(mmaSyncLayout(MmaOperandRole::B, 16, 8))) ==
        "S[(1,4,2,8):(2,1@laneid,1,4@laneid)]");
  CHECK_THAT(errorOf(mmaSyncLayout(MmaOperandRole::A, 16, 32)),
             Contains("K 8 or 16, not 32"));
  CHECK_THAT(errorOf(mmaSyncLayout(MmaOperandRole::A, 4, 64)),
             Contains("4-bit"));
}

TEST_CASE("ldmatrix and wgmma fragments") {
  const TileLayout x4 = get(ldmatrixLayout(4, false));
  const TileLayout trans = get(ldmatrixLayout(2, true));
  for (int64_t t = 0; t < 32; ++t)
    for (int64_t j = 0; j < 4; ++j)
      for (int64_t h = 0; h < 2; ++h) {
        CHECK(holder(x4, {4, 8, 8}, t, 2 * j + h) ==
              Shape{j, t / 4, 2 * (t % 4) + h});
        if (j < 2)
          CHECK(holder(trans, {2, 8, 8}, t, 2 * j + h) ==
                Shape{j, 2 * (t % 4) + h, t / 4});
      }
  CHECK_THAT(errorOf(ldmatrixLayout(3, false)), Contains("not 3"));
  const TileLayout d = get(wgmmaAccumulatorLayout(24));
  for (int64_t w = 0; w < 4; ++w)
    for (int64_t t = 0; t < 32; ++t)
      for (int64_t i = 0; i < 12; ++i)
        REQUIRE(holder(d, {64, 24}, t, i, w) ==
                Shape{16 * w + t / 4 + 8 * (i / 2 % 2),
                      8 * (i / 4) + 2 * (t % 4) + i % 2});
  const TileLayout a = get(wgmmaALayout(16));
  for (int64_t t = 0; t < 32; ++t)
    for (int64_t r = 0; r < 4; ++r)
      for (int64_t h = 0; h < 2; ++h)
        REQUIRE(holder(a, {64, 16}, t, 2 * r + h, 1) ==
                Shape{16 + t / 4 + 8 * (r % 2), 2 * (t % 4) + 8 * (r / 2) + h});
  // The accumulator is the image of tcgen05.ld.16x256b.
  CHECK(
      equivalent(get(wgmmaAccumulatorLayout(64)),
                 get(tcgen05AtomLayout(TmemAccess::L16x256b, 64, 64)).layout));
  CHECK_THAT(errorOf(wgmmaAccumulatorLayout(12)), Contains("not 12"));
  for (const TileLayout &l : {x4, trans, d, a, get(wgmmaALayout(8))}) {
    CHECK(get(proveInjective(l)));
    CHECK(get(proveInBounds(l, hardwareBounds())));
  }
}

TEST_CASE("scale factors: goldens L30-L32 and appendix A") {
  const Layout smem = get(scaleFactorSharedLayout(128, 16));
  CHECK(at(smem, {0, 5}, {128, 16}) == 513); // L30
  CHECK(at(smem, {33, 0}, {128, 16}) == 20);
  CHECK(at(smem, {97, 15}, {128, 16}) == 1567);
  CHECK(at(smem, {127, 15}, {128, 16}) == 2047);
  auto tmem = [](const TileLayout &l, int64_t r, int64_t k, Shape s) {
    const AxisValues v = get(apply(Layout(l), {{r, k}}, s));
    return std::pair(v.get(TLane), v.get(TCol));
  };
  using P = std::pair<int64_t, int64_t>;
  const TileLayout nv = get(scaleFactorTmemLayout(128, 16)); // L31
  CHECK(tmem(nv, 0, 5, {128, 16}) == P{0, 17});
  CHECK(tmem(nv, 33, 0, {128, 16}) == P{1, 4});
  CHECK(tmem(nv, 97, 15, {128, 16}) == P{1, 63});
  const TileLayout fp8 = get(scaleFactorTmemLayout(128, 8)); // L32
  CHECK(tmem(fp8, 64, 3, {128, 8}) == P{0, 11});
  CHECK(tmem(fp8, 64, 4, {128, 8}) == P{0, 24});
  CHECK(tmem(fp8, 127, 7, {128, 8}) == P{31, 31});
  // Row 70, block 2: four lanes, column 2, byte 2.
  std::vector<int64_t> lanes;
  const TileLayout one = get(scaleFactorTmemLayout(128, 4));
  for (const AxisValues &p : get(applyReplicas(Layout(one), 70 * 4 + 2))) {
    lanes.push_back(p.get(TLane));
    CHECK(p.get(TCol) == 4 * 2 + 2);
  }
  CHECK(lanes == std::vector<int64_t>{6, 38, 70, 102});
  // The copy: TMEM lane r, 32-bit column j of block b is shared word 4r + j.
  for (int64_t r = 0; r < 128; ++r)
    for (int64_t k = 0; k < 16; ++k) {
      const auto [lane, col] = tmem(nv, r, k, {128, 16});
      const int64_t block = col / 16, j = col % 16 / 4;
      REQUIRE(at(smem, {r, k}, {128, 16}) ==
              512 * block + 4 * (4 * lane + j) + col % 4);
    }
  // Stages do not overlap, unlike the reference's for scales > 4.
  const Layout stages = get(scaleFactorTmemLayout(128, 8, 3));
  CHECK(get(proveInjective(stages)));
  CHECK(get(proveInjective(Layout(get(scaleFactorSharedLayout(256, 8, 2))))));
  CHECK(!get(proveInjective(Layout(get(scaleFactorTmemLayout(128, 4, 1, 4))))));
  CHECK_THAT(errorOf(scaleFactorSharedLayout(64, 4)), Contains("64 rows"));
  CHECK_THAT(errorOf(scaleFactorSharedLayout(128, 6)), Contains("6 scales"));
  CHECK_THAT(errorOf(scaleFactorTmemLayout(16, 4)), Contains("16 rows"));
  CHECK_THAT(errorOf(scaleFactorTmemLayout(128, 3)), Contains("3 scales"));
}

TEST_CASE("scale factors: column and SF_ID of each K step") {
  struct Case {
    ScaleFormat format;
    int64_t step, column;
    int sfId;
  };
  const Case cases[] = {
      {ScaleFormat::NVFP4, 0, 0, 0}, {ScaleFormat::NVFP4, 3, 12, 0},
      {ScaleFormat::MXFP4, 1, 0, 2}, {ScaleFormat::MXFP4, 2, 4, 0},
      {ScaleFormat::MXFP8, 3, 0, 3}, {ScaleFormat::MXFP8, 5, 4, 1}};
  for (const Case &c : cases) {
    const ScaleSelect s = get(scaleSelect(c.format, 128, c.step));
    CHECK(s.column == c.column);
    CHECK(s.sfId == c.sfId);
    // The same through the layout.
    const int64_t k = c.step * scalesPerMma(c.format);
    const AxisValues p = get(apply(Layout(get(scaleFactorTmemLayout(128, 16))),
                                   {{0, k}}, {{128, 16}}));
    CHECK(p.get(TCol) == 4 * s.column + s.sfId);
  }
  CHECK_THAT(errorOf(scaleSelect(ScaleFormat::NVFP4, 40, 0)),
             Contains("40 rows"));
}
