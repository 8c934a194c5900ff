//===- AluKernels.cpp - pick the kernels for this machine -------*- C++ -*-===//

#include "AluKernels.h"

namespace tirx::rt::sim {

namespace isa_base {
extern const AluFn table[];
}
#if TIRX_SIM_MULTI_ISA
namespace isa_v3 {
extern const AluFn table[];
}
namespace isa_v4 {
extern const AluFn table[];
}
#endif

const AluFn *aluTable(unsigned isa) {
#if TIRX_SIM_MULTI_ISA
  if (isa == 2)
    return __builtin_cpu_supports("x86-64-v4") ? isa_v4::table : nullptr;
  if (isa == 1)
    return __builtin_cpu_supports("x86-64-v3") ? isa_v3::table : nullptr;
#endif
  return isa == 0 ? isa_base::table : nullptr;
}

static unsigned bestIsa() {
  static const unsigned best = aluTable(2) ? 2 : aluTable(1) ? 1 : 0;
  return best;
}

AluFn aluKernel(AluOp op) {
  return aluTable(bestIsa())[static_cast<unsigned>(op)];
}

const char *aluIsa() {
  static constexpr const char *names[] = {"x86-64", "x86-64-v3", "x86-64-v4"};
  return names[bestIsa()];
}

} // namespace tirx::rt::sim
