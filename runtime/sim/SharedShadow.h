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
  /// The last write, kept together so that noting it is one store.
  struct Write {
    uint64_t time = 0; ///< of the last generic write; 0: none
    uint32_t line = 0;
    uint16_t warp = 0;
    uint8_t lane = 0;
    /// Swizzle with which a bulk tensor copy wrote the cell, 0xFF: none did.
    uint8_t swizzle = 0xFF;
  };
  struct Cell {
    Write write;
    uint16_t async_writes = 0; ///< copies under way into the cell
    uint16_t async_reads = 0;  ///< operations that will still read it
    uint32_t async_line = 0;   ///< PTX line of the last of these
    uint8_t barriers = 0;      ///< live mbarriers in the cell
    Write read;                ///< the last generic read
  };

  void resize(uint32_t bytes) { cells.assign((bytes + kCell - 1) / kCell, {}); }
  /// Whether ordinary accesses to [begin, end) need no closer look: nothing
  /// asynchronous is under way there, and no mbarrier would be written.
  bool calm(uint32_t begin, uint32_t end, bool write) const {
    uint32_t found = 0;
    for (uint32_t i = begin / kCell; i <= (end - 1) / kCell; ++i)
      found |= cells[i].async_writes |
               (write ? cells[i].async_reads | cells[i].barriers : 0);
    return found == 0;
  }
  void note(uint32_t address, uint64_t bytes, const Write &write) {
    for (uint64_t i = address / kCell; i <= (address + bytes - 1) / kCell; ++i)
      cells[i].write = write;
  }
  void noteRead(uint32_t address, uint64_t bytes, const Write &read) {
    for (uint64_t i = address / kCell; i <= (address + bytes - 1) / kCell; ++i)
      cells[i].read = read;
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
