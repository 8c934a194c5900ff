//===- TileRun.cpp - the tile kernel against its definition -----*- C++ -*-===//
#include "TileRun.h"

#include "tirx/Runtime/Compare.h"
#include "tirx/Runtime/Tensor.h"

#include <cstring>

using namespace tirx::rt;

namespace {

constexpr int64_t kRows = 21, kColumns = 57, kPitch = 60;
constexpr int64_t kTiledRows = 24, kTiledColumns = 64;

float load(const HostTensor &tensor, int64_t i) {
  float value;
  std::memcpy(&value, tensor.bytes.data() + 4 * i, 4);
  return value;
}

void store(HostTensor &tensor, int64_t i, float value) {
  std::memcpy(tensor.bytes.data() + 4 * i, &value, 4);
}

} // namespace

std::string test::runTile(Device &device, const Kernel &kernel, uint64_t seed) {
  const HostTensor values = randomNormal(DType::f32, {kRows, kColumns}, seed);
  HostTensor a = poisoned(DType::f32, {kRows, kPitch});
  HostTensor d = poisoned(DType::f32, {kTiledRows, kTiledColumns});
  HostTensor expected = d;
  for (int64_t r = 0; r < kTiledRows; ++r)
    for (int64_t c = 0; c < kTiledColumns; ++c) {
      const bool inside = r < kRows && c < kColumns;
      const float value = inside ? load(values, r * kColumns + c) : 0.0f;
      store(expected, r * kTiledColumns + c, 2 * value);
      if (inside)
        store(a, r * kPitch + c, value);
    }

  const auto deviceA = device.allocate(a.bytes.size());
  const auto deviceD = device.allocate(d.bytes.size());
  if (!deviceA || !deviceD)
    return "allocation failed";
  ArgMap args = {
      {"A", TensorArg{*deviceA, DType::f32, {kRows, kColumns}, {kPitch, 1}}},
      {"D", TensorArg{*deviceD, DType::f32, d.shape, {}}}};
  const auto result =
      device.copyToDevice(*deviceA, a.bytes.data(), a.bytes.size())
          .and_then([&] {
            return device.copyToDevice(*deviceD, d.bytes.data(),
                                       d.bytes.size());
          })
          .and_then([&] { return device.launch(kernel, args); })
          .and_then([&](const LaunchStats &) {
            return device.copyToHost(d.bytes.data(), *deviceD, d.bytes.size());
          })
          .and_then([&] { return device.free(*deviceA); })
          .and_then([&] { return device.free(*deviceD); });
  if (!result)
    return result.error().message;
  const auto comparison = compare(d, expected, 0, 0);
  if (!comparison)
    return comparison.error().message;
  return comparison->ok() ? "" : toString(*comparison);
}
