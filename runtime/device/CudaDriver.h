//===- CudaDriver.h - the part of libcuda that we call ----------*- C++ -*-===//
//
// Types, constants and functions of the CUDA driver API (CUDA 12 and later),
// declared here because the build must not need cuda.h and the library is
// opened at run time. Names are the driver's own, without their prefixes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "tirx/Runtime/Error.h"

#include <cstddef>
#include <cstdint>

namespace tirx::rt::cuda {

using Result = int; ///< CUresult; 0 is success
using DeviceHandle = int;
using DevicePointer = uint64_t;
using Context = struct ContextTag *;
using Module = struct ModuleTag *;
using Function = struct FunctionTag *;
using Stream = struct StreamTag *;

/// CUtensorMap: opaque, 128 bytes. Newer headers align it to 128.
struct alignas(128) TensorMap {
  std::byte opaque[128];
};

/// CUlaunchAttribute with the kinds of value that are used here.
struct LaunchAttribute {
  int id;
  char pad[4];
  union {
    char bytes[64];
    struct {
      unsigned x, y, z;
    } cluster_dim;
    int programmatic_stream_serialization_allowed;
  } value;
};

/// CUlaunchConfig.
struct LaunchConfig {
  unsigned grid[3];
  unsigned block[3];
  unsigned shared_bytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned attribute_count;
};

// CUlaunchAttributeID, CUdevice_attribute, CUfunction_attribute.
inline constexpr int kLaunchAttributeClusterDimension = 4;
inline constexpr int kLaunchAttributeProgrammaticStreamSerialization = 6;
inline constexpr int kDeviceMultiprocessorCount = 16;
inline constexpr int kDeviceComputeCapabilityMajor = 75;
inline constexpr int kDeviceComputeCapabilityMinor = 76;
inline constexpr int kFunctionMaxDynamicSharedBytes = 8;
inline constexpr int kFunctionNonPortableClusterSizeAllowed = 14;

// CUtensorMapDataType.
inline constexpr int kTensorMapUint8 = 0;
inline constexpr int kTensorMapUint16 = 1;
inline constexpr int kTensorMapUint32 = 2;
inline constexpr int kTensorMapInt32 = 3;
inline constexpr int kTensorMapUint64 = 4;
inline constexpr int kTensorMapInt64 = 5;
inline constexpr int kTensorMapFloat16 = 6;
inline constexpr int kTensorMapFloat32 = 7;
inline constexpr int kTensorMapFloat64 = 8;
inline constexpr int kTensorMapBfloat16 = 9;

// CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion and
// CUtensorMapFloatOOBfill start at 0 in the order of TensorMapRecipe's enums.
inline constexpr int kTensorMapInterleaveNone = 0;

/// X(member, symbol, parameters): every function returns Result. The _v2
/// symbols are what cuda.h's macros turn the plain names into.
#define TIRX_CUDA_FUNCTIONS(X)                                                 \
  X(init, "cuInit", (unsigned flags))                                          \
  X(getErrorName, "cuGetErrorName", (Result, const char **))                   \
  X(getErrorString, "cuGetErrorString", (Result, const char **))               \
  X(deviceGetCount, "cuDeviceGetCount", (int *))                               \
  X(deviceGet, "cuDeviceGet", (DeviceHandle *, int ordinal))                   \
  X(deviceGetName, "cuDeviceGetName", (char *, int length, DeviceHandle))      \
  X(deviceGetAttribute, "cuDeviceGetAttribute",                                \
    (int *, int attribute, DeviceHandle))                                      \
  X(primaryCtxRetain, "cuDevicePrimaryCtxRetain", (Context *, DeviceHandle))   \
  X(primaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (DeviceHandle))         \
  X(ctxPushCurrent, "cuCtxPushCurrent_v2", (Context))                          \
  X(ctxPopCurrent, "cuCtxPopCurrent_v2", (Context *))                          \
  X(ctxSynchronize, "cuCtxSynchronize", ())                                    \
  X(memAlloc, "cuMemAlloc_v2", (DevicePointer *, size_t))                      \
  X(memFree, "cuMemFree_v2", (DevicePointer))                                  \
  X(memcpyHtoD, "cuMemcpyHtoD_v2", (DevicePointer, const void *, size_t))      \
  X(memcpyDtoH, "cuMemcpyDtoH_v2", (void *, DevicePointer, size_t))            \
  X(moduleLoadData, "cuModuleLoadData", (Module *, const void *image))         \
  X(moduleUnload, "cuModuleUnload", (Module))                                  \
  X(moduleGetFunction, "cuModuleGetFunction",                                  \
    (Function *, Module, const char *name))                                    \
  X(funcSetAttribute, "cuFuncSetAttribute", (Function, int attribute, int))    \
  X(launchKernelEx, "cuLaunchKernelEx",                                        \
    (const LaunchConfig *, Function, void **parameters, void **extra))         \
  X(tensorMapEncodeTiled, "cuTensorMapEncodeTiled",                            \
    (TensorMap *, int dataType, uint32_t rank, void *globalAddress,            \
     const uint64_t *globalDim, const uint64_t *globalStrides,                 \
     const uint32_t *boxDim, const uint32_t *elementStrides, int interleave,   \
     int swizzle, int l2Promotion, int oobFill))

/// The functions of one opened driver library.
struct Driver {
#define TIRX_DECLARE(MEMBER, SYMBOL, PARAMETERS) Result(*MEMBER) PARAMETERS;
  TIRX_CUDA_FUNCTIONS(TIRX_DECLARE)
#undef TIRX_DECLARE

  /// Opens `library` and finds every function. The library stays open: a
  /// driver does not support being unloaded.
  static Expected<Driver> open(const char *library);

  /// An error if `result` is none of success:
  /// "cuInit: CUDA_ERROR_NO_DEVICE (100): no CUDA-capable device is detected".
  Expected<void> check(Result result, std::string_view what) const;
};

} // namespace tirx::rt::cuda
