//===- HostChecks.cpp - launch checks that a lowering relies on -----------===//

#include "HostChecks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tirx::ir;

void tirx::passes::requireStrideMultiple(OpBuilder &builder, LaunchOp launch,
                                         BlockArgument argument,
                                         int64_t elements) {
  auto type = cast<BufferType>(argument.getType());
  if (elements == 1 || type.getRank() < 2)
    return;
  auto kernel = launch->getParentOfType<KernelOp>();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(launch);
  Location loc = launch.getLoc();
  for (int64_t axis = 0; axis < type.getRank() - 1; ++axis) {
    std::string message =
        llvm::formatv("stride of {0}'s axis {1} must be a multiple of {2} "
                      "elements, for {3}-byte accesses",
                      kernel.getArgumentName(argument.getArgNumber()), axis,
                      elements, elements * type.getElementBits() / 8);
    bool known = llvm::any_of(
        kernel.getBody().front().getOps<RequireOp>(),
        [&](RequireOp require) { return require.getMessage() == message; });
    if (known)
      continue;
    Value stride = StrideOp::create(builder, loc, argument, axis);
    Value width =
        arith::ConstantIntOp::create(builder, loc, elements, /*width=*/64);
    Value zero = arith::ConstantIntOp::create(builder, loc, 0, /*width=*/64);
    Value rest = arith::RemUIOp::create(builder, loc, stride, width);
    Value whole = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        rest, zero);
    RequireOp::create(builder, loc, whole, message);
  }
}

Value tirx::passes::getTensorMap(OpBuilder &builder, LaunchOp launch,
                                 BlockArgument argument, TensorMapType type) {
  for (Operation *user : argument.getUsers())
    if (auto map = dyn_cast<TensorMapOp>(user))
      if (map.getResult().getType() == type)
        return map.getResult();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(launch);
  return TensorMapOp::create(builder, launch.getLoc(), type, argument);
}
