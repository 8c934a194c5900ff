//===- TmaBoxTest.cpp - tiled copies against an element walk ----*- C++ -*-===//
#include "units/TmaBox.h"
#include "TestSupport.h"
#include "units/FloatFormats.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>

using namespace tirx::rt;
using namespace tirx::rt::sim;

namespace {

constexpr uint64_t base = 0x10000000;

/// One allocation at `base`.
class OneBuffer : public GlobalSpace {
public:
  explicit OneBuffer(size_t size) : bytes(size, std::byte(0x5A)) {}
  Expected<std::byte *> access(uint64_t address, uint64_t size, bool) override {
    if (address < base || address + size > base + bytes.size())
      return makeError("global [{:#x}, {:#x}) is in no allocation", address,
                       address + size);
    return bytes.data() + (address - base);
  }
  std::vector<std::byte> bytes;
};

struct Problem {
  TensorMapFields map;
  std::vector<int32_t> coords;
  uint32_t shared;
  size_t globalBytes;
};

Problem randomProblem(std::mt19937 &rng, bool store) {
  Problem p;
  TensorMapFields &f = p.map;
  f.type = pickOf<TensorMapDType>(
      rng, {TensorMapDType::u8, TensorMapDType::bf16, TensorMapDType::f16,
            TensorMapDType::f32, TensorMapDType::s64, TensorMapDType::u16});
  unsigned e = sizeOf(f.type);
  f.rank = uint8_t(pick(rng, 1, 5));
  f.globalAddress = base;
  f.swizzle =
      pickOf<Swizzle>(rng, {Swizzle::none, Swizzle::b32, Swizzle::b64,
                            Swizzle::b128, Swizzle::b128Atom32,
                            Swizzle::b128Atom32Flip8, Swizzle::b128Atom64});
  bool isFloat = f.type == TensorMapDType::bf16 ||
                 f.type == TensorMapDType::f16 || f.type == TensorMapDType::f32;
  f.fill = isFloat && rng() % 2 ? TensorMapFill::nan : TensorMapFill::zero;
  f.globalDim[0] = pick(rng, 1, 3 * 128 / e);
  f.boxDim[0] = f.swizzle == Swizzle::none ? 16 / e * pick(rng, 1, 10)
                                           : swizzleWidth(f.swizzle) / e;
  f.boxDim[0] = std::min(f.boxDim[0], 256u / 16 * 16);
  f.elementStrides[0] = pick(rng, 1, 8); // ignored
  uint64_t pitch = (f.globalDim[0] * e + 15) / 16 * 16 + 16 * pick(rng, 0, 2);
  for (unsigned d = 1; d < f.rank; ++d) {
    f.globalDim[d] = pick(rng, 1, 6);
    f.boxDim[d] = pick(rng, 1, 5);
    f.elementStrides[d] = pick(rng, 1, 3);
    f.globalStrides[d - 1] = pitch;
    pitch = pitch * f.globalDim[d] + 16 * pick(rng, 0, 2);
  }
  p.globalBytes = pitch;
  for (unsigned d = 0; d < f.rank; ++d) {
    int low = store ? 0 : -int(f.boxDim[d]) - 1;
    p.coords.push_back(int32_t(
        std::uniform_int_distribution<int>(low, int(f.globalDim[d]) + 1)(rng)));
  }
  p.shared = 1024 * pick(rng, 1, 4) + 128 * pick(rng, 0, 7);
  return p;
}

/// The box walk of the PTX ISA, element by element: calls
/// body(in bounds, global offset, shared address).
template <typename Body> uint64_t walk(const Problem &p, Body body) {
  const TensorMapFields &f = p.map;
  unsigned e = sizeOf(f.type);
  uint32_t counts[5] = {1, 1, 1, 1, 1}, steps[5] = {1, 1, 1, 1, 1};
  for (unsigned d = 0; d < f.rank; ++d) {
    steps[d] = d ? f.elementStrides[d] : 1;
    counts[d] = (f.boxDim[d] + steps[d] - 1) / steps[d];
  }
  uint64_t linear = 0;
  for (uint32_t i4 = 0; i4 < counts[4]; ++i4)
    for (uint32_t i3 = 0; i3 < counts[3]; ++i3)
      for (uint32_t i2 = 0; i2 < counts[2]; ++i2)
        for (uint32_t i1 = 0; i1 < counts[1]; ++i1)
          for (uint32_t i0 = 0; i0 < counts[0]; ++i0) {
            uint32_t index[5] = {i0, i1, i2, i3, i4};
            bool inside = true;
            int64_t offset = 0;
            for (unsigned d = 0; d < f.rank; ++d) {
              int64_t c = int64_t(p.coords[d]) + int64_t(index[d]) * steps[d];
              inside = inside && c >= 0 && c < int64_t(f.globalDim[d]);
              offset += c * int64_t(d ? f.globalStrides[d - 1] : e);
            }
            body(inside, offset,
                 applySwizzle(f.swizzle, uint32_t(p.shared + linear)));
            linear += e;
          }
  return linear;
}

/// Segments in random order, in runs of random length.
template <typename Execute>
void inRandomOrder(std::mt19937 &rng, size_t segments, Execute execute) {
  std::vector<std::pair<size_t, size_t>> runs;
  for (size_t at = 0; at < segments;) {
    size_t count = std::min<size_t>(pick(rng, 1, 4), segments - at);
    runs.push_back({at, count});
    at += count;
  }
  std::shuffle(runs.begin(), runs.end(), rng);
  for (auto [first, count] : runs) {
    auto ok = execute(first, count);
    INFO(messageOf(ok));
    REQUIRE(ok);
  }
}

TensorMapFields simpleMap() {
  TensorMapFields f;
  f.type = TensorMapDType::f16;
  f.rank = 2;
  f.globalAddress = base;
  f.globalDim = {100, 20};
  f.globalStrides = {208};
  f.boxDim = {64, 8};
  f.elementStrides = {1, 1};
  f.swizzle = Swizzle::b128;
  return f;
}
constexpr uint64_t window = 192 * 1024; // holds the largest random box

} // namespace

TEST_CASE("TMA load: equals the element walk, delivered in any order") {
  auto rng = makeRng(60);
  for (unsigned run = 0; run < 600; ++run) {
    Problem p = randomProblem(rng, false);
    unsigned e = sizeOf(p.map.type);
    CAPTURE(run, nameOf(p.map.type), nameOf(p.map.swizzle), int(p.map.rank));
    OneBuffer global(p.globalBytes);
    for (std::byte &byte : global.bytes)
      byte = std::byte(rng());
    auto shared = poisoned(window), expected = shared;
    uint64_t bytes = walk(p, [&](bool inside, int64_t from, uint32_t to) {
      uint64_t nan = e == 2 ? 0x7FFF : 0x7FFFFFFF;
      uint64_t fill = p.map.fill == TensorMapFill::nan ? nan : 0;
      const void *source =
          inside ? (const void *)(global.bytes.data() + from) : &fill;
      std::memcpy(expected.data() + to, source, e);
    });
    auto plan = planTmaLoad(p.map, p.coords, p.shared, window);
    INFO(messageOf(plan));
    REQUIRE(plan);
    CHECK(plan->txBytes == bytes);
    CHECK(*tmaBoxBytes(p.map) == bytes);
    uint64_t covered = 0;
    for (const TmaSegment &segment : plan->segments)
      covered += segment.bytes;
    CHECK(covered == bytes);
    inRandomOrder(rng, plan->segments.size(), [&](size_t first, size_t count) {
      return executeTmaLoad(*plan, first, count, shared, global);
    });
    REQUIRE(shared == expected);
  }
}

TEST_CASE("TMA store: equals the element walk, skips what is outside") {
  auto rng = makeRng(61);
  for (unsigned run = 0; run < 600; ++run) {
    Problem p = randomProblem(rng, true);
    unsigned e = sizeOf(p.map.type);
    CAPTURE(run, nameOf(p.map.type), nameOf(p.map.swizzle), int(p.map.rank));
    OneBuffer global(p.globalBytes);
    std::vector<std::byte> expected = global.bytes, shared(window);
    for (std::byte &byte : shared)
      byte = std::byte(rng());
    walk(p, [&](bool inside, int64_t to, uint32_t from) {
      if (inside)
        std::memcpy(expected.data() + to, shared.data() + from, e);
    });
    auto plan = planTmaStore(p.map, p.coords, p.shared, window);
    INFO(messageOf(plan));
    REQUIRE(plan);
    inRandomOrder(rng, plan->segments.size(), [&](size_t first, size_t count) {
      return executeTmaStore(*plan, first, count, shared, global);
    });
    REQUIRE(global.bytes == expected);
  }
}

TEST_CASE("TMA: a load followed by a store is the identity inside the tensor") {
  auto rng = makeRng(62);
  for (unsigned run = 0; run < 100; ++run) {
    Problem p = randomProblem(rng, true);
    for (unsigned d = 0; d < p.map.rank; ++d)
      p.map.elementStrides[d] = 1;
    OneBuffer from(p.globalBytes), to(p.globalBytes);
    for (std::byte &byte : from.bytes)
      byte = std::byte(rng());
    auto shared = poisoned(window);
    auto load = planTmaLoad(p.map, p.coords, p.shared, window);
    auto store = planTmaStore(p.map, p.coords, p.shared, window);
    REQUIRE(load);
    REQUIRE(store);
    REQUIRE(executeTmaLoad(*load, 0, load->segments.size(), shared, from));
    REQUIRE(executeTmaStore(*store, 0, store->segments.size(), shared, to));
    unsigned e = sizeOf(p.map.type);
    walk(p, [&](bool inside, int64_t offset, uint32_t) {
      if (inside)
        REQUIRE(std::memcmp(from.bytes.data() + offset,
                            to.bytes.data() + offset, e) == 0);
    });
  }
}

TEST_CASE("TMA: what is refused, and its good neighbour") {
  TensorMapFields f = simpleMap();
  const std::vector<int32_t> origin = {0, 0};
  REQUIRE(planTmaLoad(f, origin, 0x400, window));
  CHECK(failsWith(planTmaLoad(f, std::vector<int32_t>{0}, 0x400, window),
                  {"1 coordinates", "rank 2"}));
  CHECK(
      failsWith(planTmaLoad(f, origin, 0x440, window), {"0x440", "128-byte"}));
  CHECK(failsWith(planTmaLoad(f, origin, uint32_t(window) - 512, window),
                  {"TMA tile", "shared memory"}));
  CHECK(planTmaLoad(f, origin, uint32_t(window) - 1024, window));
  CHECK(planTmaLoad(f, std::vector<int32_t>{-5, -1}, 0x400, window));
  CHECK(failsWith(planTmaStore(f, std::vector<int32_t>{0, -1}, 0x400, window),
                  {"coordinate -1 of dimension 1"}));
  CHECK(planTmaStore(f, std::vector<int32_t>{0, 1}, 0x400, window));

  Warnings warnings;
  REQUIRE(planTmaLoad(f, origin, 0x480, window, &warnings));
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].find("1024") != std::string::npos);
  warnings.clear();
  REQUIRE(planTmaLoad(f, origin, 0x800, window, &warnings));
  CHECK(warnings.empty());

  TensorMapFields narrow = f;
  narrow.boxDim[0] = 32;
  CHECK(failsWith(planTmaLoad(narrow, origin, 0x400, window),
                  {"64 bytes", "128 bytes", "row pitch"}));
  narrow.boxDim[1] = 1;
  CHECK(planTmaLoad(narrow, origin, 0x400, window));
  TensorMapFields packed = f;
  packed.type = TensorMapDType::u4Align8B;
  CHECK(failsWith(planTmaLoad(packed, origin, 0x400, window),
                  {"16U4_ALIGN8B", "not simulated"}));
  packed.type = TensorMapDType::f32Ftz;
  CHECK(failsWith(planTmaLoad(packed, origin, 0x400, window),
                  {"FLOAT32_FTZ", "not simulated"}));
  TensorMapFields interleaved = f;
  interleaved.interleave = TensorMapInterleave::b16;
  CHECK(failsWith(planTmaLoad(interleaved, origin, 0x400, window),
                  {"interleaved"}));
}

TEST_CASE("TMA: ranges outside the allocation are errors") {
  TensorMapFields f = simpleMap();
  // Rows 0..4 of 208 bytes exist; the box's rows 4.. need more.
  OneBuffer global(4 * 208 + 128);
  auto shared = poisoned(window);
  auto plan = planTmaLoad(f, std::vector<int32_t>{0, 0}, 0x400, window);
  REQUIRE(plan);
  CHECK(executeTmaLoad(*plan, 0, 5, shared, global));
  CHECK(failsWith(executeTmaLoad(*plan, 5, 1, shared, global),
                  {"TMA load", "in no allocation"}));
  CHECK(failsWith(executeTmaStore(*plan, 5, 1, shared, global),
                  {"TMA store", "in no allocation"}));
  CHECK(failsWith(executeTmaLoad(*plan, 7, 2, shared, global),
                  {"segments [7, 9)"}));
}

TEST_CASE("TMA load: TFLOAT32 rounds on the way in") {
  TensorMapFields f = simpleMap();
  f.type = TensorMapDType::tf32;
  f.boxDim = {32, 8};
  OneBuffer global(20 * 208);
  auto rng = makeRng(63);
  std::vector<float> values(global.bytes.size() / 4);
  for (float &value : values)
    value = std::normal_distribution<float>()(rng);
  std::memcpy(global.bytes.data(), values.data(), global.bytes.size());
  auto shared = poisoned(window);
  auto plan = planTmaLoad(f, std::vector<int32_t>{0, 0}, 0x400, window);
  REQUIRE(plan);
  REQUIRE(executeTmaLoad(*plan, 0, plan->segments.size(), shared, global));
  for (unsigned row = 0; row < 8; ++row)
    for (unsigned i = 0; i < 32; ++i) {
      uint32_t bits;
      std::memcpy(&bits,
                  shared.data() +
                      applySwizzle(Swizzle::b128, 0x400 + row * 128 + i * 4),
                  4);
      REQUIRE(bits == floatToTf32(values[row * 52 + i], Rounding::rn));
    }
}

TEST_CASE("TMA reduce: per element operations") {
  TensorMapFields f = simpleMap();
  f.type = TensorMapDType::u32;
  f.boxDim = {32, 1};
  struct Case {
    TmaReduceOp op;
    uint32_t old, value, expected;
  };
  const Case cases[] = {{TmaReduceOp::add, 0xFFFFFFFF, 3, 2},
                        {TmaReduceOp::min, 7, 9, 7},
                        {TmaReduceOp::max, 7, 0x80000000, 0x80000000},
                        {TmaReduceOp::inc, 7, 7, 0},
                        {TmaReduceOp::inc, 6, 7, 7},
                        {TmaReduceOp::dec, 0, 7, 7},
                        {TmaReduceOp::dec, 5, 7, 4},
                        {TmaReduceOp::bitAnd, 12, 10, 8},
                        {TmaReduceOp::bitOr, 12, 10, 14},
                        {TmaReduceOp::bitXor, 12, 10, 6}};
  for (const Case &entry : cases) {
    OneBuffer global(4096);
    auto shared = poisoned(window);
    for (unsigned i = 0; i < 32; ++i) {
      std::memcpy(global.bytes.data() + 4 * i, &entry.old, 4);
      std::memcpy(shared.data() + 0x400 + 4 * i, &entry.value, 4);
    }
    auto plan = planTmaStore(f, std::vector<int32_t>{0, 0}, 0x400, window);
    REQUIRE(plan);
    REQUIRE(executeTmaReduce(*plan, entry.op, 0, 1, shared, global));
    uint32_t got;
    std::memcpy(&got, global.bytes.data() + 4 * 17, 4);
    CAPTURE(int(entry.op));
    CHECK(got == entry.expected);
    std::memcpy(&got, global.bytes.data() + 4 * 32, 4);
    CHECK(got == 0x5A5A5A5A);
  }
}

TEST_CASE("TMA reduce: floats, and pairs that do not exist") {
  TensorMapFields f = simpleMap();
  f.type = TensorMapDType::f32;
  f.boxDim = {32, 4};
  OneBuffer global(20 * 208);
  auto shared = poisoned(window);
  auto plan = planTmaStore(f, std::vector<int32_t>{0, 0}, 0x400, window);
  REQUIRE(plan);
  for (unsigned row = 0; row < 4; ++row)
    for (unsigned i = 0; i < 32; ++i) {
      float old = float(i), value = 0.25f * float(row + 1);
      std::memcpy(global.bytes.data() + row * 208 + i * 4, &old, 4);
      std::memcpy(shared.data() +
                      applySwizzle(Swizzle::b128, 0x400 + row * 128 + i * 4),
                  &value, 4);
    }
  REQUIRE(executeTmaReduce(*plan, TmaReduceOp::add, 0, 4, shared, global));
  for (unsigned row = 0; row < 4; ++row)
    for (unsigned i = 0; i < 32; ++i) {
      float got;
      std::memcpy(&got, global.bytes.data() + row * 208 + i * 4, 4);
      REQUIRE(got == float(i) + 0.25f * float(row + 1));
    }
  CHECK(failsWith(
      executeTmaReduce(*plan, TmaReduceOp::bitXor, 0, 4, shared, global),
      {".xor", "FLOAT32"}));
  CHECK(
      failsWith(executeTmaReduce(*plan, TmaReduceOp::inc, 0, 4, shared, global),
                {".inc"}));
}
