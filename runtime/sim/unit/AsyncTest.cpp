//===- AsyncTest.cpp - mbarriers, bulk copies, cp.async, detectors -*- C++
//-*-===//
//
// Each detector has a kernel that it must report and a twin that is right.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <algorithm>
#include <bit>

using namespace tirx::rt;
using namespace tirx::rt::sim;
using namespace tirx::rt::sim::test;

namespace {

using Delivery = SimOptions::Delivery;

void contains(const std::string &text, const std::string &part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
}

/// One warp; bar at smem+0, data at smem+1024.
const char *kHead = R"(
  .reg .b64 %rd<20>; .reg .b32 %r<20>; .reg .pred %p<9>;
  ld.param.b64 %rd1, [p0]; ld.param.b64 %rd2, [p1];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, smem;           // mbarrier
  add.u32 %r3, %r2, 1024;      // data
  shl.b32 %r4, %r1, 2;
  add.u32 %r5, %r3, %r4;       // this thread's word
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd2, %rd3;    // where it writes its result
  setp.ne.u32 %p1, %r1, 0;
)";
const char *kInit = R"(
  @!%p1 mbarrier.init.shared::cta.b64 [%r2], 1;
  bar.sync 0;
)";
const char *kLoad = R"(
  @!%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 128;
  @!%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r3], [%rd1], 128, [%r2];
)";
const char *kWait = R"(
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 0;
  @!%p2 bra WAIT;
)";
const char *kUse = R"(
  ld.shared.b32 %r6, [%r5];
  st.global.b32 [%rd4], %r6;
)";

struct Fixture {
  GlobalMemory memory;
  Buffer<uint32_t> in{memory, 64, "IN"}, out{memory, 64, "OUT"};
  Launch launch;

  Fixture() {
    launch.shared = 4096;
    for (uint32_t i = 0; i < 64; ++i) {
      in[i] = 1000 + i * i;
      out[i] = 0;
    }
  }
  std::string ptx(const std::string &body) {
    return kernel(2, kHead + body + "\n  ret;",
                  ".extern .shared .align 1024 .b8 smem[];\n");
  }
  void good(const std::string &body, Delivery delivery, uint64_t seed = 0) {
    launch.options.delivery = delivery;
    launch.options.seed = seed;
    auto stats =
        mustRun(ptx(body), memory, pack({in.address(), out.address()}), launch);
    for (const std::string &text : stats.warnings)
      FAIL(text);
  }
  std::string bad(const std::string &body, Delivery delivery) {
    launch.options.delivery = delivery;
    return mustFail(ptx(body), memory, pack({in.address(), out.address()}),
                    launch);
  }
  /// Wrong under every delivery, and right in its twin.
  void pair(const std::string &wrong, const std::string &right,
            const std::string &message) {
    for (Delivery delivery : {Delivery::eager, Delivery::lazy}) {
      contains(bad(wrong, delivery), message);
      good(right, delivery);
    }
  }
};

std::string operator+(const char *a, const std::string &b) {
  return std::string(a) + b;
}

std::string code(std::initializer_list<const char *> parts) {
  std::string text;
  for (const char *part : parts)
    text += part;
  return text;
}

} // namespace

TEST_CASE("bulk copies to and from shared memory") {
  Fixture f;
  // In, plus one, fenced, out again.
  std::string body = code({kInit, kLoad, kWait, R"(
  ld.shared.b32 %r6, [%r5];
  add.u32 %r6, %r6, 1;
  st.shared.b32 [%r5], %r6;
  fence.proxy.async.shared::cta;
  bar.sync 0;
  @%p1 bra END;
  cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r3], 128;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
END:)"});
  for (uint64_t seed = 0; seed < 12; ++seed) {
    f.good(body, static_cast<Delivery>(seed % 3), seed);
    for (uint32_t i = 0; i < 64; ++i) {
      CHECK(f.out[i] == (i < 32 ? 1001 + i * i : 0));
      f.out[i] = 0;
    }
  }
}

TEST_CASE("bulk reductions to global memory") {
  Fixture f;
  const auto body = [](const std::string &operation) {
    return code({kInit, kLoad, kWait}) + R"(
  @%p1 bra END;
  cp.reduce.async.bulk.global.shared::cta.bulk_group.)" +
           operation + R"( [%rd2], [%r3], 128;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
END:)";
  };
  // in[i] = 1000 + i * i, out[i] = start + 3 * i.
  struct Row {
    const char *operation;
    uint32_t (*expected)(uint32_t out, uint32_t in);
  };
  const Row rows[] = {
      {"add.u32", [](uint32_t out, uint32_t in) { return out + in; }},
      {"add.s32", [](uint32_t out, uint32_t in) { return out + in; }},
      {"min.u32", [](uint32_t out, uint32_t in) { return std::min(out, in); }},
      {"max.s32",
       [](uint32_t out, uint32_t in) {
         return uint32_t(std::max(int32_t(out), int32_t(in)));
       }},
      {"inc.u32",
       [](uint32_t out, uint32_t in) { return out >= in ? 0 : out + 1; }},
      {"xor.b32", [](uint32_t out, uint32_t in) { return out ^ in; }},
      {"add.f32",
       [](uint32_t out, uint32_t in) {
         return std::bit_cast<uint32_t>(std::bit_cast<float>(out) +
                                        std::bit_cast<float>(in));
       }},
  };
  for (const Row &row : rows)
    for (uint64_t seed = 0; seed < 6; ++seed) {
      CAPTURE(row.operation, seed);
      const bool real = std::string(row.operation) == "add.f32";
      for (uint32_t i = 0; i < 64; ++i) {
        f.in[i] =
            real ? std::bit_cast<uint32_t>(float(i) * 1.25f) : 1000 + i * i;
        f.out[i] =
            real ? std::bit_cast<uint32_t>(float(i) * -7.5f + 1) : 990 + 3 * i;
      }
      f.good(body(row.operation), static_cast<Delivery>(seed % 3), seed);
      for (uint32_t i = 0; i < 64; ++i) {
        const uint32_t before =
            real ? std::bit_cast<uint32_t>(float(i) * -7.5f + 1) : 990 + 3 * i;
        CHECK(f.out[i] == (i < 32 ? row.expected(before, f.in[i]) : before));
      }
    }
  for (auto [operation, message] :
       {std::pair("add.f16", ".noftz belongs to .add of f16"),
        {"add.noftz.u32", ".noftz belongs to .add of f16"},
        {"inc.s32", "cp.reduce.async.bulk.inc is not defined for INT32"},
        {"and.f32", "cp.reduce.async.bulk.and is not defined for FLOAT32"}}) {
    CAPTURE(operation);
    contains(f.bad(body(operation), Delivery::eager), message);
  }
}

TEST_CASE("a destination that is read before its barrier is observed") {
  Fixture f;
  // Lazy delivery shows it; eager delivery cannot.
  std::string error =
      f.bad(code({kInit, kLoad, "bar.sync 0;", kUse, kWait}), Delivery::lazy);
  contains(error, "still writes it");
  contains(error, "cp.async.bulk.shared::cta.global");
  contains(error, "ld.shared.b32 %r6, [%r5];");
  for (uint64_t seed = 0; seed < 6; ++seed) {
    f.good(code({kInit, kLoad, kWait, kUse}), static_cast<Delivery>(seed % 3),
           seed);
    CHECK(f.out[5] == 1025);
  }
}

TEST_CASE("generic writes that the async proxy reads need a proxy fence") {
  const char *store = "st.shared.b32 [%r5], %r1;\n";
  const char *send = R"(
  bar.sync 0;
  @%p1 bra END;
  cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r3], 128;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group.read 0;
END:)";
  Fixture f;
  f.pair(code({store, send}), code({store, "fence.proxy.async;", send}),
         "no fence.proxy.async since");
  CHECK(f.out[9] == 9);
  // A fence of the issuing thread alone is tolerated, with a warning.
  f.launch.options.delivery = Delivery::eager;
  auto stats = mustRun(
      f.ptx(code({store, "bar.sync 0;\n @!%p1 fence.proxy.async;", send})),
      f.memory, pack({f.in.address(), f.out.address()}), f.launch);
  REQUIRE(stats.warnings.size() == 1);
  contains(stats.warnings[0], "issuing thread, not by the writer");
}

TEST_CASE("a stage that was read is refilled after a proxy fence") {
  const char *refill = R"(
  bar.sync 0;
  @!%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 128;
  @!%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r3], [%rd1], 128, [%r2];
AGAIN:
  mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 1;
  @!%p2 bra AGAIN;
)";
  const char *fence = "fence.proxy.async.shared::cta;\n";
  for (Delivery delivery : {Delivery::eager, Delivery::lazy}) {
    Fixture f;
    f.good(code({kInit, kLoad, kWait, kUse, fence, refill}), delivery);
    // A fence of the issuing thread behind the barrier will do.
    f.good(code({kInit, kLoad, kWait, kUse, "bar.sync 0;\n", fence, refill}),
           delivery);
    // Nobody has read: nothing to fence.
    f.good(code({kInit, kLoad, kWait, refill}), delivery);
    f.launch.options.delivery = delivery;
    auto stats =
        mustRun(f.ptx(code({kInit, kLoad, kWait, kUse, refill})), f.memory,
                pack({f.in.address(), f.out.address()}), f.launch);
    REQUIRE(stats.warnings.size() == 1);
    contains(stats.warnings[0],
             "cp.async.bulk overwrites shared memory at 0x800 through the "
             "async proxy; warp 0 lane");
    contains(stats.warnings[0], "ld.shared.b32 %r6, [%r5]");
  }
}

TEST_CASE("stores must be waited for before the memory goes") {
  const char *send = R"(
  st.shared.b32 [%r5], %r1;
  fence.proxy.async;
  bar.sync 0;
  @%p1 bra END;
  cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r3], 128;
)";
  Fixture f;
  f.pair(code({send, "cp.async.bulk.commit_group;\nEND:"}),
         code({send, "cp.async.bulk.commit_group;\n"
                     "cp.async.bulk.wait_group.read 0;\nEND:"}),
         "did not wait for its bulk copy");
  f.pair(code({send, "END:"}),
         code({send, "cp.async.bulk.commit_group;\n"
                     "cp.async.bulk.wait_group 0;\nEND:"}),
         "did not commit it");
  // Overwriting the source while it may still be read.
  std::string again = "cp.async.bulk.commit_group;\n{0}\n"
                      "st.shared.b32 [%r3], %r1;\n"
                      "cp.async.bulk.wait_group 0;\nEND:";
  auto with = [&](const char *wait) {
    std::string text = again;
    return send + text.replace(text.find("{0}"), 3, wait);
  };
  contains(f.bad(with(""), Delivery::lazy), "still reads it");
  for (Delivery d : {Delivery::eager, Delivery::lazy, Delivery::random})
    f.good(with("cp.async.bulk.wait_group.read 0;"), d, 3);
}

TEST_CASE("copies outstanding at the end of a CTA") {
  Fixture f;
  contains(f.bad(code({kInit, kLoad}), Delivery::lazy),
           "operation outstanding that uses its memory");
  f.good(code({kInit, kLoad, kWait}), Delivery::lazy);
}

TEST_CASE("mbarrier protocol errors") {
  Fixture f;
  const char *arrive = "@!%p1 mbarrier.arrive.shared::cta.b64 _, [%r2];\n";
  f.pair(code({arrive}), code({kInit, arrive}), "no mbarrier was initialised");
  f.pair(code({kInit, "@!%p1 mbarrier.arrive.shared::cta.b64 _, [%r2], 2;"}),
         code({kInit, arrive}), "over-arrive");
  f.pair(code({kInit, "@!%p1 st.shared.b32 [%r2], %r1;\n", arrive}),
         code({kInit, "@!%p1 st.shared.b32 [%r2+8], %r1;\n", arrive}),
         "ordinary write onto a live mbarrier");
  f.pair(code({kInit, "@!%p1 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 "
                      "[%r2], 64;\n"}),
         code({kInit, "@!%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, "
                      "[%r2], 0;\n"}),
         "64 bytes of transactions pending that never arrived");
  f.pair(code({"@!%p1 mbarrier.init.shared::cta.b64 [%r2+4], 1;\n"}),
         code({"@!%p1 mbarrier.init.shared::cta.b64 [%r2+16], 1;\n"}),
         "8-byte alignment");
}

TEST_CASE("mbarrier phases: parity, tokens, test_wait") {
  Fixture f;
  // 32 threads arrive; each waits by its token, then by parity.
  std::string body = R"(
  @!%p1 mbarrier.init.shared::cta.b64 [%r2], 32;
  bar.sync 0;
  mbarrier.arrive.shared::cta.b64 %rd5, [%r2];
W1: mbarrier.try_wait.shared::cta.b64 %p2, [%r2], %rd5;
  @!%p2 bra W1;
  mbarrier.test_wait.parity.shared::cta.b64 %p3, [%r2], 0;
  mbarrier.test_wait.parity.shared::cta.b64 %p4, [%r2], 1;
  selp.b32 %r6, 1, 0, %p3;
  selp.b32 %r7, 2, 0, %p4;
  add.u32 %r6, %r6, %r7;
  mbarrier.pending_count.b64 %r8, %rd5;
  shl.b32 %r8, %r8, 8;
  add.u32 %r6, %r6, %r8;
  st.global.b32 [%rd4], %r6;
  bar.sync 0;
  @!%p1 mbarrier.inval.shared::cta.b64 [%r2];
)";
  f.good(body, Delivery::eager);
  for (uint32_t t = 0; t < 32; ++t)
    CHECK((f.out[t] & 3) == 1);
}

TEST_CASE("a wait that nobody ends is a deadlock report") {
  Fixture f;
  for (Delivery d : {Delivery::eager, Delivery::lazy, Delivery::random}) {
    std::string error = f.bad(code({kInit, R"(
  @!%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 256;
  @!%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r3], [%rd1], 128, [%r2];
)",
                                    kWait, kUse}),
                              d);
    contains(error, "deadlock");
    contains(error, "mbarrier at shared offset 0x400");
    contains(error, "parity 0");
    contains(error, "128 transaction bytes pending");
    contains(error, "expect_tx(256) by CTA 0 warp 0 lane 0");
    contains(error, "complete_tx(128)");
  }
  // A loop over test_wait is no endless loop either.
  std::string error = f.bad(code({kInit, R"(
SPIN:
  mbarrier.test_wait.parity.shared::cta.b64 %p2, [%r2], 0;
  @!%p2 bra SPIN;)"}),
                            Delivery::eager);
  contains(error, "deadlock");
}

TEST_CASE("cp.async: groups, zero fill, mbarrier arrival") {
  Fixture f;
  std::string copy = R"(
  add.s64 %rd5, %rd1, %rd3;
  cp.async.ca.shared.global [%r5], [%rd5], 4;
)";
  std::string use = code({kUse});
  for (uint64_t seed = 0; seed < 6; ++seed) {
    f.good(copy + "cp.async.commit_group;\ncp.async.wait_group 0;\n" + use,
           static_cast<Delivery>(seed % 3), seed);
    CHECK(f.out[31] == 1000 + 31 * 31);
    f.out[31] = 0;
    f.good(copy + "cp.async.wait_all;\n" + use, static_cast<Delivery>(seed % 3),
           seed);
    CHECK(f.out[31] == 1000 + 31 * 31);
    f.out[31] = 0;
  }
  contains(f.bad(copy + "cp.async.commit_group;\n" + use +
                     "cp.async.wait_group 0;\n",
                 Delivery::lazy),
           "still writes it");
  // wait_group 1 leaves the newest group.
  std::string two = copy + "cp.async.commit_group;\n" + R"(
  cp.async.ca.shared.global [%r5+512], [%rd5], 4;
  cp.async.commit_group;
  cp.async.wait_group 1;
)" + use;
  f.good(two + "cp.async.wait_group 0;", Delivery::lazy);
  f.good(R"(
  add.s64 %rd5, %rd1, %rd3;
  setp.lt.u32 %p3, %r1, 16;
  selp.b32 %r7, 4, 0, %p3;
  cp.async.ca.shared.global [%r5], [%rd5], 4, %r7;
  cp.async.wait_all;
)" + use,
         Delivery::lazy);
  CHECK(f.out[15] == 1225);
  CHECK(f.out[16] == 0);
  // Each of 32 threads arrives when its copy is done.
  f.good(code({R"(
  @!%p1 mbarrier.init.shared::cta.b64 [%r2], 32;
  bar.sync 0;
)"}) + copy + "cp.async.mbarrier.arrive.noinc.shared.b64 [%r2];\n" +
             kWait + use,
         Delivery::lazy);
  CHECK(f.out[16] == 1256);
}

TEST_CASE("multicast and remote barriers in a cluster") {
  GlobalMemory memory;
  Buffer<uint32_t> in(memory, 64), out(memory, 128);
  for (uint32_t i = 0; i < 64; ++i)
    in[i] = 3 * i + 1;
  // CTA 0 sends 128 bytes to both CTAs; each waits on its own barrier, then
  // arrives at the barrier of CTA 0, which waits for both.
  std::string ptx = kernel(2, R"(
  .reg .b64 %rd<20>; .reg .b32 %r<20>; .reg .b16 %h1; .reg .pred %p<9>;
  ld.param.b64 %rd1, [p0]; ld.param.b64 %rd2, [p1];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, smem;
  add.u32 %r3, %r2, 1024;
  mov.u32 %r4, %cluster_ctarank;
  setp.ne.u32 %p1, %r1, 0;
  @!%p1 mbarrier.init.shared::cta.b64 [%r2], 1;
  @!%p1 mbarrier.init.shared::cta.b64 [%r2+8], 2;
  fence.mbarrier_init.release.cluster;
  barrier.cluster.arrive.relaxed.aligned;
  barrier.cluster.wait.acquire.aligned;
  @%p1 bra WAIT;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 128;
  setp.ne.u32 %p2, %r4, 0;
  @%p2 bra WAIT;
  mov.b16 %h1, 3;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r3], [%rd1], 128, [%r2], %h1;
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 0;
  @!%p2 bra WAIT;
  shl.b32 %r5, %r1, 2;
  add.u32 %r6, %r3, %r5;
  ld.shared.b32 %r7, [%r6];
  shl.b32 %r8, %r4, 7;
  add.u32 %r8, %r8, %r5;
  cvt.u64.u32 %rd3, %r8;
  add.s64 %rd3, %rd2, %rd3;
  st.global.b32 [%rd3], %r7;
  add.u32 %r9, %r2, 8;
  mapa.shared::cluster.u32 %r10, %r9, 0;
  @!%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r10];
  setp.ne.u32 %p3, %r4, 0;
  @%p3 bra END;
WAIT2:
  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%r2+8], 0;
  @!%p2 bra WAIT2;
END:
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  ret;)",
                           ".extern .shared .align 1024 .b8 smem[];\n");
  Launch launch;
  launch.grid = launch.cluster = {2, 1, 1};
  launch.shared = 2048;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    launch.options.seed = seed;
    launch.options.delivery = static_cast<Delivery>(seed % 3);
    launch.options.schedule = seed % 2 ? SimOptions::Schedule::random
                                       : SimOptions::Schedule::round_robin;
    mustRun(ptx, memory, pack({in.address(), out.address()}), launch);
    for (uint32_t i = 0; i < 64; ++i) {
      CHECK(out[i] == 3 * (i % 32) + 1);
      out[i] = 0;
    }
  }
}

TEST_CASE("clusterlaunchcontrol hands every CTA's work out once") {
  GlobalMemory memory;
  Buffer<uint32_t> out(memory, 24);
  std::string ptx = kernel(1, R"(
  .reg .b64 %rd<9>; .reg .b32 %r<20>; .reg .pred %p<9>; .reg .b128 %q1;
  ld.param.b64 %rd1, [p0];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, smem;
  mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ctaid.y;
  setp.ne.u32 %p1, %r1, 0;
  @!%p1 mbarrier.init.shared::cta.b64 [%r2+16], 1;
  mov.u32 %r7, 0;
  bar.sync 0;
LOOP:
  mad.lo.u32 %r5, %r4, 6, %r3;
  mul.wide.u32 %rd2, %r5, 4;
  add.s64 %rd2, %rd1, %rd2;
  @!%p1 red.global.add.u32 [%rd2], 1;
  bar.sync 0;
  @!%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2+16], 16;
  @!%p1 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r2], [%r2+16];
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2+16], %r7;
  @!%p2 bra WAIT;
  xor.b32 %r7, %r7, 1;
  ld.shared.b128 %q1, [%r2];
  bar.sync 0;
  clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p3, %q1;
  @!%p3 bra END;
  clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r3, %r4, _, _}, %q1;
  bra LOOP;
END: ret;)",
                           ".extern .shared .align 16 .b8 smem[];\n");
  Launch launch;
  launch.grid = {6, 4, 1};
  launch.shared = 64;
  for (uint64_t seed = 0; seed < 9; ++seed) {
    launch.options.seed = seed;
    launch.options.delivery = static_cast<Delivery>(seed % 3);
    launch.options.schedule = seed % 2 ? SimOptions::Schedule::random
                                       : SimOptions::Schedule::round_robin;
    for (uint32_t &x : out)
      x = 0;
    mustRun(ptx, memory, pack({out.address()}), launch);
    for (uint32_t x : out)
      CHECK(x == 1);
  }
}

TEST_CASE("copies onto barriers, and bytes that nobody expected") {
  Fixture f;
  const char *init2 = R"(
  @!%p1 mbarrier.init.shared::cta.b64 [%r2], 1;
  @!%p1 mbarrier.init.shared::cta.b64 [%r3+64], 1;
  bar.sync 0;
)";
  f.pair(code({init2, kLoad, kWait}), code({kInit, kLoad, kWait}),
         "overwrites a live mbarrier");
  const char *unexpected = R"(
  @!%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r3], [%rd1], 128, [%r2];
  @!%p1 cp.async.bulk.commit_group;
  nanosleep.u32 1;
)";
  contains(f.bad(code({kInit, unexpected}), Delivery::eager),
           "128 bytes of transactions that nobody had expected");
  contains(f.bad(code({"@!%p1 cp.async.bulk.shared::cta.global.mbarrier::"
                       "complete_tx::bytes [%r3+4064], [%rd1], 128, [%r2];"}),
                 Delivery::eager),
           "the window of this launch is");
  contains(
      f.bad(code({kInit, "@!%p1 cp.async.bulk.shared::cta.global.mbarrier:"
                         ":complete_tx::bytes [%r3], [%rd1], 120, [%r2];"}),
            Delivery::eager),
      "multiples of 16");
  contains(
      f.bad(code({kInit, "@!%p1 cp.async.bulk.shared::cta.global.mbarrier:"
                         ":complete_tx::bytes [%r3], [%rd1], 512, [%r2];"}),
            Delivery::eager),
      "'IN'");
}

TEST_CASE("tensor maps that are none") {
  Fixture f;
  std::string error = f.bad(
      code({kInit, "@!%p1 cp.async.bulk.tensor.1d.shared::cta.global.tile."
                   "mbarrier::complete_tx::bytes [%r3], [%rd1, {0}], [%r2];"}),
      Delivery::eager);
  contains(error, "tensor map at");
  contains(error, "lane 0");
}

TEST_CASE("a loop that polls what lazy delivery holds back ends") {
  Fixture f;
  // Thread 0 sends; all poll global memory for what arrives.
  f.good(R"(
  st.shared.b32 [%r5], 7;
  fence.proxy.async;
  bar.sync 0;
  @%p1 bra POLL;
  cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r3], 128;
  cp.async.bulk.commit_group;
POLL:
  ld.volatile.global.b32 %r6, [%rd4];
  setp.ne.u32 %p2, %r6, 7;
  @%p2 bra POLL;
  @!%p1 cp.async.bulk.wait_group 0;
)",
         Delivery::lazy);
  CHECK(f.out[31] == 7);
}

TEST_CASE("a thread that is left two phases behind") {
  // Warp 0 runs phases 0 and 1 by itself while warp 1 sleeps at a barrier that
  // only then lets it wait for parity 0; nobody will complete phase 2.
  Fixture f;
  f.launch.block = {64, 1, 1};
  std::string error = f.bad(code({kInit, R"(
  setp.ge.u32 %p4, %r1, 32;
  @%p4 bra LATE;
  @!%p1 mbarrier.arrive.shared::cta.b64 _, [%r2];
  @!%p1 mbarrier.arrive.shared::cta.b64 _, [%r2];
  bar.arrive 1, 64;
  bra END;
LATE:
  bar.sync 1, 64;
)",
                                  kWait, "END:"}),
                            Delivery::eager);
  contains(error, "deadlock");
  contains(error, "phase 0 had this parity too");
}
