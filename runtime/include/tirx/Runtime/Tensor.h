//===- Tensor.h - host tensors, and the files they come from ----*- C++ -*-===//
#pragma once

#include "tirx/Runtime/DType.h"
#include "tirx/Runtime/Error.h"
#include "tirx/Runtime/File.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tirx::rt {

/// A row-major contiguous tensor that owns its bytes.
struct HostTensor {
  DType dtype = DType::f32;
  std::vector<int64_t> shape;
  std::vector<std::byte> bytes;

  /// The product of the extents; 1 for rank 0. The shape must be one that
  /// elementCount(shape) accepts.
  int64_t elementCount() const;
};

/// The product of the extents; nullopt if one is negative or it passes 2^63-1.
std::optional<int64_t> elementCount(std::span<const int64_t> shape);

/// "[128, 64]".
std::string shapeToString(std::span<const int64_t> shape);

/// Reads a NumPy .npy file (format 1.0, 2.0, 3.0; little-endian; C or Fortran
/// order, the latter is transposed on reading). bf16 is read as NumPy's
/// ml_dtypes writes it (descr '<V2' / "bfloat16"). `reinterpret` names the
/// dtype that the file's elements really have, which must be of the same size:
/// bf16 stored as uint16, f8 stored as '|V1' (where it is required, as the file
/// does not say which f8) or uint8.
/// Errors: unreadable, not .npy, header that is malformed or disagrees with the
/// file's size, dtype that DType lacks, shape that overflows.
Expected<HostTensor> readNpy(const std::string &path,
                             std::optional<DType> reinterpret = std::nullopt);

/// Writes format 1.0; bf16 with descr '<V2' as ml_dtypes does, f8 as '|V1'.
/// The file appears whole or not at all (temporary file and rename).
Expected<void> writeNpy(const std::string &path, const HostTensor &tensor);

/// Reads one tensor of a .safetensors file by name. The whole header is
/// validated (size, JSON, offsets in range, not overlapping, sizes that agree
/// with dtype and shape, no gaps). Other tensors may have dtypes that DType
/// lacks. An unknown name lists the names that are there. Only the header and
/// the tensor itself are read.
Expected<HostTensor> readSafetensors(const std::string &path,
                                     const std::string &tensor);

/// A tensor of N(0,1) values rounded to the dtype; a pure function of the
/// arguments (64-bit Mersenne twister seeded with `seed`, Box-Muller). The
/// shape must be one that elementCount accepts.
HostTensor randomNormal(DType dtype, std::vector<int64_t> shape, uint64_t seed);

/// The bits of a poisoned element, in the low sizeOf(dtype) bytes: a quiet NaN
/// with a payload that arithmetic does not produce (floats), 0xA5 in each byte
/// (integers, bool).
uint64_t poisonBits(DType dtype);

/// A tensor whose every element is poisonBits(dtype), to show which elements a
/// kernel failed to write.
HostTensor poisoned(DType dtype, std::vector<int64_t> shape);

} // namespace tirx::rt
