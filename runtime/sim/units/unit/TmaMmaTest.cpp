//===- TmaMmaTest.cpp - TMA tiles as MMA operands ---------------*- C++ -*-===//
//
// Operands go through tensor maps into shared memory and are read back through
// matrix descriptors built as kernels build them: the two units must agree on
// swizzles and pitches without sharing an address function.
//
//===----------------------------------------------------------------------===//
#include "TestSupport.h"
#include "units/FloatFormats.h"
#include "units/TensorCore.h"
#include "units/TmaBox.h"

#include <bit>
#include <cmath>
#include <cstring>

using namespace tirx::rt;
using namespace tirx::rt::sim;

namespace {

constexpr size_t window = 200 * 1024;

class Buffer : public GlobalSpace {
public:
  Expected<std::byte *> access(uint64_t address, uint64_t size, bool) override {
    if (address + size > bytes.size())
      return makeError("outside");
    return bytes.data() + address;
  }
  std::vector<std::byte> bytes;
};

/// How a rows x k operand lies in shared memory.
struct Tile {
  Major major;
  Swizzle swizzle;
  unsigned rows, k, elementBytes;
  uint32_t start;
};

/// Loads the global row-major [rows][k] (K-major) or [k][rows] (MN-major)
/// matrix with TMA and returns the descriptor of K step 0 and the distance to
/// the next, as CuTe lays such tiles out.
std::pair<MatrixDescriptor, uint32_t> loadTile(const Tile &t, Buffer &global,
                                               std::vector<std::byte> &shared) {
  const unsigned e = t.elementBytes, width = swizzleWidth(t.swizzle);
  const bool kMajor = t.major == Major::K;
  const unsigned inner = kMajor ? t.k : t.rows, outer = kMajor ? t.rows : t.k;
  TensorMapFields map;
  map.type = e == 1   ? TensorMapDType::u8
             : e == 2 ? TensorMapDType::f16
                      : TensorMapDType::f32;
  map.swizzle = t.swizzle;
  map.elementStrides = {1, 1, 1, 1, 1};
  MatrixDescriptor desc;
  desc.start = t.start;
  desc.swizzle = t.swizzle;
  auto load = [&](std::vector<int32_t> coords, uint32_t at) {
    auto plan = planTmaLoad(map, coords, at, shared.size());
    INFO(messageOf(plan));
    REQUIRE(plan);
    REQUIRE(executeTmaLoad(*plan, 0, plan->segments.size(), shared, global));
  };

  if (t.swizzle == Swizzle::none) {
    // Core matrices of 8 rows x 16 bytes: [inner chunk][outer][16 bytes].
    map.rank = 3;
    map.globalDim = {16 / e, outer, inner * e / 16};
    map.globalStrides = {uint64_t(inner) * e, 16};
    map.boxDim = {16 / e, outer, inner * e / 16};
    load({0, 0, 0}, t.start);
    uint32_t column = outer * 16; // one 16-byte column of the inner dimension
    if (kMajor) {
      desc.strideBytes = 128;
      desc.leadingBytes = column;
      return {desc, 2 * column};
    }
    desc.strideBytes = column;
    desc.leadingBytes = 128;
    return {desc, 32 / e / 8 * 128};
  }
  map.rank = 2;
  map.globalDim = {inner, outer};
  map.globalStrides = {uint64_t(inner) * e};
  map.boxDim = {width / e, outer};
  uint32_t boxBytes = width * outer;
  for (unsigned i = 0; i * width < inner * e; ++i)
    load({int32_t(i * width / e), 0}, t.start + i * boxBytes);
  unsigned kRows = t.swizzle == Swizzle::b128Atom32 ? 4 : 8;
  desc.strideBytes = (kMajor ? 8 : kRows) * width;
  desc.leadingBytes = kMajor ? 16 : boxBytes;
  // K-major steps stay inside the swizzled row while it lasts.
  return {desc, kMajor ? 32 : 32 / e * width};
}

template <typename T>
std::vector<float> fillRandom(std::mt19937 &rng, const Tile &t,
                              Buffer &global) {
  std::vector<float> values(t.rows * t.k);
  global.bytes.resize(values.size() * sizeof(T));
  for (unsigned row = 0; row < t.rows; ++row)
    for (unsigned k = 0; k < t.k; ++k) {
      float value = std::normal_distribution<float>()(rng);
      T bits;
      if constexpr (sizeof(T) == 1) {
        bits = floatToE4m3(value);
        value = e4m3ToFloat(bits);
      } else if constexpr (sizeof(T) == 2) {
        bits = floatToF16(value);
        value = f16ToFloat(bits);
      } else {
        bits = std::bit_cast<uint32_t>(value);
        value = tf32ToFloat(bits);
      }
      values[row * t.k + k] = value;
      size_t at = t.major == Major::K ? row * t.k + k : k * t.rows + row;
      std::memcpy(global.bytes.data() + at * sizeof(T), &bits, sizeof(T));
    }
  return values;
}

template <typename T>
void multiply(std::mt19937 &rng, MmaKind kind, ElementType type, Tile a,
              Tile b) {
  CAPTURE(nameOf(kind), nameOf(a.swizzle), int(a.major), nameOf(b.swizzle),
          int(b.major), a.rows, b.rows, a.k);
  auto shared = poisoned(window);
  Buffer globalA, globalB;
  auto valuesA = fillRandom<T>(rng, a, globalA);
  auto valuesB = fillRandom<T>(rng, b, globalB);
  auto [descA, stepA] = loadTile(a, globalA, shared);
  auto [descB, stepB] = loadTile(b, globalB, shared);

  auto tmem = std::make_unique<TensorMemory>();
  MmaRequest request;
  request.idesc.kind = kind;
  request.idesc.a = request.idesc.b = type;
  request.idesc.m = a.rows;
  request.idesc.n = b.rows;
  request.idesc.k = instructionK(kind);
  request.idesc.majorA = a.major;
  request.idesc.majorB = b.major;
  const MmaCta cta{shared, tmem.get(), nullptr};
  const unsigned steps = a.k / request.idesc.k;
  for (unsigned step = 0; step < steps; ++step) {
    request.a = descA;
    request.b = descB;
    request.a.start += step * stepA;
    request.b.start += step * stepB;
    // The addresses that an instruction can encode.
    auto again = decodeMatrixDescriptor(encodeMatrixDescriptor(request.a), "A");
    REQUIRE(again);
    REQUIRE(*again == request.a);
    request.enableInputD = step != 0;
    auto ok = checkMma(request, std::span(&cta, 1));
    INFO(messageOf(ok));
    REQUIRE(ok);
    auto operands = gatherMmaOperands(request, std::span(&cta, 1));
    INFO(messageOf(operands));
    REQUIRE(operands);
    commitMma(request, *operands, std::span(&cta, 1));
  }
  DatapathLayout layout = datapathLayout(a.rows, 1);
  for (unsigned m = 0; m < a.rows; ++m)
    for (unsigned n = 0; n < b.rows; ++n) {
      double sum = 0, magnitude = 0;
      for (unsigned k = 0; k < a.k; ++k) {
        double product = double(valuesA[m * a.k + k]) * valuesB[n * b.k + k];
        sum += product;
        magnitude += std::fabs(product);
      }
      TmemCell cell = datapathCell(layout, m, n, b.rows);
      float got = std::bit_cast<float>(tmem->word[cell.column][cell.lane]);
      // Each step cuts K+1 terms below 2^-25 of at most `magnitude` and
      // truncates its result to 2^-23 of it.
      double bound =
          steps * ((request.idesc.k + 1) * 0x1p-25 + 0x1p-23) * magnitude;
      REQUIRE(std::fabs(got - sum) <= bound);
    }
}

} // namespace

TEST_CASE("TMA tiles read back by the MMA: f16, every swizzle and major") {
  auto rng = makeRng(90);
  for (Swizzle sa : {Swizzle::none, Swizzle::b32, Swizzle::b64, Swizzle::b128})
    for (Swizzle sb :
         {Swizzle::none, Swizzle::b32, Swizzle::b64, Swizzle::b128})
      for (Major ma : {Major::K, Major::MN})
        for (Major mb : {Major::K, Major::MN}) {
          // A K-major tile holds as many steps as its swizzled row has room.
          unsigned k = 64;
          if (ma == Major::K && sa != Swizzle::none)
            k = std::min(k, swizzleWidth(sa) / 2);
          if (mb == Major::K && sb != Swizzle::none)
            k = std::min(k, swizzleWidth(sb) / 2);
          multiply<uint16_t>(rng, MmaKind::f16, ElementType::f16,
                             {ma, sa, 128, k, 2, 1024},
                             {mb, sb, 64, k, 2, 64 * 1024});
        }
}

TEST_CASE("TMA tiles read back by the MMA: e4m3 and tf32") {
  auto rng = makeRng(91);
  for (Major ma : {Major::K, Major::MN})
    for (Major mb : {Major::K, Major::MN}) {
      multiply<uint8_t>(rng, MmaKind::f8f6f4, ElementType::e4m3,
                        {ma, Swizzle::b128, 128, 128, 1, 1024},
                        {mb, Swizzle::b128, 128, 128, 1, 64 * 1024});
      auto mode = [](Major major) {
        return major == Major::K ? Swizzle::b128 : Swizzle::b128Atom32;
      };
      multiply<uint32_t>(rng, MmaKind::tf32, ElementType::tf32,
                         {ma, mode(ma), 64, 32, 4, 1024},
                         {mb, mode(mb), 96, 32, 4, 64 * 1024});
    }
}
