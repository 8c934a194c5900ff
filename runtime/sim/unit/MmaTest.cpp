//===- MmaTest.cpp - operand forms of tcgen05.mma ---------------*- C++ -*-===//

#include "Harness.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

using namespace tirx::rt;
using namespace tirx::rt::sim;
using namespace tirx::rt::sim::test;

namespace {

using Delivery = SimOptions::Delivery;
constexpr unsigned M = 128, N = 32, K = 16;

/// One MMA of 128 x 32 x 16 in f16 by four warps. A and B come by bulk copy in
/// the unswizzled K-major layout (8 rows x 16 bytes a core matrix, LBO 128, SBO
/// 256); `mma` is the instruction; D starts as `start` in every element.
struct Mma {
  GlobalMemory memory;
  Buffer<_Float16> a{memory, M * K, "A"}, b{memory, N * K, "B"};
  Buffer<float> d{memory, M * N, "D"};
  std::vector<float> wa, wb;

  explicit Mma(uint64_t seed) : wa(M * K), wb(N * K) {
    Random random(seed);
    auto fill = [&](Buffer<_Float16> &to, std::vector<float> &plain,
                    unsigned rows) {
      for (unsigned r = 0; r < rows; ++r)
        for (unsigned k = 0; k < K; ++k) {
          _Float16 x = static_cast<_Float16>(random.normal());
          to[(r / 8 * 256 + k / 8 * 128 + r % 8 * 16) / 2 + k % 8] = x;
          plain[r * K + k] = float(x);
        }
    };
    fill(a, wa, M);
    fill(b, wb, N);
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
  mov.b32 %r15, 0x08080010;                           // M128 N32 f16 to f32
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
  /// 17 * 2^-25 * max term + 2^-23 * |D|.
  double worst(double scale_d, float start, uint32_t skipped_lanes = 0) {
    double worst = 0;
    for (unsigned m = 0; m < M; ++m)
      for (unsigned n = 0; n < N; ++n) {
        double want = scale_d * start, most = std::fabs(want);
        for (unsigned k = 0; k < K; ++k) {
          double p = double(wa[m * K + k]) * wb[n * K + k];
          want += p;
          most = std::max(most, std::fabs(p));
        }
        if (m < 32 && (skipped_lanes >> m & 1))
          want = start, most = 0;
        double bound = 17 * 0x1p-25 * most + 0x1p-23 * std::fabs(want);
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
