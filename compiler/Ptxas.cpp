//===- Ptxas.cpp - find and run ptxas -------------------------------------===//
#include "tirx/Compiler/Ptxas.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

#include <cstdlib>
#include <mutex>

namespace tirx {
namespace {

template <typename... Args>
tl::unexpected<PtxasError> ptxasError(PtxasError::Kind kind,
                                      fmt::format_string<Args...> format,
                                      Args &&...args) {
  return tl::unexpected<PtxasError>(
      PtxasError{kind, fmt::format(format, std::forward<Args>(args)...)});
}

/// $name, if it is set and not empty.
std::optional<std::string> environment(const char *name) {
  const char *value = std::getenv(name);
  if (!value || !*value)
    return std::nullopt;
  return std::string(value);
}

std::string joinPath(llvm::StringRef folder, llvm::StringRef name) {
  llvm::SmallString<256> path(folder);
  llvm::sys::path::append(path, name);
  return std::string(path);
}

/// lib/python*/site-packages/nvidia/*/bin below a Python environment.
std::vector<std::string> pythonEnvironmentFolders(llvm::StringRef root) {
  auto subfolders = [](llvm::StringRef folder, llvm::StringRef prefix) {
    std::vector<std::string> found;
    std::error_code error;
    for (llvm::sys::fs::directory_iterator it(folder, error), end;
         it != end && !error; it.increment(error))
      if (llvm::sys::path::filename(it->path()).starts_with(prefix))
        found.push_back(it->path());
    llvm::sort(found);
    return found;
  };
  std::vector<std::string> folders;
  for (const std::string &python : subfolders(joinPath(root, "lib"), "python"))
    for (const std::string &part :
         subfolders(joinPath(python, "site-packages/nvidia"), ""))
      folders.push_back(joinPath(part, "bin"));
  return folders;
}

struct Output {
  int status = 0;
  std::string text;  ///< stdout and stderr
  std::string error; ///< why it could not be run, if so
};

Output execute(const std::string &program,
               const std::vector<std::string> &arguments) {
  Output output;
  llvm::SmallString<128> log;
  if (std::error_code code =
          llvm::sys::fs::createTemporaryFile("tirx-ptxas", "log", log)) {
    output.status = -1;
    output.error = "no temporary file: " + code.message();
    return output;
  }
  llvm::scope_exit remove([&] { llvm::sys::fs::remove(log); });
  std::vector<llvm::StringRef> args = {program};
  args.insert(args.end(), arguments.begin(), arguments.end());
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(), log.str(),
                                                log.str()};
  output.status = llvm::sys::ExecuteAndWait(program, args, std::nullopt,
                                            redirects, 0, 0, &output.error);
  if (auto buffer = llvm::MemoryBuffer::getFile(log))
    output.text = (*buffer)->getBuffer().str();
  return output;
}

/// "13.0.88" from "... release 13.0, V13.0.88".
std::string parseVersion(llvm::StringRef text) {
  auto [before, after] = text.split(", V");
  return after.take_while([](char c) { return llvm::isDigit(c) || c == '.'; })
      .str();
}

/// Asks ptxas for its version, once a path and process.
PtxasExpected<Ptxas> probe(const std::string &path) {
  static std::mutex mutex;
  static std::map<std::string, std::string> versions;
  std::lock_guard lock(mutex);
  auto known = versions.find(path);
  if (known == versions.end()) {
    Output output = execute(path, {"--version"});
    std::string version = parseVersion(output.text);
    if (output.status != 0 || version.empty())
      return ptxasError(PtxasError::Kind::not_found,
                        "'{}' is no ptxas: --version gives status {}{}{}", path,
                        output.status, output.error.empty() ? "" : ", ",
                        output.error);
    known = versions.emplace(path, version).first;
  }
  return Ptxas{path, known->second};
}

} // namespace

PtxasExpected<Ptxas> findPtxas() {
  if (const char *named = std::getenv("TIRX_PTXAS")) {
    if (!llvm::sys::fs::can_execute(named))
      return ptxasError(PtxasError::Kind::not_found,
                        "TIRX_PTXAS='{}' is not an executable file", named);
    return probe(named);
  }
  std::vector<std::string> folders;
  auto addPythonEnvironment = [&](const char *variable) {
    if (auto root = environment(variable))
      for (std::string &folder : pythonEnvironmentFolders(*root))
        folders.push_back(std::move(folder));
  };
  addPythonEnvironment("TIRX_PTXAS_VENV");
  if (auto path = environment("PATH")) {
    llvm::SmallVector<llvm::StringRef> parts;
    llvm::StringRef(*path).split(parts, ':', -1, /*KeepEmpty=*/false);
    folders.insert(folders.end(), parts.begin(), parts.end());
  }
  for (const char *name : {"CUDA_HOME", "CUDA_PATH"})
    if (auto root = environment(name))
      folders.push_back(joinPath(*root, "bin"));
  folders.push_back("/usr/local/cuda/bin");
  addPythonEnvironment("VIRTUAL_ENV");
  for (const std::string &folder : folders)
    if (std::string path = joinPath(folder, "ptxas");
        llvm::sys::fs::can_execute(path))
      return probe(path);
  return ptxasError(
      PtxasError::Kind::not_found,
      "ptxas was not found in $TIRX_PTXAS_VENV, PATH, $CUDA_HOME/bin, "
      "$CUDA_PATH/bin, /usr/local/cuda/bin or $VIRTUAL_ENV; install the CUDA "
      "toolkit (12.9 or newer) or set TIRX_PTXAS to its path");
}

std::vector<std::string> ptxasOptions(const TargetInfo &target, bool lineInfo) {
  std::vector<std::string> options = {fmt::format("-arch={}", target.name),
                                      "-v"};
  if (lineInfo)
    options.push_back("-lineinfo");
  return options;
}

PtxasExpected<PtxasResult> runPtxas(const Ptxas &ptxas, std::string_view ptx,
                                    const std::vector<std::string> &options) {
  llvm::SmallString<128> input, output;
  llvm::scope_exit remove([&] {
    for (llvm::StringRef path : {input.str(), output.str()})
      if (!path.empty())
        llvm::sys::fs::remove(path);
  });
  int descriptor = -1;
  std::error_code code =
      llvm::sys::fs::createTemporaryFile("tirx", "ptx", descriptor, input);
  if (!code) {
    llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
    os << llvm::StringRef(ptx);
    os.close();
    code = os.error();
    os.clear_error();
  }
  if (!code)
    code = llvm::sys::fs::createTemporaryFile("tirx", "cubin", output);
  if (code)
    return ptxasError(PtxasError::Kind::failed,
                      "cannot write a temporary file for ptxas: {}",
                      code.message());

  std::vector<std::string> arguments = options;
  arguments.insert(arguments.end(),
                   {"-o", std::string(output), std::string(input)});
  Output run = execute(ptxas.path, arguments);
  if (run.status != 0) {
    // The temporary file's name tells the user nothing.
    std::string text = run.text + run.error;
    for (size_t at; (at = text.find(input.str())) != std::string::npos;)
      text.replace(at, input.size(), "PTX");
    return ptxasError(PtxasError::Kind::failed,
                      "ptxas {} ({}) failed with status {}:\n{}", ptxas.version,
                      ptxas.path, run.status, llvm::StringRef(text).rtrim());
  }
  auto buffer = llvm::MemoryBuffer::getFile(output, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer || (*buffer)->getBufferSize() == 0)
    return ptxasError(PtxasError::Kind::failed, "ptxas {} ({}) wrote no cubin",
                      ptxas.version, ptxas.path);
  PtxasResult result;
  auto *bytes =
      reinterpret_cast<const std::byte *>((*buffer)->getBufferStart());
  result.cubin.assign(bytes, bytes + (*buffer)->getBufferSize());
  result.log = run.text;
  result.report = parsePtxasOutput(result.log);
  return result;
}

} // namespace tirx
