//===- CudaDriver.cpp - the part of libcuda that we call --------*- C++ -*-===//
#include "device/CudaDriver.h"

#include <dlfcn.h>

using namespace tirx::rt;
using namespace tirx::rt::cuda;

// The driver's ABI on 64-bit platforms.
static_assert(sizeof(TensorMap) == 128);
static_assert(sizeof(LaunchAttribute) == 72);
static_assert(offsetof(LaunchAttribute, value) == 8);
static_assert(sizeof(LaunchConfig) == 56);
static_assert(offsetof(LaunchConfig, stream) == 32);
static_assert(offsetof(LaunchConfig, attributes) == 40);

Expected<Driver> Driver::open(const char *library) {
  void *handle = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *why = ::dlerror();
    return makeError("no CUDA driver on this machine: cannot open {} ({}); use "
                     "a simulated device, such as sim:sm_100a",
                     library, why ? why : "unknown reason");
  }
  Driver driver = {};
#define TIRX_FIND(MEMBER, SYMBOL, PARAMETERS)                                  \
  driver.MEMBER =                                                              \
      reinterpret_cast<decltype(driver.MEMBER)>(::dlsym(handle, SYMBOL));      \
  if (!driver.MEMBER)                                                          \
    return makeError("{} lacks {}: it is no CUDA driver of version 12.0 or "   \
                     "later",                                                  \
                     library, SYMBOL);
  TIRX_CUDA_FUNCTIONS(TIRX_FIND)
#undef TIRX_FIND
  return driver;
}

Expected<void> Driver::check(Result result, std::string_view what) const {
  if (result == 0)
    return {};
  const char *name = nullptr, *description = nullptr;
  if (getErrorName(result, &name) != 0 || !name)
    name = "unknown error";
  if (getErrorString(result, &description) != 0 || !description)
    description = "no description";
  return makeError("{}: {} ({}): {}", what, name, result, description);
}
