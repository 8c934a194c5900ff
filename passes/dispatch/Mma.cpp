//===- Mma.cpp - plans of tcgen05.mma -------------------------------------===//

#include "Plans.h"
#include "SwizzleModes.h"

#include "tirx/Dialect/MmaTypes.h"
#include "tirx/Layout/Algebra.h"
#include "tirx/Layout/Factories.h"
#include "tirx/Layout/InstrDescriptor.h"
#include "tirx/Layout/MmaOperand.h"

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;
namespace layout = tirx::layout;

/// PTX ISA, tcgen05.mma: N of one instruction.
constexpr int64_t maxN = 256;

static Planned<SmemDescAttr> getDescriptor(MLIRContext *context,
                                           const layout::MmaOperandPlan &plan) {
  std::optional<SwizzleMode> swizzle = toDialectSwizzle(plan.swizzle);
  if (!swizzle)
    return refuse("the swizzle is none that tcgen05.mma takes");
  return SmemDescAttr::get(
      context, plan.leadingByteOffset, plan.strideByteOffset, *swizzle,
      plan.major == layout::Major::K ? MajorMode::K : MajorMode::MN);
}

/// Largest N of one instruction that cuts the tile's N into equal parts, each
/// of which is an operand; N itself where no instruction does, for the checks
/// to say why. `instruction` has all but N.
static int64_t getInstructionN(layout::InstrDescriptor instruction,
                               layout::MmaForm form, BufferType b, int64_t k) {
  int64_t n = b.getShape()[0] * form.ctaGroup;
  auto plan = [&](int64_t rows) {
    return layout::planMmaOperand(b.getLayout().getValue(), b.getShape()[0], k,
                                  b.getElementBits(), rows);
  };
  // How N may be cut depends on B's major-ness, which the whole tile tells.
  if (auto whole = plan(0))
    instruction.bMajor = whole->major;
  for (int64_t parts = llvm::divideCeil(n, maxN); parts <= n; ++parts) {
    if (n % parts)
      continue;
    instruction.n = n / parts;
    if (layout::checkMmaShape(instruction, form) &&
        (parts == 1 || plan(instruction.n / form.ctaGroup)))
      return instruction.n;
  }
  return n;
}

/// D must lie as one instruction leaves it: the datapath that goes with M.
static Planned<void> checkAccumulator(BufferType d, int64_t m,
                                      layout::MmaForm form) {
  auto datapath = layout::tmemDatapathOf(m, form.ctaGroup,
                                         /*weightStationary=*/false,
                                         /*sparse=*/false);
  if (!datapath)
    return refuse(datapath.error().message);
  auto expected =
      layout::tmemDatapathLayout(*datapath, d.getShape()[0], d.getShape()[1]);
  if (!expected)
    return refuse(expected.error().message);
  const layout::TileLayout &actual = d.getLayout().getValue().tile;
  if (!layout::equivalent(actual, *expected))
    return refuse("the accumulator's layout " + layout::toString(actual) +
                  " is not the " + layout::toString(*expected) +
                  " that M = " + std::to_string(m) +
                  (form.ctaGroup == 2 ? " over a pair leaves" : " leaves"));
  return {};
}

Planned<MmaPlan> tirx::passes::planMma(GemmAsyncOp op) {
  auto d = cast<BufferType>(op.getD().getType());
  auto a = cast<BufferType>(op.getA().getType());
  auto b = cast<BufferType>(op.getB().getType());
  if (!d.isTmem())
    return refuse("D is not in tensor memory");
  if (!a.isShared() || !b.isShared())
    return refuse("A and B must be in shared memory");
  auto types = getMmaTypes(a.getElementType(), b.getElementType());
  if (!types)
    return refuse("it multiplies " + listMmaTypes());
  if (!d.getElementType().isF32())
    return refuse("the accumulator must be f32");

  layout::MmaForm form;
  form.ctaGroup = (int)op.getCtaGroup();
  if (auto group = checkCtaGroup(op, form.ctaGroup); !group)
    return tl::unexpected(group.error());
  MmaPlan plan;
  plan.m = a.getShape()[0] * form.ctaGroup;
  layout::InstrDescriptor instruction;
  instruction.kind = types->kind;
  instruction.aType = types->a;
  instruction.bType = types->b;
  instruction.m = plan.m;
  plan.n = getInstructionN(instruction, form, b, a.getShape()[1]);
  plan.k = layout::mmaK(types->kind);
  // Each instruction takes the same rows of both CTAs' B: the columns of a
  // second one would lie between those of the first.
  if (form.ctaGroup == 2 && plan.n != d.getShape()[1])
    return refuse("N = " + std::to_string(d.getShape()[1]) +
                  " over a pair needs several instructions, which mix the "
                  "columns of the two CTAs: it takes up to " +
                  std::to_string(maxN));
  if (auto accumulator = checkAccumulator(d, plan.m, form); !accumulator)
    return tl::unexpected(accumulator.error());

  int64_t k = a.getShape()[1];
  auto aPlan = layout::planMmaOperand(a.getLayout().getValue(), a.getShape()[0],
                                      k, a.getElementBits());
  if (!aPlan)
    return refuse("A: " + aPlan.error().message);
  auto bPlan =
      layout::planMmaOperand(b.getLayout().getValue(), b.getShape()[0], k,
                             b.getElementBits(), plan.n / form.ctaGroup);
  if (!bPlan)
    return refuse("B: " + bPlan.error().message);

  instruction.aMajor = aPlan->major;
  instruction.bMajor = bPlan->major;
  instruction.n = plan.n;
  if (auto legal = layout::checkInstrDescriptor(instruction, form); !legal)
    return refuse(legal.error().message);

  auto aDesc = getDescriptor(op.getContext(), *aPlan);
  auto bDesc = getDescriptor(op.getContext(), *bPlan);
  if (!aDesc || !bDesc)
    return refuse(aDesc ? bDesc.error() : aDesc.error());
  plan.aDesc = *aDesc;
  plan.bDesc = *bDesc;
  for (size_t n = 0; n < bPlan->mnOffsets.size(); ++n)
    for (size_t step = 0; step < aPlan->kOffsets.size(); ++step)
      plan.issues.push_back({aPlan->offset(0, step), bPlan->offset(n, step),
                             (int64_t)n * plan.n, step == 0});
  return plan;
}
