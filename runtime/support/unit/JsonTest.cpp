//===- JsonTest.cpp - what strict JSON parsing refuses ----------*- C++ -*-===//
#include "support/Json.h"

#include <catch2/catch.hpp>

using namespace tirx::rt;

TEST_CASE("well-formed JSON is read") {
  const auto value =
      parseJson(R"({"a": [1, -2, 2.5, "x", null, true], "b": {"a": 1}})", 3);
  REQUIRE(value);
  CHECK((*value)["a"][1] == -2);
  CHECK((*value)["b"]["a"] == 1);
}

TEST_CASE("malformed JSON is refused with a reason") {
  struct Row {
    std::string text;
    std::string reason;
  };
  const Row rows[] = {
      {"", "malformed JSON"},
      {"{", "malformed JSON"},
      {"{} x", "malformed JSON"},
      {"[1,]", "malformed JSON"},
      {"\"\xFF\"", "malformed JSON"},
      {R"({"a": 1, "a": 2})", "the key \"a\" occurs twice"},
      {"[[[[1]]]]", "nested deeper than 3 levels"},
      {std::string(1 << 20, '['), "nested deeper than 3 levels"},
  };
  for (const Row &row : rows) {
    const auto value = parseJson(row.text, 3);
    REQUIRE_FALSE(value);
    CHECK_THAT(value.error().message, Catch::Contains(row.reason));
  }
  CHECK(parseJson("[[[1]]]", 3));
}
