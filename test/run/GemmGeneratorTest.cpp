//===- GemmGeneratorTest.cpp - generated GEMMs against float64 ------------===//
//
// The bound on the error is expectGemm's, derived in docs/numerics.md; D is
// poisoned first, and a warning of the simulator counts as a wrong element.
//
//===----------------------------------------------------------------------===//

#include "GeneratedGemm.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <random>
#include <vector>

using namespace tirx;
using namespace tirx::test;
using kernels::Activation;
using kernels::GemmConfig;
using kernels::GemmOperation;
using kernels::GemmSchedule;
using kernels::Major;
using kernels::Scheduler;
using rt::DType;

namespace {

constexpr uint64_t kSeed = 20261201;

using Delivery = rt::SimOptions::Delivery;

rt::SimOptions simOptions(Delivery delivery, uint64_t seed,
                          uint32_t smCount = 0) {
  rt::SimOptions options;
  options.delivery = delivery;
  options.schedule = rt::SimOptions::Schedule::random;
  options.seed = seed;
  options.sm_count = smCount;
  return options;
}

/// Small tiles, so that a small problem has several of them and ragged edges.
GemmSchedule smallTiles() {
  GemmSchedule wanted;
  wanted.tileM = 128;
  wanted.tileN = 64;
  wanted.ctaGroup = wanted.consumers = 1;
  wanted.stages = 3;
  wanted.storeStages = 1;
  wanted.scheduler = Scheduler::persistent;
  return wanted;
}

std::vector<std::byte> check(const GemmConfig &config, const rt::Kernel &kernel,
                             GemmExtents extents, const rt::SimOptions &options,
                             int64_t padding = 0) {
  INFO(describe(config.operation)
       << ", " << toString(config.schedule) << ", " << extents.m << "x"
       << extents.n << "x" << extents.k << "x" << extents.batch << ", delivery "
       << int(options.delivery) << ", seed " << options.seed);
  GeneratedRun run =
      runGenerated(kernel, config.operation, extents, options, kSeed, padding);
  std::string text;
  int64_t wrong = countWrong(run, config.operation, text);
  INFO(text);
  CHECK(wrong == 0);
  return run.d.bytes;
}

std::vector<std::byte> compileAndCheck(const GemmConfig &config,
                                       GemmExtents extents,
                                       const rt::SimOptions &options,
                                       int64_t padding = 0) {
  rt::Artifact artifact = compileGemm(config);
  return check(config, artifact.kernels.front(), extents, options, padding);
}

const std::pair<DType, DType> inputs[] = {
    {DType::f16, DType::f16},       {DType::bf16, DType::bf16},
    {DType::f32, DType::f32},       {DType::f8e4m3, DType::f8e4m3},
    {DType::f8e5m2, DType::f8e5m2}, {DType::f8e4m3, DType::f8e5m2},
    {DType::f8e5m2, DType::f8e4m3}};

struct EpilogueCase {
  bool alpha, residual, bias;
  Activation activation;
};
const EpilogueCase epilogues[] = {
    {false, false, false, Activation::none},
    {false, false, true, Activation::none},
    {false, false, false, Activation::relu},
    {false, false, false, Activation::gelu},
    {false, false, false, Activation::silu},
    {true, true, false, Activation::none},
    {true, true, true, Activation::gelu},
};

} // namespace

TEST_CASE("every dtype, major, output and epilogue at a ragged shape") {
  // Rows of all operands are multiples of 16 bytes, of tiles none is.
  const GemmExtents extents{208, 144, 112};
  uint64_t seed = kSeed;
  for (auto [a, b] : inputs)
    for (DType d : {DType::f32, DType::f16, DType::bf16})
      for (Major aMajor : {Major::K, Major::MN})
        for (Major bMajor : {Major::K, Major::MN})
          for (const EpilogueCase &epilogue : epilogues) {
            GemmOperation op{a, b, d, aMajor, bMajor};
            op.alpha = epilogue.alpha;
            op.residual = epilogue.residual;
            op.bias = epilogue.bias;
            op.activation = epilogue.activation;
            GemmConfig config = chosenConfig(op, extents, smallTiles());
            compileAndCheck(config, extents,
                            simOptions(Delivery::random, ++seed, 4));
          }
}

TEST_CASE("batches, with and without gaps between their matrices") {
  for (Major major : {Major::K, Major::MN})
    for (int64_t padding : {0, 16}) {
      GemmOperation op;
      op.aMajor = op.bMajor = major;
      op.batch = op.alpha = op.residual = op.bias = true;
      const GemmExtents extents{136, 72, 80, 3};
      compileAndCheck(chosenConfig(op, extents, smallTiles()), extents,
                      simOptions(Delivery::random, kSeed, 4), padding);
    }
}

TEST_CASE("the default at every size") {
  const GemmExtents sizes[] = {
      {512, 512, 512}, {1024, 768, 512}, {300, 200, 136},
      {512, 256, 64},  // one tile of the largest kind, one step of K
      {128, 128, 192}, // K smaller than stages * tile
      {1, 8, 8},
  };
  for (DType dtype : {DType::f16, DType::bf16}) {
    GemmOperation op;
    op.a = op.b = op.d = dtype;
    for (GemmExtents extents : sizes)
      for (Delivery delivery :
           {Delivery::eager, Delivery::lazy, Delivery::random})
        compileAndCheck(chosenConfig(op, extents), extents,
                        simOptions(delivery, kSeed));
  }
}

TEST_CASE("step 9's schedule at every size, with more clusters than tiles and "
          "fewer") {
  GemmConfig config = chosenConfig({}, {4096, 4096, 4096});
  REQUIRE(config.schedule.tileM == 512);
  rt::Artifact artifact = compileGemm(config);
  for (GemmExtents extents : {GemmExtents{512, 512, 512},
                              {1024, 768, 512},
                              {300, 200, 136},
                              {512, 256, 64}})
    for (uint32_t sms : {0, 2, 6})
      for (Delivery delivery : {Delivery::eager, Delivery::lazy})
        check(config, artifact.kernels.front(), extents,
              simOptions(delivery, kSeed + sms, sms));
}

TEST_CASE("schedules and deliveries do not change a bit of the result") {
  GemmConfig config = chosenConfig({}, {4096, 4096, 4096});
  rt::Artifact artifact = compileGemm(config);
  const rt::Kernel &kernel = artifact.kernels.front();
  for (GemmExtents extents : {GemmExtents{512, 512, 512},
                              {1024, 768, 512},
                              {300, 200, 136},
                              {512, 256, 64},  // one tile, one step of K
                              {512, 256, 192}, // K of fewer steps than stages
                              {600, 328, 200}}) {
    auto first = check(config, kernel, extents, simOptions(Delivery::eager, 0));
    for (Delivery delivery : {Delivery::lazy, Delivery::random})
      for (uint64_t seed = 0; seed < 20; ++seed) {
        // 2 SMs are one cluster, which computes all of the tiles in turn.
        GeneratedRun run =
            runGenerated(kernel, config.operation, extents,
                         simOptions(delivery, seed, seed % 2 ? 2 : 0), kSeed);
        INFO(extents.m << "x" << extents.n << "x" << extents.k << ", delivery "
                       << int(delivery) << ", seed " << seed);
        if (!run.stats)
          FAIL_CHECK(run.stats.error().message);
        else
          CHECK(run.stats->warnings.empty());
        CHECK(run.d.bytes == first);
      }
  }
}

TEST_CASE("every way to schedule gives the same bits") {
  struct Way {
    const char *what;
    void (*set)(GemmSchedule &);
  };
  const Way ways[] = {
      {"one CTA", [](GemmSchedule &s) { s.ctaGroup = s.consumers = 1; }},
      {"two consumers of one CTA",
       [](GemmSchedule &s) { s.ctaGroup = 1, s.consumers = 2; }},
      {"a pair", [](GemmSchedule &s) { s.ctaGroup = 2, s.consumers = 1; }},
      {"a pair, two consumers",
       [](GemmSchedule &s) { s.ctaGroup = s.consumers = 2; }},
      {"B shared", [](GemmSchedule &s) { s.ctaGroup = 1, s.clusterM = 2; }},
      {"A shared", [](GemmSchedule &s) { s.ctaGroup = 1, s.clusterN = 4; }},
      {"A and B shared by pairs",
       [](GemmSchedule &s) { s.ctaGroup = s.clusterM = s.clusterN = 2; }},
      {"one tile a cluster",
       [](GemmSchedule &s) { s.scheduler = Scheduler::one_tile; }},
      {"clc", [](GemmSchedule &s) { s.scheduler = Scheduler::clc; }},
      {"clc of pairs",
       [](GemmSchedule &s) { s.scheduler = Scheduler::clc, s.ctaGroup = 2; }},
      {"two store stages", [](GemmSchedule &s) { s.storeStages = 2; }},
      {"chunks of 16 columns in 4 stages",
       [](GemmSchedule &s) { s.epilogueColumns = 16, s.storeStages = 4; }},
      {"one chunk",
       [](GemmSchedule &s) { s.epilogueColumns = 128, s.storeStages = 1; }},
      {"one accumulator", [](GemmSchedule &s) { s.accumulatorStages = 1; }},
      {"K of 16", [](GemmSchedule &s) { s.tileK = 16; }},
      {"K of 128", [](GemmSchedule &s) { s.tileK = 128, s.stages = 2; }},
      {"dependent launch", [](GemmSchedule &s) { s.pdl = true; }},
  };
  GemmOperation op;
  op.residual = op.bias = true;
  const GemmExtents extents{392, 328, 136};
  std::vector<std::byte> first;
  for (const Way &way : ways) {
    GemmSchedule wanted;
    wanted.tileN = 128;
    wanted.scheduler = Scheduler::persistent;
    way.set(wanted);
    GemmConfig config = chosenConfig(op, extents, wanted);
    rt::Artifact artifact = compileGemm(config);
    for (Delivery delivery : {Delivery::lazy, Delivery::random}) {
      INFO(way.what);
      auto bytes = check(config, artifact.kernels.front(), extents,
                         simOptions(delivery, kSeed, 8));
      if (first.empty())
        first = bytes;
      CHECK(bytes == first);
    }
  }
}

TEST_CASE("what planGemm accepts compiles and is right") {
  // TIRX_GEMM_SCHEDULES=n tries more of them.
  const char *more = std::getenv("TIRX_GEMM_SCHEDULES");
  const int wanted = more ? std::atoi(more) : 20;
  std::mt19937_64 random(kSeed);
  auto pick = [&](std::initializer_list<int64_t> values) {
    return values.begin()[random() % values.size()];
  };
  for (int accepted = 0; accepted < wanted;) {
    auto [a, b] = inputs[random() % std::size(inputs)];
    GemmOperation op{a, b};
    op.d = random() % 2 ? DType::f32 : DType::f16;
    op.aMajor = random() % 2 ? Major::K : Major::MN;
    op.bMajor = random() % 2 ? Major::K : Major::MN;
    op.batch = random() % 4 == 0;
    op.alpha = random() % 2;
    op.residual = random() % 2;
    op.bias = random() % 2;
    op.activation = Activation(random() % 4);
    GemmConfig config;
    config.operation = op;
    GemmSchedule &s = config.schedule;
    s.ctaGroup = pick({1, 2});
    s.consumers = pick({1, 2});
    s.tileM = 128 * s.ctaGroup * s.consumers;
    s.tileN = 16 * pick({1, 2, 3, 4, 6, 8, 12, 15, 16});
    s.tileK = pick({8, 16, 32, 48, 64, 96, 128, 160, 256});
    s.clusterM = pick({1, 1, 2, 4});
    s.clusterN = pick({1, 1, 2, 4});
    s.stages = pick({2, 3, 4, 5});
    s.accumulatorStages = pick({1, 2, 3});
    s.epilogueColumns = 8 * pick({1, 2, 3, 4, 6, 8, 15, 16});
    s.storeStages = pick({1, 2, 3});
    s.residualStages = op.residual ? pick({1, 2, 3}) : 0;
    s.scheduler =
        Scheduler(pick({int(Scheduler::one_tile), int(Scheduler::persistent),
                        int(Scheduler::clc)}));
    s.group = pick({1, 2, 3, 8});
    s.pdl = random() % 4 == 0;
    const GemmExtents extents{16 * pick({1, 9, 17, 30}), 16 * pick({1, 7, 20}),
                              16 * pick({1, 5, 13, 20}), op.batch ? 2 : 1};
    const uint64_t seed = random();
    if (!kernels::planGemm(config))
      continue;
    ++accepted;
    compileAndCheck(config, extents,
                    simOptions(seed % 2 ? Delivery::lazy : Delivery::random,
                               seed, uint32_t(8 + seed % 9)));
  }
}

TEST_CASE("a plan's shared memory is the kernel's") {
  for (bool residual : {false, true})
    for (int64_t n : {32, 256}) {
      GemmOperation op;
      op.residual = residual;
      GemmSchedule wanted;
      wanted.tileN = n;
      GemmConfig config = chosenConfig(op, {4096, 4096, 4096}, wanted);
      auto plan = kernels::planGemm(config);
      REQUIRE(plan);
      INFO(toString(config.schedule));
      CHECK(compileGemm(config).kernels.front().dynamic_shared_bytes ==
            plan->sharedBytes);
    }
}

TEST_CASE("arguments that do not fit are refused, and nothing runs") {
  GemmOperation op;
  GemmConfig config = chosenConfig(op, {512, 512, 512});
  rt::Artifact artifact = compileGemm(config);
  // A row of 68 bf16 is no multiple of 16 bytes.
  const GemmExtents ragged{128, 128, 68};
  GeneratedRun run = runGenerated(artifact.kernels.front(), op, ragged,
                                  simOptions(Delivery::eager, 1), kSeed);
  REQUIRE_FALSE(run.stats);
  CHECK_THAT(run.stats.error().message,
             Catch::Contains("136") && Catch::Contains("16"));
  CHECK(run.d.bytes == rt::poisoned(DType::bf16, {128, 128}).bytes);
  // The good twin has 72.
  check(config, artifact.kernels.front(), {128, 128, 72},
        simOptions(Delivery::eager, 1));
}
