//===- GemmEpilogue.h - one element of an epilogue, and its error -*- C++ -*-=//
#pragma once

#include "tirx/Runtime/Gemm.h"

namespace tirx::rt {

/// An exact value and a bound on how far the kernel's own may lie from it.
struct Approximate {
  double value = 0;
  double error = 0;
};

/// The terms that are added to an accumulator; a term that is absent is 0 and
/// takes no operation.
struct EpilogueTerms {
  double c = 0, bias = 0;
  bool hasC = false, hasBias = false;
};

/// alpha * accumulator + beta * c + bias, computed in f32.
Approximate combine(const GemmEpilogue &epilogue, Approximate accumulator,
                    const EpilogueTerms &terms);

/// The activation of x, computed in f32.
Approximate activate(const GemmEpilogue &epilogue, Approximate x);

/// x rounded from f32 to `output`.
Approximate roundTo(DType output, Approximate x);

} // namespace tirx::rt
