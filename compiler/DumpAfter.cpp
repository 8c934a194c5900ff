//===- DumpAfter.cpp - print the module after passes ----------------------===//
#include "DumpAfter.h"

#include "llvm/ADT/STLExtras.h"

#include <fmt/ranges.h>

namespace tirx {

std::vector<std::string> passNames(mlir::PassManager &manager) {
  // A pass manager shows nested passes only in its textual form:
  // builtin.module(first,second{option=1 list=a,b},llvm.func(third)).
  std::string pipeline;
  llvm::raw_string_ostream os(pipeline);
  manager.printAsTextualPipeline(os);
  std::vector<std::string> names;
  std::string word;
  int braces = 0;
  auto endWord = [&] {
    if (!word.empty() && !llvm::is_contained(names, word))
      names.push_back(word);
    word.clear();
  };
  for (char c : pipeline) {
    if (c == '{') {
      if (braces++ == 0)
        endWord();
    } else if (c == '}') {
      --braces;
    } else if (braces == 0) {
      if (c == '(') // the word before was the op that passes run on
        word.clear();
      else if (c == ',' || c == ')')
        endWord();
      else
        word += c;
    }
  }
  endWord();
  return names;
}

rt::Expected<void> dumpAfter(mlir::PassManager &manager,
                             const std::vector<std::string> &names) {
  if (names.empty())
    return {};
  bool all = llvm::is_contained(names, "all");
  std::vector<std::string> known = passNames(manager);
  for (const std::string &name : names)
    if (name != "all" && !llvm::is_contained(known, name))
      return rt::makeError("--dump-after={}: the pipeline has no such pass; it "
                           "has {} (or say all)",
                           name, fmt::join(known, ", "));
  manager.enableIRPrinting(
      /*shouldPrintBeforePass=*/nullptr,
      [all, names](mlir::Pass *pass, mlir::Operation *) {
        return all || llvm::is_contained(names, pass->getArgument());
      },
      /*printModuleScope=*/true, /*printAfterOnlyOnChange=*/false);
  return {};
}

} // namespace tirx
