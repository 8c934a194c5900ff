//===- Devices.h - how each kind of device is opened ------------*- C++ -*-===//
#pragma once

#include "tirx/Runtime/Device.h"

#include <memory>
#include <string>

namespace tirx::rt {

/// `target` is "sm_100a" or "sm_90a".
std::unique_ptr<Device> makeSimDevice(std::string target,
                                      const SimOptions &options);

/// Device `ordinal` of the CUDA driver `library`. Errors: the library cannot be
/// opened or lacks a function, the driver reports an error, no such device.
Expected<std::unique_ptr<Device>>
openCudaDevice(unsigned ordinal, const char *library = "libcuda.so.1");

} // namespace tirx::rt
