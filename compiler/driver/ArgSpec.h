//===- ArgSpec.h - where an argument's value comes from ---------*- C++ -*-===//
#pragma once

#include "tirx/Runtime/DType.h"
#include "tirx/Runtime/Device.h"
#include "tirx/Runtime/Error.h"
#include "tirx/Runtime/Tensor.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tirx::driver {

struct NpySource {
  std::string path;
  std::optional<rt::DType> reinterpret;
};
struct SafetensorsSource {
  std::string path, tensor;
};
struct GeneratedTensor {
  enum class Fill { random, zero, one, poison };
  std::vector<int64_t> shape;
  rt::DType dtype = rt::DType::f32;
  Fill fill = Fill::random;
};

/// The right side of `--arg NAME=...`.
using ArgSource =
    std::variant<NpySource, SafetensorsSource, GeneratedTensor, rt::ScalarArg>;

/// Splits "NAME=REST" at the first '='. Error: names `option` and the text.
rt::Expected<std::pair<std::string, std::string>>
splitAssignment(const std::string &option, const std::string &text);

/// Parses FILE.npy[:DTYPE], FILE.safetensors:TENSOR, SHAPE:DTYPE:FILL
/// (256x64:f16:random; FILL is random, zero, one or poison) or a number. Errors
/// name `name` and the part that is wrong; a text of none of these forms gets
/// the list of them.
rt::Expected<ArgSource> parseArgSource(const std::string &name,
                                       const std::string &text);

/// Reads or makes the tensor of a source that is not a scalar. `seed` is for
/// GeneratedTensor::Fill::random.
rt::Expected<rt::HostTensor> makeTensor(const ArgSource &source, uint64_t seed);

} // namespace tirx::driver
