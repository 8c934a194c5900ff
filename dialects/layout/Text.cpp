//===- Text.cpp - S/R/O notation --------------------------------*- C++ -*-===//
#include "Detail.h"

#include <charconv>

namespace tirx::layout {

//===--- printing --------------------------------------------------------===//

static std::string printValue(int64_t value, Axis axis) {
  return axis == Axis::m ? std::to_string(value)
                         : fmt::format("{}@{}", value, toString(axis));
}

static std::string printIters(char letter, std::span<const Iter> iters) {
  if (iters.size() == 1)
    return fmt::format("{}[{}:{}]", letter, iters[0].extent,
                       printValue(iters[0].stride, iters[0].axis));
  std::string extents, strides;
  for (const Iter &it : iters) {
    const char *comma = extents.empty() ? "" : ",";
    extents += fmt::format("{}{}", comma, it.extent);
    strides += fmt::format("{}{}", comma, printValue(it.stride, it.axis));
  }
  return fmt::format("{}[({}):({})]", letter, extents, strides);
}

std::string toString(const TileLayout &layout) {
  std::string out = printIters('S', layout.shard);
  if (!layout.replica.empty())
    out += " + " + printIters('R', layout.replica);
  layout.offset.forEach([&](Axis axis, int64_t value) {
    out += " + " + printValue(value, axis);
  });
  return out;
}

std::string toString(const Layout &layout) {
  std::string out = toString(layout.tile);
  if (const auto &s = layout.swizzle)
    out += fmt::format(" swizzle({},{},{}{})", s->perElement, s->swizzleLen,
                       s->atomLen, s->inner ? "" : ",outer");
  return out;
}

//===--- parsing ---------------------------------------------------------===//

namespace {

class Parser {
public:
  explicit Parser(std::string_view text) : text(text) {}

  Expected<Layout> parse() {
    Layout layout;
    if (!isLetterBracket('S'))
      return fail("expected 'S[' at the start of a layout");
    TIRX_LAYOUT_ASSIGN(layout.tile.shard, parseIters());
    bool replicaSeen = false;
    for (skipSpace(); peek() == '+' || peek() == '-'; skipSpace()) {
      const bool negative = text[pos++] == '-';
      skipSpace();
      if (!negative && isLetterBracket('R')) {
        if (replicaSeen)
          return fail("a layout has at most one R[...]");
        replicaSeen = true;
        TIRX_LAYOUT_ASSIGN(layout.tile.replica, parseIters());
        continue;
      }
      const size_t start = pos;
      TIRX_LAYOUT_ASSIGN(const auto value, parseValue());
      const int64_t signedValue = negative ? -value.first : value.first;
      int64_t sum;
      if (__builtin_add_overflow(layout.tile.offset.get(value.second),
                                 signedValue, &sum))
        return failAt(start, "offset is too large");
      layout.tile.offset.set(value.second, sum);
    }
    if (text.substr(pos).starts_with("swizzle")) {
      pos += 7;
      TIRX_LAYOUT_ASSIGN(layout.swizzle, parseSwizzle());
    }
    skipSpace();
    if (pos != text.size())
      return fail(fmt::format("unexpected '{}' after the layout", text[pos]));
    if (auto ok = verify(layout); !ok)
      return failAt(0, ok.error().message);
    return layout;
  }

private:
  std::string_view text;
  size_t pos = 0;

  tl::unexpected<Error> failAt(size_t at, std::string_view message) const {
    return tl::make_unexpected(
        Error{fmt::format("column {}: {}", at + 1, message), int(at + 1)});
  }
  tl::unexpected<Error> fail(std::string_view message) const {
    return failAt(pos, message);
  }
  void skipSpace() {
    while (pos < text.size() &&
           (text[pos] == ' ' || text[pos] == '\t' || text[pos] == '\n'))
      ++pos;
  }
  char peek() const { return pos < text.size() ? text[pos] : '\0'; }
  bool consume(char c) {
    skipSpace();
    if (peek() != c)
      return false;
    ++pos;
    return true;
  }
  Expected<void> expect(char c) {
    if (consume(c))
      return {};
    if (pos == text.size())
      return fail(fmt::format("expected '{}' before the end", c));
    return fail(fmt::format("expected '{}', found '{}'", c, text[pos]));
  }
  bool isLetterBracket(char letter) {
    skipSpace();
    if (peek() != letter || pos + 1 >= text.size())
      return false;
    size_t next = pos + 1;
    while (next < text.size() && text[next] == ' ')
      ++next;
    if (next >= text.size() || text[next] != '[')
      return false;
    pos = next;
    return true;
  }
  static bool isWord(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (c >= '0' && c <= '9');
  }
  static bool isDigit(char c) { return c >= '0' && c <= '9'; }

  Expected<int64_t> parseInteger() {
    skipSpace();
    const size_t start = pos;
    size_t end = pos + (peek() == '-');
    while (end < text.size() && isDigit(text[end]))
      ++end;
    int64_t value = 0;
    auto [stop, code] =
        std::from_chars(text.data() + start, text.data() + end, value);
    if (code == std::errc::result_out_of_range)
      return fail("integer does not fit in 64 bits");
    if (code != std::errc() || stop != text.data() + end)
      return fail("expected an integer");
    // The most negative value has no positive twin to negate or take abs of.
    if (value == INT64_MIN)
      return fail("integer does not fit in 64 bits");
    pos = end;
    return value;
  }

  Expected<Axis> parseAxisName() {
    skipSpace();
    const size_t start = pos;
    while (pos < text.size() && isWord(text[pos]))
      ++pos;
    if (start == pos)
      return fail("expected an axis name");
    auto axis = parseAxis(text.substr(start, pos - start));
    if (!axis)
      return failAt(start, axis.error().message);
    return axis;
  }

  /// INT | INT '@' axis | axis
  Expected<std::pair<int64_t, Axis>> parseValue() {
    skipSpace();
    if (!isDigit(peek()) && peek() != '-') {
      if (!isWord(peek()))
        return fail("expected an integer or an axis name");
      TIRX_LAYOUT_ASSIGN(const Axis axis, parseAxisName());
      return std::pair(int64_t(1), axis);
    }
    TIRX_LAYOUT_ASSIGN(const int64_t value, parseInteger());
    Axis axis = Axis::m;
    if (consume('@')) {
      TIRX_LAYOUT_ASSIGN(axis, parseAxisName());
    }
    return std::pair(value, axis);
  }

  /// '[' extents (':' strides)? ']', each a list in parentheses or not.
  Expected<std::vector<Iter>> parseIters() {
    TIRX_LAYOUT_CHECK(expect('['));
    Shape extents;
    const size_t start = pos;
    const bool parens = consume('(');
    do {
      TIRX_LAYOUT_ASSIGN(const int64_t extent, parseInteger());
      if (extents.size() == kMaxIters)
        return fail(fmt::format("more than {} iters", kMaxIters));
      extents.push_back(extent);
    } while (consume(','));
    if (parens)
      TIRX_LAYOUT_CHECK(expect(')'));
    if (consume(']')) {
      if (auto total = shapeSize(extents); !total)
        return failAt(start, total.error().message);
      return rowMajor(extents).shard;
    }
    TIRX_LAYOUT_CHECK(expect(':'));
    const bool strideParens = consume('(');
    std::vector<Iter> iters;
    do {
      TIRX_LAYOUT_ASSIGN(const auto value, parseValue());
      if (iters.size() == extents.size())
        return fail(
            fmt::format("more strides than the {} extents", extents.size()));
      iters.push_back({extents[iters.size()], value.first, value.second});
    } while (consume(','));
    if (strideParens)
      TIRX_LAYOUT_CHECK(expect(')'));
    if (iters.size() != extents.size())
      return fail(fmt::format("{} strides for {} extents", iters.size(),
                              extents.size()));
    TIRX_LAYOUT_CHECK(expect(']'));
    return iters;
  }

  Expected<Swizzle> parseSwizzle() {
    Swizzle s{};
    TIRX_LAYOUT_CHECK(expect('('));
    for (int *field : {&s.perElement, &s.swizzleLen, &s.atomLen}) {
      if (field != &s.perElement)
        TIRX_LAYOUT_CHECK(expect(','));
      const size_t start = pos;
      TIRX_LAYOUT_ASSIGN(const int64_t value, parseInteger());
      if (value < 0 || value > 30)
        return failAt(start, fmt::format("swizzle parameter {} is outside "
                                         "[0, 30]",
                                         value));
      *field = int(value);
    }
    if (consume(',')) {
      skipSpace();
      if (!text.substr(pos).starts_with("outer"))
        return fail("expected 'outer'");
      pos += 5;
      s.inner = false;
    }
    TIRX_LAYOUT_CHECK(expect(')'));
    return s;
  }
};

} // namespace

Expected<Layout> parseLayout(std::string_view text) {
  return Parser(text).parse();
}

} // namespace tirx::layout
