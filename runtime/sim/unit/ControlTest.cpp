//===- ControlTest.cpp - divergence, collectives, barriers ------*- C++ -*-===//

#include "Harness.h"

using namespace tirx::rt;
using namespace tirx::rt::sim;
using namespace tirx::rt::sim::test;

namespace {

bool contains(const std::string &text, const std::string &part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
  return text.find(part) != std::string::npos;
}

const char *kHead = R"(
  .reg .b64 %rd<9>; .reg .b32 %r<20>; .reg .pred %p<9>;
  ld.param.b64 %rd1, [p0];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd2, %rd1, %rd2;
)";

} // namespace

TEST_CASE("lanes of a loop leave one by one and meet behind it") {
  GlobalMemory memory;
  Buffer<uint32_t> d(memory, 40);
  // Lane t runs t+1 iterations; then all lanes must be together for the vote.
  std::string ptx = kernel(1, kHead + std::string(R"(
  mov.u32 %r2, 0; mov.u32 %r3, 0;
LOOP:
  add.u32 %r3, %r3, %r2;
  and.b32 %r5, %r2, 1;
  setp.eq.u32 %p2, %r5, 0;
  @%p2 bra EVEN;
  add.u32 %r3, %r3, 100;
EVEN:
  add.u32 %r2, %r2, 1;
  setp.le.u32 %p1, %r2, %r1;
  @%p1 bra LOOP;
  setp.gt.u32 %p3, %r3, 100;
  vote.sync.ballot.b32 %r4, %p3, 0xffffffff;
  add.u32 %r3, %r3, %r4;
  st.global.b32 [%rd2], %r3;
  ret;)"));
  for (auto schedule :
       {SimOptions::Schedule::round_robin, SimOptions::Schedule::random}) {
    Launch launch;
    launch.options.schedule = schedule;
    mustRun(ptx, memory, pack({d.address()}), launch);
    uint32_t sums[32], ballot = 0;
    for (uint32_t t = 0; t < 32; ++t) {
      sums[t] = 0;
      for (uint32_t i = 0; i <= t; ++i)
        sums[t] += i + (i % 2 ? 100 : 0);
      ballot |= uint32_t(sums[t] > 100) << t;
    }
    for (uint32_t t = 0; t < 32; ++t)
      CHECK(d[t] == sums[t] + ballot);
  }
}

TEST_CASE("a table of branch targets splits a warp") {
  GlobalMemory memory;
  Buffer<uint32_t> d(memory, 32);
  std::string body = kHead + std::string(R"(
  and.b32 %r2, %r1, 3;
T: .branchtargets A, B, A, C;
  brx.idx %r2, T;
A: mov.u32 %r3, 10; bra.uni END;
B: mov.u32 %r3, 20; bra.uni END;
C: mov.u32 %r3, 30;
END:
  bar.warp.sync -1;
  st.global.b32 [%rd2], %r3;
  ret;)");
  mustRun(kernel(1, body), memory, pack({d.address()}));
  for (uint32_t t = 0; t < 32; ++t)
    CHECK(d[t] == (t % 4 == 1 ? 20 : t % 4 == 3 ? 30 : 10));
  body.replace(body.find("and.b32 %r2, %r1, 3"), 19, "and.b32 %r2, %r1, 7");
  std::string error = mustFail(kernel(1, body), memory, pack({d.address()}));
  contains(error, "index 4; the table has 4 targets");
  contains(error, "lane 4");
}

TEST_CASE("lanes can wait for lanes of their own warp") {
  // Lane 0 spins on a flag that lane 1 sets in the other arm: neither arm may
  // starve, whichever is scheduled first.
  GlobalMemory memory;
  Buffer<uint32_t> d(memory, 32);
  for (uint32_t &x : d)
    x = 0;
  std::string ptx = kernel(1, kHead + std::string(R"(
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra SPIN;
  st.volatile.global.b32 [%rd1+4], 1;
  bra END;
SPIN:
  ld.volatile.global.b32 %r2, [%rd1+4];
  setp.eq.u32 %p2, %r2, 0;
  @%p2 bra SPIN;
  st.global.b32 [%rd1], 7;
END:
  ret;)"));
  mustRun(ptx, memory, pack({d.address()}));
  CHECK(d[0] == 7);
}

TEST_CASE("lanes that wait at a join do not hold up those that spin") {
  // Lane 0 spins until the others, which are past the branch, set the flag.
  GlobalMemory memory;
  Buffer<uint32_t> d(memory, 32);
  for (uint32_t &x : d)
    x = 0;
  mustRun(kernel(1, kHead + std::string(R"(
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra PAST;
SPIN:
  ld.volatile.global.b32 %r2, [%rd1+4];
  setp.eq.u32 %p2, %r2, 0;
  @%p2 bra SPIN;
PAST:
  add.u32 %r3, %r1, 5;
  st.volatile.global.b32 [%rd2], %r3;
  ret;)")),
          memory, pack({d.address()}));
  for (uint32_t t = 0; t < 32; ++t)
    CHECK(d[t] == t + 5);
}

TEST_CASE("warp collectives") {
  GlobalMemory memory;
  Buffer<uint32_t> d(memory, 32 * 8);
  mustRun(kernel(1, kHead + std::string(R"(
  mul.lo.u32 %r2, %r1, 3;
  shfl.sync.up.b32   %r3|%p1, %r2, 5, 0, -1;
  shfl.sync.down.b32 %r4, %r2, 5, 31, -1;
  shfl.sync.bfly.b32 %r5, %r2, 9, 31, -1;
  shfl.sync.idx.b32  %r6, %r2, 1, 0x181f, -1;   // segments of 8 lanes
  selp.b32 %r7, 1000, 0, %p1;
  add.u32 %r3, %r3, %r7;
  and.b32 %r8, %r1, 3;
  match.any.sync.b32 %r9, %r8, -1;
  redux.sync.max.s32 %r10, %r2, -1;
  elect.sync %r11|%p2, -1;
  selp.b32 %r12, 1, 0, %p2;
  mul.wide.u32 %rd3, %r1, 32;
  add.s64 %rd3, %rd1, %rd3;
  st.global.v4.b32 [%rd3], {%r3, %r4, %r5, %r6};
  st.global.v4.b32 [%rd3+16], {%r9, %r10, %r11, %r12};
  ret;)")),
          memory, pack({d.address()}));
  for (uint32_t t = 0; t < 32; ++t) {
    uint32_t *row = &d[t * 8];
    CHECK(row[0] == (t >= 5 ? (t - 5) * 3 + 1000 : t * 3));
    CHECK(row[1] == (t + 5 < 32 ? (t + 5) * 3 : t * 3));
    CHECK(row[2] == (t ^ 9) * 3);
    CHECK(row[3] == ((t & ~7u) + 1) * 3);
    CHECK(row[4] == 0x11111111u << (t % 4));
    CHECK(row[5] == 93);
    CHECK(row[6] == 0);
    CHECK(row[7] == (t == 0));
  }
}

TEST_CASE("divergent .sync and .aligned instructions are reported") {
  GlobalMemory memory;
  Buffer<uint32_t> d(memory, 32);
  // Half of the warp executes another bar.sync than the rest.
  std::string bad = kernel(1, kHead + std::string(R"(
  setp.lt.u32 %p1, %r1, 16;
  @%p1 bra A;
  bar.sync 0;
  bra END;
A:
  bar.sync 0;
END: ret;)"));
  std::string error = mustFail(bad, memory, pack({d.address()}));
  contains(error, "divergent");
  contains(error, "bar.sync 0;");
  contains(error, "lanes 0-15");
  // Together it is fine, also when the arms have met again before.
  mustRun(kernel(1, kHead + std::string(R"(
  setp.lt.u32 %p1, %r1, 16;
  @%p1 bra A;
  add.u32 %r1, %r1, 1;
A:
  bar.sync 0;
  ret;)")),
          memory, pack({d.address()}));
  error = mustFail(kernel(1, kHead + std::string(R"(
  setp.lt.u32 %p1, %r1, 16;
  @%p1 shfl.sync.idx.b32 %r2, %r1, 20, 31, 0xffff;
  ret;)")),
                   memory, pack({d.address()}));
  contains(error, "lane 20, which does not execute it");
}

TEST_CASE("exited lanes and partial warps") {
  GlobalMemory memory;
  Buffer<uint32_t> d(memory, 64);
  for (uint32_t &x : d)
    x = 0;
  Launch launch;
  launch.block = {40, 1, 1};
  mustRun(kernel(1, kHead + std::string(R"(
  setp.eq.u32 %p1, %r1, 3;
  @%p1 exit;
  bar.sync 0;
  activemask.b32 %r2;
  st.global.b32 [%rd2], %r2;
  ret;)")),
          memory, pack({d.address()}), launch);
  for (uint32_t t = 0; t < 64; ++t)
    CHECK(d[t] == (t == 3 || t >= 40 ? 0 : t < 32 ? 0xFFFFFFF7u : 0xFFu));
}

TEST_CASE("named barriers: producers arrive, consumers sync") {
  GlobalMemory memory;
  Buffer<uint32_t> d(memory, 128);
  std::string body = kHead + std::string(R"(
  .shared .align 4 .b8 box[512];
  mov.u32 %r2, box;
  shl.b32 %r3, %r1, 2;
  add.u32 %r2, %r2, %r3;
  setp.ge.u32 %p1, %r1, 64;
  @%p1 bra CONSUMER;
  add.u32 %r4, %r1, 500;
  st.shared.b32 [%r2], %r4;
  bar.arrive 3, 128;
  bra END;
CONSUMER:
  bar.sync 3, 128;
  ld.shared.b32 %r4, [%r2+-256];
  st.global.b32 [%rd2], %r4;
END:
  setp.lt.u32 %p2, %r1, 10;
  bar.red.popc.u32 %r5, 1, %p2;
  add.s64 %rd2, %rd2, -256;
  @!%p1 bra OUT;
  add.s64 %rd2, %rd2, 0;
  st.global.b32 [%rd2], %r5;
OUT: ret;)");
  for (uint64_t seed = 0; seed < 6; ++seed) {
    Launch launch;
    launch.block = {128, 1, 1};
    launch.options.seed = seed;
    launch.options.schedule =
        seed ? SimOptions::Schedule::random : SimOptions::Schedule::round_robin;
    for (uint32_t &x : d)
      x = 0;
    mustRun(kernel(1, body), memory, pack({d.address()}), launch);
    for (uint32_t t = 64; t < 128; ++t)
      CHECK(d[t] == t - 64 + 500);
    for (uint32_t t = 0; t < 64; ++t)
      CHECK(d[t] == 10);
  }
  Launch launch;
  launch.block = {128, 1, 1};
  std::string wrong = body;
  wrong.replace(wrong.find("bar.sync 3, 128"), 15, "bar.sync 3, 96 ");
  contains(mustFail(kernel(1, wrong), memory, pack({d.address()}), launch),
           "barrier 3: this thread counts on");
  // Nobody arrives: a deadlock report, not a hang.
  std::string absent = body;
  absent.replace(absent.find("bar.arrive 3, 128;"), 18, "");
  std::string error =
      mustFail(kernel(1, absent), memory, pack({d.address()}), launch);
  contains(error, "deadlock");
  contains(error,
           "named barrier 3: 64 of 128 threads have arrived (warps 2,3)");
}

TEST_CASE("an endless loop ends at the instruction limit") {
  GlobalMemory memory;
  Buffer<uint32_t> d(memory, 1);
  d[0] = 0;
  Launch launch;
  launch.options.max_instructions = 5000;
  std::string error = mustFail(kernel(1, kHead + std::string(R"(
SPIN:
  ld.acquire.gpu.global.b32 %r2, [%rd1];
  setp.eq.u32 %p1, %r2, 0;
  @%p1 bra SPIN;
  ret;)")),
                               memory, pack({d.address()}), launch);
  contains(error, "5000 warp instructions");
}

TEST_CASE("CTAs that spin on each other all become resident") {
  // A barrier over the whole grid: each of 20 CTAs waits for all.
  GlobalMemory memory;
  Buffer<uint32_t> d(memory, 32);
  for (uint32_t &x : d)
    x = 0;
  Launch launch;
  launch.grid = {20, 1, 1};
  launch.options.max_instructions = 200'000'000;
  mustRun(kernel(1, kHead + std::string(R"(
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra END;
  atom.global.add.u32 %r2, [%rd1], 1;
SPIN:
  ld.acquire.gpu.global.b32 %r2, [%rd1];
  setp.lt.u32 %p1, %r2, 20;
  @%p1 bra SPIN;
  red.global.add.u32 [%rd1+4], 1;
END: ret;)")),
          memory, pack({d.address()}), launch);
  CHECK(d[1] == 20);
}

TEST_CASE("clusters: ranks, mapa, distributed shared memory, barrier") {
  GlobalMemory memory;
  Buffer<uint32_t> d(memory, 8);
  Launch launch;
  launch.grid = {8, 1, 1};
  launch.cluster = {4, 1, 1};
  launch.shared = 64;
  for (uint64_t seed = 0; seed < 4; ++seed) {
    launch.options.seed = seed;
    launch.options.schedule =
        seed ? SimOptions::Schedule::random : SimOptions::Schedule::round_robin;
    mustRun(kernel(1, kHead + std::string(R"(
  mov.u32 %r2, %cluster_ctarank;
  mov.u32 %r3, %ctaid.x;
  add.u32 %r4, %r2, 1;
  and.b32 %r4, %r4, 3;
  mov.u32 %r5, smem;
  mapa.shared::cluster.u32 %r6, %r5, %r4;
  setp.ne.u32 %p1, %r1, 0;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  @%p1 bra AFTER;
  mul.lo.u32 %r7, %r3, 11;
  st.shared::cluster.b32 [%r6], %r7;     // to the next CTA of the cluster
AFTER:
  barrier.cluster.arrive.release.aligned;
  barrier.cluster.wait.acquire.aligned;
  @%p1 bra END;
  ld.shared.b32 %r8, [%r5];
  mul.wide.u32 %rd3, %r3, 4;
  add.s64 %rd3, %rd1, %rd3;
  st.global.b32 [%rd3], %r8;
END: ret;)"),
                   ".extern .shared .align 16 .b8 smem[];\n"),
            memory, pack({d.address()}), launch);
    for (uint32_t c = 0; c < 8; ++c)
      CHECK(d[c] == (c / 4 * 4 + (c + 3) % 4) * 11);
  }
}
