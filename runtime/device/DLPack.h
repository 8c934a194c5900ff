//===- DLPack.h - tensors of other frameworks -------------------*- C++ -*-===//
#pragma once

#include "tirx/Runtime/Device.h"

#include <dlpack/dlpack.h>
#include <string_view>

namespace tirx::rt {

/// What resolveLaunch takes, of a DLTensor on the device called `device`.
/// Errors: a tensor on another device, a dtype that DType lacks, vector lanes,
/// null shape, negative rank.
Expected<TensorArg> fromDLPack(const DLTensor &tensor, std::string_view device);

} // namespace tirx::rt
