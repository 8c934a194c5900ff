//===- ClusterTest.cpp - what CTAs of a cluster owe each other --*- C++ -*-===//
//
// Each detector has a kernel that it must report and a twin that is right.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <fmt/format.h>

using namespace tirx::rt;
using namespace tirx::rt::sim;
using namespace tirx::rt::sim::test;

namespace {

using Delivery = SimOptions::Delivery;

/// One warp a CTA; %r4 its rank, barriers of one arrival at %r2 and %r2+8, of
/// which all CTAs know; data at %r3. `body` is followed by the end.
std::string clusterPtx(const std::string &body, unsigned parameters = 1) {
  return kernel(parameters, R"(
  .reg .b64 %rd<20>; .reg .b32 %r<20>; .reg .b16 %h<4>; .reg .pred %p<9>;
  .reg .b128 %q<2>;
  ld.param.b64 %rd1, [p0];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, smem;
  add.u32 %r3, %r2, 1024;
  mov.u32 %r4, %cluster_ctarank;
  setp.ne.u32 %p1, %r1, 0;      // not the first thread
  setp.ne.u32 %p2, %r4, 0;      // not the first CTA
  @!%p1 mbarrier.init.shared::cta.b64 [%r2], 1;
  @!%p1 mbarrier.init.shared::cta.b64 [%r2+8], 1;
  fence.mbarrier_init.release.cluster;
  barrier.cluster.arrive.relaxed.aligned;
  barrier.cluster.wait.acquire.aligned;
)" + body + "\nEND: ret;",
                ".extern .shared .align 1024 .b8 smem[];\n");
}

struct ClusterRun {
  GlobalMemory memory;
  Buffer<uint32_t> data{memory, 64};

  Expected<LaunchStats> operator()(const std::string &body, uint32_t ctas,
                                   Delivery delivery, uint32_t clusters = 1) {
    Launch launch;
    launch.cluster = {ctas, 1, 1};
    launch.grid = {ctas * clusters, 1, 1};
    launch.shared = 2048;
    launch.options.delivery = delivery;
    return tryRun(clusterPtx(body), memory, pack({data.address()}), launch);
  }
  void good(const std::string &body, uint32_t ctas = 2) {
    for (Delivery delivery :
         {Delivery::eager, Delivery::lazy, Delivery::random}) {
      auto result = (*this)(body, ctas, delivery);
      if (!result)
        FAIL(result.error().message);
      for (const std::string &warning : result->warnings)
        FAIL(warning);
    }
  }
  void bad(const std::string &body, Delivery delivery, const char *message,
           uint32_t ctas = 2) {
    auto result = (*this)(body, ctas, delivery);
    REQUIRE_FALSE(result);
    CHECK_THAT(result.error().message, Catch::Contains(message));
  }
  void warned(const std::string &body, const char *message, uint32_t ctas = 2) {
    for (Delivery delivery : {Delivery::eager, Delivery::lazy}) {
      auto result = (*this)(body, ctas, delivery);
      if (!result)
        FAIL(result.error().message);
      REQUIRE(result->warnings.size() == 1);
      CHECK_THAT(result->warnings[0], Catch::Contains(message));
    }
  }
};

const std::string kWait = R"(
WAIT:
  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [%r2], 0;
  @!%p3 bra WAIT;
)";

} // namespace

TEST_CASE("a CTA ends while its peer's commit is under way") {
  // The first CTA signals both; the second may leave when it has the signal.
  const std::string commit = R"(
  @%p2 bra SENT;
  mov.b16 %h1, 3;
  @!%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%r2], %h1;
SENT:
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
)";
  ClusterRun run;
  run.good(commit + kWait);
  run.bad(commit + "@%p2 bra END;" + kWait, Delivery::lazy,
          "CTA (1,0,0) has ended while an operation of CTA (0,0,0) still uses "
          "its shared or tensor memory");
}

TEST_CASE("a CTA ends while its peer's multicast is under way") {
  const std::string copy = R"(
  @!%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 128;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  @%p2 bra SENT;
  mov.b16 %h1, 3;
  @!%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r3], [%rd1], 128, [%r2], %h1;
SENT:
)";
  ClusterRun run;
  run.good(copy + kWait);
  run.bad(copy + "@%p2 bra END;" + kWait, Delivery::lazy,
          "CTA (1,0,0) has ended while an operation of CTA (0,0,0)");
}

TEST_CASE("a commit to a CTA that has ended") {
  // The first CTA hears of the second's end only by luck: it lets it run.
  const std::string commit = R"(
  @%p2 bra END;
  nanosleep.u32 100; nanosleep.u32 100; nanosleep.u32 100; nanosleep.u32 100;
  @!%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%r2], )";
  ClusterRun run;
  run.bad("mov.b16 %h1, 3;" + commit + "%h1;", Delivery::eager,
          "tcgen05.commit to an mbarrier of CTA rank 1, which has exited");
  run.good("mov.b16 %h1, 1;" + commit + "%h1;" + kWait);
}

TEST_CASE("a cta_group::2 multicast signals the CTA of each pair with the "
          "barrier's parity") {
  // CTA 0 sends 128 bytes to all four CTAs and names the barrier of CTA 1: the
  // odd CTA of each pair gets the bytes of both.
  const auto body = [](unsigned bytes, const char *barrierRank) {
    return fmt::format(R"(
  ld.param.b64 %rd2, [p1];
  and.b32 %r6, %r4, 1;
  mov.u32 %r7, {};               // the parity of CTAs that are signalled
  and.b32 %r8, %r7, 1;
  setp.ne.u32 %p4, %r6, %r8;
  @%p4 bra READY;
  @!%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], {};
READY:
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  @%p2 bra SENT;
  @%p1 bra SENT;
  mov.b16 %h1, 15;
  mapa.shared::cluster.u32 %r9, %r2, %r7;
  cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.cta_group::2 [%r3], [%rd2, {{0}}], [%r9], %h1;
SENT:
  @%p4 bra OVER;
WAIT:
  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [%r2], 0;
  @!%p3 bra WAIT;
OVER:
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  shl.b32 %r10, %r1, 2;
  add.u32 %r11, %r3, %r10;
  ld.shared.b32 %r12, [%r11];
  shl.b32 %r13, %r4, 7;
  add.u32 %r13, %r13, %r10;
  cvt.u64.u32 %rd3, %r13;
  add.s64 %rd3, %rd1, %rd3;
  st.global.b32 [%rd3], %r12;
)",
                       barrierRank, bytes);
  };
  for (const char *barrierRank : {"0", "1", "3"})
    for (Delivery delivery :
         {Delivery::eager, Delivery::lazy, Delivery::random}) {
      CAPTURE(barrierRank, int(delivery));
      GlobalMemory memory;
      Buffer<uint32_t> in(memory, 32), out(memory, 128);
      for (uint32_t i = 0; i < 32; ++i)
        in[i] = 7 * i + 5;
      Buffer<std::byte> map(memory, 128);
      TensorMapRecipe recipe;
      recipe.dtype = DType::u32;
      recipe.box_dim = {32};
      recipe.element_stride = {1};
      const uint64_t dims[] = {32};
      auto record = encodeTensorMap(recipe, in.begin(), dims, {});
      REQUIRE(record);
      std::memcpy(map.begin(), record->data(), 128);
      Launch launch;
      launch.cluster = launch.grid = {4, 1, 1};
      launch.shared = 2048;
      launch.options.delivery = delivery;
      const auto parameters = pack({out.address(), map.address()});
      auto stats = mustRun(clusterPtx(body(256, barrierRank), 2), memory,
                           parameters, launch);
      CHECK(stats.warnings.empty());
      for (uint32_t i = 0; i < 128; ++i)
        CHECK(out[i] == 7 * (i % 32) + 5);
      // Bytes of more than one pair never come.
      const std::string many = mustFail(clusterPtx(body(512, barrierRank), 2),
                                        memory, parameters, launch);
      CHECK_THAT(many, Catch::Contains("256 transaction bytes pending"));
    }
}

TEST_CASE("the multicast mask of a cta_group::2 commit") {
  const auto commit = [](const char *mask, const char *issuer) {
    return fmt::format(R"(
  mov.b16 %h1, {};
  setp.ne.u32 %p4, %r4, {};
  @%p1 bra SENT;
  @!%p4 tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%r2], %h1;
SENT:
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
)",
                       mask, issuer);
  };
  // Lazy delivery holds a commit back until a CTA's end: somebody waits.
  const std::string lastWaits = R"(
  shr.u32 %r6, %r4, 1;
  setp.ne.u32 %p5, %r6, 1;
  @%p5 bra DONE;
)" + kWait + R"(
DONE:
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
)";
  ClusterRun run;
  run.good(commit("12", "2") + lastWaits, 4);
  run.warned(commit("12", "3") + lastWaits,
             "cta_group::2 operation issued by the odd CTA", 4);
  run.warned(commit("15", "2") + lastWaits,
             "signals CTAs outside the pair (0xc)", 4);
  run.warned(commit("8", "2") + R"(
  setp.ne.u32 %p5, %r4, 3;
  @%p5 bra DONE;
)" + kWait + R"(
DONE:
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
)",
             "does not signal both CTAs of the pair (0xc)", 4);
}

TEST_CASE("a wait that is too narrow for a thread of another CTA") {
  const std::string arrive = R"(
  mapa.shared::cluster.u32 %r5, %r2, 0;
  @%p1 bra SENT;
  @%p2 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5];
SENT:
  @%p2 bra END;
)";
  const std::string narrow = R"(
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r2], 0;
  @!%p3 bra WAIT;
)";
  // The first CTA stays; its barrier is what the other one touches.
  ClusterRun run;
  run.good(arrive + kWait);
  run.warned(arrive + narrow, "a wait of .cta scope at the mbarrier at shared "
                              "offset 0x400, where a thread of another CTA "
                              "arrived");
  // A thread of the own CTA is near enough.
  run.good("@!%p1 mbarrier.arrive.shared::cta.b64 _, [%r2];" + narrow);
}

namespace {

/// try_cancel into `data`, its completion at the second barrier.
std::string tryCancel(const char *parity, bool wait = true) {
  return fmt::format(R"(
  @!%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2+8], 16;
  @!%p1 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r3], [%r2+8];
{}
)",
                     wait ? fmt::format(R"(
CANCEL{0}:
  mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r2+8], {0};
  @!%p3 bra CANCEL{0};
)",
                                        parity)
                          : "");
}
const std::string kRead = R"(
  ld.shared.b128 %q1, [%r3];
  clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p4, %q1;
)";
const std::string kFence = "fence.proxy.async.shared::cta;\nbar.sync 0;\n";

} // namespace

TEST_CASE("clusterlaunchcontrol misused") {
  ClusterRun run;
  const auto launch = [&](const std::string &body, Delivery delivery,
                          uint32_t clusters) {
    return run(body, 1, delivery, clusters);
  };
  const std::string twice =
      tryCancel("0") + kRead + kFence + tryCancel("1") + kRead;
  for (Delivery delivery : {Delivery::eager, Delivery::lazy}) {
    // Three clusters: the first takes the two others.
    auto good = launch(twice, delivery, 3);
    if (!good)
      FAIL(good.error().message);
    CHECK(good->warnings.empty());
    // One cluster: the first request fails, and the second is one too many.
    auto again = launch(twice, delivery, 1);
    REQUIRE_FALSE(again);
    CHECK_THAT(again.error().message,
               Catch::Contains("try_cancel after a request was seen to have "
                               "failed"));
    CHECK(launch(tryCancel("0") + kRead, delivery, 1));
    // The response is read through the generic proxy, then overwritten.
    auto unfenced =
        launch(tryCancel("0") + kRead + "bar.sync 0;" + tryCancel("1") + kRead,
               delivery, 3);
    REQUIRE(unfenced);
    REQUIRE(unfenced->warnings.size() == 1);
    CHECK_THAT(unfenced->warnings[0],
               Catch::Contains("clusterlaunchcontrol.try_cancel overwrites "
                               "shared memory at 0x800 through the async "
                               "proxy"));
  }
  auto early = launch(tryCancel("0", false) + kRead, Delivery::lazy, 3);
  REQUIRE_FALSE(early);
  CHECK_THAT(early.error().message, Catch::Contains("still writes it"));
}
