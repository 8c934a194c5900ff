//===- Gemm.h - the GEMM generator ------------------------------*- C++ -*-===//
//
//   D[l, m, n] = activation(alpha * sum over k of A[l, m, k] * B[l, n, k]
//                           + beta * C[l, m, n] + bias[n])
//
// for any M, N, K and batch l, as one kernel of tirx IR for sm_100a: warps that
// load, multiply and store, in clusters of CTA pairs, over tiles that a
// schedule deals out. Nothing here needs MLIR: the kernel is text, for
// tirx::compile.
//
//===----------------------------------------------------------------------===//
#ifndef TIRX_KERNELS_GEMM_H
#define TIRX_KERNELS_GEMM_H

#include "tirx/Layout/Layout.h"
#include "tirx/Layout/SmemDescriptor.h"
#include "tirx/Runtime/DType.h"
#include "tirx/Runtime/Error.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tirx::kernels {

using layout::Major;

enum class Activation : uint8_t {
  none,
  relu, ///< max(x, 0)
  gelu, ///< x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))
  silu, ///< x / (1 + exp(-x))
};

/// What is computed. The kernel's arguments are, in this order: A, B, C (with
/// `residual`), bias (with `bias`), D, alpha and beta (f32 scalars).
struct GemmOperation {
  /// f16, bf16, f32 (multiplied as tf32): both the same; or f8e4m3 and f8e5m2,
  /// in any combination.
  rt::DType a = rt::DType::bf16;
  rt::DType b = rt::DType::bf16;
  /// f16, bf16 or f32; also of C and bias.
  rt::DType d = rt::DType::bf16;
  /// K: rows of K elements, A is [M, K] and B [N, K]. MN: A is [K, M], B [K,
  /// N].
  Major aMajor = Major::K;
  Major bMajor = Major::K;
  bool batch = false;    ///< a batch axis in front of A, B, C and D
  bool alpha = false;    ///< without: 1
  bool residual = false; ///< C and beta
  bool bias = false;     ///< [N], added to every row
  Activation activation = Activation::none;
};

enum class Scheduler : uint8_t {
  automatic, ///< chooseGemm decides
  one_tile,
  persistent,
  clc,
};

/// How it is computed. chooseGemm fills in what is 0 or automatic.
struct GemmSchedule {
  /// The part of D that one CTA (a pair, with ctaGroup 2) computes at a time:
  /// 128 rows for each CTA and consumer; and how far K advances in a stage.
  int64_t tileM = 0, tileN = 0, tileK = 0;
  int64_t ctaGroup = 0;  ///< 2: pairs of CTAs share their MMAs (cta_group::2)
  int64_t consumers = 0; ///< MMA roles with 128 rows of A each, and one B
  /// Tiles of a cluster along M, which share B, and along N, which share A.
  int64_t clusterM = 0, clusterN = 0;
  int64_t stages = 0;            ///< of the ring of operand tiles
  int64_t accumulatorStages = 0; ///< accumulators of a consumer
  int64_t epilogueColumns = 0;   ///< of D, that the epilogue handles at a time
  int64_t storeStages = 0;       ///< of those on their way to D
  int64_t residualStages = 0;    ///< of those of C on their way; needs residual
  Scheduler scheduler = Scheduler::automatic;
  int64_t group = 0; ///< rows of tiles that are walked together, for L2
  /// Programmatic dependent launch: wait for the kernel before, let the next
  /// begin when this one has loaded its operands.
  bool pdl = false;
};

struct GemmConfig {
  GemmOperation operation;
  GemmSchedule schedule;
  std::string name = "gemm"; ///< of the kernel: an identifier
};

/// The problem that a schedule is chosen for.
struct GemmShape {
  int64_t m = 4096, n = 4096, k = 4096, batch = 1;
  int64_t sms = 148; ///< of the device: B200
};

/// Warps of a CTA and what they do.
struct GemmRole {
  std::string name;
  int64_t firstWarp, warps;
  int64_t registers; ///< of a thread
};

/// Bytes of one thing in shared memory.
struct GemmBytes {
  std::string name;
  int64_t bytes;
};

/// What follows from a legal GemmConfig.
struct GemmPlan {
  int64_t rowsB;                  ///< of B (columns of D) that one CTA loads
  int64_t ctas;                   ///< of a cluster
  std::array<int64_t, 3> cluster; ///< CTAs along x (the pair), y (N), z (M)
  /// One stage of an operand as the MMA sees it, (rows, K), and as TMA fills
  /// it: the same, or (K, rows) if MN-major.
  layout::Layout a, b, aFilled, bFilled;
  layout::Layout chunk,
      staging;             ///< of D and C, one stage and all of storeStages
  int64_t biasColumns = 0; ///< of the bias that a stage of it holds
  int64_t chunks;          ///< tileN / epilogueColumns
  std::vector<GemmBytes> shared; ///< most of it first
  int64_t sharedBytes;
  int64_t tmemColumns;
  std::vector<GemmRole> roles;
  int64_t threads;
  int64_t registers; ///< of the CTA
};

/// Rows of A and D that one CTA and consumer has: those of a tensor-memory
/// accumulator with a row in every lane.
inline constexpr int64_t kGemmRows = 128;

/// Checks a complete config. Errors name the field, its value, the limit and
/// where the limit comes from: dtypes that tensor cores do not multiply; tiles
/// that no MMA, swizzle or TMA box fits; shared memory, tensor memory,
/// registers or a cluster beyond the hardware's; stages that do not fit the
/// chunks.
rt::Expected<GemmPlan> planGemm(const GemmConfig &config);

/// A legal config, and why it is as it is: one line a decision.
struct GemmChoice {
  GemmConfig config;
  std::vector<std::string> reasons;
};

/// Completes `wanted` for a problem of this shape (the kernel computes any
/// other, too). What `wanted` fixes is kept. Errors: a shape or SM count that
/// is not positive; planGemm's, if nothing legal is left.
rt::Expected<GemmChoice> chooseGemm(const GemmOperation &operation,
                                    const GemmShape &shape,
                                    const GemmSchedule &wanted = {});

/// The kernel as a module of tirx IR, commented. Errors: planGemm's; a name
/// that is no identifier.
rt::Expected<std::string> generateGemm(const GemmConfig &config);

std::string_view toString(Activation activation);
std::string_view toString(Scheduler scheduler);
/// One line: "256x256x64, cta_group 2, 1 consumer, ...".
std::string toString(const GemmSchedule &schedule);

} // namespace tirx::kernels

#endif // TIRX_KERNELS_GEMM_H
