//===- File.h - whole files in and out --------------------------*- C++ -*-===//
#pragma once

#include "tirx/Runtime/Error.h"

#include <cstddef>
#include <string>
#include <vector>

namespace tirx::rt {

/// Writes `bytes` to `path` through a temporary file in the same folder and a
/// rename; on error nothing is left behind. Errors name the path and the cause.
Expected<void> writeFileAtomically(const std::string &path, const void *bytes,
                                   size_t size);

/// Reads a whole file; errors name the path and the cause.
Expected<std::vector<std::byte>> readFile(const std::string &path);

} // namespace tirx::rt
