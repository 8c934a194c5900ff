//===- RegistersTest.cpp - setmaxnreg ---------------------------*- C++ -*-===//

#include "Harness.h"

#include <fmt/format.h>

using namespace tirx::rt;
using namespace tirx::rt::sim;
using namespace tirx::rt::sim::test;

namespace {

/// Warpgroups, each with its own code. %wg: the warpgroup, %w: the warp.
std::string groupsPtx(const std::vector<std::string> &groups,
                      const std::string &directives) {
  std::string text = ".visible .entry k()\n" + directives +
                     "\n{\n  .reg .b32 %t, %w, %wg; .reg .pred %p;\n"
                     "  mov.u32 %t, %tid.x; shr.u32 %w, %t, 5;\n"
                     "  shr.u32 %wg, %t, 7;\n";
  for (size_t i = 0; i < groups.size(); ++i)
    text += fmt::format("  setp.ne.u32 %p, %wg, {0};\n  @%p bra NEXT{0};\n  {1}"
                        "\n  bra END;\nNEXT{0}:\n",
                        i, groups[i]);
  return module(text + "END: ret;\n}\n");
}

Expected<LaunchStats>
runGroups(const std::vector<std::string> &groups, unsigned threads,
          const std::string &directives,
          SimOptions::Schedule schedule = SimOptions::Schedule::round_robin) {
  GlobalMemory memory;
  Launch launch;
  launch.block = {threads, 1, 1};
  launch.options.schedule = schedule;
  launch.options.seed = 11;
  return tryRun(groupsPtx(groups, directives), memory, {}, launch);
}

std::string dec(unsigned n) {
  return fmt::format("setmaxnreg.dec.sync.aligned.u32 {};", n);
}
std::string inc(unsigned n) {
  return fmt::format("setmaxnreg.inc.sync.aligned.u32 {};", n);
}

void mustSay(const Expected<LaunchStats> &result, const char *message) {
  REQUIRE_FALSE(result);
  CHECK_THAT(result.error().message, Catch::Contains(message));
}

} // namespace

TEST_CASE("registers move from one warpgroup to the others") {
  // 168 * 384 = 64512; 24 * 128 + 240 * 256 = 64512.
  for (auto schedule :
       {SimOptions::Schedule::round_robin, SimOptions::Schedule::random})
    for (const char *directives :
         {".reqntid 384\n.maxnreg 168", ".maxntid 384\n.minnctapersm 1"}) {
      auto result =
          runGroups({inc(240), inc(240), dec(24)}, 384, directives, schedule);
      if (!result)
        FAIL(result.error().message);
      CHECK(result->warnings.empty());
    }
}

TEST_CASE("registers that nobody frees are a deadlock with the sums") {
  // 128 * (248 + 248 + 24) = 66560.
  auto result = runGroups({inc(248), inc(248), dec(24)}, 384,
                          ".reqntid 384\n.maxnreg 168");
  mustSay(result, "deadlock");
  mustSay(result, "waits in setmaxnreg.inc for 248 registers a thread instead "
                  "of 168");
  mustSay(result, "of the SM's 65536 registers warps 0-3 have 31744, ");
  mustSay(result, "warps 8-11 have 3072, ");
  // 128 * (240 + 248 + 24) = 65536.
  CHECK(runGroups({inc(240), inc(248), dec(24)}, 384,
                  ".reqntid 384\n.maxnreg 168"));
}

TEST_CASE("setmaxnreg in the wrong direction") {
  const std::string entry = ".reqntid 128\n.maxnreg 168";
  mustSay(runGroups({inc(160)}, 128, entry),
          "setmaxnreg.inc 160 by a warp that has 168 registers a thread: .inc "
          "cannot lower them");
  mustSay(runGroups({dec(176)}, 128, entry), ".dec cannot raise them");
  CHECK(runGroups({inc(168)}, 128, entry));
  CHECK(runGroups({dec(168)}, 128, entry));
  CHECK(runGroups({dec(160) + " bar.sync 0; " + inc(168)}, 128, entry));
}

TEST_CASE("all warps of a warpgroup execute the same setmaxnreg") {
  const std::string entry = ".reqntid 128\n.maxnreg 168";
  const std::string only =
      "setp.eq.u32 %p, %w, 2;\n @%p bra SKIP;\n" + dec(40) + "\nSKIP:";
  mustSay(runGroups({only}, 128, entry), "warp 0 executed setmaxnreg.dec 40");
  mustSay(runGroups({only}, 128, entry), "warp 2 of its warpgroup did not");
  const std::string other = "setp.eq.u32 %p, %w, 2;\n @%p bra ELSE;\n" +
                            dec(40) + "\n bra END;\nELSE: " + dec(48);
  mustSay(runGroups({other}, 128, entry),
          "warp 2 executes setmaxnreg.dec 48, warp 0 of its warpgroup executed "
          "setmaxnreg.dec 40");
  mustSay(runGroups({dec(40) + dec(32)}, 128, entry),
          "warp 0 executes setmaxnreg.dec 32 before warp 1 of its warpgroup "
          "has executed setmaxnreg.dec 40");
  CHECK(runGroups({dec(40) + " bar.sync 0; " + dec(32)}, 128, entry));
  mustSay(runGroups({dec(40), dec(40)}, 192, ".reqntid 192\n.maxnreg 168"),
          "warps 4 to 5 are no whole warpgroup");
}

TEST_CASE("values that setmaxnreg does not take") {
  for (unsigned value : {0u, 16u, 28u, 264u}) {
    CAPTURE(value);
    mustSay(runGroups({inc(value)}, 128, ".maxnreg 168"),
            "allowed are the multiples of 8 from 24 to 256");
  }
}

TEST_CASE("setmaxnreg without registers at entry is ignored with a warning") {
  auto result = runGroups({inc(232)}, 128, ".reqntid 128");
  REQUIRE(result);
  REQUIRE(result->warnings.size() == 1);
  CHECK_THAT(result->warnings[0], Catch::Contains("C7508"));
}
