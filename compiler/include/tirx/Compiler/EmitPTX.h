//===- EmitPTX.h - from the LLVM dialect to PTX -----------------*- C++ -*-===//
#pragma once

#include "tirx/Compiler/Target.h"
#include "tirx/Runtime/Error.h"

#include "mlir/IR/BuiltinOps.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace tirx {

struct EmitOptions {
  /// Write .file and .loc directives that name the source lines.
  bool lineInfo = true;
  /// Also return the optimised LLVM IR as text.
  bool keepLLVM = false;
  /// Stop after LLVM's optimiser.
  bool codegen = true;
};

struct EmitResult {
  std::string ptx;
  std::string llvm; ///< with EmitOptions::keepLLVM
  std::vector<std::string> warnings;
  double llvmSeconds = 0;    ///< translation and optimisation
  double codegenSeconds = 0; ///< NVPTX code generation
};

/// Translates a module of LLVM and NVVM dialect functions to LLVM IR, with the
/// target's triple and data layout, line tables from the module's locations
/// (directives only: no debug sections), and attributes on inline assembly that
/// MLIR cannot express: with side effects it is convergent, without them it
/// touches no memory.
///
/// The module's context must have been created from registerDialects. Errors:
/// an op that has no translation, or IR that LLVM's verifier refuses.
rt::Expected<std::unique_ptr<llvm::Module>>
translateToLLVMIR(mlir::ModuleOp module, llvm::LLVMContext &context,
                  const TargetInfo &target, bool lineInfo = true);

/// Translates, optimises (O3) and generates PTX for `target`, in this process.
/// Takes `module` as it is: ops that are not of the LLVM or NVVM dialect must
/// be gone. LLVM's fatal errors ("Cannot select ...") come back as errors; one
/// compilation at a time is in LLVM's code generator (a process-wide lock),
/// since LLVM's error hooks are global.
rt::Expected<EmitResult> emitPTX(mlir::ModuleOp module,
                                 const TargetInfo &target,
                                 const EmitOptions &options = {});

} // namespace tirx
