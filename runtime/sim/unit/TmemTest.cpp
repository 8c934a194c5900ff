//===- TmemTest.cpp - tcgen05 alloc, ld, st, wait and their order -*- C++
//-*-===//

#include "Harness.h"

#include <fmt/format.h>

using namespace tirx::rt;
using namespace tirx::rt::sim;
using namespace tirx::rt::sim::test;

namespace {

using Delivery = SimOptions::Delivery;

void contains(const std::string &text, const std::string &part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
}

/// One warp with 128 columns at %r5; the registers %f0.. hold 1000 * i + lane.
std::string program(const std::string &body, unsigned registers = 16,
                    const std::string &end =
                        "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r5, "
                        "128;") {
  std::string text = R"(
  .reg .b64 %rd<9>; .reg .b32 %r<20>, %f<130>, %g<130>; .reg .pred %p<4>;
  ld.param.b64 %rd1, [p0];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, smem;
  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r2], 128;
  bar.sync 0;
  ld.shared.b32 %r5, [%r2];
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd2, %rd1, %rd2;
)";
  for (unsigned i = 0; i < registers; ++i)
    text += fmt::format("  add.u32 %f{}, %r1, {};\n", i, 1000 * i);
  return kernel(1, text + body + "\n  " + end + "\n  ret;",
                ".extern .shared .align 16 .b8 smem[];\n");
}

std::string list(char name, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += fmt::format("{}%{}{}", i ? ", " : "", name, i);
  return "{" + text + "}";
}

struct Fixture {
  GlobalMemory memory;
  Buffer<uint32_t> out{memory, 32 * 128};
  Launch launch;
  Fixture() { launch.shared = 64; }
  LaunchStats good(const std::string &ptx, Delivery delivery,
                   uint64_t seed = 0) {
    launch.options.delivery = delivery;
    launch.options.seed = seed;
    return mustRun(ptx, memory, pack({out.address()}), launch);
  }
  std::string bad(const std::string &ptx, Delivery delivery) {
    launch.options.delivery = delivery;
    return mustFail(ptx, memory, pack({out.address()}), launch);
  }
};

const char *kWaitSt = "tcgen05.wait::st.sync.aligned;\n";
const char *kWaitLd = "tcgen05.wait::ld.sync.aligned;\n";

} // namespace

TEST_CASE("what tcgen05.st writes, tcgen05.ld reads") {
  struct Shape {
    const char *name;
    unsigned num, registers;
    const char *tail; ///< immHalfSplitoff
  };
  // PTX ISA 9.7.16.8: registers are N, N, 2N, 4N, N.
  const Shape shapes[] = {
      {"32x32b.x1", 1, 1, ""},       {"32x32b.x32", 32, 32, ""},
      {"32x32b.x128", 128, 128, ""}, {"16x64b.x16", 16, 16, ""},
      {"16x128b.x8", 8, 16, ""},     {"16x256b.x4", 4, 16, ""},
      {"16x32bx2.x8", 8, 8, ", 64"}};
  Fixture f;
  for (const Shape &shape : shapes) {
    CAPTURE(shape.name);
    unsigned n = shape.registers;
    std::string body = fmt::format(
        "tcgen05.st.sync.aligned.{0}.b32 [%r5]{1}, {2};\n{3}"
        "tcgen05.ld.sync.aligned.{0}.b32 {4}, [%r5]{1};\n{5}",
        shape.name, shape.tail, list('f', n), kWaitSt, list('g', n), kWaitLd);
    for (unsigned i = 0; i < n; ++i)
      body += fmt::format("st.global.b32 [%rd2+{}], %g{};\n", 128 * i, i);
    for (uint64_t seed = 0; seed < 3; ++seed) {
      for (uint32_t &x : f.out)
        x = 0;
      f.good(program(body, n), static_cast<Delivery>(seed), seed);
      for (unsigned i = 0; i < n; ++i)
        for (unsigned lane = 0; lane < 32; ++lane)
          if (f.out[32 * i + lane] != 1000 * i + lane)
            CHECK(f.out[32 * i + lane] == 1000 * i + lane);
    }
  }
}

TEST_CASE("a 32x32b tile read as 16x256b is the accumulator fragment") {
  Fixture f;
  std::string body = "tcgen05.st.sync.aligned.32x32b.x16.b32 [%r5], " +
                     list('f', 16) + ";\n" + kWaitSt +
                     "tcgen05.ld.sync.aligned.16x256b.x2.b32 " + list('g', 8) +
                     ", [%r5];\n" + kWaitLd;
  for (unsigned i = 0; i < 8; ++i)
    body += fmt::format("st.global.b32 [%rd2+{}], %g{};\n", 128 * i, i);
  f.good(program(body), Delivery::lazy);
  // The note's golden values: thread 13 gets lanes 3,3,11,11,... and columns
  // 2,3,2,3,10,11,10,11.
  const unsigned lanes[] = {3, 3, 11, 11, 3, 3, 11, 11};
  const unsigned columns[] = {2, 3, 2, 3, 10, 11, 10, 11};
  for (unsigned i = 0; i < 8; ++i)
    CHECK(f.out[32 * i + 13] == 1000 * columns[i] + lanes[i]);
}

TEST_CASE("a register is not read before tcgen05.ld has written it") {
  // True dependence, also without tcgen05.wait::ld (PTX ISA 9.7.16.6).
  Fixture f;
  std::string body = "tcgen05.st.sync.aligned.32x32b.x2.b32 [%r5], " +
                     list('f', 2) + ";\n" + kWaitSt + R"(
  mov.b32 %g0, 5; mov.b32 %g1, 6;
  tcgen05.ld.sync.aligned.32x32b.x2.b32 {%g0, %g1}, [%r5];
  add.u32 %g1, %g1, 7;
  st.global.b32 [%rd2], %g1;
)" + kWaitLd;
  for (uint64_t seed = 0; seed < 6; ++seed) {
    f.good(program(body), static_cast<Delivery>(seed % 3), seed);
    CHECK(f.out[3] == 1010);
  }
}

TEST_CASE("tensor memory that is still in use is not to be touched") {
  Fixture f;
  std::string st =
      "tcgen05.st.sync.aligned.32x32b.x2.b32 [%r5], " + list('f', 2) + ";\n";
  std::string ld =
      "tcgen05.ld.sync.aligned.32x32b.x2.b32 " + list('g', 2) + ", [%r5];\n";
  struct Case {
    std::string bad, good;
    const char *message;
  };
  const Case cases[] = {
      {st + ld + kWaitLd, st + kWaitSt + ld + kWaitLd,
       "tcgen05.wait::st must come first"},
      {st + kWaitSt + ld + st + kWaitLd + kWaitSt,
       st + kWaitSt + ld + kWaitLd + st + kWaitSt,
       "tcgen05.wait::ld must come first"},
      {st + kWaitSt + ld, st + kWaitSt + ld + kWaitLd,
       "tcgen05.dealloc of TMEM"},
      {st, st + kWaitSt, "tcgen05.wait::st must come first"},
  };
  for (const Case &c : cases) {
    contains(f.bad(program(c.bad), Delivery::lazy), c.message);
    for (Delivery d : {Delivery::eager, Delivery::lazy, Delivery::random})
      f.good(program(c.good), d, 1);
  }
}

TEST_CASE("the life of tensor memory") {
  Fixture f;
  std::string st = "tcgen05.st.sync.aligned.32x32b.x2.b32 [%r5+127], " +
                   list('f', 2) + ";\n" + kWaitSt;
  contains(f.bad(program(st), Delivery::eager), "column");
  contains(f.bad(program("", 0, ""), Delivery::eager),
           "tensor memory allocated");
  contains(f.bad(program("", 0,
                         "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r5, "
                         "64;"),
                 Delivery::eager),
           "tcgen05.dealloc");
  std::string twice = "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r5, 128;";
  contains(f.bad(program(twice), Delivery::eager), "tcgen05.dealloc");
  contains(f.bad(program("tcgen05.relinquish_alloc_permit.cta_group::1.sync."
                         "aligned;\n"
                         "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta."
                         "b32 [%r2], 32;"),
                 Delivery::eager),
           "gave up its allocation permit");
  f.good(program(""), Delivery::eager);
  // Lanes that do not agree, and half a warp.
  contains(f.bad(program("add.u32 %r6, %r5, %r1;\n"
                         "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%g0}, [%r6];"),
                 Delivery::eager),
           "all lanes must give the same");
  contains(
      f.bad(program("setp.lt.u32 %p1, %r1, 16;\n @%p1 bra A;\n bra B;\nA:\n"
                    "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%g0}, [%r5];\n"
                    "B:\n"),
            Delivery::eager),
      "divergent");
}

TEST_CASE("an allocation that must wait for another warp's deallocation") {
  Fixture f;
  f.launch.block = {64, 1, 1};
  // Warp 0 holds all columns until warp 1 waits for 512 of its own.
  std::string ptx = kernel(1, R"(
  .reg .b32 %r<9>; .reg .pred %p<3>; .reg .b64 %rd1;
  ld.param.b64 %rd1, [p0];
  mov.u32 %r1, %tid.x; mov.u32 %r2, smem;
  setp.ge.u32 %p1, %r1, 32;
  @%p1 bra SECOND;
  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r2], 512;
  bar.warp.sync -1;
  ld.shared.b32 %r3, [%r2];
  bar.arrive 1, 64;
  nanosleep.u32 100;
  tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r3, 512;
  bra END;
SECOND:
  bar.sync 1, 64;
  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r2+4], 512;
  bar.warp.sync -1;
  ld.shared.b32 %r3, [%r2+4];
  tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r3, 512;
END: ret;)",
                           ".extern .shared .align 16 .b8 smem[];\n");
  for (uint64_t seed = 0; seed < 6; ++seed) {
    f.launch.options.schedule =
        seed ? SimOptions::Schedule::random : SimOptions::Schedule::round_robin;
    f.good(ptx, Delivery::eager, seed);
  }
  std::string leak = ptx;
  size_t at = leak.find("tcgen05.dealloc");
  leak.erase(at, leak.find(';', at) - at + 1);
  f.launch.options.schedule = SimOptions::Schedule::round_robin;
  std::string error = f.bad(leak, Delivery::eager);
  contains(error, "deadlock");
  contains(error, "waits in tcgen05.alloc for 512 columns");
}
