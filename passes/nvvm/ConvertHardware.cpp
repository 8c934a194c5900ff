//===- ConvertHardware.cpp - one NVVM operation each ----------------------===//

#include "../dispatch/SwizzleModes.h"
#include "TypeConversion.h"

#include "tirx/Layout/InstrDescriptor.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;
namespace layout = tirx::layout;

/// Pointer to slot `slot` of a barrier array; no slot is the only one.
static Value buildSlotAddress(OpBuilder &builder, Location loc, Value barrier,
                              Value slot) {
  if (!slot)
    return barrier;
  return LLVM::GEPOp::create(builder, loc, barrier.getType(),
                             builder.getI64Type(), barrier,
                             ArrayRef<LLVM::GEPArg>{slot});
}

//===----------------------------------------------------------------------===//
// Thread coordinates
//===----------------------------------------------------------------------===//

/// The warp's number as a value that ptxas knows to be the same in all lanes,
/// so that branches on it are uniform.
static Value buildWarpId(OpBuilder &builder, Location loc) {
  Type i32 = builder.getI32Type();
  Value thread = NVVM::ThreadIdXOp::create(builder, loc, i32);
  Value warp =
      LLVM::LShrOp::create(builder, loc, thread, buildI32(builder, loc, 5));
  return NVVM::ShflOp::create(builder, loc, i32,
                              /*thread_mask=*/buildI32(builder, loc, -1), warp,
                              /*offset=*/buildI32(builder, loc, 0),
                              /*mask_and_clamp=*/buildI32(builder, loc, 31),
                              NVVM::ShflKind::idx, UnitAttr());
}

static Value buildId(OpBuilder &builder, Location loc, ThreadAxis axis) {
  Type i32 = builder.getI32Type();
  auto threadAnd = [&](int64_t mask) -> Value {
    return LLVM::AndOp::create(builder, loc,
                               NVVM::ThreadIdXOp::create(builder, loc, i32),
                               buildI32(builder, loc, mask));
  };
  switch (axis) {
  case ThreadAxis::bx:
    return NVVM::BlockIdXOp::create(builder, loc, i32);
  case ThreadAxis::by:
    return NVVM::BlockIdYOp::create(builder, loc, i32);
  case ThreadAxis::bz:
    return NVVM::BlockIdZOp::create(builder, loc, i32);
  case ThreadAxis::tx:
    return NVVM::ThreadIdXOp::create(builder, loc, i32);
  case ThreadAxis::warpid:
    return buildWarpId(builder, loc);
  case ThreadAxis::laneid:
    return threadAnd(31);
  case ThreadAxis::tid_in_wg:
    return threadAnd(127);
  case ThreadAxis::wgid:
    return LLVM::LShrOp::create(builder, loc, buildWarpId(builder, loc),
                                buildI32(builder, loc, 2));
  case ThreadAxis::wid_in_wg:
    return LLVM::AndOp::create(builder, loc, buildWarpId(builder, loc),
                               buildI32(builder, loc, 3));
  }
  llvm_unreachable("unknown thread axis");
}

namespace {
/// A pattern whose body is a function of the operation, its converted operands
/// and a builder; the result, if any, replaces the operation.
template <typename OpT> struct ConvertByFunction : ConvertOpToLLVMPattern<OpT> {
  using Function = Value (*)(OpT, typename OpT::Adaptor, OpBuilder &, Location);
  ConvertByFunction(const LLVMTypeConverter &converter, Function function)
      : ConvertOpToLLVMPattern<OpT>(converter), function(function) {}

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value result = function(op, adaptor, rewriter, op.getLoc());
    if (op->getNumResults())
      rewriter.replaceOp(op, result);
    else
      rewriter.eraseOp(op);
    return success();
  }
  Function function;
};

//===----------------------------------------------------------------------===//
// Scopes and fences
//===----------------------------------------------------------------------===//

Value convertId(IdOp op, IdOp::Adaptor, OpBuilder &b, Location loc) {
  return buildId(b, loc, op.getAxis());
}

Value convertElectSync(ElectSyncOp, ElectSyncOp::Adaptor, OpBuilder &b,
                       Location loc) {
  return NVVM::ElectSyncOp::create(b, loc, b.getI1Type(), Value());
}

Value convertCtaSync(CtaSyncOp, CtaSyncOp::Adaptor, OpBuilder &b,
                     Location loc) {
  NVVM::BarrierOp::create(b, loc);
  return {};
}

Value convertBarrierSync(BarrierSyncOp op, BarrierSyncOp::Adaptor, OpBuilder &b,
                         Location loc) {
  NVVM::BarrierOp::create(b, loc, TypeRange(), buildI32(b, loc, op.getId()),
                          buildI32(b, loc, op.getThreads()),
                          NVVM::BarrierReductionAttr(), Value());
  return {};
}

Value convertWarpSync(WarpSyncOp, WarpSyncOp::Adaptor, OpBuilder &b,
                      Location loc) {
  NVVM::SyncWarpOp::create(b, loc, buildI32(b, loc, -1));
  return {};
}

Value convertFence(FenceOp op, FenceOp::Adaptor, OpBuilder &b, Location loc) {
  switch (op.getKind()) {
  case FenceKind::proxy_async:
    NVVM::FenceProxyOp::create(
        b, loc,
        NVVM::ProxyKindAttr::get(b.getContext(), NVVM::ProxyKind::async_shared),
        NVVM::SharedSpaceAttr::get(b.getContext(),
                                   NVVM::SharedSpace::shared_cta));
    break;
  case FenceKind::mbarrier_init:
    NVVM::FenceMbarrierInitOp::create(b, loc);
    break;
  case FenceKind::tcgen05_before_thread_sync:
    NVVM::Tcgen05FenceOp::create(b, loc,
                                 NVVM::Tcgen05FenceKind::BEFORE_THREAD_SYNC);
    break;
  case FenceKind::tcgen05_after_thread_sync:
    NVVM::Tcgen05FenceOp::create(b, loc,
                                 NVVM::Tcgen05FenceKind::AFTER_THREAD_SYNC);
    break;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// mbarrier
//===----------------------------------------------------------------------===//

Value convertMbarrierInit(MbarrierInitOp op, MbarrierInitOp::Adaptor adaptor,
                          OpBuilder &b, Location loc) {
  Value count = buildI32(b, loc, op.getCount());
  int64_t slots = cast<BarrierType>(op.getBarrier().getType()).getSlots();
  for (int64_t slot = 0; slot < slots; ++slot)
    NVVM::MBarrierInitOp::create(
        b, loc, buildByteOffset(b, loc, adaptor.getBarrier(), 8 * slot), count,
        /*predicate=*/Value());
  return {};
}

Value convertMbarrierArrive(MbarrierArriveOp op,
                            MbarrierArriveOp::Adaptor adaptor, OpBuilder &b,
                            Location loc) {
  Value address =
      buildSlotAddress(b, loc, adaptor.getBarrier(), adaptor.getSlot());
  int64_t bytes = op.getExpectTx().value_or(0);
  for (Value buffer : op.getExpected())
    bytes += cast<BufferType>(buffer.getType()).getTileBytes();
  if (op.getExpected().empty() && !op.getExpectTx())
    NVVM::MBarrierArriveOp::create(b, loc, b.getI64Type(), address, Value(),
                                   NVVM::MemScopeKind::CTA, false);
  else
    NVVM::MBarrierArriveExpectTxOp::create(
        b, loc, b.getI64Type(), address, buildI32(b, loc, bytes),
        NVVM::MemScopeKind::CTA, false, Value());
  return {};
}

Value convertMbarrierTryWait(MbarrierTryWaitOp,
                             MbarrierTryWaitOp::Adaptor adaptor, OpBuilder &b,
                             Location loc) {
  Value address =
      buildSlotAddress(b, loc, adaptor.getBarrier(), adaptor.getSlot());
  Value parity =
      LLVM::ZExtOp::create(b, loc, b.getI32Type(), adaptor.getParity());
  return NVVM::MBarrierTryWaitOp::create(b, loc, b.getI1Type(), address, parity,
                                         Value(), NVVM::MemScopeKind::CTA,
                                         false);
}

//===----------------------------------------------------------------------===//
// TMA
//===----------------------------------------------------------------------===//

/// PTX lists coordinates fastest axis first.
SmallVector<Value> reversed(ValueRange coordinates) {
  return llvm::to_vector(llvm::reverse(coordinates));
}

Value convertTmaLoad(TmaLoadOp op, TmaLoadOp::Adaptor adaptor, OpBuilder &b,
                     Location loc) {
  Value destination =
      buildByteOffset(b, loc, adaptor.getBuffer(), op.getOffset());
  Value barrier =
      buildSlotAddress(b, loc, adaptor.getBarrier(), adaptor.getSlot());
  NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
      b, loc, destination, adaptor.getMap(), reversed(adaptor.getCoordinates()),
      barrier, /*im2colOffsets=*/ValueRange(), /*multicastMask=*/Value(),
      /*l2CacheHint=*/Value(), NVVM::TMALoadMode::TILE, /*isCTAOnly=*/true,
      NVVM::CTAGroupKindAttr(), /*predicate=*/Value());
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

//===----------------------------------------------------------------------===//
// tcgen05
//===----------------------------------------------------------------------===//

layout::Major toLayoutMajor(MajorMode major) {
  return major == MajorMode::K ? layout::Major::K : layout::Major::MN;
}

/// The descriptor: its constant part, and bits 4 to 17 of the address (PTX ISA,
/// "Shared memory descriptor").
Value buildSmemDescriptor(OpBuilder &b, Location loc, Value buffer,
                          int64_t offset, SmemDescAttr attr) {
  layout::SmemDescriptor descriptor;
  descriptor.leadingByteOffset = attr.getLbo();
  descriptor.strideByteOffset = attr.getSbo();
  descriptor.swizzle = toLayoutSwizzle(attr.getSwizzle());
  // SmemDescAttr has verified the fields.
  uint64_t constant = *layout::encode(descriptor);
  Value address = LLVM::PtrToIntOp::create(
      b, loc, b.getI32Type(), buildByteOffset(b, loc, buffer, offset));
  Value field = LLVM::AndOp::create(
      b, loc, LLVM::LShrOp::create(b, loc, address, buildI32(b, loc, 4)),
      buildI32(b, loc, 0x3FFF));
  Value wide = LLVM::ZExtOp::create(b, loc, b.getI64Type(), field);
  return LLVM::OrOp::create(b, loc, wide, buildI64(b, loc, constant));
}

Value convertMma(Tcgen05MmaOp op, Tcgen05MmaOp::Adaptor adaptor, OpBuilder &b,
                 Location loc) {
  bool bf16 = cast<BufferType>(op.getA().getType()).getElementType().isBF16();
  layout::InstrDescriptor instruction;
  instruction.aType = instruction.bType =
      bf16 ? layout::ElementType::BF16 : layout::ElementType::F16;
  instruction.aMajor = toLayoutMajor(op.getADesc().getMajor());
  instruction.bMajor = toLayoutMajor(op.getBDesc().getMajor());
  instruction.m = op.getM();
  instruction.n = op.getN();
  // The operation has verified the shape.
  uint32_t idesc = *layout::encode(instruction);
  Value a = buildSmemDescriptor(b, loc, adaptor.getA(), op.getAOffset(),
                                op.getADesc());
  Value bOperand = buildSmemDescriptor(b, loc, adaptor.getB(), op.getBOffset(),
                                       op.getBDesc());
  Value d = buildByteOffset(b, loc, adaptor.getD(), op.getColumn());
  NVVM::Tcgen05MMAOp::create(
      b, loc, NVVM::Tcgen05MMAKind::F16, NVVM::CTAGroupKind::CTA_1,
      NVVM::Tcgen05MMACollectorOp::DISCARD, /*aShift=*/false, d, a, bOperand,
      buildI32(b, loc, (int32_t)idesc), adaptor.getAccumulate(),
      /*scaleInputD=*/Value(), /*disableOutputLane=*/Value());
  return {};
}

Value convertCommit(Tcgen05CommitOp, Tcgen05CommitOp::Adaptor adaptor,
                    OpBuilder &b, Location loc) {
  NVVM::Tcgen05CommitOp::create(
      b, loc, buildSlotAddress(b, loc, adaptor.getBarrier(), adaptor.getSlot()),
      /*multicastMask=*/Value(), NVVM::CTAGroupKind::CTA_1);
  return {};
}

Value convertTcgen05Wait(Tcgen05WaitOp op, Tcgen05WaitOp::Adaptor, OpBuilder &b,
                         Location loc) {
  NVVM::Tcgen05WaitOp::create(b, loc,
                              op.getKind() == Tcgen05WaitKind::ld
                                  ? NVVM::Tcgen05WaitKind::LOAD
                                  : NVVM::Tcgen05WaitKind::STORE);
  return {};
}

Value convertTcgen05Alloc(Tcgen05AllocOp op, Tcgen05AllocOp::Adaptor,
                          OpBuilder &b, Location loc) {
  NVVM::Tcgen05AllocOp::create(
      b, loc, buildSharedAddress(b, loc, op.getAddressOffset()),
      buildI32(b, loc, op.getColumns()), NVVM::CTAGroupKind::CTA_1);
  NVVM::Tcgen05RelinquishAllocPermitOp::create(b, loc,
                                               NVVM::CTAGroupKind::CTA_1);
  return {};
}

Value convertTcgen05Dealloc(Tcgen05DeallocOp op,
                            Tcgen05DeallocOp::Adaptor adaptor, OpBuilder &b,
                            Location loc) {
  NVVM::Tcgen05DeallocOp::create(b, loc, adaptor.getBuffer(),
                                 buildI32(b, loc, op.getColumns()),
                                 NVVM::CTAGroupKind::CTA_1);
  return {};
}

NVVM::Tcgen05LdStShape toNvvmShape(Tcgen05LdStShape shape) {
  switch (shape) {
  case Tcgen05LdStShape::shape_32x32b:
    return NVVM::Tcgen05LdStShape::SHAPE_32X32B;
  case Tcgen05LdStShape::shape_16x64b:
    return NVVM::Tcgen05LdStShape::SHAPE_16X64B;
  case Tcgen05LdStShape::shape_16x128b:
    return NVVM::Tcgen05LdStShape::SHAPE_16X128B;
  case Tcgen05LdStShape::shape_16x256b:
    return NVVM::Tcgen05LdStShape::SHAPE_16X256B;
  }
  llvm_unreachable("unknown shape");
}

/// A warp reaches the 32 lanes of its place in the warpgroup; the lane is in
/// the upper half of an address (PTX ISA, "Tensor Memory Addressing").
Value buildWarpTmemAddress(OpBuilder &b, Location loc, Value buffer,
                           int64_t column) {
  Value warp = buildId(b, loc, ThreadAxis::wid_in_wg);
  Value lane = LLVM::ShlOp::create(b, loc, warp, buildI32(b, loc, 16 + 5));
  Value address = LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), buffer);
  address = LLVM::AddOp::create(b, loc, address, lane);
  if (column)
    address = LLVM::AddOp::create(b, loc, address, buildI32(b, loc, column));
  return LLVM::IntToPtrOp::create(b, loc, buffer.getType(), address);
}

/// tcgen05.ld and st move 32-bit integers: a scalar for one register.
Type getRegisterType(OpBuilder &b, VectorType type) {
  if (type.getNumElements() == 1)
    return b.getI32Type();
  return VectorType::get(type.getShape(), b.getI32Type());
}

Value convertTcgen05Ld(Tcgen05LdOp op, Tcgen05LdOp::Adaptor adaptor,
                       OpBuilder &b, Location loc) {
  auto type = cast<VectorType>(op.getResult().getType());
  Value loaded = NVVM::Tcgen05LdOp::create(
      b, loc, getRegisterType(b, type), /*pack=*/false,
      toNvvmShape(op.getShape()),
      buildWarpTmemAddress(b, loc, adaptor.getBuffer(), op.getColumn()),
      /*offset=*/Value());
  return LLVM::BitcastOp::create(b, loc, type, loaded);
}

Value convertTcgen05St(Tcgen05StOp op, Tcgen05StOp::Adaptor adaptor,
                       OpBuilder &b, Location loc) {
  auto type = cast<VectorType>(op.getValue().getType());
  Value registers = LLVM::BitcastOp::create(b, loc, getRegisterType(b, type),
                                            adaptor.getValue());
  NVVM::Tcgen05StOp::create(
      b, loc, /*unpack=*/false, toNvvmShape(op.getShape()),
      buildWarpTmemAddress(b, loc, adaptor.getBuffer(), op.getColumn()),
      registers, /*offset=*/Value());
  return {};
}
} // namespace

void tirx::passes::populateHardwarePatterns(const TIRxTypeConverter &converter,
                                            RewritePatternSet &patterns) {
  auto add = [&]<typename OpT>(Value (*function)(OpT, typename OpT::Adaptor,
                                                 OpBuilder &, Location)) {
    patterns.add<ConvertByFunction<OpT>>(converter, function);
  };
  add.operator()<IdOp>(convertId);
  add.operator()<ElectSyncOp>(convertElectSync);
  add.operator()<CtaSyncOp>(convertCtaSync);
  add.operator()<BarrierSyncOp>(convertBarrierSync);
  add.operator()<WarpSyncOp>(convertWarpSync);
  add.operator()<FenceOp>(convertFence);
  add.operator()<MbarrierInitOp>(convertMbarrierInit);
  add.operator()<MbarrierArriveOp>(convertMbarrierArrive);
  add.operator()<MbarrierTryWaitOp>(convertMbarrierTryWait);
  add.operator()<TmaLoadOp>(convertTmaLoad);
  add.operator()<TmaStoreOp>(convertTmaStore);
  add.operator()<BulkCommitGroupOp>(convertCommitGroup);
  add.operator()<BulkWaitGroupOp>(convertWaitGroup);
  add.operator()<Tcgen05MmaOp>(convertMma);
  add.operator()<Tcgen05CommitOp>(convertCommit);
  add.operator()<Tcgen05WaitOp>(convertTcgen05Wait);
  add.operator()<Tcgen05AllocOp>(convertTcgen05Alloc);
  add.operator()<Tcgen05DeallocOp>(convertTcgen05Dealloc);
  add.operator()<Tcgen05LdOp>(convertTcgen05Ld);
  add.operator()<Tcgen05StOp>(convertTcgen05St);
}
