//===- TextTable.h - columns of text --------------------------*- C++ -*-===//
#pragma once

#include <string>
#include <vector>

namespace tirx::passes {

/// Rows of cells, printed with a title and a header, columns aligned.
class TextTable {
public:
  TextTable(std::string title, std::vector<std::string> header)
      : title(std::move(title)), header(std::move(header)) {}
  /// `row` has as many cells as the header.
  void add(std::vector<std::string> row) { rows.push_back(std::move(row)); }
  bool empty() const { return rows.empty(); }
  /// Columns of numbers are aligned to the right. A table without rows is "".
  std::string print() const;

private:
  std::string title;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

} // namespace tirx::passes
