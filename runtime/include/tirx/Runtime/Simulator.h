//===- Simulator.h - execute PTX on the CPU ---------------------*- C++ -*-===//
//
// A functional simulator of sm_100a for PTX text. docs/simulator.md says what
// is exact, approximate and unsupported.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "tirx/Runtime/Artifact.h"
#include "tirx/Runtime/Device.h"
#include "tirx/Runtime/Error.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tirx::rt::sim {

/// A parsed and decoded PTX module. Immutable; may be shared between threads.
class Program;

/// Parses and decodes a PTX module. `name` is what messages call it. Errors
/// give the PTX line and its text: malformed PTX, an instruction or modifier
/// that the simulator does not know or does not support.
Expected<std::shared_ptr<const Program>> loadProgram(std::string_view ptx,
                                                     std::string_view name);

/// Facts about one entry of a program.
struct EntryInfo {
  std::string name;
  /// Size and offsets in bytes of the parameter block, in PTX order.
  uint32_t parameter_bytes = 0;
  std::vector<uint32_t> parameter_offsets;
  std::vector<uint32_t> parameter_sizes;
  /// Bytes of shared memory that the module declares statically.
  uint32_t static_shared_bytes = 0;
  /// Slots of 32 lanes that a warp's registers take after allocation:
  /// 32-bit, 64-bit, 128-bit and predicates.
  uint32_t slots32 = 0, slots64 = 0, slots128 = 0, predicates = 0;
  uint32_t instructions = 0;
};

/// The entries of `program`, in PTX order.
std::vector<EntryInfo> entries(const Program &program);

/// The global memory of the simulated device. Device addresses are host
/// addresses, and a kernel may touch registered allocations only.
/// Not thread-safe.
class GlobalMemory {
public:
  struct Allocation {
    uint64_t address = 0;
    uint64_t bytes = 0;
    bool writable = true;
    std::string name; ///< for reports; may be empty
  };

  GlobalMemory();
  ~GlobalMemory();
  GlobalMemory(const GlobalMemory &) = delete;
  GlobalMemory &operator=(const GlobalMemory &) = delete;

  /// Owned memory, 256-byte aligned, filled with the byte 0xA5.
  /// Error: `bytes` is 0 or the host has no such amount.
  Expected<void *> allocate(size_t bytes, std::string name = {});
  /// Error: `pointer` is not the start of an allocation that allocate made.
  Expected<void> free(void *pointer);

  /// Makes caller-owned host memory visible to kernels.
  /// Error: empty, or overlaps another allocation.
  Expected<void> registerHost(void *pointer, size_t bytes, bool writable,
                              std::string name = {});
  Expected<void> unregisterHost(void *pointer);

  /// The allocation that holds all of [address, address + bytes), or null.
  const Allocation *find(uint64_t address, uint64_t bytes) const;
  /// For reports: the allocation closest to `address`, or null if none is.
  const Allocation *nearest(uint64_t address) const;

private:
  std::map<uint64_t, Allocation> allocations;
  std::map<uint64_t, void *> owned;
};

/// What to run. `parameters` is the parameter block: PTX order, each parameter
/// at its natural alignment (EntryInfo::parameter_offsets).
struct SimLaunch {
  std::array<uint32_t, 3> grid = {1, 1, 1};
  std::array<uint32_t, 3> block = {1, 1, 1};
  std::array<uint32_t, 3> cluster = {1, 1, 1};
  uint32_t dynamic_shared_bytes = 0;
  std::span<const std::byte> parameters;
};

/// Runs one kernel to completion. A pure function of its arguments and the
/// contents of `memory`. Errors: unknown entry, a launch beyond the limits of
/// sm_100a or of the entry's .reqntid/.maxntid/.reqnctapercluster, and reports
/// on what the kernel did wrong; a report names the kernel, the source line
/// (from .loc), the PTX line and its text, CTA, warp and lanes.
/// LaunchStats::seconds is host time.
Expected<LaunchStats> run(const Program &program, std::string_view entry,
                          const SimLaunch &launch, GlobalMemory &memory,
                          const SimOptions &options = {});

/// The 128-byte tensor map that simulated kernels understand (our own record,
/// not NVIDIA's). `global_dim` in elements, fastest axis first;
/// `global_stride` in bytes of axes 1..rank-1. Errors: a value beyond
/// cuTensorMapEncodeTiled's limits, named.
Expected<std::array<std::byte, 128>>
encodeTensorMap(const TensorMapRecipe &recipe, const void *base,
                std::span<const uint64_t> global_dim,
                std::span<const uint64_t> global_stride);

/// The fidelity table of every instruction, as markdown (docs/simulator.md).
std::string fidelityTable();

} // namespace tirx::rt::sim
