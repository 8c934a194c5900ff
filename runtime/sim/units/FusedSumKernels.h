//===- FusedSumKernels.h - vectorised accumulation of a tile ----*- C++ -*-===//
#pragma once

#include <cstdint>

namespace tirx::rt::sim {

/// Exponent of a zero operand in an exponent plane: sums of two stay in int16
/// and never are the largest.
inline constexpr int16_t zeroOperandExponent = -16384;

/// One accumulation D[rows][n] = C + A*B over float planes. All values finite.
/// Row r of D column j is the word columns[j][laneOfBlock[r/16] + r%16].
struct AccumulateTile {
  unsigned rows = 0; ///< multiple of 32
  unsigned k = 0;    ///< 8, 16 or 32
  unsigned n = 0;
  const float *a = nullptr;      ///< [k][rows]
  const int16_t *aExp = nullptr; ///< [k][rows], not normalised
  const float *b = nullptr;      ///< [n][k]
  const int16_t *bExp = nullptr; ///< [n][k]
  /// Operands hold significands (|x| < 2) instead of values: for exponents
  /// whose products leave float's range.
  bool significandsOnly = false;
  uint32_t *const *columns = nullptr;    ///< [n]
  const uint16_t *laneOfBlock = nullptr; ///< [rows/16]
  const uint16_t *writeLanes = nullptr;  ///< [n][rows/16] lane masks; null: all
  bool readC = false;
  unsigned cShift = 0;    ///< C * 2^-cShift
  bool halfD = false;     ///< C and D are f16 in the low half of the word
  unsigned fraction = 25; ///< F
};

/// Instruction sets that the kernels are compiled for.
enum class VectorLevel : uint8_t { baseline, avx2, avx512 };
/// The best level of this machine.
VectorLevel bestVectorLevel();

/// The exact rule (FusedSum.h).
void accumulateExact(const AccumulateTile &tile, VectorLevel level);
/// Sequential f32 FMA over k, then for f16 one rounding.
void accumulateFast(const AccumulateTile &tile, VectorLevel level);

} // namespace tirx::rt::sim
