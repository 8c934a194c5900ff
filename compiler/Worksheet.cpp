//===- Worksheet.cpp - what a kernel's roles share and hand over ----------===//
#include "tirx/Compiler/Worksheet.h"

#include "Diagnostics.h"
#include "PassOptions.h"
#include "tirx/Compiler/Register.h"
#include "tirx/Passes/Worksheet.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"

namespace tirx {
namespace {

using Module = mlir::OwningOpRef<mlir::ModuleOp>;

/// Puts the names of results, which IR does not keep, into the locations of
/// their operations.
void keepNames(const mlir::AsmParserState &state) {
  for (const auto &definition : state.getOpDefs()) {
    if (definition.resultGroups.size() != 1)
      continue;
    llvm::SMRange range = definition.resultGroups.front().definition.loc;
    llvm::StringRef text(range.Start.getPointer(),
                         range.End.getPointer() - range.Start.getPointer());
    text.consume_front("%");
    mlir::Operation *op = definition.op;
    op->setLoc(mlir::NameLoc::get(mlir::StringAttr::get(op->getContext(), text),
                                  op->getLoc()));
  }
}

Module parse(llvm::SourceMgr &sources, mlir::MLIRContext &context) {
  const llvm::MemoryBuffer *buffer =
      sources.getMemoryBuffer(sources.getMainFileID());
  if (mlir::isBytecode(buffer->getMemBufferRef()))
    return mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
  mlir::Block block;
  mlir::AsmParserState state;
  if (failed(mlir::parseAsmSourceFile(sources, &block, &context, &state)))
    return {};
  keepNames(state);
  return mlir::detail::constructContainerOpForParserIfNecessary<mlir::ModuleOp>(
      &block, &context,
      mlir::FileLineColLoc::get(&context, buffer->getBufferIdentifier(), 0, 0));
}

} // namespace

rt::Expected<std::string> worksheet(llvm::StringRef source,
                                    llvm::StringRef name,
                                    const CompileOptions &options) {
  auto target = lookupTarget(options.target);
  if (!target)
    return tl::unexpected(target.error());
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(source, name),
                             llvm::SMLoc());
  std::vector<std::string> warnings;
  Diagnostics diagnostics(sources, &context, warnings);
  Module module = parse(sources, context);
  if (!module)
    return diagnostics.error(name, "is not valid IR");

  passes::PipelineOptions pipeline = passOptions(*target, options);
  mlir::PassManager checks(&context);
  passes::buildVerification(checks, pipeline);
  if (failed(checks.run(*module)))
    return diagnostics.error(name, "is refused");
  for (auto kernel : module->getOps<ir::KernelOp>())
    passes::nameStorage(kernel);
  Module lowered = module->clone();
  mlir::PassManager lowering(&context);
  passes::buildStoragePipeline(lowering, pipeline);
  if (failed(lowering.run(*lowered)))
    return diagnostics.error(name, "cannot be lowered");

  std::string text;
  for (auto kernel : module->getOps<ir::KernelOp>()) {
    auto placed = lowered->lookupSymbol<ir::KernelOp>(kernel.getSymNameAttr());
    auto sheet = passes::writeWorksheet(
        kernel, placed, {pipeline.maxSharedBytes, pipeline.tmemColumns});
    if (failed(sheet))
      return diagnostics.error(name, "cannot be described");
    text += (text.empty() ? "" : "\n") + *sheet;
  }
  if (text.empty())
    return rt::makeError("{}: there is no kernel in it", name.str());
  return text;
}

} // namespace tirx
