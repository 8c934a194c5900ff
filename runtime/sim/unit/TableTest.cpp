//===- TableTest.cpp - docs/simulator.md has the current table --*- C++ -*-===//

#include "OpTable.h"
#include "tirx/Runtime/Simulator.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace tirx::rt::sim;

namespace {
constexpr const char *kBegin = "<!-- fidelity table: begin -->\n";
constexpr const char *kEnd = "<!-- fidelity table: end -->";
} // namespace

TEST_CASE("the fidelity table of docs/simulator.md is current") {
  std::ifstream file(TIRX_SIM_DOC);
  REQUIRE(file);
  std::stringstream text;
  text << file.rdbuf();
  std::string doc = text.str();
  size_t begin = doc.find(kBegin), end = doc.find(kEnd);
  REQUIRE(begin != std::string::npos);
  REQUIRE(end != std::string::npos);
  begin += std::string(kBegin).size();
  // TIRX_UPDATE_DOCS=1 writes the current table instead of comparing.
  if (std::getenv("TIRX_UPDATE_DOCS")) {
    doc.replace(begin, end - begin, fidelityTable());
    std::ofstream(TIRX_SIM_DOC) << doc;
    return;
  }
  INFO("run this test with TIRX_UPDATE_DOCS=1 to write the current table");
  CHECK((doc.substr(begin, end - begin) == fidelityTable()));
}

TEST_CASE("every row of the table has a source and decodes or is unsupported") {
  unsigned rows = 0;
  for (auto section : {integerRows(), floatRows(), convertRows(), memoryRows(),
                       controlRows(), syncRows(), bulkRows(), tensorRows()})
    for (const OpRow &row : section) {
      CAPTURE(row.pattern);
      ++rows;
      CHECK(std::string(row.source).rfind("9.7.", 0) == 0);
      bool executable = row.decode || row.alu != AluOp::count;
      CHECK(executable == (row.fidelity != Fidelity::unsupported));
    }
  CHECK(rows > 250);
}
