//===- AluKernels.h - SIMD handlers of scalar arithmetic --------*- C++ -*-===//
//
// The kernels are written with Clang's vector types over all 32 lanes and
// compiled three times (x86-64, v3 = AVX2, v4 = AVX-512); the table for the
// machine at hand is picked once. Function multiversioning would do the same
// but does not take templates.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Instr.h"

namespace tirx::rt::sim {

enum class AluOp : uint16_t {
#define ALU(name, ...) name,
#include "AluOps.def"
#undef ALU
  count
};

/// The kernel of `op` for the machine that runs this.
AluFn aluKernel(AluOp op);

/// The table of one instruction set (0: x86-64, 1: v3, 2: v4), to compare them;
/// null where it was not built or this machine lacks it.
const AluFn *aluTable(unsigned isa);

/// Name of the instruction set in use: "x86-64", "x86-64-v3", "x86-64-v4".
const char *aluIsa();

} // namespace tirx::rt::sim
