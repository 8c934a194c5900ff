//===- BindArgumentsTest.cpp - what callers may pass ------------*- C++ -*-===//
#include "device/BindArguments.h"
#include "TestKernels.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

using namespace tirx::rt;
using namespace tirx::rt::test;

namespace {

/// A[?, 64] f16; V[?] f32 contiguous, 64-byte aligned; C[?, ?] bf16 contiguous.
Kernel kernelOfThree() {
  Kernel kernel;
  kernel.name = "three";
  kernel.arguments = {tensorArgument("A", DType::f16, {std::nullopt, 64}),
                      tensorArgument("V", DType::f32, {std::nullopt}),
                      tensorArgument("C", DType::bf16, {{}, {}})};
  kernel.arguments[1].contiguous = true;
  kernel.arguments[1].alignment = 64;
  kernel.arguments[2].contiguous = true;
  return kernel;
}

struct Change {
  const char *message; ///< of the error; empty if it is accepted
  std::function<void(ArgMap &)> apply;
};

TensorArg &tensor(ArgMap &map, const char *name) {
  return std::get<TensorArg>(map.at(name));
}

alignas(256) std::byte memory[1 << 16];

ArgMap goodArguments() {
  ArgMap map;
  map["A"] = TensorArg{memory, DType::f16, {10, 64}, {}};
  map["V"] = TensorArg{memory + 4096, DType::f32, {10}, {}};
  map["C"] = TensorArg{memory + 8192, DType::bf16, {4, 6}, {6, 1}};
  return map;
}

void checkAll(const std::vector<Change> &changes) {
  for (const Change &change : changes) {
    ArgMap map = goodArguments();
    change.apply(map);
    const auto bound = bindArguments(kernelOfThree(), map);
    INFO(change.message << " / " << (bound ? "" : bound.error().message));
    if (!*change.message) {
      CHECK(bound);
      continue;
    }
    REQUIRE_FALSE(bound);
    CHECK(bound.error().message == change.message);
  }
}

} // namespace

TEST_CASE("good arguments are bound with row-major strides") {
  const auto bound = bindArguments(kernelOfThree(), goodArguments());
  REQUIRE(bound);
  CHECK((*bound)[0].strides == std::vector<int64_t>{64, 1});
  CHECK((*bound)[0].bytes == 10 * 64 * 2);
  CHECK((*bound)[1].data == memory + 4096);
  CHECK((*bound)[2].strides == std::vector<int64_t>{6, 1});
}

TEST_CASE("names, kinds, dtypes") {
  checkAll({
      {"argument 'V': missing", [](ArgMap &m) { m.erase("V"); }},
      {"argument 'W': unknown, the kernel takes A, V, C",
       [](ArgMap &m) { m["W"] = m["V"]; }},
      {"argument 'V': missing",
       [](ArgMap &m) {
         m["v"] = m["V"];
         m.erase("V");
       }},
      {"argument 'A': a scalar, expected a tensor",
       [](ArgMap &m) { m["A"] = ScalarArg(int64_t(1)); }},
      {"argument 'A': dtype bf16, expected f16",
       [](ArgMap &m) { tensor(m, "A").dtype = DType::bf16; }},
      {"argument 'V': dtype i32, expected f32",
       [](ArgMap &m) { tensor(m, "V").dtype = DType::i32; }},
  });
}

TEST_CASE("shapes") {
  checkAll({
      {"argument 'A': rank 1, expected 2",
       [](ArgMap &m) { tensor(m, "A").shape = {640}; }},
      {"argument 'A': rank 3, expected 2",
       [](ArgMap &m) { tensor(m, "A").shape = {1, 10, 64}; }},
      {"argument 'A': extent of axis 1 is 32, expected 64",
       [](ArgMap &m) { tensor(m, "A").shape = {10, 32}; }},
      {"argument 'A': extent of axis 0 is -1, must not be negative",
       [](ArgMap &m) { tensor(m, "A").shape = {-1, 64}; }},
      {"argument 'A': shape [1152921504606846976, 64] has more than 2^63-1 "
       "elements",
       [](ArgMap &m) { tensor(m, "A").shape = {int64_t(1) << 60, 64}; }},
      {"argument 'A': shape [144115188075855871, 64] with strides [64, 1] "
       "passes the address space",
       [](ArgMap &m) {
         tensor(m, "A").shape = {(int64_t(1) << 57) - 1, 64};
         tensor(m, "A").dtype = DType::f16;
       }},
      {"", [](ArgMap &m) { tensor(m, "A").shape = {1, 64}; }},
      {"", [](ArgMap &m) { tensor(m, "A").shape = {0, 64}; }},
  });
}

TEST_CASE("strides") {
  checkAll({
      {"", [](ArgMap &m) { tensor(m, "A").strides = {72, 1}; }},
      {"argument 'A': stride of axis 1, the innermost, is 2 elements, expected "
       "1",
       [](ArgMap &m) { tensor(m, "A").strides = {128, 2}; }},
      {"argument 'A': stride of axis 1, the innermost, is 10 elements, "
       "expected 1",
       [](ArgMap &m) { tensor(m, "A").strides = {1, 10}; }},
      {"argument 'A': 1 strides, expected 2 (or none for row-major)",
       [](ArgMap &m) { tensor(m, "A").strides = {64}; }},
      {"argument 'A': stride of axis 0 is 0 elements, must be positive",
       [](ArgMap &m) { tensor(m, "A").strides = {0, 1}; }},
      {"argument 'A': stride of axis 0 is -64 elements, must be positive",
       [](ArgMap &m) { tensor(m, "A").strides = {-64, 1}; }},
      {"argument 'C': stride of axis 0 is 8 elements, expected 6 (the kernel "
       "takes a contiguous tensor)",
       [](ArgMap &m) { tensor(m, "C").strides = {8, 1}; }},
      {"argument 'A': stride of axis 0 is 4611686018427387904 elements: 10 of "
       "them pass the address space",
       [](ArgMap &m) { tensor(m, "A").strides = {int64_t(1) << 62, 1}; }},
      // Nothing steps along an axis of one element.
      {"",
       [](ArgMap &m) {
         tensor(m, "A").shape = {1, 64};
         tensor(m, "A").strides = {-5, 1};
       }},
      {"",
       [](ArgMap &m) {
         tensor(m, "C").shape = {4, 1};
         tensor(m, "C").strides = {1, 77};
       }},
  });
  ArgMap map = goodArguments();
  tensor(map, "A").shape = {1, 64};
  tensor(map, "A").strides = {-5, 1};
  const auto bound = bindArguments(kernelOfThree(), map);
  REQUIRE(bound);
  CHECK((*bound)[0].strides == std::vector<int64_t>{64, 1});
  tensor(map, "A").shape = {10, 64};
  tensor(map, "A").strides = {72, 1};
  const auto padded = bindArguments(kernelOfThree(), map);
  REQUIRE(padded);
  CHECK((*padded)[0].bytes == (9 * 72 + 64) * 2);
}

TEST_CASE("addresses") {
  const auto at = [](const char *name, void *data) {
    return [=](ArgMap &m) { tensor(m, name).data = data; };
  };
  checkAll({
      {"argument 'A': null pointer for a tensor of shape [10, 64]",
       at("A", nullptr)},
      {"",
       [](ArgMap &m) {
         tensor(m, "A").data = nullptr;
         tensor(m, "A").shape = {0, 64};
       }},
      {"argument 'A': 1280 bytes at 0xfffffffffffffff0 pass the address space",
       at("A", reinterpret_cast<void *>(~uintptr_t(15)))},
      {"", at("A", memory + 16)},
      {"", at("V", memory + 64)},
  });
  ArgMap map = goodArguments();
  tensor(map, "V").data = memory + 32;
  const auto bound = bindArguments(kernelOfThree(), map);
  REQUIRE_FALSE(bound);
  CHECK_THAT(bound.error().message,
             Catch::Contains("argument 'V': address 0x") &&
                 Catch::Contains("is not a multiple of 64 bytes"));
}

TEST_CASE("scalars are converted if they fit") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  struct Row {
    DType dtype;
    ScalarArg value;
    double expected; ///< NaN: refused
  };
  const double refused = std::nan("");
  const auto integer = [](int64_t value) { return ScalarArg(value); };
  const Row rows[] = {
      {DType::i32, integer(-5), -5},
      {DType::i32, integer(INT32_MAX), INT32_MAX},
      {DType::i32, integer(int64_t(INT32_MAX) + 1), refused},
      {DType::i32, integer(INT32_MIN), INT32_MIN},
      {DType::i32, integer(int64_t(INT32_MIN) - 1), refused},
      {DType::u32, integer(-1), refused},
      {DType::u32, integer(4294967295), 4294967295},
      {DType::u8, integer(255), 255},
      {DType::u8, integer(256), refused},
      {DType::i8, integer(-128), -128},
      {DType::i8, integer(-129), refused},
      {DType::u16, integer(65536), refused},
      {DType::i16, integer(-32768), -32768},
      {DType::u64, integer(-1), refused},
      {DType::i64, integer(INT64_MIN), -0x1p63},
      {DType::boolean, integer(1), 1},
      {DType::boolean, integer(0), 0},
      {DType::boolean, integer(2), refused},
      {DType::i32, 3.0, 3},
      {DType::i32, 3.5, refused},
      {DType::i32, 0x1p31, refused},
      {DType::i32, -0x1p31, -0x1p31},
      {DType::i64, 0x1p63, refused},
      {DType::u64, 0x1p63, refused},
      {DType::u64, -1.0, refused},
      {DType::i32, refused, refused},
      {DType::i32, infinity, refused},
      {DType::f32, 0.1, double(0.1f)},
      {DType::f32, integer(16777217), 16777216},
      {DType::f32, 1e39, refused},
      {DType::f32, infinity, infinity},
      {DType::f16, 65519.0, 65504},
      {DType::f16, 65520.0, refused},
      {DType::bf16, -1e30, -1.0000000171e30},
      {DType::f8e4m3, 448.0, 448},
      {DType::f8e4m3, 449.0, refused},
      {DType::f8e5m2, -infinity, refused},
      {DType::f64, 1e300, 1e300},
  };
  for (const Row &row : rows) {
    Kernel kernel;
    kernel.arguments = {scalarArgument("s", row.dtype)};
    const auto bound = bindArguments(kernel, {{"s", row.value}});
    INFO(nameOf(row.dtype) << " "
                           << std::visit([](auto v) { return double(v); },
                                         row.value));
    REQUIRE(bound.has_value() == !std::isnan(row.expected));
    if (!bound) {
      CHECK_THAT(bound.error().message,
                 Catch::StartsWith("argument 's': ") &&
                     Catch::Contains(
                         fmt::format("does not fit {}", nameOf(row.dtype))));
      continue;
    }
    const double stored = toDouble(row.dtype, (*bound)[0].scalar_bytes.data());
    if (row.dtype == DType::bf16)
      CHECK(stored == Approx(row.expected).epsilon(0x1p-8));
    else
      CHECK(stored == row.expected);
    if (!isFloat(row.dtype))
      CHECK(double((*bound)[0].integer) == row.expected);
  }
  Kernel kernel;
  kernel.arguments = {scalarArgument("s", DType::i32)};
  const auto bound = bindArguments(kernel, {{"s", TensorArg{}}});
  REQUIRE_FALSE(bound);
  CHECK(bound.error().message == "argument 's': a tensor, expected a scalar");
}
