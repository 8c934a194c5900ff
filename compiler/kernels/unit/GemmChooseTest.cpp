//===- GemmChooseTest.cpp - the schedule chosen for a problem -------------===//

#include "tirx/Kernels/Gemm.h"

#include <catch2/catch.hpp>

#include <random>

using namespace tirx;
using namespace tirx::kernels;
using rt::DType;

namespace {

GemmSchedule chosen(const GemmOperation &operation, const GemmShape &shape,
                    const GemmSchedule &wanted = {}) {
  auto choice = chooseGemm(operation, shape, wanted);
  if (!choice)
    FAIL(choice.error().message);
  return choice->config.schedule;
}

bool says(const GemmChoice &choice, const std::string &text) {
  for (const std::string &reason : choice.reasons)
    if (reason.find(text) != std::string::npos)
      return true;
  return false;
}

} // namespace

TEST_CASE("large problems get step 9, small ones more CTAs") {
  GemmSchedule large = chosen({}, {4096, 4096, 4096});
  CHECK(large.tileM == 512);
  CHECK(large.tileN == 256);
  CHECK(large.scheduler == Scheduler::persistent);
  // 512^3 is one tile of 512x256 twice over, on 148 SMs.
  GemmSchedule little = chosen({}, {512, 512, 512});
  CHECK(little.tileM * little.tileN < 128 * 256);
  CHECK(little.scheduler == Scheduler::one_tile);
  // The same problem on 2 SMs wants large tiles.
  GemmSchedule few = chosen({}, {512, 512, 512, 1, 2});
  CHECK(few.tileM * few.tileN > little.tileM * little.tileN);
  CHECK(few.scheduler == Scheduler::persistent);
  // A batch makes more tiles.
  GemmSchedule batch = chosen({.batch = true}, {512, 512, 512, 256});
  CHECK(batch.tileM * batch.tileN > little.tileM * little.tileN);
}

TEST_CASE("every operation gets a legal schedule, whatever the shape") {
  const uint64_t seed = 20261201;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  auto upTo = [&](int64_t most) { return int64_t(random() % most) + 1; };
  const std::pair<DType, DType> inputs[] = {
      {DType::f16, DType::f16},       {DType::bf16, DType::bf16},
      {DType::f32, DType::f32},       {DType::f8e4m3, DType::f8e4m3},
      {DType::f8e5m2, DType::f8e4m3}, {DType::f8e5m2, DType::f8e5m2}};
  for (auto [a, b] : inputs)
    for (DType d : {DType::f16, DType::bf16, DType::f32})
      for (Major aMajor : {Major::K, Major::MN})
        for (Major bMajor : {Major::K, Major::MN})
          for (bool residual : {false, true}) {
            GemmOperation op{a, b, d, aMajor, bMajor};
            op.residual = residual;
            GemmShape shape{upTo(8192), upTo(8192), upTo(8192), upTo(4),
                            upTo(148)};
            INFO(rt::nameOf(a)
                 << " " << rt::nameOf(b) << " " << rt::nameOf(d) << " "
                 << shape.m << "x" << shape.n << "x" << shape.k);
            auto choice = chooseGemm(op, shape);
            REQUIRE(choice);
            CHECK(planGemm(choice->config));
          }
}

TEST_CASE("what is wanted is kept") {
  GemmSchedule wanted;
  wanted.tileM = wanted.tileN = 256;
  wanted.tileK = 32;
  wanted.ctaGroup = 2;
  wanted.stages = 3;
  wanted.accumulatorStages = 1;
  wanted.epilogueColumns = 32;
  wanted.storeStages = 4;
  wanted.scheduler = Scheduler::clc;
  wanted.group = 5;
  wanted.clusterN = 2;
  wanted.pdl = true;
  GemmSchedule s = chosen({}, {}, wanted);
  CHECK(toString(s) ==
        "256x256x32, cta_group 2, 1 consumer, cluster 1x2, 3 stages, 1 "
        "accumulator stage, epilogue of 32 columns in 4 stages, clc group 5, "
        "pdl");
  // A tile alone fixes ctaGroup times consumers.
  GemmSchedule tile;
  tile.tileM = 128;
  tile.tileN = 64;
  s = chosen({}, {}, tile);
  CHECK(s.ctaGroup * s.consumers == 1);
}

TEST_CASE("reasons name the figures that decided") {
  auto choice = chooseGemm({}, {4096, 4096, 4096});
  REQUIRE(choice);
  CHECK(says(*choice, "tile 512x256, cta_group 2, 2 consumer(s): 128 tiles on "
                      "74 clusters, 2 wave(s) 86% full; modelled cycles"));
  CHECK(says(*choice, "next 256x256 cta_group 2"));
  CHECK(says(*choice, "4 stages: what fits: 49152 bytes each, 230400 of 232448 "
                      "bytes in all"));
  CHECK(says(*choice, "512 of 512 columns of tensor memory"));
  GemmSchedule wanted;
  wanted.stages = 3;
  choice = chooseGemm({}, {}, wanted);
  REQUIRE(choice);
  CHECK(says(*choice, "3 stages: as asked"));
}

TEST_CASE("what cannot be chosen for is refused") {
  struct Case {
    GemmShape shape;
    GemmSchedule wanted;
    const char *message;
  };
  GemmSchedule negative, odd, huge;
  negative.stages = -1;
  odd.tileM = 192;
  huge.tileM = 512;
  huge.tileN = 256;
  huge.tileK = 128;
  huge.stages = 4;
  const Case cases[] = {
      {{0, 128, 128}, {}, "M is 0; a problem to choose for has 1 to 1048576"},
      {{128, 128, 128, 1, 0}, {}, "the number of SMs is 0"},
      {{}, negative, "stages is -1; it may be 0 (choose) to 1048576"},
      {{}, odd, "tileM is 192; ctaGroup 2 and 2 consumers make it 512"},
      {{}, huge, "shared memory: "},
  };
  for (const Case &test : cases) {
    auto choice = chooseGemm({}, test.shape, test.wanted);
    REQUIRE_FALSE(choice);
    CHECK_THAT(choice.error().message, Catch::Contains(test.message));
  }
  // The good twin of the last.
  huge.stages = 2;
  CHECK(chooseGemm({}, {}, huge));
}
