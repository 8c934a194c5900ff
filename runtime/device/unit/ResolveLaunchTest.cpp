//===- ResolveLaunchTest.cpp - launches with everything evaluated *- C++
//-*-===//
#include "TestKernels.h"
#include "tirx/Runtime/Limits.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <functional>

using namespace tirx::rt;
using namespace tirx::rt::test;
using Kind = HostExpr::Kind;

namespace {

template <typename T> T load(const std::vector<std::byte> &bytes, size_t at) {
  T value;
  REQUIRE(at + sizeof(T) <= bytes.size());
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

struct Row {
  const char *message; ///< part of the error; empty if it is accepted
  std::function<void(Kernel &, GemmArguments &)> change;
};

void checkAll(const std::vector<Row> &rows) {
  for (const Row &row : rows) {
    Kernel kernel = gemmKernel();
    GemmArguments arguments;
    row.change(kernel, arguments);
    const auto launch = resolveLaunch(kernel, arguments.map, 148);
    INFO(row.message << " / " << (launch ? "" : launch.error().message));
    if (!*row.message) {
      CHECK(launch);
      continue;
    }
    REQUIRE_FALSE(launch);
    CHECK_THAT(launch.error().message, Catch::Contains(row.message));
  }
}

/// Values for one expression, through a kernel of one scalar argument.
Kernel kernelWithN() {
  Kernel kernel;
  kernel.name = "k";
  kernel.arguments = {scalarArgument("n", DType::i64)};
  return kernel;
}

} // namespace

TEST_CASE("a launch is resolved") {
  GemmArguments arguments(300, 256, 64);
  arguments.tensor("A").strides = {64, 1};
  const auto launch = resolveLaunch(gemmKernel(), arguments.map, 148);
  if (!launch)
    FAIL(launch.error().message);
  CHECK(launch->grid == std::array<uint32_t, 3>{3, 2, 1});
  CHECK(launch->block == std::array<uint32_t, 3>{128, 1, 1});
  CHECK(launch->cluster == std::array<uint32_t, 3>{1, 1, 1});
  CHECK(launch->dynamic_shared_bytes == 65536);

  // Two maps of 128 bytes, then b64, b32, f32.
  CHECK(launch->parameter_offsets ==
        std::vector<size_t>{0, 128, 256, 264, 268});
  CHECK(launch->parameters.size() == 272);
  CHECK(load<void *>(launch->parameters, 256) == arguments.tensor("D").data);
  CHECK(load<int32_t>(launch->parameters, 264) == 300);
  CHECK(load<float>(launch->parameters, 268) == 0.5f);

  REQUIRE(launch->tensor_maps.size() == 2);
  const auto &a = launch->tensor_maps[0];
  CHECK(a.parameter == 0);
  CHECK(a.base == arguments.tensor("A").data);
  CHECK(a.global_dim == std::vector<uint64_t>{64, 300});
  CHECK(a.global_stride == std::vector<uint64_t>{128});
  CHECK(launch->tensor_maps[1].parameter == 1);
  REQUIRE(launch->ranges.size() == 4);
  CHECK(launch->ranges[2].base == arguments.tensor("D").data);
  CHECK(launch->ranges[2].bytes == 300 * 256 * 2);
  CHECK(launch->ranges[3].base == nullptr);
}

TEST_CASE("errors name the argument, both values and the kernel") {
  GemmArguments arguments;
  const auto message = [&] {
    const auto launch = resolveLaunch(gemmKernel(), arguments.map, 148);
    REQUIRE_FALSE(launch);
    return launch.error().message;
  };
  arguments.tensor("B").dtype = DType::bf16;
  CHECK(message() ==
        "argument 'B': dtype bf16, expected f16 (kernel gemm_step04)");
  arguments.tensor("B").dtype = DType::f16;
  arguments.tensor("A").shape = {256};
  CHECK(message() == "argument 'A': rank 1, expected 2 (kernel gemm_step04)");
}

TEST_CASE("parameters are aligned as PTX aligns them") {
  Kernel kernel = kernelWithN();
  const auto value = [](unsigned bytes, int64_t constant) {
    Parameter parameter;
    parameter.kind = Parameter::Kind::value;
    parameter.bytes = bytes;
    parameter.expr = HostExpr::constant(constant);
    return parameter;
  };
  Parameter map;
  map.kind = Parameter::Kind::tensor_map;
  kernel.arguments.push_back(tensorArgument("T", DType::u8, {std::nullopt}));
  map.tensor_map.argument = 1;
  map.tensor_map.dtype = DType::u8;
  map.tensor_map.global_dim = {dim(1, 0)};
  map.tensor_map.box_dim = {16};
  map.tensor_map.element_stride = {1};
  kernel.parameters = {value(1, 0x11),   value(8, -2), value(1, -1),
                       value(2, 0x2222), value(4, 3),  map,
                       value(1, 0x77)};
  alignas(16) std::byte bytes[32];
  const auto launch =
      resolveLaunch(kernel,
                    {{"n", ScalarArg(int64_t(0))},
                     {"T", TensorArg{bytes, DType::u8, {32}, {}}}},
                    148);
  if (!launch)
    FAIL(launch.error().message);
  CHECK(launch->parameter_offsets ==
        std::vector<size_t>{0, 8, 16, 18, 20, 64, 192});
  CHECK(launch->parameters.size() == 193);
  CHECK(load<uint8_t>(launch->parameters, 0) == 0x11);
  CHECK(load<int64_t>(launch->parameters, 8) == -2);
  CHECK(load<uint8_t>(launch->parameters, 16) == 0xFF);
  CHECK(load<uint16_t>(launch->parameters, 18) == 0x2222);
  CHECK(load<uint32_t>(launch->parameters, 20) == 3);
  CHECK(load<uint8_t>(launch->parameters, 192) == 0x77);
}

TEST_CASE("values must fit their parameter") {
  const auto resolved = [](unsigned bytes, int64_t n) {
    Kernel kernel = kernelWithN();
    kernel.parameters.resize(1);
    kernel.parameters[0].kind = Parameter::Kind::value;
    kernel.parameters[0].bytes = bytes;
    kernel.parameters[0].expr = scalar(0);
    return resolveLaunch(kernel, {{"n", ScalarArg(n)}}, 148);
  };
  CHECK(resolved(4, 4294967295));
  CHECK(resolved(4, -2147483648));
  CHECK_FALSE(resolved(4, 4294967296));
  CHECK_FALSE(resolved(4, -2147483649));
  CHECK(resolved(1, 255));
  CHECK_FALSE(resolved(1, 256));
  CHECK(resolved(8, INT64_MIN));
  const auto launch = resolved(2, 65536);
  REQUIRE_FALSE(launch);
  CHECK(launch.error().message ==
        "parameter 0 = n = 65536 does not fit 2 bytes (kernel k)");
}

TEST_CASE("grid limits") {
  const auto resolved = [](size_t axis, int64_t size, uint32_t cluster = 1) {
    Kernel kernel = kernelWithN();
    kernel.grid[axis] = scalar(0);
    kernel.cluster[axis] = cluster;
    return resolveLaunch(kernel, {{"n", ScalarArg(size)}}, 148);
  };
  CHECK(resolved(0, 2147483647));
  CHECK_FALSE(resolved(0, 2147483648));
  CHECK(resolved(1, 65535));
  CHECK_FALSE(resolved(1, 65536));
  CHECK(resolved(2, 65535));
  CHECK_FALSE(resolved(2, 65536));
  CHECK_FALSE(resolved(0, 0));
  CHECK_FALSE(resolved(0, -1));
  CHECK(resolved(0, 6, 2));
  const auto ragged = resolved(0, 7, 2);
  REQUIRE_FALSE(ragged);
  CHECK(ragged.error().message ==
        "grid.x = n = 7, must be a multiple of cluster.x = 2 (kernel k)");
  const auto large = resolved(2, 70000);
  REQUIRE_FALSE(large);
  CHECK(large.error().message == "grid.z = n = 70000, must be in 1..65535 "
                                 "(CUDA's limit of a grid) (kernel k)");
}

TEST_CASE("launch checks, expressions and the kernel itself") {
  checkAll({
      {"", [](Kernel &, GemmArguments &) {}},
      {"launch check failed: N must be a multiple of 128 (condition "
       "(B.shape[0] % 128) == 0) (kernel gemm_step04)",
       [](Kernel &, GemmArguments &a) { a.tensor("B").shape[0] = 100; }},
      {"launch check: B.shape[0] / 0: division by zero",
       [](Kernel &k, GemmArguments &) {
         k.checks[0].condition = op(Kind::floordiv, {dim(1, 0), constant(0)});
       }},
      {"grid.x: A.shape[0] * 9223372036854775807: overflows 64 bits",
       [](Kernel &k, GemmArguments &) {
         k.grid[0] = op(Kind::mul, {dim(0, 0), constant(INT64_MAX)});
       }},
      {"kernel 'gemm_step04': block[0] = 2000 is not in 1..1024",
       [](Kernel &k, GemmArguments &) { k.block[0] = 2000; }},
      {"kernel 'gemm_step04': 232449 bytes of dynamic shared memory",
       [](Kernel &k, GemmArguments &) { k.dynamic_shared_bytes = 232449; }},
      {"", [](Kernel &k, GemmArguments &) { k.dynamic_shared_bytes = 232448; }},
      {"parameters[2]: argument 4, but the kernel has 4",
       [](Kernel &k, GemmArguments &) { k.parameters[2].argument = 4; }},
      {"bytes of parameters, more than 32764 (PTX ISA, kernel parameters)",
       [](Kernel &k, GemmArguments &) { k.parameters.resize(4096); }},
      {"", [](Kernel &k, GemmArguments &) { k.parameters.resize(4000); }},
  });
}

TEST_CASE("tensor map limits name the argument and the driver's function") {
  checkAll({
      {"argument 'A': address",
       [](Kernel &, GemmArguments &a) {
         TensorArg &t = a.tensor("A");
         t.data = static_cast<char *>(t.data) + 8;
       }},
      {"tensor map of argument 'A': address",
       [](Kernel &k, GemmArguments &a) {
         TensorArg &t = a.tensor("A");
         t.data = static_cast<char *>(t.data) + 8;
         k.arguments[0].alignment = 8;
       }},
      {"tensor map of argument 'A': stride 1 = A.strides[0] * 2 = 140 bytes, "
       "must be a multiple of 16 below 2^40 (cuTensorMapEncodeTiled)",
       [](Kernel &, GemmArguments &a) { a.tensor("A").strides = {70, 1}; }},
      {"", [](Kernel &, GemmArguments &a) { a.tensor("A").strides = {72, 1}; }},
      {"stride 1 = A.strides[0] * 2 = 1099511627776 bytes",
       [](Kernel &, GemmArguments &a) {
         a.tensor("A").strides = {int64_t(1) << 39, 1};
       }},
      {"",
       [](Kernel &, GemmArguments &a) {
         a.tensor("A").strides = {(int64_t(1) << 39) - 8, 1};
       }},
      {"tensor map of argument 'B': extent 0 = B.shape[1] - 64 = 0, must be in "
       "1..2^32 (cuTensorMapEncodeTiled)",
       [](Kernel &k, GemmArguments &) {
         k.parameters[1].tensor_map.global_dim[0] =
             op(Kind::sub, {dim(1, 1), constant(64)});
       }},
      {"extent 0 = 4294967297 = 4294967297, must be in",
       [](Kernel &k, GemmArguments &) {
         k.parameters[1].tensor_map.global_dim[0] =
             constant((int64_t(1) << 32) + 1);
       }},
      {"",
       [](Kernel &k, GemmArguments &) {
         k.parameters[1].tensor_map.global_dim[0] = constant(int64_t(1) << 32);
       }},
      {"tensor map of argument 'A': A.shape[0] % 0: division by zero",
       [](Kernel &k, GemmArguments &) {
         k.parameters[0].tensor_map.global_dim[0] =
             op(Kind::mod, {dim(0, 0), constant(0)});
       }},
      {"parameters[0]: box_dim[0] = 128 elements of f16 are 256 bytes, more "
       "than the swizzle's 128 (cuTensorMapEncodeTiled)",
       [](Kernel &k, GemmArguments &) {
         k.parameters[0].tensor_map.box_dim[0] = 128;
       }},
  });
}
