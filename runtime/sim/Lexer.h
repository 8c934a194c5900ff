//===- Lexer.h - PTX tokens -------------------------------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tirx::rt::sim {

struct Token {
  enum class Kind : uint8_t { word, integer, f32, f64, string, punct, end };
  Kind kind = Kind::end;
  uint32_t line = 0;
  std::string_view text;
  uint64_t value = 0; ///< integer value, or the bits of a float

  bool is(std::string_view wanted) const {
    return (kind == Kind::word || kind == Kind::punct) && text == wanted;
  }
};

/// Splits PTX text into tokens. A word keeps its dots and '::', so that an
/// opcode with its modifiers is one token, as is `%tid.x`. The last token is
/// `end`. On a character that begins no token, `error` says so (with its line).
std::vector<Token> tokenize(std::string_view text, std::string &error,
                            uint32_t &error_line);

} // namespace tirx::rt::sim
