//===- Analysis.cpp - bank conflicts and coalescing -------------*- C++ -*-===//
#include "tirx/Layout/Analysis.h"

#include "Detail.h"

#include <algorithm>
#include <set>

namespace tirx::layout {

using detail::makeError;

static Expected<void> checkAccess(std::span<const int64_t> addresses,
                                  int64_t accessBytes) {
  if (addresses.empty() || addresses.size() > 32)
    return makeError("{} lanes; a warp has 32", addresses.size());
  if (!detail::isPowerOfTwo(accessBytes) || accessBytes > 16)
    return makeError("an access of {} bytes a lane; legal: 1, 2, 4, 8, 16",
                     accessBytes);
  for (size_t i = 0; i < addresses.size(); ++i)
    if (addresses[i] != -1 &&
        (addresses[i] < 0 || addresses[i] % accessBytes != 0))
      return makeError(
          "lane {} accesses {} bytes at address {}, which is not a "
          "multiple of {}",
          i, accessBytes, addresses[i], accessBytes);
  return {};
}

namespace {
constexpr int kBanks = 32;

/// One pass: the lanes that are served together.
struct Pass {
  std::array<std::set<int64_t>, kBanks> words;
  void add(int64_t address, int64_t bytes) {
    for (int64_t w = address / 4; w <= (address + bytes - 1) / 4; ++w)
      words[size_t(w % kBanks)].insert(w);
  }
};
} // namespace

Expected<SharedAccess> analyzeShared(std::span<const int64_t> addresses,
                                     int64_t accessBytes) {
  TIRX_LAYOUT_CHECK(checkAccess(addresses, accessBytes));
  const size_t lanesPerPass = size_t(128 / std::max<int64_t>(accessBytes, 4));
  SharedAccess out{0, 0, 0, {}};
  size_t worst = 0;
  for (size_t first = 0; first < addresses.size(); first += lanesPerPass) {
    const size_t last = std::min(first + lanesPerPass, addresses.size());
    Pass pass;
    bool active = false;
    for (size_t i = first; i < last; ++i)
      if (addresses[i] != -1) {
        pass.add(addresses[i], accessBytes);
        active = true;
      }
    if (!active)
      continue;
    size_t most = 0;
    int bank = 0;
    for (int b = 0; b < kBanks; ++b)
      if (pass.words[size_t(b)].size() > most) {
        most = pass.words[size_t(b)].size();
        bank = b;
      }
    out.wavefronts += int64_t(most);
    out.ideal += 1;
    if (most <= worst)
      continue;
    worst = most;
    out.bank = bank;
    out.lanes.clear();
    for (size_t i = first; i < last; ++i) {
      if (addresses[i] == -1)
        continue;
      const int64_t low = addresses[i] / 4;
      const int64_t high = (addresses[i] + accessBytes - 1) / 4;
      for (int64_t w = low; w <= high; ++w)
        if (w % kBanks == bank)
          out.lanes.push_back(int(i));
    }
  }
  return out;
}

Expected<SharedAccess> analyzeShared(const Layout &layout, int64_t elementBits,
                                     std::span<const int64_t> elements,
                                     int64_t accessBytes) {
  if (elementBits < 1 || accessBytes < 1 || accessBytes * 8 % elementBits != 0)
    return makeError("{} bytes are no whole number of {}-bit elements",
                     accessBytes, elementBits);
  const int64_t run = accessBytes * 8 / elementBits;
  std::vector<int64_t> addresses;
  for (size_t i = 0; i < elements.size(); ++i) {
    const int64_t x = elements[i];
    if (x == -1) {
      addresses.push_back(-1);
      continue;
    }
    if (x < 0 || x > size(layout) - run)
      return makeError("lane {} starts at element {} of {}", i, x,
                       size(layout));
    const int64_t base = apply(layout, x).get(Axis::m);
    for (int64_t k = 1; k < run; ++k)
      if (apply(layout, x + k).get(Axis::m) != base + k)
        return makeError("lane {}: element {} is not next to its neighbour in "
                         "memory; an access of {} bytes is impossible",
                         i, x + k, accessBytes);
    if (base * elementBits % 8 != 0)
      return makeError("lane {} starts inside a byte", i);
    addresses.push_back(base * elementBits / 8);
  }
  return analyzeShared(addresses, accessBytes);
}

Expected<GlobalAccess> analyzeGlobal(std::span<const int64_t> addresses,
                                     int64_t accessBytes) {
  TIRX_LAYOUT_CHECK(checkAccess(addresses, accessBytes));
  std::set<int64_t> bytes, sectors, lines;
  for (int64_t a : addresses) {
    if (a == -1)
      continue;
    for (int64_t b = a; b < a + accessBytes; ++b)
      bytes.insert(b);
    sectors.insert(a / 32); // accesses are aligned, so none straddles a sector
    lines.insert(a / 128);
  }
  GlobalAccess out{};
  out.sectors = int64_t(sectors.size());
  out.idealSectors = (int64_t(bytes.size()) + 31) / 32;
  out.lines = int64_t(lines.size());
  out.efficiency = sectors.empty()
                       ? 1.0
                       : double(bytes.size()) / double(32 * sectors.size());
  return out;
}

} // namespace tirx::layout
