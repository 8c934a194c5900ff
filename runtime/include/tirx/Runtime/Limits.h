//===- Limits.h - what hardware and driver allow ----------------*- C++ -*-===//
#pragma once

#include "tirx/Runtime/Artifact.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace tirx::rt {

// CUDA C++ Programming Guide, table of technical specifications per compute
// capability; the same for 9.0 and 10.0.
inline constexpr std::array<uint32_t, 3> kMaxBlockDim = {1024, 1024, 64};
inline constexpr uint32_t kMaxBlockThreads = 1024;
inline constexpr std::array<int64_t, 3> kMaxGridDim = {2147483647, 65535,
                                                       65535};
/// CTAs of a cluster: 8 everywhere, 16 where the kernel asks for it.
inline constexpr uint32_t kPortableClusterCtas = 8;
inline constexpr uint32_t kMaxClusterCtas = 16;
/// Shared memory of a CTA: 228 KiB of the SM less 1 KiB for the system.
inline constexpr uint32_t kMaxSharedBytes = 227 * 1024;
/// Bytes of kernel parameters (PTX ISA 8.1 and later on sm_70 and later).
inline constexpr uint64_t kMaxParameterBytes = 32764;

// CUDA driver API, cuTensorMapEncodeTiled (no interleave, unpacked types).
inline constexpr size_t kMaxTensorMapRank = 5;
inline constexpr uint32_t kMaxTensorMapBoxDim = 256;
inline constexpr uint32_t kMaxTensorMapElementStride = 8;
inline constexpr int64_t kMaxTensorMapDim = int64_t(1) << 32;
inline constexpr int64_t kTensorMapStrideLimit = int64_t(1) << 40; ///< excluded
/// Of the base address, the strides and the box's inner extent, in bytes.
inline constexpr uint32_t kTensorMapAlignment = 16;

/// Bytes of a tensor map, and their alignment among kernel parameters.
inline constexpr size_t kTensorMapBytes = 128;
inline constexpr size_t kTensorMapParameterAlignment = 64;

/// Alignments of arguments that a manifest may ask for.
inline constexpr unsigned kMaxArgumentAlignment = 4096;

/// Bytes that a swizzle spans; 0 for none.
constexpr uint32_t swizzleBytes(TensorMapRecipe::Swizzle swizzle) {
  switch (swizzle) {
  case TensorMapRecipe::Swizzle::none:
    return 0;
  case TensorMapRecipe::Swizzle::b32:
    return 32;
  case TensorMapRecipe::Swizzle::b64:
    return 64;
  case TensorMapRecipe::Swizzle::b128:
  case TensorMapRecipe::Swizzle::b128_atom_32b:
    return 128;
  }
  return 0;
}

} // namespace tirx::rt
