//===- MmaCheck.cpp - legality and footprint of tcgen05.mma -----*- C++ -*-===//
#include "MmaGeometry.h"

#include <algorithm>

namespace tirx::rt::sim {
namespace {

Expected<void> checkForm(const MmaRequest &request) {
  const InstructionDescriptor &idesc = request.idesc;
  if (request.ws)
    return makeError("tcgen05.mma.ws is not simulated (layouts E and G)");
  if (idesc.sparse)
    return makeError("tcgen05.mma.sp (sparse A) is not simulated");
  switch (idesc.kind) {
  case MmaKind::f16:
  case MmaKind::tf32:
  case MmaKind::i8:
    break;
  case MmaKind::f8f6f4:
    for (ElementType type : {idesc.a, idesc.b})
      if (type != ElementType::e4m3 && type != ElementType::e5m2)
        return makeError("tcgen05.mma kind::f8f6f4 with {} operands is not "
                         "simulated; e4m3 and e5m2 are",
                         nameOf(type));
    break;
  default:
    return makeError("tcgen05.mma kind::{} (block scaling) is not simulated",
                     nameOf(idesc.kind));
  }
  bool scalable = idesc.kind == MmaKind::f16 || idesc.kind == MmaKind::tf32;
  if (request.scaleInputD && !scalable)
    return makeError(
        "tcgen05.mma: scale-input-d exists for kinds f16 and tf32, "
        "not for {} (PTX ISA, tcgen05.mma)",
        nameOf(idesc.kind));
  if (request.scaleInputD > 15)
    return makeError("tcgen05.mma: scale-input-d {} is outside 0..15 (PTX ISA, "
                     "tcgen05.mma)",
                     request.scaleInputD);
  if (request.aInTmem && idesc.majorA == Major::MN)
    return makeError("tcgen05.mma: A in tensor memory is K-major; the "
                     "instruction descriptor transposes it");
  return {};
}

/// The lane that an operand in TMEM starts at, checked against the layout.
Expected<unsigned> baseLane(uint32_t address, DatapathLayout layout,
                            std::string_view what) {
  unsigned lane = tmemLane(address);
  if (lane == 0 || (layout == DatapathLayout::F && lane == 16))
    return lane;
  return makeError(
      "tcgen05.mma: {} at TMEM address {:#010x} starts in lane {}; "
      "legal: {} (PTX ISA, tcgen05 data path layouts)",
      what, address, lane,
      layout == DatapathLayout::F ? "0 and 16 for M = 64" : "0");
}

Expected<void> checkColumns(const MmaCta &cta, uint32_t address,
                            unsigned columns, std::string_view what) {
  unsigned column = tmemColumn(address);
  if (cta.allocator)
    return cta.allocator->checkColumns(column, columns, what);
  if (column + columns <= tmemColumns)
    return {};
  return makeError("{}: TMEM columns [{}, {}) leave the {} columns of tensor "
                   "memory",
                   what, column, column + columns, tmemColumns);
}

Expected<void> checkTmem(const MmaRequest &request,
                         std::span<const MmaCta> ctas, Warnings *warnings) {
  MmaGeometry g = mmaGeometry(request);
  auto dLane = baseLane(request.dTmem, g.layout, "D");
  if (!dLane)
    return tl::unexpected(dLane.error());
  if (request.aInTmem) {
    auto aLane = baseLane(request.aTmem, g.layout, "A");
    if (!aLane)
      return tl::unexpected(aLane.error());
    if (*aLane != *dLane)
      return makeError(
          "tcgen05.mma: A starts in TMEM lane {} and D in lane {}; "
          "with M = 64 both must start in the same half (PTX ISA, "
          "tcgen05 data path layout F)",
          *aLane, *dLane);
    if (warnings && g.layout == DatapathLayout::F)
      warnings->push_back(
          "tcgen05.mma: A in tensor memory with M = 64: rows are taken 16 of "
          "each 32 lanes, as D has them; sources disagree on this layout");
    if (warnings && request.ctaGroup == 2 && request.idesc.n % 32)
      warnings->push_back(fmt::format(
          "tcgen05.mma: N = {} with A in tensor memory and cta_group::2 is not "
          "a multiple of 32; the PTX ISA table allows it, other compilers do "
          "not",
          request.idesc.n));
  }
  for (size_t i = 0; i < ctas.size(); ++i) {
    std::string suffix =
        ctas.size() == 2 ? (i ? " (odd CTA)" : " (even CTA)") : "";
    if (auto ok = checkColumns(ctas[i], request.dTmem, g.dColumns,
                               "tcgen05.mma D" + suffix);
        !ok)
      return ok;
    if (!request.aInTmem)
      continue;
    if (auto ok = checkColumns(ctas[i], request.aTmem, aTmemColumns,
                               "tcgen05.mma A" + suffix);
        !ok)
      return ok;
  }
  return {};
}

} // namespace

DatapathLayout datapathLayout(unsigned m, unsigned ctaGroup) {
  if (ctaGroup == 2)
    return m == 256 ? DatapathLayout::A : DatapathLayout::B;
  return m == 128 ? DatapathLayout::D : DatapathLayout::F;
}

TmemCell datapathCell(DatapathLayout layout, unsigned row, unsigned n,
                      unsigned totalN, unsigned baseLane) {
  switch (layout) {
  case DatapathLayout::A:
  case DatapathLayout::D:
    return {row, n};
  case DatapathLayout::B:
    return {row + (n >= totalN / 2 ? 64 : 0), n % (totalN / 2)};
  case DatapathLayout::F:
    return {row / 16 * 32 + row % 16 + baseLane, n};
  }
  return {0, 0};
}

MmaGeometry mmaGeometry(const MmaRequest &request) {
  const InstructionDescriptor &idesc = request.idesc;
  MmaGeometry g;
  g.layout = datapathLayout(idesc.m, request.ctaGroup);
  g.rows = idesc.m / request.ctaGroup;
  g.columnsPerCta = idesc.n / request.ctaGroup;
  g.dColumns = g.layout == DatapathLayout::B ? idesc.n / 2 : idesc.n;
  g.aTile = {g.rows, idesc.k, containerBytes(idesc.a), idesc.majorA};
  g.bTile = {g.columnsPerCta, idesc.k, containerBytes(idesc.b), idesc.majorB};
  return g;
}

Expected<void> checkMma(const MmaRequest &request, std::span<const MmaCta> ctas,
                        Warnings *warnings) {
  if (request.ctaGroup < 1 || request.ctaGroup > 2 ||
      ctas.size() != request.ctaGroup)
    return makeError("tcgen05.mma cta_group::{} with the memories of {} CTAs",
                     request.ctaGroup, ctas.size());
  if (auto ok = checkForm(request); !ok)
    return ok;
  // A descriptor decoded for another cta_group would have another shape table.
  auto decoded = decodeInstructionDescriptor(
      encodeInstructionDescriptor(request.idesc), request.idesc.kind,
      request.ctaGroup, request.ws);
  if (!decoded)
    return tl::unexpected(decoded.error());
  MmaGeometry g = mmaGeometry(request);
  if (!request.aInTmem)
    if (auto ok =
            checkOperand(request.a, g.aTile, "tcgen05.mma operand A", warnings);
        !ok)
      return ok;
  if (auto ok =
          checkOperand(request.b, g.bTile, "tcgen05.mma operand B", warnings);
      !ok)
    return ok;
  return checkTmem(request, ctas, warnings);
}

MmaFootprint mmaTmemFootprint(const MmaRequest &request) {
  const MmaGeometry g = mmaGeometry(request);
  MmaFootprint footprint;
  auto regions = [&](uint32_t address, unsigned columns) {
    std::vector<TmemRegion> list;
    auto column = uint16_t(tmemColumn(address));
    if (g.layout != DatapathLayout::F)
      return std::vector<TmemRegion>{
          {0, uint16_t(tmemLanes), column, uint16_t(columns)}};
    for (unsigned window = 0; window < 4; ++window)
      list.push_back({uint16_t(32 * window + tmemLane(address)), 16, column,
                      uint16_t(columns)});
    return list;
  };
  footprint.tmemWrites = regions(request.dTmem, g.dColumns);
  if (request.enableInputD)
    footprint.tmemReads = footprint.tmemWrites;
  if (request.aInTmem)
    for (const TmemRegion &region : regions(request.aTmem, aTmemColumns))
      footprint.tmemReads.push_back(region);
  return footprint;
}

Expected<MmaFootprint> mmaFootprint(const MmaRequest &request, unsigned cta,
                                    uint64_t windowBytes) {
  if (cta >= request.ctaGroup)
    return makeError("tcgen05.mma cta_group::{} has no CTA {}",
                     request.ctaGroup, cta);
  MmaGeometry g = mmaGeometry(request);
  MmaFootprint footprint = mmaTmemFootprint(request);
  auto add = [&](const MatrixDescriptor &desc, const OperandTile &tile,
                 std::string_view what) -> Expected<void> {
    auto chunks = operandChunks(desc, tile, windowBytes, what);
    if (!chunks)
      return tl::unexpected(chunks.error());
    footprint.sharedChunks.insert(footprint.sharedChunks.end(), chunks->begin(),
                                  chunks->end());
    return {};
  };
  // Chunks are 16-byte granular in tcgen05, so that start bits below 4 are 0.
  if (!request.aInTmem)
    if (auto ok = add(request.a, g.aTile, "tcgen05.mma operand A"); !ok)
      return tl::unexpected(ok.error());
  if (auto ok = add(request.b, g.bTile, "tcgen05.mma operand B"); !ok)
    return tl::unexpected(ok.error());
  std::vector<uint32_t> &chunks = footprint.sharedChunks;
  std::sort(chunks.begin(), chunks.end());
  chunks.erase(std::unique(chunks.begin(), chunks.end()), chunks.end());

  return footprint;
}

} // namespace tirx::rt::sim
