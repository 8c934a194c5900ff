//===- PipelineOps.cpp - rings of tiles between roles ---------------------===//

#include "CtaGroup.h"
#include "Directives.h"
#include "EnumSyntax.h"
#include "Slots.h"

using namespace mlir;
using namespace tirx::ir;

ParseResult tirx::ir::parseSignal(OpAsmParser &parser,
                                  PipelineSignalAttr &signal) {
  PipelineSignal value;
  if (parseEnumKeyword(parser, value))
    return failure();
  signal = PipelineSignalAttr::get(parser.getContext(), value);
  return success();
}

void tirx::ir::printSignal(OpAsmPrinter &printer, Operation *,
                           PipelineSignalAttr signal) {
  printer << stringifyPipelineSignal(signal.getValue());
}

//===----------------------------------------------------------------------===//
// PipelineOp
//===----------------------------------------------------------------------===//

LogicalResult PipelineOp::verify() {
  Operation *parent = (*this)->getParentOp();
  if (!isa<LaunchOp>(parent))
    return emitOpError("must be directly in the region of tirx.launch");
  auto type = cast<PipelineType>(getResult().getType());
  if (getFull() == PipelineSignal::tma && type.isTmem())
    return emitOpError("full(tma) needs tiles in shared memory");
  if (getEmpty() == PipelineSignal::tma)
    return emitOpError("empty(tma) is not possible: TMA stores signal no "
                       "mbarrier (PTX ISA, cp.async.bulk.tensor)");
  if (failed(verifyCtaGroup(*this, getCtaGroup())))
    return failure();
  if (getCtaGroup() == 2 && cast<LaunchOp>(parent).getClusterSize()[0] % 2)
    return emitOpError("cta_group(2) needs a cluster of CTA pairs: an even x "
                       "extent, not ")
           << cast<LaunchOp>(parent).getClusterSize()[0];
  if (getBytes() && getFull() != PipelineSignal::tma)
    return emitOpError("bytes are expected by full(tma) only");
  for (auto [name, value] : {std::pair("full_count", getFullCount()),
                             {"empty_count", getEmptyCount()},
                             {"bytes", getBytes()}})
    if (value && ((int64_t)*value < 1 || (int64_t)*value > mbarrierCountLimit))
      return emitOpError() << name << '(' << (int64_t)*value
                           << ") is outside [1, " << mbarrierCountLimit
                           << "] (PTX ISA, mbarrier)";
  return success();
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// The generic form may group the operands as it likes.
template <typename OpT> static LogicalResult verifyOperands(OpT op) {
  if (unsigned count = op.getODSOperandIndexAndLength(0).second; count != 1)
    return op.emitOpError("needs one pipeline, not ") << count;
  if (!op.getStage() != !op.getPhase())
    return op.emitOpError("needs both or neither of stage and phase");
  return success();
}

/// The tile results are those of the pipeline's type.
static LogicalResult inferTiles(std::optional<Location> location,
                                ValueRange operands,
                                llvm::SmallVectorImpl<Type> &types) {
  auto type = operands.empty() ? PipelineType()
                               : dyn_cast<PipelineType>(operands[0].getType());
  if (!type)
    return emitOptionalError(location, "stages are those of a pipeline");
  llvm::append_range(types, type.getTiles());
  return success();
}

LogicalResult
AcquireOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                            ValueRange operands, DictionaryAttr attributes,
                            OpaqueProperties properties, RegionRange regions,
                            llvm::SmallVectorImpl<Type> &types) {
  return inferTiles(location, operands, types);
}

LogicalResult
WaitOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                         ValueRange operands, DictionaryAttr attributes,
                         OpaqueProperties properties, RegionRange regions,
                         llvm::SmallVectorImpl<Type> &types) {
  return inferTiles(location, operands, types);
}

/// Of an operation that need not be verified yet.
static bool isOfPipeline(Operation *op, Value pipeline) {
  return op->getNumOperands() && op->getOperand(0) == pipeline;
}

/// Whether a `CloseT` of the pipeline follows before the next `OpenT`.
template <typename CloseT, typename OpenT>
static LogicalResult verifyClosed(OpenT open, StringRef consequence) {
  if (failed(verifyOperands(open)))
    return failure();
  for (Operation *next = open->getNextNode(); next;
       next = next->getNextNode()) {
    if (auto close = dyn_cast<CloseT>(next);
        close && isOfPipeline(close, open.getPipeline()))
      return success();
    if (auto again = dyn_cast<OpenT>(next);
        again && isOfPipeline(again, open.getPipeline()))
      break;
  }
  return open.emitOpError("is not followed by a ")
         << CloseT::getOperationName() << " of the pipeline in its block"
         << consequence;
}

template <typename OpenT, typename CloseT>
static LogicalResult verifyOpened(CloseT close) {
  if (failed(verifyOperands(close)))
    return failure();
  for (Operation *previous = close->getPrevNode(); previous;
       previous = previous->getPrevNode()) {
    if (auto open = dyn_cast<OpenT>(previous);
        open && isOfPipeline(open, close.getPipeline()))
      return success();
    if (auto other = dyn_cast<CloseT>(previous);
        other && isOfPipeline(other, close.getPipeline()))
      break;
  }
  return close.emitOpError("has no ") << OpenT::getOperationName()
                                      << " of the pipeline before it in its "
                                         "block";
}

LogicalResult AcquireOp::verify() { return verifyClosed<PublishOp>(*this, ""); }
LogicalResult PublishOp::verify() { return verifyOpened<AcquireOp>(*this); }
LogicalResult WaitOp::verify() {
  return verifyClosed<ReleaseOp>(
      *this, ": a consumer that never releases stops the producer");
}

/// Reads after the release would race with the producer.
LogicalResult ReleaseOp::verify() {
  if (failed(verifyOpened<WaitOp>(*this)))
    return failure();
  WaitOp wait;
  for (Operation *op = (*this)->getPrevNode(); !wait; op = op->getPrevNode())
    if (auto candidate = dyn_cast<WaitOp>(op);
        candidate && isOfPipeline(candidate, getPipeline()))
      wait = candidate;
  for (Value tile : wait.getTiles())
    for (Operation *user : tile.getUsers()) {
      Operation *top = (*this)->getBlock()->findAncestorOpInBlock(*user);
      if (!top || !(*this)->isBeforeInBlock(top))
        continue;
      InFlightDiagnostic diagnostic =
          user->emitOpError("uses a tile of a stage that was released");
      diagnostic.attachNote(getLoc()) << "here";
      return diagnostic;
    }
  return success();
}

LogicalResult DrainOp::verify() { return verifyOperands(*this); }
