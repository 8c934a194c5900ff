//===- GemmPipelinesTest.cpp - steps 5 to 9 under many schedules ----------===//
//
// Pipelines, persistence, roles, pairs of CTAs and two consumers: whatever the
// order in which warps run and asynchronous work completes, D is within the
// bound of docs/numerics.md and the same to the bit. D is poisoned first.
//
//===----------------------------------------------------------------------===//

#include "GemmHarness.h"

#include <catch2/catch.hpp>

using namespace tirx;
using namespace tirx::test;

namespace {
#if __has_feature(address_sanitizer)
constexpr uint64_t schedules = 2; // instrumented runs take many times as long
#else
constexpr uint64_t schedules = 20;
#endif

struct Problem {
  const char *what;
  GemmSize size;
  uint32_t smCount;
};

const Problem problems[] = {
    {"more CTAs than tiles", {512, 512, 512}, 148},
    {"more tiles than CTAs", {1024, 768, 512}, 4},
    {"ragged in every dimension", {300, 200, 136}, 148},
    {"K of fewer tiles than stages", {256, 256, 64}, 148},
    {"one tile", {128, 128, 192}, 148},
    {"less than a tile", {40, 24, 8}, 148},
};

rt::SimOptions optionsFor(const Problem &problem) {
  rt::SimOptions options;
  options.sm_count = problem.smCount;
  return options;
}
} // namespace

TEST_CASE("steps 5 to 9 compute A * B^T, the same under every schedule") {
  int step = GENERATE(5, 6, 7, 8, 9);
  for (const Problem &problem : problems) {
    INFO("step " << step << ", " << problem.what);
    const rt::Kernel &kernel = kernelOf(step, rt::DType::f16);
    GemmRun first = runGemm(kernel, rt::DType::f16, problem.size,
                            optionsFor(problem), /*dataSeed=*/step);
    checkResult(first);
    for (auto delivery :
         {rt::SimOptions::Delivery::lazy, rt::SimOptions::Delivery::random})
      for (uint64_t seed = 0; seed < schedules; ++seed) {
        rt::SimOptions options = optionsFor(problem);
        options.delivery = delivery;
        options.schedule = rt::SimOptions::Schedule::random;
        options.seed = seed;
        INFO("delivery " << int(delivery) << ", seed " << seed);
        GemmRun run = runGemm(kernel, rt::DType::f16, problem.size, options,
                              /*dataSeed=*/step);
        if (!run.stats)
          FAIL(run.stats.error().message);
        REQUIRE(run.d.bytes == first.d.bytes);
      }
  }
}

TEST_CASE("steps 5 to 9 compute A * B^T in bf16") {
  int step = GENERATE(5, 6, 7, 8, 9);
  for (const Problem &problem : problems) {
    INFO("step " << step << ", " << problem.what);
    checkResult(runGemm(kernelOf(step, rt::DType::bf16), rt::DType::bf16,
                        problem.size, optionsFor(problem), /*dataSeed=*/1));
  }
}

TEST_CASE("steps 5 to 9 take the shared memory that their tiles need") {
  // 1 KB of barriers; ring of stages x operands x 16 KB; staging (the notes'
  // inventory of the ladder has 99,328 bytes for step 5, 230,400 for step 9).
  auto [step, bytes] = GENERATE(std::pair(5, 1024 + 2 * 32768 + 32768),
                                std::pair(6, 1024 + 2 * 32768 + 32768),
                                std::pair(7, 1024 + 4 * 32768 + 32768),
                                std::pair(8, 1024 + 4 * 32768 + 2 * 16384),
                                std::pair(9, 1024 + 4 * 49152 + 2 * 16384));
  INFO("step " << step);
  CHECK(int(kernelOf(step, rt::DType::f16).dynamic_shared_bytes) == bytes);
}
