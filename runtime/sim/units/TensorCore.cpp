//===- TensorCore.cpp - tcgen05.mma -----------------------------*- C++ -*-===//
#include "TensorCore.h"

#include "FusedSumKernels.h"
#include "OperandPlanes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace tirx::rt::sim {

/// Decoded operands. `a[cta][copy]`: with layout B and A in tensor memory each
/// half of the lanes holds its own copy of A, which serves one half of N; in
/// all other cases there is one copy.
struct MmaOperands::Planes {
  std::vector<OperandPlane> a[2];
  OperandPlane b;
  bool significandsOnly = false;
};

MmaOperands::MmaOperands() : planes(std::make_unique<Planes>()) {}
MmaOperands::~MmaOperands() = default;
MmaOperands::MmaOperands(MmaOperands &&) noexcept = default;
MmaOperands &MmaOperands::operator=(MmaOperands &&) noexcept = default;

namespace {

bool isExact(const MmaRequest &request) {
  return request.numerics == MmaNumerics::exact;
}

/// Reads A from tensor memory as [k][row] bits: 32 bytes a row over eight
/// columns, the element of lower k in the lower bits.
std::vector<uint32_t> readATmem(const MmaRequest &request, const MmaGeometry &g,
                                const TensorMemory &memory, unsigned copy) {
  const unsigned bytes = g.aTile.elementBytes, perWord = 4 / bytes;
  const uint32_t mask = bytes == 4 ? ~0u : (1u << (8 * bytes)) - 1;
  const unsigned base = tmemLane(request.aTmem);
  const unsigned column = tmemColumn(request.aTmem);
  std::vector<uint32_t> bits(size_t(g.aTile.k) * g.rows);
  for (unsigned k = 0; k < g.aTile.k; ++k) {
    const uint32_t *words = memory.word[column + k / perWord];
    unsigned shift = k % perWord * 8 * bytes;
    for (unsigned row = 0; row < g.rows; ++row) {
      unsigned lane = datapathCell(g.layout, row, 0, 2, base).lane + 64 * copy;
      bits[size_t(k) * g.rows + row] = words[lane] >> shift & mask;
    }
  }
  return bits;
}

Expected<std::vector<uint32_t>> readShared(const MmaCta &cta,
                                           const MatrixDescriptor &desc,
                                           const OperandTile &tile,
                                           std::string_view what, bool kOuter) {
  auto plan = operandPlan(desc, tile);
  std::vector<std::byte> dense(size_t(tile.rows) * tile.k * tile.elementBytes);
  if (auto ok = gatherOperand(cta.shared, desc, *plan, what, dense.data()); !ok)
    return tl::unexpected(ok.error());
  return expandDense(dense, tile.rows, tile.k, tile.elementBytes, kOuter);
}

/// True when a product or the scale 2^(F-E) would leave float's normal range,
/// so that the values must be split into significand and exponent.
bool needsSignificands(const OperandPlane &a, const OperandPlane &b) {
  if (!a.anyNonZero || !b.anyNonZero)
    return false;
  // E >= least product exponent >= -102 keeps 2^(25-E) at 2^127 or below; a
  // product has at most two more bits than its exponent says.
  return a.leastExponent + b.leastExponent < -102 ||
         a.largestExponent + b.largestExponent > 125;
}

/// Where D lies: a pointer per column, lanes per block of 16 rows, write masks.
struct DPlacement {
  std::vector<uint32_t *> columns;
  std::array<uint16_t, 8> laneOfBlock = {};
  std::vector<uint16_t> writeLanes; ///< empty: all
};

DPlacement placeD(const MmaRequest &request, const MmaGeometry &g,
                  TensorMemory &memory, unsigned cta) {
  DPlacement d;
  const unsigned n = request.idesc.n, blocks = g.rows / 16;
  const unsigned base = tmemLane(request.dTmem);
  const unsigned column = tmemColumn(request.dTmem);
  for (unsigned block = 0; block < blocks; ++block)
    d.laneOfBlock[block] =
        uint16_t(datapathCell(g.layout, 16 * block, 0, n, base).lane);
  const uint32_t *disabled = request.disableOutputLane.data() + 4 * cta;
  bool masked = disabled[0] | disabled[1] | disabled[2] | disabled[3];
  for (unsigned j = 0; j < n; ++j) {
    TmemCell cell = datapathCell(g.layout, 0, j, n, 0);
    d.columns.push_back(&memory.word[column + cell.column][cell.lane]);
    if (!masked)
      continue;
    for (unsigned block = 0; block < blocks; ++block) {
      unsigned lane = cell.lane + d.laneOfBlock[block];
      d.writeLanes.push_back(
          uint16_t(~(disabled[lane / 32] >> lane % 32) & 0xFFFF));
    }
  }
  return d;
}

/// Outputs that an infinity or NaN of A or B decides; computed before D is
/// overwritten, stored after.
struct SpecialOutput {
  uint32_t *word;
  uint32_t bits;
};

std::vector<SpecialOutput>
specialOutputs(const MmaRequest &request, const OperandPlane &a,
               const OperandPlane &b, const DPlacement &d, unsigned firstColumn,
               unsigned columns) {
  std::vector<SpecialOutput> outputs;
  if (a.specialLine.empty() && b.specialLine.empty())
    return outputs;
  const bool half = request.idesc.d == AccumulatorType::f16;
  auto kind = [](const OperandPlane &plane, unsigned line, unsigned k) {
    size_t i = plane.index(line, k);
    if (!plane.kindOf.empty())
      return plane.kindOf[i];
    return plane.exponent[i] == zeroOperandExponent
               ? 0.0f
               : std::copysign(1.0f, plane.value[i]);
  };
  for (unsigned j = firstColumn; j < firstColumn + columns; ++j)
    for (unsigned row = 0; row < a.lines; ++row) {
      bool special = (!a.specialLine.empty() && a.specialLine[row]) ||
                     (!b.specialLine.empty() && b.specialLine[j]);
      if (!special)
        continue;
      if (!d.writeLanes.empty() &&
          !(d.writeLanes[j * (a.lines / 16) + row / 16] >> row % 16 & 1))
        continue;
      uint32_t *word = d.columns[j] + d.laneOfBlock[row / 16] + row % 16;
      float sum = 0;
      if (request.enableInputD) {
        DecodedValue c =
            half ? decodeFloat16(uint16_t(*word)) : decodeFloat32(*word);
        sum = c.isNan   ? std::numeric_limits<float>::quiet_NaN()
              : c.isInf ? (c.negative ? -INFINITY : INFINITY)
                        : 0.0f;
      }
      for (unsigned k = 0; k < a.k; ++k)
        sum += kind(a, row, k) * kind(b, j, k);
      uint32_t sign = std::signbit(sum) ? (half ? 0x8000u : 0x80000000u) : 0;
      uint32_t bits = std::isnan(sum) ? (half ? 0x7FFF : 0x7FFFFFFF)
                                      : sign | (half ? 0x7C00 : 0x7F800000);
      outputs.push_back({word, bits});
    }
  return outputs;
}

void accumulateFloat(const MmaRequest &request, const OperandPlane &a,
                     const OperandPlane &b, bool significandsOnly,
                     const DPlacement &d, unsigned firstColumn,
                     unsigned columns) {
  AccumulateTile tile;
  tile.rows = a.lines;
  tile.k = a.k;
  tile.n = columns;
  tile.a = a.value.data();
  tile.aExp = a.exponent.data();
  tile.b = b.value.data() + size_t(firstColumn) * b.k;
  tile.bExp = b.exponent.data() + size_t(firstColumn) * b.k;
  tile.significandsOnly = significandsOnly;
  tile.columns = d.columns.data() + firstColumn;
  tile.laneOfBlock = d.laneOfBlock.data();
  if (!d.writeLanes.empty())
    tile.writeLanes = d.writeLanes.data() + firstColumn * (a.lines / 16);
  tile.readC = request.enableInputD;
  tile.cShift = request.scaleInputD;
  tile.halfD = request.idesc.d == AccumulatorType::f16;
  tile.fraction = fusedSumRule(TensorUnit::tcgen05, request.idesc.a).fraction;
  if (!isExact(request)) {
    accumulateFast(tile, bestVectorLevel());
    return;
  }
  auto specials = specialOutputs(request, a, b, d, firstColumn, columns);
  accumulateExact(tile, bestVectorLevel());
  for (const SpecialOutput &output : specials)
    *output.word = output.bits;
}

/// i8: exact, then wrap or clamp to s32 once at the end of the instruction.
void accumulateInteger(const MmaRequest &request, const OperandPlane &a,
                       const OperandPlane &b, const DPlacement &d,
                       unsigned firstColumn, unsigned columns) {
  std::vector<int32_t> sum(a.lines);
  for (unsigned j = firstColumn; j < firstColumn + columns; ++j) {
    std::fill(sum.begin(), sum.end(), 0);
    for (unsigned k = 0; k < a.k; ++k) {
      const int32_t *aLine = a.integer.data() + size_t(k) * a.lines;
      const int32_t factor = b.integer[size_t(j) * b.k + k];
      for (unsigned row = 0; row < a.lines; ++row)
        sum[row] += aLine[row] * factor;
    }
    for (unsigned row = 0; row < a.lines; ++row) {
      if (!d.writeLanes.empty() &&
          !(d.writeLanes[j * (a.lines / 16) + row / 16] >> row % 16 & 1))
        continue;
      uint32_t &word = d.columns[j][d.laneOfBlock[row / 16] + row % 16];
      int64_t total =
          sum[row] + (request.enableInputD ? int64_t(int32_t(word)) : 0);
      if (request.idesc.saturate)
        total = std::clamp<int64_t>(total, std::numeric_limits<int32_t>::min(),
                                    std::numeric_limits<int32_t>::max());
      word = uint32_t(total);
    }
  }
}

} // namespace

Expected<MmaOperands> gatherMmaOperands(const MmaRequest &request,
                                        std::span<const MmaCta> ctas) {
  const MmaGeometry g = mmaGeometry(request);
  const InstructionDescriptor &idesc = request.idesc;
  const bool exact = isExact(request);
  MmaOperands operands;
  MmaOperands::Planes &planes = *operands.planes;
  for (size_t cta = 0; cta < ctas.size(); ++cta) {
    auto addA = [&](std::span<const uint32_t> bits) {
      planes.a[cta].push_back(decodePlane(bits, g.rows, idesc.k, true, idesc.a,
                                          idesc.negateA, exact));
    };
    if (request.aInTmem) {
      unsigned copies = g.layout == DatapathLayout::B ? 2 : 1;
      for (unsigned copy = 0; copy < copies; ++copy)
        addA(readATmem(request, g, *ctas[cta].tmem, copy));
    } else {
      auto bits = readShared(ctas[cta], request.a, g.aTile,
                             "tcgen05.mma operand A", true);
      if (!bits)
        return tl::unexpected(bits.error());
      addA(*bits);
    }
    auto bits = readShared(ctas[cta], request.b, g.bTile,
                           "tcgen05.mma operand B", false);
    if (!bits)
      return tl::unexpected(bits.error());
    appendLines(planes.b, decodePlane(*bits, g.columnsPerCta, idesc.k, false,
                                      idesc.b, idesc.negateB, exact));
  }
  if (!exact || idesc.kind == MmaKind::i8)
    return operands;
  for (auto &list : planes.a)
    for (const OperandPlane &plane : list)
      planes.significandsOnly |= needsSignificands(plane, planes.b);
  if (planes.significandsOnly) {
    reduceToSignificands(planes.b);
    for (auto &list : planes.a)
      for (OperandPlane &plane : list)
        reduceToSignificands(plane);
  }
  return operands;
}

void commitMma(const MmaRequest &request, const MmaOperands &operands,
               std::span<const MmaCta> ctas) {
  const MmaGeometry g = mmaGeometry(request);
  const MmaOperands::Planes &planes = *operands.planes;
  for (unsigned cta = 0; cta < ctas.size(); ++cta) {
    DPlacement d = placeD(request, g, *ctas[cta].tmem, cta);
    const auto &copies = planes.a[cta];
    unsigned columns = request.idesc.n / unsigned(copies.size());
    for (unsigned copy = 0; copy < copies.size(); ++copy) {
      if (request.idesc.kind == MmaKind::i8)
        accumulateInteger(request, copies[copy], planes.b, d, copy * columns,
                          columns);
      else
        accumulateFloat(request, copies[copy], planes.b,
                        planes.significandsOnly, d, copy * columns, columns);
    }
  }
}

} // namespace tirx::rt::sim
