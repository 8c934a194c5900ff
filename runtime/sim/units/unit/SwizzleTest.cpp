//===- SwizzleTest.cpp - address XOR tests ---------------------*- C++ -*-===//
#include "units/Swizzle.h"
#include "TestSupport.h"

#include <set>

using namespace tirx::rt::sim;

namespace {
const std::vector<Swizzle> allModes = {
    Swizzle::none,      Swizzle::b32,        Swizzle::b64,
    Swizzle::b128,      Swizzle::b128Atom32, Swizzle::b128Atom32Flip8,
    Swizzle::b128Atom64};
}

// Origin: hand-evaluated from the canonical layouts of the PTX ISA.
TEST_CASE("swizzle: sample addresses") {
  CHECK(applySwizzle(Swizzle::b128, 0x190) == 0x1A0);
  CHECK(applySwizzle(Swizzle::b64, 0xA50) == 0xA50);
  CHECK(applySwizzle(Swizzle::b128Atom32, 0x124) == 0x164);
  CHECK(applySwizzle(Swizzle::b32, 0x80) == 0x90);
  CHECK(applySwizzle(Swizzle::b64, 0x180) == 0x1B0);
  CHECK(applySwizzle(Swizzle::b128Atom64, 0x80) == 0xC0);
  CHECK(applySwizzle(Swizzle::b128Atom32Flip8, 0x80) == 0xA8);
}

// PTX ISA "Swizzling Modes": in 128B mode chunk c of 128-byte row r of the
// repeating 8 rows stands in chunk c ^ r; narrower modes repeat each row index
// over 128 bytes.
TEST_CASE("swizzle: chunk tables of the PTX ISA") {
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned chunk = 0; chunk < 8; ++chunk) {
      uint32_t linear = row * 128 + chunk * 16;
      auto at = [&](unsigned c) { return row * 128 + c * 16; };
      CHECK(applySwizzle(Swizzle::b128, linear) == at(chunk ^ (row % 8)));
      CHECK(applySwizzle(Swizzle::b64, linear) == at(chunk ^ (row % 4)));
      CHECK(applySwizzle(Swizzle::b32, linear) == at(chunk ^ (row % 2)));
      CHECK(applySwizzle(Swizzle::b128Atom32, linear) ==
            at(chunk ^ (row % 4 * 2)));
      CHECK(applySwizzle(Swizzle::b128Atom64, linear) ==
            at(chunk ^ (row % 2 * 4)));
    }
}

TEST_CASE("swizzle: bijective, periodic, its own inverse, keeps chunks") {
  for (Swizzle mode : allModes) {
    CAPTURE(nameOf(mode));
    uint32_t period = swizzlePeriod(mode);
    std::set<uint32_t> seen;
    for (uint32_t a = 0; a < 2048; ++a) {
      uint32_t p = applySwizzle(mode, a);
      REQUIRE(applySwizzle(mode, p) == a);
      REQUIRE(p / period == a / period);
      REQUIRE(applySwizzle(mode, a + period) == p + period);
      uint32_t chunk = swizzleChunk(mode);
      REQUIRE(p % chunk == a % chunk);
      REQUIRE(applySwizzle(mode, a / chunk * chunk) == p / chunk * chunk);
      seen.insert(p);
    }
    CHECK(seen.size() == 2048);
    // The period is the least one.
    if (mode != Swizzle::none) {
      bool smaller = true;
      for (uint32_t a = 0; a < 2048 && smaller; ++a)
        smaller = applySwizzle(mode, a + period / 2) ==
                  applySwizzle(mode, a) + period / 2;
      CHECK_FALSE(smaller);
    }
  }
}
