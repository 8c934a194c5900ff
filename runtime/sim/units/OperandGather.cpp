//===- OperandGather.cpp - whole operand tiles ------------------*- C++ -*-===//
#include "OperandGather.h"

#include <algorithm>
#include <cstring>

namespace tirx::rt::sim {
namespace {

struct PlanKey {
  OperandTile tile;
  Swizzle swizzle;
  uint32_t lbo, sbo;
  bool operator==(const PlanKey &) const = default;
};

std::shared_ptr<const OperandPlan> buildPlan(const PlanKey &key) {
  // The linear address is additive in the start, so offsets are computed with
  // start 0 and no swizzle; the swizzle joins at the absolute address.
  MatrixDescriptor linear{0, key.lbo, key.sbo, 0, key.swizzle};
  auto plan = std::make_shared<OperandPlan>();
  plan->tile = key.tile;
  const OperandTile &tile = key.tile;
  unsigned perChunk = 16 / tile.elementBytes;
  bool kMajor = tile.major == Major::K;
  unsigned outer = kMajor ? tile.rows : tile.k;
  unsigned inner = kMajor ? tile.k : tile.rows;
  unsigned chunksPerLine = (inner + perChunk - 1) / perChunk;
  plan->chunks.reserve(size_t(outer) * chunksPerLine);
  for (unsigned i = 0; i < outer; ++i)
    for (unsigned j = 0; j < chunksPerLine; ++j) {
      unsigned row = kMajor ? i : j * perChunk;
      unsigned k = kMajor ? j * perChunk : i;
      uint32_t swizzled = operandAddress(linear, tile, row, k);
      // applySwizzle is its own inverse.
      uint32_t offset = applySwizzle(key.swizzle, swizzled);
      plan->chunks.push_back(offset);
      plan->extent = std::max(plan->extent, offset + 16);
    }
  return plan;
}

/// Transposes 16-byte chunks [k][row chunk] into dense [row][k].
template <typename T>
void scatterChunk(const std::byte *chunk, std::byte *dense, unsigned firstRow,
                  unsigned k, const OperandTile &tile) {
  constexpr unsigned count = 16 / sizeof(T);
  T values[count];
  std::memcpy(values, chunk, 16);
  unsigned rows = std::min(count, tile.rows - firstRow);
  for (unsigned i = 0; i < rows; ++i)
    std::memcpy(dense + (size_t(firstRow + i) * tile.k + k) * sizeof(T),
                &values[i], sizeof(T));
}

template <typename T>
void gatherMnMajor(ConstSharedSpan shared, const MatrixDescriptor &desc,
                   const OperandPlan &plan, std::byte *dense) {
  constexpr unsigned perChunk = 16 / sizeof(T);
  unsigned lineChunks = (plan.tile.rows + perChunk - 1) / perChunk;
  const uint32_t *chunk = plan.chunks.data();
  for (unsigned k = 0; k < plan.tile.k; ++k)
    for (unsigned j = 0; j < lineChunks; ++j) {
      uint32_t address = applySwizzle(desc.swizzle, desc.start + *chunk++);
      scatterChunk<T>(shared.data() + address, dense, j * perChunk, k,
                      plan.tile);
    }
}

Expected<void> checkExtent(uint64_t windowBytes, const MatrixDescriptor &desc,
                           const OperandPlan &plan, std::string_view what) {
  if (uint64_t(desc.start) + plan.extent > (1u << 18))
    return makeError(
        "{}: the tile at {:#x} reaches {:#x}; descriptor addresses "
        "have 18 bits",
        what, desc.start, desc.start + plan.extent);
  // The swizzle permutes within its period.
  uint32_t period = swizzlePeriod(desc.swizzle);
  uint64_t end =
      (uint64_t(desc.start) + plan.extent + period - 1) / period * period;
  if (end <= windowBytes)
    return {};
  for (uint32_t offset : plan.chunks)
    if (auto ok = checkSharedRange(
            windowBytes, applySwizzle(desc.swizzle, desc.start + offset), 16,
            what);
        !ok)
      return ok;
  return {};
}

} // namespace

std::shared_ptr<const OperandPlan> operandPlan(const MatrixDescriptor &desc,
                                               const OperandTile &tile) {
  // A kernel uses a handful of layouts; a short list beats a hash map.
  thread_local std::vector<
      std::pair<PlanKey, std::shared_ptr<const OperandPlan>>>
      cache;
  PlanKey key{tile, desc.swizzle, desc.leadingBytes, desc.strideBytes};
  for (size_t i = 0; i < cache.size(); ++i)
    if (cache[i].first == key) {
      if (i)
        std::swap(cache[i], cache[i - 1]);
      return cache[i ? i - 1 : 0].second;
    }
  if (cache.size() >= 64)
    cache.pop_back();
  auto plan = buildPlan(key);
  cache.emplace_back(key, plan);
  return plan;
}

Expected<void> gatherOperand(ConstSharedSpan shared,
                             const MatrixDescriptor &desc,
                             const OperandPlan &plan, std::string_view what,
                             std::byte *dense) {
  if (auto ok = checkExtent(shared.size(), desc, plan, what); !ok)
    return ok;
  if (plan.tile.major == Major::K) {
    for (size_t i = 0; i < plan.chunks.size(); ++i) {
      uint32_t address =
          applySwizzle(desc.swizzle, desc.start + plan.chunks[i]);
      std::memcpy(dense + i * 16, shared.data() + address, 16);
    }
    return {};
  }
  switch (plan.tile.elementBytes) {
  case 1:
    gatherMnMajor<uint8_t>(shared, desc, plan, dense);
    break;
  case 2:
    gatherMnMajor<uint16_t>(shared, desc, plan, dense);
    break;
  default:
    gatherMnMajor<uint32_t>(shared, desc, plan, dense);
    break;
  }
  return {};
}

Expected<std::vector<uint32_t>> operandChunks(const MatrixDescriptor &desc,
                                              const OperandTile &tile,
                                              uint64_t windowBytes,
                                              std::string_view what) {
  auto plan = operandPlan(desc, tile);
  if (auto ok = checkExtent(windowBytes, desc, *plan, what); !ok)
    return tl::unexpected(ok.error());
  std::vector<uint32_t> addresses;
  addresses.reserve(plan->chunks.size());
  for (uint32_t offset : plan->chunks)
    addresses.push_back(applySwizzle(desc.swizzle, desc.start + offset));
  return addresses;
}

} // namespace tirx::rt::sim
