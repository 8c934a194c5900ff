//===- OperandGatherTest.cpp - tile gather tests ----------------*- C++ -*-===//
#include "units/OperandGather.h"
#include "TestSupport.h"

#include <algorithm>
#include <cstring>
#include <set>

using namespace tirx::rt::sim;

namespace {

struct Layout {
  OperandTile tile;
  MatrixDescriptor desc;
};

/// A random legal operand inside a 64 KiB window.
Layout randomLayout(std::mt19937 &rng) {
  Layout layout;
  OperandTile &tile = layout.tile;
  tile.elementBytes = pickOf<unsigned>(rng, {1, 2, 4});
  tile.k = 32 / tile.elementBytes;
  tile.rows = 16 * pick(rng, 1, 8);
  tile.major = rng() % 2 ? Major::MN : Major::K;
  std::vector<Swizzle> modes = {Swizzle::none, Swizzle::b32, Swizzle::b64,
                                Swizzle::b128};
  if (tile.major == Major::MN && tile.elementBytes == 4)
    modes = {Swizzle::b128Atom32};
  layout.desc.swizzle = pickOf(rng, modes);
  layout.desc.start = 16 * pick(rng, 64, 512);
  layout.desc.leadingBytes = 16 * pick(rng, 1, 200);
  layout.desc.strideBytes = 16 * pick(rng, 1, 200);
  return layout;
}

} // namespace

TEST_CASE("gather: equals the element-wise address map") {
  auto rng = makeRng(40);
  std::vector<std::byte> memory(256 * 1024);
  for (std::byte &byte : memory)
    byte = std::byte(rng());
  for (unsigned i = 0; i < 400; ++i) {
    auto [tile, desc] = randomLayout(rng);
    CAPTURE(nameOf(desc.swizzle), tile.rows, tile.elementBytes, int(tile.major),
            desc.start, desc.leadingBytes, desc.strideBytes);
    REQUIRE(checkOperand(desc, tile, "A"));
    unsigned e = tile.elementBytes;
    std::vector<std::byte> dense(size_t(tile.rows) * tile.k * e, std::byte(0));
    auto plan = operandPlan(desc, tile);
    auto ok = gatherOperand(memory, desc, *plan, "A", dense.data());
    INFO(messageOf(ok));
    REQUIRE(ok);
    std::set<uint32_t> touched;
    for (unsigned row = 0; row < tile.rows; ++row)
      for (unsigned k = 0; k < tile.k; ++k) {
        uint32_t address = operandAddress(desc, tile, row, k);
        touched.insert(address & ~15u);
        REQUIRE(std::memcmp(memory.data() + address,
                            dense.data() + (size_t(row) * tile.k + k) * e,
                            e) == 0);
      }
    auto chunks = operandChunks(desc, tile, memory.size(), "A");
    REQUIRE(chunks);
    CHECK(std::set<uint32_t>(chunks->begin(), chunks->end()) == touched);
  }
}

TEST_CASE("gather: the plan is cached by layout, not by address") {
  OperandTile tile{64, 16, 2, Major::K};
  MatrixDescriptor desc{0x400, 16, 1024, 0, Swizzle::b128};
  auto first = operandPlan(desc, tile);
  desc.start = 0x4400;
  CHECK(operandPlan(desc, tile) == first);
  desc.strideBytes = 2048;
  CHECK(operandPlan(desc, tile) != first);
}

TEST_CASE("gather: tiles outside the window") {
  OperandTile tile{64, 16, 2, Major::K};
  MatrixDescriptor desc{0x400, 16, 1024, 0, Swizzle::b128};
  auto plan = operandPlan(desc, tile);
  std::vector<std::byte> dense(64 * 16 * 2);
  // The last row ends at 0x400 + 7*1024 + 7*128 + 32; swizzled, its chunks lie
  // in the same 128 bytes.
  std::vector<std::byte> fits(0x400 + 8 * 1024),
      shorter(0x400 + 8 * 1024 - 128);
  CHECK(gatherOperand(fits, desc, *plan, "operand A", dense.data()));
  CHECK(
      failsWith(gatherOperand(shorter, desc, *plan, "operand A", dense.data()),
                {"operand A", "shared memory", "0x2380"}));
  CHECK(failsWith(operandChunks(desc, tile, shorter.size(), "operand A"),
                  {"operand A"}));
  MatrixDescriptor high{0x3FC00, 16, 1024, 0, Swizzle::b128};
  std::vector<std::byte> all(512 * 1024);
  CHECK(failsWith(gatherOperand(all, high, *plan, "operand A", dense.data()),
                  {"18 bits"}));
}
