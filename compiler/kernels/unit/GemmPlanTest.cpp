//===- GemmPlanTest.cpp - which GEMM configs are legal, and what follows --===//

#include "tirx/Kernels/Gemm.h"

#include <catch2/catch.hpp>

#include <functional>
#include <numeric>

using namespace tirx;
using namespace tirx::kernels;
using rt::DType;

namespace {

/// The ladder's step 9 (two MMA roles over CTA pairs), with one staging stage.
GemmConfig step9() {
  GemmConfig config;
  config.operation.a = config.operation.b = config.operation.d = DType::f16;
  GemmSchedule &s = config.schedule;
  s.tileM = 512;
  s.tileN = 256;
  s.tileK = 64;
  s.ctaGroup = 2;
  s.consumers = 2;
  s.clusterM = s.clusterN = 1;
  s.stages = 4;
  s.accumulatorStages = 1;
  s.epilogueColumns = 64;
  s.storeStages = 1;
  s.scheduler = Scheduler::persistent;
  s.group = 8;
  return config;
}

/// One CTA, 128x128, that leaves room for anything.
GemmConfig small() {
  GemmConfig config = step9();
  GemmSchedule &s = config.schedule;
  s.tileM = s.tileN = 128;
  s.ctaGroup = s.consumers = 1;
  return config;
}

struct Case {
  const char *what;
  std::function<GemmConfig()> base;
  std::function<void(GemmConfig &)> bad, good;
  const char *message;
};

/// Each refusal, and the nearest config that passes.
const Case cases[] = {
    {"A's dtype", small, [](auto &c) { c.operation.a = DType::f64; },
     [](auto &c) { c.operation.a = DType::f16; },
     "A is f64; tensor cores multiply f16, bf16, f32 (as tf32), f8e4m3 and "
     "f8e5m2"},
    {"B's dtype", small, [](auto &c) { c.operation.b = DType::i8; },
     [](auto &c) { c.operation.b = DType::f16; }, "B is i8;"},
    {"16-bit types do not mix", small,
     [](auto &c) { c.operation.b = DType::bf16; },
     [](auto &c) { c.operation.a = c.operation.b = DType::bf16; },
     "A is f16 and B bf16; only f8e4m3 and f8e5m2 mix"},
    {"kinds do not mix", small,
     [](auto &c) {
       c.operation.a = DType::f8e4m3;
       c.operation.b = DType::f16;
     },
     [](auto &c) {
       c.operation.a = DType::f8e4m3;
       c.operation.b = DType::f8e5m2;
     },
     "A is f8e4m3 and B f16; one MMA takes operands of one kind"},
    {"D's dtype", small, [](auto &c) { c.operation.d = DType::f8e4m3; },
     [](auto &c) { c.operation.d = DType::bf16; },
     "D is f8e4m3; it may be f16, bf16 or f32"},
    {"tile M", small, [](auto &c) { c.schedule.tileM = 64; }, [](auto &) {},
     "tileM is 64; ctaGroup 1 and 1 consumer make it 128"},
    {"tile M of pairs", step9, [](auto &c) { c.schedule.tileM = 256; },
     [](auto &) {}, "tileM is 256; ctaGroup 2 and 2 consumers make it 512"},
    {"N of an MMA", small,
     [](auto &c) {
       c.schedule.tileN = 136;
       c.schedule.epilogueColumns = 68;
     },
     [](auto &c) {
       c.schedule.tileN = 144;
       c.schedule.epilogueColumns = 48;
     },
     "tileN: N = 136 for kind::f16 cta_group::1 M = 128; legal: multiples of "
     "16"},
    {"tile N beyond one MMA", small, [](auto &c) { c.schedule.tileN = 512; },
     [](auto &c) { c.schedule.tileN = 256; },
     "tileN is 512; it may be 8 to 256"},
    {"K of an MMA", small, [](auto &c) { c.schedule.tileK = 40; },
     [](auto &c) { c.schedule.tileK = 48; },
     "tileK is 40; one MMA of kind::f16 multiplies 16 elements of K"},
    {"rows of an operand", step9,
     [](GemmConfig &c) {
       c.operation.a = c.operation.b = DType::f8e4m3;
       c.operation.bMajor = Major::MN;
       c.schedule.tileN = c.schedule.epilogueColumns = 32;
     },
     [](GemmConfig &c) {
       c.operation.a = c.operation.b = DType::f8e4m3;
       c.operation.bMajor = Major::MN;
       c.schedule.tileN = c.schedule.epilogueColumns = 64;
     },
     "a stage of B has 16 rows in a row, 16 bytes; it must be a multiple of "
     "32"},
    {"MN-major f32 has one swizzle", small,
     [](auto &c) {
       c.operation.a = c.operation.b = DType::f32;
       c.operation.bMajor = Major::MN;
       c.schedule.tileK = 32;
       c.schedule.tileN = 48;
       c.schedule.epilogueColumns = 48;
     },
     [](auto &c) {
       c.operation.a = c.operation.b = DType::f32;
       c.operation.bMajor = Major::MN;
       c.schedule.tileK = 32;
       c.schedule.tileN = 64;
     },
     "a stage of B has 48 rows in a row, 192 bytes; it must be a multiple of "
     "128, the only swizzle"},
    {"chunks divide the tile", small,
     [](auto &c) { c.schedule.epilogueColumns = 48; },
     [](auto &c) { c.schedule.epilogueColumns = 32; },
     "epilogueColumns is 48, no divisor of tileN, 128"},
    {"chunks have swizzled rows", small,
     [](auto &c) { c.schedule.epilogueColumns = 8; },
     [](auto &c) { c.schedule.epilogueColumns = 16; },
     "epilogueColumns is 8, 16 bytes of D; it must be a multiple of 32"},
    {"stores go round", small, [](auto &c) { c.schedule.storeStages = 3; },
     [](auto &c) { c.schedule.storeStages = 2; },
     "storeStages is 3, no divisor of the 2 chunks of 64 columns"},
    {"one stage is no ring", small, [](auto &c) { c.schedule.stages = 1; },
     [](auto &c) { c.schedule.stages = 2; }, "stages is 1; it may be 2 to 64"},
    {"residual without stages", small,
     [](auto &c) { c.operation.residual = true; },
     [](auto &c) {
       c.operation.residual = true;
       c.schedule.residualStages = 1;
     },
     "residualStages is 0; it may be 1 to 64"},
    {"stages without residual", small,
     [](auto &c) { c.schedule.residualStages = 1; }, [](auto &) {},
     "residualStages is 1; it may be 0 only: there is no residual"},
    {"a scheduler must be chosen", small,
     [](auto &c) { c.schedule.scheduler = Scheduler::automatic; },
     [](auto &c) { c.schedule.scheduler = Scheduler::clc; },
     "the scheduler is not chosen"},
    {"portable clusters", step9,
     [](auto &c) { c.schedule.clusterM = c.schedule.clusterN = 3; },
     [](auto &c) { c.schedule.clusterM = c.schedule.clusterN = 2; },
     "clusters of ctaGroup 2 x clusterM 3 x clusterN 3 have 18 CTAs, at most 8 "
     "are portable"},
    {"CTAs share whole atoms", small, [](auto &c) { c.schedule.clusterN = 3; },
     [](auto &c) { c.schedule.clusterN = 4; },
     "clusterN is 3: that many CTAs cannot share the 128 rows of a stage of A"},
    {"MN-major tiles are shared along K", small,
     [](auto &c) {
       c.operation.bMajor = Major::MN;
       c.schedule.tileK = 16;
       c.schedule.clusterM = 4;
     },
     [](auto &c) {
       c.operation.bMajor = Major::MN;
       c.schedule.tileK = 16;
       c.schedule.clusterM = 2;
     },
     "clusterM is 4: that many CTAs cannot share the 16 rows of a stage of B"},
    {"shared memory", step9, [](auto &c) { c.schedule.stages = 5; },
     [](auto &) {},
     "shared memory: 279552 bytes (5 stages of A and B 245760, staging of D "
     "32768, barriers and alignment 1024), a CTA may have 232448"},
    {"tensor memory", step9, [](auto &c) { c.schedule.accumulatorStages = 2; },
     [](auto &c) {
       c.schedule.accumulatorStages = 2;
       c.schedule.tileN = 128;
     },
     "tensor memory: 2 consumers x 2 accumulator stages x 256 columns (tileN) "
     "= "
     "1024, an SM has 512"},
};

} // namespace

TEST_CASE("each illegal GEMM config is refused, its good twin is not") {
  for (const Case &test : cases) {
    INFO(test.what);
    GemmConfig good = test.base();
    test.good(good);
    auto passed = planGemm(good);
    if (!passed)
      FAIL_CHECK("the good twin is refused: " << passed.error().message);
    GemmConfig bad = test.base();
    test.bad(bad);
    auto refused = planGemm(bad);
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().message, Catch::Contains(test.message));
    CHECK_FALSE(generateGemm(bad));
  }
}

TEST_CASE("step 9's budgets are those of the ladder") {
  auto plan = planGemm(step9());
  REQUIRE(plan);
  // tirx-inventory's step 9: 4 stages of two A tiles and half of B, two staging
  // tiles of 128x64, 1 KB of barriers; all of tensor memory; three warpgroups.
  CHECK(plan->sharedBytes == 230400);
  CHECK(plan->tmemColumns == 512);
  CHECK(plan->threads == 384);
  CHECK(plan->registers == 256 * 208 + 128 * 88);
  CHECK(plan->rowsB == 128);
  CHECK(plan->chunks == 4);
  CHECK(plan->cluster == std::array<int64_t, 3>{2, 1, 1});
}

TEST_CASE(
    "no two roles share a warp, and whole warpgroups have their registers") {
  for (Scheduler scheduler : {Scheduler::persistent, Scheduler::clc})
    for (bool residual : {false, true})
      for (auto base : {small, step9}) {
        GemmConfig config = base();
        config.schedule.scheduler = scheduler;
        config.operation.residual = residual;
        config.schedule.residualStages = residual ? 1 : 0;
        config.schedule.stages = 2;
        auto plan = planGemm(config);
        REQUIRE(plan);
        std::vector<int64_t> registers(plan->threads / 128, 0);
        int64_t next = 0;
        for (const GemmRole &role : plan->roles) {
          CHECK(role.firstWarp == next);
          next += role.warps;
          int64_t &ofGroup = registers[role.firstWarp / 4];
          CHECK((ofGroup == 0 || ofGroup == role.registers));
          ofGroup = role.registers;
        }
        CHECK(next * 32 <= plan->threads);
        CHECK(std::accumulate(registers.begin(), registers.end(), int64_t(0)) *
                  128 ==
              plan->registers);
      }
}
