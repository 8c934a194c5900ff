//===- NpyHeader.cpp - the dictionary of a .npy file ------------*- C++ -*-===//
#include "io/NpyHeader.h"

#include <charconv>
#include <set>

using namespace tirx::rt;

namespace {

class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : text(text) {}

  Expected<NpyHeader> run() {
    dictionary();
    if (failure.empty())
      return std::move(header);
    return makeError("byte {} of the header: {}", at, failure);
  }

private:
  std::string_view text;
  size_t at = 0;
  std::string failure;
  NpyHeader header;

  bool fail(std::string message) {
    if (failure.empty())
      failure = std::move(message);
    return false;
  }

  void skipSpace() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n'))
      ++at;
  }

  bool peek(char wanted) {
    skipSpace();
    return at < text.size() && text[at] == wanted;
  }

  bool accept(char wanted) {
    if (!peek(wanted))
      return false;
    ++at;
    return true;
  }

  bool expect(char wanted) {
    return accept(wanted) || fail(fmt::format("expected '{}'", wanted));
  }

  bool acceptWord(std::string_view word) {
    skipSpace();
    if (!text.substr(at).starts_with(word))
      return false;
    at += word.size();
    return true;
  }

  bool string(std::string &result) {
    skipSpace();
    const char quote = at < text.size() ? text[at] : '\0';
    if (quote != '\'' && quote != '"')
      return fail("expected a string");
    const size_t end = text.find(quote, at + 1);
    if (end == std::string_view::npos)
      return fail("a string without an end");
    result = text.substr(at + 1, end - at - 1);
    if (result.find('\\') != std::string::npos)
      return fail("an escape in a string");
    at = end + 1;
    return true;
  }

  bool boolean(bool &result) {
    if (acceptWord("True"))
      result = true;
    else if (acceptWord("False"))
      result = false;
    else
      return fail("expected True or False");
    return true;
  }

  bool extent() {
    skipSpace();
    int64_t value = 0;
    const char *begin = text.data() + at, *end = text.data() + text.size();
    const auto [next, error] = std::from_chars(begin, end, value);
    if (error == std::errc::result_out_of_range)
      return fail("an extent beyond 2^63-1");
    if (error != std::errc())
      return fail("expected an extent");
    if (value < 0)
      return fail(fmt::format("a negative extent {}", value));
    header.shape.push_back(value);
    at += static_cast<size_t>(next - begin);
    return true;
  }

  /// "()", "(3,)", "(3, 4)": one extent needs its comma.
  bool tuple() {
    if (!expect('('))
      return false;
    bool comma = true;
    while (!peek(')')) {
      if (!comma)
        return fail("expected ',' or ')'");
      if (!extent())
        return false;
      comma = accept(',');
    }
    if (header.shape.size() == 1 && !comma)
      return fail("(N) is no tuple, (N,) is");
    return expect(')');
  }

  bool entry(const std::string &key) {
    if (key == "descr") {
      if (peek('['))
        return fail("structured dtypes are not supported");
      return string(header.descr);
    }
    if (key == "fortran_order")
      return boolean(header.fortran_order);
    if (key == "shape")
      return tuple();
    return fail(fmt::format("unknown key '{}'", key));
  }

  bool dictionary() {
    if (!expect('{'))
      return false;
    std::set<std::string> keys;
    bool comma = true;
    while (!peek('}')) {
      std::string key;
      if (!comma)
        return fail("expected ',' or '}'");
      if (!string(key))
        return false;
      if (!keys.insert(key).second)
        return fail(fmt::format("the key '{}' occurs twice", key));
      if (!expect(':') || !entry(key))
        return false;
      comma = accept(',');
    }
    if (!expect('}'))
      return false;
    skipSpace();
    if (at != text.size())
      return fail("text after the dictionary");
    for (const char *key : {"descr", "fortran_order", "shape"})
      if (!keys.contains(key))
        return fail(fmt::format("the key '{}' is missing", key));
    return true;
  }
};

} // namespace

Expected<NpyHeader> tirx::rt::parseNpyHeader(std::string_view text) {
  return HeaderParser(text).run();
}
