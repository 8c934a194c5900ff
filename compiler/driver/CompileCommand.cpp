//===- CompileCommand.cpp - tirxc FILE.mlir -------------------------------===//
#include "CommandLine.h"
#include "Commands.h"
#include "tirx/Compiler/Worksheet.h"
#include "tirx/Runtime/Artifact.h"
#include "tirx/Runtime/Tensor.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace tirx::driver {
namespace {

using Emit = CompileOptions::Emit;

const OptionSpec options[] = {
    {"-o", "FILE",
     "where to write; - is stdout. By default mlir, llvm and ptx go to\n"
     "stdout, cubin and txk to the input's name with that extension"},
    {"--emit", "KIND",
     "mlir, llvm, ptx, cubin or txk; by default what -o ends in, else txk"},
    {"--target", "GPU", "sm_100a (default) or sm_90a"},
    {"--retype", "FROM:TO", "replace an element type, such as f16:bf16", true},
    {"--dump-after", "PASS",
     "print the module to stderr after a pass, or after all", true},
    {"--worksheet", "",
     "instead of compiling, print tables of roles, hand-offs and storage"},
    {"--time", "", "print the time that each stage takes to stderr"},
    {"--no-cache", "", "neither use nor fill the cubin cache"},
    {"--no-lineinfo", "", "leave source lines out of PTX and cubin"},
    {"--version", "", "print the version"},
};

const CommandSpec spec = {
    "tirxc FILE.mlir [-o FILE] [options]\n"
    "       tirxc run FILE [options]     launch a kernel; see tirxc run "
    "--help\n"
    "       tirxc info FILE.txk          print an artifact's manifest\n"
    "       tirxc gen gemm [options]     write a GEMM kernel; see tirxc gen "
    "--help\n"
    "       tirxc layout LAYOUT          describe, evaluate, draw a layout\n"
    "       tirxc descriptor 0x...       decode a tensor-core descriptor",
    "Compiles tirx kernels (textual IR or bytecode; - is stdin).", options};

struct Output {
  llvm::StringRef name;      ///< --emit's value
  llvm::StringRef extension; ///< of files
  Emit emit;
  bool toStdout; ///< unless -o says otherwise
};
const Output outputs[] = {
    {"mlir", ".mlir", Emit::mlir, true},
    {"llvm", ".ll", Emit::llvm, true},
    {"ptx", ".ptx", Emit::ptx, true},
    {"cubin", ".cubin", Emit::cubin, false},
    {"txk", ".txk", Emit::txk, false},
};

rt::Expected<Output> chooseOutput(const ParsedLine &line) {
  auto named = line.value("--emit");
  std::string path = line.value("-o").value_or("");
  llvm::StringRef extension = llvm::sys::path::extension(path);
  std::vector<std::string> names;
  for (const Output &output : outputs) {
    if (named ? output.name == *named : output.extension == extension)
      return output;
    names.push_back(output.name.str());
  }
  if (named)
    return rt::makeError("--emit={}: the kinds are {}", *named,
                         fmt::join(names, ", "));
  return outputs[std::size(outputs) - 1];
}

/// The bytes that the user asked for.
std::vector<std::byte> contents(const CompileResult &result, Emit emit) {
  auto bytes = [](llvm::StringRef text) {
    auto *data = reinterpret_cast<const std::byte *>(text.data());
    return std::vector<std::byte>(data, data + text.size());
  };
  switch (emit) {
  case Emit::mlir:
    return bytes(result.mlir);
  case Emit::llvm:
    return bytes(result.llvm);
  case Emit::ptx:
    return bytes(result.ptx);
  case Emit::cubin:
    return result.cubin;
  case Emit::txk:
    return rt::writeArtifact(result.artifact);
  }
  llvm_unreachable("all kinds are handled");
}

rt::Expected<void> writeWorksheet(llvm::StringRef source,
                                  const std::string &name,
                                  const CompileOptions &options,
                                  const std::string &path) {
  auto text = worksheet(source, name, options);
  if (!text)
    return tl::unexpected(text.error());
  if (path == "-")
    return writeStdout(*text);
  return rt::writeFileAtomically(path, text->data(), text->size());
}

} // namespace

std::string compileHelp() { return renderHelp(spec); }

rt::Expected<void> compileCommand(Arguments arguments) {
  auto line = parseCommandLine(spec, arguments);
  if (!line)
    return tl::unexpected(line.error());
  if (line->has("--help"))
    return writeStdout(compileHelp());
  if (line->has("--version"))
    return writeStdout(compilerVersion() + "\n");
  auto input = onlyOperand(line->positional, "input file");
  if (!input)
    return tl::unexpected(input.error());
  auto output = chooseOutput(*line);
  if (!output)
    return tl::unexpected(output.error());
  auto retype = parseRetype(line->list("--retype"));
  if (!retype)
    return tl::unexpected(retype.error());

  CompileOptions compileOptions;
  compileOptions.emit = output->emit;
  compileOptions.target = line->value("--target").value_or("sm_100a");
  compileOptions.dumpAfter = line->list("--dump-after");
  compileOptions.retype = std::move(*retype);
  compileOptions.lineInfo = !line->has("--no-lineinfo");
  compileOptions.cache = !line->has("--no-cache");

  auto source = readSource(*input);
  if (!source)
    return tl::unexpected(source.error());
  std::string name = *input == "-" ? "<stdin>" : *input;
  if (line->has("--worksheet") && line->has("--emit"))
    return rt::makeError("--worksheet prints tables instead of code: leave "
                         "--emit out");
  if (line->has("--worksheet"))
    return writeWorksheet(*source, name, compileOptions,
                          line->value("-o").value_or("-"));
  auto result = compile(*source, name, compileOptions);
  if (!result)
    return tl::unexpected(result.error());
  printWarnings(result->warnings);
  if (line->has("--time"))
    llvm::errs() << formatTimes(*result);

  std::vector<std::byte> bytes = contents(*result, output->emit);
  std::string path = line->value("-o").value_or(
      output->toStdout || *input == "-"
          ? "-"
          : llvm::sys::path::stem(*input).str() + output->extension.str());
  if (path == "-")
    return writeStdout(
        {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
  return rt::writeFileAtomically(path, bytes.data(), bytes.size());
}

} // namespace tirx::driver
