//===- TmemOrder.cpp --------------------------------------------*- C++ -*-===//

#include "TmemOrder.h"
#include "Machine.h"

namespace tirx::rt::sim {
namespace {

/// What is missing between `earlier` and the operation; null if nothing.
const char *missingFence(const Context &c, unsigned lane, const Cta &cta,
                         const TmemOrder::Stamp &earlier, bool mma) {
  if (earlier.time == 0)
    return nullptr;
  bool here = c.warp.cta == &cta;
  // Threads that issue the operation; the one that issued both needs nothing.
  uint32_t threads = mma ? 1u << lane : c.mask;
  if (here && earlier.warp == c.warp.index)
    threads &= earlier.mma ? ~(1u << earlier.lane) : 0;
  for (uint32_t left = threads; left; left &= left - 1)
    if (c.warp.after_time[__builtin_ctz(left)] < earlier.time)
      return "tcgen05.fence::after_thread_sync by this thread";
  if (threads && !earlier.mma &&
      cta.warps[earlier.warp]->before_time[earlier.lane] < earlier.time)
    return "tcgen05.fence::before_thread_sync by the other thread";
  return nullptr;
}

void warnMissing(Context &c, unsigned column, const TmemOrder::Stamp &other,
                 const char *missing) {
  c.machine.warn(c.frag().pc, "fence",
                 fmt::format("uses TMEM column {} after warp {} (PTX line {}: "
                             "{}) without {}",
                             column, other.warp, other.line,
                             c.machine.program.module.lineText(other.line),
                             missing));
}

} // namespace

void orderTmem(Context &c, unsigned lane, Cta &cta,
               std::span<const TmemRegion> regions, bool writes, bool mma) {
  if (!cta.tmem_order)
    cta.tmem_order = std::make_unique<TmemOrder>();
  TmemOrder::Stamp stamp;
  stamp.time = c.machine.time;
  stamp.line = c.machine.entry.lineOf(c.frag().pc);
  stamp.warp = static_cast<uint16_t>(c.warp.index);
  stamp.lane = static_cast<uint8_t>(lane);
  stamp.mma = mma;
  // Neighbouring columns have mostly been used alike.
  TmemOrder::Column ordered;
  for (const TmemRegion &region : regions)
    for (unsigned window = region.lane / 32u;
         window <= (region.lane + region.lanes - 1u) / 32u; ++window)
      for (unsigned k = 0; k < region.columns; ++k) {
        TmemOrder::Column &column =
            cta.tmem_order->columns[window][region.column + k];
        if (!column.same(ordered)) {
          const TmemOrder::Stamp *other = &column.write;
          const char *missing = missingFence(c, lane, cta, column.write, mma);
          if (!missing && writes) {
            missing = missingFence(c, lane, cta, column.read, mma);
            other = &column.read;
          }
          if (missing)
            warnMissing(c, region.column + k, *other, missing);
          else
            ordered = column;
        }
        // The operations of a pair of CTAs are followed in the issuing one.
        if (c.warp.cta != &cta)
          continue;
        (writes ? column.write : column.read) = stamp;
      }
}

} // namespace tirx::rt::sim
