//===- CubinTest.cpp - damaged cubins ---------------------------*- C++ -*-===//
#include "device/Cubin.h"
#include "PtxKernels.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <random>

using namespace tirx::rt;

namespace {

/// A file header and two section headers: an empty one and one with the last
/// 16 bytes of the file.
std::vector<std::byte> smallElf() {
  std::vector<std::byte> bytes(64 + 2 * 64 + 16);
  const auto put = [&](size_t at, uint64_t value, size_t size) {
    std::memcpy(bytes.data() + at, &value, size);
  };
  std::memcpy(bytes.data(),
              "\x7F"
              "ELF\x02\x01\x01",
              7);
  put(40, 64, 8); // e_shoff
  put(58, 64, 2); // e_shentsize
  put(60, 2, 2);  // e_shnum
  put(128 + 4, 1, 4);
  put(128 + 24, 192, 8); // sh_offset
  put(128 + 32, 16, 8);  // sh_size
  return bytes;
}

std::string errorOf(const std::vector<std::byte> &bytes) {
  const auto result = checkCubin(bytes);
  return result ? "" : result.error().message;
}

} // namespace

TEST_CASE("an ELF file is whole or refused") {
  const auto whole = smallElf();
  CHECK(errorOf(whole) == "");
  const auto changed = [&](size_t at, uint64_t value, size_t size) {
    auto bytes = whole;
    std::memcpy(bytes.data() + at, &value, size);
    return errorOf(bytes);
  };
  CHECK_THAT(changed(1, 'X', 1), Catch::Contains("no cubin"));
  CHECK_THAT(changed(4, 1, 1), Catch::Contains("64-bit ELF")); // 32 bits
  CHECK_THAT(changed(5, 2, 1), Catch::Contains("64-bit ELF")); // big-endian
  CHECK_THAT(changed(58, 40, 2),
             Catch::Contains("section headers of 40 bytes, expected 64"));
  CHECK_THAT(changed(60, 4, 2), Catch::Contains("section header table 0 has "
                                                "256 bytes at offset 64"));
  CHECK_THAT(changed(40, UINT64_MAX - 8, 8),
             Catch::Contains("section header table"));
  CHECK(changed(128 + 32, 17, 8) ==
        "truncated cubin: section 1 has 17 bytes at offset 192, the cubin has "
        "208");
  CHECK_THAT(changed(128 + 24, UINT64_MAX, 8), Catch::Contains("section 1"));
  // A section without bytes in the file may have any size.
  auto noBits = whole;
  noBits[128 + 4] = std::byte(8);
  noBits[128 + 36] = std::byte(1);
  CHECK(errorOf(noBits) == "");
  for (size_t size = 0; size < whole.size(); ++size)
    if (checkCubin(std::span(whole).first(size)))
      FAIL(size << " bytes were accepted");
}

TEST_CASE("what ptxas writes is whole, every part of it is not") {
  const auto cubin = test::assemble(test::tileArtifact().kernels[0].codes[0]);
  if (cubin.empty()) {
    WARN("skipped: no ptxas");
    return;
  }
  CHECK(errorOf(cubin) == "");
  for (size_t size = 0; size < cubin.size(); ++size)
    if (checkCubin(std::span(cubin).first(size)))
      FAIL(size << " of " << cubin.size() << " bytes were accepted");
  const uint64_t seed = 0x5eed0070;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 20000; ++round) {
    auto damaged = cubin;
    damaged[random() % damaged.size()] = std::byte(random());
    (void)checkCubin(damaged); // must not read outside
  }
}
