//===- HardwareLimits.h - what an SM and its threads have -------*- C++ -*-===//
#ifndef TIRX_LAYOUT_HARDWARELIMITS_H
#define TIRX_LAYOUT_HARDWARELIMITS_H

#include <cstdint>

namespace tirx::layout {

/// Threads of a warp, warps and threads of a warpgroup (PTX ISA, "wgmma:
/// warpgroup").
inline constexpr int64_t kWarpThreads = 32;
inline constexpr int64_t kWarpgroupWarps = 4;
inline constexpr int64_t kWarpgroupThreads = kWarpThreads * kWarpgroupWarps;

/// 32-bit registers of an SM, and the most that a thread can have (CUDA
/// programming guide, compute capabilities 9.0 and 10.0).
inline constexpr int64_t kSmRegisters = 65536;
inline constexpr int64_t kMaxThreadRegisters = 255;

/// Shared memory that a CTA may have, in bytes: 227 KB (CUDA programming guide,
/// compute capabilities 9.0 and 10.0).
inline constexpr int64_t kMaxSharedBytes = 227 * 1024;

/// Lanes and 32-bit columns of tensor memory (PTX ISA, "Tensor Memory").
inline constexpr int64_t kTmemLanes = 128;
inline constexpr int64_t kTmemColumns = 512;

} // namespace tirx::layout

#endif // TIRX_LAYOUT_HARDWARELIMITS_H
