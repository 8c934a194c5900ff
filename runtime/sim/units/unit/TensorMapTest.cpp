//===- TensorMapTest.cpp - encode rules and record tests --------*- C++ -*-===//
#include "units/TensorMap.h"
#include "TestSupport.h"

#include <cstring>

using namespace tirx::rt::sim;

namespace {

using T = TensorMapDType;

/// The map that the table rows vary: bf16 4096 x 2048, box 64 x 128, 128B.
TensorMapFields base() {
  TensorMapFields f;
  f.type = T::bf16;
  f.rank = 2;
  f.globalAddress = 0x7f7506000000;
  f.globalDim = {4096, 2048, 1, 1, 1};
  f.globalStrides = {8192, 0, 0, 0};
  f.boxDim = {64, 128, 1, 1, 1};
  f.elementStrides = {1, 1, 1, 1, 1};
  f.swizzle = Swizzle::b128;
  return f;
}

TensorMapFields with(auto change) {
  TensorMapFields f = base();
  change(f);
  return f;
}

} // namespace

// Return codes of cuTensorMapEncodeTiled, recorded on an sm_90 device.
TEST_CASE("tensor map: agrees with the driver's verdicts on sm_90") {
  auto verdict = [](const TensorMapFields &f) {
    return validateTensorMap(f, TensorMapTarget::sm90).has_value();
  };
  CHECK(verdict(base()));
  for (unsigned type = 0; type < 16; ++type) {
    CAPTURE(type);
    CHECK(verdict(with([&](auto &f) {
            f.type = T(type);
            f.globalStrides[0] = 65536;
            f.boxDim[0] = 16;
            f.swizzle = Swizzle::none;
          })) == (type <= 12));
  }
  const std::pair<unsigned, bool> swizzles[] = {
      {64, true},  {16, true},  {32, true}, {64, true},
      {64, false}, {64, false}, {64, false}};
  for (unsigned mode = 0; mode < 7; ++mode) {
    CAPTURE(mode);
    CHECK(verdict(with([&](auto &f) {
            f.swizzle = Swizzle(mode);
            f.boxDim[0] = swizzles[mode].first;
          })) == swizzles[mode].second);
  }
  for (unsigned promotion = 0; promotion < 4; ++promotion)
    CHECK(verdict(with([&](auto &f) { f.l2Promotion = uint8_t(promotion); })));
  CHECK(verdict(with([](auto &f) { f.fill = TensorMapFill::nan; })));
  for (uint32_t inner : {8, 16, 32, 64})
    for (uint32_t outer : {1, 8, 64, 256})
      CHECK(verdict(with([&](auto &f) {
        f.boxDim[0] = inner;
        f.boxDim[1] = outer;
      })));
  for (uint64_t dim : {64ull, 4095ull, 65536ull, 4294967296ull}) {
    CHECK(verdict(with([&](auto &f) { f.globalDim[0] = dim; })));
    CHECK(verdict(with([&](auto &f) { f.globalDim[1] = dim; })));
  }
  for (uint64_t stride : {128ull, 8192ull, 1048576ull, 1099511627760ull})
    CHECK(verdict(with([&](auto &f) { f.globalStrides[0] = stride; })));
  for (uint8_t rank = 1; rank <= 5; ++rank)
    CHECK(verdict(with([&](auto &f) {
      f.rank = rank;
      f.globalDim = {512, 256, 128, 64, 32};
      f.globalStrides = {1024, 262144, 33554432, 2147483648};
      f.boxDim = {64, 8, 4, 2, 1};
      f.l2Promotion = 2;
    })));
  for (uint32_t stride : {2, 4, 8}) {
    CHECK(verdict(with([&](auto &f) { f.elementStrides[1] = stride; })));
    CHECK(verdict(with([&](auto &f) {
      f.elementStrides[0] = stride;
      f.swizzle = Swizzle::none;
    })));
  }
}

// Rules stated by the driver API page; each bad map has a good neighbour.
TEST_CASE("tensor map: every rule is enforced and named") {
  struct Rule {
    TensorMapFields good, bad;
    std::vector<std::string_view> parts;
  };
  const Rule rules[] = {
      {base(), with([](auto &f) { f.rank = 0; }), {"rank 0", "1..5"}},
      {base(), with([](auto &f) { f.rank = 6; }), {"rank 6"}},
      {base(), with([](auto &f) { f.type = T(16); }), {"data type 16"}},
      {base(), with([](auto &f) { f.swizzle = Swizzle(7); }), {"swizzle 7"}},
      {base(), with([](auto &f) { f.l2Promotion = 4; }), {"L2 promotion 4"}},
      {base(),
       with([](auto &f) { f.globalAddress += 8; }),
       {"global address", "multiple of 16"}},
      {base(),
       with([](auto &f) { f.globalDim[1] = 0; }),
       {"globalDim[1] = 0", "2^32"}},
      {base(),
       with([](auto &f) { f.globalDim[0] = 4294967297ull; }),
       {"globalDim[0] = 4294967297"}},
      {base(),
       with([](auto &f) { f.globalStrides[0] = 8200; }),
       {"globalStrides[0] = 8200", "multiple of 16"}},
      {with([](auto &f) { f.globalStrides[0] = (1ull << 40) - 16; }),
       with([](auto &f) { f.globalStrides[0] = 1ull << 40; }),
       {"2^40"}},
      {base(),
       with([](auto &f) { f.boxDim[1] = 257; }),
       {"boxDim[1] = 257", "1..256"}},
      {base(), with([](auto &f) { f.boxDim[0] = 0; }), {"boxDim[0] = 0"}},
      {base(),
       with([](auto &f) { f.elementStrides[1] = 9; }),
       {"elementStrides[1] = 9", "1..8"}},
      {base(),
       with([](auto &f) { f.elementStrides[1] = 0; }),
       {"elementStrides[1] = 0"}},
      {with([](auto &f) { f.boxDim[0] = 8; }),
       with([](auto &f) { f.boxDim[0] = 12; }),
       {"192 bits", "16 bytes"}},
      {base(),
       with([](auto &f) { f.boxDim[0] = 72; }),
       {"144 bytes", "128 bytes", "128B"}},
      {base(),
       with([](auto &f) { f.swizzle = Swizzle::b64; }),
       {"128 bytes", "64 bytes"}},
      {with([](auto &f) {
         f.type = T::f16;
         f.fill = TensorMapFill::nan;
       }),
       with([](auto &f) {
         f.type = T::u16;
         f.fill = TensorMapFill::nan;
       }),
       {"NaN fill", "UINT16"}},
      {base(),
       with([](auto &f) { f.interleave = TensorMapInterleave::b16; }),
       {"rank 3..5"}},
      {with([](auto &f) {
         f.rank = 3;
         f.globalStrides = {8192, 1 << 24, 0, 0};
         f.interleave = TensorMapInterleave::b32;
         f.swizzle = Swizzle::b32;
       }),
       with([](auto &f) {
         f.rank = 3;
         f.globalStrides = {8192, 1 << 24, 0, 0};
         f.interleave = TensorMapInterleave::b32;
       }),
       {"interleave 32B needs swizzle 32B"}},
      {with([](auto &f) {
         f.type = T::u4Align16B;
         f.boxDim[0] = 128;
       }),
       with([](auto &f) { f.type = T::u4Align16B; }),
       {"boxDim[0] = 64", "needs 128"}},
      {with([](auto &f) {
         f.type = T::u4Align16B;
         f.boxDim[0] = 128;
       }),
       with([](auto &f) {
         f.type = T::u4Align16B;
         f.boxDim[0] = 128;
         f.globalDim[0] = 4000;
       }),
       {"globalDim[0] = 4000", "128"}},
      {with([](auto &f) {
         f.type = T::u4Align16B;
         f.boxDim[0] = 128;
       }),
       with([](auto &f) {
         f.type = T::u4Align16B;
         f.boxDim[0] = 128;
         f.globalAddress += 16;
       }),
       {"multiple of 32"}},
  };
  for (const Rule &rule : rules) {
    auto good = validateTensorMap(rule.good, TensorMapTarget::sm100);
    INFO(messageOf(good));
    CHECK(good);
    auto bad = validateTensorMap(rule.bad, TensorMapTarget::sm100);
    REQUIRE_FALSE(bad);
    CAPTURE(bad.error().message);
    for (std::string_view part : rule.parts)
      CHECK(bad.error().message.find(part) != std::string::npos);
    CHECK_FALSE(encodeTensorMap(rule.bad, TensorMapTarget::sm100));
  }
  auto atom = with([](auto &f) { f.swizzle = Swizzle::b128Atom64; });
  CHECK(validateTensorMap(atom, TensorMapTarget::sm100));
  CHECK(failsWith(validateTensorMap(atom, TensorMapTarget::sm90), {"sm_100"}));
}

TEST_CASE("tensor map record: round trip, foreign bytes, corruption") {
  auto rng = makeRng(50);
  for (unsigned i = 0; i < 500; ++i) {
    TensorMapFields f;
    f.type = T(pick(rng, 0, 12));
    f.rank = uint8_t(pick(rng, 1, 5));
    f.globalAddress = uint64_t(rng()) << 12 | 16 * pick(rng, 0, 255);
    for (unsigned d = 0; d < f.rank; ++d) {
      f.globalDim[d] = i % 7 ? 1 + rng() : uint64_t(1) << 32;
      f.boxDim[d] = d ? pick(rng, 1, 256) : 16;
      f.elementStrides[d] = pick(rng, 1, 8);
      if (d)
        f.globalStrides[d - 1] = (uint64_t(rng()) << 7 | rng() % 128) / 16 * 16;
    }
    f.l2Promotion = uint8_t(pick(rng, 0, 3));
    auto record = encodeTensorMap(f, TensorMapTarget::sm100);
    INFO(messageOf(record));
    REQUIRE(record);
    auto back = decodeTensorMap(*record);
    INFO(messageOf(back));
    REQUIRE(back);
    REQUIRE(*back == f);
    // Any flipped bit is found.
    TensorMapRecord broken = *record;
    unsigned bit = pick(rng, 0, 1023);
    broken[bit / 8] ^= std::byte(1 << bit % 8);
    REQUIRE_FALSE(decodeTensorMap(broken));
  }
  TensorMapRecord foreign{};
  uint64_t word = 0x00006510757f0006;
  std::memcpy(foreign.data(), &word, 8);
  CHECK(failsWith(decodeTensorMap(foreign),
                  {"no map of this simulator", "CUDA driver"}));
  auto record = *encodeTensorMap(base(), TensorMapTarget::sm100);
  record[40] ^= std::byte(1);
  CHECK(failsWith(decodeTensorMap(record), {"changed after"}));
}
