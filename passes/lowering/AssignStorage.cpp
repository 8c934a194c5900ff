//===- AssignStorage.cpp - places of tiles, barriers, TMEM ----------------===//

#include "Storage.h"
#include "StorageAttrs.h"

#include "tirx/Dialect/TIRx.h"
#include "tirx/Layout/Layout.h"
#include "tirx/Passes/Passes.h"

#include "llvm/Support/MathExtras.h"

namespace tirx::passes {
#define GEN_PASS_DEF_TIRXASSIGNSTORAGE
#include "tirx/Passes/Passes.h.inc"
} // namespace tirx::passes

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;
namespace layout = tirx::layout;

/// PTX ISA, cp.async.bulk.tensor: alignment of the shared-memory address.
constexpr int64_t tmaAlignment = 128;
/// PTX ISA, tcgen05.alloc: a power of two of at least 32 columns.
constexpr int64_t tmemMinColumns = 32;

int64_t tirx::passes::getSharedAlignment(BufferType type) {
  const layout::Layout &layout = type.getLayout().getValue();
  int64_t period =
      layout.swizzle ? layout.swizzle->period() * type.getElementBits() / 8 : 1;
  return std::max(tmaAlignment, period);
}

int64_t tirx::passes::getTmemColumns(BufferType type) {
  int64_t elements =
      layout::span(type.getLayout().getValue().tile, layout::Axis::TCol);
  return llvm::divideCeil(elements * type.getElementBits(), 32);
}

static LogicalResult assignTmem(LaunchOp launch, Builder &builder,
                                int64_t limit) {
  int64_t columns = 0;
  for (auto alloc : launch.getBody().getOps<TmemAllocOp>()) {
    alloc.setColumn(columns);
    columns += getTmemColumns(cast<BufferType>(alloc.getResult().getType()));
  }
  if (columns > limit) {
    InFlightDiagnostic diagnostic = launch.emitOpError("tensor memory needs ")
                                    << columns << " columns, an SM has ";
    if (limit)
      diagnostic << limit << " (PTX ISA, tcgen05.alloc)";
    else
      diagnostic << "none on this target (PTX ISA, tcgen05: sm_100a)";
    for (auto alloc : launch.getBody().getOps<TmemAllocOp>())
      diagnostic.attachNote(alloc.getLoc())
          << getTmemColumns(cast<BufferType>(alloc.getResult().getType()))
          << " columns here";
    return diagnostic;
  }
  if (columns)
    columns = std::max<int64_t>(llvm::PowerOf2Ceil(columns), tmemMinColumns);
  launch->setAttr(tmemColumnsAttr, builder.getI64IntegerAttr(columns));
  return success();
}

static LogicalResult assignShared(LaunchOp launch, Builder &builder,
                                  int64_t limit) {
  int64_t offset = 0;
  // tcgen05.alloc writes the address here.
  launch->setAttr(tmemAddressOffsetAttr, builder.getI64IntegerAttr(offset));
  if (!launch.getBody().getOps<TmemAllocOp>().empty())
    offset += 4;
  for (auto alloc : launch.getBody().getOps<MbarrierAllocOp>()) {
    offset = llvm::alignTo(offset, mbarrierBytes);
    alloc.setOffset(offset);
    int64_t slots = cast<BarrierType>(alloc.getResult().getType()).getSlots();
    if (slots > (limit - offset) / mbarrierBytes)
      return alloc.emitOpError("of ")
             << slots << " barriers of " << mbarrierBytes
             << " bytes exceeds the shared memory of a CTA, " << limit
             << " bytes (CUDA programming guide, compute capabilities)";
    offset += mbarrierBytes * slots;
  }
  for (auto alloc : launch.getBody().getOps<SharedAllocOp>()) {
    auto type = cast<BufferType>(alloc.getResult().getType());
    offset = llvm::alignTo(offset, getSharedAlignment(type));
    alloc.setOffset(offset);
    offset += type.getStorageBytes();
  }
  if (offset > limit) {
    InFlightDiagnostic diagnostic =
        launch.emitOpError("shared memory needs ")
        << offset << " bytes, a CTA may have " << limit
        << " (CUDA programming guide, compute capabilities: 227 KB)";
    for (auto alloc : launch.getBody().getOps<SharedAllocOp>())
      diagnostic.attachNote(alloc.getLoc())
          << cast<BufferType>(alloc.getResult().getType()).getStorageBytes()
          << " bytes here";
    return diagnostic;
  }
  launch->setAttr(sharedBytesAttr, builder.getI64IntegerAttr(offset));
  return success();
}

namespace {
struct AssignStoragePass
    : tirx::passes::impl::TIRxAssignStorageBase<AssignStoragePass> {
  using TIRxAssignStorageBase::TIRxAssignStorageBase;

  void runOnOperation() override {
    Builder builder(&getContext());
    bool ok = true;
    getOperation().walk([&](LaunchOp launch) {
      ok &= succeeded(assignTmem(launch, builder, tmemColumns)) &&
            succeeded(assignShared(launch, builder, maxSharedBytes));
    });
    if (!ok)
      signalPassFailure();
  }
};
} // namespace
