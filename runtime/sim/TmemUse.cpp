//===- TmemUse.cpp ----------------------------------------------*- C++ -*-===//

#include "TmemUse.h"

namespace tirx::rt::sim {

Cta::Cta() = default;
Cta::~Cta() = default;

namespace {

bool overlap(const TmemRegion &a, const TmemRegion &b) {
  return a.lane < b.lane + b.lanes && b.lane < a.lane + a.lanes &&
         a.column < b.column + b.columns && b.column < a.column + a.columns;
}

bool isMma(TmemAccessKind kind) {
  return kind == TmemAccessKind::mma_read || kind == TmemAccessKind::mma_write;
}
bool isRead(TmemAccessKind kind) {
  return kind == TmemAccessKind::mma_read || kind == TmemAccessKind::load;
}

/// PTX ISA 9.7.16.6: what makes the second operation wait for the first.
const char *remedy(TmemAccessKind first) {
  switch (first) {
  case TmemAccessKind::load:
    return "tcgen05.wait::ld must come first";
  case TmemAccessKind::store:
    return "tcgen05.wait::st must come first";
  default:
    return "the mbarrier of a tcgen05.commit behind it must be waited for "
           "first";
  }
}

} // namespace

bool checkTmemUse(Context &c, unsigned lane, const Cta &cta,
                  std::span<const TmemRegion> regions, TmemAccessKind kind,
                  std::string_view what) {
  for (const TmemUse &use : cta.tmem_uses) {
    if (isRead(use.kind) && isRead(kind))
      continue;
    if (isMma(use.kind) && isMma(kind))
      continue;
    // Stores of one warp to the same place keep their order.
    if (use.kind == TmemAccessKind::store && kind == TmemAccessKind::store)
      continue;
    for (const TmemRegion &region : regions) {
      if (!overlap(use.region, region))
        continue;
      const char *verb = isRead(use.kind) ? "reads" : "writes";
      c.fault(fmt::format(
                  "{} of TMEM lanes {}-{}, columns {}-{} while an earlier "
                  "operation (PTX line {}: {}) still {} lanes {}-{}, columns "
                  "{}-{}; {}",
                  what, region.lane, region.lane + region.lanes - 1,
                  region.column, region.column + region.columns - 1, use.line,
                  c.machine.program.module.lineText(use.line), verb,
                  use.region.lane, use.region.lane + use.region.lanes - 1,
                  use.region.column, use.region.column + use.region.columns - 1,
                  remedy(use.kind)),
              static_cast<int>(lane));
      return false;
    }
  }
  return true;
}

void addTmemUse(Cta &cta, std::span<const TmemRegion> regions,
                TmemAccessKind kind, uint32_t line, const AsyncOp &op) {
  for (const TmemRegion &region : regions)
    cta.tmem_uses.push_back({region, kind, line, &op});
}

void removeTmemUse(Cta &cta, const AsyncOp &op) {
  std::erase_if(cta.tmem_uses,
                [&](const TmemUse &use) { return use.op == &op; });
}

} // namespace tirx::rt::sim
