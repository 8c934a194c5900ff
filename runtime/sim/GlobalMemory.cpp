//===- GlobalMemory.cpp -----------------------------------------*- C++ -*-===//

#include "tirx/Runtime/Simulator.h"

#include <cstdlib>
#include <cstring>

namespace tirx::rt::sim {

GlobalMemory::GlobalMemory() = default;

GlobalMemory::~GlobalMemory() {
  for (auto &[address, pointer] : owned)
    std::free(pointer);
}

Expected<void *> GlobalMemory::allocate(size_t bytes, std::string name) {
  if (bytes == 0)
    return makeError("allocation of 0 bytes");
  // A red zone on both sides: two allocations never touch, so that an access
  // that runs over the end of one does not land in the next.
  constexpr size_t kRedZone = 256;
  if (bytes > (size_t(1) << 46))
    return makeError("allocation of {} bytes: more than the host has", bytes);
  size_t rounded = (bytes + 255) / 256 * 256 + 2 * kRedZone;
  void *raw = std::aligned_alloc(256, rounded);
  if (!raw)
    return makeError("allocation of {} bytes: the host has no such amount",
                     bytes);
  auto *pointer = static_cast<std::byte *>(raw) + kRedZone;
  std::memset(pointer, 0xA5, bytes);
  uint64_t address = reinterpret_cast<uintptr_t>(pointer);
  allocations[address] = {address, bytes, true, std::move(name)};
  owned[address] = raw;
  return pointer;
}

Expected<void> GlobalMemory::free(void *pointer) {
  uint64_t address = reinterpret_cast<uintptr_t>(pointer);
  auto found = owned.find(address);
  if (found == owned.end())
    return makeError("free of {:#x}, which is not the start of an allocation",
                     address);
  std::free(found->second);
  owned.erase(found);
  allocations.erase(address);
  return {};
}

Expected<void> GlobalMemory::registerHost(void *pointer, size_t bytes,
                                          bool writable, std::string name) {
  uint64_t address = reinterpret_cast<uintptr_t>(pointer);
  if (bytes == 0)
    return makeError("registration of 0 bytes at {:#x}", address);
  auto next = allocations.lower_bound(address);
  bool overlaps = next != allocations.end() && next->first - address < bytes;
  if (next != allocations.begin()) {
    const Allocation &before = std::prev(next)->second;
    overlaps |= address - before.address < before.bytes;
  }
  if (overlaps)
    return makeError("{} bytes at {:#x} overlap memory that is registered "
                     "already",
                     bytes, address);
  allocations[address] = {address, bytes, writable, std::move(name)};
  return {};
}

Expected<void> GlobalMemory::unregisterHost(void *pointer) {
  uint64_t address = reinterpret_cast<uintptr_t>(pointer);
  if (owned.contains(address) || !allocations.contains(address))
    return makeError("{:#x} is not the start of registered memory", address);
  allocations.erase(address);
  return {};
}

const GlobalMemory::Allocation *GlobalMemory::find(uint64_t address,
                                                   uint64_t bytes) const {
  auto next = allocations.upper_bound(address);
  if (next == allocations.begin())
    return nullptr;
  const Allocation &one = std::prev(next)->second;
  uint64_t offset = address - one.address;
  if (offset > one.bytes || bytes > one.bytes - offset)
    return nullptr;
  return &one;
}

const GlobalMemory::Allocation *GlobalMemory::nearest(uint64_t address) const {
  auto next = allocations.upper_bound(address);
  const Allocation *after = next == allocations.end() ? nullptr : &next->second;
  const Allocation *before =
      next == allocations.begin() ? nullptr : &std::prev(next)->second;
  if (!before || !after)
    return before ? before : after;
  uint64_t end = before->address + before->bytes;
  uint64_t gap = address > end ? address - end : 0;
  return gap <= after->address - address ? before : after;
}

} // namespace tirx::rt::sim
