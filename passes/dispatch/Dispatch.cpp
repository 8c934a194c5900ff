//===- Dispatch.cpp - choose the hardware path of tile operations ---------===//

#include "CopyTiles.h"
#include "Plans.h"

#include "tirx/Passes/Passes.h"

namespace tirx::passes {
#define GEN_PASS_DEF_TIRXDISPATCH
#include "tirx/Passes/Passes.h.inc"
} // namespace tirx::passes

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

template <auto plan> static Planned<void> check(Operation *op) {
  auto planned = plan(op);
  if (!planned)
    return tl::unexpected(planned.error());
  return {};
}

static Planned<void> checkMma(Operation *op) {
  auto planned = planMma(cast<GemmAsyncOp>(op));
  if (!planned)
    return tl::unexpected(planned.error());
  return {};
}

template <bool load> static Planned<void> checkTmem(Operation *op) {
  CopyTiles tiles(op);
  BufferType tmem = load ? tiles.sourceBuffer : tiles.destinationBuffer;
  if (!tmem || !tmem.isTmem())
    return refuse((load ? "the source is " + tiles.describeSource()
                        : "the destination is " + tiles.describeDestination()) +
                  ", not in tensor memory");
  return check<planTmemCopy>(op);
}

/// The variants of an asynchronous copy end with those that complete at once.
static constexpr Variant copyVariants[] = {
    {"tcgen05_ld", checkTmem<true>},
    {"tcgen05_st", checkTmem<false>},
    {"vector", [](Operation *op) -> Planned<void> {
       return CopyTiles(op).getRegisterTile() ? check<planRegisterCopy>(op)
                                              : check<planVectorCopy>(op);
     }}};

static constexpr Variant copyAsyncVariants[] = {
    {"tma", check<planTma>},
    {"tcgen05_ld", checkTmem<true>},
    {"tcgen05_st", checkTmem<false>}};

static constexpr Variant gemmAsyncVariants[] = {{"tcgen05", checkMma}};

ArrayRef<Variant> tirx::passes::getVariants(Operation *op) {
  if (isa<CopyOp>(op))
    return copyVariants;
  if (isa<CopyAsyncOp>(op))
    return copyAsyncVariants;
  if (isa<GemmAsyncOp>(op))
    return gemmAsyncVariants;
  return {};
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

static LogicalResult dispatchByName(Operation *op, StringRef name,
                                    ArrayRef<Variant> variants) {
  auto *variant =
      llvm::find_if(variants, [&](const Variant &v) { return v.name == name; });
  if (variant == variants.end()) {
    InFlightDiagnostic diagnostic = op->emitOpError("has no dispatch variant '")
                                    << name << "'; it has ";
    llvm::interleaveComma(variants, diagnostic, [&](const Variant &v) {
      diagnostic << "'" << v.name << "'";
    });
    return diagnostic;
  }
  if (auto applies = variant->check(op); !applies)
    return op->emitOpError("cannot be dispatched to '")
           << name << "': " << applies.error();
  return success();
}

LogicalResult tirx::passes::verifyDispatched(Operation *op) {
  auto name = op->getAttrOfType<StringAttr>("dispatch");
  if (!name)
    return op->emitOpError("has not been dispatched: run tirx-dispatch first");
  return dispatchByName(op, name, getVariants(op));
}

static LogicalResult dispatch(Operation *op, ArrayRef<Variant> variants) {
  if (auto name = op->getAttrOfType<StringAttr>("dispatch"))
    return dispatchByName(op, name, variants);
  Builder builder(op);
  SmallVector<Attribute> refusals;
  for (const Variant &variant : variants) {
    auto applies = variant.check(op);
    if (applies) {
      op->setAttr("dispatch", builder.getStringAttr(variant.name));
      if (!refusals.empty())
        op->setAttr("tirx.refused", builder.getArrayAttr(refusals));
      return success();
    }
    refusals.push_back(
        builder.getStringAttr(variant.name + ": " + applies.error()));
  }
  InFlightDiagnostic diagnostic = op->emitError("no dispatch variant of ")
                                  << op->getName() << " applies";
  for (Attribute refusal : refusals)
    diagnostic.attachNote() << cast<StringAttr>(refusal).getValue();
  return diagnostic;
}

namespace {
struct DispatchPass : tirx::passes::impl::TIRxDispatchBase<DispatchPass> {
  void runOnOperation() override {
    bool ok = true;
    getOperation().walk([&](Operation *op) {
      if (ArrayRef<Variant> variants = getVariants(op); !variants.empty())
        ok &= succeeded(dispatch(op, variants));
    });
    if (!ok)
      signalPassFailure();
  }
};
} // namespace
