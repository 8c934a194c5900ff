//===- OpenDevice.cpp - devices by name -------------------------*- C++ -*-===//
#include "device/Devices.h"

#include <charconv>

using namespace tirx::rt;

Device::~Device() = default;

namespace {

constexpr std::string_view kSimPrefix = "sim:";
constexpr std::string_view kCudaPrefix = "cuda:";

std::optional<unsigned> parseOrdinal(std::string_view text) {
  unsigned ordinal = 0;
  const char *end = text.data() + text.size();
  const auto [next, error] = std::from_chars(text.data(), end, ordinal);
  if (error != std::errc() || next != end || ordinal > 0xFFFF)
    return std::nullopt;
  return ordinal;
}

} // namespace

Expected<std::unique_ptr<Device>>
tirx::rt::openDevice(const std::string &name, const SimOptions &options) {
  const std::string_view view = name;
  if (view.starts_with(kSimPrefix)) {
    const std::string_view target = view.substr(kSimPrefix.size());
    if (target == "sm_100a" || target == "sm_90a")
      return makeSimDevice(std::string(target), options);
  }
  if (view.starts_with(kCudaPrefix))
    if (const auto ordinal = parseOrdinal(view.substr(kCudaPrefix.size())))
      return openCudaDevice(*ordinal);
  return makeError(
      "unknown device '{}'; known: sim:sm_100a, sim:sm_90a, cuda:N", name);
}
