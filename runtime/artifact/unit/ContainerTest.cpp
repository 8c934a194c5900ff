//===- ContainerTest.cpp - lying headers ------------------------*- C++ -*-===//
#include "artifact/Container.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <functional>
#include <string>

using namespace tirx::rt;

namespace {

std::vector<std::byte> example() {
  static const std::string manifest = "{}", ptx = "some ptx";
  const Section sections[] = {
      {SectionKind::manifest, std::as_bytes(std::span(manifest))},
      {SectionKind::ptx, std::as_bytes(std::span(ptx))}};
  return writeContainer(sections);
}

void put(std::vector<std::byte> &bytes, size_t at, uint64_t value, int size) {
  for (int i = 0; i < size; ++i)
    bytes[at + i] = static_cast<std::byte>(value >> (8 * i));
}

/// Makes the header's checksum right again, so that a lie is found by the
/// check that is meant to find it.
void seal(std::vector<std::byte> &bytes, size_t sections) {
  const size_t tableEnd =
      std::min(bytes.size(), kHeaderBytes + sections * kSectionEntryBytes);
  const std::span<const std::byte> all(bytes);
  put(bytes, 24,
      checksum(all.subspan(kHeaderBytes, tableEnd - kHeaderBytes),
               checksum(all.first(24))),
      8);
}

} // namespace

TEST_CASE("sections come back") {
  const auto bytes = example();
  const auto sections = readContainer(bytes);
  REQUIRE(sections);
  REQUIRE(sections->size() == 2);
  CHECK((*sections)[1].kind == SectionKind::ptx);
  CHECK(std::memcmp((*sections)[1].bytes.data(), "some ptx", 8) == 0);
  CHECK(readContainer(writeContainer({})));
}

TEST_CASE("the checksum is FNV-1a") {
  // Published test vectors of the 64-bit variant.
  const auto of = [](std::string_view text) {
    return checksum(std::as_bytes(std::span(text)));
  };
  CHECK(of("") == 0xcbf29ce484222325);
  CHECK(of("a") == 0xaf63dc4c8601ec8c);
  CHECK(of("foobar") == 0x85944171f73967e8);
}

TEST_CASE("lying headers are refused by name") {
  // Table: entry 0 at byte 32, entry 1 at 64; sections from 96.
  struct Row {
    std::string reason;
    std::function<void(std::vector<std::byte> &)> lie;
    size_t sealed = 2;
  };
  const Row rows[] = {
      {"does not start with the .txk magic",
       [](auto &bytes) { put(bytes, 1, 'X', 1); }},
      {"format version 3: this runtime reads versions up to 2",
       [](auto &bytes) { put(bytes, 8, 3, 4); }},
      {"format version 0", [](auto &bytes) { put(bytes, 8, 0, 4); }},
      {"section table of 4294967295 entries does not fit",
       [](auto &bytes) { put(bytes, 12, 0xFFFFFFFF, 4); }},
      {"section table of 3 entries does not fit",
       [](auto &bytes) { put(bytes, 12, 3, 4); }},
      {"truncated: 106 bytes, the header says 107",
       [](auto &bytes) { put(bytes, 16, 107, 8); }},
      {"truncated", [](auto &bytes) { put(bytes, 16, UINT64_MAX, 8); }},
      {"1 bytes after the end", [](auto &bytes) { put(bytes, 16, 105, 8); }},
      {"unknown kind 4", [](auto &bytes) { put(bytes, 64, 4, 4); }},
      {"unknown kind 0", [](auto &bytes) { put(bytes, 64, 0, 4); }},
      {"reserved field", [](auto &bytes) { put(bytes, 68, 1, 4); }},
      {"section 1 (ptx): at offset 97, expected 98",
       [](auto &bytes) { put(bytes, 72, 97, 8); }},
      {"section 1 (ptx): at offset 99, expected 98",
       [](auto &bytes) { put(bytes, 72, 99, 8); }},
      {"section 1 (ptx): 9 bytes at offset 98 pass the end",
       [](auto &bytes) { put(bytes, 80, 9, 8); }},
      {"pass the end", [](auto &bytes) { put(bytes, 80, UINT64_MAX - 90, 8); }},
      {"damaged", [](auto &bytes) { put(bytes, 80, 7, 8); }},
      {"section 1 (ptx): damaged", [](auto &bytes) { put(bytes, 88, 1, 8); }},
      {"section 1 (ptx): damaged",
       [](auto &bytes) { put(bytes, 100, 'X', 1); }},
      {"10 bytes belong to no section",
       [](auto &bytes) { // forget entry 1; entry 0 moves to where it ends
         put(bytes, 12, 0, 4);
         bytes.erase(bytes.begin() + 32, bytes.begin() + 96);
         put(bytes, 16, bytes.size(), 8);
       },
       0},
  };
  for (const Row &row : rows) {
    INFO(row.reason);
    auto bytes = example();
    row.lie(bytes);
    seal(bytes, row.sealed);
    const auto result = readContainer(bytes);
    REQUIRE_FALSE(result);
    CHECK_THAT(result.error().message, Catch::Contains(row.reason));
  }
  auto untouched = example();
  seal(untouched, 2);
  CHECK(untouched == example());
  auto unsealed = example();
  put(unsealed, 88, 1, 8);
  const auto result = readContainer(unsealed);
  REQUIRE_FALSE(result);
  CHECK_THAT(result.error().message,
             Catch::Contains("header and section table"));
}
