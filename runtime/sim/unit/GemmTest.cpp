//===- GemmTest.cpp - TMA, mbarrier, tcgen05, TMA store together *- C++ -*-===//

#include "GemmKernel.h"
#include "tirx/Runtime/DType.h"

#include <bit>
#include <cmath>

using namespace tirx::rt;
using namespace tirx::rt::sim;
using namespace tirx::rt::sim::test;

namespace {

struct Gemm {
  static constexpr unsigned N = 128;
  GlobalMemory memory;
  unsigned M, K;
  Buffer<_Float16> a, b, d;
  std::vector<std::byte> parameters;

  /// `pair`: 256 rows, for the kernel of two CTAs.
  Gemm(unsigned k, uint64_t seed, bool pair = false)
      : M(pair ? 256 : 128), K(k), a(memory, size_t(M) * k, "A"),
        b(memory, N * k, "B"), d(memory, M * N, "D") {
    Random random(seed);
    for (_Float16 &x : a)
      x = static_cast<_Float16>(random.normal());
    for (_Float16 &x : b)
      x = static_cast<_Float16>(random.normal());
    for (_Float16 &x : d)
      x = std::bit_cast<_Float16>(uint16_t(0x7FFF));
    parameters.resize(3 * 128 + 4);
    map(0, a.begin(), K, M, {64, 128});
    map(1, b.begin(), K, N, {64, M == 256 ? 64u : 128u});
    map(2, d.begin(), N, M, {64, 128});
    uint32_t tiles = K / 64;
    std::memcpy(parameters.data() + 384, &tiles, 4);
  }

  void map(unsigned index, void *base, uint64_t columns, uint64_t rows,
           std::vector<uint32_t> box) {
    TensorMapRecipe recipe;
    recipe.dtype = DType::f16;
    recipe.box_dim = std::move(box);
    recipe.element_stride = {1, 1};
    recipe.swizzle = TensorMapRecipe::Swizzle::b128;
    std::vector<uint64_t> dims = {columns, rows}, strides = {columns * 2};
    auto record = encodeTensorMap(recipe, base, dims, strides);
    REQUIRE(record);
    std::memcpy(parameters.data() + 128 * index, record->data(), 128);
  }

  Expected<LaunchStats> run(SimOptions options, const GemmPieces &pieces = {}) {
    Launch launch;
    launch.block = {128, 1, 1};
    launch.shared = 65536 + 64;
    launch.options = options;
    if (M == 128)
      return tryRun(gemmPtx(pieces), memory, parameters, launch);
    launch.grid = launch.cluster = {2, 1, 1};
    return tryRun(pairGemmPtx(), memory, parameters, launch);
  }

  /// Largest error against float64, as a fraction of what the truncating sum
  /// and the rounding to f16 allow: each instruction of 16 products loses at
  /// most 17 * 2^-25 * max(|C|, |p|) by truncation and 2^-23 * |D| by its
  /// rounding to f32, |C| and |D| being bounded by the sum of magnitudes; f16
  /// rounds by 2^-11 relative.
  double worst() {
    double worst = 0;
    for (unsigned m = 0; m < M; ++m)
      for (unsigned n = 0; n < N; ++n) {
        double sum = 0, magnitude = 0;
        for (unsigned k = 0; k < K; ++k) {
          double p = double(a[m * K + k]) * double(b[n * K + k]);
          sum += p;
          magnitude += std::abs(p);
        }
        double bound = (K / 16) * (17 * 0x1p-25 + 0x1p-23) * magnitude +
                       std::abs(sum) * 0x1p-11 + 0x1p-25;
        double error = std::abs(double(d[m * N + n]) - sum);
        worst = std::max(worst, error == error ? error / bound : 1e30);
      }
    return worst;
  }
};

SimOptions
options(SimOptions::Delivery delivery, uint64_t seed = 0,
        SimOptions::Schedule schedule = SimOptions::Schedule::round_robin) {
  SimOptions o;
  o.delivery = delivery;
  o.schedule = schedule;
  o.seed = seed;
  return o;
}

} // namespace

TEST_CASE("a tcgen05 GEMM agrees with float64 under every delivery") {
  using Delivery = SimOptions::Delivery;
  for (Delivery delivery : {Delivery::eager, Delivery::lazy}) {
    Gemm gemm(256, 7);
    auto stats = gemm.run(options(delivery));
    if (!stats)
      FAIL(stats.error().message);
    CHECK(gemm.worst() <= 1);
    CHECK(stats->tensor_core_ops == 16);
    CHECK(stats->tma_ops == 10);
    for (const std::string &text : stats->warnings)
      UNSCOPED_INFO(text);
    CHECK(stats->warnings.empty());
  }
  Gemm first(128, 8);
  REQUIRE(first.run(options(Delivery::eager)));
  for (uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    Gemm gemm(128, 8);
    auto stats =
        gemm.run(options(Delivery::random, seed,
                         seed % 2 ? SimOptions::Schedule::random
                                  : SimOptions::Schedule::round_robin));
    if (!stats)
      FAIL(stats.error().message);
    // No race: bit-identical whatever the schedule.
    CHECK(std::memcmp(gemm.d.begin(), first.d.begin(), 128 * 128 * 2) == 0);
  }
}

TEST_CASE("a GEMM with one piece missing is caught") {
  using Delivery = SimOptions::Delivery;
  struct Mutation {
    const char *name;
    void (*apply)(GemmPieces &);
    /// What every delivery says; empty: eager delivery hides it.
    const char *eager;
    const char *lazy;
    unsigned k = 256;
  };
  const Mutation mutations[] = {
      {"no proxy fence", [](GemmPieces &p) { p.proxy_fence.clear(); },
       "no fence.proxy.async since", "no fence.proxy.async since"},
      {"MMA does not wait for TMA", [](GemmPieces &p) { p.wait_full.clear(); },
       "", "still writes it; its mbarrier must be waited for first"},
      {"accumulator is read early",
       [](GemmPieces &p) {
         p.wait_done.clear();
         p.wait_stage.clear(); // which would do as well
       },
       "", "the mbarrier of a tcgen05.commit behind it must be waited for", 64},
      {"stage is refilled early", [](GemmPieces &p) { p.wait_stage.clear(); },
       "", "still reads it"},
      {"store is not waited for", [](GemmPieces &p) { p.wait_store.clear(); },
       "did not wait for its bulk copy", "did not wait for its bulk copy"},
      {"TMEM is not freed", [](GemmPieces &p) { p.dealloc.clear(); },
       "tensor memory allocated", "tensor memory allocated"},
      {"nobody commits", [](GemmPieces &p) { p.commit.clear(); }, "deadlock",
       "deadlock"},
      {"too many bytes expected", [](GemmPieces &p) { p.expect_bytes *= 2; },
       "32768 transaction bytes pending", "32768 transaction bytes pending"},
      {"too few bytes expected", [](GemmPieces &p) { p.expect_bytes /= 2; },
       "deadlock", "still writes it; its mbarrier must be waited for first"},
  };
  for (const Mutation &mutation : mutations) {
    CAPTURE(mutation.name);
    for (Delivery delivery : {Delivery::eager, Delivery::lazy}) {
      GemmPieces pieces;
      mutation.apply(pieces);
      Gemm gemm(mutation.k, 9);
      auto result = gemm.run(options(delivery), pieces);
      std::string expected =
          delivery == Delivery::eager ? mutation.eager : mutation.lazy;
      if (expected.empty()) {
        CHECK(result);
        continue;
      }
      REQUIRE_FALSE(result);
      CAPTURE(result.error().message);
      CHECK(result.error().message.find(expected) != std::string::npos);
      CHECK(result.error().message.find("kernel 'k'") != std::string::npos);
    }
  }
}

TEST_CASE("a GEMM of two CTAs (cta_group::2)") {
  using Delivery = SimOptions::Delivery;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    CAPTURE(seed);
    Gemm gemm(192, 11, true);
    auto stats =
        gemm.run(options(static_cast<Delivery>(seed % 3), seed,
                         seed % 2 ? SimOptions::Schedule::random
                                  : SimOptions::Schedule::round_robin));
    if (!stats)
      FAIL(stats.error().message);
    CHECK(gemm.worst() <= 1);
    CHECK(stats->tensor_core_ops == 12);
    CHECK(stats->warnings.empty());
  }
}

TEST_CASE("a GEMM of two CTAs in tf32 and mixed f8") {
  struct Row {
    PairKind kind;
    DType a, b;
    unsigned k; ///< of an instruction
  };
  const Row rows[] = {
      {{"kind::tf32", "0x10200910", 32}, DType::f32, DType::f32, 8},
      {{"kind::f8f6f4", "0x10200410", 128}, DType::f8e4m3, DType::f8e5m2, 32},
      {{"kind::f8f6f4", "0x10200090", 128}, DType::f8e5m2, DType::f8e4m3, 32}};
  constexpr unsigned M = 256, N = 128;
  for (const Row &row : rows)
    for (uint64_t seed = 0; seed < 4; ++seed) {
      CAPTURE(row.kind.kind, seed);
      const unsigned K = 3 * row.kind.columns;
      GlobalMemory memory;
      Buffer<std::byte> a(memory, M * K * sizeOf(row.a)),
          b(memory, N * K * sizeOf(row.b));
      Buffer<_Float16> d(memory, M * N);
      Random random(40 + seed);
      auto fill = [&](Buffer<std::byte> &to, DType dtype) {
        std::vector<double> plain(to.size() / sizeOf(dtype));
        for (size_t i = 0; i < plain.size(); ++i) {
          std::byte *at = &to[i * sizeOf(dtype)];
          fromDouble(dtype, random.normal(), at);
          plain[i] = toDouble(dtype, at);
          if (dtype == DType::f32)
            plain[i] = std::bit_cast<float>(
                std::bit_cast<uint32_t>(float(plain[i])) & ~0x1FFFu);
        }
        return plain;
      };
      const std::vector<double> wa = fill(a, row.a), wb = fill(b, row.b);
      std::vector<std::byte> parameters(3 * 128 + 4);
      auto map = [&](unsigned index, DType dtype, void *base, uint64_t columns,
                     uint64_t rowCount, std::vector<uint32_t> box) {
        TensorMapRecipe recipe;
        recipe.dtype = dtype;
        recipe.box_dim = std::move(box);
        recipe.element_stride = {1, 1};
        recipe.swizzle = TensorMapRecipe::Swizzle::b128;
        std::vector<uint64_t> dims = {columns, rowCount},
                              strides = {columns * sizeOf(dtype)};
        auto record = encodeTensorMap(recipe, base, dims, strides);
        REQUIRE(record);
        std::memcpy(parameters.data() + 128 * index, record->data(), 128);
      };
      map(0, row.a, a.begin(), K, M, {row.kind.columns, 128});
      map(1, row.b, b.begin(), K, N, {row.kind.columns, 64});
      map(2, DType::f16, d.begin(), N, M, {64, 128});
      const uint32_t tiles = 3;
      std::memcpy(parameters.data() + 384, &tiles, 4);
      Launch launch;
      launch.block = {128, 1, 1};
      launch.grid = launch.cluster = {2, 1, 1};
      launch.shared = 65536 + 64;
      launch.options =
          options(static_cast<SimOptions::Delivery>(seed % 3), seed,
                  seed % 2 ? SimOptions::Schedule::random
                           : SimOptions::Schedule::round_robin);
      auto stats = mustRun(pairGemmPtx(row.kind), memory, parameters, launch);
      CHECK(stats.warnings.empty());
      double worst = 0; // as Gemm::worst
      for (unsigned m = 0; m < M; ++m)
        for (unsigned n = 0; n < N; ++n) {
          double sum = 0, magnitude = 0;
          for (unsigned k = 0; k < K; ++k) {
            const double p = wa[m * K + k] * wb[n * K + k];
            sum += p;
            magnitude += std::abs(p);
          }
          const double bound =
              (K / row.k) * ((row.k + 1) * 0x1p-25 + 0x1p-23) * magnitude +
              std::abs(sum) * 0x1p-11 + 0x1p-25;
          const double error = std::abs(double(d[m * N + n]) - sum);
          worst = std::max(worst, error == error ? error / bound : 1e30);
        }
      CHECK(worst <= 1);
    }
}

TEST_CASE("a wrong swizzle in a descriptor is a warning and a wrong result") {
  GemmPieces pieces;
  pieces.descriptor_high = "0x80004020"; // 64-byte swizzle, SBO 512
  Gemm gemm(64, 5);
  auto stats = gemm.run(options(SimOptions::Delivery::eager), pieces);
  REQUIRE(stats);
  CHECK(gemm.worst() > 100);
  REQUIRE_FALSE(stats->warnings.empty());
  CHECK(stats->warnings[0].find("gemm.mlir:24:3") != std::string::npos);
  CHECK(stats->warnings[0].find("swizzle 64B") != std::string::npos);
  CHECK(stats->warnings[0].find("swizzle 128B") != std::string::npos);
}

TEST_CASE("a missing tcgen05.fence is a warning") {
  GemmPieces pieces;
  pieces.tensor_fence.clear();
  Gemm gemm(64, 5);
  auto stats = gemm.run(options(SimOptions::Delivery::eager), pieces);
  REQUIRE(stats);
  CHECK(gemm.worst() <= 1);
  REQUIRE(stats->warnings.size() == 4); // one for each tcgen05.ld
  CHECK(stats->warnings[0].find("tcgen05.fence::after_thread_sync by this "
                                "thread") != std::string::npos);
}

TEST_CASE("a register that tcgen05.ld fills holds back its readers") {
  // Without tcgen05.wait::ld the values are right (true dependence), and TMEM
  // must not be freed before the loads are done.
  for (auto delivery :
       {SimOptions::Delivery::lazy, SimOptions::Delivery::random}) {
    GemmPieces pieces;
    pieces.wait_ld.clear();
    Gemm gemm(64, 6);
    auto stats = gemm.run(options(delivery, 3), pieces);
    if (!stats)
      FAIL(stats.error().message);
    CHECK(gemm.worst() <= 1);
  }
}

TEST_CASE("runs repeat bit for bit, counters included") {
  for (uint64_t seed : {1, 2}) {
    uint64_t instructions[2];
    for (unsigned i = 0; i < 2; ++i) {
      Gemm gemm(64, 4);
      auto stats = gemm.run(options(SimOptions::Delivery::random, seed,
                                    SimOptions::Schedule::random));
      REQUIRE(stats);
      instructions[i] = stats->warp_instructions;
    }
    CHECK(instructions[0] == instructions[1]);
  }
}

TEST_CASE("fast numerics stay within the same bound") {
  Gemm gemm(256, 12);
  SimOptions o = options(SimOptions::Delivery::eager);
  o.numerics = SimOptions::Numerics::fast;
  REQUIRE(gemm.run(o));
  CHECK(gemm.worst() <= 1);
}
