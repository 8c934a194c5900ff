//===- Pipeline.h - the passes in order -------------------------*- C++ -*-===//
#pragma once

#include "tirx/Layout/HardwareLimits.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tirx::passes {

struct PipelineOptions {
  /// Dynamic shared memory a CTA of the target may have, in bytes.
  int64_t maxSharedBytes = layout::kMaxSharedBytes;
  /// 32-bit columns of tensor memory an SM of the target has; 0: it has none.
  int64_t tmemColumns = layout::kTmemColumns;
  /// Whether the target has clusterlaunchcontrol, for schedules of kind clc.
  bool launchControl = true;
  /// Element types to replace before anything else, e.g. {"f16", "bf16"}.
  std::vector<std::pair<std::string, std::string>> retype;
};

/// Changes of element types, then the checks: what comes before all lowering.
void buildVerification(mlir::OpPassManager &manager,
                       const PipelineOptions &options = {});

/// The lowering from what was verified to where storage has been assigned:
/// still tirx, within `tirx.launch`.
void buildStoragePipeline(mlir::OpPassManager &manager,
                          const PipelineOptions &options = {});

/// From tirx to `llvm.func` kernels in the LLVM and NVVM dialects;
/// `tirx.kernel` operations stay behind as the description of arguments and
/// launch.
void buildPipeline(mlir::OpPassManager &manager,
                   const PipelineOptions &options = {});

/// Registers `tirx-to-nvvm`, the pipeline, for tirx-opt.
void registerPipelines();

/// Makes a module that went through the pipeline ready for translation to LLVM
/// IR: drops the `tirx.kernel` operations and gives each device function its
/// kernel's name.
void prepareForTranslation(mlir::ModuleOp module);

} // namespace tirx::passes
