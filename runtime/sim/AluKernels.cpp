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

namespace {
struct Choice {
  const AluFn *table;
  const char *name;
};

Choice choose() {
#if TIRX_SIM_MULTI_ISA
  if (__builtin_cpu_supports("x86-64-v4"))
    return {isa_v4::table, "x86-64-v4"};
  if (__builtin_cpu_supports("x86-64-v3"))
    return {isa_v3::table, "x86-64-v3"};
#endif
  return {isa_base::table, "x86-64"};
}

const Choice &choice() {
  static const Choice chosen = choose();
  return chosen;
}
} // namespace

AluFn aluKernel(AluOp op) { return choice().table[static_cast<unsigned>(op)]; }
const char *aluIsa() { return choice().name; }

} // namespace tirx::rt::sim
