//===- RaceTest.cpp - races of ordinary shared-memory accesses --*- C++ -*-===//
//
// Each kind of synchronisation keeps the detector quiet; without it the same
// kernel is reported.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

using namespace tirx::rt;
using namespace tirx::rt::sim;
using namespace tirx::rt::sim::test;

namespace {

/// %r1 thread, %r2 warp; %r5 this thread's word, %r6 that of the thread with
/// the same lane in the next warp; %r7 barriers, one arrival of each thread.
std::string racePtx(const std::string &body) {
  return kernel(1, R"(
  .reg .b64 %rd<9>; .reg .b32 %r<20>; .reg .pred %p<9>; .reg .b16 %h<4>;
  ld.param.b64 %rd1, [p0];
  mov.u32 %r1, %tid.x;
  mov.u32 %r9, %ntid.x;
  shr.u32 %r2, %r1, 5;
  mov.u32 %r7, smem;
  add.u32 %r3, %r7, 1024;
  shl.b32 %r4, %r1, 2;
  add.u32 %r5, %r3, %r4;
  add.u32 %r6, %r1, 32;
  rem.u32 %r6, %r6, %r9;
  shl.b32 %r6, %r6, 2;
  add.u32 %r6, %r3, %r6;
  setp.ne.u32 %p1, %r1, 0;
  setp.ne.u32 %p2, %r2, 0;
  @!%p1 mbarrier.init.shared::cta.b64 [%r7], %r9;
  @!%p1 mbarrier.init.shared::cta.b64 [%r7+8], 1;
  fence.mbarrier_init.release.cluster;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
)" + body + "\nEND: ret;",
                ".extern .shared .align 1024 .b8 smem[];\n");
}

std::vector<std::string> warningsOf(const std::string &body, uint64_t seed,
                                    unsigned threads = 128, unsigned ctas = 1) {
  GlobalMemory memory;
  Buffer<uint32_t> data(memory, 256);
  for (uint32_t &word : data)
    word = 0;
  Launch launch;
  launch.block = {threads, 1, 1};
  launch.cluster = launch.grid = {ctas, 1, 1};
  launch.shared = 4096;
  launch.options.seed = seed;
  launch.options.delivery = static_cast<SimOptions::Delivery>(seed % 3);
  launch.options.schedule = seed % 2 ? SimOptions::Schedule::random
                                     : SimOptions::Schedule::round_robin;
  return mustRun(racePtx(body), memory, pack({data.address()}), launch)
      .warnings;
}

void quiet(const std::string &body, unsigned threads = 128, unsigned ctas = 1) {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    CAPTURE(body, seed);
    for (const std::string &warning : warningsOf(body, seed, threads, ctas))
      FAIL(warning);
  }
}

void noisy(const std::string &body, const char *message, unsigned threads = 128,
           unsigned ctas = 1) {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    CAPTURE(body, seed);
    const auto warnings = warningsOf(body, seed, threads, ctas);
    REQUIRE_FALSE(warnings.empty());
    CHECK_THAT(warnings[0], Catch::Contains("race: lane"));
    if (seed == 0)
      CHECK_THAT(warnings[0], Catch::Contains(message));
  }
}

const std::string kWrite = "st.shared.b32 [%r5], %r1;\n";
const std::string kRead = "ld.shared.b32 %r10, [%r6];\n";
const std::string kArrive = "mbarrier.arrive.shared::cta.b64 _, [%r7];\n";
const std::string kWait = R"(
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r7], 0;
  @!%p3 bra WAIT;
)";

} // namespace

TEST_CASE("what other warps wrote is read after synchronisation only") {
  noisy(kWrite + kRead, "no synchronisation in between");
  quiet(kWrite + "bar.sync 0;\n" + kRead);
  quiet(kWrite + "bar.sync 3, 128;\n" + kRead);
  quiet(kWrite +
        "barrier.cluster.arrive.aligned;\n"
        "barrier.cluster.wait.aligned;\n" +
        kRead);
  quiet(kWrite + kArrive + kWait + kRead);
  // Arrivals alone order nothing.
  noisy(kWrite + kArrive + kRead, "lane");
  noisy(kWrite + "barrier.cluster.arrive.aligned;\n" + kRead +
            "barrier.cluster.wait.aligned;\n",
        "lane");
  // Nor does a barrier before the write.
  noisy("bar.sync 0;\n" + kWrite + kRead, "lane");
}

TEST_CASE("what other warps read is overwritten after synchronisation only") {
  const std::string start = kWrite + "bar.sync 0;\n" + kRead;
  noisy(start + kWrite, "writes shared memory at");
  quiet(start + "bar.sync 0;\n" + kWrite);
  quiet(start + kArrive + kWait + kWrite);
  quiet(start + "bar.sync 1;\n" + kWrite + "bar.sync 1;\n" + kRead);
}

TEST_CASE("producers arrive at a named barrier, consumers sync") {
  // Warps 0 and 1 write, warps 2 and 3 read.
  const auto body = [](const char *arrive, const char *sync) {
    return std::string(R"(
  setp.ge.u32 %p4, %r2, 2;
  @%p4 bra CONSUMER;
  st.shared.b32 [%r5], %r1;
  )") + arrive +
           R"(
  bra LAST;
CONSUMER:
  )" + sync +
           R"(
  ld.shared.b32 %r10, [%r5+-256];
LAST:
  bar.sync 5, 128;
)";
  };
  quiet(body("bar.arrive 2, 128;", "bar.sync 2, 128;"));
  noisy(body("bar.arrive 2, 64;", "bar.sync 3, 64;"), "lane");
}

TEST_CASE("bytes, warps and words that have nothing to do with each other") {
  // Each warp has its own word, half-word and byte of one 16-byte cell.
  quiet("shl.b32 %r8, %r2, 2; add.u32 %r8, %r3, %r8;\n"
        "st.shared.b32 [%r8], %r1; ld.shared.b32 %r10, [%r8];");
  quiet("shl.b32 %r8, %r2, 1; add.u32 %r8, %r3, %r8;\n"
        "st.shared.b16 [%r8], 7; ld.shared.u16 %h1, [%r8];");
  quiet("add.u32 %r8, %r3, %r2;\n"
        "st.shared.b8 [%r8], 7; ld.shared.u8 %h1, [%r8];");
  noisy("st.shared.b8 [%r3], 7;", "writes shared memory at 0x800");
  // Lanes of a warp are ordered by bar.warp.sync.
  quiet(kWrite + "bar.warp.sync -1;\nxor.b32 %r8, %r4, 4;\n"
                 "add.u32 %r8, %r3, %r8;\nld.shared.b32 %r10, [%r8];");
  // Reads do not race with each other.
  quiet("@!%p2 st.shared.b32 [%r3], 5;\nbar.sync 0;\n"
        "ld.shared.b32 %r10, [%r3]; ld.shared.b32 %r11, [%r3];");
}

TEST_CASE("atomics and strong accesses order what is around them") {
  quiet("red.shared.add.u32 [%r3], 1;\natom.shared.add.u32 %r10, [%r3], 1;");
  quiet("st.volatile.shared.b32 [%r3], %r1;\nld.volatile.shared.b32 %r10, "
        "[%r3];");
  // Warp 0 writes, then raises a flag that the others wait for.
  const std::string flag = R"(
  @%p2 bra OTHERS;
  st.shared.b32 [%r5], %r1;
  bar.warp.sync -1;
  @!%p1 st.release.cta.shared.b32 [%r3+1024], 1;
  bra END;
OTHERS:
  {}ld.acquire.cta.shared.b32 %r10, [%r3+1024];
  setp.ne.u32 %p4, %r10, 1;
  @%p4 bra OTHERS;
  and.b32 %r11, %r4, 124;
  add.u32 %r11, %r3, %r11;
  ld.shared.b32 %r12, [%r11];
)";
  std::string body = flag;
  body.replace(body.find("{}"), 2, "");
  quiet(body);
}

TEST_CASE("completions of asynchronous operations carry the issuer's clock") {
  // The first thread writes a word, then copies elsewhere; who waits for the
  // copy sees the word.
  const std::string copy = R"(
  @%p1 bra ISSUED;
  st.shared.b32 [%r3+512], 9;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r7+8], 128;
  cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r3], [%rd1], 128, [%r7+8];
ISSUED:
)";
  quiet(copy + R"(
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r7+8], 0;
  @!%p3 bra WAIT;
  ld.shared.b32 %r10, [%r3+512];
  ld.shared.b32 %r11, [%r3];
)");
  noisy(copy + "ld.shared.b32 %r10, [%r3+512];\n" + R"(
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r7+8], 0;
  @!%p3 bra WAIT;
)",
        "lane");
}

TEST_CASE("asynchronous operations come after what their issuer knows of") {
  const std::string fence = "fence.proxy.async.shared::cta;\n";
  const std::string store = R"(
  @%p1 bra STORED;
  cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r3], 512;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
STORED:
  bar.sync 0;
)";
  quiet(kWrite + fence + "bar.sync 0;\n" + store);
  quiet(kWrite + fence + kArrive + kWait + store);
  // Eager delivery hides what other deliveries report as an error.
  const auto hidden = [](const std::string &body) {
    const auto warnings = warningsOf(body, 0);
    REQUIRE_FALSE(warnings.empty());
    return warnings[0];
  };
  CHECK_THAT(hidden(kWrite + fence + store),
             Catch::Contains("race: lane 0 of warp 0 issues cp.async.bulk that "
                             "reads shared memory at"));

  const std::string refill = R"(
  @%p1 bra ISSUED;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r7+8], 512;
  cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r3], [%rd1], 512, [%r7+8];
ISSUED:
FULL:
  mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r7+8], 0;
  @!%p3 bra FULL;
)";
  quiet(kRead + fence + "bar.sync 0;\n" + refill + kRead);
  CHECK_THAT(hidden(kRead + fence + refill),
             Catch::Contains("issues cp.async.bulk that writes shared memory "
                             "at"));
}

TEST_CASE("the source of a bulk copy is written after a wait for its read") {
  // Two stages; the second round writes the first stage again.
  const auto round = [](const char *stage, const std::string &wait) {
    return std::string(R"(
  @%p1 bra W)") +
           stage + R"(;
)" + wait + R"(
W)" + stage +
           R"(:
  bar.sync 0;
  st.shared.b32 [%r5], %r1;
  fence.proxy.async.shared::cta;
  bar.sync 0;
  @%p1 bra S)" +
           stage + R"(;
  cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r3], 512;
  cp.async.bulk.commit_group;
S)" + stage +
           ":\n";
  };
  const std::string read = "cp.async.bulk.wait_group.read 0;\n";
  const std::string end = R"(
  @%p1 bra LAST;
  cp.async.bulk.wait_group 0;
LAST:
)";
  quiet(round("A", "") + round("B", read) + end);
  quiet(round("A", "") + round("B", "cp.async.bulk.wait_group 0;\n") + end);
  // Eager delivery hides what other deliveries report as an error.
  for (const char *wait : {"", "cp.async.bulk.wait_group.read 1;\n"}) {
    const auto warnings =
        warningsOf(round("A", "") + round("B", wait) + end, 0);
    REQUIRE_FALSE(warnings.empty());
    CHECK_THAT(
        warnings[0],
        Catch::Contains("race: lane") &&
            Catch::Contains("not waited for by cp.async.bulk.wait_group"));
  }
  // One thread waits, the others do not know.
  const auto warnings =
      warningsOf(round("A", "") + "bar.sync 0;\n@%p1 bra R;\n" + read +
                     "R:\nst.shared.b32 [%r5], %r1;\n" + end,
                 0);
  REQUIRE_FALSE(warnings.empty());
  CHECK_THAT(warnings[0], Catch::Contains("race: lane") &&
                              Catch::Contains("bulk copy of CTA rank 0"));
}

TEST_CASE("distributed shared memory") {
  // Each CTA writes a word of the other.
  const std::string write = R"(
  mov.u32 %r8, %cluster_ctarank;
  xor.b32 %r8, %r8, 1;
  mapa.shared::cluster.u32 %r11, %r5, %r8;
  st.shared::cluster.b32 [%r11], %r1;
)";
  const std::string sync = "barrier.cluster.arrive.aligned;\n"
                           "barrier.cluster.wait.aligned;\n";
  const std::string read = "ld.shared.b32 %r10, [%r5];\n";
  quiet(write + sync + read + sync, 64, 2);
  noisy(write + read + sync, "CTA rank", 64, 2);
  noisy(write + "bar.sync 0;\n" + read + sync, "CTA rank", 64, 2);
}
