//===- FusedSumKernels.cpp - vectorised accumulation of a tile --*- C++ -*-===//
//
// The exact rule needs, per output, the largest term exponent first and then
// every term cut to a multiple of 2^(E-F). A product of two decoded operands is
// exact in f32 (at most 24 significant bits), and so is its product with the
// power of two 2^(F-E); the conversion to int32 truncates toward zero, as the
// rule asks. 16 terms below 2^27 fit an int32, so K = 32 uses two sums.
//
//===----------------------------------------------------------------------===//
#include "FusedSumKernels.h"

#include "FloatFormats.h"

#include <bit>
#include <cstring>

namespace tirx::rt::sim {
namespace {

template <typename T, unsigned N>
using Vec = T __attribute__((ext_vector_type(N)));
using F32x16 = Vec<float, 16>;
using F64x16 = Vec<double, 16>;
using I32x16 = Vec<int32_t, 16>;
using U32x16 = Vec<uint32_t, 16>;
using I64x16 = Vec<int64_t, 16>;
using I16x16 = Vec<int16_t, 16>;
using I16x32 = Vec<int16_t, 32>;

#define TIRX_INLINE inline __attribute__((always_inline))

// Helpers give results by reference: vectors wider than the baseline's
// registers have no stable calling convention.
template <typename V> TIRX_INLINE void load(V &v, const void *p) {
  std::memcpy(&v, p, sizeof(V));
}
template <typename V> TIRX_INLINE void store(void *p, const V &v) {
  std::memcpy(p, &v, sizeof(V));
}
/// 2^exponent; the caller keeps the exponent normal.
TIRX_INLINE void powerOfTwo(F32x16 &out, const I32x16 &exponent) {
  out = __builtin_bit_cast(F32x16, (exponent + 127) << 23);
}
TIRX_INLINE void powerOfTwo(F64x16 &out, const I32x16 &exponent) {
  I64x16 wide = __builtin_convertvector(exponent, I64x16);
  out = __builtin_bit_cast(F64x16, (wide + 1023) << 52);
}

/// An accumulator input: value (0 when special), exponent as the rule counts
/// it, and the lanes that are infinite or NaN with their result word.
struct AccumulatorIn {
  F32x16 value;
  I32x16 exponent;
  I32x16 special;
  I32x16 specialWord;
};

TIRX_INLINE void readAccumulator(AccumulatorIn &in, const uint32_t *word,
                                 bool halfD) {
  I32x16 bits;
  load(bits, word);
  if (halfD) {
    I32x16 magnitude = bits & 0x7FFF;
    I32x16 field = magnitude >> 10;
    in.special = field == 31;
    in.specialWord = magnitude > 0x7C00 ? 0x7FFF : bits & 0xFFFF;
    F32x16 value = __builtin_bit_cast(F32x16, magnitude << 13) * 0x1p112f;
    I32x16 signedBits =
        __builtin_bit_cast(I32x16, value) | ((bits & 0x8000) << 16);
    in.value = __builtin_bit_cast(F32x16, in.special ? 0 : signedBits);
    I32x16 exponent = __builtin_elementwise_max(field, I32x16(1)) - 15;
    in.exponent = magnitude == 0 ? -126 : exponent;
    return;
  }
  I32x16 magnitude = bits & 0x7FFFFFFF;
  I32x16 field = magnitude >> 23;
  in.special = field == 255;
  in.specialWord = magnitude > 0x7F800000 ? 0x7FFFFFFF : bits;
  in.value = __builtin_bit_cast(F32x16, in.special ? 0 : bits);
  in.exponent = __builtin_elementwise_max(field, I32x16(1)) - 127;
}

/// float64 -> f32 bits toward zero, but overflow to infinity.
TIRX_INLINE void truncateToF32(I32x16 &bits, const F64x16 &value) {
  F32x16 nearest = __builtin_convertvector(value, F32x16);
  F64x16 magnitude = __builtin_elementwise_abs(value);
  F64x16 back =
      __builtin_elementwise_abs(__builtin_convertvector(nearest, F64x16));
  I64x16 tooLarge = (back > magnitude) & (magnitude < 0x1p128);
  bits = __builtin_bit_cast(I32x16, nearest) +
         __builtin_convertvector(tooLarge, I32x16);
}

TIRX_INLINE void writeLanes(uint32_t *word, const I32x16 &value,
                            const uint16_t *mask) {
  if (!mask || *mask == 0xFFFF) {
    store(word, value);
    return;
  }
  for (unsigned lane = 0; lane < 16; ++lane)
    if (*mask >> lane & 1)
      word[lane] = uint32_t(value[lane]);
}

/// Sixteen outputs of one column. `top`: largest product exponent per lane.
template <unsigned K, bool Significands>
TIRX_INLINE void exactBlock(const AccumulateTile &tile, unsigned column,
                            unsigned row, const I32x16 &top) {
  const float *b = tile.b + column * K;
  const int16_t *bExp = tile.bExp + column * K;
  uint32_t *word = tile.columns[column] + tile.laneOfBlock[row / 16];
  const int fraction = int(tile.fraction);
  const int cShift = int(tile.cShift);

  AccumulatorIn in;
  I32x16 largest = __builtin_elementwise_max(top, I32x16(-126));
  if (tile.readC) {
    readAccumulator(in, word, tile.halfD);
    largest = __builtin_elementwise_max(largest, in.exponent - cShift);
  }

  // One int32 sum a group of 16 terms.
  I32x16 sum[2] = {I32x16(0), I32x16(0)};
  if constexpr (Significands) {
    for (unsigned k = 0; k < K; ++k) {
      F32x16 a;
      I16x16 aExp;
      load(a, tile.a + k * tile.rows + row);
      load(aExp, tile.aExp + k * tile.rows + row);
      I32x16 exponent = __builtin_convertvector(aExp, I32x16) + int(bExp[k]) -
                        largest + fraction;
      F32x16 scale;
      powerOfTwo(scale, __builtin_elementwise_max(exponent, I32x16(-126)));
      sum[k / 16] += __builtin_convertvector(a * b[k] * scale, I32x16);
    }
  } else {
    F32x16 scale;
    powerOfTwo(scale, fraction - __builtin_elementwise_max(
                                     largest, I32x16(fraction - 127)));
    for (unsigned k = 0; k < K; ++k) {
      F32x16 a;
      load(a, tile.a + k * tile.rows + row);
      sum[k / 16] += __builtin_convertvector(a * b[k] * scale, I32x16);
    }
  }

  F64x16 total = __builtin_convertvector(sum[0], F64x16);
  if constexpr (K > 16)
    total += __builtin_convertvector(sum[1], F64x16);
  if (tile.readC) {
    F64x16 scale;
    powerOfTwo(scale, fraction - cShift - largest);
    F64x16 scaled = __builtin_convertvector(in.value, F64x16) * scale;
    total += __builtin_convertvector(__builtin_convertvector(scaled, I32x16),
                                     F64x16);
  }
  F64x16 unit;
  powerOfTwo(unit, largest - fraction);
  total *= unit;

  I32x16 bits;
  if (tile.halfD) {
    for (unsigned lane = 0; lane < 16; ++lane)
      bits[lane] = doubleToF16(total[lane]);
  } else {
    truncateToF32(bits, total);
  }
  if (tile.readC)
    bits = in.special ? in.specialWord : bits;
  writeLanes(word, bits,
             tile.writeLanes
                 ? &tile.writeLanes[column * (tile.rows / 16) + row / 16]
                 : nullptr);
}

template <unsigned K, bool Significands>
TIRX_INLINE void exactTile(const AccumulateTile &tile) {
  for (unsigned column = 0; column < tile.n; ++column) {
    const int16_t *bExp = tile.bExp + column * K;
    for (unsigned row = 0; row < tile.rows; row += 32) {
      I16x32 top = I16x32(int16_t(-32768));
      for (unsigned k = 0; k < K; ++k) {
        I16x32 aExp;
        load(aExp, tile.aExp + k * tile.rows + row);
        I16x32 sum = aExp + bExp[k];
        top = __builtin_elementwise_max(top, sum);
      }
      int16_t parts[32];
      store(parts, top);
      for (unsigned half = 0; half < 2; ++half) {
        I16x16 narrow;
        load(narrow, parts + 16 * half);
        I32x16 wide = __builtin_convertvector(narrow, I32x16);
        exactBlock<K, Significands>(tile, column, row + 16 * half, wide);
      }
    }
  }
}

template <unsigned K> TIRX_INLINE void fastTile(const AccumulateTile &tile) {
  const float cScale = std::bit_cast<float>((127 - tile.cShift) << 23);
  for (unsigned column = 0; column < tile.n; ++column) {
    const float *b = tile.b + column * K;
    for (unsigned row = 0; row < tile.rows; row += 16) {
      uint32_t *word = tile.columns[column] + tile.laneOfBlock[row / 16];
      F32x16 sum = F32x16(0.0f);
      if (tile.readC && tile.halfD) {
        for (unsigned lane = 0; lane < 16; ++lane)
          sum[lane] = f16ToFloat(uint16_t(word[lane])) * cScale;
      } else if (tile.readC) {
        load(sum, word);
        sum *= cScale;
      }
      for (unsigned k = 0; k < K; ++k) {
        F32x16 a;
        load(a, tile.a + k * tile.rows + row);
        sum = __builtin_elementwise_fma(a, F32x16(b[k]), sum);
      }
      I32x16 bits = __builtin_bit_cast(I32x16, sum);
      if (tile.halfD)
        for (unsigned lane = 0; lane < 16; ++lane)
          bits[lane] = floatToF16(sum[lane]);
      writeLanes(word, bits,
                 tile.writeLanes
                     ? &tile.writeLanes[column * (tile.rows / 16) + row / 16]
                     : nullptr);
    }
  }
}

TIRX_INLINE void exactAny(const AccumulateTile &tile) {
  if (tile.k == 8)
    tile.significandsOnly ? exactTile<8, true>(tile)
                          : exactTile<8, false>(tile);
  else if (tile.k == 16)
    tile.significandsOnly ? exactTile<16, true>(tile)
                          : exactTile<16, false>(tile);
  else
    tile.significandsOnly ? exactTile<32, true>(tile)
                          : exactTile<32, false>(tile);
}

TIRX_INLINE void fastAny(const AccumulateTile &tile) {
  if (tile.k == 8)
    fastTile<8>(tile);
  else if (tile.k == 16)
    fastTile<16>(tile);
  else
    fastTile<32>(tile);
}

#if defined(__x86_64__)
#define TIRX_AVX2 __attribute__((target("arch=x86-64-v3")))
#define TIRX_AVX512                                                            \
  __attribute__((target("arch=x86-64-v4"), __min_vector_width__(512)))
TIRX_AVX2 void exactAvx2(const AccumulateTile &tile) { exactAny(tile); }
TIRX_AVX512 void exactAvx512(const AccumulateTile &tile) { exactAny(tile); }
TIRX_AVX2 void fastAvx2(const AccumulateTile &tile) { fastAny(tile); }
TIRX_AVX512 void fastAvx512(const AccumulateTile &tile) { fastAny(tile); }
#endif
void exactBaseline(const AccumulateTile &tile) { exactAny(tile); }
void fastBaseline(const AccumulateTile &tile) { fastAny(tile); }

} // namespace

VectorLevel bestVectorLevel() {
#if defined(__x86_64__)
  static const VectorLevel level =
      __builtin_cpu_supports("x86-64-v4")   ? VectorLevel::avx512
      : __builtin_cpu_supports("x86-64-v3") ? VectorLevel::avx2
                                            : VectorLevel::baseline;
  return level;
#else
  return VectorLevel::baseline;
#endif
}

void accumulateExact(const AccumulateTile &tile, VectorLevel level) {
#if defined(__x86_64__)
  if (level == VectorLevel::avx512)
    return exactAvx512(tile);
  if (level == VectorLevel::avx2)
    return exactAvx2(tile);
#endif
  exactBaseline(tile);
}

void accumulateFast(const AccumulateTile &tile, VectorLevel level) {
#if defined(__x86_64__)
  if (level == VectorLevel::avx512)
    return fastAvx512(tile);
  if (level == VectorLevel::avx2)
    return fastAvx2(tile);
#endif
  fastBaseline(tile);
}

} // namespace tirx::rt::sim
