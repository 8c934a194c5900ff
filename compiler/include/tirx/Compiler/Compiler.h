//===- Compiler.h - compile kernels from C++ --------------------*- C++ -*-===//
//
// The whole compiler as one function: IR in, PTX and an artifact out. Nothing
// is written anywhere but into the cubin cache, and nothing is printed but what
// `dumpAfter` asks for.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "tirx/Runtime/Artifact.h"
#include "tirx/Runtime/Error.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tirx {

/// "tirx 0.1.0": what artifacts and --version say.
std::string compilerVersion();

struct CompileOptions {
  /// How far to go. Each stage includes those before it, but for `txk`, which
  /// holds PTX alone where ptxas is not at hand.
  enum class Emit {
    mlir,  ///< after all passes: LLVM and NVVM dialect, and the host-side ops
    llvm,  ///< optimised LLVM IR
    ptx,   ///< PTX text
    cubin, ///< assembled; needs ptxas
    txk,   ///< the artifact: manifest, PTX and, if there is a ptxas, cubin
  };
  Emit emit = Emit::txk;
  std::string target = "sm_100a";
  /// For `txk`: run ptxas. The simulator needs PTX only.
  bool assemble = true;
  /// Passes after which the module is printed to stderr; "all" names all.
  std::vector<std::string> dumpAfter;
  /// Element types to replace in the whole module before the passes run:
  /// {"f16", "bf16"}. Both must have the same width.
  std::vector<std::pair<std::string, std::string>> retype;
  /// Source lines in the PTX (.loc) and the cubin (-lineinfo).
  bool lineInfo = true;
  /// Look cubins up in CubinCache::forUser() and store them there.
  bool cache = true;
};

/// Wall-clock seconds of one stage.
struct StageTime {
  std::string stage; ///< "parse", "passes", "llvm", "codegen", "ptxas"
  double seconds = 0;
};

struct CompileResult {
  /// The text of the stage that was asked for, and of PTX whenever reached.
  std::string mlir;
  std::string llvm;
  std::string ptx;
  std::vector<std::byte> cubin;
  /// With Emit::txk.
  rt::Artifact artifact;
  /// Whether the cubin came from the cache.
  bool cubinCached = false;
  std::vector<StageTime> times;
  double totalSeconds = 0;
  /// Warnings of all stages, each a text of its own: MLIR's and LLVM's, ptxas',
  /// register spills, a missing ptxas.
  std::vector<std::string> warnings;
};

/// Compiles textual IR or bytecode. `name` stands for it in locations and
/// messages. Errors carry all diagnostics, with their positions.
rt::Expected<CompileResult> compile(llvm::StringRef source,
                                    llvm::StringRef name,
                                    const CompileOptions &options = {});

/// Compiles a copy of a module that was built in memory; its context must have
/// been created from registerDialects. The module itself is not changed.
rt::Expected<CompileResult> compile(mlir::ModuleOp module,
                                    const CompileOptions &options = {});

/// A table of the stages' times for people (`tirxc --time`).
std::string formatTimes(const CompileResult &result);

} // namespace tirx
