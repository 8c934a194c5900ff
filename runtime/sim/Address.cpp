//===- Address.cpp - state spaces and windows -------------------*- C++ -*-===//

#include "MemoryAccess.h"

namespace tirx::rt::sim {

uint64_t laneAddress(const Context &c, unsigned lane) {
  const Instr &i = c.instr;
  uint64_t offset = static_cast<uint64_t>(i.imm);
  switch (static_cast<AddressKind>(i.sub[0])) {
  case AddressKind::constant:
    return offset;
  case AddressKind::shared:
    return offset + (uint64_t(c.warp.cta->rank) << kRankShift);
  case AddressKind::reg32:
    // 32-bit addresses wrap as 32-bit addresses.
    return static_cast<uint32_t>(c.read32(i.src[0], lane) + offset);
  case AddressKind::reg64:
    return c.read64(i.src[0], lane) + offset;
  default:
    return c.machine.variable_addresses[i.target] + offset;
  }
}

uint64_t operandAddress(const Context &c, uint32_t operand, uint8_t is64,
                        int64_t offset, unsigned lane) {
  if (is64) {
    uint64_t rank = is64 == 2 ? uint64_t(c.warp.cta->rank) << kRankShift : 0;
    return c.read64(operand, lane) + static_cast<uint64_t>(offset) + rank;
  }
  return static_cast<uint32_t>(c.read32(operand, lane) +
                               static_cast<uint64_t>(offset));
}

bool resolveShared(Context &c, uint64_t address, bool cluster,
                   std::string_view what, SharedRef &out, unsigned lane) {
  if ((address & kWindowMask) == kSharedWindow) {
    address &= ~kWindowMask;
    cluster = true;
  }
  if (address >> 32) {
    c.fault(fmt::format("{}: {:#x} is no shared memory address", what, address),
            static_cast<int>(lane));
    return false;
  }
  uint32_t where = static_cast<uint32_t>(address);
  uint32_t rank = where >> kRankShift;
  Cta &own = c.cta();
  if (cluster) {
    std::string why;
    out.cta = c.machine.ctaOf(own, where, why);
    if (!out.cta) {
      c.fault(fmt::format("{}: {}", what, why), static_cast<int>(lane));
      return false;
    }
  } else {
    // A shared::cta address of this CTA, with or without its rank.
    if (rank != 0 && rank != own.rank) {
      c.fault(fmt::format("{}: shared::cta address {:#x} lies in CTA rank {}, "
                          "the executing CTA has rank {}",
                          what, where, rank, own.rank),
              static_cast<int>(lane));
      return false;
    }
    out.cta = &own;
  }
  out.offset = where & kOffsetMask;
  return true;
}

static const char *nameOf(MemSpace space) {
  switch (space) {
  case MemSpace::shared_cta:
  case MemSpace::shared_cluster:
    return "shared";
  case MemSpace::global:
    return "global";
  case MemSpace::local:
    return "local";
  case MemSpace::param:
    return "parameter";
  case MemSpace::constant:
    return "constant";
  default:
    return "generic";
  }
}

/// Checks of an access to shared memory by an ordinary instruction.
static bool checkShared(Context &c, const SharedRef &ref, uint64_t bytes,
                        bool write, unsigned lane) {
  Machine &m = c.machine;
  Cta &cta = *ref.cta;
  if (ref.offset < kSharedBase || ref.offset + bytes > cta.shared.size()) {
    c.fault(
        fmt::format("shared memory {} out of bounds: {} bytes at {:#x}; the "
                    "window of this launch is [{:#x}, {:#x})",
                    write ? "write" : "read", bytes, ref.offset, kSharedBase,
                    cta.shared.size()),
        static_cast<int>(lane));
    return false;
  }
  bool good = true;
  uint32_t line = m.entry.lineOf(c.frag().pc);
  cta.shadow.forRange(
      ref.offset, bytes, [&](SharedShadow::Cell &cell, uint32_t at) {
        if (!good)
          return;
        if (cell.async_writes || (write && cell.async_reads)) {
          good = false;
          c.fault(fmt::format(
                      "{} of shared memory at {:#x} while an asynchronous "
                      "operation (PTX line {}: {}) still {} it; its completion "
                      "must be observed first",
                      write ? "write" : "read", at, cell.async_line,
                      m.program.module.lineText(cell.async_line),
                      cell.async_writes ? "writes" : "reads"),
                  static_cast<int>(lane));
          return;
        }
        const SharedShadow::Write mark = {m.time, line,
                                          static_cast<uint16_t>(c.warp.index),
                                          static_cast<uint8_t>(lane)};
        if (!write) {
          if (&cta == &c.cta())
            cell.read = mark;
          return;
        }
        if (cell.barriers) {
          if (const Mbarrier *hit = cta.barriers.overlapping(
                  ref.offset, static_cast<uint32_t>(bytes))) {
            good = false;
            c.fault(fmt::format("ordinary write onto a live mbarrier: {}",
                                hit->describe()),
                    static_cast<int>(lane));
            return;
          }
        }
        // Whether a thread of another CTA has fenced is not followed up.
        cell.write = {};
        if (&cta == &c.cta())
          cell.write = mark;
      });
  if (good)
    noteRace(c, lane, cta, ref.offset, bytes, write);
  return good;
}

std::byte *resolveAccess(Context &c, MemSpace space, uint64_t address,
                         uint64_t bytes, uint64_t align, bool write,
                         unsigned lane) {
  Machine &m = c.machine;
  int at = static_cast<int>(lane);
  uint64_t offset = address;
  if (space == MemSpace::generic) {
    switch (address & kWindowMask) {
    case kSharedWindow:
      space = MemSpace::shared_cluster;
      break;
    case kLocalWindow:
      space = MemSpace::local;
      break;
    case kParamWindow:
      space = MemSpace::param;
      break;
    default:
      space = MemSpace::global;
      break;
    }
    if (space != MemSpace::global)
      offset = address & ~kWindowMask;
  }
  if (offset % align != 0) {
    c.fault(fmt::format(
                "misaligned {} of {} bytes at {} address {:#x}; it must "
                "be a multiple of {}",
                write ? "write" : "read", bytes, nameOf(space), offset, align),
            at);
    return nullptr;
  }
  switch (space) {
  case MemSpace::global:
  case MemSpace::constant: {
    if (std::byte *found = m.findGlobal(offset, bytes, write))
      return found;
    c.fault(fmt::format("{} memory {} out of bounds: {}", nameOf(space),
                        write ? "write" : "read",
                        m.describeGlobal(offset, bytes, write)),
            at);
    return nullptr;
  }
  case MemSpace::shared_cta:
  case MemSpace::shared_cluster: {
    SharedRef ref;
    if (!resolveShared(c, offset, space == MemSpace::shared_cluster,
                       write ? "write" : "read", ref, lane) ||
        !checkShared(c, ref, bytes, write, lane))
      return nullptr;
    return ref.cta->shared.data() + ref.offset;
  }
  case MemSpace::local:
    if (offset > m.entry.local_bytes || bytes > m.entry.local_bytes - offset) {
      c.fault(fmt::format("local memory {} out of bounds: {} bytes at {:#x}; a "
                          "thread has {}",
                          write ? "write" : "read", bytes, offset,
                          m.entry.local_bytes),
              at);
      return nullptr;
    }
    return reinterpret_cast<std::byte *>(c.warp.local.data()) +
           size_t(lane) * m.entry.local_bytes + offset;
  case MemSpace::param: {
    size_t size = m.launch.parameters.size();
    if (write || offset > size || bytes > size - offset) {
      c.fault(fmt::format("parameter {} out of bounds: {} bytes at {:#x}; the "
                          "kernel has {} bytes of parameters, read-only",
                          write ? "write" : "read", bytes, offset, size),
              at);
      return nullptr;
    }
    return const_cast<std::byte *>(m.launch.parameters.data()) + offset;
  }
  default:
    return nullptr;
  }
}

/// Lowest and highest address of the active lanes, and all their bits.
static void gatherAddresses(const Context &c, uint64_t (&address)[kLanes],
                            uint64_t &low, uint64_t &high, uint64_t &all_bits,
                            uint64_t &window_bits) {
  const Instr &i = c.instr;
  uint64_t offset = static_cast<uint64_t>(i.imm);
  uint64_t uniform = 0;
  switch (static_cast<AddressKind>(i.sub[0])) {
  case AddressKind::reg64: {
    const auto *from =
        reinterpret_cast<const uint64_t *>(c.warp.lanes.at(i.src[0]));
    for (unsigned lane = 0; lane < kLanes; ++lane)
      address[lane] = from[lane] + offset;
    break;
  }
  case AddressKind::reg32: {
    const auto *from =
        reinterpret_cast<const uint32_t *>(c.warp.lanes.at(i.src[0]));
    for (unsigned lane = 0; lane < kLanes; ++lane)
      address[lane] = static_cast<uint32_t>(from[lane] + offset);
    break;
  }
  default:
    uniform = laneAddress(c, 0);
    for (unsigned lane = 0; lane < kLanes; ++lane)
      address[lane] = uniform;
    break;
  }
  low = ~uint64_t(0);
  high = all_bits = 0;
  window_bits = ~uint64_t(0);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    bool on = c.mask >> lane & 1;
    uint64_t a = address[lane];
    low = on && a < low ? a : low;
    high = on && a > high ? a : high;
    all_bits |= on ? a : 0;
    window_bits &= on ? a : ~uint64_t(0);
  }
}

bool resolveLanes(Context &c, MemSpace space, uint64_t bytes, bool write,
                  std::byte *(&base)[kLanes]) {
  uint64_t address[kLanes], low, high, all, common;
  gatherAddresses(c, address, low, high, all, common);
  bool aligned = (all & (bytes - 1)) == 0;
  // Generic addresses of one window go where the window is.
  MemSpace where = space;
  uint64_t strip = 0;
  if (space == MemSpace::generic &&
      (all & kWindowMask) == (common & kWindowMask)) {
    strip = all & kWindowMask;
    where = strip == 0               ? MemSpace::global
            : strip == kLocalWindow  ? MemSpace::local
            : strip == kSharedWindow ? MemSpace::shared_cluster
            : strip == kParamWindow  ? MemSpace::param
                                     : space;
  }
  if (aligned && (where == MemSpace::global || where == MemSpace::constant)) {
    // One allocation holds them all, and what lies between.
    if (c.machine.findGlobal(low, high - low + bytes, write)) {
      for (unsigned lane = 0; lane < kLanes; ++lane)
        base[lane] = reinterpret_cast<std::byte *>(address[lane]);
      return true;
    }
  } else if (aligned && where == MemSpace::local) {
    uint64_t size = c.machine.entry.local_bytes;
    uint64_t top = high - strip;
    if (top <= size && bytes <= size - top) {
      auto *local = reinterpret_cast<std::byte *>(c.warp.local.data());
      for (unsigned lane = 0; lane < kLanes; ++lane)
        base[lane] = local + lane * size + (address[lane] - strip);
      return true;
    }
  } else if (aligned && where == MemSpace::param && !write) {
    uint64_t size = c.machine.launch.parameters.size();
    uint64_t top = high - strip;
    if (top <= size && bytes <= size - top) {
      auto *from = const_cast<std::byte *>(c.machine.launch.parameters.data());
      for (unsigned lane = 0; lane < kLanes; ++lane)
        base[lane] = from + (address[lane] - strip);
      return true;
    }
  } else if (aligned && where == MemSpace::shared_cta && high < ~uint32_t(0)) {
    Cta &cta = c.cta();
    uint64_t rank = high >> kRankShift;
    uint64_t top = high & kOffsetMask, bottom = low & kOffsetMask;
    if (low >> kRankShift == rank && (rank == 0 || rank == cta.rank) &&
        bottom >= kSharedBase && top + bytes <= cta.shared.size()) {
      SharedShadow &shadow = cta.shadow;
      auto at = [&](unsigned lane) {
        return static_cast<uint32_t>(address[lane]) & kOffsetMask;
      };
      // What lies between the lanes counts too when they are close together.
      bool calm = true;
      if (top - bottom <= kLanes * 64)
        calm = shadow.calm(static_cast<uint32_t>(bottom),
                           static_cast<uint32_t>(top + bytes), write);
      else
        for (uint32_t left = c.mask; left && calm; left &= left - 1) {
          uint32_t a = at(static_cast<unsigned>(__builtin_ctz(left)));
          calm = shadow.calm(a, static_cast<uint32_t>(a + bytes), write);
        }
      if (calm) {
        SharedShadow::Write mark{c.machine.time,
                                 c.machine.entry.lineOf(c.frag().pc),
                                 static_cast<uint16_t>(c.warp.index)};
        for (unsigned lane = 0; lane < kLanes; ++lane)
          base[lane] = cta.shared.data() + at(lane);
        for (uint32_t left = c.mask; left; left &= left - 1) {
          unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
          mark.lane = static_cast<uint8_t>(lane);
          if (write)
            shadow.note(at(lane), bytes, mark);
          else
            shadow.noteRead(at(lane), bytes, mark);
          noteRace(c, lane, cta, at(lane), bytes, write);
        }
        return true;
      }
    }
  }
  for (uint32_t left = c.mask; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    base[lane] =
        resolveAccess(c, space, address[lane], bytes, bytes, write, lane);
    if (!base[lane])
      return false;
  }
  return true;
}

MemSpace spaceOf(const ast::Instruction &in) {
  for (const std::string &modifier : in.modifiers) {
    if (modifier == "global")
      return MemSpace::global;
    if (modifier == "shared" || modifier == "shared::cta")
      return MemSpace::shared_cta;
    if (modifier == "shared::cluster")
      return MemSpace::shared_cluster;
    if (modifier == "local")
      return MemSpace::local;
    if (modifier == "param" || modifier == "param::entry")
      return MemSpace::param;
    if (modifier == "const")
      return MemSpace::constant;
  }
  return MemSpace::generic;
}

} // namespace tirx::rt::sim
