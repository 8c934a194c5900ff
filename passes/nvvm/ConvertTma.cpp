//===- ConvertTma.cpp - cp.async.bulk and its groups ----------------------===//

#include "HardwarePatterns.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;

namespace {
/// PTX lists coordinates fastest axis first.
SmallVector<Value> reversed(ValueRange coordinates) {
  return llvm::to_vector(llvm::reverse(coordinates));
}

/// Bits of a CTA's rank begin at bit 24 of a shared::cluster address: without
/// the lowest it names the even CTA of the pair, to which `.cta_group::2` lets
/// the odd one's bytes go (PTX ISA, "cp.async.bulk.tensor").
Value buildEvenCtaAddress(OpBuilder &b, Location loc, Value barrier) {
  constexpr int32_t allButRankBit0 = ~(1 << 24);
  Value address = LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), barrier);
  address =
      LLVM::AndOp::create(b, loc, address, buildI32(b, loc, allButRankBit0));
  return LLVM::IntToPtrOp::create(b, loc, barrier.getType(), address);
}

Value convertTmaLoad(TmaLoadOp op, TmaLoadOp::Adaptor adaptor, OpBuilder &b,
                     Location loc) {
  Value destination =
      buildByteOffset(b, loc, adaptor.getBuffer(), op.getOffset());
  if (Value offset = adaptor.getDynamicOffset())
    destination =
        LLVM::GEPOp::create(b, loc, destination.getType(), b.getI8Type(),
                            destination, ArrayRef<LLVM::GEPArg>{offset});
  Value barrier =
      buildSlotAddress(b, loc, adaptor.getBarrier(), adaptor.getSlot());
  bool pair = op.getCtaGroup() == 2;
  // The form without a cluster names the CTA's own memory, whatever its rank.
  bool withinCta = !pair && !op.getMulticast();
  if (!withinCta)
    destination = LLVM::AddrSpaceCastOp::create(
        b, loc, LLVM::LLVMPointerType::get(b.getContext(), sharedClusterSpace),
        destination);
  NVVM::CTAGroupKindAttr group;
  if (pair) {
    barrier = buildEvenCtaAddress(b, loc, barrier);
    group =
        NVVM::CTAGroupKindAttr::get(b.getContext(), NVVM::CTAGroupKind::CTA_2);
  }
  NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
      b, loc, destination, adaptor.getMap(), reversed(adaptor.getCoordinates()),
      barrier, /*im2colOffsets=*/ValueRange(), adaptor.getMulticast(),
      /*l2CacheHint=*/Value(), NVVM::TMALoadMode::TILE, withinCta, group,
      /*predicate=*/Value());
  return {};
}

Value convertTmaStore(TmaStoreOp op, TmaStoreOp::Adaptor adaptor, OpBuilder &b,
                      Location loc) {
  NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
      b, loc, adaptor.getMap(),
      buildByteOffset(b, loc, adaptor.getBuffer(), op.getOffset()),
      reversed(adaptor.getCoordinates()), /*l2CacheHint=*/Value(),
      NVVM::TMAStoreMode::TILE, /*predicate=*/Value());
  return {};
}

Value convertCommitGroup(BulkCommitGroupOp, BulkCommitGroupOp::Adaptor,
                         OpBuilder &b, Location loc) {
  NVVM::CpAsyncBulkCommitGroupOp::create(b, loc);
  return {};
}

Value convertWaitGroup(BulkWaitGroupOp op, BulkWaitGroupOp::Adaptor,
                       OpBuilder &b, Location loc) {
  NVVM::CpAsyncBulkWaitGroupOp::create(
      b, loc, b.getI32IntegerAttr(op.getPending()),
      op.getRead() ? b.getUnitAttr() : UnitAttr());
  return {};
}
} // namespace

void tirx::passes::populateTmaPatterns(const TIRxTypeConverter &converter,
                                       RewritePatternSet &patterns) {
  addPattern<TmaLoadOp>(converter, patterns, convertTmaLoad);
  addPattern<TmaStoreOp>(converter, patterns, convertTmaStore);
  addPattern<BulkCommitGroupOp>(converter, patterns, convertCommitGroup);
  addPattern<BulkWaitGroupOp>(converter, patterns, convertWaitGroup);
}
