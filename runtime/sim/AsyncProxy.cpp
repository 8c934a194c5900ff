//===- AsyncProxy.cpp -------------------------------------------*- C++ -*-===//

#include "AsyncProxy.h"

#include <cstring>

namespace tirx::rt::sim {
namespace {

bool inWindow(Context &c, unsigned lane, const Cta &cta, uint32_t address,
              uint64_t bytes, std::string_view what) {
  if (address >= kSharedBase && address + bytes <= cta.shared.size())
    return true;
  c.fault(fmt::format("{}: {} bytes at shared offset {:#x}; the window of this "
                      "launch is [{:#x}, {:#x})",
                      what, bytes, address, kSharedBase, cta.shared.size()),
          static_cast<int>(lane));
  return false;
}

} // namespace

bool beginAsyncRead(Context &c, unsigned lane, Cta &cta, uint32_t address,
                    uint64_t bytes, std::string_view what,
                    std::optional<Swizzle> swizzle) {
  if (!inWindow(c, lane, cta, address, bytes, what))
    return false;
  Machine &m = c.machine;
  uint64_t own_fence = c.warp.fence_time[lane];
  bool good = true;
  auto line = [&](uint32_t number) {
    return fmt::format("PTX line {}: {}", number,
                       m.program.module.lineText(number));
  };
  cta.shadow.forRange(
      address, bytes, [&](SharedShadow::Cell &cell, uint32_t at) {
        if (!good)
          return;
        if (cell.async_writes) {
          good = false;
          c.fault(
              fmt::format("{} reads shared memory at {:#x} while a copy ({}) "
                          "still writes it; its mbarrier must be waited for "
                          "first",
                          what, at, line(cell.async_line)),
              static_cast<int>(lane));
          return;
        }
        if (cell.write.time) {
          checkAsyncRace(c, lane, cta, at, SharedShadow::kCell, false, what);
          const Warp &writer = *cta.warps[cell.write.warp];
          bool by_writer =
              writer.fence_time[cell.write.lane] >= cell.write.time;
          if (!by_writer && own_fence < cell.write.time) {
            good = false;
            c.fault(
                fmt::format(
                    "{} reads shared memory at {:#x} through the async proxy; "
                    "warp {} lane {} wrote it through the generic proxy ({}) "
                    "with no fence.proxy.async since",
                    what, at, cell.write.warp, cell.write.lane,
                    line(cell.write.line)),
                static_cast<int>(lane));
            return;
          }
          if (!by_writer)
            m.warn(c.frag().pc, "issuer fence",
                   fmt::format("{} reads what warp {} wrote ({}); "
                               "fence.proxy.async was executed by the issuing "
                               "thread, not by the writer",
                               what, cell.write.warp, line(cell.write.line)));
        }
        if (swizzle && cell.write.swizzle != 0xFF &&
            cell.write.swizzle != static_cast<uint8_t>(*swizzle))
          m.warn(c.frag().pc, fmt::format("swizzle of {}", what),
                 fmt::format("{} reads with swizzle {} what a bulk tensor copy "
                             "wrote with swizzle {} (shared offset {:#x})",
                             what, nameOf(*swizzle),
                             nameOf(static_cast<Swizzle>(cell.write.swizzle)),
                             at));
      });
  if (!good)
    return false;
  uint32_t number = m.entry.lineOf(c.frag().pc);
  cta.shadow.forRange(address, bytes, [&](SharedShadow::Cell &cell, uint32_t) {
    ++cell.async_reads;
    cell.async_line = number;
  });
  return true;
}

void endAsyncRead(Cta &cta, uint32_t address, uint64_t bytes) {
  cta.shadow.forRange(address, bytes, [](SharedShadow::Cell &cell, uint32_t) {
    --cell.async_reads;
  });
}

/// A generic read is ordered before a write of the async proxy by a proxy fence
/// of the reader or the issuer (PTX ISA, async proxy). Other kernels leave it
/// out, mostly with luck.
static void warnUnfencedReads(Context &c, unsigned lane, Cta &cta,
                              uint32_t address, uint64_t bytes,
                              std::string_view what) {
  Machine &m = c.machine;
  const uint64_t own_fence = c.warp.fence_time[lane];
  cta.shadow.forRange(
      address, bytes, [&](SharedShadow::Cell &cell, uint32_t at) {
        const SharedShadow::Write &read = cell.read;
        if (read.time == 0 || own_fence >= read.time ||
            cta.warps[read.warp]->fence_time[read.lane] >= read.time)
          return;
        m.warn(c.frag().pc, fmt::format("reads before {}", what),
               fmt::format("{} overwrites shared memory at {:#x} through the "
                           "async proxy; warp {} lane {} read it through the "
                           "generic proxy (PTX line {}: {}) with no "
                           "fence.proxy.async since",
                           what, at, read.warp, read.lane, read.line,
                           m.program.module.lineText(read.line)));
      });
}

bool beginAsyncWrite(Context &c, unsigned lane, Cta &cta, uint32_t address,
                     uint64_t bytes, std::string_view what) {
  if (!inWindow(c, lane, cta, address, bytes, what))
    return false;
  Machine &m = c.machine;
  bool good = true;
  cta.shadow.forRange(
      address, bytes, [&](SharedShadow::Cell &cell, uint32_t at) {
        if (!good)
          return;
        if (cell.async_reads || cell.async_writes) {
          good = false;
          c.fault(fmt::format("{} overwrites shared memory at {:#x} while an "
                              "earlier operation (PTX line {}: {}) still {} it",
                              what, at, cell.async_line,
                              m.program.module.lineText(cell.async_line),
                              cell.async_reads ? "reads" : "writes"),
                  static_cast<int>(lane));
        } else if (cell.barriers &&
                   cta.barriers.overlapping(address,
                                            static_cast<uint32_t>(bytes))) {
          good = false;
          c.fault(fmt::format(
                      "{} overwrites a live mbarrier: {}", what,
                      cta.barriers
                          .overlapping(address, static_cast<uint32_t>(bytes))
                          ->describe()),
                  static_cast<int>(lane));
        }
      });
  if (!good)
    return false;
  cta.shadow.forRange(
      address, bytes, [&](SharedShadow::Cell &cell, uint32_t at) {
        if (cell.read.time || cell.write.time)
          checkAsyncRace(c, lane, cta, at, SharedShadow::kCell, true, what);
      });
  warnUnfencedReads(c, lane, cta, address, bytes, what);
  uint32_t number = m.entry.lineOf(c.frag().pc);
  cta.shadow.forRange(address, bytes, [&](SharedShadow::Cell &cell, uint32_t) {
    cell.read = {};
    ++cell.async_writes;
    cell.async_line = number;
  });
  std::memset(cta.shared.data() + address, 0xFF, bytes);
  return true;
}

void endAsyncWrite(Cta &cta, uint32_t address, uint64_t bytes,
                   std::optional<Swizzle> swizzle) {
  cta.shadow.forRange(address, bytes, [&](SharedShadow::Cell &cell, uint32_t) {
    --cell.async_writes;
    cell.write = {};
    if (swizzle)
      cell.write.swizzle = static_cast<uint8_t>(*swizzle);
  });
}

} // namespace tirx::rt::sim
