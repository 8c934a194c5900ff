//===- MemoryTest.cpp - loads, stores, atomics, windows ---------*- C++ -*-===//

#include "Harness.h"

using namespace tirx::rt;
using namespace tirx::rt::sim;
using namespace tirx::rt::sim::test;

namespace {

void contains(const std::string &text, const std::string &part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
}

const char *kHead = R"(
  .reg .b64 %rd<20>; .reg .b32 %r<20>; .reg .b16 %h<9>; .reg .pred %p<9>;
  .reg .b128 %q<3>;
  ld.param.b64 %rd1, [p0]; ld.param.b64 %rd2, [p1];
  mov.u32 %r1, %tid.x;
)";

} // namespace

TEST_CASE("every width and vector goes through memory unchanged") {
  GlobalMemory memory;
  Random random(11);
  CAPTURE(random.seed);
  Buffer<uint8_t> a(memory, 32 * 128), d(memory, 32 * 128);
  for (uint8_t &x : a)
    x = uint8_t(random.bits());
  mustRun(kernel(2, kHead + std::string(R"(
  mul.wide.u32 %rd3, %r1, 128;
  add.s64 %rd1, %rd1, %rd3; add.s64 %rd2, %rd2, %rd3;
  ld.global.v4.b64 {%rd4, %rd5, %rd6, %rd7}, [%rd1];
  st.global.v4.b64 [%rd2], {%rd4, %rd5, %rd6, %rd7};
  ld.global.v8.b32 {%r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9}, [%rd1+32];
  st.global.v8.b32 [%rd2+32], {%r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9};
  ld.global.b128 %q1, [%rd1+64];
  mov.b128 %q2, %q1;
  mov.b128 {%rd8, %rd9}, %q2;
  st.global.v2.b64 [%rd2+64], {%rd8, %rd9};
  ld.global.nc.L1::no_allocate.v2.b32 {%r2, %r3}, [%rd1+80];
  st.global.v2.b32 [%rd2+80], {%r2, %r3};
  ld.global.v4.b16 {%h1, %h2, %h3, %h4}, [%rd1+88];
  st.global.v4.b16 [%rd2+88], {%h1, %h2, %h3, %h4};
  ld.global.b8 %h1, [%rd1+96]; st.global.b8 [%rd2+96], %h1;
  ld.global.s8 %r2, [%rd1+97]; shr.u32 %r2, %r2, 24; st.global.b8 [%rd2+97], %r2;
  ld.global.s16 %rd10, [%rd1+98]; shr.u64 %rd10, %rd10, 48;
  st.global.b16 [%rd2+98], %rd10;
  ret;)")),
          memory, pack({a.address(), d.address()}));
  for (unsigned t = 0; t < 32; ++t) {
    uint8_t *from = &a[t * 128], *to = &d[t * 128];
    CHECK(std::memcmp(from, to, 97) == 0);
    CHECK(to[97] == (from[97] & 0x80 ? 0xFF : 0));
    CHECK(to[98] == (from[99] & 0x80 ? 0xFF : 0));
  }
}

TEST_CASE("shared, local, constant and parameter windows") {
  GlobalMemory memory;
  Buffer<uint32_t> d(memory, 32 * 4);
  mustRun(kernel(2, kHead + std::string(R"(
  .local .align 16 .b8 depot[64];
  .shared .align 16 .b8 box[128];
  mul.wide.u32 %rd3, %r1, 16;
  add.s64 %rd2, %rd2, %rd3;
  // local memory, through its window and through generic addresses
  mov.b64 %rd4, depot;
  cvta.local.u64 %rd5, %rd4;
  add.u32 %r2, %r1, 1000;
  st.local.b32 [%rd4+8], %r2;
  ld.b32 %r3, [%rd5+8];
  // shared memory, reversed
  mov.b64 %rd6, box;
  cvta.shared.u64 %rd7, %rd6;
  mul.wide.u32 %rd8, %r1, 4;
  add.s64 %rd9, %rd7, %rd8;
  st.b32 [%rd9], %r1;
  bar.sync 0;
  sub.s64 %rd10, %rd6, %rd8;
  ld.shared.b32 %r4, [%rd10+124];
  // constants
  and.b32 %r5, %r1, 1;
  mul.wide.u32 %rd11, %r5, 4;
  mov.b64 %rd12, tab;
  add.s64 %rd12, %rd12, %rd11;
  ld.const.b32 %r6, [%rd12];
  // a parameter by its generic address
  mov.b64 %rd13, p0;
  cvta.param.u64 %rd13, %rd13;
  ld.b32 %r7, [%rd13+4];
  isspacep.shared %p1, %rd9; isspacep.local %p2, %rd5;
  isspacep.global %p3, %rd2; isspacep.shared %p4, %rd2;
  and.pred %p1, %p1, %p2; and.pred %p1, %p1, %p3; and.pred %p1, %p1, !%p4;
  @!%p1 trap;
  st.global.v4.b32 [%rd2], {%r3, %r4, %r6, %r7};
  ret;)"),
                 ".const .align 4 .b32 tab[2] = {77, -5};\n"),
          memory, pack({0xABCD000000000000u, d.address()}));
  for (uint32_t t = 0; t < 32; ++t) {
    CHECK(d[4 * t] == 1000 + t);
    CHECK(d[4 * t + 1] == 31 - t);
    CHECK(d[4 * t + 2] == (t % 2 ? 0xFFFFFFFBu : 77));
    CHECK(d[4 * t + 3] == 0xABCD0000u);
  }
}

TEST_CASE("dynamic shared memory starts at 0x400, or behind static variables") {
  GlobalMemory memory;
  Buffer<uint32_t> d(memory, 2);
  Launch launch;
  launch.shared = 256;
  const char *body = R"(
  mov.u32 %r2, dyn; st.global.b32 [%rd2], %r2; ret;)";
  std::string dynamic = ".extern .shared .align 1024 .b8 dyn[];\n";
  mustRun(kernel(2, kHead + std::string(body), dynamic), memory,
          pack({0, d.address()}), launch);
  CHECK(d[0] == 0x400);
  mustRun(
      kernel(2, kHead + std::string(".shared .b8 s[24];\n") + body, dynamic),
      memory, pack({0, d.address()}), launch);
  CHECK(d[0] == 0x800);
}

TEST_CASE("atomics") {
  GlobalMemory memory;
  Buffer<uint32_t> d(memory, 16);
  Buffer<uint64_t> w(memory, 2);
  for (uint32_t &x : d)
    x = 0;
  d[1] = 100;
  w[0] = w[1] = 0;
  reinterpret_cast<float *>(d.begin())[4] = 0.5f;
  mustRun(kernel(2, kHead + std::string(R"(
  atom.global.add.u32 %r2, [%rd1], 2;
  atom.relaxed.gpu.global.min.u32 %r3, [%rd1+4], %r1;
  red.global.max.s32 [%rd1+8], %r1;
  atom.global.inc.u32 %r4, [%rd1+12], 9;
  red.global.add.f32 [%rd1+16], 0f3E800000;
  atom.global.cas.b32 %r5, [%rd1+20], 0, 9;
  atom.global.exch.b32 %r6, [%rd1+24], %r1;
  red.global.or.b32 [%rd1+28], %r1;
  cvt.u64.u32 %rd3, %r1;
  red.global.add.u64 [%rd2], %rd3;
  red.global.add.noftz.f16x2 [%rd1+32], 0x3C003C00;
  red.global.add.v2.f32 [%rd1+40], {0f3F800000, 0f40000000};
  ret;)")),
          memory, pack({d.address(), w.address()}));
  float *f = reinterpret_cast<float *>(d.begin());
  CHECK(d[0] == 64);
  CHECK(d[1] == 0);
  CHECK(d[2] == 31);
  CHECK(d[3] == 2); // 32 increments modulo 10
  CHECK(f[4] == 8.5f);
  CHECK(d[5] == 9);
  CHECK(d[6] == 31);
  CHECK(d[7] == 31);
  CHECK(w[0] == 496);
  CHECK(d[8] == 0x50005000); // 32 in f16, twice
  CHECK(f[10] == 32);
  CHECK(f[11] == 64);
}

TEST_CASE("matrices move between shared memory and registers") {
  GlobalMemory memory;
  Buffer<uint32_t> d(memory, 64);
  // stmatrix writes 16-bit numbers 2*lane, 2*lane+1 of each matrix; ldmatrix
  // with .trans gives them back transposed.
  mustRun(kernel(2, kHead + std::string(R"(
  .shared .align 16 .b8 box[256];
  mov.u32 %r2, box;
  and.b32 %r3, %r1, 15; shl.b32 %r3, %r3, 4; add.u32 %r2, %r2, %r3;
  shl.b32 %r4, %r1, 1; add.u32 %r5, %r4, 1; shl.b32 %r5, %r5, 16;
  or.b32 %r4, %r4, %r5;
  add.u32 %r6, %r4, 0x01000100;
  stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r2], {%r4, %r6};
  bar.sync 0;
  ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r7, %r8}, [%r2];
  mul.wide.u32 %rd3, %r1, 8;
  add.s64 %rd2, %rd2, %rd3;
  st.global.v2.b32 [%rd2], {%r7, %r8};
  ret;)")),
          memory, pack({0, d.address()}));
  for (uint32_t t = 0; t < 32; ++t) {
    // Lane t gets elements (2(t%4) + k, t/4) of the matrix.
    uint32_t first = 2 * (t % 4) * 8 + t / 4, second = first + 8;
    CHECK(d[2 * t] == (first | second << 16));
    CHECK(d[2 * t + 1] == ((first | second << 16) + 0x01000100));
  }
}

TEST_CASE("stmatrix of bytes stores accumulator fragments transposed") {
  GlobalMemory memory;
  Buffer<uint32_t> d(memory, 64);
  // Byte k of lane t in matrix m is 128 m + 4 t + k.
  mustRun(kernel(2, kHead + std::string(R"(
  .shared .align 16 .b8 box[256];
  mov.u32 %r2, box;
  and.b32 %r3, %r1, 15; shl.b32 %r3, %r3, 4; add.u32 %r3, %r2, %r3;
  mul.lo.u32 %r4, %r1, 0x04040404; add.u32 %r4, %r4, 0x03020100;
  add.u32 %r5, %r4, 0x80808080;
  stmatrix.sync.aligned.m16n8.x2.trans.shared.b8 [%r3], {%r4, %r5};
  bar.sync 0;
  shl.b32 %r6, %r1, 3; add.u32 %r6, %r2, %r6;
  ld.shared.v2.b32 {%r7, %r8}, [%r6];
  mul.wide.u32 %rd3, %r1, 8;
  add.s64 %rd2, %rd2, %rd3;
  st.global.v2.b32 [%rd2], {%r7, %r8};
  ret;)")),
          memory, pack({0, d.address()}));
  const auto *bytes = reinterpret_cast<const uint8_t *>(d.begin());
  for (unsigned m = 0; m < 2; ++m)
    for (unsigned column = 0; column < 8; ++column)
      for (unsigned row = 0; row < 16; ++row) {
        const unsigned lane = row % 8 * 4 + column / 2,
                       k = row / 8 * 2 + column % 2;
        CAPTURE(m, row, column);
        CHECK(bytes[(m * 8 + column) * 16 + row] == 128 * m + 4 * lane + k);
      }
}

TEST_CASE("accesses outside memory are reported with the nearest allocation") {
  GlobalMemory memory;
  Buffer<uint32_t> d(memory, 32, "D");
  auto run = [&](const std::string &body) {
    Launch launch;
    launch.shared = 64;
    return mustFail(kernel(2, kHead + body + "\nret;"), memory,
                    pack({d.address(), d.address()}), launch);
  };
  std::string error = run(R"(
  mul.wide.u32 %rd3, %r1, 8; add.s64 %rd3, %rd1, %rd3;
  st.global.b32 [%rd3], %r1;)");
  contains(error, "global memory write out of bounds");
  contains(error, "'D'");
  contains(error, "128 bytes behind the start");
  contains(error, "lane 16");
  contains(error, "st.global.b32 [%rd3], %r1;");
  contains(run("ld.global.b64 %rd3, [%rd1+4];"), "misaligned read of 8 bytes");
  contains(run("ld.shared.b32 %r2, [%r1+2049];"), "misaligned");
  contains(run("mov.u32 %r2, 2048; ld.shared.b32 %r2, [%r2];"),
           "the window of this launch is [0x400, 0x440)");
  contains(run("mov.u32 %r2, 0; st.shared.b32 [%r2], %r2;"), "[0x400, 0x440)");
  contains(run("ld.param.b64 %rd3, [p1+8];"), "parameter read out of bounds");
  contains(run("mov.b64 %rd3, 0; ld.local.b32 %r2, [%rd3];"),
           "local memory read out of bounds");
  contains(run("mov.b64 %rd3, 8; ld.b32 %r2, [%rd3];"),
           "global memory read out of bounds");
}

TEST_CASE("launches beyond the limits are refused") {
  GlobalMemory memory;
  auto program = loadProgram(
      module(".visible .entry k(.param .u64 p0) .reqntid 64 { ret; }"),
      "t.ptx");
  REQUIRE(program);
  std::vector<std::byte> parameters(8);
  auto attempt = [&](auto change) {
    SimLaunch launch;
    launch.block = {64, 1, 1};
    launch.parameters = parameters;
    change(launch);
    auto result = run(**program, "k", launch, memory);
    return result ? std::string() : result.error().message;
  };
  CHECK(attempt([](SimLaunch &) {}).empty());
  contains(attempt([](SimLaunch &l) { l.block[0] = 32; }), ".reqntid says 64");
  contains(attempt([](SimLaunch &l) { l.grid[1] = 70000; }), "65535");
  contains(attempt([](SimLaunch &l) { l.grid[2] = 0; }), "grid.z is 0");
  contains(attempt([](SimLaunch &l) { l.cluster = {2, 1, 1}; }),
           "no multiple of cluster.x");
  contains(attempt([](SimLaunch &l) { l.dynamic_shared_bytes = 240000; }),
           "232448");
  contains(attempt([](SimLaunch &l) { l.parameters = l.parameters.first(4); }),
           "parameter block of 4 bytes; the entry takes 8");
  auto missing = run(**program, "j", SimLaunch(), memory);
  REQUIRE_FALSE(missing);
  contains(missing.error().message, "there are: k");
}

TEST_CASE("global memory keeps books") {
  GlobalMemory memory;
  auto a = memory.allocate(100, "a");
  REQUIRE(a);
  uint64_t address = reinterpret_cast<uintptr_t>(*a);
  CHECK(address % 256 == 0);
  CHECK(memory.find(address + 96, 4));
  CHECK_FALSE(memory.find(address + 97, 4));
  CHECK_FALSE(memory.find(address - 1, 4));
  CHECK(memory.nearest(address + 5000)->name == "a");
  CHECK_FALSE(memory.registerHost(static_cast<char *>(*a) + 8, 8, true));
  int host[4];
  REQUIRE(memory.registerHost(host, sizeof host, false, "h"));
  CHECK_FALSE(memory.free(host));
  CHECK(memory.unregisterHost(host));
  CHECK_FALSE(memory.unregisterHost(host));
  CHECK_FALSE(memory.free(static_cast<char *>(*a) + 1));
  CHECK(memory.free(*a));
  CHECK_FALSE(memory.free(*a));
  CHECK_FALSE(memory.allocate(0));
}
