//===- TensorCoreTest.cpp - whole tcgen05.mma instructions ------*- C++ -*-===//
#include "units/TensorCore.h"
#include "TestSupport.h"
#include "units/FloatFormats.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

using namespace tirx::rt::sim;

namespace {

constexpr uint32_t poison = 0x7FA5A5A5u;
constexpr size_t window = 200 * 1024;

/// A whole instruction with its CTAs, operands as raw bits [row][k], and D.
struct Bench {
  MmaRequest request;
  std::vector<std::byte> shared[2];
  std::unique_ptr<TensorMemory> tmem[2];
  std::vector<uint32_t> a, b; ///< logical M x K and N x K bits

  std::vector<MmaCta> ctas() {
    std::vector<MmaCta> list;
    for (unsigned i = 0; i < request.ctaGroup; ++i)
      list.push_back({shared[i], tmem[i].get(), nullptr});
    return list;
  }
  const InstructionDescriptor &idesc() const { return request.idesc; }
  unsigned rows() const { return idesc().m / request.ctaGroup; }

  /// The TMEM word of D(m, n).
  uint32_t &d(unsigned m, unsigned n) {
    unsigned cta = m / rows();
    TmemCell cell =
        datapathCell(datapathLayout(idesc().m, request.ctaGroup), m % rows(), n,
                     idesc().n, tmemLane(request.dTmem));
    return tmem[cta]->word[tmemColumn(request.dTmem) + cell.column][cell.lane];
  }

  void run() {
    auto list = ctas();
    auto ok = checkMma(request, list);
    INFO(messageOf(ok));
    REQUIRE(ok);
    auto operands = gatherMmaOperands(request, list);
    INFO(messageOf(operands));
    REQUIRE(operands);
    // What the instruction read is read: later changes have no effect.
    for (auto &memory : shared)
      std::fill(memory.begin(), memory.end(), std::byte(0xFF));
    commitMma(request, *operands, list);
  }
};

/// A tile descriptor that packs `tile` from `start` without overlap.
MatrixDescriptor describe(const OperandTile &tile, Swizzle swizzle,
                          uint32_t start) {
  MatrixDescriptor desc;
  desc.start = start;
  desc.swizzle = swizzle;
  unsigned e = tile.elementBytes, width = swizzleWidth(swizzle);
  if (tile.major == Major::K) {
    desc.strideBytes = 8 * width;
    desc.leadingBytes =
        swizzle == Swizzle::none ? tile.rows / 8 * 128 + 128 : 16;
    if (swizzle == Swizzle::none)
      desc.strideBytes = 128;
    return desc;
  }
  if (swizzle == Swizzle::none) {
    desc.strideBytes = 128 * ((tile.k + 7) / 8);
    desc.leadingBytes = 128;
    return desc;
  }
  unsigned kRows = swizzle == Swizzle::b128Atom32 ? 4 : 8;
  desc.strideBytes = kRows * width;
  desc.leadingBytes = desc.strideBytes * ((tile.k + kRows - 1) / kRows) *
                      (tile.rows * e > width ? 1 : 1);
  return desc;
}

std::vector<Swizzle> swizzlesFor(const OperandTile &tile) {
  if (tile.major == Major::MN && tile.elementBytes == 4)
    return {Swizzle::b128Atom32};
  return {Swizzle::none, Swizzle::b32, Swizzle::b64, Swizzle::b128};
}

uint32_t ordinaryBits(std::mt19937 &rng, ElementType type) {
  float value = std::normal_distribution<float>()(rng);
  switch (type) {
  case ElementType::f16:
    return floatToF16(value);
  case ElementType::bf16:
    return floatToBf16(value);
  case ElementType::tf32:
    return std::bit_cast<uint32_t>(value);
  case ElementType::e4m3:
    return floatToE4m3(value);
  case ElementType::e5m2:
    return floatToE5m2(value);
  default:
    return uint32_t(rng()) & 0xFF;
  }
}

double valueOf(ElementType type, uint32_t bits) {
  switch (type) {
  case ElementType::f16:
    return f16ToFloat(uint16_t(bits));
  case ElementType::bf16:
    return bf16ToFloat(uint16_t(bits));
  case ElementType::tf32:
    return tf32ToFloat(bits);
  case ElementType::e4m3:
    return e4m3ToFloat(uint8_t(bits));
  case ElementType::e5m2:
    return e5m2ToFloat(uint8_t(bits));
  case ElementType::s8:
    return int8_t(bits);
  default:
    return bits & 0xFF;
  }
}

/// Writes one logical operand of a CTA into its shared memory, element by
/// element through the address map.
void place(std::vector<std::byte> &shared, const MatrixDescriptor &desc,
           const OperandTile &tile, const uint32_t *bits) {
  for (unsigned row = 0; row < tile.rows; ++row)
    for (unsigned k = 0; k < tile.k; ++k)
      std::memcpy(shared.data() + operandAddress(desc, tile, row, k),
                  &bits[row * tile.k + k], tile.elementBytes);
}

/// Fills A (shared memory or TMEM) and B of every CTA from `bench.a`, `.b`.
void placeOperands(Bench &bench, std::mt19937 &rng) {
  MmaRequest &r = bench.request;
  const InstructionDescriptor &i = r.idesc;
  unsigned e = containerBytes(i.a), n = i.n / r.ctaGroup;
  OperandTile at{bench.rows(), i.k, e, i.majorA};
  OperandTile bt{n, i.k, containerBytes(i.b), i.majorB};
  if (!r.aInTmem)
    r.a = describe(at, pickOf(rng, swizzlesFor(at)), 1024);
  r.b = describe(bt, pickOf(rng, swizzlesFor(bt)), 100 * 1024);
  for (unsigned cta = 0; cta < r.ctaGroup; ++cta) {
    bench.shared[cta] = poisoned(window);
    const uint32_t *a = bench.a.data() + size_t(cta) * at.rows * i.k;
    place(bench.shared[cta], r.b, bt, bench.b.data() + size_t(cta) * n * i.k);
    if (!r.aInTmem) {
      place(bench.shared[cta], r.a, at, a);
      continue;
    }
    DatapathLayout layout = datapathLayout(i.m, r.ctaGroup);
    for (unsigned row = 0; row < at.rows; ++row)
      for (unsigned k = 0; k < i.k; ++k) {
        unsigned lane =
            datapathCell(layout, row, 0, i.n, tmemLane(r.aTmem)).lane;
        uint32_t *column =
            bench.tmem[cta]->word[tmemColumn(r.aTmem) + k * e / 4];
        unsigned shift = k * e % 4 * 8;
        uint32_t mask = e == 4 ? ~0u : ((1u << 8 * e) - 1) << shift;
        for (unsigned copy = 0; copy < (layout == DatapathLayout::B ? 2 : 1);
             ++copy) {
          uint32_t &word = column[lane + 64 * copy];
          word = (word & ~mask) | (a[row * i.k + k] << shift & mask);
        }
      }
  }
}

Bench makeBench(std::mt19937 &rng, InstructionDescriptor idesc,
                unsigned ctaGroup, bool aInTmem = false) {
  Bench bench;
  idesc.k = instructionK(idesc.kind);
  bench.request.idesc = idesc;
  bench.request.ctaGroup = ctaGroup;
  bench.request.aInTmem = aInTmem;
  bool scattered = datapathLayout(idesc.m, ctaGroup) == DatapathLayout::F;
  unsigned lane = scattered && rng() % 2 ? 16 : 0;
  bench.request.dTmem = tmemAddress(lane, pick(rng, 0, 240));
  bench.request.aTmem = tmemAddress(lane, pick(rng, 500, 504));
  for (unsigned i = 0; i < ctaGroup; ++i)
    bench.tmem[i] = std::make_unique<TensorMemory>(poison);
  for (unsigned i = 0; i < idesc.m * idesc.k; ++i)
    bench.a.push_back(ordinaryBits(rng, idesc.a));
  for (unsigned i = 0; i < idesc.n * idesc.k; ++i)
    bench.b.push_back(ordinaryBits(rng, idesc.b));
  placeOperands(bench, rng);
  return bench;
}

/// A random legal dense instruction of `kind`.
InstructionDescriptor randomIdesc(std::mt19937 &rng, MmaKind kind,
                                  unsigned ctaGroup, bool aInTmem) {
  InstructionDescriptor i;
  i.kind = kind;
  using E = ElementType;
  switch (kind) {
  case MmaKind::f16:
    i.a = i.b = rng() % 2 ? E::f16 : E::bf16;
    break;
  case MmaKind::tf32:
    i.a = i.b = E::tf32;
    break;
  case MmaKind::i8:
    i.a = rng() % 2 ? E::u8 : E::s8;
    i.b = rng() % 2 ? E::u8 : E::s8;
    i.d = AccumulatorType::s32;
    break;
  default:
    i.a = rng() % 2 ? E::e4m3 : E::e5m2;
    i.b = rng() % 2 ? E::e4m3 : E::e5m2;
  }
  i.m = ctaGroup == 2 ? pickOf<unsigned>(rng, {128, 256})
                      : pickOf<unsigned>(rng, {64, 128});
  i.majorA = aInTmem || rng() % 2 ? Major::K : Major::MN;
  i.majorB = rng() % 2 ? Major::K : Major::MN;
  unsigned step = ctaGroup == 2 ? 32 : 16;
  i.n = step * pick(rng, 1, 256 / step);
  return i;
}

InstructionDescriptor f16Desc(unsigned m, unsigned n) {
  InstructionDescriptor i;
  i.m = m;
  i.n = n;
  return i;
}

/// The scalar rule for D(m, n) with accumulator word `c`.
uint32_t ruleFor(const Bench &bench, unsigned m, unsigned n, uint32_t c) {
  const InstructionDescriptor &i = bench.idesc();
  std::vector<DecodedValue> a(i.k), b(i.k);
  for (unsigned k = 0; k < i.k; ++k) {
    a[k] = decodeValue(i.a, bench.a[m * i.k + k]);
    b[k] = decodeValue(i.b, bench.b[n * i.k + k]);
    a[k].negative ^= i.negateA;
    b[k].negative ^= i.negateB;
  }
  DecodedValue cv = !bench.request.enableInputD   ? decodeFloat32(0)
                    : i.d == AccumulatorType::f16 ? decodeFloat16(uint16_t(c))
                                                  : decodeFloat32(c);
  return fusedSumReference(a.data(), b.data(), i.k, cv,
                           bench.request.scaleInputD, i.d,
                           fusedSumRule(TensorUnit::tcgen05, i.a));
}

} // namespace

// Origin: data path layouts checked against the CUTLASS fragment traits.
TEST_CASE("datapath layouts: sample cells") {
  CHECK(datapathLayout(256, 2) == DatapathLayout::A);
  CHECK(datapathLayout(128, 2) == DatapathLayout::B);
  CHECK(datapathLayout(128, 1) == DatapathLayout::D);
  CHECK(datapathLayout(64, 1) == DatapathLayout::F);
  TmemCell f = datapathCell(DatapathLayout::F, 17, 5, 128);
  CHECK(f.lane == 33);
  CHECK(f.column == 5);
  CHECK(datapathCell(DatapathLayout::F, 17, 5, 128, 16).lane == 49);
  TmemCell b = datapathCell(DatapathLayout::B, 10, 200, 256);
  CHECK(b.lane == 74);
  CHECK(b.column == 72);
  TmemCell d = datapathCell(DatapathLayout::D, 77, 3, 64);
  CHECK(d.lane == 77);
  CHECK(d.column == 3);
}

// Every kind, M, N, major, swizzle, cta_group, A in shared memory or TMEM:
// bit-exact against the scalar rule on sampled outputs, and within the rule's
// bound of a float64 product on all. Bound (K products and C, each cut by less
// than 2^-25 of the largest power of two E <= max|term|, one final truncation
// of 2^-23): (K+1) * 2^-25 * max|term| + 2^-23 * |D|.
TEST_CASE("mma: random instructions against float64 and the scalar rule") {
  auto rng = makeRng(80);
  for (unsigned run = 0; run < 160; ++run) {
    MmaKind kind = pickOf<MmaKind>(
        rng, {MmaKind::f16, MmaKind::tf32, MmaKind::f8f6f4, MmaKind::i8});
    unsigned group = pick(rng, 1, 2);
    bool inTmem = rng() % 3 == 0;
    Bench bench =
        makeBench(rng, randomIdesc(rng, kind, group, inTmem), group, inTmem);
    const InstructionDescriptor &i = bench.idesc();
    bench.request.enableInputD = rng() % 2;
    bench.request.numerics = rng() % 4 ? MmaNumerics::exact : MmaNumerics::fast;
    if (kind != MmaKind::i8) {
      bench.request.idesc.negateA = rng() % 4 == 0;
      bench.request.idesc.negateB = rng() % 4 == 0;
    }
    CAPTURE(run, nameOf(kind), group, inTmem, i.m, i.n, int(i.majorA),
            int(i.majorB), nameOf(bench.request.a.swizzle),
            nameOf(bench.request.b.swizzle), nameOf(i.a));
    std::vector<uint32_t> before(i.m * i.n);
    for (unsigned m = 0; m < i.m; ++m)
      for (unsigned n = 0; n < i.n; ++n) {
        uint32_t word = kind == MmaKind::i8
                            ? uint32_t(rng())
                            : std::bit_cast<uint32_t>(
                                  std::normal_distribution<float>()(rng));
        before[m * i.n + n] = word;
        if (bench.request.enableInputD)
          bench.d(m, n) = word;
      }
    bench.run();
    double sign = i.negateA != i.negateB ? -1 : 1;
    for (unsigned m = 0; m < i.m; ++m)
      for (unsigned n = 0; n < i.n; ++n) {
        uint32_t c = before[m * i.n + n], got = bench.d(m, n);
        if (kind == MmaKind::i8) {
          int64_t sum = bench.request.enableInputD ? int32_t(c) : 0;
          for (unsigned k = 0; k < i.k; ++k)
            sum += int64_t(valueOf(i.a, bench.a[m * i.k + k])) *
                   int64_t(valueOf(i.b, bench.b[n * i.k + k]));
          REQUIRE(got == uint32_t(sum));
          continue;
        }
        double sum = bench.request.enableInputD ? std::bit_cast<float>(c) : 0;
        double largest = std::fabs(sum);
        for (unsigned k = 0; k < i.k; ++k) {
          double product = sign * valueOf(i.a, bench.a[m * i.k + k]) *
                           valueOf(i.b, bench.b[n * i.k + k]);
          sum += product;
          largest = std::max(largest, std::fabs(product));
        }
        double bound = (i.k + 1) * 0x1p-25 * largest + 0x1p-23 * std::fabs(sum);
        if (bench.request.numerics == MmaNumerics::fast)
          bound = i.k * 0x1p-24 * (i.k + 1) * largest;
        REQUIRE(std::fabs(std::bit_cast<float>(got) - sum) <= bound);
        bool sample = rng() % 16 == 0;
        if (sample && bench.request.numerics == MmaNumerics::exact)
          REQUIRE(got == ruleFor(bench, m, n, c));
      }
  }
}

// A layout changes where operands lie, never the result.
TEST_CASE("mma: results do not depend on swizzle, major or place of A") {
  auto rng = makeRng(81);
  for (unsigned run = 0; run < 6; ++run) {
    unsigned n = 16 * pick(rng, 1, 16);
    Bench first = makeBench(rng, f16Desc(128, n), 1);
    Bench second;
    second.request = first.request;
    second.a = first.a;
    second.b = first.b;
    bool inTmem = run % 2;
    second.request.aInTmem = inTmem;
    second.request.idesc.majorA = inTmem ? Major::K : Major::MN;
    second.request.idesc.majorB = Major::MN;
    second.tmem[0] = std::make_unique<TensorMemory>(poison);
    placeOperands(second, rng);
    first.run();
    second.run();
    for (unsigned m = 0; m < 128; ++m)
      for (unsigned j = 0; j < n; ++j)
        REQUIRE(first.d(m, j) == second.d(m, j));
  }
}

TEST_CASE("mma: writes D and nothing else; masked lanes stay") {
  auto rng = makeRng(82);
  for (unsigned run = 0; run < 8; ++run) {
    unsigned group = 1 + run % 2;
    unsigned m = run % 4 < 2 ? 128 : (group == 1 ? 64 : 256);
    Bench bench = makeBench(rng, f16Desc(m, 96), group);
    for (uint32_t &word : bench.request.disableOutputLane)
      word = uint32_t(rng());
    std::vector<std::vector<bool>> isD(group);
    for (auto &list : isD)
      list.assign(tmemColumns * tmemLanes, false);
    bench.run();
    unsigned kept = 0, written = 0;
    for (unsigned row = 0; row < m; ++row)
      for (unsigned n = 0; n < 96; ++n) {
        unsigned cta = row / bench.rows();
        uint32_t &word = bench.d(row, n);
        size_t flat = size_t(&word - &bench.tmem[cta]->word[0][0]);
        isD[cta][flat] = true;
        unsigned lane = flat % tmemLanes;
        bool disabled =
            bench.request.disableOutputLane[4 * cta + lane / 32] >> lane % 32 &
            1;
        if (disabled) {
          REQUIRE(word == poison);
          ++kept;
        } else {
          REQUIRE(word == ruleFor(bench, row, n, 0));
          ++written;
        }
      }
    CHECK(kept > 0);
    CHECK(written > 0);
    for (unsigned cta = 0; cta < group; ++cta)
      for (size_t flat = 0; flat < isD[cta].size(); ++flat)
        if (!isD[cta][flat])
          REQUIRE(bench.tmem[cta]->word[flat / tmemLanes][flat % tmemLanes] ==
                  poison);
  }
}

TEST_CASE("mma: infinities and NaN in A, B and D follow the rule") {
  auto rng = makeRng(83);
  for (bool half : {false, true})
    for (unsigned where = 0; where < 3; ++where) {
      InstructionDescriptor idesc = f16Desc(64, 32);
      if (half)
        idesc.d = AccumulatorType::f16;
      Bench bench = makeBench(rng, idesc, 1);
      const std::vector<uint32_t> specials = {0x7C00, 0xFC00, 0x7E01, 0xFFFF};
      for (unsigned i = 0; i < 12; ++i) {
        if (where != 1)
          bench.a[rng() % bench.a.size()] = pickOf(rng, specials);
        if (where != 0)
          bench.b[rng() % bench.b.size()] = pickOf(rng, specials);
        bench.b[rng() % bench.b.size()] = rng() % 2 ? 0 : 0x8000;
      }
      placeOperands(bench, rng);
      bench.request.enableInputD = true;
      std::vector<uint32_t> c(64 * 32);
      for (unsigned m = 0; m < 64; ++m)
        for (unsigned n = 0; n < 32; ++n) {
          uint32_t word =
              half ? floatToF16(std::normal_distribution<float>()(rng))
                   : std::bit_cast<uint32_t>(
                         std::normal_distribution<float>()(rng));
          if (rng() % 20 == 0)
            word = half ? pickOf(rng, specials)
                        : pickOf<uint32_t>(
                              rng, {0x7F800000, 0xFF800000, 0x7FC00000});
          c[m * 32 + n] = bench.d(m, n) = word;
        }
      bench.run();
      for (unsigned m = 0; m < 64; ++m)
        for (unsigned n = 0; n < 32; ++n) {
          CAPTURE(half, where, m, n, c[m * 32 + n]);
          REQUIRE(bench.d(m, n) == ruleFor(bench, m, n, c[m * 32 + n]));
        }
    }
}

// Exponents beyond what products of floats can hold, in A, B, or one CTA's half
// of B only.
TEST_CASE("mma: extreme exponents, scale-input-d, cta_group::2") {
  auto rng = makeRng(84);
  struct Range {
    unsigned low, high; ///< exponent fields
  };
  const std::vector<Range> ranges = {{1, 254},   {1, 70},  {100, 250},
                                     {200, 254}, {60, 80}, {120, 134}};
  for (unsigned run = 0; run < 36; ++run) {
    InstructionDescriptor idesc = f16Desc(128, 64);
    bool tf32 = run % 2;
    unsigned group = 1 + run / 2 % 2;
    if (tf32)
      idesc.kind = MmaKind::tf32;
    idesc.a = idesc.b = tf32 ? ElementType::tf32 : ElementType::bf16;
    Bench bench = makeBench(rng, idesc, group);
    Range rangeA = ranges[run % ranges.size()], rangeB = pickOf(rng, ranges);
    auto randomize = [&](uint32_t &bits, Range range) {
      uint32_t word = uint32_t(rng()) % 2 << 31 |
                      pick(rng, range.low, range.high) << 23 |
                      (uint32_t(rng()) & 0x7FFFFF);
      bits = tf32 ? word : word >> 16;
    };
    for (uint32_t &bits : bench.a)
      randomize(bits, rangeA);
    // The first half of B's columns lies in the even CTA.
    for (size_t i = 0; i < bench.b.size() / 2; ++i)
      randomize(bench.b[i], rangeB);
    placeOperands(bench, rng);
    bench.request.enableInputD = run % 3 != 0;
    bench.request.scaleInputD = run % 3 == 2 ? pick(rng, 1, 15) : 0;
    std::vector<uint32_t> c(128 * 64);
    for (unsigned m = 0; m < 128; ++m)
      for (unsigned n = 0; n < 64; ++n)
        c[m * 64 + n] = bench.d(m, n) = rng() % 2 ? uint32_t(rng()) & 0xBFFFFFFF
                                                  : uint32_t(rng()) % 8 << 21;
    bench.run();
    for (unsigned m = 0; m < 128; ++m)
      for (unsigned n = 0; n < 64; ++n) {
        CAPTURE(run, m, n);
        REQUIRE(bench.d(m, n) == ruleFor(bench, m, n, c[m * 64 + n]));
      }
  }
}

TEST_CASE("mma: zero products leave every accumulator as it is") {
  auto rng = makeRng(79);
  Bench bench = makeBench(rng, f16Desc(128, 256), 1);
  std::fill(bench.a.begin(), bench.a.end(), 0u);
  placeOperands(bench, rng);
  bench.request.enableInputD = true;
  // Row 0 walks over every exponent, subnormals included.
  for (unsigned n = 0; n < 255; ++n)
    bench.d(0, n) = n << 23 | (uint32_t(rng()) & 0x7FFFFF) | 1;
  std::vector<uint32_t> before;
  for (unsigned n = 0; n < 255; ++n)
    before.push_back(bench.d(0, n));
  bench.run();
  for (unsigned n = 0; n < 255; ++n)
    CHECK(bench.d(0, n) == before[n]);
}

TEST_CASE("mma: f16 D") {
  auto rng = makeRng(89);
  InstructionDescriptor idesc = f16Desc(128, 64);
  idesc.d = AccumulatorType::f16;
  for (unsigned run = 0; run < 4; ++run) {
    Bench bench = makeBench(rng, idesc, 1);
    bench.request.enableInputD = true;
    bench.request.scaleInputD = run % 2 ? pick(rng, 1, 15) : 0;
    std::vector<uint32_t> c(128 * 64);
    for (unsigned m = 0; m < 128; ++m)
      for (unsigned n = 0; n < 64; ++n)
        c[m * 64 + n] = bench.d(m, n) =
            poison << 16 |
            floatToF16(std::normal_distribution<float>()(rng) * 9);
    bench.run();
    for (unsigned m = 0; m < 128; ++m)
      for (unsigned n = 0; n < 64; ++n)
        REQUIRE(bench.d(m, n) == ruleFor(bench, m, n, c[m * 64 + n]));
  }
  // 2^-25 is a tie of the least subnormal; 2^-48 decides it, unless a zero
  // accumulator raised the largest exponent to its format's -14.
  Bench bench = makeBench(rng, idesc, 1);
  std::fill(bench.a.begin(), bench.a.end(), 0u);
  bench.a[0] = floatToF16(0x1p-12f);
  bench.a[1] = floatToF16(0x1p-24f);
  bench.b[0] = floatToF16(0x1p-13f);
  bench.b[1] = floatToF16(0x1p-24f);
  placeOperands(bench, rng);
  bench.request.enableInputD = true;
  bench.d(0, 0) = 0;
  bench.run();
  CHECK(bench.d(0, 0) == 1);
  CHECK(ruleFor(bench, 0, 0, 0) == 1);
}

TEST_CASE("mma: i8 wraps, or saturates when the descriptor says so") {
  auto rng = makeRng(85);
  for (bool saturate : {false, true}) {
    InstructionDescriptor idesc = f16Desc(128, 16);
    idesc.kind = MmaKind::i8;
    idesc.a = idesc.b = ElementType::s8;
    idesc.d = AccumulatorType::s32;
    idesc.saturate = saturate;
    Bench bench = makeBench(rng, idesc, 1);
    std::fill(bench.a.begin(), bench.a.end(), 0x80u); // -128
    std::fill(bench.b.begin(), bench.b.end(), 0x80u);
    placeOperands(bench, rng);
    bench.request.enableInputD = true;
    for (unsigned m = 0; m < 128; ++m)
      for (unsigned n = 0; n < 16; ++n)
        bench.d(m, n) = 0x7FFFFFF0;
    bench.run();
    uint32_t wrapped = 0x7FFFFFF0u + 32u * 128u * 128u;
    CHECK(bench.d(5, 7) == (saturate ? 0x7FFFFFFFu : wrapped));
  }
}

// Layout B with A in tensor memory: each half of the lanes feeds one half of N.
TEST_CASE("mma: layout B reads A from both halves of the lanes") {
  auto rng = makeRng(86);
  Bench bench = makeBench(rng, f16Desc(128, 64), 2, true);
  unsigned column = tmemColumn(bench.request.aTmem);
  for (unsigned c = 0; c < 8; ++c)
    for (unsigned lane = 64; lane < 128; ++lane)
      bench.tmem[1]->word[column + c][lane] ^= 0x80008000; // negate the copy
  bench.run();
  for (unsigned m = 64; m < 128; ++m)
    for (unsigned n = 0; n < 64; ++n) {
      uint32_t expected = ruleFor(bench, m, n, 0) ^ (n >= 32 ? 0x80000000 : 0);
      REQUIRE(bench.d(m, n) == expected);
    }
}

TEST_CASE("mma: footprint covers what is read and written") {
  auto rng = makeRng(87);
  Bench bench = makeBench(rng, f16Desc(64, 48), 1, true);
  bench.request.enableInputD = true;
  auto footprint = mmaFootprint(bench.request, 0, window);
  REQUIRE(footprint);
  CHECK(footprint->sharedChunks.size() == 48 * 2);
  CHECK(std::is_sorted(footprint->sharedChunks.begin(),
                       footprint->sharedChunks.end()));
  REQUIRE(footprint->tmemWrites.size() == 4);
  CHECK(footprint->tmemReads.size() == 8);
  unsigned lane = tmemLane(bench.request.dTmem);
  CHECK(footprint->tmemWrites[2].lane == 64 + lane);
  CHECK(footprint->tmemWrites[2].lanes == 16);
  CHECK(footprint->tmemWrites[2].columns == 48);
  CHECK(failsWith(mmaFootprint(bench.request, 0, 100 * 1024 + 64),
                  {"operand B"}));
  CHECK(failsWith(mmaFootprint(bench.request, 1, window), {"no CTA 1"}));
}

TEST_CASE("mma: what is refused, and its good neighbour") {
  auto rng = makeRng(88);
  Bench bench = makeBench(rng, f16Desc(128, 64), 1);
  bench.request.dTmem = 0;
  auto list = bench.ctas();
  const MmaRequest good = bench.request;
  REQUIRE(checkMma(good, list));
  auto bad = [&](auto change) {
    MmaRequest request = good;
    change(request);
    return checkMma(request, list);
  };
  CHECK(failsWith(bad([](auto &r) { r.ws = true; }), {".ws", "not simulated"}));
  CHECK(failsWith(bad([](auto &r) { r.idesc.sparse = true; }), {".sp"}));
  CHECK(failsWith(bad([](auto &r) { r.ctaGroup = 2; }), {"1 CTAs"}));
  CHECK(failsWith(bad([](auto &r) { r.scaleInputD = 16; }), {"0..15"}));
  CHECK(failsWith(bad([](auto &r) { r.idesc.m = 256; }), {"M = 256"}));
  CHECK(failsWith(bad([](auto &r) { r.dTmem = tmemAddress(16, 0); }),
                  {"D at TMEM", "lane 16", "legal: 0 "}));
  CHECK(failsWith(bad([](auto &r) { r.dTmem = 480; }), {"D", "[480, 544)"}));
  CHECK(failsWith(bad([](auto &r) { r.b.swizzle = Swizzle::b128Atom64; }),
                  {"operand B", "tensor maps only"}));
  CHECK(failsWith(bad([](auto &r) {
                    r.aInTmem = true;
                    r.aTmem = 508;
                  }),
                  {"A", "[508, 516)"}));
  CHECK(failsWith(bad([](auto &r) {
                    r.aInTmem = true;
                    r.idesc.majorA = Major::MN;
                  }),
                  {"K-major"}));
  CHECK(failsWith(bad([](auto &r) {
                    r.aInTmem = true;
                    r.idesc.m = 64;
                    r.aTmem = tmemAddress(16, 0);
                  }),
                  {"lane 16", "lane 0"}));
  CHECK(failsWith(bad([](auto &r) {
                    r.idesc.kind = MmaKind::mxf8f6f4;
                    r.idesc.a = r.idesc.b = ElementType::e4m3;
                  }),
                  {"block scaling", "not simulated"}));
  CHECK(failsWith(bad([](auto &r) {
                    r.idesc.kind = MmaKind::f8f6f4;
                    r.idesc.a = ElementType::e2m1;
                  }),
                  {"e2m1", "not simulated"}));

  TmemAllocator allocator;
  REQUIRE(allocator.allocate(64, 1, Actor{}));
  list[0].allocator = &allocator;
  CHECK(checkMma(good, list));
  CHECK(failsWith(bad([](auto &r) { r.dTmem = 32; }),
                  {"tcgen05.mma D", "column 64", "not allocated"}));
  MmaRequest outside = good;
  outside.a.start = window - 256;
  CHECK(failsWith(gatherMmaOperands(outside, list),
                  {"operand A", "shared memory"}));
}
