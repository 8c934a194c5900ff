//===- TargetTest.cpp -----------------------------------------------------===//
#include "tirx/Compiler/Target.h"

#include <catch2/catch.hpp>

using namespace tirx;

TEST_CASE("targets are found by name", "[target]") {
  for (const TargetInfo &target : knownTargets()) {
    auto found = lookupTarget(target.name);
    REQUIRE(found);
    CHECK(found->name == target.name);
    // 227 KiB: CUDA C++ Programming Guide, compute capabilities 9.0 and 10.0.
    CHECK(found->maxDynamicSharedBytes == 232448);
    CHECK((found->tmemColumns != 0) == found->hasTcgen05);
  }
  CHECK(lookupTarget("sm_100a")->tmemColumns == 512);
  CHECK(lookupTarget("sm_90a")->hasWgmma);
}

TEST_CASE("an unknown target lists the known ones", "[target]") {
  auto found = lookupTarget("sm_100");
  REQUIRE_FALSE(found);
  CHECK(found.error().message ==
        "unknown target 'sm_100'; the known targets are sm_100a, sm_90a");
}
