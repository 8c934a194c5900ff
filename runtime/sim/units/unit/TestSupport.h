//===- TestSupport.h - seeds and small helpers of the unit tests *- C++ -*-===//
#pragma once

#include "units/SharedSpan.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <vector>

namespace tirx::rt::sim {

/// The seed of this run: TIRX_TEST_SEED, or a fresh one that is printed.
inline uint32_t testSeed() {
  static const uint32_t seed = [] {
    const char *text = std::getenv("TIRX_TEST_SEED");
    uint32_t value = text ? uint32_t(std::strtoul(text, nullptr, 0))
                          : std::random_device{}();
    std::cerr << "TIRX_TEST_SEED=" << value << "\n";
    return value;
  }();
  return seed;
}

/// A generator that differs from test to test by `salt`.
inline std::mt19937 makeRng(uint32_t salt) {
  return std::mt19937(testSeed() ^ salt * 0x9E3779B9u);
}

inline unsigned pick(std::mt19937 &rng, unsigned low, unsigned high) {
  return std::uniform_int_distribution<unsigned>(low, high)(rng);
}

template <typename T> T pickOf(std::mt19937 &rng, const std::vector<T> &list) {
  return list[pick(rng, 0, unsigned(list.size() - 1))];
}

/// Shared memory full of a pattern that no test data equals.
inline std::vector<std::byte> poisoned(size_t bytes) {
  return std::vector<std::byte>(bytes, std::byte(0xA5));
}

/// True when `result` is an error whose text has all of `parts`.
template <typename T>
bool failsWith(const Expected<T> &result,
               std::initializer_list<std::string_view> parts) {
  if (result)
    return false;
  for (std::string_view part : parts)
    if (result.error().message.find(part) == std::string::npos) {
      UNSCOPED_INFO("message: " << result.error().message
                                << "; missing: " << part);
      return false;
    }
  return true;
}

template <typename T> std::string messageOf(const Expected<T> &result) {
  return result ? "success" : result.error().message;
}

} // namespace tirx::rt::sim
