//===- PipelineOps.cpp - rings of tiles between roles ---------------------===//

#include "Directives.h"
#include "EnumSyntax.h"

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
  if (int64_t group = getCtaGroup(); group != 1 && group != 2)
    return emitOpError("cta_group(") << group << ") must be 1 or 2";
  if (getCtaGroup() == 2 && cast<LaunchOp>(parent).getClusterSize()[0] % 2)
    return emitOpError("cta_group(2) needs a cluster of CTA pairs: an even x "
                       "extent, not ")
           << cast<LaunchOp>(parent).getClusterSize()[0];
  if (getBytes() && getFull() != PipelineSignal::tma)
    return emitOpError("bytes are expected by full(tma) only");
  return success();
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

template <typename OpT> static LogicalResult verifyPosition(OpT op) {
  if (!op.getStage() != !op.getPhase())
    return op.emitOpError("needs both or neither of stage and phase");
  return success();
}

/// The tile results are those of the pipeline's type.
template <typename OpT>
static LogicalResult inferTiles(OpT adaptor,
                                llvm::SmallVectorImpl<Type> &types) {
  auto type = dyn_cast<PipelineType>(adaptor.getPipeline().getType());
  if (!type)
    return failure();
  llvm::append_range(types, type.getTiles());
  return success();
}

LogicalResult
AcquireOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                            ValueRange operands, DictionaryAttr attributes,
                            OpaqueProperties properties, RegionRange regions,
                            llvm::SmallVectorImpl<Type> &types) {
  return inferTiles(Adaptor(operands, attributes, properties, regions), types);
}

LogicalResult WaitOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                       ValueRange operands,
                                       DictionaryAttr attributes,
                                       OpaqueProperties properties,
                                       RegionRange regions,
                                       llvm::SmallVectorImpl<Type> &types) {
  return inferTiles(Adaptor(operands, attributes, properties, regions), types);
}

/// Whether a `CloseT` of the pipeline follows before the next `OpenT`.
template <typename CloseT, typename OpenT>
static LogicalResult verifyClosed(OpenT open, StringRef consequence) {
  for (Operation *next = open->getNextNode(); next;
       next = next->getNextNode()) {
    if (auto close = dyn_cast<CloseT>(next);
        close && close.getPipeline() == open.getPipeline())
      return verifyPosition(open);
    if (auto again = dyn_cast<OpenT>(next);
        again && again.getPipeline() == open.getPipeline())
      break;
  }
  return open.emitOpError("is not followed by a ")
         << CloseT::getOperationName() << " of the pipeline in its block"
         << consequence;
}

template <typename OpenT, typename CloseT>
static LogicalResult verifyOpened(CloseT close) {
  for (Operation *previous = close->getPrevNode(); previous;
       previous = previous->getPrevNode()) {
    if (auto open = dyn_cast<OpenT>(previous);
        open && open.getPipeline() == close.getPipeline())
      return verifyPosition(close);
    if (auto other = dyn_cast<CloseT>(previous);
        other && other.getPipeline() == close.getPipeline())
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
        candidate && candidate.getPipeline() == getPipeline())
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
