//===- TensorMemory.cpp - tensor memory and its allocator -------*- C++ -*-===//
#include "TensorMemory.h"

#include <algorithm>
#include <bit>

namespace tirx::rt::sim {
namespace {
constexpr unsigned granule = 32;
constexpr std::string_view source = "(PTX ISA, tcgen05.alloc)";
} // namespace

TensorMemory::TensorMemory(uint32_t pattern) {
  std::fill_n(&word[0][0], size_t(tmemColumns) * tmemLanes, pattern);
}

Expected<void> TmemAllocator::checkGroup(unsigned ctaGroup,
                                         std::string_view operation,
                                         const Actor &who) {
  if (ctaGroup != 1 && ctaGroup != 2)
    return makeError("{} by {}: cta_group::{} does not exist; PTX has 1 and 2",
                     operation, sim::describe(who), ctaGroup);
  if (group && group != ctaGroup)
    return makeError("{} by {}: cta_group::{}, but the kernel used "
                     "cta_group::{} before; all tcgen05 instructions of a "
                     "kernel need the same one (PTX ISA, tcgen05)",
                     operation, sim::describe(who), ctaGroup, group);
  group = ctaGroup;
  return {};
}

const TmemAllocator::Allocation *TmemAllocator::liveAt(unsigned column) const {
  for (const Allocation &entry : history)
    if (!entry.freedBy && column >= entry.column &&
        column < entry.column + entry.columns)
      return &entry;
  return nullptr;
}

Expected<std::optional<uint32_t>>
TmemAllocator::allocate(uint32_t columns, unsigned ctaGroup, const Actor &who) {
  constexpr std::string_view op = "tcgen05.alloc";
  if (columns < granule || columns > tmemColumns ||
      !std::has_single_bit(columns))
    return makeError("{} by {}: {} columns; legal: 32, 64, 128, 256, 512 {}",
                     op, sim::describe(who), columns, source);
  if (auto ok = checkGroup(ctaGroup, op, who); !ok)
    return tl::unexpected(ok.error());
  if (relinquished)
    return makeError("{} by {}: the CTA gave up its allocation permit before, "
                     "{} {}",
                     op, sim::describe(who), sim::describe(*relinquished),
                     source);
  if (columns > smallest)
    return makeError("{} by {}: {} columns after an allocation of {}; later "
                     "allocations of a CTA must not be larger {}",
                     op, sim::describe(who), columns, smallest, source);
  for (unsigned base = 0; base + columns <= tmemColumns; base += granule) {
    bool free = true;
    for (unsigned c = base; c < base + columns && free; c += granule)
      free = !liveAt(c);
    if (!free)
      continue;
    history.push_back({base, columns, who, std::nullopt});
    smallest = columns;
    return std::optional<uint32_t>(base);
  }
  return std::optional<uint32_t>();
}

Expected<void> TmemAllocator::deallocate(uint32_t address, uint32_t columns,
                                         unsigned ctaGroup, const Actor &who) {
  constexpr std::string_view op = "tcgen05.dealloc";
  if (auto ok = checkGroup(ctaGroup, op, who); !ok)
    return ok;
  const Allocation *freed = nullptr;
  for (Allocation &entry : history) {
    if (entry.column != address)
      continue;
    if (entry.freedBy) {
      freed = &entry;
      continue;
    }
    if (entry.columns != columns)
      return makeError(
          "{} by {}: {} columns at {:#x}, but the allocation there "
          "has {}",
          op, sim::describe(who), columns, address, entry.columns);
    entry.freedBy = who;
    return {};
  }
  if (freed)
    return makeError("{} by {}: {:#x} was deallocated before, {}", op,
                     sim::describe(who), address,
                     sim::describe(*freed->freedBy));
  return makeError("{} by {}: {:#x} is no address that tcgen05.alloc gave; {}",
                   op, sim::describe(who), address, describe());
}

Expected<void> TmemAllocator::relinquish(unsigned ctaGroup, const Actor &who) {
  if (auto ok = checkGroup(ctaGroup, "tcgen05.relinquish_alloc_permit", who);
      !ok)
    return ok;
  if (!relinquished)
    relinquished = who;
  return {};
}

Expected<void> TmemAllocator::checkColumns(unsigned column, unsigned columns,
                                           std::string_view what) const {
  if (column > tmemColumns || columns > tmemColumns - column)
    return makeError("{}: TMEM columns [{}, {}) leave the {} columns of tensor "
                     "memory (PTX ISA, Tensor Memory)",
                     what, column, column + columns, tmemColumns);
  for (unsigned c = column; c < column + columns;) {
    if (const Allocation *live = liveAt(c)) {
      c = live->column + live->columns;
      continue;
    }
    std::string past;
    for (const Allocation &entry : history)
      if (entry.freedBy && c >= entry.column &&
          c < entry.column + entry.columns)
        past = fmt::format("; it was deallocated by {}",
                           sim::describe(*entry.freedBy));
    return makeError("{}: TMEM column {} of [{}, {}) is not allocated{}", what,
                     c, column, column + columns, past);
  }
  return {};
}

Expected<void> TmemAllocator::checkExit() const {
  if (freeColumns() == tmemColumns)
    return {};
  return makeError("the CTA ended with tensor memory allocated: {}; every "
                   "allocation must be deallocated before the kernel ends {}",
                   describe(), source);
}

unsigned TmemAllocator::freeColumns() const {
  unsigned used = 0;
  for (const Allocation &entry : history)
    used += entry.freedBy ? 0 : entry.columns;
  return tmemColumns - used;
}

std::string TmemAllocator::describe() const {
  std::string text;
  for (const Allocation &entry : history)
    if (!entry.freedBy)
      text += fmt::format("columns {}..{} by {}; ", entry.column,
                          entry.column + entry.columns - 1,
                          sim::describe(entry.by));
  return text + fmt::format("{} columns free", freeColumns());
}

} // namespace tirx::rt::sim
