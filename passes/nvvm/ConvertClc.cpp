//===- ConvertClc.cpp - clusterlaunchcontrol ------------------------------===//

#include "HardwarePatterns.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;

/// PTX ISA, clusterlaunchcontrol.try_cancel: 16 bytes, naturally aligned.
constexpr int64_t responseBytes = 16;

namespace {
Value buildResponseAddress(OpBuilder &b, Location loc, Value responses,
                           Value index) {
  if (!index)
    return responses;
  auto response = LLVM::LLVMArrayType::get(b.getI8Type(), responseBytes);
  return LLVM::GEPOp::create(b, loc, responses.getType(), response, responses,
                             ArrayRef<LLVM::GEPArg>{index});
}

Value convertTryCancel(ClcTryCancelOp op, ClcTryCancelOp::Adaptor adaptor,
                       OpBuilder &b, Location loc) {
  NVVM::ClusterLaunchControlTryCancelOp::create(
      b, loc, op.getMulticast(),
      buildResponseAddress(b, loc, adaptor.getResponses(), adaptor.getIndex()),
      buildSlotAddress(b, loc, adaptor.getBarrier(), adaptor.getSlot()));
  return {};
}

NVVM::ClusterLaunchControlQueryType toNvvmQuery(ClcQuery query) {
  switch (query) {
  case ClcQuery::is_canceled:
    return NVVM::ClusterLaunchControlQueryType::IS_CANCELED;
  case ClcQuery::first_ctaid_x:
    return NVVM::ClusterLaunchControlQueryType::GET_FIRST_CTA_ID_X;
  case ClcQuery::first_ctaid_y:
    return NVVM::ClusterLaunchControlQueryType::GET_FIRST_CTA_ID_Y;
  case ClcQuery::first_ctaid_z:
    return NVVM::ClusterLaunchControlQueryType::GET_FIRST_CTA_ID_Z;
  }
  llvm_unreachable("unknown query");
}

/// All lanes read the same; a shuffle tells ptxas so, which then keeps branches
/// and coordinates uniform.
Value convertQueryCancel(ClcQueryCancelOp op, ClcQueryCancelOp::Adaptor adaptor,
                         OpBuilder &b, Location loc) {
  Value address =
      buildResponseAddress(b, loc, adaptor.getResponses(), adaptor.getIndex());
  Value response = LLVM::LoadOp::create(b, loc, b.getIntegerType(128), address,
                                        /*alignment=*/responseBytes);
  bool isCondition = op.getQuery() == ClcQuery::is_canceled;
  Type type = isCondition ? b.getI1Type() : b.getI32Type();
  Value result = NVVM::ClusterLaunchControlQueryCancelOp::create(
      b, loc, type, toNvvmQuery(op.getQuery()), response);
  if (isCondition)
    result = LLVM::ZExtOp::create(b, loc, b.getI32Type(), result);
  result = buildFirstLaneValue(b, loc, result);
  if (isCondition)
    result = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, result,
                                  buildI32(b, loc, 0));
  return result;
}
} // namespace

void tirx::passes::populateClcPatterns(const TIRxTypeConverter &converter,
                                       RewritePatternSet &patterns) {
  addPattern<ClcTryCancelOp>(converter, patterns, convertTryCancel);
  addPattern<ClcQueryCancelOp>(converter, patterns, convertQueryCancel);
}
