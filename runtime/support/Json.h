//===- Json.h - JSON text that must be well-formed --------------*- C++ -*-===//
#pragma once

#include "tirx/Runtime/Error.h"

#include <nlohmann/json.hpp>
#include <string_view>

namespace tirx::rt {

/// Parses JSON of a file we did not write. Errors, beyond malformed text: a
/// key that occurs twice in one object, nesting deeper than `maxDepth`.
Expected<nlohmann::json> parseJson(std::string_view text, int maxDepth);

} // namespace tirx::rt
