//===- ArgSpecTest.cpp ----------------------------------------------------===//
#include "ArgSpec.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace tirx;
using namespace tirx::driver;
using Fill = GeneratedTensor::Fill;

template <typename T> static T parsed(const std::string &text) {
  auto source = parseArgSource("A", text);
  INFO(text << ": " << (source ? "" : source.error().message));
  REQUIRE(source);
  REQUIRE(std::holds_alternative<T>(*source));
  return std::get<T>(*source);
}

TEST_CASE("each form of --arg is recognised", "[arg]") {
  CHECK(parsed<NpySource>("dir:1/a.npy").path == "dir:1/a.npy");
  CHECK_FALSE(parsed<NpySource>("a.npy").reinterpret);
  CHECK(parsed<NpySource>("a.npy:bf16").path == "a.npy");
  CHECK(parsed<NpySource>("a.npy:bf16").reinterpret == rt::DType::bf16);
  CHECK(parsed<SafetensorsSource>("w.safetensors:q:0").path == "w.safetensors");
  CHECK(parsed<SafetensorsSource>("w.safetensors:q:0").tensor == "q:0");
  auto generated = parsed<GeneratedTensor>("256x64:f16:random");
  CHECK(generated.shape == std::vector<int64_t>{256, 64});
  CHECK(generated.dtype == rt::DType::f16);
  CHECK(generated.fill == Fill::random);
  CHECK(parsed<GeneratedTensor>("7:i32:zero").shape == std::vector<int64_t>{7});
  CHECK(parsed<GeneratedTensor>("0x4:f32:poison").fill == Fill::poison);
  CHECK(std::get<int64_t>(parsed<rt::ScalarArg>("-12")) == -12);
  CHECK(std::get<double>(parsed<rt::ScalarArg>("0.5")) == 0.5);
  CHECK(std::get<double>(parsed<rt::ScalarArg>("1e3")) == 1000);
}

TEST_CASE("other forms are refused with what is wrong", "[arg]") {
  struct Case {
    const char *text, *message;
  };
  for (Case c :
       {Case{"a.npy:f99", "'f99' is no dtype"},
        Case{"w.safetensors", "needs the name of a tensor"},
        Case{"4x4:f99:random", "'f99' is no dtype"},
        Case{"4x4:f16:rand", "random, zero, one, poison"},
        Case{"4x4:f16", "random, zero, one, poison"},
        Case{"4x-4:f16:zero", "is neither"}, Case{"a.bin", "is neither"},
        Case{"99999999999x99999999999:f16:zero", "is larger than"},
        Case{"99999x99999x99:f64:zero", "is larger than"}}) {
    auto source = parseArgSource("A", c.text);
    INFO(c.text);
    REQUIRE_FALSE(source);
    CHECK_THAT(source.error().message,
               Catch::StartsWith("--arg A") && Catch::Contains(c.message));
  }
}

TEST_CASE("NAME=VALUE is split at the first =", "[arg]") {
  CHECK(*splitAssignment("--arg", "A=b=c") ==
        std::pair<std::string, std::string>("A", "b=c"));
  for (const char *text : {"A", "A=", "=b", ""})
    CHECK_FALSE(splitAssignment("--arg", text));
}

TEST_CASE("generated tensors hold what they say", "[arg]") {
  auto values = [](const char *text, uint64_t seed) {
    auto tensor = makeTensor(*parseArgSource("A", text), seed);
    REQUIRE(tensor);
    REQUIRE(tensor->elementCount() == 12);
    std::vector<double> values;
    for (int i = 0; i < 12; ++i)
      values.push_back(rt::toDouble(
          tensor->dtype, &tensor->bytes[i * rt::sizeOf(tensor->dtype)]));
    return values;
  };
  CHECK(values("3x4:f16:one", 0) == std::vector<double>(12, 1));
  CHECK(values("12:i32:zero", 0) == std::vector<double>(12, 0));
  for (double value : values("3x4:bf16:poison", 0))
    CHECK(std::isnan(value));
  auto random = values("3x4:f32:random", 5);
  CHECK(random == values("3x4:f32:random", 5));
  CHECK(random != values("3x4:f32:random", 6));
}
