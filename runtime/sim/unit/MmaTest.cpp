//===- MmaTest.cpp - operand forms of tcgen05.mma ---------------*- C++ -*-===//

#include "Harness.h"
#include "tirx/Runtime/DType.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

using namespace tirx::rt;
using namespace tirx::rt::sim;
using namespace tirx::rt::sim::test;

namespace {

using Delivery = SimOptions::Delivery;
constexpr unsigned M = 128, N = 32;

/// Types of a kind; a row of K elements takes 32 bytes in all of them.
struct Kind {
  const char *name;
  DType a, b;
  uint32_t idesc; ///< M 128, N 32, f32 accumulators
  unsigned k;
};
constexpr Kind kF16 = {"kind::f16", DType::f16, DType::f16, 0x08080010, 16};
constexpr Kind kKinds[] = {
    kF16,
    {"kind::f16", DType::bf16, DType::bf16, 0x08080490, 16},
    {"kind::tf32", DType::f32, DType::f32, 0x08080910, 8},
    {"kind::f8f6f4", DType::f8e4m3, DType::f8e4m3, 0x08080010, 32},
    {"kind::f8f6f4", DType::f8e4m3, DType::f8e5m2, 0x08080410, 32},
    {"kind::f8f6f4", DType::f8e5m2, DType::f8e4m3, 0x08080090, 32},
};

/// One MMA of 128 x 32 x K by four warps. A and B come by bulk copy in the
/// unswizzled K-major layout (8 rows x 16 bytes a core matrix, LBO 128, SBO
/// 256); `mma` is the instruction; D starts as `start` in every element.
struct Mma {
  GlobalMemory memory;
  Kind kind;
  Buffer<std::byte> a{memory, M * 32, "A"}, b{memory, N * 32, "B"};
  Buffer<float> d{memory, M * N, "D"};
  std::vector<double> wa, wb;

  explicit Mma(uint64_t seed, const Kind &kind = kF16)
      : kind(kind), wa(M * kind.k), wb(N * kind.k) {
    Random random(seed);
    auto fill = [&](Buffer<std::byte> &to, std::vector<double> &plain,
                    unsigned rows, DType dtype) {
      for (unsigned r = 0; r < rows; ++r)
        for (unsigned k = 0; k < this->kind.k; ++k) {
          const unsigned byte = k * sizeOf(dtype);
          std::byte *at =
              &to[r / 8 * 256 + byte / 16 * 128 + r % 8 * 16 + byte % 16];
          fromDouble(dtype, random.normal(), at);
          if (dtype == DType::f32) { // tf32: the low 13 bits are not read
            uint32_t bits;
            std::memcpy(&bits, at, 4);
            plain[r * this->kind.k + k] = std::bit_cast<float>(bits & ~0x1FFFu);
          } else {
            plain[r * this->kind.k + k] = toDouble(dtype, at);
          }
        }
    };
    fill(a, wa, M, kind.a);
    fill(b, wb, N, kind.b);
  }

  std::string ptx(const std::string &mma, bool a_in_tmem, float start) {
    std::string text = R"(
  .reg .b64 %rd<12>; .reg .b32 %r<40>, %f<40>; .reg .pred %p<6>, %on, %off;
  ld.param.b64 %rd1, [p0]; ld.param.b64 %rd2, [p1]; ld.param.b64 %rd3, [p2];
  mov.u32 %r1, %tid.x;
  shr.u32 %r2, %r1, 5;
  mov.u32 %r3, smem;            // barriers at 0 and 8, TMEM address at 16
  add.u32 %r4, %r3, 1024;       // A, 4096 bytes
  add.u32 %r5, %r3, 5120;       // B, 1024 bytes
  setp.ne.u32 %p1, %r1, 0;
  setp.ne.u32 %p2, %r2, 0;
  setp.eq.u32 %on, 0, 0;
  setp.ne.u32 %off, 0, 0;
  @%p2 bra ALLOCATED;
  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r3+16], 64;
ALLOCATED:
  @!%p1 mbarrier.init.shared::cta.b64 [%r3], 1;
  @!%p1 mbarrier.init.shared::cta.b64 [%r3+8], 1;
  bar.sync 0;
  ld.shared.b32 %r6, [%r3+16];  // D: 32 columns
  add.u32 %r7, %r6, 32;         // A: 8 columns
  shl.b32 %r8, %r2, 21;
  add.u32 %r9, %r6, %r8;
  add.u32 %r10, %r7, %r8;
)";
    text += fmt::format("  mov.b32 %f0, 0f{:08X};\n",
                        std::bit_cast<uint32_t>(start));
    std::string same, regs;
    for (unsigned i = 0; i < 32; ++i) {
      same += fmt::format("{}%f0", i ? ", " : "");
      regs += fmt::format("{}%f{}", i ? ", " : "", i);
    }
    text += "  tcgen05.st.sync.aligned.32x32b.x32.b32 [%r9], {" + same + "};\n";
    if (a_in_tmem) {
      // Row = thread; 16 values of f16 are 8 words, two core matrices apart.
      text += R"(
  shr.u32 %r11, %r1, 3; shl.b32 %r11, %r11, 8;
  and.b32 %r12, %r1, 7; shl.b32 %r12, %r12, 4; add.u32 %r11, %r11, %r12;
  cvt.u64.u32 %rd4, %r11; add.s64 %rd4, %rd1, %rd4;
  ld.global.v4.b32 {%r20, %r21, %r22, %r23}, [%rd4];
  ld.global.v4.b32 {%r24, %r25, %r26, %r27}, [%rd4+128];
  tcgen05.st.sync.aligned.32x32b.x8.b32 [%r10], {%r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27};
)";
    }
    text += R"(
  tcgen05.wait::st.sync.aligned;
  tcgen05.fence::before_thread_sync;
  bar.sync 0;
  @%p1 bra WAIT_DONE;
  tcgen05.fence::after_thread_sync;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 5120;
  cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r4], [%rd1], 4096, [%r3];
  cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r5], [%rd2], 1024, [%r3];
WAIT_FULL:
  mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r3], 0;
  @!%p3 bra WAIT_FULL;
  shr.u32 %r13, %r4, 4; or.b32 %r13, %r13, 0x80000;   // LBO 128
  shr.u32 %r14, %r5, 4; or.b32 %r14, %r14, 0x80000;
  mov.b64 %rd5, {%r13, 0x00004010};                   // SBO 256, version 1
  mov.b64 %rd6, {%r14, 0x00004010};
  mov.b32 %r15, )" +
            fmt::format("{:#x}", kind.idesc) + R"(;
  mov.b32 %r16, 0; mov.b32 %r17, 0xF0;
  )" + mma + R"(
  tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r3+8];
WAIT_DONE:
  mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r3+8], 0;
  @!%p3 bra WAIT_DONE;
  bar.warp.sync -1;
  tcgen05.fence::after_thread_sync;
  tcgen05.ld.sync.aligned.32x32b.x32.b32 {)" +
            regs + R"(}, [%r9];
  tcgen05.wait::ld.sync.aligned;
  mul.wide.u32 %rd7, %r1, 128;
  add.s64 %rd7, %rd3, %rd7;
)";
    for (unsigned i = 0; i < 32; ++i)
      text += fmt::format("  st.global.b32 [%rd7+{}], %f{};\n", 4 * i, i);
    text += R"(
  bar.sync 0;
  @%p2 bra END;
  tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r6, 64;
END: ret;)";
    return kernel(3, text, ".extern .shared .align 1024 .b8 smem[];\n");
  }

  /// Largest error over what truncation and rounding of one instruction allow:
  /// (K + 1) * 2^-25 * max term + 2^-23 * |D|.
  double worst(double scale_d, float start, uint32_t skipped_lanes = 0) {
    double worst = 0;
    for (unsigned m = 0; m < M; ++m)
      for (unsigned n = 0; n < N; ++n) {
        double want = scale_d * start, most = std::fabs(want);
        for (unsigned k = 0; k < kind.k; ++k) {
          double p = wa[m * kind.k + k] * wb[n * kind.k + k];
          want += p;
          most = std::max(most, std::fabs(p));
        }
        if (m < 32 && (skipped_lanes >> m & 1))
          want = start, most = 0;
        double bound =
            (kind.k + 1) * 0x1p-25 * most + 0x1p-23 * std::fabs(want);
        double error = std::fabs(d[m * N + n] - want);
        worst = std::max(worst,
                         error <= bound ? error / (bound + 1e-300) : 1 + error);
      }
    return worst;
  }

  Expected<LaunchStats> run(const std::string &text, Delivery delivery) {
    Launch launch;
    launch.block = {128, 1, 1};
    launch.shared = 8192;
    launch.options.delivery = delivery;
    launch.options.seed = 5;
    return tryRun(text, memory, pack({a.address(), b.address(), d.address()}),
                  launch);
  }
};

const std::string kMma = "tcgen05.mma.cta_group::1.kind::f16 ";

} // namespace

TEST_CASE("operand forms of tcgen05.mma") {
  struct Form {
    const char *operands;
    bool tmem;
    double scale_d;
    uint32_t skipped;
  };
  const Form forms[] = {
      {"[%r6], %rd5, %rd6, %r15, %off;", false, 0, 0},
      {"[%r6], %rd5, %rd6, %r15, %on;", false, 1, 0},
      {"[%r6], %rd5, %rd6, %r15, !%on;", false, 0, 0},
      {"[%r6], %rd5, %rd6, %r15, %on, 3;", false, 0.125, 0},
      {"[%r6], [%r7], %rd6, %r15, %on;", true, 1, 0},
      {"[%r6], %rd5, %rd6, %r15, {%r17, %r16, %r16, %r16}, %on;", false, 1,
       0xF0},
  };
  for (const Form &form : forms) {
    CAPTURE(form.operands);
    for (Delivery delivery :
         {Delivery::eager, Delivery::lazy, Delivery::random}) {
      Mma mma(17);
      auto stats =
          mma.run(mma.ptx(kMma + form.operands, form.tmem, 2.5f), delivery);
      if (!stats)
        FAIL(stats.error().message);
      CHECK(mma.worst(form.scale_d, 2.5f, form.skipped) <= 1);
    }
  }
}

TEST_CASE("every kind of tcgen05.mma, A in shared and in tensor memory") {
  for (const Kind &kind : kKinds)
    for (bool tmem : {false, true})
      for (Delivery delivery : {Delivery::eager, Delivery::random}) {
        CAPTURE(kind.name, nameOf(kind.a), nameOf(kind.b), tmem);
        Mma mma(19, kind);
        auto stats = mma.run(
            mma.ptx(fmt::format("tcgen05.mma.cta_group::1.{} [%r6], {}, %rd6, "
                                "%r15, %on;",
                                kind.name, tmem ? "[%r7]" : "%rd5"),
                    tmem, -1.75f),
            delivery);
        if (!stats)
          FAIL(stats.error().message);
        CHECK(stats->warnings.empty());
        CHECK(mma.worst(1, -1.75f) <= 1);
      }
}

TEST_CASE("what tcgen05.mma refuses is reported with its line") {
  struct Case {
    const char *operands, *message;
  };
  for (const Case &c : {
           Case{"[%r6], %rd5, %rd6, %r16, %on;", "M"},
           Case{"[%r6+64], %rd5, %rd6, %r15, %on;", "column"},
           Case{"[%r6], %rd1, %rd6, %r15, %on;", "A"},
       }) {
    CAPTURE(c.operands);
    Mma mma(18);
    auto result =
        mma.run(mma.ptx(kMma + c.operands, false, 0), Delivery::eager);
    REQUIRE_FALSE(result);
    INFO(result.error().message);
    CHECK(result.error().message.find(c.message) != std::string::npos);
    CHECK(result.error().message.find("tcgen05.mma") != std::string::npos);
    CHECK(result.error().message.find("warp 0, lane 0") != std::string::npos);
  }
}
