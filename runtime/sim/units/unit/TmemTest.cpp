//===- TmemTest.cpp - tensor memory, allocator, ld and st -------*- C++ -*-===//
#include "TestSupport.h"
#include "units/TmemAccess.h"

#include <map>
#include <memory>
#include <set>

using namespace tirx::rt::sim;

namespace {
const Actor warp0{0, 0, 0, 30, {}};
const Actor warp5{0, 5, 0, 90, {}};

struct Form {
  TmemShape shape;
  unsigned perNum, columnsPerNum, maxNum, lanes;
};
const Form forms[] = {{TmemShape::s32x32b, 1, 1, 128, 32},
                      {TmemShape::s16x64b, 1, 2, 128, 16},
                      {TmemShape::s16x128b, 2, 4, 64, 16},
                      {TmemShape::s16x256b, 4, 8, 32, 16},
                      {TmemShape::s16x32bx2, 1, 1, 128, 16}};

/// Tensor memory whose word is lane * 1000 + column.
std::unique_ptr<TensorMemory> numbered() {
  auto memory = std::make_unique<TensorMemory>();
  for (unsigned c = 0; c < tmemColumns; ++c)
    for (unsigned l = 0; l < tmemLanes; ++l)
      memory->word[c][l] = l * 1000 + c;
  return memory;
}
} // namespace

TEST_CASE("TMEM allocator: grants, frees, reuses") {
  TmemAllocator allocator;
  CHECK(*allocator.allocate(256, 1, warp0) == 0u);
  CHECK(*allocator.allocate(128, 1, warp0) == 256u);
  CHECK(*allocator.allocate(64, 1, warp0) == 384u);
  CHECK(allocator.freeColumns() == 64);
  CHECK(*allocator.allocate(64, 1, warp0) == 448u);
  CHECK(*allocator.allocate(32, 1, warp0) == std::nullopt); // must wait
  REQUIRE(allocator.deallocate(256, 128, 1, warp5));
  CHECK(*allocator.allocate(32, 1, warp0) == 256u);
  CHECK(allocator.checkColumns(0, 288, "tcgen05.ld"));
  CHECK(failsWith(
      allocator.checkColumns(280, 16, "tcgen05.ld"),
      {"tcgen05.ld", "column 288", "deallocated by", "warp 5", "PTX line 90"}));
  CHECK(failsWith(allocator.checkExit(), {"columns 0..255 by CTA 0 warp 0"}));
  for (auto [column, columns] :
       {std::pair(0u, 256u), {256u, 32u}, {384u, 64u}, {448u, 64u}})
    REQUIRE(allocator.deallocate(column, columns, 1, warp5));
  CHECK(allocator.checkExit());
}

TEST_CASE("TMEM allocator: every rule has its message") {
  {
    TmemAllocator allocator;
    for (uint32_t columns : {0u, 16u, 48u, 96u, 1024u})
      CHECK(failsWith(allocator.allocate(columns, 1, warp0),
                      {"legal: 32, 64, 128, 256, 512"}));
    REQUIRE(allocator.allocate(64, 1, warp0));
    CHECK(failsWith(allocator.allocate(128, 1, warp0),
                    {"128 columns after an allocation of 64"}));
    CHECK(allocator.allocate(64, 1, warp0));
    CHECK(failsWith(allocator.allocate(64, 2, warp0), {"cta_group::1 before"}));
    CHECK(failsWith(allocator.deallocate(0, 64, 2, warp0), {"cta_group::2"}));
    CHECK(failsWith(allocator.deallocate(0, 32, 1, warp0),
                    {"32 columns", "has 64"}));
    CHECK(failsWith(allocator.deallocate(32, 64, 1, warp0),
                    {"0x20", "no address", "columns 0..63"}));
    REQUIRE(allocator.deallocate(0, 64, 1, warp5));
    CHECK(failsWith(allocator.deallocate(0, 64, 1, warp0),
                    {"deallocated before", "warp 5"}));
  }
  TmemAllocator allocator;
  REQUIRE(allocator.allocate(32, 2, warp0));
  REQUIRE(allocator.relinquish(2, warp5));
  CHECK(failsWith(allocator.allocate(32, 2, warp0),
                  {"gave up its allocation permit", "warp 5"}));
  CHECK(allocator.deallocate(0, 32, 2, warp0));
  CHECK(failsWith(allocator.checkColumns(500, 20, "D"),
                  {"[500, 520)", "512 columns"}));
  CHECK(failsWith(allocator.checkColumns(64, 1, "D"), {"not allocated"}));
}

// Origin: maps checked against the CUTLASS copy traits.
TEST_CASE("tcgen05.ld: sample register positions") {
  auto memory = numbered();
  uint32_t regs[128][32];
  auto load = [&](TmemAccess access) {
    auto ok = tmemLoad(*memory, nullptr, access, 0, 0, regs);
    INFO(messageOf(ok));
    REQUIRE(ok);
  };
  load({TmemShape::s16x256b, 2});
  const unsigned lanes[] = {3, 3, 11, 11, 3, 3, 11, 11};
  const unsigned columns[] = {2, 3, 2, 3, 10, 11, 10, 11};
  for (unsigned i = 0; i < 8; ++i)
    CHECK(regs[i][13] == lanes[i] * 1000 + columns[i]);
  load({TmemShape::s16x64b, 1});
  CHECK(regs[0][7] == 9001);
  load({TmemShape::s16x128b, 2});
  const unsigned expected[] = {1002, 9002, 1006, 9006};
  for (unsigned i = 0; i < 4; ++i)
    CHECK(regs[i][6] == expected[i]);
  load({TmemShape::s32x32b, 4});
  CHECK(regs[3][17] == 17003);
  load({TmemShape::s16x32bx2, 2, false, 40});
  CHECK(regs[1][5] == 5001);
  CHECK(regs[1][21] == 5041);
  for (unsigned c = 0; c < 8; ++c)
    memory->word[c][5] = 0xABCD0000u | (100 + c);
  load({TmemShape::s32x32b, 2, true});
  CHECK(regs[0][5] == (100 | 101 << 16));
  CHECK(regs[1][5] == (102 | 103 << 16));
}

// The accumulator fragment of mma.m16n8: c0,c1 at row t/4, columns
// 2*(t%4)+{0,1}; c2,c3 eight rows below (PTX ISA, mma.m16n8k16).
TEST_CASE("tcgen05.ld.16x256b equals the mma.m16n8 fragment") {
  auto memory = numbered();
  uint32_t regs[16][32];
  REQUIRE(tmemLoad(*memory, nullptr, {TmemShape::s16x256b, 4},
                   tmemAddress(16, 64), 1, regs));
  for (unsigned tile = 0; tile < 4; ++tile)
    for (unsigned t = 0; t < 32; ++t)
      for (unsigned c = 0; c < 4; ++c) {
        unsigned row = t / 4 + (c >= 2 ? 8 : 0);
        unsigned column = 8 * tile + 2 * (t % 4) + c % 2;
        REQUIRE(regs[4 * tile + c][t] == (32 + 16 + row) * 1000 + 64 + column);
      }
}

TEST_CASE("tcgen05.st then ld is the identity for every shape and number") {
  auto rng = makeRng(70);
  for (const Form &form : forms)
    for (unsigned num = 1; num <= form.maxNum; num *= 2)
      for (bool pack : {false, true}) {
        TmemAccess access{form.shape, num, pack, 0};
        unsigned columns = form.columnsPerNum * num * (pack ? 2 : 1);
        if (form.shape == TmemShape::s16x32bx2)
          access.halfSplitOffset = columns;
        unsigned used = columns * (form.shape == TmemShape::s16x32bx2 ? 2 : 1);
        if (used > tmemColumns)
          continue;
        CAPTURE(nameOf(form.shape), num, pack);
        REQUIRE(*tmemRegisters(access) == form.perNum * num);
        unsigned warp = pick(rng, 0, 11);
        unsigned lane = form.lanes == 16 && rng() % 2 ? 16 : 0;
        unsigned column = pick(rng, 0, tmemColumns - used);
        uint32_t address = tmemAddress(lane, column);
        auto memory = std::make_unique<TensorMemory>(0x7FA5A5A5u);
        uint32_t in[128][32], out[128][32];
        for (auto &row : in)
          for (uint32_t &word : row)
            word = uint32_t(rng());
        REQUIRE(tmemStore(*memory, nullptr, access, address, warp, in));
        REQUIRE(tmemLoad(*memory, nullptr, access, address, warp, out));
        for (unsigned i = 0; i < form.perNum * num; ++i)
          for (unsigned t = 0; t < 32; ++t)
            REQUIRE(in[i][t] == out[i][t]);
        // Exactly the announced regions changed.
        auto regions = tmemRegions(access, address, warp);
        REQUIRE(regions);
        std::set<std::pair<unsigned, unsigned>> announced, changed;
        for (const TmemRegion &r : *regions)
          for (unsigned l = r.lane; l < r.lane + r.lanes; ++l)
            for (unsigned c = r.column; c < r.column + r.columns; ++c)
              announced.insert({l, c});
        for (unsigned l = 0; l < tmemLanes; ++l)
          for (unsigned c = 0; c < tmemColumns; ++c)
            if (memory->word[c][l] != 0x7FA5A5A5u)
              changed.insert({l, c});
        REQUIRE(changed == announced);
      }
}

TEST_CASE("tcgen05.ld/st: windows, lanes, columns, allocation") {
  auto memory = numbered();
  uint32_t regs[128][32];
  TmemAccess one{TmemShape::s32x32b, 1};
  TmemAccess sixteen{TmemShape::s16x64b, 1};
  Warnings warnings;
  // The window comes from the warp; the address's own lane bits are ignored.
  REQUIRE(
      tmemLoad(*memory, nullptr, one, tmemAddress(0, 3), 6, regs, &warnings));
  CHECK(regs[0][1] == (64 + 1) * 1000 + 3);
  REQUIRE(
      tmemLoad(*memory, nullptr, one, tmemAddress(64, 3), 6, regs, &warnings));
  CHECK(warnings.empty());
  REQUIRE(
      tmemLoad(*memory, nullptr, one, tmemAddress(32, 3), 6, regs, &warnings));
  CHECK(regs[0][1] == (64 + 1) * 1000 + 3);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].find("lanes 64..95 only") != std::string::npos);

  auto load = [&](TmemAccess access, uint32_t address) {
    return tmemLoad(*memory, nullptr, access, address, 0, regs);
  };
  CHECK(
      failsWith(load(one, tmemAddress(16, 0)), {"lane 16", "multiple of 32"}));
  CHECK(load(sixteen, tmemAddress(16, 0)));
  CHECK(failsWith(load(sixteen, tmemAddress(8, 0)), {"multiple of 16"}));
  CHECK(failsWith(load(one, tmemAddress(128, 0)), {"lane 128"}));
  CHECK(failsWith(load(one, tmemAddress(0, 512)), {"512 columns"}));
  CHECK(load(one, tmemAddress(0, 511)));
  CHECK(failsWith(load(sixteen, tmemAddress(0, 511)), {"[511, 513)"}));
  CHECK(failsWith(load({TmemShape::s16x256b, 64}, 0), {".x64", "1..32"}));
  CHECK(failsWith(load({TmemShape::s32x32b, 3}, 0), {".x3"}));
  CHECK(failsWith(load({TmemShape::s16x32bx2, 1, false, 512}, 0),
                  {"immHalfSplitoff 512"}));
  CHECK(failsWith(load({TmemShape::s16x32bx2, 16, false, 500}, 0),
                  {"[500, 516)"}));

  TmemAllocator allocator;
  REQUIRE(allocator.allocate(32, 1, warp0));
  CHECK(tmemLoad(*memory, &allocator, one, tmemAddress(0, 31), 0, regs));
  CHECK(
      failsWith(tmemLoad(*memory, &allocator, one, tmemAddress(0, 32), 0, regs),
                {"tcgen05.ld", "column 32", "not allocated"}));
  CHECK(failsWith(
      tmemStore(*memory, &allocator, sixteen, tmemAddress(0, 31), 0, regs),
      {"tcgen05.st", "column 32"}));
}
