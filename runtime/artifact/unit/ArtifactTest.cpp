//===- ArtifactTest.cpp - whole .txk files ----------------------*- C++ -*-===//
#include "tirx/Runtime/Artifact.h"
#include "RandomArtifact.h"
#include "tirx/Runtime/File.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <unistd.h>

using namespace tirx::rt;

TEST_CASE("random artifacts survive the round trip") {
  size_t exprs = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    const Artifact artifact = test::randomArtifact(seed);
    const auto valid = validateArtifact(artifact);
    if (!valid)
      FAIL(valid.error().message);
    const auto bytes = writeArtifact(artifact);
    CHECK(bytes == writeArtifact(test::randomArtifact(seed)));
    const auto again = readArtifact(bytes);
    if (!again)
      FAIL(again.error().message);
    CHECK(*again == artifact);
    exprs += artifact.kernels[0].grid[0].operands.size();
  }
  CHECK(exprs > 100); // the generator does make trees
  CHECK_FALSE(test::randomArtifact(1) == test::randomArtifact(2));
}

TEST_CASE("every truncation is an error, and so is every byte more") {
  const auto bytes = writeArtifact(test::randomArtifact(7));
  REQUIRE(readArtifact(bytes));
  for (size_t size = 0; size < bytes.size(); ++size)
    if (readArtifact(std::span(bytes).first(size)))
      FAIL(size << " of " << bytes.size() << " bytes were accepted");
  auto longer = bytes;
  longer.push_back(std::byte(0));
  const auto result = readArtifact(longer);
  REQUIRE_FALSE(result);
  CHECK_THAT(result.error().message, Catch::Contains("1 bytes after the end"));
}

TEST_CASE("every change of one byte is noticed") {
  const auto bytes = writeArtifact(test::smallArtifact());
  REQUIRE(readArtifact(bytes));
  for (size_t at = 0; at < bytes.size(); ++at)
    for (unsigned mask : {0x01u, 0x80u, 0xFFu, 0x20u}) {
      auto damaged = bytes;
      damaged[at] ^= static_cast<std::byte>(mask);
      if (readArtifact(damaged))
        FAIL("byte " << at << " ^ " << mask << " was accepted");
    }
}

TEST_CASE("many changed bytes never crash") {
  const uint64_t seed = 0x5eed0002;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  const auto bytes = writeArtifact(test::randomArtifact(3));
  for (int round = 0; round < 20000; ++round) {
    auto damaged = bytes;
    for (uint64_t i = 0, count = 1 + random() % 8; i < count; ++i)
      damaged[random() % damaged.size()] = static_cast<std::byte>(random());
    if (damaged != bytes)
      CHECK_FALSE(readArtifact(damaged));
  }
}

TEST_CASE("files") {
  const std::string path = std::filesystem::temp_directory_path() /
                           fmt::format("tirx-{}.txk", ::getpid());
  const auto bytes = writeArtifact(test::smallArtifact());
  REQUIRE(writeFileAtomically(path, bytes.data(), bytes.size()));
  const auto artifact = readArtifactFile(path);
  REQUIRE(artifact);
  CHECK(*artifact == test::smallArtifact());

  REQUIRE(writeFileAtomically(path, bytes.data(), bytes.size() - 1));
  const auto truncated = readArtifactFile(path);
  REQUIRE_FALSE(truncated);
  CHECK_THAT(truncated.error().message,
             Catch::StartsWith(path + ": truncated"));
  std::filesystem::remove(path);
  const auto missing = readArtifactFile(path);
  REQUIRE_FALSE(missing);
  CHECK_THAT(missing.error().message, Catch::Contains("No such file"));
}

TEST_CASE("the manifest for people is the manifest of the file") {
  const std::string text = manifestJson(test::smallArtifact());
  const auto json = nlohmann::json::parse(text);
  CHECK(json["kernels"][0]["name"] == "copy");
  CHECK(json["kernels"][0]["arguments"][0]["shape"][0].is_null());
  CHECK(json["kernels"][0]["codes"][0]["ptx"]["bytes"] == 12);
  CHECK(text.find("\n  ") != std::string::npos);
}

TEST_CASE("text that is not UTF-8 neither throws nor passes") {
  Artifact artifact = test::smallArtifact();
  artifact.source = "bad \xC0\xAF name";
  const auto valid = validateArtifact(artifact);
  REQUIRE_FALSE(valid);
  CHECK_THAT(valid.error().message,
             Catch::Contains("source is not valid UTF-8"));
  CHECK_NOTHROW(writeArtifact(artifact));
  CHECK_NOTHROW(manifestJson(artifact));
}

TEST_CASE("expressions print as a person writes them") {
  const Kernel kernel = test::smallArtifact().kernels[0];
  using Kind = HostExpr::Kind;
  const HostExpr dim{Kind::dim, 0, 0, 1, {}};
  const HostExpr scalar{Kind::scalar, 0, 1, 0, {}};
  const HostExpr lost{Kind::stride, 0, 9, 2, {}};
  const HostExpr ceil{Kind::ceildiv, 0, 0, 0, {dim, HostExpr::constant(128)}};
  const HostExpr sum{Kind::add, 0, 0, 0, {ceil, scalar}};
  const HostExpr test{Kind::lt, 0, 0, 0, {sum, lost}};
  CHECK(toString(ceil, kernel) == "ceildiv(A.shape[1], 128)");
  CHECK(toString(test, kernel) ==
        "(ceildiv(A.shape[1], 128) + n) < #9.strides[2]");
}
