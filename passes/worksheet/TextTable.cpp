//===- TextTable.cpp - columns of text ------------------------------------===//

#include "TextTable.h"

#include <algorithm>
#include <cctype>

using namespace tirx::passes;

static bool isNumber(const std::string &cell) {
  return cell == "-" ||
         (!cell.empty() && std::all_of(cell.begin(), cell.end(), [](char c) {
           return std::isdigit((unsigned char)c);
         }));
}

std::string TextTable::print() const {
  if (rows.empty())
    return "";
  std::vector<size_t> widths;
  std::vector<bool> numeric;
  for (size_t column = 0; column < header.size(); ++column) {
    size_t width = header[column].size();
    bool numbers = true;
    for (auto &row : rows) {
      width = std::max(width, row[column].size());
      numbers &= isNumber(row[column]);
    }
    widths.push_back(width);
    numeric.push_back(numbers);
  }
  std::string text = title + "\n";
  auto printRow = [&](const std::vector<std::string> &row) {
    std::string line;
    for (size_t column = 0; column < row.size(); ++column) {
      std::string fill(widths[column] - row[column].size(), ' ');
      line +=
          "  " + (numeric[column] ? fill + row[column] : row[column] + fill);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  printRow(header);
  for (auto &row : rows)
    printRow(row);
  return text;
}
