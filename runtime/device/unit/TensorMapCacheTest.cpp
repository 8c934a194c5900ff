//===- TensorMapCacheTest.cpp - what counts as the same map -----*- C++ -*-===//
#include "device/TensorMapCache.h"

#include <catch2/catch.hpp>
#include <functional>

using namespace tirx::rt;

namespace {

struct Request {
  TensorMapRecipe recipe;
  ResolvedLaunch::TensorMap map = {
      0, reinterpret_cast<void *>(0x1000), {64, 32}, {128}};

  Request() {
    recipe.box_dim = {64, 8};
    recipe.element_stride = {1, 1};
  }
};

} // namespace

TEST_CASE("equal requests are encoded once, others apart") {
  TensorMapCache cache;
  int encoded = 0;
  const auto get = [&](const Request &request) {
    const auto map = cache.get(request.recipe, request.map,
                               [&]() -> Expected<TensorMapBytes> {
                                 TensorMapBytes bytes = {};
                                 bytes[0] = std::byte(++encoded);
                                 return bytes;
                               });
    REQUIRE(map);
    return int((*map)[0]);
  };
  const std::function<void(Request &)> changes[] = {
      [](Request &) {},
      [](Request &r) { r.map.base = reinterpret_cast<void *>(0x2000); },
      [](Request &r) { r.map.global_dim[1] = 33; },
      [](Request &r) { r.map.global_stride[0] = 144; },
      [](Request &r) { r.recipe.box_dim[1] = 16; },
      [](Request &r) { r.recipe.element_stride[1] = 2; },
      [](Request &r) { r.recipe.dtype = DType::bf16; },
      [](Request &r) { r.recipe.swizzle = TensorMapRecipe::Swizzle::b64; },
      [](Request &r) {
        r.recipe.l2_promotion = TensorMapRecipe::L2Promotion::b128;
      },
      [](Request &r) { r.recipe.oob_fill = TensorMapRecipe::OobFill::nan; },
      // The same numbers in other lists.
      [](Request &r) {
        r.map.global_dim = {64, 32, 128};
        r.map.global_stride = {};
      },
  };
  int expected = 0;
  for (const auto &change : changes) {
    Request request;
    change(request);
    CHECK(get(request) == ++expected);
    CHECK(get(request) == expected);
  }
  // The parameter that a map fills does not matter.
  Request elsewhere;
  elsewhere.map.parameter = 7;
  CHECK(get(elsewhere) == 1);
}

TEST_CASE("errors are not remembered and the cache is bounded") {
  TensorMapCache cache;
  Request request;
  const auto failing =
      cache.get(request.recipe, request.map,
                []() -> Expected<TensorMapBytes> { return makeError("no"); });
  CHECK_FALSE(failing);
  CHECK(cache.size() == 0);
  const auto encode = []() -> Expected<TensorMapBytes> {
    return TensorMapBytes{};
  };
  for (uintptr_t i = 0; i < 3 * TensorMapCache::kMaxMaps; ++i) {
    request.map.base = reinterpret_cast<void *>(0x1000 + 16 * i);
    REQUIRE(cache.get(request.recipe, request.map, encode));
  }
  CHECK(cache.size() <= TensorMapCache::kMaxMaps);
}
