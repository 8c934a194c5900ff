//===- Lexer.cpp ------------------------------------------------*- C++ -*-===//

#include "Lexer.h"

#include <bit>
#include <cctype>
#include <charconv>
#include <cstdlib>

namespace tirx::rt::sim {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isHex(char c) { return std::isxdigit(static_cast<unsigned char>(c)); }
bool isAlpha(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '$';
}

class Scanner {
public:
  Scanner(std::string_view text, std::string &error, uint32_t &error_line)
      : text(text), error(error), error_line(error_line) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    tokens.reserve(text.size() / 4);
    while (skipSpace()) {
      Token token = next();
      if (!error.empty())
        break;
      tokens.push_back(token);
    }
    Token last;
    last.line = line;
    tokens.push_back(last);
    return tokens;
  }

private:
  char at(size_t index) const { return index < text.size() ? text[index] : 0; }

  bool skipSpace() {
    while (pos < text.size()) {
      char c = text[pos];
      if (c == '\n') {
        ++line;
        ++pos;
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
        ++pos;
      } else if (c == '/' && at(pos + 1) == '/') {
        while (pos < text.size() && text[pos] != '\n')
          ++pos;
      } else if (c == '/' && at(pos + 1) == '*') {
        pos += 2;
        while (pos < text.size() && !(text[pos] == '*' && at(pos + 1) == '/')) {
          if (text[pos] == '\n')
            ++line;
          ++pos;
        }
        pos = std::min(pos + 2, text.size());
      } else {
        return true;
      }
    }
    return false;
  }

  Token make(Token::Kind kind, size_t start) {
    Token token;
    token.kind = kind;
    token.line = line;
    token.text = text.substr(start, pos - start);
    return token;
  }

  Token fail(const std::string &what) {
    error = what;
    error_line = line;
    return Token();
  }

  Token next() {
    size_t start = pos;
    char c = text[pos];
    if (isAlpha(c) || c == '%' || (c == '.' && isAlpha(at(pos + 1))))
      return word(start);
    if (isDigit(c) || (c == '.' && isDigit(at(pos + 1))))
      return number(start);
    if (c == '"') {
      ++pos;
      while (pos < text.size() && text[pos] != '"' && text[pos] != '\n')
        pos += text[pos] == '\\' && at(pos + 1) != '\n' ? 2 : 1;
      if (at(pos) != '"')
        return fail("string without closing quote");
      Token token = make(Token::Kind::string, start + 1);
      ++pos;
      return token;
    }
    static constexpr std::string_view punctuation = "{}[]()<>,;:@!|=+-&*/~";
    if (punctuation.find(c) != std::string_view::npos) {
      ++pos;
      return make(Token::Kind::punct, start);
    }
    return fail("character that begins no PTX token");
  }

  Token word(size_t start) {
    ++pos;
    while (pos < text.size()) {
      char c = text[pos];
      if (isAlpha(c) || isDigit(c)) {
        ++pos;
      } else if (c == '.' && (isAlpha(at(pos + 1)) || isDigit(at(pos + 1)))) {
        pos += 2;
      } else if (c == ':' && at(pos + 1) == ':') {
        pos += 2;
      } else {
        break;
      }
    }
    return make(Token::Kind::word, start);
  }

  Token number(size_t start) {
    char kind = at(pos + 1);
    if (text[pos] == '0' &&
        (kind == 'f' || kind == 'F' || kind == 'd' || kind == 'D')) {
      pos += 2;
      size_t digits = kind == 'f' || kind == 'F' ? 8 : 16;
      size_t first = pos;
      while (pos < text.size() && isHex(text[pos]))
        ++pos;
      if (pos - first != digits)
        return fail("hexadecimal float needs " + std::to_string(digits) +
                    " digits");
      Token token =
          make(digits == 8 ? Token::Kind::f32 : Token::Kind::f64, start);
      std::from_chars(text.data() + first, text.data() + pos, token.value, 16);
      return token;
    }
    int base = 10;
    size_t first = pos;
    if (text[pos] == '0' && (kind == 'x' || kind == 'X'))
      base = 16, first = pos += 2;
    else if (text[pos] == '0' && (kind == 'b' || kind == 'B'))
      base = 2, first = pos += 2;
    else if (text[pos] == '0' && isDigit(kind))
      base = 8;
    while (pos < text.size() &&
           (base == 16 ? isHex(text[pos]) : isDigit(text[pos])))
      ++pos;
    if (base == 10 && (at(pos) == '.' || at(pos) == 'e' || at(pos) == 'E')) {
      while (pos < text.size() &&
             (isDigit(text[pos]) || text[pos] == '.' || text[pos] == 'e' ||
              text[pos] == 'E' ||
              ((text[pos] == '-' || text[pos] == '+') &&
               (text[pos - 1] == 'e' || text[pos - 1] == 'E'))))
        ++pos;
      std::string copy(text.substr(start, pos - start));
      char *end = nullptr;
      double value = std::strtod(copy.c_str(), &end);
      if (*end)
        return fail("malformed number");
      Token token = make(Token::Kind::f64, start);
      token.value = std::bit_cast<uint64_t>(value);
      return token;
    }
    uint64_t value = 0;
    auto [end, code] =
        std::from_chars(text.data() + first, text.data() + pos, value, base);
    if (code != std::errc() || end != text.data() + pos)
      return fail("malformed integer, or one beyond 64 bits");
    if (at(pos) == 'U')
      ++pos;
    if (isAlpha(at(pos)))
      return fail("malformed number");
    Token token = make(Token::Kind::integer, start);
    token.value = value;
    return token;
  }

  std::string_view text;
  size_t pos = 0;
  uint32_t line = 1;
  std::string &error;
  uint32_t &error_line;
};

} // namespace

std::vector<Token> tokenize(std::string_view text, std::string &error,
                            uint32_t &error_line) {
  return Scanner(text, error, error_line).run();
}

} // namespace tirx::rt::sim
