//===- Driver.cpp - the command line of tirxc -----------------------------===//
#include "tirx/Compiler/Driver.h"

#include "Commands.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/ranges.h>

namespace tirx::driver {

rt::Expected<std::string> readSource(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer)
    return rt::makeError("cannot read '{}': {}", path,
                         buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

rt::Expected<void> writeStdout(llvm::StringRef text) {
  llvm::outs() << text;
  llvm::outs().flush();
  if (std::error_code code = llvm::outs().error()) {
    llvm::outs().clear_error();
    return rt::makeError("cannot write to stdout: {}", code.message());
  }
  return {};
}

void printWarnings(const std::vector<std::string> &warnings) {
  for (const std::string &warning : warnings)
    llvm::errs() << "tirxc: warning: " << warning << "\n";
}

rt::Expected<std::string> onlyOperand(const std::vector<std::string> &operands,
                                      llvm::StringRef what) {
  if (operands.empty())
    return rt::makeError("{} is missing; see --help", what.str());
  if (operands.size() > 1)
    return rt::makeError("one {} was expected, but got {}: {}", what.str(),
                         operands.size(), fmt::join(operands, ", "));
  return operands.front();
}

rt::Expected<std::vector<std::pair<std::string, std::string>>>
parseRetype(const std::vector<std::string> &items) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string &item : items) {
    auto [from, to] = llvm::StringRef(item).split(':');
    if (from.empty() || to.empty())
      return rt::makeError(
          "--retype={}: FROM:TO was expected, such as f16:bf16", item);
    pairs.emplace_back(from.str(), to.str());
  }
  return pairs;
}

static rt::Expected<void> dispatch(Arguments arguments) {
  if (arguments.empty())
    return rt::makeError("an input file is missing\n{}", compileHelp());
  if (arguments.front() == "--version")
    return writeStdout(compilerVersion() + "\n");
  if (arguments.front() == "run")
    return runCommand(arguments.drop_front());
  if (arguments.front() == "info")
    return infoCommand(arguments.drop_front());
  if (arguments.front() == "gen")
    return genCommand(arguments.drop_front());
  if (arguments.front() == "layout")
    return layoutCommand(arguments.drop_front());
  if (arguments.front() == "descriptor")
    return descriptorCommand(arguments.drop_front());
  return compileCommand(arguments);
}

int runTirxc(const std::vector<std::string> &arguments) {
  if (auto done = dispatch(arguments); !done) {
    llvm::errs() << "tirxc: error: " << done.error().message << "\n";
    return 1;
  }
  return 0;
}

} // namespace tirx::driver
