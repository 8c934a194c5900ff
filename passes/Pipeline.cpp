//===- Pipeline.cpp - the passes in order ---------------------------------===//

#include "tirx/Passes/Pipeline.h"

#include "tirx/Dialect/TIRx.h"
#include "tirx/Passes/Passes.h"

#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tirx::passes;

void tirx::passes::buildVerification(OpPassManager &manager,
                                     const PipelineOptions &options) {
  for (const auto &[from, to] : options.retype)
    manager.addPass(createTIRxRetype({from, to}));
  manager.addPass(createTIRxVerify());
}

void tirx::passes::buildStoragePipeline(OpPassManager &manager,
                                        const PipelineOptions &options) {
  manager.addPass(createTIRxLowerSchedules({options.launchControl}));
  manager.addPass(createTIRxPlanPipelines());
  manager.addPass(createTIRxThreadPipelineState());
  manager.addPass(createTIRxLowerPipelines());
  manager.addPass(createTIRxElectThreads());
  manager.addPass(createTIRxDispatch());
  manager.addPass(createTIRxLowerTiles());
  manager.addPass(createTIRxDistribute());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(
      createTIRxAssignStorage({options.maxSharedBytes, options.tmemColumns}));
}

void tirx::passes::buildPipeline(OpPassManager &manager,
                                 const PipelineOptions &options) {
  buildVerification(manager, options);
  buildStoragePipeline(manager, options);
  manager.addPass(createTIRxLowerRoles());
  manager.addPass(createTIRxLowerProtocol());
  manager.addPass(createTIRxOutlineKernels());
  manager.addPass(createCSEPass());
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(createConvertTIRxToNVVM());
  manager.addPass(createReconcileUnrealizedCastsPass());
  manager.addPass(createCanonicalizerPass());
}

namespace {
struct ToNVVMOptions : PassPipelineOptions<ToNVVMOptions> {
  Option<int64_t> maxSharedBytes{
      *this, "max-shared-bytes",
      llvm::cl::desc("dynamic shared memory a CTA may have, in bytes"),
      llvm::cl::init(PipelineOptions().maxSharedBytes)};
  Option<int64_t> tmemColumns{
      *this, "tmem-columns",
      llvm::cl::desc("32-bit columns of tensor memory an SM has, 0 for none"),
      llvm::cl::init(PipelineOptions().tmemColumns)};
  Option<bool> launchControl{
      *this, "launch-control",
      llvm::cl::desc("whether the target has clusterlaunchcontrol"),
      llvm::cl::init(PipelineOptions().launchControl)};
};
} // namespace

void tirx::passes::registerPipelines() {
  PassPipelineRegistration<ToNVVMOptions>(
      "tirx-to-nvvm", "Lower tirx kernels to the LLVM and NVVM dialects",
      [](OpPassManager &manager, const ToNVVMOptions &options) {
        PipelineOptions pipeline;
        pipeline.maxSharedBytes = options.maxSharedBytes;
        pipeline.tmemColumns = options.tmemColumns;
        pipeline.launchControl = options.launchControl;
        buildPipeline(manager, pipeline);
      });
}

void tirx::passes::prepareForTranslation(ModuleOp module) {
  for (auto kernel :
       llvm::make_early_inc_range(module.getOps<ir::KernelOp>())) {
    StringAttr name = kernel.getSymNameAttr();
    StringAttr callee;
    for (auto launch : kernel.getBody().getOps<ir::LaunchFuncOp>())
      callee = launch.getCalleeAttr().getAttr();
    kernel.erase();
    if (auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(callee))
      function.setSymNameAttr(name);
  }
}
