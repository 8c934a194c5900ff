//===- GoldenScriptTest.cpp - tile orders, byte counts, FA4 places --------===//
//
// The asserts of the notes' layout_golden.py, sections 5 to 8, as statements
// about layouts. Sections 1 to 4 are in the tests of the parts they concern;
// the phase trace is in runtime/sim/units.
//
//===----------------------------------------------------------------------===//

#include "tirx/Layout/Algebra.h"
#include "tirx/Layout/Proofs.h"
#include "tirx/Layout/TensorMap.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace tirx::layout;

namespace {
int64_t at(const Layout &layout, const Shape &coord, const Shape &shape,
           Axis axis = Axis::m) {
  auto place = apply(layout, coord, shape);
  REQUIRE(place);
  return place->get(axis);
}

/// The order of tiles (m, n): which worker index visits them.
Layout order(const std::string &text) {
  auto layout = parseLayout(text);
  INFO(text);
  REQUIRE(layout);
  return *layout;
}

void checkPermutation(const Layout &layout) {
  auto injective = proveInjective(layout);
  REQUIRE(injective);
  CHECK(*injective);
  AxisValues bounds;
  bounds.set(Axis::m, size(layout));
  auto inBounds = proveInBounds(layout, bounds);
  REQUIRE(inBounds);
  CHECK(*inBounds);
}
} // namespace

TEST_CASE("golden script 5: group-major tile order") {
  // 4x4 tiles in groups of 2 rows; workers 0, 3, 6, ... of three clusters.
  Layout layout = order("S[(2,2,4):(8,1,2)]");
  const Shape tiles = {4, 4};
  const Shape visited[] = {{0, 0}, {1, 1}, {0, 3}, {3, 0}, {2, 2}, {3, 3}};
  for (int64_t i = 0; i < 6; ++i)
    CHECK(at(layout, visited[i], tiles) == 3 * i);
  // Whole groups only: 32x32, 16x16 and 8x16 in groups of 8.
  for (const char *text : {"S[(4,8,32):(256,1,8)]", "S[(2,8,16):(128,1,8)]",
                           "S[(1,8,16):(128,1,8)]"})
    checkPermutation(order(text));
}

TEST_CASE("golden script 5: a residual group has its own order") {
  // 10x7 tiles in groups of 4: two whole groups, then two rows on their own.
  Layout whole = order("S[(2,4,7):(28,1,4)]");
  Layout rest = order("S[(2,7):(1,2)]");
  std::vector<int> visits(70);
  for (int64_t m = 0; m < 10; ++m)
    for (int64_t n = 0; n < 7; ++n)
      ++visits[m < 8 ? at(whole, {m, n}, {8, 7})
                     : 56 + at(rest, {m - 8, n}, {2, 7})];
  CHECK(visits == std::vector<int>(70, 1));
}

TEST_CASE("golden script 5: longest processing time first") {
  // 8 heads in sections of 4, 16 query blocks, the last (longest) first.
  Layout layout = order("S[(2,4,16):(64,1,-4)] + 60");
  checkPermutation(layout);
  CHECK(at(layout, {0, 15}, {8, 16}) == 0);
  CHECK(at(layout, {3, 15}, {8, 16}) == 3);
  CHECK(at(layout, {0, 14}, {8, 16}) == 4);
  checkPermutation(order("S[(1,32,4):(128,1,-32)] + 96"));
}

TEST_CASE("golden script 6: bytes of the tiles that a barrier expects") {
  auto bytes = [](const char *layout, const Shape &shape) {
    const int axes[] = {0, 1};
    auto plan =
        planTensorCopy(order(layout), shape, axes, 2, TensorMapType::F16);
    REQUIRE(plan);
    return plan->totalBytes;
  };
  int64_t operand = bytes("S[(128,64):(64,1)] swizzle(3,3,3)", {128, 64});
  CHECK(2 * operand == 32768);                 // steps 4 to 7: A and B
  CHECK(2 * (2 * operand) == 65536);           // step 8: both CTAs
  CHECK(2 * (2 * operand + operand) == 98304); // step 9: two A tiles, one B
  CHECK(bytes("S[(128,2,64):(64,8192,1)] swizzle(3,3,3)", {128, 128}) ==
        32768); // FA4 Q, K, V
  // Register budgets of FA4's four warpgroups fill the file.
  CHECK(128 * (200 + 200 + 64 + 48) == 65536);
}

TEST_CASE("golden script 8: FA4 places") {
  // P (16 bits) lies in the upper half of its S: element n of stage s at
  // 32-bit column (128 + 256 s + n) / 2.
  Layout p = order("S[(2,128,128):(256@TCol,1@TLane,1@TCol)] + 128@TCol");
  auto column = [&](int64_t stage, int64_t n) {
    return at(p, {stage, 0, n}, {2, 128, 128}, Axis::TCol) / 2;
  };
  CHECK(column(0, 0) == 64);
  CHECK(column(0, 127) == 127);
  CHECK(column(1, 0) == 192);
  CHECK(column(1, 127) == 255);
  // GQA ratio 4: row r of key head 3's tile is token r / 4, query head 12 + r
  // % 4.
  Layout packed = order("S[(32,4):(32,1)] + 12");
  for (auto [row, token, head] :
       {std::tuple(0, 0, 12), {5, 1, 13}, {127, 31, 15}}) {
    int64_t place = at(packed, {row}, {128});
    CHECK(place / 32 == token);
    CHECK(place % 32 == head);
  }
}

TEST_CASE("golden script 8: cubic exp2") {
  // Degree-3 polynomial of FA4's software exp2 on [0, 1): below half a unit in
  // the last place of f16.
  const double c[] = {1.0, 0.6951461434364319, 0.22756439447402954,
                      0.07711908966302872};
  double worst = 0;
  for (int i = 0; i < 200000; ++i) {
    double f = i / 200000.0;
    double value = c[0] + f * (c[1] + f * (c[2] + f * c[3]));
    worst = std::max(worst, std::abs(value / std::exp2(f) - 1));
  }
  CHECK(worst < std::exp2(-11));
  CHECK(worst > 1e-5); // it is a cubic, not exp2 itself
}
