//===- AluLanes.cpp - SIMD handlers over 32 lanes ---------------*- C++ -*-===//
//
// Compiled once for each instruction set, into namespace TIRX_SIM_ISA. Only C
// headers may be included here: see Instr.h. Built with -ffp-contract=off.
//
//===----------------------------------------------------------------------===//

#include "AluKernels.h"
#include "NumType.h"

#ifndef TIRX_SIM_ISA
#define TIRX_SIM_ISA isa_base
#endif

namespace tirx::rt::sim::TIRX_SIM_ISA {
namespace {
// In order of dependence.
#include "AluVector.inc"

#include "AluInteger.inc"

#include "AluFloat.inc"

#include "AluConvert.inc"
} // namespace

extern const AluFn table[] = {
#define ALU(name, ...) &ALU_KERNEL(__VA_ARGS__),
#define ALU_KERNEL(...) ALU_STRIP(__VA_ARGS__)
#define ALU_STRIP(...) __VA_ARGS__
#include "AluOps.def"
};

} // namespace tirx::rt::sim::TIRX_SIM_ISA
