//===- SharedShadow.h - what last happened to shared memory -----*- C++ -*-===//
#pragma once

#include "units/Swizzle.h"

#include <cstdint>
#include <vector>

namespace tirx::rt::sim {

/// One record for each 16 bytes of a CTA's shared memory, for the detectors of
/// missing synchronisation between the generic and the async proxy.
class SharedShadow {
public:
  static constexpr unsigned kCell = 16;
  struct Cell {
    uint64_t write_time = 0; ///< last generic write; 0: none
    uint32_t write_line = 0;
    uint16_t write_warp = 0;
    uint8_t write_lane = 0;
    /// Swizzle with which a bulk tensor copy wrote the cell, 0xFF: none did.
    uint8_t swizzle = 0xFF;
    uint16_t async_writes = 0; ///< copies under way into the cell
    uint16_t async_reads = 0;  ///< operations that will still read it
    uint32_t async_line = 0;   ///< PTX line of the last of these
    uint8_t barriers = 0;      ///< live mbarriers in the cell
  };

  void resize(uint32_t bytes) { cells.assign((bytes + kCell - 1) / kCell, {}); }
  Cell *at(uint32_t address) {
    return address / kCell < cells.size() ? &cells[address / kCell] : nullptr;
  }
  /// An ordinary access: true, and noted if a write, unless something about
  /// the cells calls for a closer look.
  bool touch(uint32_t address, uint64_t bytes, bool write, uint64_t time,
             uint32_t line, uint32_t warp, unsigned lane) {
    uint64_t last = (address + bytes - 1) / kCell;
    for (uint64_t i = address / kCell; i <= last; ++i) {
      Cell &cell = cells[i];
      if (cell.async_writes | (write ? cell.async_reads | cell.barriers : 0))
        return false;
      if (!write)
        continue;
      cell.write_time = time;
      cell.write_line = line;
      cell.write_warp = static_cast<uint16_t>(warp);
      cell.write_lane = static_cast<uint8_t>(lane);
      cell.swizzle = 0xFF;
    }
    return true;
  }
  template <class F> void forRange(uint32_t address, uint64_t bytes, F f) {
    uint64_t last = (uint64_t(address) + bytes + kCell - 1) / kCell;
    for (uint64_t i = address / kCell; i < last && i < cells.size(); ++i)
      f(cells[i], static_cast<uint32_t>(i * kCell));
  }

private:
  std::vector<Cell> cells;
};

} // namespace tirx::rt::sim
