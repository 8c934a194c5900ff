//===- FusedSumTest.cpp - scalar rule and vector kernels --------*- C++ -*-===//
#include "units/FusedSum.h"
#include "TestSupport.h"
#include "units/FloatFormats.h"
#include "units/FusedSumKernels.h"
#include "units/OperandPlanes.h"

#include <bit>
#include <cmath>

using namespace tirx::rt::sim;

namespace {

constexpr FusedSumRule blackwell{25, false};

DecodedValue f32(float value) {
  return decodeFloat32(std::bit_cast<uint32_t>(value));
}
/// Operands of a test are floats that tf32 holds exactly.
DecodedValue operand(float value) {
  return decodeValue(ElementType::tf32, std::bit_cast<uint32_t>(value));
}

float sumOf(std::vector<std::pair<float, float>> products, float c,
            FusedSumRule rule = blackwell, unsigned shift = 0) {
  std::vector<DecodedValue> a, b;
  for (auto [x, y] : products) {
    a.push_back(operand(x));
    b.push_back(operand(y));
  }
  return std::bit_cast<float>(
      fusedSumReference(a.data(), b.data(), unsigned(a.size()), f32(c), shift,
                        AccumulatorType::f32, rule));
}

} // namespace

// Each value is worked out by hand from the rule: terms cut to 25 bits below
// the largest exponent, exact sum, rounding toward zero.
TEST_CASE("fused sum: hand-worked values of the rule") {
  CHECK(sumOf({{3, 5}, {-2, 4}}, 0.5f) == 7.5f);
  // A term below 2^-25 vanishes, also when subtracted: an exact sum rounded
  // toward zero would give the float below 1.
  CHECK(sumOf({{1, 1}, {-0x1p-13f, 0x1p-13f}}, 0) == 1.0f);
  // At 2^-25 it counts: 1 - 2^-25 rounds toward zero to 1 - 2^-24.
  CHECK(sumOf({{1, 1}, {-0x1p-13f, 0x1p-12f}}, 0) == 1.0f - 0x1p-24f);
  // Products are not normalised: 1.5*1.5 = 2.25 has exponent 0, so eight terms
  // of 2^-25 survive and make 2^-22. Normalised (exponent 1) they would vanish.
  std::vector<std::pair<float, float>> many = {{1.5f, 1.5f}};
  for (unsigned i = 0; i < 8; ++i)
    many.push_back({0x1p-12f, 0x1p-13f});
  CHECK(sumOf(many, 0) == 2.25f + 0x1p-22f);
  // Toward zero, not to nearest: 1 + 3*2^-25 stays 1.
  CHECK(sumOf({{1, 1}, {0x1.8p-12f, 0x1p-12f}}, 0) == 1.0f);
  // The accumulator is cut like a product.
  CHECK(sumOf({{0x1p13f, 0x1p13f}}, 1.75f) == 0x1p26f);
  CHECK(sumOf({{-0x1p13f, 0x1p13f}}, 0x1p26f) == 0.0f);
  CHECK(sumOf({{-0x1p13f, 0x1p13f}, {1, 1}}, 0x1p26f) == 0.0f);
  CHECK(sumOf({{-0x1p12f, 0x1p13f}, {1, 1}}, 0x1p25f) == 1.0f);
  // scale-input-d.
  CHECK(sumOf({{1, 1}}, 8.0f, blackwell, 2) == 3.0f);
  // A zero factor does not raise the largest exponent.
  CHECK(sumOf({{0.0f, 0x1p100f}, {0x1p-20f, 0x1p-20f}}, 0) == 0x1p-40f);
  // Subnormal results stay, toward zero.
  CHECK(sumOf({{0x1p-100f, 0x1.8p-49f}}, 0) == 0x1p-149f);
  CHECK(sumOf({{-0x1p-100f, 0x1p-40f}}, 0) == -0x1p-140f);
  // Overflow.
  CHECK(sumOf({{0x1p100f, 0x1p28f}}, 0) == INFINITY);
  CHECK(sumOf({{0x1p100f, 0x1.FFCp27f}}, 0) == 0x1.FFCp127f);
}

TEST_CASE("fused sum: infinities and NaN") {
  auto bits = [](float value) { return std::bit_cast<uint32_t>(value); };
  CHECK(sumOf({{INFINITY, 2}}, 1) == INFINITY);
  CHECK(sumOf({{INFINITY, -2}}, 1) == -INFINITY);
  CHECK(bits(sumOf({{INFINITY, 0}}, 1)) == 0x7FFFFFFF);
  CHECK(bits(sumOf({{INFINITY, 1}, {INFINITY, -1}}, 1)) == 0x7FFFFFFF);
  CHECK(bits(sumOf({{INFINITY, 1}}, -INFINITY)) == 0x7FFFFFFF);
  CHECK(bits(sumOf({{NAN, 0}}, 1)) == 0x7FFFFFFF);
  CHECK(sumOf({{1, 1}}, -INFINITY) == -INFINITY);
}

TEST_CASE("fused sum: f16 results round to nearest even, wgmma fp8 to e8m13") {
  DecodedValue one = decodeValue(ElementType::f16, 0x3C00);
  auto half = [&](uint16_t a, float c) {
    DecodedValue v = decodeValue(ElementType::f16, a);
    return fusedSumReference(&v, &one, 1, f32(c), 0, AccumulatorType::f16,
                             blackwell);
  };
  CHECK(half(0x3C00, 0x1p-11f) == 0x3C00);            // tie to even
  CHECK(half(0x3C01, 0x1p-11f) == 0x3C02);            // tie to even
  CHECK(half(0x3C00, 0x1p-11f + 0x1p-20f) == 0x3C01); // above the tie
  CHECK(half(0x7BFF, 16.0f) == 0x7C00);               // to infinity
  CHECK(half(0x7BFF, 15.0f) == 0x7BFF);
  CHECK(half(0x0001, 0.0f) == 0x0001); // subnormal kept
  FusedSumRule hopperFp8 = fusedSumRule(TensorUnit::wgmma, ElementType::e4m3);
  CHECK(hopperFp8.fraction == 13);
  CHECK(fusedSumRule(TensorUnit::wgmma, ElementType::bf16).fraction == 25);
  CHECK(fusedSumRule(TensorUnit::tcgen05, ElementType::e4m3).fraction == 25);
  // 1 + 2^-13 survives F = 13; 2^-14 does not; results have 13 fraction bits.
  CHECK(sumOf({{1, 1}, {0x1p-13f, 1}}, 0, hopperFp8) == 1.0f + 0x1p-13f);
  CHECK(sumOf({{1, 1}, {0x1p-14f, 1}}, 0, hopperFp8) == 1.0f);
  CHECK(sumOf({{1.5f, 1.5f}, {0x1p-13f, 1}}, 0, hopperFp8) == 2.25f);
}

namespace {

/// `full`: one sign and the largest significand, so that sums are largest.
enum class Data { normal, wide, cancelling, subnormal, sparse, full };

/// Random bits of a type with the wanted trouble.
uint32_t randomBits(std::mt19937 &rng, ElementType type, Data data) {
  unsigned width = 8 * containerBytes(type);
  uint32_t any = uint32_t(rng());
  if (width < 32)
    any &= (1u << width) - 1;
  bool eight = width == 8;
  uint32_t sign = any & (1u << (width - 1));
  auto finite = [&](uint32_t bits) {
    DecodedValue v = decodeValue(type, bits);
    return v.isNan || v.isInf ? sign | (eight ? 0x31u : 0u) : bits;
  };
  std::normal_distribution<float> gauss;
  float g = gauss(rng);
  auto ordinary = [&](float value) -> uint32_t {
    switch (type) {
    case ElementType::f16:
      return floatToF16(value);
    case ElementType::bf16:
      return floatToBf16(value);
    case ElementType::tf32:
      return std::bit_cast<uint32_t>(value);
    case ElementType::e4m3:
      return floatToE4m3(value);
    default:
      return floatToE5m2(value);
    }
  };
  switch (data) {
  case Data::normal:
    return ordinary(g);
  case Data::wide:
    return finite(any);
  case Data::cancelling:
    return ordinary(rng() % 2 ? 1.0f + float(rng() % 4) * 0x1p-9f
                              : -1.0f - float(rng() % 4) * 0x1p-9f);
  case Data::subnormal:
    return finite(sign | (any & ((1u << (width == 8    ? 3
                                         : width == 16 ? 8
                                                       : 23)) -
                                 1)));
  case Data::sparse:
    return rng() % 4 ? sign : finite(any);
  case Data::full:
    switch (type) {
    case ElementType::f16:
      return 0x3FFF;
    case ElementType::bf16:
      return 0x3FFF;
    case ElementType::tf32:
      return 0x3FFFE000;
    case ElementType::e4m3:
      return 0x3F;
    default:
      return 0x3F;
    }
  }
  return 0;
}

} // namespace

// Every vector level against the scalar rule, bit by bit, over every operand
// type, K and kind of trouble. The tile has 64 rows and 24 columns.
TEST_CASE("fused sum: vector kernels equal the scalar rule") {
  auto rng = makeRng(10);
  const unsigned rows = 64, columns = 24;
  const std::vector<ElementType> types = {ElementType::f16, ElementType::bf16,
                                          ElementType::tf32, ElementType::e4m3,
                                          ElementType::e5m2};
  std::vector<VectorLevel> levels = {VectorLevel::baseline};
  if (bestVectorLevel() >= VectorLevel::avx2)
    levels.push_back(VectorLevel::avx2);
  if (bestVectorLevel() >= VectorLevel::avx512)
    levels.push_back(VectorLevel::avx512);

  for (ElementType type : types)
    for (Data data : {Data::normal, Data::wide, Data::cancelling,
                      Data::subnormal, Data::sparse, Data::full})
      for (unsigned variant = 0; variant < 4; ++variant) {
        unsigned k = type == ElementType::tf32   ? 8
                     : containerBytes(type) == 2 ? 16
                                                 : 32;
        bool halfD = type == ElementType::f16 && variant == 3;
        bool readC = variant != 1;
        unsigned shift = variant == 2 ? 3 : 0;
        Data dataB = variant == 2 ? Data::normal : data;
        CAPTURE(nameOf(type), int(data), variant);

        std::vector<uint32_t> aBits(rows * k), bBits(columns * k);
        for (uint32_t &bits : aBits)
          bits = randomBits(rng, type, data);
        for (uint32_t &bits : bBits)
          bits = randomBits(rng, type, dataB);
        OperandPlane a = decodePlane(aBits, rows, k, true, type, false, true);
        OperandPlane b =
            decodePlane(bBits, columns, k, false, type, false, true);

        std::vector<uint32_t> c(rows * columns);
        for (uint32_t &word : c) {
          int exponent = int(rng() % (data == Data::wide ? 250 : 40)) -
                         (data == Data::wide ? 125 : 30);
          float value =
              std::ldexp(1.0f + float(rng() % 65536) / 65536, exponent);
          word = halfD ? rng() & 0xFFFF
                       : std::bit_cast<uint32_t>(rng() % 2 ? value : -value);
          if (rng() % 16 == 0)
            word = halfD ? 0x7C00 : rng() % 2 ? 0x7F800000 : uint32_t(rng());
        }

        std::vector<uint32_t> expected(rows * columns);
        for (unsigned j = 0; j < columns; ++j)
          for (unsigned row = 0; row < rows; ++row) {
            std::vector<DecodedValue> av(k), bv(k);
            for (unsigned i = 0; i < k; ++i) {
              av[i] = decodeValue(type, aBits[i * rows + row]);
              bv[i] = decodeValue(type, bBits[j * k + i]);
            }
            uint32_t word = c[j * rows + row];
            DecodedValue cv = !readC  ? decodeFloat32(0)
                              : halfD ? decodeFloat16(uint16_t(word))
                                      : decodeFloat32(word);
            expected[j * rows + row] = fusedSumReference(
                av.data(), bv.data(), k, cv, shift,
                halfD ? AccumulatorType::f16 : AccumulatorType::f32, blackwell);
          }

        bool narrow = a.anyNonZero && b.anyNonZero &&
                      a.leastExponent + b.leastExponent >= -102 &&
                      a.largestExponent + b.largestExponent <= 125;
        OperandPlane aSig = a, bSig = b;
        reduceToSignificands(aSig);
        reduceToSignificands(bSig);
        for (VectorLevel level : levels)
          for (bool significands : {false, true}) {
            if (!significands && !narrow)
              continue;
            CAPTURE(int(level), significands);
            const OperandPlane &pa = significands ? aSig : a;
            const OperandPlane &pb = significands ? bSig : b;
            std::vector<uint32_t> d = c;
            std::vector<uint32_t *> pointers;
            for (unsigned j = 0; j < columns; ++j)
              pointers.push_back(d.data() + j * rows);
            const uint16_t lanes[] = {0, 16, 32, 48};
            AccumulateTile tile;
            tile.rows = rows;
            tile.k = k;
            tile.n = columns;
            tile.a = pa.value.data();
            tile.aExp = pa.exponent.data();
            tile.b = pb.value.data();
            tile.bExp = pb.exponent.data();
            tile.significandsOnly = significands;
            tile.columns = pointers.data();
            tile.laneOfBlock = lanes;
            tile.readC = readC;
            tile.cShift = shift;
            tile.halfD = halfD;
            accumulateExact(tile, level);
            unsigned wrong = 0;
            for (size_t i = 0; i < d.size(); ++i)
              if (d[i] != expected[i] && wrong++ == 0) {
                CAPTURE(i, d[i], expected[i], c[i]);
                CHECK(d[i] == expected[i]);
              }
            REQUIRE(wrong == 0);
          }
      }
}

// K f32 FMAs: |error| <= K * 2^-24 * sum(|a b| + |c|), against float64.
TEST_CASE("fused sum: fast mode stays within the FMA bound at every level") {
  auto rng = makeRng(11);
  std::normal_distribution<float> gauss;
  const unsigned rows = 32, columns = 8, k = 16;
  std::vector<float> a(rows * k), b(columns * k), c(rows * columns);
  for (auto *list : {&a, &b, &c})
    for (float &value : *list)
      value = gauss(rng);
  for (VectorLevel level :
       {VectorLevel::baseline, VectorLevel::avx2, VectorLevel::avx512}) {
    if (level > bestVectorLevel())
      continue;
    std::vector<uint32_t> d(rows * columns);
    std::vector<uint32_t *> pointers;
    for (unsigned j = 0; j < columns; ++j)
      pointers.push_back(d.data() + j * rows);
    for (size_t i = 0; i < d.size(); ++i)
      d[i] = std::bit_cast<uint32_t>(c[i]);
    const uint16_t lanes[] = {0, 16};
    AccumulateTile tile;
    tile.rows = rows;
    tile.k = k;
    tile.n = columns;
    tile.a = a.data();
    tile.b = b.data();
    tile.columns = pointers.data();
    tile.laneOfBlock = lanes;
    tile.readC = true;
    accumulateFast(tile, level);
    for (unsigned j = 0; j < columns; ++j)
      for (unsigned row = 0; row < rows; ++row) {
        double sum = c[j * rows + row], magnitude = std::fabs(sum);
        for (unsigned i = 0; i < k; ++i) {
          double product = double(a[i * rows + row]) * b[j * k + i];
          sum += product;
          magnitude += std::fabs(product);
        }
        float got = std::bit_cast<float>(d[j * rows + row]);
        REQUIRE(std::fabs(got - sum) <= k * 0x1p-24 * magnitude);
      }
  }
}
