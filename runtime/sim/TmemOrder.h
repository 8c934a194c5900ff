//===- TmemOrder.h - tcgen05.fence across threads ---------------*- C++ -*-===//
#pragma once

#include "units/TensorMemory.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <span>

namespace tirx::rt::sim {

struct Context;
struct Cta;

/// Who last read and wrote each column of each 32-lane window of tensor memory.
/// PTX orders tcgen05 operations of different threads only through
/// tcgen05.fence::before_thread_sync (after tcgen05.ld/st; a commit stands for
/// it after an mma), a synchronisation, and tcgen05.fence::after_thread_sync.
class TmemOrder {
public:
  struct Stamp {
    uint64_t time = 0; ///< 0: nobody
    uint32_t line = 0;
    uint16_t warp = 0;
    uint8_t lane = 0;
    bool mma = false;
  };
  struct Column {
    Stamp write, read;
    bool same(const Column &other) const {
      return std::memcmp(this, &other, sizeof other) == 0;
    }
  };
  static_assert(sizeof(Column) == 32, "same() compares no padding");
  /// By window of 32 lanes, by column.
  std::array<std::array<Column, tmemColumns>, 4> columns;
};

/// At the issue of an operation by the active lanes of `context` (an mma: by
/// `lane`): warns when an earlier operation of another thread on the same
/// columns is ordered by no fence, then notes the operation.
void orderTmem(Context &context, unsigned lane, Cta &cta,
               std::span<const TmemRegion> regions, bool writes, bool mma);

} // namespace tirx::rt::sim
