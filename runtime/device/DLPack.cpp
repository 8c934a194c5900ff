//===- DLPack.cpp - tensors of other frameworks -----------------*- C++ -*-===//
#include "device/DLPack.h"

using namespace tirx::rt;

namespace {

// Type codes that came after version 0.6 of the header: DLPack 1.1.
constexpr uint8_t kCodeBool = 6;
constexpr uint8_t kCodeFloat8E4M3FN = 10;
constexpr uint8_t kCodeFloat8E5M2 = 12;

struct TypeRow {
  uint8_t code, bits;
  DType dtype;
};

constexpr TypeRow kTypes[] = {
    {kDLUInt, 8, DType::u8},
    {kDLUInt, 16, DType::u16},
    {kDLUInt, 32, DType::u32},
    {kDLUInt, 64, DType::u64},
    {kDLInt, 8, DType::i8},
    {kDLInt, 16, DType::i16},
    {kDLInt, 32, DType::i32},
    {kDLInt, 64, DType::i64},
    {kDLFloat, 16, DType::f16},
    {kDLFloat, 32, DType::f32},
    {kDLFloat, 64, DType::f64},
    {kDLBfloat, 16, DType::bf16},
    {kCodeBool, 8, DType::boolean},
    {kCodeFloat8E4M3FN, 8, DType::f8e4m3},
    {kCodeFloat8E5M2, 8, DType::f8e5m2},
};

Expected<DType> dtypeOf(const DLDataType &type) {
  if (type.lanes == 1)
    for (const TypeRow &row : kTypes)
      if (row.code == type.code && row.bits == type.bits)
        return row.dtype;
  return makeError("DLPack type code {} with {} bits and {} lanes is not "
                   "supported",
                   type.code, type.bits, type.lanes);
}

/// kDLCPU for "sim:...", kDLCUDA and the ordinal for "cuda:N".
Expected<void> checkDevice(const DLDevice &device, std::string_view name) {
  const bool host =
      device.device_type == kDLCPU || device.device_type == kDLCUDAHost;
  const bool managed = device.device_type == kDLCUDAManaged;
  const bool matches =
      name.starts_with("sim:")
          ? host
          : managed || (device.device_type == kDLCUDA &&
                        name == fmt::format("cuda:{}", device.device_id));
  if (matches)
    return {};
  return makeError("a DLPack tensor on device type {} number {} cannot be used "
                   "by device {}",
                   static_cast<int>(device.device_type), device.device_id,
                   name);
}

} // namespace

Expected<TensorArg> tirx::rt::fromDLPack(const DLTensor &tensor,
                                         std::string_view device) {
  if (const auto valid = checkDevice(tensor.device, device); !valid)
    return tl::unexpected(valid.error());
  const auto dtype = dtypeOf(tensor.dtype);
  if (!dtype)
    return tl::unexpected(dtype.error());
  if (tensor.ndim < 0 || (tensor.ndim > 0 && !tensor.shape))
    return makeError("a DLPack tensor of rank {} with {} shape", tensor.ndim,
                     tensor.shape ? "a" : "no");
  TensorArg result;
  result.data = tensor.data
                    ? static_cast<char *>(tensor.data) + tensor.byte_offset
                    : nullptr;
  result.dtype = *dtype;
  if (tensor.ndim > 0) {
    result.shape.assign(tensor.shape, tensor.shape + tensor.ndim);
    if (tensor.strides)
      result.strides.assign(tensor.strides, tensor.strides + tensor.ndim);
  }
  return result;
}
