//===- Error.h - errors as values -------------------------------*- C++ -*-===//
#pragma once

#include <fmt/format.h>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace tirx::rt {

/// One message for a person. It names the thing, the value, the limit and where
/// the limit comes from.
struct Error {
  std::string message;
};

template <typename T> using Expected = tl::expected<T, Error>;

/// Formats an error: `return makeError("argument '{}': rank {} ...", n, r);`.
template <typename... Args>
tl::unexpected<Error> makeError(fmt::format_string<Args...> format,
                                Args &&...args) {
  return tl::unexpected<Error>(
      Error{fmt::format(format, std::forward<Args>(args)...)});
}

/// Puts `context` in front of a message: "step04.txk: section 'ptx' ...".
inline tl::unexpected<Error> addContext(const std::string &context,
                                        const Error &error) {
  return tl::unexpected<Error>(Error{context + ": " + error.message});
}

} // namespace tirx::rt
