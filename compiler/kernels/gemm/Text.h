//===- Text.h - indented IR text with its constants -------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <set>
#include <string>
#include <utility>

namespace tirx::kernels::detail {

/// Lines of IR, and the index constants that they name.
class Text {
public:
  explicit Text(int indent) : indent(indent) {}

  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args &&...args) {
    append(fmt::format(format, std::forward<Args>(args)...));
  }
  void comment(const std::string &text) { append("// " + text); }
  void blank() { lines += '\n'; }

  /// A line that ends in ` {`, and the lines up to close() one level deeper.
  template <typename... Args>
  void open(fmt::format_string<Args...> format, Args &&...args) {
    append(fmt::format(format, std::forward<Args>(args)...) + " {");
    ++indent;
  }
  void close() {
    --indent;
    append("}");
  }

  /// The name of an index constant: "%c64".
  std::string constant(int64_t value) {
    used.insert(value);
    return fmt::format("%c{}", value);
  }
  const std::set<int64_t> &constants() const { return used; }
  const std::string &text() const { return lines; }

private:
  void append(const std::string &text) {
    lines += std::string(2 * static_cast<size_t>(indent), ' ') + text + '\n';
  }

  int indent;
  std::string lines;
  std::set<int64_t> used;
};

} // namespace tirx::kernels::detail
