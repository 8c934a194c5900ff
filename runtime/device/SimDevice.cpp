//===- SimDevice.cpp - the simulator as a device ----------------*- C++ -*-===//
#include "device/Devices.h"
#include "device/TargetCode.h"
#include "device/TensorMapCache.h"
#include "tirx/Runtime/Simulator.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

using namespace tirx::rt;

namespace {

/// Host memory of tensor arguments, visible to kernels while this lives.
class RegisteredTensors {
public:
  explicit RegisteredTensors(sim::GlobalMemory &memory) : memory(memory) {}
  ~RegisteredTensors() {
    for (void *pointer : registered)
      (void)memory.unregisterHost(pointer);
  }
  RegisteredTensors(const RegisteredTensors &) = delete;
  RegisteredTensors &operator=(const RegisteredTensors &) = delete;

  /// Registers what is not inside an allocation of the device already.
  /// Arguments that overlap become one range.
  Expected<void> add(const Kernel &kernel, const ResolvedLaunch &launch) {
    std::vector<Range> ranges;
    for (size_t i = 0; i < kernel.arguments.size(); ++i) {
      const auto &[base, bytes] = launch.ranges[i];
      const auto begin = reinterpret_cast<uint64_t>(base);
      if (bytes == 0 || memory.find(begin, bytes))
        continue;
      ranges.push_back({begin, begin + bytes,
                        kernel.arguments[i].access != Argument::Access::read,
                        kernel.arguments[i].name});
    }
    std::sort(ranges.begin(), ranges.end(), [](const Range &a, const Range &b) {
      return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
    });
    for (const Range &range : merged(ranges)) {
      auto *pointer = reinterpret_cast<void *>(range.begin);
      const auto result = memory.registerHost(pointer, range.end - range.begin,
                                              range.writable, range.name);
      if (!result)
        return makeError("argument '{}': {} bytes at {:#x}: {} (kernel {})",
                         range.name, range.end - range.begin, range.begin,
                         result.error().message, kernel.name);
      registered.push_back(pointer);
    }
    return {};
  }

private:
  struct Range {
    uint64_t begin, end;
    bool writable;
    std::string name;
  };
  sim::GlobalMemory &memory;
  std::vector<void *> registered;

  static std::vector<Range> merged(const std::vector<Range> &sorted) {
    std::vector<Range> result;
    for (const Range &range : sorted) {
      if (result.empty() || range.begin >= result.back().end) {
        result.push_back(range);
        continue;
      }
      Range &last = result.back();
      last.end = std::max(last.end, range.end);
      last.writable |= range.writable;
      last.name += "+" + range.name;
    }
    return result;
  }
};

class SimDevice final : public Device {
public:
  SimDevice(std::string target, const SimOptions &options)
      : target(std::move(target)), options(options) {}

  std::string name() const override { return "sim:" + target; }

  Expected<void *> allocate(size_t bytes) override {
    return memory.allocate(bytes);
  }
  Expected<void> free(void *pointer) override { return memory.free(pointer); }

  Expected<void> copyToDevice(void *dst, const void *src,
                              size_t bytes) override {
    return copy(dst, src, dst, bytes);
  }
  Expected<void> copyToHost(void *dst, const void *src, size_t bytes) override {
    return copy(dst, src, src, bytes);
  }

  Expected<LaunchStats> launch(const Kernel &kernel,
                               const ArgMap &args) override {
    const auto code = findCode(kernel, {target}, name());
    if (!code)
      return tl::unexpected(code.error());
    const auto resolved = resolveLaunch(kernel, args, smCount());
    if (!resolved)
      return tl::unexpected(resolved.error());
    if (const auto fits = checkSharedMemory(kernel, **code); !fits)
      return tl::unexpected(fits.error());
    const auto program = load(kernel, **code);
    if (!program)
      return tl::unexpected(program.error());
    const auto block = parameterBlock(kernel, *resolved, **program);
    if (!block)
      return tl::unexpected(block.error());
    RegisteredTensors tensors(memory);
    if (const auto added = tensors.add(kernel, *resolved); !added)
      return tl::unexpected(added.error());

    sim::SimLaunch launch;
    launch.grid = resolved->grid;
    launch.block = resolved->block;
    launch.cluster = resolved->cluster;
    launch.dynamic_shared_bytes = resolved->dynamic_shared_bytes;
    launch.parameters = *block;
    return sim::run(**program, kernel.name, launch, memory, options);
  }

private:
  const std::string target;
  const SimOptions options;
  sim::GlobalMemory memory;
  TensorMapCache tensorMaps;
  /// By the PTX text itself.
  std::unordered_map<std::string, std::shared_ptr<const sim::Program>> programs;

  /// SMs of a B200 and of an H200, or what the options ask for.
  uint32_t smCount() const {
    if (options.sm_count != 0)
      return options.sm_count;
    return target == "sm_90a" ? 132 : 148;
  }

  /// `onDevice` is the one of the two addresses that the device must own.
  Expected<void> copy(void *dst, const void *src, const void *onDevice,
                      size_t bytes) {
    if (bytes == 0)
      return {};
    const auto address = reinterpret_cast<uint64_t>(onDevice);
    if (!memory.find(address, bytes))
      return makeError(
          "copy of {} bytes at {:#x}: not inside one allocation of "
          "device {}",
          bytes, address, name());
    std::memmove(dst, src, bytes);
    return {};
  }

  Expected<std::shared_ptr<const sim::Program>> load(const Kernel &kernel,
                                                     const TargetCode &code) {
    if (code.ptx.empty())
      return makeError(
          "kernel {}: has a cubin but no PTX for {}, and device {} "
          "executes PTX",
          kernel.name, code.target, name());
    if (const auto found = programs.find(code.ptx); found != programs.end())
      return found->second;
    auto program = sim::loadProgram(code.ptx, kernel.name);
    if (program)
      programs.emplace(code.ptx, *program);
    return program;
  }

  /// The parameters where the PTX declares them to be.
  Expected<std::vector<std::byte>>
  parameterBlock(const Kernel &kernel, const ResolvedLaunch &resolved,
                 const sim::Program &program) {
    const auto all = sim::entries(program);
    const auto entry =
        std::find_if(all.begin(), all.end(), [&](const sim::EntryInfo &info) {
          return info.name == kernel.name;
        });
    if (entry == all.end())
      return makeError("kernel {}: its PTX has no entry of this name",
                       kernel.name);
    const size_t count = kernel.parameters.size();
    if (entry->parameter_offsets.size() != count)
      return makeError(
          "kernel {}: the PTX entry has {} parameters, the manifest "
          "{}",
          kernel.name, entry->parameter_offsets.size(), count);
    std::vector<std::byte> block(entry->parameter_bytes);
    for (size_t i = 0; i < count; ++i) {
      const size_t begin = resolved.parameter_offsets[i];
      const size_t bytes = parameterBytes(kernel, kernel.parameters[i]);
      if (bytes != entry->parameter_sizes[i])
        return makeError(
            "kernel {}: parameter {} has {} bytes in the PTX, {} in "
            "the manifest",
            kernel.name, i, entry->parameter_sizes[i], bytes);
      std::memcpy(block.data() + entry->parameter_offsets[i],
                  resolved.parameters.data() + begin, bytes);
    }
    for (const ResolvedLaunch::TensorMap &map : resolved.tensor_maps) {
      const TensorMapRecipe &recipe =
          kernel.parameters[map.parameter].tensor_map;
      const auto encoded = tensorMaps.get(recipe, map, [&] {
        return sim::encodeTensorMap(recipe, map.base, map.global_dim,
                                    map.global_stride);
      });
      if (!encoded)
        return addContext(fmt::format("kernel {}: tensor map of argument '{}'",
                                      kernel.name,
                                      kernel.arguments[recipe.argument].name),
                          encoded.error());
      std::memcpy(block.data() + entry->parameter_offsets[map.parameter],
                  encoded->data(), encoded->size());
    }
    return block;
  }

  static size_t parameterBytes(const Kernel &kernel,
                               const Parameter &parameter) {
    switch (parameter.kind) {
    case Parameter::Kind::pointer:
      return 8;
    case Parameter::Kind::value:
      return parameter.bytes;
    case Parameter::Kind::scalar:
      return sizeOf(kernel.arguments[parameter.argument].dtype);
    case Parameter::Kind::tensor_map:
      return kTensorMapBytes;
    }
    return 0;
  }
};

} // namespace

std::unique_ptr<Device> tirx::rt::makeSimDevice(std::string target,
                                                const SimOptions &options) {
  return std::make_unique<SimDevice>(std::move(target), options);
}
