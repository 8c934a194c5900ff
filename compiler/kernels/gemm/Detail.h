//===- Detail.h - what the generator's files share --------------*- C++ -*-===//
#pragma once

#include "tirx/Kernels/Gemm.h"
#include "tirx/Layout/HardwareLimits.h"
#include "tirx/Layout/SwizzleMode.h"

namespace tirx::kernels::detail {

/// f16, bf16, f32, f8E4M3FN, f8E5M2: as MLIR spells it.
std::string_view mlirType(rt::DType dtype);

/// The widest swizzle whose rows divide rows of `bytes`; None below 32 bytes.
layout::SwizzleMode widestSwizzle(int64_t bytes);

/// Bytes of D or C that the epilogue handles at a time, in one CTA.
int64_t chunkBytes(const GemmConfig &config);

/// Columns of the bias that a stage of it holds, in whole 128 bytes: a stage
/// begins where TMA may write (PTX ISA, cp.async.bulk.tensor); and bytes of all
/// its stages. 0 without a bias.
int64_t biasColumns(const GemmConfig &config);
int64_t biasBytes(const GemmConfig &config);

/// What one stage of the ring takes in one CTA, in bytes.
int64_t ringStageBytes(const GemmConfig &config);

/// What barriers and alignment may take of a CTA's shared memory.
inline constexpr int64_t kBarrierBytes = 1024;
/// Tiles whose bias is on its way.
inline constexpr int64_t kBiasStages = 2;
/// CTAs of a cluster that every device can run (CUDA programming guide).
inline constexpr int64_t kClusterCtas = 8;

} // namespace tirx::kernels::detail
