//===- GemmLadderTest.cpp - steps 1 to 4 against a float64 product --------===//
//
// Every step, f16 and bf16, under eager, lazy and random delivery, at the sizes
// it expresses. The bound on the error is gemmErrorBound's, derived from the
// tensor core's rule (docs/numerics.md); D is poisoned first.
//
//===----------------------------------------------------------------------===//

#include "GemmHarness.h"

#include <catch2/catch.hpp>
#include <map>
#include <string>

using namespace tirx;
using namespace tirx::test;

namespace {
const std::map<int, std::vector<GemmSize>> sizes = {
    {1, {{128, 128, 64}}},
    {2, {{128, 128, 64}, {128, 128, 1024}}},
    {3, {{128, 128, 64}, {128, 128, 1024}, {256, 256, 256}, {512, 384, 1024}}},
    {4,
     {{128, 128, 64},
      {128, 128, 1024},
      {256, 256, 256},
      {512, 384, 1024},
      {200, 136, 72}}},
};
} // namespace

TEST_CASE("steps 1 to 4 compute A * B^T") {
  int step = GENERATE(1, 2, 3, 4);
  auto dtype = GENERATE(rt::DType::f16, rt::DType::bf16);
  auto delivery =
      GENERATE(rt::SimOptions::Delivery::eager, rt::SimOptions::Delivery::lazy,
               rt::SimOptions::Delivery::random);
  for (GemmSize size : sizes.at(step)) {
    rt::SimOptions options;
    options.delivery = delivery;
    options.seed = 7 * step + size.k;
    INFO("step " << step << ", " << rt::nameOf(dtype) << ", delivery "
                 << int(delivery) << ", " << size.m << "x" << size.n << "x"
                 << size.k << ", seed " << options.seed);
    checkResult(
        runGemm(kernelOf(step, dtype), dtype, size, options, options.seed));
  }
}

TEST_CASE("no warp falls two phases behind") {
  // Without the barrier at the end of step 4's loop this schedule ends in a
  // deadlock: warps 1 to 3 wait for a parity that has come round again.
  int step = GENERATE(2, 3, 4);
  rt::SimOptions options;
  options.schedule = rt::SimOptions::Schedule::random;
  options.delivery = GENERATE(rt::SimOptions::Delivery::eager,
                              rt::SimOptions::Delivery::random);
  for (uint64_t seed = 20; seed < 40; ++seed) {
    options.seed = seed;
    INFO("step " << step << ", seed " << seed);
    GemmSize size =
        step == 2 ? GemmSize{128, 128, 512} : GemmSize{256, 256, 256};
    checkResult(runGemm(kernelOf(step, rt::DType::f16), rt::DType::f16, size,
                        options, /*dataSeed=*/1));
  }
}

TEST_CASE("schedules do not change a bit of the result") {
  std::vector<std::byte> first;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    rt::SimOptions options;
    options.delivery = rt::SimOptions::Delivery::random;
    options.schedule = rt::SimOptions::Schedule::random;
    options.seed = seed;
    INFO("seed " << seed);
    GemmRun result = runGemm(kernelOf(4, rt::DType::f16), rt::DType::f16,
                             {200, 136, 200}, options, /*dataSeed=*/1);
    checkResult(result);
    if (first.empty())
      first = result.d.bytes;
    CHECK(result.d.bytes == first);
  }
}

TEST_CASE("step 4 takes the shared memory that its tiles need") {
  // 1 KB of barriers, two operands of 16 KB, 32 KB of staging: 66,560 bytes
  // (the notes' inventory of the ladder, step 4).
  CHECK(kernelOf(4, rt::DType::f16).dynamic_shared_bytes == 66560);
}

TEST_CASE("sizes that a step cannot express are refused before the launch") {
  struct Refused {
    int step;
    GemmSize size;
    const char *message;
  };
  auto refused = GENERATE(
      Refused{1, {256, 128, 64}, "M (rows of A) must be 128"},
      Refused{1, {128, 128, 128}, "K (columns of A) must be 64"},
      Refused{2, {128, 256, 64}, "N (rows of B) must be 128"},
      Refused{2, {128, 128, 96}, "K (columns of A) must be a multiple of 64"},
      Refused{3, {200, 128, 64}, "M (rows of A) must be a multiple of 128"},
      Refused{3, {128, 136, 64}, "N (rows of B) must be a multiple of 128"});
  const rt::Kernel &kernel = kernelOf(refused.step, rt::DType::f16);
  GemmRun result = runGemm(kernel, rt::DType::f16, refused.size, {}, 1);
  INFO("step " << refused.step);
  REQUIRE_FALSE(result.stats);
  CHECK_THAT(result.stats.error().message, Catch::Contains(refused.message));
  // Nothing ran: D is as poisoned as before.
  CHECK(result.d.bytes ==
        rt::poisoned(rt::DType::f16, {refused.size.m, refused.size.n}).bytes);
}

TEST_CASE("TMA refuses rows that are no multiple of 16 bytes") {
  GemmRun result = runGemm(kernelOf(4, rt::DType::f16), rt::DType::f16,
                           {128, 128, 68}, {}, 1);
  REQUIRE_FALSE(result.stats);
  CHECK_THAT(result.stats.error().message,
             Catch::Contains("16") && Catch::Contains("136"));
}
