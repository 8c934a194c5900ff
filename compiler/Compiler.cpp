//===- Compiler.cpp - the compiler as one function ------------------------===//
#include "tirx/Compiler/Compiler.h"

#include "Diagnostics.h"
#include "DumpAfter.h"
#include "PassOptions.h"
#include "tirx/Compiler/CubinCache.h"
#include "tirx/Compiler/EmitPTX.h"
#include "tirx/Compiler/Manifest.h"
#include "tirx/Compiler/Ptxas.h"
#include "tirx/Compiler/Register.h"
#include "tirx/Passes/Pipeline.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <chrono>

namespace tirx {
namespace {

using Emit = CompileOptions::Emit;

/// Measures the stages of one compilation, in order.
class Stopwatch {
public:
  explicit Stopwatch(CompileResult &result) : result(result) {}
  ~Stopwatch() { result.totalSeconds = seconds(begin); }
  /// Ends a stage that began where the one before ended.
  void lap(const char *stage) {
    result.times.push_back({stage, seconds(last)});
    last = Clock::now();
  }
  /// Records a stage that was measured elsewhere.
  void add(const char *stage, double duration) {
    result.times.push_back({stage, duration});
    last = Clock::now();
  }

private:
  using Clock = std::chrono::steady_clock;
  static double seconds(Clock::time_point since) {
    return std::chrono::duration<double>(Clock::now() - since).count();
  }
  CompileResult &result;
  Clock::time_point begin = Clock::now(), last = begin;
};

/// The pipeline's passes over `module`.
rt::Expected<void> runPasses(mlir::ModuleOp module, const TargetInfo &target,
                             const CompileOptions &options,
                             const Diagnostics &diagnostics,
                             llvm::StringRef name) {
  mlir::MLIRContext *context = module.getContext();
  // IR printing, and modules of a few kernels, gain nothing from threads.
  bool threaded = context->isMultithreadingEnabled();
  context->disableMultithreading();
  mlir::PassManager manager(context);
  passes::buildPipeline(manager, passOptions(target, options));
  rt::Expected<void> result = dumpAfter(manager, options.dumpAfter);
  if (result && failed(manager.run(module)))
    result = diagnostics.error(name, "cannot be lowered");
  if (threaded)
    context->enableMultithreading();
  return result;
}

/// What ptxas makes of `result.ptx`, or what the cache remembers of it.
PtxasExpected<PtxasReport> assemble(CompileResult &result,
                                    const TargetInfo &target,
                                    const CompileOptions &options) {
  auto ptxas = findPtxas();
  if (!ptxas)
    return tl::unexpected(ptxas.error());
  std::vector<std::string> flags = ptxasOptions(target, options.lineInfo);
  std::optional<CubinCache> cache;
  if (options.cache)
    cache = CubinCache::forUser();
  std::string key = CubinCache::key(result.ptx, ptxas->version, flags);
  if (cache)
    if (auto entry = cache->load(key)) {
      result.cubin = std::move(entry->cubin);
      result.cubinCached = true;
      return parsePtxasOutput(entry->log);
    }
  auto run = runPtxas(*ptxas, result.ptx, flags);
  if (!run)
    return tl::unexpected(run.error());
  if (cache)
    cache->store(key, {run->cubin, run->log});
  result.cubin = std::move(run->cubin);
  return run->report;
}

rt::Expected<void> compileModule(mlir::ModuleOp module, llvm::StringRef name,
                                 const CompileOptions &options,
                                 const Diagnostics &diagnostics,
                                 CompileResult &result, Stopwatch &watch) {
  auto target = lookupTarget(options.target);
  if (!target)
    return tl::unexpected(target.error());
  if (auto done = runPasses(module, *target, options, diagnostics, name); !done)
    return done;
  watch.lap("passes");
  if (options.emit == Emit::mlir) {
    llvm::raw_string_ostream os(result.mlir);
    module.print(os);
    return {};
  }

  std::vector<rt::Kernel> kernels;
  if (options.emit == Emit::txk) {
    auto manifest = buildManifest(module);
    if (!manifest)
      return rt::addContext(name.str(), manifest.error());
    kernels = std::move(*manifest);
    if (kernels.empty())
      return rt::makeError("{}: there is no kernel in it", name.str());
  }
  passes::prepareForTranslation(module);

  EmitOptions emit;
  emit.lineInfo = options.lineInfo;
  emit.keepLLVM = options.emit == Emit::llvm;
  emit.codegen = options.emit != Emit::llvm;
  auto emitted = emitPTX(module, *target, emit);
  if (!emitted)
    return rt::addContext(name.str(), emitted.error());
  result.llvm = std::move(emitted->llvm);
  result.ptx = std::move(emitted->ptx);
  llvm::append_range(result.warnings, emitted->warnings);
  watch.add("llvm", emitted->llvmSeconds);
  if (!emit.codegen)
    return {};
  watch.add("codegen", emitted->codegenSeconds);
  if (options.emit == Emit::ptx)
    return {};

  PtxasReport report;
  if (options.emit == Emit::cubin || options.assemble) {
    auto assembled = assemble(result, *target, options);
    if (assembled) {
      report = std::move(*assembled);
      watch.lap("ptxas");
    } else if (options.emit == Emit::cubin ||
               assembled.error().kind != PtxasError::Kind::not_found) {
      return rt::makeError("{}: {}", name.str(), assembled.error().message);
    } else {
      result.warnings.push_back("the artifact has PTX but no cubin: " +
                                assembled.error().message);
    }
    llvm::append_range(result.warnings, report.warnings);
  }
  if (options.emit == Emit::cubin)
    return {};

  for (rt::Kernel &kernel : kernels) {
    rt::TargetCode code;
    code.target = options.target;
    code.ptx = result.ptx;
    code.cubin = result.cubin;
    if (auto it = report.kernels.find(kernel.name); it != report.kernels.end())
      code.resources = it->second;
    kernel.codes.push_back(std::move(code));
  }
  result.artifact.compiler = compilerVersion();
  result.artifact.source = name.str();
  result.artifact.kernels = std::move(kernels);
  return {};
}

} // namespace

rt::Expected<CompileResult> compile(llvm::StringRef source,
                                    llvm::StringRef name,
                                    const CompileOptions &options) {
  CompileResult result;
  {
    Stopwatch watch(result);
    mlir::DialectRegistry registry;
    registerDialects(registry);
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    // A message that names its line needs no dump of the whole operation.
    context.printOpOnDiagnostic(false);
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBufferCopy(source, name), llvm::SMLoc());
    Diagnostics diagnostics(sources, &context, result.warnings);
    auto module = mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
    if (!module)
      return diagnostics.error(name, "is not valid IR");
    watch.lap("parse");
    if (auto done =
            compileModule(*module, name, options, diagnostics, result, watch);
        !done)
      return tl::unexpected(done.error());
  }
  return result;
}

rt::Expected<CompileResult> compile(mlir::ModuleOp module,
                                    const CompileOptions &options) {
  CompileResult result;
  {
    Stopwatch watch(result);
    mlir::DialectRegistry registry;
    registerDialects(registry);
    module.getContext()->appendDialectRegistry(registry);
    llvm::SourceMgr sources;
    Diagnostics diagnostics(sources, module.getContext(), result.warnings);
    mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
    llvm::StringRef name = module.getName().value_or("module");
    watch.lap("clone");
    if (auto done =
            compileModule(*copy, name, options, diagnostics, result, watch);
        !done)
      return tl::unexpected(done.error());
  }
  return result;
}

std::string formatTimes(const CompileResult &result) {
  std::string table = fmt::format("{:<10}{:>10}\n", "stage", "ms");
  for (const StageTime &time : result.times)
    table += fmt::format("{:<10}{:>10.2f}{}\n", time.stage, 1e3 * time.seconds,
                         time.stage == "ptxas" && result.cubinCached
                             ? "  (from the cache)"
                             : "");
  return table +
         fmt::format("{:<10}{:>10.2f}\n", "total", 1e3 * result.totalSeconds);
}

} // namespace tirx
