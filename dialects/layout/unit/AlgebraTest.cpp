//===- AlgebraTest.cpp - layout operations, goldens -------------*- C++ -*-===//
#include "TestSupport.h"

using namespace tirx::layout;
using namespace tirx::layout::test;
using Catch::Matchers::Contains;
using enum Axis;

// Goldens marked [L..] are the table of the TIRx layout study; [case study] and
// [companion] are the tutorial's examples.

TEST_CASE("apply: goldens") {
  CHECK(at(L("S[(8,8):(8,1)]"), {3, 5}, {8, 8}) == 29);  // L1
  CHECK(at(L("S[(8,8):(10,1)]"), {3, 5}, {8, 8}) == 35); // L2
  CHECK(span(L("S[(8,8):(10,1)]").tile) == 78);          // L2
  const Layout l3 = L("S[(2,3,4,2,2):(1,2,12,6,48)]");   // L3, L4
  CHECK(at(l3, {5, 13}, {6, 16}) == 89);
  CHECK(at(l3, {3, 9}, {6, 16}) == 73);
  CHECK(apply(l3, 0).get(Axis::m) == 0);
  CHECK(apply(l3, 17).get(Axis::m) == 50);
  CHECK(apply(l3, 95).get(Axis::m) == 95);
  const Layout l5 = L("S[(8,1,4,2):(4@laneid,2,1@laneid,1)]"); // L5
  CHECK(get(apply(l5, {{5, 3}}, {{8, 8}})) ==
        AxisValues{{laneid, 21}, {Axis::m, 1}});
  CHECK(get(apply(l5, {{7, 6}}, {{8, 8}})) ==
        AxisValues{{laneid, 31}, {Axis::m, 0}});
  const Layout l28 = L("S[(2,6,4,2,2):(1@F,1@P,12@F,6@P,48@F)]"); // L28
  CHECK(get(apply(l28, {{7, 5}}, {{12, 16}})) == AxisValues{{F, 61}, {P, 1}});
  CHECK(get(apply(l28, {{11, 15}}, {{12, 16}})) ==
        AxisValues{{F, 85}, {P, 11}});
}

TEST_CASE("apply: the case study layout [case study]") {
  const Layout cs =
      L("S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] "
        "+ 5@warpid");
  CHECK(get(apply(cs, {{1, 3}}, {{8, 16}})) ==
        AxisValues{{laneid, 5}, {warpid, 5}, {Axis::m, 1}});
  const auto both = get(applyReplicas(cs, 1 * 16 + 3));
  REQUIRE(both.size() == 2);
  CHECK(both[0].get(warpid) == 5);
  CHECK(both[1].get(warpid) == 9);
  for (int64_t i = 0; i < 8; ++i)
    for (int64_t j = 0; j < 16; ++j)
      CHECK(get(apply(cs, {{i, j}}, {{8, 16}})) ==
            AxisValues{{laneid, 4 * i + j / 2 % 4},
                       {warpid, j / 8 + 5},
                       {Axis::m, j % 2}});
  const TileLayout tm = L("S[(2,128,112):(112@TCol,1@TLane,1@TCol)]").tile;
  CHECK(get(applyShard(Layout(tm), {{1, 127, 111}})) ==
        AxisValues{{TCol, 223}, {TLane, 127}});
  CHECK(span(tm, TCol) == 224);
}

TEST_CASE("apply: tutorial cases [companion]") {
  CHECK(get(apply(L("S[(8,4,2):(4@laneid,1@laneid,1)]"), {{5, 3}}, {{8, 8}})) ==
        AxisValues{{laneid, 21}, {Axis::m, 1}});
  CHECK(at(L("S[(4,2,2,4):(16,4,8,1)]"), {3, 5}, {8, 8}) ==
        (1 * 2 + 1) * 8 + 1 * 4 + 1);
  const Layout atom = L("S[(8,64):(64,1)] swizzle(3,3,3)");
  for (int64_t i = 0; i < 8; ++i)
    for (int64_t j = 0; j < 64; ++j)
      CHECK(at(atom, {i, j}, {8, 64}) == 64 * i + 8 * ((j / 8) ^ i) + j % 8);
  // L29: rows over accumulator banks of 512 elements.
  const Layout banks = L("S[(2,512,8):(1@Bank,1@F,1@P)]");
  CHECK(get(apply(banks, {{700, 3}}, {{1024, 8}})) ==
        AxisValues{{Bank, 1}, {F, 188}, {P, 3}});
}

TEST_CASE("apply: swizzles") {
  struct Case {
    const char *layout;
    Shape shape, coord;
    int64_t want;
  };
  const Case cases[] = {
      {"S[(8,8):(8,1)] swizzle(0,3,3)", {8, 8}, {1, 0}, 9}, // L6
      {"S[(8,8):(8,1)] swizzle(0,3,3)", {8, 8}, {3, 5}, 30},
      {"S[(8,8):(8,1)] swizzle(0,3,3)", {8, 8}, {7, 7}, 56},
      {"S[512] swizzle(3,3,3)", {8, 8, 8}, {1, 0, 0}, 72}, // L7
      {"S[512] swizzle(3,3,3)", {8, 8, 8}, {3, 5, 2}, 242},
      {"S[512] swizzle(3,3,3)", {8, 8, 8}, {7, 7, 7}, 455},
      {"S[64] swizzle(0,3,3,outer)", {8, 8}, {1, 0}, 8}, // L8
      {"S[64] swizzle(0,3,3,outer)", {8, 8}, {3, 5}, 53},
      {"S[64] swizzle(0,3,3,outer)", {8, 8}, {7, 7}, 7},
      {"S[64] swizzle(0,3,3,outer)", {8, 8}, {2, 6}, 38},
      {"S[64] swizzle(0,2,3)", {8, 8}, {1, 0}, 9}, // L9
      {"S[64] swizzle(0,2,3)", {8, 8}, {3, 5}, 30},
      {"S[64] swizzle(0,2,3)", {8, 8}, {7, 7}, 60},
      {"S[(8,8):(64,1)] + 72 swizzle(3,3,3)", {8, 8}, {0, 0}, 64}, // L10
      {"S[(8,8):(64,1)] + 72 swizzle(3,3,3)", {8, 8}, {1, 3}, 155},
      {"S[(8,8):(64,1)] + 72 swizzle(3,3,3)", {8, 8}, {7, 7}, 527},
  };
  for (const Case &c : cases) {
    INFO(c.layout << " at " << toString(c.coord));
    CHECK(at(L(c.layout), c.coord, c.shape) == c.want);
  }
}

TEST_CASE("apply: shape and coordinate errors") {
  const Layout l = L("S[(8,8):(8,1)]");
  CHECK_THAT(errorOf(apply(l, {{1, 2}}, {{8, 4}})),
             Contains("shape (8,4) has 32 elements") && Contains("has 64"));
  CHECK_THAT(errorOf(apply(l, {{1, 8}}, {{8, 8}})), Contains("[0, 8)"));
  CHECK_THAT(errorOf(apply(l, {{1}}, {{8, 8}})), Contains("rank"));
  CHECK_THAT(errorOf(apply(l, {{INT64_MAX, 1}}, {{8, 8}})),
             Contains("1024 times the extent 8"));
  CHECK_THAT(errorOf(applyShard(l, {{1, INT64_MIN}})), Contains("1024 times"));
  CHECK(at(l, {8, 1}, {8, 8}) == 65); // the first coordinate extrapolates
}

TEST_CASE("canonicalize: goldens") {
  const std::pair<const char *, const char *> cases[] = {
      {"S[(8,8,8,4,2):(512,64,8,2,1)]", "S[4096:1]"},
      {"S[(8,2,3,6):(6,18,6,1)]", "S[(8,36):(6,1)]"},
      {"S[(8,2,3,6):(6,24,6,1)]", "S[(8,2,18):(6,24,1)]"},
      {"S[(8,2,4,2,3,6):(2,1,4,24,6,1)]", "S[(16,4,2,18):(1,4,24,1)]"},
      {"S[(3,4,5,2):(20,5,1,60)]", "S[(60,2):(1,60)]"},
      {"S[(3,4,5,2,3,4):(20,5,1,60,20,5)]", "S[(60,24):(1,5)]"},
      {"S[(1,1):(5@TLane,1)]", "S[1:1@TLane]"},
      {"S[8:1] + 0@warpid + R[(2,1):(4@warpid,9)]", "S[8:1] + R[2:4@warpid]"},
      {"S[(2,2):(2@warpid,1)]", "S[(2,2):(2@warpid,1)]"},
      {"S[8:1] swizzle(0,0,3)", "S[8:1]"},
  };
  // The order of replicas means nothing.
  CHECK(equivalent(L("S[8:1] + R[(2,4):(8,32@TLane)]"),
                   L("S[8:1] + R[(4,2):(32@TLane,8)]")));
  for (auto [from, to] : cases) {
    CHECK(toString(canonicalize(L(from))) == to);
    CHECK(equivalent(L(from), L(to)));
  }
}

TEST_CASE("fuseThreadAxes: goldens and errors") {
  auto fuse = [](const char *text, Scope sub, Scope scope) {
    return toString(
        canonicalize(get(fuseThreadAxes(L(text).tile, sub, scope))));
  };
  using enum Scope;
  CHECK(fuse("S[(2,2,8,4):(2@warpid,1@warpid,4@laneid,1@laneid)]", Thread,
             Cta) == "S[128:1@tx]");
  CHECK(fuse("S[(2,8,2,4):(2@warpid,4@laneid,1@warpid,1@laneid)]", Thread,
             Cta) == "S[(2,8,2,4):(64@tx,4@tx,32@tx,1@tx)]");
  CHECK(fuse("S[(2,2,4,32):(2@wgid,1@wgid,32@tid_in_wg,1@tid_in_wg)]", Thread,
             Cta) == "S[512:1@tx]");
  CHECK(fuse("S[(4,32):(1@wid_in_wg,1@laneid)]", Thread, Warpgroup) ==
        "S[128:1@tid_in_wg]");
  CHECK(fuse("S[(2,4):(1@wgid,1@wid_in_wg)]", Warp, Cta) == "S[8:1@warpid]");
  // Offsets of fused axes add up (the reference loses one of them).
  CHECK(fuse("S[(2,32):(1@warpid,1@laneid)] + 2@warpid + 3@laneid", Thread,
             Cta) == "S[64:1@tx] + 67@tx");
  CHECK_THAT(errorOf(fuseThreadAxes(L("S[32:1@laneid]").tile, Thread, Cta)),
             Contains("do not connect"));
  CHECK_THAT(errorOf(fuseThreadAxes(L("S[32:1@laneid]").tile, Thread, Cluster)),
             Contains("no axis numbers a thread inside a cluster"));
}

TEST_CASE("splitThreadAxes") {
  auto split = [](const char *text, Scope level) {
    return toString(canonicalize(get(splitThreadAxes(L(text).tile, level))));
  };
  CHECK(split("S[128:1@tx]", Scope::Warp) == "S[(4,32):(1@warpid,1@laneid)]");
  CHECK(split("S[(128,4):(1@tid_in_wg,1)]", Scope::Warp) ==
        "S[(4,32,4):(1@wid_in_wg,1@laneid,1)]");
  CHECK(split("S[256:1@tx] + 128@tx", Scope::Warpgroup) ==
        "S[(2,128):(1@wgid,1@tid_in_wg)] + 1@wgid");
  CHECK(split("S[8:4@tx]", Scope::Warp) == "S[8:4@laneid]");
  CHECK_THAT(errorOf(splitThreadAxes(L("S[12:24@tx]").tile, Scope::Warp)),
             Contains("straddles"));
  CHECK_THAT(
      errorOf(splitThreadAxes(L("S[2:16@tx] + 17@tx").tile, Scope::Warp)),
      Contains("carries"));
}

TEST_CASE("scopeOf") {
  auto scope = [](const char *text) { return get(scopeOf(L(text).tile)); };
  using enum Scope;
  CHECK(scope("S[32:1@laneid]") == ScopePair{Thread, Warp});
  CHECK(scope("S[(2,32):(1@warpid,1@laneid)]") == ScopePair{Thread, Cta});
  CHECK(scope("S[(2,32):(1@wid_in_wg,1@laneid)]") ==
        ScopePair{Thread, Warpgroup});
  CHECK(scope("S[(2,2):(1@cbx,1@cby)]") == ScopePair{Cta, Cluster});
  CHECK(!scope("S[(2,2):(1@TLane,1)]"));
  CHECK_THAT(errorOf(scopeOf(L("S[(2,32):(1@wgid,1@laneid)]").tile)),
             Contains("not connected") && Contains("wgid"));
  CHECK_THAT(errorOf(scopeOf(L("S[(2,32):(1@tx,1@laneid)]").tile)),
             Contains("tx and laneid both number the thread level"));
  CHECK(checkScope(L("S[32:1@laneid]").tile, Warp));
  CHECK_THAT(checkScope(L("S[32:1@tx]").tile, Warp).error().message,
             Contains("distributes over a cta; a warp is the largest"));
}

TEST_CASE("group: goldens") {
  const Layout l = L("S[30:1]");
  const Shape shapes[] = {{6, 5}, {2, 15}};
  const auto many = get(groupMany(l.tile, shapes));
  CHECK(toString(many.layout) == "S[(2,3,5):(15,5,1)]");
  CHECK(many.seps[0] == std::vector<size_t>{0, 2, 3});
  CHECK(many.seps[1] == std::vector<size_t>{0, 1, 3});
  const Shape clash[] = {{3, 4}, {2, 6}};
  CHECK_THAT(errorOf(groupMany(L("S[12:1]").tile, clash)),
             Contains("do not nest"));
  CHECK_THAT(errorOf(group(L("S[(3,2):(2,7)]").tile, {{2, 3}})),
             Contains("cannot be grouped"));
  CHECK_THAT(errorOf(group(l.tile, {{6, 6}})), Contains("36 elements"));
  const Shape units[] = {{1, 6, 5}, {30}, {6, 1, 1, 5, 1}};
  const auto u = get(groupMany(l.tile, units));
  CHECK(toString(u.layout) == "S[(1,6,1,1,5,1):(5,5,1,1,1,1)]");
  CHECK(u.seps[0] == std::vector<size_t>{0, 1, 2, 6});
  CHECK(u.seps[1] == std::vector<size_t>{0, 6});
  CHECK(u.seps[2] == std::vector<size_t>{0, 2, 3, 4, 5, 6});
}

TEST_CASE("tile and direct sum: goldens") {
  auto tiled = [](const char *outer, Shape os, const char *inner, Shape is) {
    return toString(get(tile(L(outer).tile, os, L(inner), is)));
  };
  CHECK(tiled("S[(8,8):(8,1)]", {8, 8}, "S[(2,4):(1,2)]", {2, 4}) ==
        "S[(8,2,32):(64,1,2)]");
  CHECK(tiled("S[(8,8):(8,1)]", {8, 8}, "S[(8,8):(8,1)]", {8, 8}) ==
        "S[(8,8,8,8):(512,8,64,1)]");
  CHECK(tiled("S[(8,8):(8,1)]", {8, 8}, "S[(8,4):(4@laneid,1@laneid)]",
              {8, 4}) == "S[(8,8,8,4):(8,4@laneid,1,1@laneid)]");
  CHECK(toString(get(directSum(L("S[(2,2):(8,2)]").tile, {{2, 2}},
                               L("S[(2,2):(4,1)]"), {{2, 2}}))) == "S[16:1]");
  // Scale factors of one 128-row block [companion].
  const Layout sf = L("S[(32,4):(1@TLane,1@TCol)] + R[4:32@TLane]");
  const Layout sfa =
      get(directSum(L("S[4:4@TCol]").tile, {{4, 1}}, sf, {{32, 4}}));
  CHECK(toString(sfa) == "S[(4,32,4):(4@TCol,1@TLane,1@TCol)] + R[4:32@TLane]");
  std::vector<int64_t> lanes;
  for (const AxisValues &p : get(applyReplicas(sfa, 64 * 4 + 2))) {
    lanes.push_back(p.get(TLane));
    CHECK(p.get(TCol) == 10); // cell 2, byte 2
  }
  CHECK(lanes == std::vector<int64_t>{0, 32, 64, 96});
  // The outer offset scales with the span like the outer strides.
  CHECK(tiled("S[4:1] + 2", {4}, "S[8:1]", {8}) == "S[32:1] + 16");
}

TEST_CASE("tile: inverses") {
  const Layout inner = L("S[(8,64):(64,1)] swizzle(3,3,3)");
  const Layout whole = get(tileTo(inner, {{128, 128}}, {{8, 64}}));
  CHECK(toString(whole) == "S[(16,8,2,64):(1024,64,512,1)] swizzle(3,3,3)");
  CHECK(toString(get(isTileInner(whole, {{128, 128}}, inner, {{8, 64}}))) ==
        "S[32:1]");
  CHECK(get(isTileOuter(whole, {{128, 128}}, L("S[(16,2):(2,1)]").tile,
                        {{16, 2}})) == canonicalize(inner));
  CHECK_THAT(errorOf(isTileInner(whole, {{128, 128}}, L("S[(8,64):(64,1)]"),
                                 {{8, 64}})),
             Contains("swizzles differ"));
  CHECK_THAT(
      errorOf(isTileInner(whole, {{128, 128}},
                          L("S[(8,64):(1,8)] swizzle(3,3,3)"), {{8, 64}})),
      Contains("iters of dim 0 differ"));
  const Layout right = L("S[(32,4):(1@TLane,1@TCol)] + R[4:32@TLane]");
  const TileLayout left = L("S[4:4@TCol]").tile;
  const Layout sum = get(directSum(left, {{4, 1}}, right, {{32, 4}}));
  CHECK(get(isDirectSumRight(sum, {{128, 4}}, right, {{32, 4}})) == left);
  CHECK(get(isDirectSumLeft(sum, {{128, 4}}, left, {{4, 1}})) == right);
}

TEST_CASE("slice: goldens and errors") {
  auto sliced = [](const char *text, Shape shape, Shape begin, Shape extent) {
    return toString(get(slice(L(text), shape, begin, extent)));
  };
  CHECK(sliced("S[(8,8):(8,1)]", {64}, {5}, {3}) == "S[3:1] + 5");
  CHECK(sliced("S[(4,4,4,4):(64,4,16,1)]", {16, 16}, {2, 6}, {1, 4}) ==
        "S[(2,2):(14,1)] + 26");
  CHECK(sliced("S[(2,8,3,8):(192,8,64,1)]", {16, 24}, {2, 4}, {4, 8}) ==
        "S[(4,2,4):(8,60,1)] + 20");
  CHECK(sliced("S[(128,2,64):(64,8192,1)]", {128, 128}, {0, 32}, {128, 64}) ==
        "S[(128,2,32):(64,8160,1)] + 32");
  CHECK(sliced("S[(8,64):(64,1)] swizzle(3,3,3)", {8, 64}, {0, 16}, {8, 16}) ==
        "S[(8,16):(64,1)] + 16 swizzle(3,3,3)");
  CHECK_THAT(errorOf(slice(L("S[(8,8):(8,1)]"), {{8, 8}}, {{0, 4}}, {{8, 5}})),
             Contains("[4, 4+5) is outside dim 1"));
  CHECK_THAT(errorOf(slice(L("S[(4,4):(16,1)]"), {{16}}, {{2}}, {{5}})),
             Contains("wraps an iter unevenly"));
  // The reference accepts a slice that runs past the end of a wrapped iter.
  CHECK_THAT(errorOf(slice(L("S[(2,8):(100,1)]"), {{16}}, {{12}}, {{8}})),
             Contains("outside"));
}

TEST_CASE("pack, unpack, broadcast, permute") {
  const Layout l = L("S[(8,64):(64,1)] + 128 swizzle(3,3,3)");
  const Layout bytes = get(unpack(l, 2));
  CHECK(toString(bytes) == "S[(8,64,2):(128,2,1)] + 256 swizzle(4,3,3)");
  for (int64_t x = 0; x < size(bytes); ++x)
    REQUIRE(apply(bytes, x).get(Axis::m) ==
            2 * apply(l, x / 2).get(Axis::m) + x % 2);
  CHECK(equivalent(get(pack(bytes, 2)), l));
  CHECK_THAT(errorOf(pack(l, 16)), Contains("2^3"));
  CHECK(toString(get(pack(L("S[(8,3):(3,1)]"), 2))) == "S[12:1]");
  CHECK_THAT(errorOf(pack(L("S[(8,3):(4,1)]"), 2)), Contains("contiguous"));
  CHECK_THAT(errorOf(pack(L("S[(8,2):(3,1)]"), 2)), Contains("stride 3"));
  CHECK_THAT(errorOf(pack(L("S[8:2]"), 2)), Contains("contiguous"));
  CHECK_THAT(errorOf(unpack(L("S[8:1@laneid]"), 2)), Contains("thread axis"));
  CHECK(toString(get(broadcast(L("S[8:1]"), 4, 0))) == "S[(4,8):(0,1)]");
  const size_t swap[] = {1, 0}, bad[] = {1, 1};
  CHECK(toString(get(permute(L("S[(8,4):(4,1)]"), swap))) == "S[(4,8):(1,4)]");
  CHECK(toString(get(permuteByGroups(L("S[32:1]"), {{8, 4}}, swap))) ==
        "S[(4,8):(1,4)]");
  CHECK_THAT(errorOf(permute(L("S[(8,4):(4,1)]"), bad)),
             Contains("no permutation"));
}

TEST_CASE("size, span, storage") {
  CHECK(span(L("S[(8,6):(8,1)]").tile) == 62);
  CHECK(span(L("S[(8,8,8):(64@F,1@P,1@F)]").tile, F) == 456);
  const TileLayout l =
      L("S[(8,4,2):(4@laneid,1@laneid,1)] + 3@laneid + 2").tile;
  CHECK(size(l) == 64);
  CHECK(size(l, laneid) == 32);
  CHECK(size(l, TCol) == 1);
  CHECK(toString(storage(l)) == "S[2:1] + 2");
  CHECK(toString(storage(L("S[8:1@laneid]").tile)) == "S[1:1]");
}
