//===- sim_benchmark.cpp - how fast the simulator executes PTX ------------===//
//
// items_per_second is warp instructions; the MMA kernel also reports
// multiply-adds of the tensor core.
//
//===----------------------------------------------------------------------===//
#include "tirx/Runtime/Simulator.h"

#include <benchmark/benchmark.h>

#include <cstring>

using namespace tirx::rt;

namespace {

constexpr const char *header = R"(
.version 8.8
.target sm_100a
.address_size 64
)";

/// Eight dependent fused multiply-adds a turn, in 8 warps.
constexpr const char *arithmetic = R"(
.visible .entry kernel(.param .u64 out, .param .u32 turns) .reqntid 256, 1, 1
{
  .reg .pred %p;
  .reg .f32 %f<4>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd0, [out];
  ld.param.u32 %r0, [turns];
  mov.u32 %r1, %tid.x;
  cvt.rn.f32.u32 %f0, %r1;
  mov.f32 %f1, 0f3F7FFFFF;
  mov.f32 %f2, 0f3A83126F;
LOOP:
  fma.rn.f32 %f0, %f0, %f1, %f2;
  fma.rn.f32 %f0, %f0, %f1, %f2;
  fma.rn.f32 %f0, %f0, %f1, %f2;
  fma.rn.f32 %f0, %f0, %f1, %f2;
  fma.rn.f32 %f0, %f0, %f1, %f2;
  fma.rn.f32 %f0, %f0, %f1, %f2;
  fma.rn.f32 %f0, %f0, %f1, %f2;
  fma.rn.f32 %f0, %f0, %f1, %f2;
  sub.u32 %r0, %r0, 1;
  setp.ne.u32 %p, %r0, 0;
  @%p bra LOOP;
  mul.wide.u32 %rd1, %r1, 4;
  add.u64 %rd0, %rd0, %rd1;
  st.global.f32 [%rd0], %f0;
  ret;
}
)";

/// Each thread stores to its own place in shared memory, meets the others, and
/// loads its neighbour's.
constexpr const char *shared = R"(
.visible .entry kernel(.param .u64 out, .param .u32 turns) .reqntid 256, 1, 1
{
  .shared .align 16 .b8 buffer[1024];
  .reg .pred %p;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd0, [out];
  ld.param.u32 %r0, [turns];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, buffer;
  shl.b32 %r3, %r1, 2;
  add.u32 %r4, %r2, %r3;
  xor.b32 %r5, %r3, 4;
  add.u32 %r5, %r2, %r5;
  mov.u32 %r6, %r1;
LOOP:
  st.shared.u32 [%r4], %r6;
  bar.sync 0;
  ld.shared.u32 %r7, [%r5];
  bar.sync 0;
  add.u32 %r6, %r6, %r7;
  sub.u32 %r0, %r0, 1;
  setp.ne.u32 %p, %r0, 0;
  @%p bra LOOP;
  mul.wide.u32 %rd1, %r1, 4;
  add.u64 %rd0, %rd0, %rd1;
  st.global.u32 [%rd0], %r6;
  ret;
}
)";

/// One thread issues `turns` times four 128x128x16 f16 MMAs on a 128x64 tile of
/// A and of B (128-byte swizzle, K-major), then all wait.
constexpr const char *matrix = R"(
.visible .entry kernel(.param .u64 out, .param .u32 turns) .reqntid 128, 1, 1
{
  .shared .align 1024 .b8 tiles[32768];
  .shared .align 8 .b8 barrier[8];
  .shared .align 4 .b8 slot[4];
  .reg .pred %p, %first, %done;
  .reg .b32 %r<16>;
  .reg .b64 %rd<16>;
  ld.param.u32 %r0, [turns];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, tiles;
  mov.u32 %r3, barrier;
  mov.u32 %r4, slot;
  // f16 values between 1 and 2, other in each row.
  shl.b32 %r5, %r1, 8;
  add.u32 %r5, %r2, %r5;
  mad.lo.u32 %r6, %r1, 0x00010003, 0x3C003C00;
  mov.u32 %r7, 64;
FILL:
  st.shared.b32 [%r5], %r6;
  add.u32 %r5, %r5, 4;
  sub.u32 %r7, %r7, 1;
  setp.ne.u32 %p, %r7, 0;
  @%p bra FILL;
  fence.proxy.async.shared::cta;
  setp.ge.u32 %p, %r1, 32;
  @%p bra READY;
  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r4], 128;
  tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
  setp.ne.u32 %p, %r1, 0;
  @%p bra READY;
  mbarrier.init.shared.b64 [%r3], 1;
  fence.mbarrier_init.release.cluster;
READY:
  tcgen05.fence::before_thread_sync;
  bar.sync 0;
  tcgen05.fence::after_thread_sync;
  ld.shared.b32 %r8, [%r4];
  setp.ne.u32 %p, %r1, 0;
  @%p bra WAIT;
  // Descriptors: start >> 4, LBO 1, SBO 1024 >> 4, version 1, swizzle 128B.
  shr.u32 %r9, %r2, 4;
  cvt.u64.u32 %rd0, %r9;
  or.b64 %rd0, %rd0, 0x4000404000010000;
  add.u64 %rd4, %rd0, 1024;
  setp.ne.u32 %first, %r1, %r1;
ISSUE:
  tcgen05.mma.cta_group::1.kind::f16 [%r8], %rd0, %rd4, 0x08200010, %first;
  setp.eq.u32 %first, %r1, %r1;
  add.u64 %rd1, %rd0, 2;
  add.u64 %rd5, %rd4, 2;
  tcgen05.mma.cta_group::1.kind::f16 [%r8], %rd1, %rd5, 0x08200010, %first;
  add.u64 %rd1, %rd0, 4;
  add.u64 %rd5, %rd4, 4;
  tcgen05.mma.cta_group::1.kind::f16 [%r8], %rd1, %rd5, 0x08200010, %first;
  add.u64 %rd1, %rd0, 6;
  add.u64 %rd5, %rd4, 6;
  tcgen05.mma.cta_group::1.kind::f16 [%r8], %rd1, %rd5, 0x08200010, %first;
  sub.u32 %r0, %r0, 1;
  setp.ne.u32 %p, %r0, 0;
  @%p bra ISSUE;
  tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r3];
WAIT:
  mbarrier.try_wait.parity.shared.b64 %done, [%r3], 0;
  @!%done bra WAIT;
  tcgen05.fence::after_thread_sync;
  bar.sync 0;
  setp.ge.u32 %p, %r1, 32;
  @%p bra END;
  tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r8, 128;
END:
  ret;
}
)";

/// Runs `kernel` with `turns` turns in each of `ctas` CTAs of `threads`.
void measure(benchmark::State &state, const char *kernel, uint32_t threads,
             uint32_t turns, double multiplyAddsPerTurn,
             SimOptions::Numerics numerics) {
  constexpr uint32_t ctas = 4;
  auto program = sim::loadProgram(std::string(header) + kernel, "benchmark");
  sim::GlobalMemory memory;
  auto out = memory.allocate(4 * threads);
  if (!program || !out) {
    state.SkipWithError(
        (program ? out.error() : program.error()).message.c_str());
    return;
  }
  std::byte parameters[16] = {};
  std::memcpy(parameters, &*out, 8);
  std::memcpy(parameters + 8, &turns, 4);
  sim::SimLaunch launch;
  launch.grid = {ctas, 1, 1};
  launch.block = {threads, 1, 1};
  launch.parameters = std::span(parameters, 12);
  SimOptions options;
  options.numerics = numerics;
  uint64_t instructions = 0;
  for (auto _ : state) {
    auto stats = sim::run(**program, "kernel", launch, memory, options);
    if (!stats) {
      state.SkipWithError(stats.error().message.c_str());
      return;
    }
    instructions += stats->warp_instructions;
  }
  state.SetItemsProcessed(instructions);
  if (multiplyAddsPerTurn > 0)
    state.counters["multiply_adds"] =
        benchmark::Counter(multiplyAddsPerTurn * turns * ctas,
                           benchmark::Counter::kIsIterationInvariantRate);
}

void simulateArithmetic(benchmark::State &state) {
  measure(state, arithmetic, 256, 1000, 0, SimOptions::Numerics::exact);
}
BENCHMARK(simulateArithmetic)->Unit(benchmark::kMillisecond);

void simulateShared(benchmark::State &state) {
  measure(state, shared, 256, 1000, 0, SimOptions::Numerics::exact);
}
BENCHMARK(simulateShared)->Unit(benchmark::kMillisecond);

void simulateMMA(benchmark::State &state) {
  measure(state, matrix, 128, 4, 4.0 * 128 * 128 * 16,
          state.range(0) ? SimOptions::Numerics::fast
                         : SimOptions::Numerics::exact);
}
BENCHMARK(simulateMMA)
    ->Arg(0)
    ->Arg(1)
    ->ArgName("fast")
    ->Unit(benchmark::kMillisecond);

} // namespace
