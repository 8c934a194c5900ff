//===- DLPackTest.cpp - tensors of other frameworks -------------*- C++ -*-===//
#include "device/DLPack.h"

#include <catch2/catch.hpp>

using namespace tirx::rt;

namespace {

int64_t shape[] = {3, 4};
int64_t strides[] = {8, 1};
char memory[64];

DLTensor example() {
  DLTensor tensor = {};
  tensor.data = memory;
  tensor.device = {kDLCPU, 0};
  tensor.ndim = 2;
  tensor.dtype = {kDLFloat, 16, 1};
  tensor.shape = shape;
  tensor.strides = strides;
  tensor.byte_offset = 16;
  return tensor;
}

} // namespace

TEST_CASE("a DLTensor becomes a tensor argument") {
  const auto tensor = fromDLPack(example(), "sim:sm_100a");
  REQUIRE(tensor);
  CHECK(tensor->data == memory + 16);
  CHECK(tensor->dtype == DType::f16);
  CHECK(tensor->shape == std::vector<int64_t>{3, 4});
  CHECK(tensor->strides == std::vector<int64_t>{8, 1});
  DLTensor packed = example();
  packed.strides = nullptr;
  CHECK(fromDLPack(packed, "sim:sm_100a")->strides.empty());
  DLTensor scalar = example();
  scalar.ndim = 0;
  scalar.shape = nullptr;
  CHECK(fromDLPack(scalar, "sim:sm_100a")->shape.empty());
}

TEST_CASE("DLPack types") {
  struct Row {
    DLDataType type;
    std::optional<DType> dtype;
  };
  const Row rows[] = {
      {{kDLInt, 8, 1}, DType::i8},     {{kDLInt, 16, 1}, DType::i16},
      {{kDLInt, 32, 1}, DType::i32},   {{kDLInt, 64, 1}, DType::i64},
      {{kDLUInt, 8, 1}, DType::u8},    {{kDLUInt, 16, 1}, DType::u16},
      {{kDLUInt, 32, 1}, DType::u32},  {{kDLUInt, 64, 1}, DType::u64},
      {{kDLFloat, 16, 1}, DType::f16}, {{kDLFloat, 32, 1}, DType::f32},
      {{kDLFloat, 64, 1}, DType::f64}, {{kDLBfloat, 16, 1}, DType::bf16},
      {{6, 8, 1}, DType::boolean},     {{10, 8, 1}, DType::f8e4m3},
      {{12, 8, 1}, DType::f8e5m2},     {{kDLFloat, 32, 4}, std::nullopt},
      {{kDLInt, 4, 1}, std::nullopt},  {{kDLComplex, 64, 1}, std::nullopt},
      {{200, 8, 1}, std::nullopt},
  };
  for (const Row &row : rows) {
    DLTensor tensor = example();
    tensor.dtype = row.type;
    const auto result = fromDLPack(tensor, "sim:sm_100a");
    INFO(int(row.type.code) << " " << int(row.type.bits));
    REQUIRE(result.has_value() == row.dtype.has_value());
    if (result)
      CHECK(result->dtype == *row.dtype);
    else
      CHECK_THAT(result.error().message, Catch::Contains("is not supported"));
  }
}

TEST_CASE("a tensor must be where the kernel runs") {
  const auto accepted = [](DLDeviceType type, int ordinal,
                           std::string_view device) {
    DLTensor tensor = example();
    tensor.device = {type, ordinal};
    return fromDLPack(tensor, device).has_value();
  };
  CHECK(accepted(kDLCPU, 0, "sim:sm_100a"));
  CHECK(accepted(kDLCUDAHost, 0, "sim:sm_90a"));
  CHECK_FALSE(accepted(kDLCUDA, 0, "sim:sm_100a"));
  CHECK(accepted(kDLCUDA, 1, "cuda:1"));
  CHECK_FALSE(accepted(kDLCUDA, 0, "cuda:1"));
  CHECK_FALSE(accepted(kDLCPU, 1, "cuda:1"));
  CHECK(accepted(kDLCUDAManaged, 0, "cuda:1"));
  CHECK_FALSE(accepted(kDLVulkan, 0, "cuda:0"));
}

TEST_CASE("malformed DLTensors") {
  DLTensor tensor = example();
  tensor.ndim = -1;
  CHECK_FALSE(fromDLPack(tensor, "sim:sm_100a"));
  tensor = example();
  tensor.shape = nullptr;
  const auto result = fromDLPack(tensor, "sim:sm_100a");
  REQUIRE_FALSE(result);
  CHECK_THAT(result.error().message, Catch::Contains("rank 2 with no shape"));
}
