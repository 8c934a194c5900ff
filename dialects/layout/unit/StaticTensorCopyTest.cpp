//===- StaticTensorCopyTest.cpp - goldens T1-T29 ----------------*- C++ -*-===//
#include "TestSupport.h"

#include "tirx/Layout/Factories.h"
#include "tirx/Layout/Fragments.h"
#include "tirx/Layout/StaticTensorCopy.h"

using namespace tirx::layout;
using namespace tirx::layout::test;
using Catch::Matchers::StartsWith;

namespace {
using U64 = std::vector<uint64_t>;
using U32 = std::vector<uint32_t>;
using I64 = std::vector<int64_t>;
constexpr auto H = TensorMapType::F16;

struct Case {
  const char *name;
  TileLayout global;
  Shape shape, begin, extent;
  Layout shared;
  TensorMapType type;
  U64 dims, strides;
  U32 box;
  I64 coord;
  TensorMapType encoded;
};
} // namespace

static TileLayout rm(Shape s) { return rowMajor(s); }
static Layout sw(SwizzleMode mode, Shape s, int64_t bits = 16) {
  return get(mmaSharedLayout(bits, mode, s));
}
static Layout plain(Shape s) { return Layout(rowMajor(s)); }

TEST_CASE("static copy plans: goldens T1-T29") {
  using enum SwizzleMode;
  const Layout ring = sw(B128, {3, 64, 256});
  const TileLayout sfGlobal = get(scaleFactorSharedLayout(2048, 128));
  const Layout sfShared = Layout(get(scaleFactorSharedLayout(128, 16)));
  const auto U8 = TensorMapType::U8, U16 = TensorMapType::U16;
  const Case cases[] = {
      {"T1",
       rm({8, 256}),
       {8, 256},
       {0, 0},
       {8, 256},
       sw(B128, {8, 256}),
       H,
       {64, 8, 4},
       {512, 128},
       {64, 8, 4},
       {0, 0, 0},
       H},
      {"T2",
       rm({8, 256}),
       {8, 256},
       {0, 0},
       {8, 256},
       sw(B64, {8, 256}),
       H,
       {32, 8, 8},
       {512, 64},
       {32, 8, 8},
       {0, 0, 0},
       H},
      {"T3",
       rm({8, 256}),
       {8, 256},
       {0, 0},
       {8, 256},
       sw(B32, {8, 256}),
       H,
       {16, 8, 16},
       {512, 32},
       {16, 8, 16},
       {0, 0, 0},
       H},
      {"T4",
       rm({8, 256}),
       {8, 256},
       {0, 0},
       {8, 256},
       sw(None, {8, 256}),
       H,
       {8, 8, 32},
       {512, 16},
       {8, 8, 32},
       {0, 0, 0},
       H},
      {"T5",
       rm({8, 256}),
       {8, 256},
       {0, 0},
       {8, 256},
       sw(B128, {8, 256}, 8),
       U8,
       {128, 8, 2},
       {256, 128},
       {128, 8, 2},
       {0, 0, 0},
       U8},
      {"T6",
       rm({8, 256}),
       {8, 256},
       {0, 0},
       {8, 256},
       sw(B128, {8, 256}, 32),
       TensorMapType::F32,
       {32, 8, 8},
       {1024, 128},
       {32, 8, 8},
       {0, 0, 0},
       TensorMapType::F32},
      {"T7",
       rm({64, 256}),
       {64, 256},
       {0, 0},
       {64, 256},
       get(slice(ring, {{3, 64, 256}}, {{1, 0, 0}}, {{1, 64, 256}})),
       H,
       {64, 64, 4},
       {512, 128},
       {64, 64, 4},
       {0, 0, 0},
       H},
      {"T8",
       rm({8192, 8192}),
       {8192, 8192},
       {0, 0},
       {128, 64},
       sw(B128, {128, 64}),
       H,
       {8192, 8192},
       {16384},
       {64, 128},
       {0, 0},
       H},
      {"T9",
       rm({128, 64}),
       {128, 64},
       {64, 0},
       {24, 64},
       sw(B128, {24, 64}),
       H,
       {64, 128},
       {128},
       {64, 24},
       {0, 64},
       H},
      {"T10",
       rm({256, 64}),
       {256, 64},
       {128, 0},
       {128, 64},
       sw(B128, {128, 64}),
       H,
       {64, 256},
       {128},
       {64, 128},
       {0, 128},
       H},
      {"T11",
       rm({128, 256}),
       {128, 256},
       {0, 0},
       {32, 64},
       sw(B128, {32, 64}),
       H,
       {256, 128},
       {512},
       {64, 32},
       {0, 0},
       H},
      {"T12",
       rm({4, 32, 64}),
       {4, 32, 64},
       {0, 0, 0},
       {4, 32, 64},
       plain({4, 32, 64}),
       H,
       {64, 128},
       {128},
       {64, 128},
       {0, 0},
       H},
      {"T13",
       rm({8, 16, 128}),
       {8, 16, 128},
       {0, 0, 0},
       {4, 16, 128},
       plain({4, 16, 128}),
       H,
       {128, 128},
       {256},
       {128, 64},
       {0, 0},
       H},
      {"T14",
       rm({2, 128, 8, 64}),
       {2, 128, 8, 64},
       {0, 0, 0, 0},
       {1, 128, 1, 64},
       sw(B128, {128, 64}),
       H,
       {64, 256, 8},
       {1024, 128},
       {64, 128, 1},
       {0, 0, 0},
       H},
      {"T15",
       rm({4, 64, 4, 128}),
       {4, 64, 4, 128},
       {0, 0, 0, 0},
       {1, 64, 1, 128},
       sw(B128, {64, 128}),
       H,
       {64, 64, 2, 4, 4},
       {1024, 128, 65536, 256},
       {64, 64, 2, 1, 1},
       {0, 0, 0, 0, 0},
       H},
      {"T16",
       rm({2, 2, 128, 64}),
       {2, 2, 128, 64},
       {0, 0, 0, 0},
       {1, 1, 128, 64},
       sw(B128, {128, 64}),
       H,
       {64, 128, 2, 2},
       {128, 32768, 16384},
       {64, 128, 1, 1},
       {0, 0, 0, 0},
       H},
      {"T17",
       rm({3, 8, 256}),
       {3, 8, 256},
       {0, 0, 0},
       {1, 8, 256},
       sw(B128, {8, 256}),
       H,
       {64, 8, 4, 3},
       {512, 128, 4096},
       {64, 8, 4, 1},
       {0, 0, 0, 0},
       H},
      {"T18",
       L("S[(16,16,128,128):(131072,128,1024,1)]").tile,
       {16, 16, 128, 128},
       {3, 4, 0, 0},
       {1, 1, 128, 128},
       plain({128, 128}),
       H,
       {128, 2048, 16},
       {2048, 256},
       {128, 128, 1},
       {0, 384, 4},
       H},
      {"T20",
       rm({1, 2048, 32, 128}),
       {1, 2048, 32, 128},
       {0, 0, 0, 0},
       {1, 32, 4, 128},
       sw(B128, {128, 128}),
       H,
       {64, 32, 2048, 2},
       {256, 8192, 128},
       {64, 4, 32, 2},
       {0, 0, 0, 0},
       H},
      {"T21",
       rm({1, 2048, 8, 128}),
       {1, 2048, 8, 128},
       {0, 0, 0, 0},
       {1, 128, 1, 128},
       sw(B128, {128, 128}),
       H,
       {64, 2048, 16},
       {2048, 128},
       {64, 128, 2},
       {0, 0, 0},
       H},
      {"T22",
       rm({1024, 4, 1024}),
       {1024, 4, 1024},
       {128, 1, 32},
       {128, 1, 32},
       plain({128, 32}),
       TensorMapType::BF16,
       {1024, 1024, 4},
       {8192, 2048},
       {32, 128, 1},
       {32, 128, 1},
       TensorMapType::BF16},
      {"T24",
       rm({4, 256, 8, 512}),
       {4, 256, 8, 512},
       {2, 64, 3, 128},
       {1, 128, 1, 128},
       plain({128, 128}),
       H,
       {512, 256, 4, 8},
       {8192, 2097152, 1024},
       {128, 128, 1, 1},
       {128, 64, 2, 3},
       H},
      {"T25",
       sfGlobal,
       {2048, 128},
       {128, 16},
       {128, 16},
       sfShared,
       U8,
       {256, 32, 16},
       {512, 16384},
       {256, 4, 1},
       {0, 4, 1},
       U16},
      {"T26",
       rm({2, 2, 2, 2, 2, 8}),
       {2, 2, 2, 2, 2, 8},
       {0, 0, 0, 0, 0, 0},
       {2, 2, 2, 2, 2, 8},
       plain({256}),
       H,
       {256},
       {},
       {256},
       {0},
       H},
      {"T27",
       rm({64, 8}),
       {64, 8},
       {0, 0},
       {64, 8},
       plain({64, 8}),
       U8,
       {256},
       {},
       {256},
       {0},
       U16},
      {"T29",
       rm({33360, 6144}),
       {33360, 6144},
       {0, 3 * 128},
       {16, 128},
       sw(B128, {16, 128}),
       TensorMapType::BF16,
       {64, 33360, 96},
       {12288, 128},
       {64, 16, 2},
       {0, 0, 6},
       TensorMapType::BF16},
  };
  for (const Case &c : cases) {
    INFO(c.name);
    const auto plan = get(planStaticTensorCopy(c.global, c.shape, c.begin,
                                               c.extent, c.shared, c.type));
    const TensorMapParams &p = plan.params;
    CHECK(p.type == c.encoded);
    CHECK(U64(p.globalDim.begin(), p.globalDim.begin() + p.rank) == c.dims);
    CHECK(U64(p.globalStride.begin(), p.globalStride.begin() + p.rank - 1) ==
          c.strides);
    CHECK(U32(p.boxDim.begin(), p.boxDim.begin() + p.rank) == c.box);
    REQUIRE(plan.issues.size() == 1);
    CHECK(plan.issues[0].coord == c.coord);
    CHECK(plan.totalBytes == plan.issues[0].bytes);
    const auto ok =
        proveStaticTensorCopy(plan, c.global, c.shape, c.begin, c.extent,
                              c.shared, tensorMapTypeInfo(c.type)->bits);
    if (!ok)
      FAIL(ok.error().message);
  }
}

TEST_CASE("static copy plans: golden T23, interleaved global dims") {
  const auto plan = get(planStaticTensorCopy(
      L("S[(64,128,2,4,4096):(1,512,256,64,65536)]").tile,
      {{64, 128, 2, 4, 4096}}, {{0, 32, 0, 0, 7}}, {{64, 64, 2, 4, 1}},
      L("S[(64,64,2,4):(1,64,4096,8192)] swizzle(3,3,3)"), H));
  const TensorMapParams &p = plan.params;
  CHECK(U64(p.globalDim.begin(), p.globalDim.end()) ==
        U64{64, 128, 2, 4, 4096});
  CHECK(U64(p.globalStride.begin(), p.globalStride.end()) ==
        U64{1024, 512, 128, 131072});
  CHECK(U32(p.boxDim.begin(), p.boxDim.end()) == U32{64, 64, 2, 4, 1});
  CHECK(plan.issues[0].coord == I64{0, 32, 0, 0, 7});
}

TEST_CASE("static copy plans: T19, a region that leaves the tensor") {
  // Rows [120,136) of 128: only the tensor map sees it; NaN fill is legal.
  TensorMapParams p;
  p.globalDim = {64, 128};
  p.globalStride = {128};
  p.boxDim = {64, 16};
  p.swizzle = SwizzleMode::B128;
  p.oob = TensorMapOob::NaN;
  CHECK(checkTensorMap(p, SmTarget::Sm100a));
  CHECK_THAT(errorOf(planStaticTensorCopy(rm({128, 64}), {{128, 64}},
                                          {{120, 0}}, {{16, 64}},
                                          sw(SwizzleMode::B128, {16, 64}), H)),
             StartsWith("region [120, 120+16)"));
}

TEST_CASE("static copy plans: long tiles become few issues (T28)") {
  // The reference issues 512 one-row copies here.
  const Shape s{512, 64}, zero{0, 0};
  const auto plan = get(planStaticTensorCopy(rm(s), s, zero, s, plain(s), H));
  CHECK(plan.params.boxDim[1] == 256);
  REQUIRE(plan.issues.size() == 2);
  CHECK(plan.issues[1].coord == I64{0, 256});
  CHECK(plan.issues[1].sharedOffset == 32768);
  CHECK(proveStaticTensorCopy(plan, rm(s), s, zero, s, plain(s), 16));
  // A one-dim tile that no box holds.
  const Shape line{4096}, origin{0};
  const auto bytes = get(planStaticTensorCopy(rm(line), line, origin, line,
                                              plain(line), TensorMapType::U8));
  CHECK(bytes.issues.size() == 16);
  CHECK(proveStaticTensorCopy(bytes, rm(line), line, origin, line, plain(line),
                              8));
}

TEST_CASE("static copy plans: refusals name the rule") {
  auto refused = [](TileLayout g, Shape shape, Shape begin, Shape extent,
                    Layout shared, TensorMapType type = H) {
    return errorOf(planStaticTensorCopy(g, shape, begin, extent, shared, type));
  };
  using enum SwizzleMode;
  CHECK_THAT(refused(rm({8, 32, 64}), {8, 32, 64}, {0, 0, 0}, {8, 32, 64},
                     L("S[(8,32,64):(4096,64,1)]")),
             StartsWith("shared_chain"));
  CHECK_THAT(
      refused(rm({64, 64}), {64, 64}, {0, 0}, {64, 64}, L("S[(64,64):(1,64)]")),
      StartsWith("inner_stride"));
  CHECK_THAT(refused(rm({8, 64, 8}), {8, 64, 8}, {0, 0, 0}, {8, 64, 5},
                     plain({8, 64, 5}), TensorMapType::U8),
             StartsWith("global_stride_alignment"));
  CHECK_THAT(refused(rm({16, 192}), {16, 192}, {0, 32}, {16, 128},
                     sw(B128, {16, 128})),
             StartsWith("coordinate"));
  CHECK_THAT(
      refused(rm({16, 160}), {16, 160}, {0, 0}, {16, 128}, sw(B128, {16, 128})),
      StartsWith("global_shape"));
  CHECK_THAT(refused(rm({2, 3, 4, 5, 6, 7, 64}), {2, 3, 4, 5, 6, 7, 64},
                     {1, 1, 1, 1, 1, 1, 0}, {1, 1, 1, 1, 2, 2, 64},
                     plain({2, 2, 64})),
             StartsWith("rank"));
  CHECK_THAT(refused(L("S[(16,64):(0,1)]").tile, {16, 64}, {0, 0}, {16, 64},
                     plain({16, 64})),
             StartsWith("global dim 0 has stride 0"));
  CHECK_THAT(refused(rm({16, 64}), {16, 64}, {0, 0}, {16, 64},
                     L("S[(16,64):(1@TLane,1@TCol)]")),
             StartsWith("shared layout"));
}

TEST_CASE("static copy plans: the prover notices a wrong plan") {
  const Shape s{64, 128}, zero{0, 0};
  const Layout shared = sw(SwizzleMode::B128, s);
  const auto good = get(planStaticTensorCopy(rm(s), s, zero, s, shared, H));
  REQUIRE(proveStaticTensorCopy(good, rm(s), s, zero, s, shared, 16));
  auto broken = [&](auto change) {
    StaticTensorCopyPlan p = good;
    change(p);
    return !proveStaticTensorCopy(p, rm(s), s, zero, s, shared, 16);
  };
  CHECK(broken([](auto &p) { p.params.swizzle = SwizzleMode::B64; }));
  CHECK(broken([](auto &p) { p.params.globalStride[0] += 16; }));
  CHECK(broken([](auto &p) { p.issues[0].sharedOffset = 1024; }));
  CHECK(broken([](auto &p) { p.issues[0].coord[1] = 1; }));
  CHECK(broken([](auto &p) { p.params.boxDim[2] = 1; }));
}

TEST_CASE("property: every accepted static plan moves the right bytes") {
  auto random = rng();
  INFO("seed " << Catch::rngSeed());
  auto pick = [&](int64_t low, int64_t high) {
    return low + int64_t(random() % uint64_t(high - low + 1));
  };
  int accepted = 0;
  for (int i = 0; i < 300; ++i) {
    const int64_t cols = 64 * pick(1, 4), rows = 8 * pick(1, 8);
    Shape shape{pick(1, 3), rows * pick(1, 3), pick(1, 3), cols * pick(1, 3)};
    Shape extent{1, rows, 1, cols};
    Shape begin(4);
    for (size_t d = 0; d < 4; ++d)
      begin[d] =
          pick(0, shape[d] - extent[d]) / (d == 3 ? 64 : 1) * (d == 3 ? 64 : 1);
    const auto mode = SwizzleMode(pick(0, 3));
    const Layout shared =
        pick(0, 1) ? sw(mode, {rows, cols}) : plain({rows, cols});
    auto plan =
        planStaticTensorCopy(rm(shape), shape, begin, extent, shared, H);
    INFO(toString(shape) << toString(begin) << toString(extent) << shared);
    REQUIRE(plan);
    ++accepted;
    const auto ok = proveStaticTensorCopy(*plan, rm(shape), shape, begin,
                                          extent, shared, 16);
    INFO((ok ? "" : ok.error().message));
    REQUIRE(ok);
  }
  CHECK(accepted == 300);
}
