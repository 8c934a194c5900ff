//===- FakeCuda.cpp - a stand-in for libcuda --------------------*- C++ -*-===//
//
// Exports what CudaDriver.h declares. Device memory is host memory; launches
// are recorded, not executed.
//
//===----------------------------------------------------------------------===//
#include "FakeCuda.h"
#include "device/CudaDriver.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace tirx::rt::cuda;

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr Result kInvalidValue = 1, kInvalidContext = 201, kNotFound = 500;
FakeCudaState state;

/// The code to fail with, if `function` was chosen to fail.
Result failure(const char *function) {
  const bool chosen =
      state.failFunction && std::strcmp(state.failFunction, function) == 0;
  return chosen ? state.failCode : 0;
}

/// For functions that need a current context.
Result enter(const char *function) {
  if (const Result result = failure(function))
    return result;
  return state.contextDepth == 1 ? 0 : kInvalidContext;
}

} // namespace

EXPORT FakeCudaState *fakeCudaState() { return &state; }

EXPORT Result cuInit(unsigned) { return failure("cuInit"); }

EXPORT Result cuGetErrorName(Result result, const char **name) {
  *name = result == kInvalidContext ? "CUDA_ERROR_INVALID_CONTEXT"
          : result == kNotFound     ? "CUDA_ERROR_NOT_FOUND"
          : result == 719           ? "CUDA_ERROR_LAUNCH_FAILED"
                                    : nullptr;
  return *name ? 0 : kInvalidValue;
}

EXPORT Result cuGetErrorString(Result result, const char **text) {
  *text = result == 719 ? "unspecified launch failure" : nullptr;
  return *text ? 0 : kInvalidValue;
}

EXPORT Result cuDeviceGetCount(int *count) {
  *count = state.deviceCount;
  return failure("cuDeviceGetCount");
}

EXPORT Result cuDeviceGet(DeviceHandle *device, int ordinal) {
  *device = 40 + ordinal;
  return failure("cuDeviceGet");
}

EXPORT Result cuDeviceGetName(char *name, int length, DeviceHandle) {
  std::strncpy(name, "Fake GPU", length);
  return failure("cuDeviceGetName");
}

EXPORT Result cuDeviceGetAttribute(int *value, int attribute, DeviceHandle) {
  switch (attribute) {
  case kDeviceComputeCapabilityMajor:
    *value = state.capability[0];
    break;
  case kDeviceComputeCapabilityMinor:
    *value = state.capability[1];
    break;
  case kDeviceMultiprocessorCount:
    *value = state.smCount;
    break;
  default:
    return kInvalidValue;
  }
  return failure("cuDeviceGetAttribute");
}

EXPORT Result cuDevicePrimaryCtxRetain(Context *context, DeviceHandle device) {
  if (const Result result = failure("cuDevicePrimaryCtxRetain"))
    return result;
  *context = reinterpret_cast<Context>(uintptr_t(device) * 16);
  ++state.contextRetains;
  return 0;
}

EXPORT Result cuDevicePrimaryCtxRelease_v2(DeviceHandle) {
  --state.contextRetains;
  return 0;
}

EXPORT Result cuCtxPushCurrent_v2(Context context) {
  if (const Result result = failure("cuCtxPushCurrent"))
    return result;
  ++state.contextDepth;
  return context ? 0 : kInvalidContext;
}

EXPORT Result cuCtxPopCurrent_v2(Context *) {
  --state.contextDepth;
  return 0;
}

EXPORT Result cuCtxSynchronize() { return enter("cuCtxSynchronize"); }

EXPORT Result cuMemAlloc_v2(DevicePointer *pointer, size_t bytes) {
  if (const Result result = enter("cuMemAlloc"))
    return result;
  *pointer = reinterpret_cast<DevicePointer>(
      std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  return bytes ? 0 : kInvalidValue;
}

EXPORT Result cuMemFree_v2(DevicePointer pointer) {
  std::free(reinterpret_cast<void *>(pointer));
  return enter("cuMemFree");
}

EXPORT Result cuMemcpyHtoD_v2(DevicePointer dst, const void *src, size_t size) {
  if (const Result result = enter("cuMemcpyHtoD"))
    return result;
  std::memcpy(reinterpret_cast<void *>(dst), src, size);
  return 0;
}

EXPORT Result cuMemcpyDtoH_v2(void *dst, DevicePointer src, size_t size) {
  if (const Result result = enter("cuMemcpyDtoH"))
    return result;
  std::memcpy(dst, reinterpret_cast<const void *>(src), size);
  return 0;
}

EXPORT Result cuModuleLoadData(Module *module, const void *image) {
  if (const Result result = enter("cuModuleLoadData"))
    return result;
  std::strncpy(reinterpret_cast<char *>(state.image),
               static_cast<const char *>(image), sizeof state.image - 1);
  *module = reinterpret_cast<Module>(uintptr_t(0x100 + ++state.modulesLoaded));
  return 0;
}

EXPORT Result cuModuleUnload(Module) {
  ++state.modulesUnloaded;
  return enter("cuModuleUnload");
}

EXPORT Result cuModuleGetFunction(Function *function, Module,
                                  const char *name) {
  if (const Result result = enter("cuModuleGetFunction"))
    return result;
  *function = reinterpret_cast<Function>(uintptr_t(0x200));
  return std::strcmp(name, "gemm_step04") == 0 ? 0 : kNotFound;
}

EXPORT Result cuFuncSetAttribute(Function, int attribute, int value) {
  if (const Result result = enter("cuFuncSetAttribute"))
    return result;
  if (attribute == kFunctionMaxDynamicSharedBytes)
    state.dynamicSharedLimit = value;
  else if (attribute == kFunctionNonPortableClusterSizeAllowed)
    state.nonPortableCluster = value;
  else
    return kInvalidValue;
  return 0;
}

EXPORT Result cuLaunchKernelEx(const LaunchConfig *config, Function function,
                               void **parameters, void **extra) {
  if (const Result result = enter("cuLaunchKernelEx"))
    return result;
  if (function != reinterpret_cast<Function>(uintptr_t(0x200)) || extra)
    return kInvalidValue;
  std::copy(config->grid, config->grid + 3, state.grid);
  std::copy(config->block, config->block + 3, state.block);
  state.sharedBytes = config->shared_bytes;
  state.launchAttributes = int(config->attribute_count);
  std::fill(state.cluster, state.cluster + 3, 0);
  state.programmaticStreamSerialization = 0;
  for (unsigned i = 0; i < config->attribute_count; ++i) {
    const LaunchAttribute &attribute = config->attributes[i];
    switch (attribute.id) {
    case kLaunchAttributeClusterDimension:
      state.cluster[0] = attribute.value.cluster_dim.x;
      state.cluster[1] = attribute.value.cluster_dim.y;
      state.cluster[2] = attribute.value.cluster_dim.z;
      break;
    case kLaunchAttributeProgrammaticStreamSerialization:
      state.programmaticStreamSerialization =
          attribute.value.programmatic_stream_serialization_allowed;
      break;
    default:
      return kInvalidValue;
    }
  }
  for (int i = 0; i < 5; ++i)
    if (state.parameterBytes[i])
      std::memcpy(state.parameters[i], parameters[i], state.parameterBytes[i]);
  ++state.launches;
  return 0;
}

EXPORT Result cuTensorMapEncodeTiled(
    TensorMap *map, int dataType, uint32_t rank, void *address,
    const uint64_t *globalDim, const uint64_t *globalStride,
    const uint32_t *boxDim, const uint32_t *elementStride, int interleave,
    int swizzle, int l2Promotion, int oobFill) {
  if (const Result result = enter("cuTensorMapEncodeTiled"))
    return result;
  if (reinterpret_cast<uintptr_t>(map) % 64 != 0 || rank < 1 || rank > 5)
    return kInvalidValue;
  std::memset(map, ++state.tensorMapsEncoded, sizeof *map);
  state.dataType = dataType;
  state.rank = rank;
  state.address = address;
  std::copy(globalDim, globalDim + rank, state.globalDim);
  std::copy(globalStride, globalStride + rank - 1, state.globalStride);
  std::copy(boxDim, boxDim + rank, state.boxDim);
  std::copy(elementStride, elementStride + rank, state.elementStride);
  state.interleave = interleave;
  state.swizzle = swizzle;
  state.l2Promotion = l2Promotion;
  state.oobFill = oobFill;
  return 0;
}
