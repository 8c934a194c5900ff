//===- PtxasReport.cpp - parse what ptxas -v prints -----------------------===//
//
//   ptxas info    : Compiling entry function 'gemm' for 'sm_100a'
//   ptxas info    : Function properties for gemm
//       168 bytes stack frame, 168 bytes spill stores, 168 bytes spill loads
//   ptxas info    : Used 32 registers, used 1 barriers, 512 bytes smem
//   ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored
//   ... ptxas warning : ...
//
//===----------------------------------------------------------------------===//
#include "tirx/Compiler/Ptxas.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <fmt/format.h>

namespace tirx {
namespace {

using Field = unsigned rt::ResourceReport::*;

/// Phrases of a comma-separated list; # stands for the number.
struct Phrase {
  llvm::StringRef before, after;
  Field field;
};
const Phrase phrases[] = {
    {"", " bytes stack frame", &rt::ResourceReport::stack_bytes},
    {"", " bytes spill stores", &rt::ResourceReport::spill_store_bytes},
    {"", " bytes spill loads", &rt::ResourceReport::spill_load_bytes},
    {"used ", " registers", &rt::ResourceReport::registers},
    {"used ", " barriers", &rt::ResourceReport::named_barriers},
    {"", " bytes smem", &rt::ResourceReport::static_shared_bytes},
};

void parseList(llvm::StringRef line, rt::ResourceReport &report) {
  llvm::SmallVector<llvm::StringRef> items;
  line.split(items, ',');
  for (llvm::StringRef item : items) {
    item = item.trim();
    for (const Phrase &phrase : phrases) {
      llvm::StringRef number = item;
      unsigned value;
      if (number.consume_front_insensitive(phrase.before) &&
          number.consume_back(phrase.after) && !number.getAsInteger(10, value))
        report.*phrase.field = value;
    }
  }
}

/// The text between the first pair of single quotes.
llvm::StringRef quoted(llvm::StringRef line) {
  return line.split('\'').second.split('\'').first;
}

} // namespace

PtxasReport parsePtxasOutput(std::string_view output) {
  PtxasReport result;
  rt::ResourceReport *current = nullptr; // of the entry being compiled
  std::string entry;
  bool inProperties = false; // the next indented line is the entry's

  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(output).split(lines, '\n');
  for (llvm::StringRef line : lines) {
    line = line.rtrim();
    llvm::StringRef text = line;
    if (!text.consume_front("ptxas")) {
      if (inProperties && current)
        parseList(line, *current);
      inProperties = false;
      continue;
    }
    inProperties = false;
    auto [head, body] = text.split(':');
    llvm::StringRef severity = head.trim();
    body = body.trim();
    if (severity.ends_with("warning")) {
      // `ptxas warning : ...` and `ptxas file.ptx, line 7; warning : ...`.
      auto line = severity.drop_back(7).trim().rsplit(", ").second;
      line.consume_back(";");
      result.warnings.push_back(
          line.empty() ? fmt::format("ptxas: {}", body.str())
                       : fmt::format("ptxas: PTX {}: {}", line.trim().str(),
                                     body.str()));
    } else if (severity != "info") {
      continue;
    } else if (body.starts_with("(C")) {
      result.warnings.push_back(fmt::format("ptxas: {}", body.str()));
    } else if (body.starts_with("Compiling entry function ")) {
      entry = quoted(body).str();
      current = &result.kernels[entry];
    } else if (body.consume_front("Function properties for ")) {
      inProperties = body.trim() == entry;
    } else if (body.starts_with("Used ") && current) {
      parseList(body, *current);
    }
  }
  for (const auto &[name, report] : result.kernels)
    if (report.spill_store_bytes || report.spill_load_bytes)
      result.warnings.push_back(fmt::format(
          "kernel '{}' spills registers: {} bytes stored, {} bytes loaded a "
          "thread, with {} registers in use (ptxas -v)",
          name, report.spill_store_bytes, report.spill_load_bytes,
          report.registers));
  return result;
}

} // namespace tirx
