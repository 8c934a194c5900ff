//===- TensorMap.h - the simulator's tensor map record ----------*- C++ -*-===//
#pragma once

#include "Swizzle.h"
#include "tirx/Runtime/Error.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tirx::rt::sim {

/// Element types in the order of CUtensorMapDataType (0..15).
enum class TensorMapDType : uint8_t {
  u8,
  u16,
  u32,
  s32,
  u64,
  s64,
  f16,
  f32,
  f64,
  bf16,
  f32Ftz,
  tf32,
  tf32Ftz,
  u4Align8B,  ///< 16 x 4 bit packed in 8 bytes
  u4Align16B, ///< 16 x 4 bit in 8 bytes of global, 16 bytes of shared memory
  u6Align16B, ///< 16 x 6 bit in 12 bytes of global, 16 bytes of shared memory
};

/// Bytes of one element; 0 for the packed types, which have less than a byte.
unsigned sizeOf(TensorMapDType type);
std::string_view nameOf(TensorMapDType type);

/// Values as in CUtensorMapInterleave and CUtensorMapFloatOOBfill.
enum class TensorMapInterleave : uint8_t { none, b16, b32 };
enum class TensorMapFill : uint8_t { zero, nan };

/// What the encoder may accept. sm_90 knows neither packed types nor the
/// 128B_ATOM_* swizzles; the driver rejects them there.
enum class TensorMapTarget : uint8_t { sm90, sm100 };

/// The arguments of cuTensorMapEncodeTiled. Dimension 0 is innermost. Only the
/// first `rank` entries (strides: rank-1) mean anything.
struct TensorMapFields {
  TensorMapDType type = TensorMapDType::u8;
  uint8_t rank = 0;                            ///< 1..5
  uint64_t globalAddress = 0;                  ///< simulated address, bytes
  std::array<uint64_t, 5> globalDim = {};      ///< elements, 1..2^32
  std::array<uint64_t, 4> globalStrides = {};  ///< bytes of dims 1..4
  std::array<uint32_t, 5> boxDim = {};         ///< elements, 1..256
  std::array<uint32_t, 5> elementStrides = {}; ///< 1..8; [0] unused unless
                                               ///< interleaved
  TensorMapInterleave interleave = TensorMapInterleave::none;
  Swizzle swizzle = Swizzle::none; ///< CUtensorMapSwizzle has the same order
  uint8_t l2Promotion = 0;         ///< 0..3; no effect on results
  TensorMapFill fill = TensorMapFill::zero;

  bool operator==(const TensorMapFields &) const = default;
};

/// Checks every rule that cuTensorMapEncodeTiled states. The error names the
/// field, its value and the limit. Success means CUDA_SUCCESS.
Expected<void> validateTensorMap(const TensorMapFields &fields,
                                 TensorMapTarget target);

/// The 128 bytes that kernels receive as a CUtensorMap. The layout is the
/// simulator's own: magic, version, all arguments, checksum.
using TensorMapRecord = std::array<std::byte, 128>;

/// Validates, then encodes.
Expected<TensorMapRecord> encodeTensorMap(const TensorMapFields &fields,
                                          TensorMapTarget target);

/// Reads a record back. Errors: no magic (a map of the CUDA driver or other
/// memory), another version, a checksum that does not match (overwritten).
Expected<TensorMapFields>
decodeTensorMap(std::span<const std::byte, 128> record);

} // namespace tirx::rt::sim
