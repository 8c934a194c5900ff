//===- Detail.h - what the generator's files share --------------*- C++ -*-===//
#pragma once

#include "tirx/Kernels/Gemm.h"
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

/// Shared memory of a CTA (CUDA programming guide, compute capability 10.0:
/// 227 KB), and what barriers and alignment may take of it.
inline constexpr int64_t kSharedBytes = 227 * 1024;
inline constexpr int64_t kBarrierBytes = 1024;
/// Columns of tensor memory (PTX ISA, "Tensor Memory").
inline constexpr int64_t kTmemColumns = 512;
/// Tiles whose bias is on its way.
inline constexpr int64_t kBiasStages = 2;
/// Registers of an SM (CUDA programming guide, compute capability 10.0).
inline constexpr int64_t kRegisters = 65536;
/// CTAs of a cluster that every device can run (CUDA programming guide).
inline constexpr int64_t kClusterCtas = 8;

} // namespace tirx::kernels::detail
