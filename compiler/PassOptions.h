//===- PassOptions.h - what the passes must know of the target --*- C++ -*-===//
#pragma once

#include "tirx/Compiler/Compiler.h"
#include "tirx/Compiler/Target.h"
#include "tirx/Passes/Pipeline.h"

namespace tirx {

inline passes::PipelineOptions passOptions(const TargetInfo &target,
                                           const CompileOptions &options) {
  passes::PipelineOptions pipeline;
  pipeline.maxSharedBytes = target.maxDynamicSharedBytes;
  pipeline.tmemColumns = target.tmemColumns;
  pipeline.launchControl = target.hasClusterLaunchControl;
  pipeline.retype = options.retype;
  return pipeline;
}

} // namespace tirx
