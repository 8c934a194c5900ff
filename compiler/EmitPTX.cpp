//===- EmitPTX.cpp - from the LLVM dialect to PTX -------------------------===//
#include "tirx/Compiler/EmitPTX.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

#include <chrono>
#include <mutex>

#if __has_feature(address_sanitizer)
#include <sanitizer/lsan_interface.h>
#endif

extern "C" {
void LLVMInitializeNVPTXTargetInfo(void);
void LLVMInitializeNVPTXTarget(void);
void LLVMInitializeNVPTXTargetMC(void);
void LLVMInitializeNVPTXAsmPrinter(void);
}

namespace tirx {
namespace {

double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

rt::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const TargetInfo &info) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string message;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return rt::makeError("LLVM has no code generator for {}: {}", triple.str(),
                         message);
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, std::string(info.name), std::string(info.features), {},
      std::nullopt, std::nullopt, llvm::CodeGenOptLevel::Aggressive));
  if (!machine)
    return rt::makeError("LLVM's NVPTX code generator refuses target '{}'",
                         info.name);
  return machine;
}

/// The location's line in a file: LLVM's translation keeps no line of a fused
/// location, so its first one stands for it.
mlir::Location lineOf(mlir::Location loc) {
  return llvm::TypeSwitch<mlir::Location, mlir::Location>(loc)
      .Case([](mlir::NameLoc name) { return lineOf(name.getChildLoc()); })
      .Case([](mlir::CallSiteLoc call) {
        return mlir::CallSiteLoc::get(lineOf(call.getCallee()),
                                      lineOf(call.getCaller()));
      })
      .Case([](mlir::FusedLoc fused) -> mlir::Location {
        if (fused.getMetadata()) // a debug scope
          return fused;
        for (mlir::Location part : fused.getLocations())
          if (mlir::Location line = lineOf(part);
              !mlir::isa<mlir::UnknownLoc>(line))
            return line;
        return mlir::UnknownLoc::get(fused.getContext());
      })
      .Default([](mlir::Location other) { return other; });
}

/// Says of inline assembly what the LLVM dialect has no words for. Without
/// `convergent`, LLVM may copy a barrier into both arms of a branch. Calls of
/// functions are convergent for the same reason; LLVM itself drops the
/// attribute where the callee proves not to need it.
void annotateCalls(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (!function.isIntrinsic())
      function.setConvergent();
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (!call)
        continue;
      if (auto *assembly =
              llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand())) {
        call->setDoesNotThrow();
        if (assembly->hasSideEffects())
          call->setConvergent();
        else
          call->setMemoryEffects(llvm::MemoryEffects::none());
      } else if (!call->getCalledFunction() ||
                 !call->getCalledFunction()->isIntrinsic()) {
        call->setConvergent();
      }
    }
  }
}

/// LLVM 22's NVPTX prints every atomicrmw as a relaxed `atom` of GPU scope,
/// whatever its ordering and scope say; what cannot be printed is refused.
rt::Expected<void> checkAtomics(const llvm::Module &module) {
  for (const llvm::Function &function : module)
    for (const llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
      if (!atomic)
        continue;
      llvm::StringRef scope = module.getContext()
                                  .getSyncScopeName(atomic->getSyncScopeID())
                                  .value_or("");
      if (atomic->getOrdering() == llvm::AtomicOrdering::Monotonic &&
          scope == "device")
        continue;
      std::string where = function.getName().str();
      if (const llvm::DebugLoc &loc = atomic->getDebugLoc())
        where += ", line " + std::to_string(loc.getLine());
      return rt::makeError(
          "{}: atomicrmw with ordering '{}' and scope '{}': LLVM's NVPTX code "
          "generator drops both; only monotonic with scope 'device' is "
          "translated rightly. Use inline PTX (atom.<sem>.<scope>)",
          where, llvm::toIRString(atomic->getOrdering()), scope.str());
    }
  return {};
}

std::string joinLines(const std::vector<std::string> &lines) {
  std::string text;
  for (const std::string &line : lines)
    text += (text.empty() ? "" : "\n") + line;
  return text;
}

/// Runs `body` with MLIR's errors collected; they become the error's text.
template <typename Body>
auto withDiagnostics(mlir::MLIRContext *context, const char *what, Body body)
    -> rt::Expected<decltype(body())> {
  std::vector<std::string> errors;
  mlir::ScopedDiagnosticHandler handler(context, [&](mlir::Diagnostic &diag) {
    if (diag.getSeverity() != mlir::DiagnosticSeverity::Error)
      return mlir::failure();
    std::string text;
    llvm::raw_string_ostream os(text);
    os << diag.getLocation() << ": " << diag;
    errors.push_back(text);
    return mlir::success();
  });
  if (auto result = body())
    return result;
  return rt::makeError("{}:\n{}", what, joinLines(errors));
}

/// `.loc` needs a debug scope on each function. Only DebugDirectivesOnly keeps
/// ptxas optimising: the other kinds add `debug` to the .target directive.
rt::Expected<void> addLineTables(mlir::ModuleOp module) {
  module.walk([](mlir::Operation *op) { op->setLoc(lineOf(op->getLoc())); });
  mlir::PassManager manager(module.getContext());
  mlir::LLVM::DIScopeForLLVMFuncOpPassOptions options;
  options.emissionKind = mlir::LLVM::DIEmissionKind::DebugDirectivesOnly;
  manager.addPass(mlir::LLVM::createDIScopeForLLVMFuncOpPass(options));
  auto done = withDiagnostics(module.getContext(),
                              "source lines cannot be attached to the kernels",
                              [&] { return succeeded(manager.run(module)); });
  if (!done)
    return tl::unexpected(done.error());
  return {};
}

rt::Expected<std::unique_ptr<llvm::Module>>
translate(mlir::ModuleOp module, llvm::LLVMContext &context,
          llvm::TargetMachine &machine, bool lineInfo) {
  // A module without any of its ops still needs it.
  module.getContext()->getOrLoadDialect<mlir::LLVM::LLVMDialect>();
  if (lineInfo)
    if (auto done = addLineTables(module); !done)
      return tl::unexpected(done.error());
  auto llvmModule = withDiagnostics(
      module.getContext(), "the module cannot be translated to LLVM IR", [&] {
        return mlir::translateModuleToLLVMIR(module, context, "tirx",
                                             /*disableVerification=*/true);
      });
  if (!llvmModule)
    return llvmModule;
  (*llvmModule)->setTargetTriple(machine.getTargetTriple());
  (*llvmModule)->setDataLayout(machine.createDataLayout());
  annotateCalls(**llvmModule);
  std::string broken;
  llvm::raw_string_ostream os(broken);
  if (llvm::verifyModule(**llvmModule, &os))
    return rt::makeError("LLVM's verifier refuses the translated module: {}",
                         broken);
  if (auto atomics = checkAtomics(**llvmModule); !atomics)
    return tl::unexpected(atomics.error());
  return llvmModule;
}

void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3)
      .run(module, modules);
}

/// Collects what LLVM reports through its context: errors fail the compilation,
/// warnings are passed on, remarks are dropped.
struct Collector : llvm::DiagnosticHandler {
  std::vector<std::string> &errors, &warnings;
  Collector(std::vector<std::string> &errors,
            std::vector<std::string> &warnings)
      : errors(errors), warnings(warnings) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::DiagnosticPrinterRawOStream printer(os);
    info.print(printer);
    if (info.getSeverity() == llvm::DS_Error)
      errors.push_back(text);
    else if (info.getSeverity() == llvm::DS_Warning)
      warnings.push_back("LLVM: " + text);
    return true;
  }
};

/// One compilation's LLVM objects, destroyed in the order LLVM demands.
struct Session {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
  std::vector<std::string> errors;
};

/// LLVM's fatal errors and crash recovery are process-wide.
std::mutex &llvmLock() {
  static std::mutex mutex;
  return mutex;
}

void onFatalError(void *text, const char *reason, bool) {
  *static_cast<std::string *>(text) = reason;
  // Leaves the code generator for RunSafely; returning would end the process.
  if (auto *recovery = llvm::CrashRecoveryContext::GetCurrent())
    recovery->HandleExit(1);
}

/// Where leaks are looked for, tolerates those of code that is left by a jump.
struct LeakTolerance {
#if __has_feature(address_sanitizer)
  LeakTolerance() { __lsan_disable(); }
  ~LeakTolerance() { __lsan_enable(); }
  static void ignore(void *object) { __lsan_ignore_object(object); }
#else
  LeakTolerance() {}
  static void ignore(void *) {}
#endif
};

/// Runs LLVM code that may abort. False if it did, with the reason in `fatal`.
bool runGuarded(llvm::function_ref<void()> body, std::string &fatal) {
  std::lock_guard lock(llvmLock());
  LeakTolerance tolerance;
  llvm::CrashRecoveryContext::Enable();
  llvm::ScopedFatalErrorHandler handler(onFatalError, &fatal);
  llvm::CrashRecoveryContext recovery;
  bool ok = recovery.RunSafely(body);
  llvm::CrashRecoveryContext::Disable();
  if (!ok && fatal.empty())
    fatal = "crash, code " + std::to_string(recovery.RetCode);
  return ok;
}

} // namespace

rt::Expected<std::unique_ptr<llvm::Module>>
translateToLLVMIR(mlir::ModuleOp module, llvm::LLVMContext &context,
                  const TargetInfo &target, bool lineInfo) {
  auto machine = createTargetMachine(target);
  if (!machine)
    return tl::unexpected(machine.error());
  return translate(module, context, **machine, lineInfo);
}

rt::Expected<EmitResult> emitPTX(mlir::ModuleOp module,
                                 const TargetInfo &target,
                                 const EmitOptions &options) {
  EmitResult result;
  auto session = std::make_unique<Session>();
  session->context.setDiagnosticHandler(
      std::make_unique<Collector>(session->errors, result.warnings),
      /*RespectFilters=*/true);
  auto start = std::chrono::steady_clock::now();

  auto machine = createTargetMachine(target);
  if (!machine)
    return tl::unexpected(machine.error());
  session->machine = std::move(*machine);
  auto translated =
      translate(module, session->context, *session->machine, options.lineInfo);
  if (!translated)
    return tl::unexpected(translated.error());
  session->module = std::move(*translated);

  llvm::SmallString<0> ptx;
  const char *stage = "optimiser";
  std::string fatal;
  bool finished = runGuarded(
      [&] {
        optimize(*session->module, *session->machine);
        result.llvmSeconds = secondsSince(start);
        if (options.keepLLVM) {
          llvm::raw_string_ostream os(result.llvm);
          session->module->print(os, nullptr);
        }
        if (!options.codegen)
          return;
        stage = "NVPTX code generator";
        start = std::chrono::steady_clock::now();
        llvm::raw_svector_ostream os(ptx);
        llvm::legacy::PassManager manager;
        if (session->machine->addPassesToEmitFile(
                manager, os, nullptr, llvm::CodeGenFileType::AssemblyFile)) {
          session->errors.push_back("it cannot write assembly");
          return;
        }
        manager.run(*session->module);
        result.codegenSeconds = secondsSince(start);
      },
      fatal);
  if (!finished) {
    // What LLVM left half-built cannot be destroyed safely; it is leaked.
    std::vector<std::string> errors = std::move(session->errors);
    session->context.setDiagnosticHandler(nullptr);
    LeakTolerance::ignore(session.release());
    errors.push_back(fatal);
    return rt::makeError("LLVM's {} failed for target {}: {}", stage,
                         target.name, joinLines(errors));
  }
  if (!session->errors.empty())
    return rt::makeError("LLVM's {} failed for target {}: {}", stage,
                         target.name, joinLines(session->errors));
  result.ptx = std::string(ptx);
  return result;
}

} // namespace tirx
