//===- ConvertSync.cpp - coordinates, scopes, fences, mbarriers -----------===//

#include "HardwarePatterns.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;

Value tirx::passes::buildSlotAddress(OpBuilder &builder, Location loc,
                                     Value barrier, Value slot) {
  if (!slot)
    return barrier;
  return LLVM::GEPOp::create(builder, loc, barrier.getType(),
                             builder.getI64Type(), barrier,
                             ArrayRef<LLVM::GEPArg>{slot});
}

//===----------------------------------------------------------------------===//
// Thread coordinates
//===----------------------------------------------------------------------===//

Value tirx::passes::buildFirstLaneValue(OpBuilder &builder, Location loc,
                                        Value value) {
  return NVVM::ShflOp::create(builder, loc, builder.getI32Type(),
                              /*thread_mask=*/buildI32(builder, loc, -1), value,
                              /*offset=*/buildI32(builder, loc, 0),
                              /*mask_and_clamp=*/buildI32(builder, loc, 31),
                              NVVM::ShflKind::idx, UnitAttr());
}

static Value buildWarpId(OpBuilder &builder, Location loc) {
  Type i32 = builder.getI32Type();
  Value thread = NVVM::ThreadIdXOp::create(builder, loc, i32);
  Value warp =
      LLVM::LShrOp::create(builder, loc, thread, buildI32(builder, loc, 5));
  return buildFirstLaneValue(builder, loc, warp);
}

Value tirx::passes::buildId(OpBuilder &builder, Location loc, ThreadAxis axis) {
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
  case ThreadAxis::cta_rank:
    return NVVM::ClusterId::create(builder, loc, i32);
  case ThreadAxis::cbx:
    return NVVM::BlockInClusterIdXOp::create(builder, loc, i32);
  case ThreadAxis::cby:
    return NVVM::BlockInClusterIdYOp::create(builder, loc, i32);
  case ThreadAxis::cbz:
    return NVVM::BlockInClusterIdZOp::create(builder, loc, i32);
  case ThreadAxis::clx:
    return NVVM::ClusterIdXOp::create(builder, loc, i32);
  case ThreadAxis::cly:
    return NVVM::ClusterIdYOp::create(builder, loc, i32);
  case ThreadAxis::clz:
    return NVVM::ClusterIdZOp::create(builder, loc, i32);
  }
  llvm_unreachable("unknown thread axis");
}

namespace {
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

Value convertBarrierArrive(BarrierArriveOp op, BarrierArriveOp::Adaptor,
                           OpBuilder &b, Location loc) {
  // nvvm.barrier.arrive is inline assembly, which MLIR cannot say to be
  // convergent; the intrinsic is.
  LLVM::CallIntrinsicOp::create(
      b, loc, b.getStringAttr("llvm.nvvm.barrier.cta.arrive.aligned.count"),
      ValueRange{buildI32(b, loc, op.getId()),
                 buildI32(b, loc, op.getThreads())});
  return {};
}

Value convertClusterSync(ClusterSyncOp, ClusterSyncOp::Adaptor, OpBuilder &b,
                         Location loc) {
  NVVM::ClusterArriveOp::create(b, loc, /*aligned=*/b.getUnitAttr());
  NVVM::ClusterWaitOp::create(b, loc, /*aligned=*/b.getUnitAttr());
  return {};
}

Value convertGridDepControl(GridDepControlOp op, GridDepControlOp::Adaptor,
                            OpBuilder &b, Location loc) {
  NVVM::GriddepcontrolOp::create(
      b, loc,
      op.getAction() == GridDepAction::wait
          ? NVVM::GridDepActionKind::wait
          : NVVM::GridDepActionKind::launch_dependents);
  return {};
}

Value convertSetMaxNReg(SetMaxNRegOp op, SetMaxNRegOp::Adaptor, OpBuilder &b,
                        Location loc) {
  NVVM::SetMaxRegisterOp::create(b, loc, op.getCount(),
                                 op.getAction() == SetMaxNRegAction::increase
                                     ? NVVM::SetMaxRegisterAction::increase
                                     : NVVM::SetMaxRegisterAction::decrease);
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
  case FenceKind::proxy_async_global:
    NVVM::FenceProxyOp::create(
        b, loc,
        NVVM::ProxyKindAttr::get(b.getContext(), NVVM::ProxyKind::async_global),
        NVVM::SharedSpaceAttr());
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

NVVM::MemScopeKind getScope(bool cluster) {
  return cluster ? NVVM::MemScopeKind::CLUSTER : NVVM::MemScopeKind::CTA;
}

/// The same place in the shared memory of another CTA of the cluster.
Value buildRemoteAddress(OpBuilder &b, Location loc, Value address, Value cta) {
  auto type = LLVM::LLVMPointerType::get(b.getContext(), sharedClusterSpace);
  return NVVM::MapaOp::create(b, loc, type, address, cta);
}

Value convertMbarrierArrive(MbarrierArriveOp op,
                            MbarrierArriveOp::Adaptor adaptor, OpBuilder &b,
                            Location loc) {
  Value address =
      buildSlotAddress(b, loc, adaptor.getBarrier(), adaptor.getSlot());
  NVVM::MemScopeKind scope = getScope(op.getCluster() || op.getCta());
  if (Value cta = adaptor.getCta()) {
    NVVM::MBarrierArriveOp::create(b, loc, /*res=*/Type(),
                                   buildRemoteAddress(b, loc, address, cta),
                                   Value(), scope, false);
    return {};
  }
  int64_t bytes = op.getExpectTx().value_or(0);
  for (Value buffer : op.getExpected())
    bytes += cast<BufferType>(buffer.getType()).getTileBytes();
  if (op.getExpected().empty() && !op.getExpectTx())
    NVVM::MBarrierArriveOp::create(b, loc, b.getI64Type(), address, Value(),
                                   scope, false);
  else
    NVVM::MBarrierArriveExpectTxOp::create(b, loc, b.getI64Type(), address,
                                           buildI32(b, loc, bytes), scope,
                                           false, Value());
  return {};
}

Value convertMbarrierTryWait(MbarrierTryWaitOp op,
                             MbarrierTryWaitOp::Adaptor adaptor, OpBuilder &b,
                             Location loc) {
  Value address =
      buildSlotAddress(b, loc, adaptor.getBarrier(), adaptor.getSlot());
  Value parity =
      LLVM::ZExtOp::create(b, loc, b.getI32Type(), adaptor.getParity());
  return NVVM::MBarrierTryWaitOp::create(b, loc, b.getI1Type(), address, parity,
                                         Value(), getScope(op.getCluster()),
                                         false);
}
} // namespace

void tirx::passes::populateSyncPatterns(const TIRxTypeConverter &converter,
                                        RewritePatternSet &patterns) {
  addPattern<IdOp>(converter, patterns, convertId);
  addPattern<ElectSyncOp>(converter, patterns, convertElectSync);
  addPattern<CtaSyncOp>(converter, patterns, convertCtaSync);
  addPattern<BarrierSyncOp>(converter, patterns, convertBarrierSync);
  addPattern<BarrierArriveOp>(converter, patterns, convertBarrierArrive);
  addPattern<ClusterSyncOp>(converter, patterns, convertClusterSync);
  addPattern<GridDepControlOp>(converter, patterns, convertGridDepControl);
  addPattern<SetMaxNRegOp>(converter, patterns, convertSetMaxNReg);
  addPattern<WarpSyncOp>(converter, patterns, convertWarpSync);
  addPattern<FenceOp>(converter, patterns, convertFence);
  addPattern<MbarrierInitOp>(converter, patterns, convertMbarrierInit);
  addPattern<MbarrierArriveOp>(converter, patterns, convertMbarrierArrive);
  addPattern<MbarrierTryWaitOp>(converter, patterns, convertMbarrierTryWait);
}
