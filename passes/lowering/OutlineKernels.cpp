//===- OutlineKernels.cpp - move device code into functions ---------------===//

#include "StorageAttrs.h"

#include "tirx/Dialect/TIRx.h"
#include "tirx/Passes/KernelAttrs.h"
#include "tirx/Passes/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

namespace tirx::passes {
#define GEN_PASS_DEF_TIRXOUTLINEKERNELS
#include "tirx/Passes/Passes.h.inc"
} // namespace tirx::passes

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;

/// Extents and strides that device code asks for are asked for on the host
/// instead, once each; then they are parameters like any other host value.
static void hoistArgumentQueries(LaunchOp launch) {
  SmallVector<Operation *> queries;
  launch.walk([&](Operation *op) {
    if (isa<DimOp, StrideOp>(op))
      queries.push_back(op);
  });
  Block *host = launch->getBlock();
  for (Operation *query : queries) {
    auto known = llvm::find_if(*host, [&](Operation &op) {
      return OperationEquivalence::isEquivalentTo(
          &op, query, OperationEquivalence::IgnoreLocations);
    });
    if (known == host->end()) {
      query->moveBefore(launch);
      continue;
    }
    query->replaceAllUsesWith(&*known);
    query->erase();
  }
}

/// Host values that the device code uses, constants aside, in order of use.
static SmallVector<Value> collectParameters(LaunchOp launch) {
  llvm::SetVector<Value> parameters;
  launch.getBody().walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (!launch.getBody().isAncestor(operand.getParentRegion()) &&
          !matchPattern(operand, m_Constant()))
        parameters.insert(operand);
  });
  return parameters.takeVector();
}

/// The kernel argument behind a buffer or a tensor map.
static BlockArgument findArgument(Value value) {
  if (auto map = value.getDefiningOp<TensorMapOp>())
    value = map.getBuffer();
  return dyn_cast<BlockArgument>(value);
}

/// Records, for the manifest, which arguments the device code reads and writes,
/// and whether it waits for the grid before it.
static void recordAccesses(KernelOp kernel, LaunchOp launch) {
  llvm::SetVector<int64_t> reads, writes;
  auto record = [&](Value value, llvm::SetVector<int64_t> &accesses) {
    BlockArgument argument = findArgument(value);
    if (argument && argument.getOwner()->getParentOp() == kernel)
      accesses.insert(argument.getArgNumber());
  };
  launch.walk([&](Operation *op) {
    if (auto ld = dyn_cast<LdOp>(op))
      record(ld.getBuffer(), reads);
    else if (auto st = dyn_cast<StOp>(op))
      record(st.getBuffer(), writes);
    else if (auto load = dyn_cast<TmaLoadOp>(op))
      record(load.getMap(), reads);
    else if (auto store = dyn_cast<TmaStoreOp>(op))
      record(store.getMap(), writes);
    else if (auto control = dyn_cast<GridDepControlOp>(op);
             control && control.getAction() == GridDepAction::wait)
      kernel->setAttr(dependentLaunchAttr, UnitAttr::get(kernel.getContext()));
  });
  Builder builder(kernel);
  kernel->setAttr(readArgumentsAttr,
                  builder.getDenseI64ArrayAttr(reads.getArrayRef()));
  kernel->setAttr(writtenArgumentsAttr,
                  builder.getDenseI64ArrayAttr(writes.getArrayRef()));
}

static LogicalResult outline(LaunchOp launch, SymbolTable &symbols) {
  auto kernel = launch->getParentOfType<KernelOp>();
  Location loc = launch.getLoc();
  auto sharedBytes = launch->getAttrOfType<IntegerAttr>(sharedBytesAttr);
  if (!sharedBytes)
    return launch.emitOpError(
        "has no storage assigned: run tirx-assign-storage first");
  recordAccesses(kernel, launch);
  hoistArgumentQueries(launch);
  SmallVector<Value> parameters = collectParameters(launch);

  OpBuilder builder(kernel);
  SmallVector<Type> types(ValueRange(parameters).getTypes());
  auto function = func::FuncOp::create(builder, kernel.getLoc(),
                                       (kernel.getSymName() + "_device").str(),
                                       builder.getFunctionType(types, {}));
  symbols.insert(function);
  for (StringRef name : {StringRef(sharedBytesAttr), StringRef(tmemColumnsAttr),
                         StringRef(tmemAddressOffsetAttr)})
    if (Attribute attr = launch->getAttr(name))
      function->setAttr(name, attr);
  function->setAttr(threadsAttr, launch.getThreadsAttr());
  if (launch.getCluster())
    function->setAttr(clusterAttr, launch.getClusterAttr());

  function.getBody().takeBody(launch.getBody());
  Block *entry = &function.getBody().front();
  builder.setInsertionPointToStart(entry);
  for (Value parameter : parameters) {
    BlockArgument argument =
        entry->addArgument(parameter.getType(), parameter.getLoc());
    parameter.replaceUsesWithIf(argument, [&](OpOperand &use) {
      return function->isAncestor(use.getOwner());
    });
  }
  // Constants of the host part are cheaper to repeat than to pass.
  function.walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *definition = operand.get().getDefiningOp();
      if (!definition || function->isAncestor(definition))
        continue;
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(entry);
      operand.set(builder.clone(*definition)->getResult(0));
    }
  });
  Operation *terminator = entry->getTerminator();
  builder.setInsertionPoint(terminator);
  func::ReturnOp::create(builder, terminator->getLoc());
  terminator->erase();

  builder.setInsertionPoint(launch);
  LaunchFuncOp::create(builder, loc, function.getSymName(), launch.getGridX(),
                       launch.getGridY(), launch.getGridZ(),
                       launch.getClusterAttr(), launch.getThreads(),
                       sharedBytes.getInt(), parameters);
  launch.erase();
  return success();
}

namespace {
struct OutlineKernelsPass
    : tirx::passes::impl::TIRxOutlineKernelsBase<OutlineKernelsPass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<LaunchOp> launches;
    getOperation().walk([&](LaunchOp launch) { launches.push_back(launch); });
    for (LaunchOp launch : launches)
      if (failed(outline(launch, symbols)))
        return signalPassFailure();
  }
};
} // namespace
