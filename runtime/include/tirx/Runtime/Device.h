//===- Device.h - load and launch kernels -----------------------*- C++ -*-===//
//
// One interface, several devices: `sim:sm_100a` executes the artifact's PTX on
// the CPU, `cuda:N` loads its cubin through the CUDA driver.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "tirx/Runtime/Artifact.h"
#include "tirx/Runtime/DType.h"
#include "tirx/Runtime/Error.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tirx::rt {

/// A tensor in the device's memory (for sim: host memory). Strides are in
/// elements; empty means row-major contiguous.
struct TensorArg {
  void *data = nullptr;
  DType dtype = DType::f16;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
};

/// A scalar argument. The value is converted to the kernel's declared dtype;
/// one that does not fit is an error.
using ScalarArg = std::variant<int64_t, double>;

using ArgValue = std::variant<TensorArg, ScalarArg>;

/// Arguments by name. Every argument of the kernel must be there, and no other.
using ArgMap = std::map<std::string, ArgValue>;

/// What the simulator may be told; ignored by other devices.
struct SimOptions {
  enum class Delivery : uint8_t { eager, lazy, random };
  enum class Schedule : uint8_t { round_robin, random };
  enum class Numerics : uint8_t { exact, fast };
  Delivery delivery = Delivery::eager;
  Schedule schedule = Schedule::round_robin;
  Numerics numerics = Numerics::exact;
  uint64_t seed = 0;
  /// Most warp-instructions before a run is stopped with an error; 0: no limit.
  uint64_t max_instructions = 0;
  /// Streaming multiprocessors that the device claims to have: what a kernel's
  /// host part sees as sm_count. 0: as many as the hardware, 148 for sm_100a
  /// (B200), 132 for sm_90a (H200).
  uint32_t sm_count = 0;
};

/// What a launch did, as far as the device knows.
struct LaunchStats {
  uint64_t warp_instructions = 0;
  uint64_t tensor_core_ops = 0;
  uint64_t tma_ops = 0;
  /// Host time of the launch, from its start to the kernel's end.
  double seconds = 0;
  /// Warnings of the simulator's detectors, one text each.
  std::vector<std::string> warnings;
};

/// Used by one thread at a time. Memory and loaded kernels live until the
/// device is destroyed.
class Device {
public:
  virtual ~Device();
  /// "sim:sm_100a", "cuda:0".
  virtual std::string name() const = 0;
  /// Device memory, at least 256-byte aligned.
  virtual Expected<void *> allocate(size_t bytes) = 0;
  virtual Expected<void> free(void *pointer) = 0;
  virtual Expected<void> copyToDevice(void *dst, const void *src,
                                      size_t bytes) = 0;
  virtual Expected<void> copyToHost(void *dst, const void *src,
                                    size_t bytes) = 0;
  /// Checks the arguments against the kernel's manifest, evaluates its launch
  /// rules, encodes its tensor maps and runs it to completion. On any error
  /// nothing has been launched, except for what the kernel itself did wrong
  /// (simulator reports: race, deadlock, illegal instruction).
  virtual Expected<LaunchStats> launch(const Kernel &kernel,
                                       const ArgMap &args) = 0;
};

/// Opens "sim:sm_100a", "sim:sm_90a" or "cuda:N". Errors: another name (the
/// message lists these), no CUDA driver on this machine, no device N.
Expected<std::unique_ptr<Device>> openDevice(const std::string &name,
                                             const SimOptions &options = {});

/// A launch after all its expressions are evaluated: pure, device-independent.
struct ResolvedLaunch {
  std::array<uint32_t, 3> grid, block, cluster;
  uint32_t dynamic_shared_bytes;
  struct TensorMap {
    unsigned parameter; ///< index into Kernel::parameters
    void *base;
    std::vector<uint64_t> global_dim;
    std::vector<uint64_t> global_stride;
  };
  /// The parameter block in PTX order: each parameter at its natural
  /// alignment (tensor maps: 128 bytes at a multiple of 64, filled in by the
  /// device).
  std::vector<std::byte> parameters;
  std::vector<size_t> parameter_offsets;
  std::vector<TensorMap> tensor_maps;
  /// For each of Kernel::arguments: its address and the bytes from its first to
  /// its last element; null and 0 for scalars and empty tensors.
  struct Range {
    void *base;
    uint64_t bytes;
  };
  std::vector<Range> ranges;
};

/// Checks the kernel itself (validateKernel), then names, dtypes, ranks,
/// extents, strides, alignment, launch checks, grid and tensor maps; every
/// error names the argument, what it was and what was expected. The stride of
/// an axis with extent 0 or 1 is never used to address anything: it is not
/// checked, and expressions see the row-major one. `smCount` is the device's
/// number of SMs.
Expected<ResolvedLaunch> resolveLaunch(const Kernel &kernel, const ArgMap &args,
                                       uint32_t smCount);

} // namespace tirx::rt
