//===- TensorMemory.h - tensor memory of a CTA and its allocator *- C++ -*-===//
#pragma once

#include "SharedSpan.h"

#include <array>
#include <optional>

namespace tirx::rt::sim {

inline constexpr unsigned tmemLanes = 128;
inline constexpr unsigned tmemColumns = 512;

/// A TMEM address: lane in bits 31:16, column in bits 15:0 (PTX ISA, "Tensor
/// Memory Addressing").
constexpr uint32_t tmemAddress(unsigned lane, unsigned column) {
  return lane << 16 | column;
}
constexpr unsigned tmemLane(uint32_t address) { return address >> 16; }
constexpr unsigned tmemColumn(uint32_t address) { return address & 0xFFFF; }

/// 128 lanes x 512 columns of 32-bit words, column-major so that one column is
/// a vector over lanes. 256 KiB: allocate on the heap.
struct TensorMemory {
  alignas(64) uint32_t word[tmemColumns][tmemLanes];

  /// Fills all words with `pattern`, a poison that a kernel cannot mistake for
  /// its own data.
  explicit TensorMemory(uint32_t pattern = 0x7FA5A5A5u);
};

/// A rectangle of TMEM, for race detection and bounds checks.
struct TmemRegion {
  uint16_t lane, lanes, column, columns;
};

/// tcgen05.alloc/dealloc/relinquish_alloc_permit of one CTA (PTX ISA,
/// "Tensor Memory Allocation"). For cta_group::2 the core calls the allocator
/// of both CTAs.
class TmemAllocator {
public:
  /// Grants `columns` (a power of two, 32..512) at the lowest free base (a
  /// multiple of 32); nullopt when the caller must wait for a dealloc. Errors:
  /// column count, more than an earlier allocation of the CTA, after
  /// relinquish, another cta_group than before. The result is the column, which
  /// is also the TMEM address.
  Expected<std::optional<uint32_t>>
  allocate(uint32_t columns, unsigned ctaGroup, const Actor &who);
  /// Errors: `address` is no allocation (says whether it was freed before, and
  /// where), `columns` is not its size, another cta_group.
  Expected<void> deallocate(uint32_t address, uint32_t columns,
                            unsigned ctaGroup, const Actor &who);
  /// Error: another cta_group than before.
  Expected<void> relinquish(unsigned ctaGroup, const Actor &who);

  /// Error when [column, column+columns) is not wholly allocated or leaves
  /// TMEM; names the first bad column and who freed it if somebody did.
  Expected<void> checkColumns(unsigned column, unsigned columns,
                              std::string_view what) const;
  /// Error when the kernel ends with columns allocated; lists them.
  Expected<void> checkExit() const;

  /// Columns not allocated now.
  unsigned freeColumns() const;
  /// "columns 0..127 by CTA 0 warp 1 ...; free: 384".
  std::string describe() const;

private:
  struct Allocation {
    uint32_t column, columns;
    Actor by;
    std::optional<Actor> freedBy;
  };
  Expected<void> checkGroup(unsigned ctaGroup, std::string_view operation,
                            const Actor &who);
  const Allocation *liveAt(unsigned column) const;

  std::vector<Allocation> history;
  unsigned group = 0;              ///< 0 = none used yet
  uint32_t smallest = tmemColumns; ///< least request so far
  std::optional<Actor> relinquished;
};

} // namespace tirx::rt::sim
