//===- CudaDevice.cpp - a GPU through the CUDA driver -----------*- C++ -*-===//
#include "device/Cubin.h"
#include "device/CudaDriver.h"
#include "device/Devices.h"
#include "device/TargetCode.h"
#include "device/TensorMapCache.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <unordered_map>

using namespace tirx::rt;
using cuda::Driver;

namespace {

int tensorMapDataType(DType dtype) {
  switch (dtype) {
  case DType::boolean:
  case DType::u8:
  case DType::i8:
  case DType::f8e4m3: // TMA moves bytes; the driver has no f8 type
  case DType::f8e5m2:
    return cuda::kTensorMapUint8;
  case DType::u16:
  case DType::i16:
    return cuda::kTensorMapUint16;
  case DType::u32:
    return cuda::kTensorMapUint32;
  case DType::i32:
    return cuda::kTensorMapInt32;
  case DType::u64:
    return cuda::kTensorMapUint64;
  case DType::i64:
    return cuda::kTensorMapInt64;
  case DType::f16:
    return cuda::kTensorMapFloat16;
  case DType::bf16:
    return cuda::kTensorMapBfloat16;
  case DType::f32:
    return cuda::kTensorMapFloat32;
  case DType::f64:
    return cuda::kTensorMapFloat64;
  }
  return -1;
}

/// Makes a context current on this thread; the caller's is back afterwards.
class CurrentContext {
public:
  CurrentContext(const Driver &driver, cuda::Context context)
      : driver(driver), entered(driver.check(driver.ctxPushCurrent(context),
                                             "cuCtxPushCurrent")) {}
  ~CurrentContext() {
    cuda::Context popped = nullptr;
    if (entered)
      (void)driver.ctxPopCurrent(&popped);
  }
  CurrentContext(const CurrentContext &) = delete;
  CurrentContext &operator=(const CurrentContext &) = delete;

  const Expected<void> &result() const { return entered; }

private:
  const Driver &driver;
  const Expected<void> entered;
};

class CudaDevice final : public Device {
public:
  CudaDevice(const Driver &driver, unsigned ordinal, cuda::DeviceHandle handle,
             cuda::Context context, uint32_t smCount, std::string description,
             std::vector<std::string> targets)
      : driver(driver), ordinal(ordinal), handle(handle), context(context),
        smCount(smCount), description(std::move(description)),
        targets(std::move(targets)) {}

  ~CudaDevice() override {
    {
      const CurrentContext current(driver, context);
      if (current.result())
        for (const auto &[image, loaded] : modules)
          (void)driver.moduleUnload(loaded.module);
    }
    (void)driver.primaryCtxRelease(handle);
  }

  std::string name() const override { return fmt::format("cuda:{}", ordinal); }

  Expected<void *> allocate(size_t bytes) override {
    cuda::DevicePointer pointer = 0;
    return call(fmt::format("cuMemAlloc of {} bytes", bytes),
                [&] { return driver.memAlloc(&pointer, bytes); })
        .map([&] { return reinterpret_cast<void *>(pointer); });
  }

  Expected<void> free(void *pointer) override {
    return call("cuMemFree", [&] { return driver.memFree(address(pointer)); });
  }

  Expected<void> copyToDevice(void *dst, const void *src,
                              size_t bytes) override {
    return call(fmt::format("cuMemcpyHtoD of {} bytes", bytes),
                [&] { return driver.memcpyHtoD(address(dst), src, bytes); });
  }

  Expected<void> copyToHost(void *dst, const void *src, size_t bytes) override {
    return call(fmt::format("cuMemcpyDtoH of {} bytes", bytes),
                [&] { return driver.memcpyDtoH(dst, address(src), bytes); });
  }

  Expected<LaunchStats> launch(const Kernel &kernel,
                               const ArgMap &args) override {
    const auto code = findCode(kernel, targets, description);
    if (!code)
      return tl::unexpected(code.error());
    auto resolved = resolveLaunch(kernel, args, smCount);
    if (!resolved)
      return tl::unexpected(resolved.error());
    if (const auto fits = checkSharedMemory(kernel, **code); !fits)
      return tl::unexpected(fits.error());
    const CurrentContext current(driver, context);
    if (!current.result())
      return tl::unexpected(current.result().error());
    auto stats = launchIn(kernel, **code, *resolved);
    if (!stats)
      return addContext(fmt::format("kernel {} on {}", kernel.name, name()),
                        stats.error());
    return stats;
  }

private:
  struct LoadedFunction {
    cuda::Function function = nullptr;
    uint32_t dynamicSharedBytes = 0; ///< allowed so far
    bool nonPortableCluster = false; ///< allowed so far
  };
  struct LoadedModule {
    cuda::Module module = nullptr;
    std::unordered_map<std::string, LoadedFunction> functions;
  };

  const Driver driver;
  const unsigned ordinal;
  const cuda::DeviceHandle handle;
  const cuda::Context context;
  const uint32_t smCount;
  const std::string description; ///< "cuda:0 (NVIDIA H200, sm_90)"
  const std::vector<std::string> targets;
  std::unordered_map<std::string, LoadedModule> modules; ///< by image
  TensorMapCache tensorMaps;

  static cuda::DevicePointer address(const void *pointer) {
    return reinterpret_cast<cuda::DevicePointer>(pointer);
  }

  template <typename Function>
  Expected<void> call(const std::string &what, Function function) const {
    const CurrentContext current(driver, context);
    if (!current.result())
      return current.result();
    return driver.check(function(), fmt::format("{}: {}", name(), what));
  }

  /// The cubin, or the PTX for the driver's own compiler.
  Expected<LoadedModule *> load(const TargetCode &code) {
    std::string image =
        code.cubin.empty()
            ? code.ptx
            : std::string(reinterpret_cast<const char *>(code.cubin.data()),
                          code.cubin.size());
    if (const auto found = modules.find(image); found != modules.end())
      return &found->second;
    if (!code.cubin.empty())
      if (const auto whole = checkCubin(code.cubin); !whole)
        return addContext(fmt::format("cubin for {}", code.target),
                          whole.error());
    LoadedModule loaded;
    const auto result = driver.check(
        driver.moduleLoadData(&loaded.module, image.c_str()),
        fmt::format("cuModuleLoadData of the {} for {}",
                    code.cubin.empty() ? "PTX" : "cubin", code.target));
    if (!result)
      return tl::unexpected(result.error());
    return &modules.emplace(std::move(image), std::move(loaded)).first->second;
  }

  Expected<LoadedFunction *> function(const Kernel &kernel,
                                      const TargetCode &code) {
    const auto module = load(code);
    if (!module)
      return tl::unexpected(module.error());
    auto &functions = (*module)->functions;
    if (const auto found = functions.find(kernel.name);
        found != functions.end())
      return &found->second;
    LoadedFunction loaded;
    const auto result = driver.check(
        driver.moduleGetFunction(&loaded.function, (*module)->module,
                                 kernel.name.c_str()),
        "cuModuleGetFunction");
    if (!result)
      return tl::unexpected(result.error());
    return &functions.emplace(kernel.name, loaded).first->second;
  }

  /// Opts in to more than 48 KiB of dynamic shared memory and to clusters of
  /// more than 8 CTAs, where needed.
  Expected<void> allow(LoadedFunction &loaded, const ResolvedLaunch &launch) {
    if (launch.dynamic_shared_bytes > loaded.dynamicSharedBytes) {
      const auto result = driver.check(
          driver.funcSetAttribute(
              loaded.function, cuda::kFunctionMaxDynamicSharedBytes,
              static_cast<int>(launch.dynamic_shared_bytes)),
          fmt::format("cuFuncSetAttribute of {} bytes of dynamic shared memory",
                      launch.dynamic_shared_bytes));
      if (!result)
        return result;
      loaded.dynamicSharedBytes = launch.dynamic_shared_bytes;
    }
    if (clusterSize(launch) > kPortableClusterCtas &&
        !loaded.nonPortableCluster) {
      const auto result = driver.check(
          driver.funcSetAttribute(
              loaded.function, cuda::kFunctionNonPortableClusterSizeAllowed, 1),
          fmt::format("cuFuncSetAttribute for a cluster of {} CTAs",
                      clusterSize(launch)));
      if (!result)
        return result;
      loaded.nonPortableCluster = true;
    }
    return {};
  }

  static uint32_t clusterSize(const ResolvedLaunch &launch) {
    return launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
  }

  Expected<TensorMapBytes> encode(const TensorMapRecipe &recipe,
                                  const ResolvedLaunch::TensorMap &map) const {
    cuda::TensorMap encoded;
    const auto result = driver.check(
        driver.tensorMapEncodeTiled(
            &encoded, tensorMapDataType(recipe.dtype),
            static_cast<uint32_t>(map.global_dim.size()), map.base,
            map.global_dim.data(), map.global_stride.data(),
            recipe.box_dim.data(), recipe.element_stride.data(),
            cuda::kTensorMapInterleaveNone, static_cast<int>(recipe.swizzle),
            static_cast<int>(recipe.l2_promotion),
            static_cast<int>(recipe.oob_fill)),
        "cuTensorMapEncodeTiled");
    if (!result)
      return tl::unexpected(result.error());
    TensorMapBytes bytes;
    std::memcpy(bytes.data(), &encoded, bytes.size());
    return bytes;
  }

  Expected<void> fillTensorMaps(const Kernel &kernel, ResolvedLaunch &launch) {
    for (const ResolvedLaunch::TensorMap &map : launch.tensor_maps) {
      const TensorMapRecipe &recipe =
          kernel.parameters[map.parameter].tensor_map;
      const auto encoded =
          tensorMaps.get(recipe, map, [&] { return encode(recipe, map); });
      if (!encoded)
        return addContext(fmt::format("tensor map of argument '{}'",
                                      kernel.arguments[recipe.argument].name),
                          encoded.error());
      std::memcpy(launch.parameters.data() +
                      launch.parameter_offsets[map.parameter],
                  encoded->data(), encoded->size());
    }
    return {};
  }

  static std::vector<cuda::LaunchAttribute>
  launchAttributes(const Kernel &kernel, const ResolvedLaunch &launch) {
    std::vector<cuda::LaunchAttribute> attributes;
    if (clusterSize(launch) > 1) {
      cuda::LaunchAttribute &cluster = attributes.emplace_back();
      cluster.id = cuda::kLaunchAttributeClusterDimension;
      cluster.value.cluster_dim = {launch.cluster[0], launch.cluster[1],
                                   launch.cluster[2]};
    }
    if (kernel.programmatic_dependent_launch) {
      cuda::LaunchAttribute &early = attributes.emplace_back();
      early.id = cuda::kLaunchAttributeProgrammaticStreamSerialization;
      early.value.programmatic_stream_serialization_allowed = 1;
    }
    return attributes;
  }

  Expected<LaunchStats> launchIn(const Kernel &kernel, const TargetCode &code,
                                 ResolvedLaunch &launch) {
    const auto loaded = function(kernel, code);
    if (!loaded)
      return tl::unexpected(loaded.error());
    if (const auto allowed = allow(**loaded, launch); !allowed)
      return tl::unexpected(allowed.error());
    if (const auto filled = fillTensorMaps(kernel, launch); !filled)
      return tl::unexpected(filled.error());

    std::vector<void *> parameters;
    for (size_t offset : launch.parameter_offsets)
      parameters.push_back(launch.parameters.data() + offset);
    std::vector<cuda::LaunchAttribute> attributes =
        launchAttributes(kernel, launch);
    cuda::LaunchConfig config = {};
    std::copy(launch.grid.begin(), launch.grid.end(), config.grid);
    std::copy(launch.block.begin(), launch.block.end(), config.block);
    config.shared_bytes = launch.dynamic_shared_bytes;
    config.attributes = attributes.data();
    config.attribute_count = static_cast<unsigned>(attributes.size());

    const auto start = std::chrono::steady_clock::now();
    auto result =
        driver.check(driver.launchKernelEx(&config, (*loaded)->function,
                                           parameters.data(), nullptr),
                     "cuLaunchKernelEx");
    // What the kernel did wrong shows when one waits for it.
    if (result)
      result = driver.check(driver.ctxSynchronize(), "cuCtxSynchronize");
    if (!result)
      return tl::unexpected(result.error());
    LaunchStats stats;
    stats.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
    return stats;
  }
};

Expected<int> attribute(const Driver &driver, cuda::DeviceHandle handle,
                        int which) {
  int value = 0;
  const auto result = driver.check(
      driver.deviceGetAttribute(&value, which, handle), "cuDeviceGetAttribute");
  if (!result)
    return tl::unexpected(result.error());
  return value;
}

} // namespace

Expected<std::unique_ptr<Device>>
tirx::rt::openCudaDevice(unsigned ordinal, const char *library) {
  const auto opened = Driver::open(library);
  if (!opened)
    return tl::unexpected(opened.error());
  const Driver &driver = *opened;
  int count = 0;
  cuda::DeviceHandle handle = 0;
  char model[128] = {};
  auto result =
      driver.check(driver.init(0), "cuInit")
          .and_then([&] {
            return driver.check(driver.deviceGetCount(&count),
                                "cuDeviceGetCount");
          })
          .and_then([&]() -> Expected<void> {
            if (ordinal < static_cast<unsigned>(count))
              return {};
            return makeError("cuda:{}: this machine has {} CUDA device{}",
                             ordinal, count, count == 1 ? "" : "s");
          })
          .and_then([&] {
            return driver.check(
                driver.deviceGet(&handle, static_cast<int>(ordinal)),
                "cuDeviceGet");
          })
          .and_then([&] {
            return driver.check(
                driver.deviceGetName(model, sizeof model - 1, handle),
                "cuDeviceGetName");
          });
  if (!result)
    return tl::unexpected(result.error());

  const auto major =
      attribute(driver, handle, cuda::kDeviceComputeCapabilityMajor);
  const auto minor =
      attribute(driver, handle, cuda::kDeviceComputeCapabilityMinor);
  const auto smCount =
      attribute(driver, handle, cuda::kDeviceMultiprocessorCount);
  for (const auto *value : {&major, &minor, &smCount})
    if (!*value)
      return tl::unexpected(value->error());
  const std::string base = fmt::format("sm_{}{}", *major, *minor);

  cuda::Context context = nullptr;
  result = driver.check(driver.primaryCtxRetain(&context, handle),
                        "cuDevicePrimaryCtxRetain");
  if (!result)
    return tl::unexpected(result.error());
  return std::make_unique<CudaDevice>(
      driver, ordinal, handle, context, static_cast<uint32_t>(*smCount),
      fmt::format("cuda:{} ({}, {})", ordinal, model, base),
      std::vector<std::string>{base + "a", base});
}
