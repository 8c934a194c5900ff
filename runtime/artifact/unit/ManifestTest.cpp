//===- ManifestTest.cpp - manifests that are wrong --------------*- C++ -*-===//
#include "artifact/Manifest.h"
#include "RandomArtifact.h"
#include "artifact/Container.h"

#include <catch2/catch.hpp>
#include <random>

using namespace tirx::rt;
using nlohmann::json;

namespace {

json smallManifest() {
  return json::parse(manifestJson(test::smallArtifact()));
}

/// A file with this manifest text and the code of smallArtifact, checksums
/// right.
std::vector<std::byte> fileWith(const std::string &manifest) {
  const Artifact artifact = test::smallArtifact();
  const TargetCode &code = artifact.kernels[0].codes[0];
  const Section sections[] = {
      {SectionKind::manifest, std::as_bytes(std::span(manifest))},
      {SectionKind::ptx, std::as_bytes(std::span(code.ptx))},
      {SectionKind::cubin, code.cubin}};
  return writeContainer(sections);
}

json nested(unsigned levels) {
  json expr = 1;
  for (unsigned level = 1; level < levels; ++level)
    expr = {{"add", {expr, 1}}};
  return expr;
}

} // namespace

TEST_CASE("the unchanged manifest is accepted") {
  const auto artifact = readArtifact(fileWith(smallManifest().dump()));
  REQUIRE(artifact);
  CHECK(*artifact == test::smallArtifact());
}

TEST_CASE("a manifest of format version 1 still reads") {
  json manifest = smallManifest();
  REQUIRE(manifest["kernels"][0].erase("programmatic_dependent_launch") == 1);
  std::vector<std::byte> bytes = fileWith(manifest.dump());
  const auto artifact = readArtifact(bytes);
  REQUIRE(artifact);
  CHECK(*artifact == test::smallArtifact());
}

TEST_CASE("a wrong field is refused by its path") {
  struct Row {
    const char *pointer; ///< what to replace (RFC 6901)
    json value;
    const char *reason;
  };
  const Row rows[] = {
      {"/compiler", 1, "compiler: expected a string, got number"},
      {"/kernels", json::object(), "kernels: expected an array, got object"},
      {"/kernels/0", 3, "kernels[0]: expected an object, got number"},
      {"/kernels/0/extra", 1, "kernels[0]: unknown field \"extra\""},
      {"/kernels/0/name", nullptr, "kernels[0].name: expected a string"},
      {"/kernels/0/name", "", "empty name"},
      {"/kernels/0/arguments/0/kind", "tensors",
       "kernels[0].arguments[0].kind: unknown argument kind \"tensors\"; "
       "known: tensor, scalar"},
      {"/kernels/0/arguments/0/dtype", "f17", "unknown dtype \"f17\""},
      {"/kernels/0/arguments/0/access", "rw", "unknown access \"rw\""},
      {"/kernels/0/arguments/0/shape/1", -1,
       "shape[1]: -1 is not in 0..9223372036854775807"},
      {"/kernels/0/arguments/0/shape/1", 1.5, "expected an integer, got 1.5"},
      {"/kernels/0/arguments/0/shape/1", 18446744073709551615u,
       "18446744073709551615 is not in 0..9223372036854775807"},
      {"/kernels/0/arguments/0/contiguous", 1, "expected true or false"},
      {"/kernels/0/arguments/0/alignment", 0, "alignment: 0 is not in 1.."},
      {"/kernels/0/arguments/0/alignment", 24, "not a power of two"},
      {"/kernels/0/arguments/1/name", "A", "two arguments are named 'A'"},
      {"/kernels/0/arguments/1/shape", json::array(),
       "arguments[1]: unknown field \"shape\""},
      {"/kernels/0/parameters/0/kind", "ptr", "unknown parameter kind \"ptr\""},
      {"/kernels/0/parameters/0/argument", 2,
       "parameters[0]: argument 2, but the kernel has 2"},
      {"/kernels/0/parameters/0/argument", -1, "-1 is not in 0..4294967295"},
      {"/kernels/0/parameters/0/argument", 1,
       "argument 'n' is a scalar, expected a tensor"},
      {"/kernels/0/parameters/1/bytes", 3, "3 bytes, expected 1, 2, 4 or 8"},
      {"/kernels/0/parameters/1/expr", "A", "expected an integer or an object"},
      {"/kernels/0/parameters/1/expr",
       {{"dim", {0, 2}}},
       "axis 2 of argument 'A', which has rank 2"},
      {"/kernels/0/parameters/1/expr",
       {{"dim", {0}}},
       "expected 2 elements, got 1"},
      {"/kernels/0/parameters/1/expr",
       {{"stride", {1, 0}}},
       "argument 'n' is a scalar"},
      {"/kernels/0/parameters/1/expr",
       {{"sm_count", {1}}},
       "expected 0 elements, got 1"},
      {"/kernels/0/programmatic_dependent_launch", 1,
       "programmatic_dependent_launch: expected true or false"},
      {"/kernels/0/parameters/1/expr",
       {{"pow", {1, 2}}},
       "unknown expression \"pow\""},
      {"/kernels/0/parameters/1/expr",
       {{"constant", 1}},
       "unknown expression \"constant\""},
      {"/kernels/0/parameters/1/expr",
       {{"add", {1, 2, 3}}},
       "expected 2 elements, got 3"},
      {"/kernels/0/parameters/1/expr",
       {{"select", {1, 2}}},
       "expected 3 elements, got 2"},
      {"/kernels/0/parameters/1/expr",
       {{"add", {1, 2}}, {"sub", {1, 2}}},
       "2 fields"},
      {"/kernels/0/parameters/1/expr", nested(65), "deeper than 64 levels"},
      {"/kernels/0/parameters/1/expr", nested(2000), "nested deeper than"},
      {"/kernels/0/parameters/3/tensor_map/swizzle", "128",
       "unknown swizzle \"128\"; known: none, 32B, 64B, 128B, "
       "128B_ATOM_32B"},
      {"/kernels/0/parameters/3/tensor_map/box_dim",
       {64},
       "box_dim has 1 entries, expected 2 for rank 2"},
      {"/kernels/0/checks/0/message", 7, "expected a string"},
      {"/kernels/0/grid", {1, 1}, "grid: expected 3 elements, got 2"},
      {"/kernels/0/block", {1, 1, -1}, "block[2]: -1 is not in"},
      {"/kernels/0/dynamic_shared_bytes", 4294967296,
       "4294967296 is not in 0..4294967295"},
      {"/kernels/0/codes", json::array(), "is not referred to"},
      {"/kernels/0/codes/0/target", "", "empty name"},
      {"/kernels/0/codes/0/ptx/section", 9, "9, but the file has 3 sections"},
      {"/kernels/0/codes/0/ptx/section", 0, "0 is used twice"},
      {"/kernels/0/codes/0/ptx/section", 2, "holds cubin, expected ptx"},
      {"/kernels/0/codes/0/ptx/bytes", 13,
       "section 1 has 12 bytes, the manifest says 13"},
      {"/kernels/0/codes/0/resources", json::object(),
       "resources: lacks the field \"registers\""},
  };
  for (const Row &row : rows) {
    INFO(row.pointer << " = " << row.value.dump().substr(0, 80));
    json manifest = smallManifest();
    manifest[json::json_pointer(row.pointer)] = row.value;
    const auto result = readArtifact(fileWith(manifest.dump()));
    REQUIRE_FALSE(result);
    CHECK_THAT(result.error().message,
               Catch::StartsWith("manifest: ") && Catch::Contains(row.reason));
  }
  json deep = smallManifest();
  deep["kernels"][0]["parameters"][1]["expr"] = nested(64);
  CHECK(readArtifact(fileWith(deep.dump())));
}

TEST_CASE("every field of version 1 is required, except code and resources") {
  const json manifest = smallManifest();
  const json flat = manifest.flatten();
  size_t tried = 0;
  for (const auto &[pointer, unused] : flat.items()) {
    // The field itself, and the object that holds it.
    for (json::json_pointer path(pointer); !path.empty();
         path = path.parent_pointer()) {
      json without = manifest;
      json &parent = without[path.parent_pointer()];
      if (!parent.is_object() || path.back() == "programmatic_dependent_launch")
        continue;
      parent.erase(path.back());
      const auto result = readArtifact(fileWith(without.dump()));
      INFO(path.to_string());
      ++tried;
      REQUIRE_FALSE(result);
    }
  }
  CHECK(tried > 50);
}

TEST_CASE("text that is no manifest") {
  for (const char *text : {"", "{", "[]", "null", "{}", "{\"a\":1,\"a\":2}"}) {
    const auto result = readArtifact(fileWith(text));
    INFO(text);
    REQUIRE_FALSE(result);
    CHECK_THAT(result.error().message, Catch::StartsWith("manifest: "));
  }
  const Section ptxFirst[] = {{SectionKind::ptx, {}}};
  CHECK_FALSE(readArtifact(writeContainer(ptxFirst)));
  CHECK_FALSE(readArtifact(writeContainer({})));
}

TEST_CASE("a section that nothing refers to is refused") {
  json manifest = smallManifest();
  manifest["kernels"][0]["codes"][0].erase("cubin");
  const auto result = readArtifact(fileWith(manifest.dump()));
  REQUIRE_FALSE(result);
  CHECK_THAT(result.error().message,
             Catch::Contains("section 2 (cubin) is not referred to"));
}

TEST_CASE("damaged manifests with right checksums never crash") {
  const uint64_t seed = 0x5eed0003;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  const std::string text = smallManifest().dump();
  static const char alphabet[] = "{}[]\",:0123456789-eE.truefalsn\\ \x80";
  int accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string damaged = text;
    for (uint64_t i = 0, count = 1 + random() % 3; i < count; ++i) {
      const size_t at = random() % damaged.size();
      if (random() % 3 == 0)
        damaged.erase(at, 1 + random() % 10);
      else
        damaged[at] = alphabet[random() % (sizeof alphabet - 1)];
    }
    accepted += readArtifact(fileWith(damaged)).has_value();
  }
  // Some damage gives another valid manifest (a digit, a letter in a name).
  CHECK(accepted < 10000);
}
