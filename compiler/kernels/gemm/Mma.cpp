//===- Mma.cpp - the role that multiplies ---------------------------------===//

#include "Kernel.h"

namespace tirx::kernels::detail {

namespace {

struct Operand {
  std::string value, type;
};

/// A stage as the (rows, K) matrix that it holds; MN-major ones lie transposed.
Operand writeOperand(Text &text, std::string_view name,
                     const std::string &stage, Major major) {
  if (major == Major::K)
    return {stage, fmt::format("!tile_{}", name)};
  Operand operand{stage + "_operand", fmt::format("!operand_{}", name)};
  text.line("{} = tirx.transpose {} : !tile_{} to {}", operand.value, stage,
            name, operand.type);
  return operand;
}

} // namespace

void writeMmaRole(Kernel &kernel, int64_t consumer) {
  Text &text = kernel.text;
  const GemmSchedule &s = kernel.schedule();
  if (consumer == 0) {
    text.comment("One thread issues the products of K's steps into an "
                 "accumulator.");
    if (s.consumers > 1)
      text.comment("Both roles read the same tile of B.");
    if (s.ctaGroup == 2)
      text.comment("The even CTA of a pair issues for both.");
  }
  kernel.openRole(kernel.role(kernel.numbered("mma", consumer)),
                  s.ctaGroup == 2 ? " leader" : "");
  kernel.openTiles();
  std::string out = kernel.numbered("out", consumer);
  text.line("%d = tirx.acquire %{} : !out", out);
  text.open("scf.for %k = {} to %K step {}", text.constant(0),
            text.constant(s.tileK));
  std::string stages;
  for (int64_t c = 0; c < s.consumers; ++c)
    stages += fmt::format("%a{}, ", c);
  text.line("{}%b = tirx.wait %ring : !ring", stages);
  text.line("%not_first = arith.cmpi ne, %k, {} : index", text.constant(0));
  const GemmOperation &op = kernel.operation();
  const Operand a =
      writeOperand(text, "A", fmt::format("%a{}", consumer), op.aMajor);
  const Operand b = writeOperand(text, "B", "%b", op.bMajor);
  text.line("tirx.gemm_async %d, {}, {} accumulate(%not_first){} : "
            "!accumulator, {}, {}",
            a.value, b.value, kernel.ctaGroup(), a.type, b.type);
  text.line("tirx.release %ring : !ring");
  text.close();
  text.line("tirx.publish %{} : !out", out);
  text.close();
  text.close();
}

} // namespace tirx::kernels::detail
