//===- TmemAccess.cpp - tcgen05.ld and tcgen05.st ---------------*- C++ -*-===//
#include "TmemAccess.h"

#include <bit>
#include <cstring>

namespace tirx::rt::sim {
namespace {

constexpr std::string_view source = "(PTX ISA, tcgen05.ld/st)";

/// What differs between shapes: registers and columns per unit of .xN.
struct ShapeFacts {
  std::string_view name;
  unsigned registers; ///< per .x1
  unsigned columns;   ///< touched per .x1
  unsigned maxNum;
  unsigned lanes; ///< touched in the warp's window
};
constexpr ShapeFacts shapes[] = {{".32x32b", 1, 1, 128, 32},
                                 {".16x64b", 1, 2, 128, 16},
                                 {".16x128b", 2, 4, 64, 16},
                                 {".16x256b", 4, 8, 32, 16},
                                 {".16x32bx2", 1, 1, 128, 16}};

const ShapeFacts &factsOf(TmemShape shape) { return shapes[unsigned(shape)]; }

struct Cell {
  unsigned lane, column; ///< relative to window lane and base column
};

/// Where register `i` of lane `t` lies, without packing.
template <TmemShape shape> constexpr Cell cellOf(unsigned t, unsigned i) {
  if constexpr (shape == TmemShape::s32x32b)
    return {t, i};
  else if constexpr (shape == TmemShape::s16x64b)
    return {t / 4 + 8 * (t % 2), 2 * i + t / 2 % 2};
  else if constexpr (shape == TmemShape::s16x128b)
    return {t / 4 + 8 * (i % 2), 4 * (i / 2) + t % 4};
  else if constexpr (shape == TmemShape::s16x256b)
    return {t / 4 + 8 * (i / 2 % 2), 8 * (i / 4) + 2 * (t % 4) + i % 2};
  else
    return {t % 16, i};
}

/// Where a warp's access starts, checked.
struct Window {
  unsigned lane, column, registers;
};

Expected<Window> windowOf(const TmemAccess &access, uint32_t address,
                          unsigned warp, Warnings *warnings) {
  const ShapeFacts &facts = factsOf(access.shape);
  if (!std::has_single_bit(access.num) || access.num > facts.maxNum)
    return makeError("tcgen05 {}: .x{} does not exist; legal: powers of two "
                     "1..{} {}",
                     facts.name, access.num, facts.maxNum, source);
  if (access.halfSplitOffset >= tmemColumns)
    return makeError(
        "tcgen05 {}: immHalfSplitoff {} is not below the {} columns "
        "of tensor memory",
        facts.name, access.halfSplitOffset, tmemColumns);
  unsigned lane = tmemLane(address), inWindow = lane % 32;
  if (lane >= tmemLanes)
    return makeError("tcgen05 {}: address {:#010x} has lane {}; tensor memory "
                     "has {} lanes",
                     facts.name, address, lane, tmemLanes);
  bool aligned = inWindow == 0 || (facts.lanes == 16 && inWindow == 16);
  if (!aligned)
    return makeError("tcgen05 {}: address {:#010x} has lane {}, which is not a "
                     "multiple of {} {}",
                     facts.name, address, lane, facts.lanes, source);
  unsigned window = warp % 4;
  if (warnings && lane / 32 != 0 && lane / 32 != window)
    warnings->push_back(fmt::format(
        "tcgen05 {}: address {:#010x} names lanes of warp {} but warp {} of "
        "the "
        "warpgroup executes; a warp reaches lanes {}..{} only, whatever the "
        "address says",
        facts.name, address, lane / 32, window, 32 * window, 32 * window + 31));
  return Window{32 * window + inWindow, tmemColumn(address),
                facts.registers * access.num};
}

std::vector<TmemRegion> regionsAt(const TmemAccess &access,
                                  const Window &window) {
  const ShapeFacts &facts = factsOf(access.shape);
  unsigned columns = facts.columns * access.num * (access.pack16 ? 2 : 1);
  TmemRegion first{uint16_t(window.lane), uint16_t(facts.lanes),
                   uint16_t(window.column), uint16_t(columns)};
  if (access.shape != TmemShape::s16x32bx2)
    return {first};
  TmemRegion second = first;
  second.column = uint16_t(window.column + access.halfSplitOffset);
  return {first, second};
}

/// Everything that can fail, for ld and st alike.
Expected<Window> checkedWindow(const TmemAllocator *allocator,
                               const TmemAccess &access, uint32_t address,
                               unsigned warp, std::string_view what,
                               Warnings *warnings) {
  auto window = windowOf(access, address, warp, warnings);
  if (!window)
    return tl::unexpected(window.error());
  for (const TmemRegion &region : regionsAt(access, *window)) {
    static const TmemAllocator none;
    bool outside = region.column + region.columns > tmemColumns;
    if (outside || allocator)
      if (auto ok = (allocator ? allocator : &none)
                        ->checkColumns(region.column, region.columns, what);
          !ok)
        return tl::unexpected(ok.error());
  }
  return window;
}

template <TmemShape shape, typename Body>
void forEachRegisterOf(const TmemAccess &access, const Window &window,
                       Body &&body) {
  const unsigned pitch = access.pack16 ? 2 : 1;
  for (unsigned i = 0; i < window.registers; ++i)
    for (unsigned t = 0; t < 32; ++t) {
      Cell cell = cellOf<shape>(t, i);
      unsigned column = window.column + pitch * cell.column;
      if (shape == TmemShape::s16x32bx2 && t >= 16)
        column += access.halfSplitOffset;
      body(i, t, window.lane + cell.lane, column);
    }
}

/// Calls body(register, lane of the warp, TMEM lane, TMEM column of the first
/// word) for every register of every lane.
template <typename Body>
void forEachRegister(const TmemAccess &access, const Window &window,
                     Body &&body) {
  switch (access.shape) {
  case TmemShape::s32x32b:
    return forEachRegisterOf<TmemShape::s32x32b>(access, window, body);
  case TmemShape::s16x64b:
    return forEachRegisterOf<TmemShape::s16x64b>(access, window, body);
  case TmemShape::s16x128b:
    return forEachRegisterOf<TmemShape::s16x128b>(access, window, body);
  case TmemShape::s16x256b:
    return forEachRegisterOf<TmemShape::s16x256b>(access, window, body);
  case TmemShape::s16x32bx2:
    return forEachRegisterOf<TmemShape::s16x32bx2>(access, window, body);
  }
}

} // namespace

std::string_view nameOf(TmemShape shape) { return factsOf(shape).name; }

Expected<unsigned> tmemRegisters(const TmemAccess &access) {
  auto window = windowOf(access, 0, 0, nullptr);
  if (!window)
    return tl::unexpected(window.error());
  return window->registers;
}

Expected<std::vector<TmemRegion>> tmemRegions(const TmemAccess &access,
                                              uint32_t address, unsigned warp,
                                              Warnings *warnings) {
  auto window =
      checkedWindow(nullptr, access, address, warp, "tcgen05.ld/st", warnings);
  if (!window)
    return tl::unexpected(window.error());
  return regionsAt(access, *window);
}

Expected<void> tmemLoad(const TensorMemory &memory,
                        const TmemAllocator *allocator,
                        const TmemAccess &access, uint32_t address,
                        unsigned warp, uint32_t (*registers)[32],
                        Warnings *warnings) {
  auto window =
      checkedWindow(allocator, access, address, warp, "tcgen05.ld", warnings);
  if (!window)
    return tl::unexpected(window.error());
  if (access.shape == TmemShape::s32x32b && !access.pack16) {
    for (unsigned i = 0; i < window->registers; ++i)
      std::memcpy(registers[i], &memory.word[window->column + i][window->lane],
                  sizeof(registers[i]));
    return {};
  }
  forEachRegister(access, *window,
                  [&](unsigned i, unsigned t, unsigned lane, unsigned column) {
                    uint32_t value = memory.word[column][lane];
                    if (access.pack16)
                      value = (value & 0xFFFF) | memory.word[column + 1][lane]
                                                     << 16;
                    registers[i][t] = value;
                  });
  return {};
}

Expected<void> tmemStore(TensorMemory &memory, const TmemAllocator *allocator,
                         const TmemAccess &access, uint32_t address,
                         unsigned warp, const uint32_t (*registers)[32],
                         Warnings *warnings) {
  auto window =
      checkedWindow(allocator, access, address, warp, "tcgen05.st", warnings);
  if (!window)
    return tl::unexpected(window.error());
  if (access.shape == TmemShape::s32x32b && !access.pack16) {
    for (unsigned i = 0; i < window->registers; ++i)
      std::memcpy(&memory.word[window->column + i][window->lane], registers[i],
                  sizeof(registers[i]));
    return {};
  }
  forEachRegister(access, *window,
                  [&](unsigned i, unsigned t, unsigned lane, unsigned column) {
                    uint32_t value = registers[i][t];
                    if (!access.pack16) {
                      memory.word[column][lane] = value;
                      return;
                    }
                    memory.word[column][lane] = value & 0xFFFF;
                    memory.word[column + 1][lane] = value >> 16;
                  });
  return {};
}

} // namespace tirx::rt::sim
