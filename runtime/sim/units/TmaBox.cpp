//===- TmaBox.cpp - tiled tensor copies -------------------------*- C++ -*-===//
#include "TmaBox.h"

#include "FloatFormats.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

namespace tirx::rt::sim {
namespace {

constexpr std::string_view source = "(PTX ISA, cp.async.bulk.tensor)";

/// Elements that the box has along each dimension after element strides;
/// dimension 0 has none unless interleaved (CUDA driver API).
struct BoxExtents {
  std::array<uint32_t, 5> count = {1, 1, 1, 1, 1};
  std::array<uint32_t, 5> step = {1, 1, 1, 1, 1};
  uint32_t elementBytes = 0;
  uint64_t rowBytes() const { return uint64_t(count[0]) * elementBytes; }
  uint64_t rows() const {
    return uint64_t(count[1]) * count[2] * count[3] * count[4];
  }
};

Expected<BoxExtents> boxExtents(const TensorMapFields &map) {
  if (map.interleave != TensorMapInterleave::none)
    return makeError("TMA: interleaved tensor maps are not simulated");
  if (sizeOf(map.type) == 0)
    return makeError("TMA: data type {} is not simulated; load u8 and view it "
                     "as packed elements",
                     nameOf(map.type));
  if (map.type == TensorMapDType::f32Ftz || map.type == TensorMapDType::tf32Ftz)
    return makeError("TMA: data type {} is not simulated; its flushing is not "
                     "documented",
                     nameOf(map.type));
  BoxExtents box;
  box.elementBytes = sizeOf(map.type);
  for (unsigned d = 0; d < map.rank; ++d) {
    box.step[d] = d ? map.elementStrides[d] : 1;
    box.count[d] = (map.boxDim[d] + box.step[d] - 1) / box.step[d];
  }
  return box;
}

/// Checks common to loads and stores.
Expected<void> checkTile(const TensorMapFields &map, const BoxExtents &box,
                         size_t coordinates, uint32_t sharedAddress,
                         uint64_t windowBytes, Warnings *warnings) {
  if (coordinates != map.rank)
    return makeError("TMA: {} coordinates for a tensor map of rank {} {}",
                     coordinates, map.rank, source);
  if (sharedAddress % 128)
    return makeError("TMA: shared address {:#x} is not 128-byte aligned {}",
                     sharedAddress, source);
  uint64_t rowBytes = box.rowBytes();
  if (map.swizzle != Swizzle::none && rowBytes < swizzleWidth(map.swizzle) &&
      box.rows() > 1)
    return makeError("TMA: box rows of {} bytes are shorter than the {} bytes "
                     "of swizzle {}; the row pitch of such boxes in shared "
                     "memory is not documented and not simulated",
                     rowBytes, swizzleWidth(map.swizzle), nameOf(map.swizzle));
  if (auto ok = checkSharedRange(windowBytes, sharedAddress,
                                 rowBytes * box.rows(), "TMA tile");
      !ok)
    return ok;
  uint32_t period = swizzlePeriod(map.swizzle);
  if (warnings && map.swizzle != Swizzle::none && sharedAddress % period)
    warnings->push_back(fmt::format(
        "TMA: shared address {:#x} is not a multiple of {}, the period of "
        "swizzle {}; the pattern follows the absolute address, so the tile "
        "starts in its middle",
        sharedAddress, period, nameOf(map.swizzle)));
  return {};
}

TmaPlan emptyPlan(const TensorMapFields &map, const BoxExtents &box,
                  uint32_t sharedAddress) {
  TmaPlan plan;
  plan.swizzle = map.swizzle;
  plan.type = map.type;
  plan.fillKind = map.fill;
  plan.sharedBegin = sharedAddress;
  plan.txBytes = box.rowBytes() * box.rows();
  plan.sharedBytes = uint32_t(plan.txBytes);
  return plan;
}

/// Appends the segments of every row. Without `fill`, elements outside the
/// tensor have none.
void appendRows(TmaPlan &plan, const TensorMapFields &map,
                const BoxExtents &box, std::span<const int32_t> coords,
                bool fill) {
  const uint32_t e = box.elementBytes;
  const uint64_t rowBytes = box.rowBytes();
  // The part of a row inside [0, dim0), the same for all rows.
  int64_t first = coords[0], last = first + box.count[0];
  int64_t insideBegin = std::clamp<int64_t>(0, first, last);
  int64_t insideEnd =
      std::clamp<int64_t>(int64_t(map.globalDim[0]), insideBegin, last);
  uint32_t left = uint32_t(insideBegin - first) * e;
  uint32_t inside = uint32_t(insideEnd - insideBegin) * e;
  uint32_t right = uint32_t(last - insideEnd) * e;

  plan.segments.reserve(box.rows());
  std::array<uint32_t, 5> index = {};
  uint32_t shared = plan.sharedBegin;
  for (uint64_t row = 0; row < box.rows(); ++row, shared += rowBytes) {
    bool inBounds = inside != 0;
    uint64_t global = map.globalAddress + uint64_t(insideBegin) * e;
    for (unsigned d = 1; d < map.rank; ++d) {
      int64_t c = int64_t(coords[d]) + int64_t(index[d]) * box.step[d];
      inBounds &= uint64_t(c) < map.globalDim[d]; // negative is huge
      global += uint64_t(c) * map.globalStrides[d - 1];
    }
    if (!inBounds) {
      if (fill)
        plan.segments.push_back({0, shared, uint32_t(rowBytes), true});
    } else {
      if (fill && left)
        plan.segments.push_back({0, shared, left, true});
      plan.segments.push_back({global, shared + left, inside, false});
      if (fill && right)
        plan.segments.push_back({0, shared + left + inside, right, true});
    }
    for (unsigned d = 1; d < map.rank && ++index[d] == box.count[d]; ++d)
      index[d] = 0;
  }
}

/// The fill pattern, repeated over 16 bytes. PTX does not give the NaN's bits;
/// the canonical NaN of the type stands for it.
std::array<std::byte, 16> fillPattern(const TmaPlan &plan) {
  std::array<std::byte, 16> pattern{};
  if (plan.fillKind == TensorMapFill::zero)
    return pattern;
  uint64_t nan = 0x7FFF7FFF7FFF7FFFull;
  if (sizeOf(plan.type) == 4)
    nan = 0x7FFFFFFF7FFFFFFFull;
  else if (sizeOf(plan.type) == 8)
    nan = 0x7FFFFFFFFFFFFFFFull;
  std::memcpy(pattern.data(), &nan, 8);
  std::memcpy(pattern.data() + 8, &nan, 8);
  return pattern;
}

/// Calls body(physical address, offset in the segment, bytes) for every run of
/// a segment that the swizzle keeps together; bytes is a number or a constant.
template <typename Body>
void forEachChunk(Swizzle swizzle, uint32_t linear, uint32_t bytes,
                  Body &&body) {
  if (swizzle == Swizzle::none) {
    body(linear, 0, bytes);
    return;
  }
  uint32_t chunk = swizzleChunk(swizzle);
  if (chunk == 16 && linear % 16 == 0 && bytes % 16 == 0) {
    // Whole atoms: a constant length lets the copy be one vector move.
    for (uint32_t offset = 0; offset < bytes; offset += 16)
      body(applySwizzle(swizzle, linear + offset), offset,
           std::integral_constant<uint32_t, 16>());
    return;
  }
  for (uint32_t offset = 0; offset < bytes;) {
    uint32_t address = linear + offset;
    uint32_t run = std::min(bytes - offset, chunk - address % chunk);
    body(applySwizzle(swizzle, address), offset, run);
    offset += run;
  }
}

Expected<void> checkExecution(const TmaPlan &plan, size_t first, size_t count,
                              uint64_t windowBytes) {
  if (first > plan.segments.size() || count > plan.segments.size() - first)
    return makeError("TMA: segments [{}, {}) of a plan with {}", first,
                     first + count, plan.segments.size());
  // A swizzle moves bytes within its period; the tile need not fill it.
  uint64_t period = swizzlePeriod(plan.swizzle);
  uint64_t begin = plan.sharedBegin / period * period;
  uint64_t end = (uint64_t(plan.sharedBegin) + plan.sharedBytes + period - 1) /
                 period * period;
  if (plan.swizzle == Swizzle::none) {
    begin = plan.sharedBegin;
    end = begin + plan.sharedBytes;
  }
  return checkSharedRange(windowBytes, begin, end - begin, "TMA tile");
}

/// TMA rounds f32 to tf32 on the way in when the map says TFLOAT32; to nearest
/// even here (the mode is not documented).
void roundToTf32(std::byte *bytes, uint32_t count) {
  for (uint32_t i = 0; i + 4 <= count; i += 4) {
    float value;
    std::memcpy(&value, bytes + i, 4);
    uint32_t rounded = floatToTf32(value, Rounding::rn);
    std::memcpy(bytes + i, &rounded, 4);
  }
}

} // namespace

Expected<uint64_t> tmaBoxBytes(const TensorMapFields &map) {
  auto box = boxExtents(map);
  if (!box)
    return tl::unexpected(box.error());
  return box->rowBytes() * box->rows();
}

Expected<TmaPlan> planTmaLoad(const TensorMapFields &map,
                              std::span<const int32_t> coords,
                              uint32_t sharedAddress, uint64_t windowBytes,
                              Warnings *warnings) {
  auto box = boxExtents(map);
  if (!box)
    return tl::unexpected(box.error());
  if (auto ok = checkTile(map, *box, coords.size(), sharedAddress, windowBytes,
                          warnings);
      !ok)
    return tl::unexpected(ok.error());
  TmaPlan plan = emptyPlan(map, *box, sharedAddress);
  appendRows(plan, map, *box, coords, /*fill=*/true);
  return plan;
}

Expected<TmaPlan> planTmaStore(const TensorMapFields &map,
                               std::span<const int32_t> coords,
                               uint32_t sharedAddress, uint64_t windowBytes,
                               Warnings *warnings) {
  auto box = boxExtents(map);
  if (!box)
    return tl::unexpected(box.error());
  if (auto ok = checkTile(map, *box, coords.size(), sharedAddress, windowBytes,
                          warnings);
      !ok)
    return tl::unexpected(ok.error());
  for (unsigned d = 0; d < coords.size(); ++d)
    if (coords[d] < 0)
      return makeError("TMA store: coordinate {} of dimension {} is negative; "
                       "stores start inside the tensor {}",
                       coords[d], d, source);
  TmaPlan plan = emptyPlan(map, *box, sharedAddress);
  appendRows(plan, map, *box, coords, /*fill=*/false);
  return plan;
}

Expected<void> executeTmaLoad(const TmaPlan &plan, size_t first, size_t count,
                              SharedSpan shared, GlobalSpace &global) {
  if (auto ok = checkExecution(plan, first, count, shared.size()); !ok)
    return ok;
  const std::array<std::byte, 16> pattern = fillPattern(plan);
  std::vector<std::byte> rounded;
  for (size_t i = first; i < first + count; ++i) {
    const TmaSegment &segment = plan.segments[i];
    if (segment.fill) {
      // Both ends are element boundaries, so the pattern's phase is free.
      forEachChunk(plan.swizzle, segment.shared, segment.bytes,
                   [&](uint32_t to, uint32_t, uint32_t run) {
                     for (uint32_t done = 0; done < run; done += 16)
                       std::memcpy(shared.data() + to + done, pattern.data(),
                                   std::min(16u, run - done));
                   });
      continue;
    }
    auto from = global.access(segment.global, segment.bytes, false);
    if (!from)
      return addContext("TMA load", from.error());
    const std::byte *bytes = *from;
    if (plan.type == TensorMapDType::tf32) {
      rounded.assign(bytes, bytes + segment.bytes);
      roundToTf32(rounded.data(), segment.bytes);
      bytes = rounded.data();
    }
    forEachChunk(plan.swizzle, segment.shared, segment.bytes,
                 [&](uint32_t to, uint32_t offset, auto run) {
                   std::memcpy(shared.data() + to, bytes + offset, run);
                 });
  }
  return {};
}

Expected<void> executeTmaStore(const TmaPlan &plan, size_t first, size_t count,
                               ConstSharedSpan shared, GlobalSpace &global) {
  if (auto ok = checkExecution(plan, first, count, shared.size()); !ok)
    return ok;
  for (size_t i = first; i < first + count; ++i) {
    const TmaSegment &segment = plan.segments[i];
    auto to = global.access(segment.global, segment.bytes, true);
    if (!to)
      return addContext("TMA store", to.error());
    forEachChunk(plan.swizzle, segment.shared, segment.bytes,
                 [&](uint32_t from, uint32_t offset, auto run) {
                   std::memcpy(*to + offset, shared.data() + from, run);
                 });
  }
  return {};
}

} // namespace tirx::rt::sim
