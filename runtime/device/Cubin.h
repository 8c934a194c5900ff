//===- Cubin.h - is a cubin whole? ------------------------------*- C++ -*-===//
#pragma once

#include "tirx/Runtime/Error.h"

#include <cstddef>
#include <span>

namespace tirx::rt {

/// Checks that `bytes` are a 64-bit little-endian ELF file whose header tables,
/// sections and segments lie inside. The CUDA driver is given an address
/// without a size and reads wherever the file tells it to.
Expected<void> checkCubin(std::span<const std::byte> bytes);

} // namespace tirx::rt
