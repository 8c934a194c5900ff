//===- TileOps.cpp - copies and matrix products of tiles ------------------===//

#include "CtaGroup.h"
#include "EnumSyntax.h"
#include "Slots.h"

#include "tirx/Layout/Algebra.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tirx::ir;
namespace layout = tirx::layout;

//===----------------------------------------------------------------------===//
// Tiles: buffers and register tiles alike
//===----------------------------------------------------------------------===//

llvm::ArrayRef<int64_t> tirx::ir::getTileShape(Type tile) {
  if (auto buffer = dyn_cast<BufferType>(tile))
    return buffer.getShape();
  return cast<RankedTensorType>(tile).getShape();
}

Type tirx::ir::getTileElementType(Type tile) {
  if (auto buffer = dyn_cast<BufferType>(tile))
    return buffer.getElementType();
  return cast<RankedTensorType>(tile).getElementType();
}

llvm::ArrayRef<int64_t>
tirx::ir::dropLeadingUnits(llvm::ArrayRef<int64_t> shape, size_t rank) {
  while (shape.size() > rank && shape.front() == 1)
    shape = shape.drop_front();
  return shape;
}

std::string tirx::ir::describeTile(Type tile) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (int64_t extent : getTileShape(tile)) {
    if (ShapedType::isDynamic(extent))
      os << "?x";
    else
      os << extent << 'x';
  }
  os << getTileElementType(tile);
  return text;
}

//===----------------------------------------------------------------------===//
// CopyOp, CopyAsyncOp: one syntax
//
//   copy %src to %dst [signal(%bar[%slot] : type)] [multicast(axis)]
//     [cta_group(n)] [dispatch("v")] : S to D
//   %tile = copy %src [dispatch("v")] : S to tensor<...>
//===----------------------------------------------------------------------===//

namespace {
struct CopySyntax {
  OpAsmParser::UnresolvedOperand source, destination, barrier, slot;
  bool hasDestination = false, hasBarrier = false, hasSlot = false;
  Type sourceType, destinationType, barrierType;
};
} // namespace

/// Clauses of loads: `multicast(axis)`, `cta_group(n)`.
static ParseResult parseClusterClauses(OpAsmParser &parser,
                                       OperationState &result) {
  MLIRContext *context = parser.getContext();
  if (succeeded(parser.parseOptionalKeyword("multicast"))) {
    ThreadAxis axis;
    if (parser.parseLParen() || parseEnumKeyword(parser, axis) ||
        parser.parseRParen())
      return failure();
    result.addAttribute("multicast", ThreadAxisAttr::get(context, axis));
  }
  if (succeeded(parser.parseOptionalKeyword("cta_group"))) {
    int64_t group;
    if (parser.parseLParen() || parser.parseInteger(group) ||
        parser.parseRParen())
      return failure();
    result.addAttribute("cta_group",
                        IntegerAttr::get(IntegerType::get(context, 64), group));
  }
  return success();
}

static ParseResult parseCopy(OpAsmParser &parser, OperationState &result,
                             CopySyntax &copy, bool allowSignal) {
  if (parser.parseOperand(copy.source))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("to"))) {
    copy.hasDestination = true;
    if (parser.parseOperand(copy.destination))
      return failure();
  }
  if (allowSignal && succeeded(parser.parseOptionalKeyword("signal"))) {
    copy.hasBarrier = true;
    if (parser.parseLParen() || parser.parseOperand(copy.barrier))
      return failure();
    if (succeeded(parser.parseOptionalLSquare())) {
      copy.hasSlot = true;
      if (parser.parseOperand(copy.slot) || parser.parseRSquare())
        return failure();
    }
    if (parser.parseColonType(copy.barrierType) || parser.parseRParen())
      return failure();
  }
  if (allowSignal && parseClusterClauses(parser, result))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("dispatch"))) {
    StringAttr dispatch;
    if (parser.parseLParen() ||
        parser.parseAttribute(dispatch, "dispatch", result.attributes) ||
        parser.parseRParen())
      return failure();
  }
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(copy.sourceType) || parser.parseKeyword("to") ||
      parser.parseType(copy.destinationType) ||
      parser.resolveOperand(copy.source, copy.sourceType, result.operands))
    return failure();
  if (copy.hasDestination) {
    if (parser.resolveOperand(copy.destination, copy.destinationType,
                              result.operands))
      return failure();
  } else {
    result.addTypes(copy.destinationType);
  }
  if (copy.hasBarrier &&
      parser.resolveOperand(copy.barrier, copy.barrierType, result.operands))
    return failure();
  if (copy.hasSlot &&
      parser.resolveOperand(copy.slot, parser.getBuilder().getIndexType(),
                            result.operands))
    return failure();
  return success();
}

template <typename OpT> static Type getDestinationType(OpT op) {
  if (op.getDestination())
    return op.getDestination().getType();
  return op.getResult().getType();
}

template <typename OpT>
static void printCopyTail(OpT op, OpAsmPrinter &printer) {
  if (op.getDispatch())
    printer << " dispatch(" << op.getDispatchAttr() << ')';
  printer.printOptionalAttrDict(
      op->getAttrs(),
      {"dispatch", "operandSegmentSizes", "multicast", "cta_group"});
  printer << " : " << op.getSource().getType() << " to "
          << getDestinationType(op);
}

ParseResult CopyOp::parse(OpAsmParser &parser, OperationState &result) {
  CopySyntax copy;
  return parseCopy(parser, result, copy, /*allowSignal=*/false);
}

void CopyOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getSource();
  if (getDestination())
    printer << " to " << getDestination();
  printCopyTail(*this, printer);
}

ParseResult CopyAsyncOp::parse(OpAsmParser &parser, OperationState &result) {
  CopySyntax copy;
  if (parseCopy(parser, result, copy, /*allowSignal=*/true))
    return failure();
  result.getOrAddProperties<Properties>().operandSegmentSizes = {
      1, copy.hasDestination, copy.hasBarrier, copy.hasSlot};
  return success();
}

void CopyAsyncOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getSource();
  if (getDestination())
    printer << " to " << getDestination();
  if (getBarrier()) {
    printer << " signal(" << getBarrier();
    if (getSlot())
      printer << '[' << getSlot() << ']';
    printer << " : " << getBarrier().getType() << ')';
  }
  if (auto axis = getMulticast())
    printer << " multicast(" << stringifyEnum(*axis) << ')';
  if (getCtaGroup() != 1)
    printer << " cta_group(" << (int64_t)getCtaGroup() << ')';
  printCopyTail(*this, printer);
}

template <typename OpT> static LogicalResult verifyCopy(OpT op) {
  if (!op.getDestination() == !op.getResult())
    return op.emitOpError(
        "must have either a destination buffer or a result tile");
  Type source = op.getSource().getType();
  Type destination = getDestinationType(op);
  for (Type tile : {source, destination})
    if (auto buffer = dyn_cast<BufferType>(tile);
        buffer && !buffer.hasStaticShape())
      return op.emitOpError("needs static extents, not ")
             << buffer << ": take a tirx.slice of it";
  if (getTileElementType(source) != getTileElementType(destination))
    return op.emitOpError("copies elements of ")
           << getTileElementType(source) << " into "
           << getTileElementType(destination);
  // A slice of a batch is a tile: a global side may have more unit extents.
  auto shapeBeside = [](Type tile, Type other) {
    auto buffer = dyn_cast<BufferType>(tile);
    return buffer && buffer.isGlobal()
               ? dropLeadingUnits(buffer.getShape(), getTileShape(other).size())
               : getTileShape(tile);
  };
  if (shapeBeside(source, destination) != shapeBeside(destination, source))
    return op.emitOpError("copies ")
           << describeTile(source) << " into " << describeTile(destination);
  if (isa<RankedTensorType>(source) && op.getResult())
    return op.emitOpError("copies a register tile into a register tile: use "
                          "the value itself");
  return success();
}

LogicalResult CopyOp::verify() { return verifyCopy(*this); }

LogicalResult CopyAsyncOp::verify() {
  if (failed(verifyCopy(*this)))
    return failure();
  auto source = dyn_cast<BufferType>(getSource().getType());
  bool isTmaLoad = source && source.isGlobal() && getDestination() &&
                   cast<BufferType>(getDestination().getType()).isShared();
  // A stage of a pipeline has its barrier.
  if (isTmaLoad && !getBarrier() &&
      !getDestination().getDefiningOp<AcquireOp>())
    return emitOpError("a TMA load needs signal(...): the mbarrier that its "
                       "bytes complete on");
  if (auto axis = getMulticast();
      axis && !llvm::is_contained(
                  {ThreadAxis::cbx, ThreadAxis::cby, ThreadAxis::cbz}, *axis))
    return emitOpError("multicast(")
           << stringifyEnum(*axis)
           << ") must name an axis of the cluster: cbx, cby or cbz";
  if (failed(verifyCtaGroup(*this, getCtaGroup())))
    return failure();
  if (isTmaLoad)
    return getBarrier() ? verifySlot(*this, getBarrier(), getSlot())
                        : success();
  if (getMulticast() || getCtaGroup() != 1)
    return emitOpError(getMulticast() ? "multicast(...)" : "cta_group(2)")
           << " is for copies from global to shared memory";
  if (getBarrier())
    return emitOpError("signal(...) is for copies from global to shared "
                       "memory: TMA stores complete by tirx.bulk.wait_group, "
                       "copies of tensor memory by tirx.tcgen05.wait");
  return success();
}

//===----------------------------------------------------------------------===//
// BroadcastOp
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  int64_t added = result.getRank() - source.getRank();
  bool fits = added >= 0 && source.getElementType() == result.getElementType();
  for (int64_t axis = 0; fits && axis < source.getRank(); ++axis)
    fits = source.getDimSize(axis) == 1 ||
           source.getDimSize(axis) == result.getDimSize(added + axis);
  if (!fits)
    return emitOpError("cannot broadcast ")
           << describeTile(source) << " to " << describeTile(result);
  return success();
}

//===----------------------------------------------------------------------===//
// TransposeOp
//===----------------------------------------------------------------------===//

LogicalResult TransposeOp::verify() {
  auto source = cast<BufferType>(getSource().getType());
  auto result = cast<BufferType>(getResult().getType());
  llvm::ArrayRef<int64_t> shape = source.getShape();
  if (shape.size() != 2)
    return emitOpError("transposes matrices, not ") << describeTile(source);
  if (result.getShape() != llvm::ArrayRef<int64_t>{shape[1], shape[0]} ||
      result.getElementType() != source.getElementType())
    return emitOpError("of ")
           << describeTile(source) << " cannot be " << describeTile(result);
  auto transposed = layout::permuteByGroups(source.getLayout().getValue(),
                                            shape, std::array<size_t, 2>{1, 0});
  if (!transposed)
    return emitOpError("cannot transpose the layout: ")
           << transposed.error().message;
  if (!layout::equivalent(*transposed, result.getLayout().getValue()))
    return emitOpError("the transposed layout is ")
           << layout::toString(*transposed) << ", the result's "
           << layout::toString(result.getLayout().getValue());
  return success();
}

//===----------------------------------------------------------------------===//
// GemmAsyncOp
//===----------------------------------------------------------------------===//

LogicalResult GemmAsyncOp::verify() {
  auto d = cast<BufferType>(getD().getType());
  auto a = cast<BufferType>(getA().getType());
  auto b = cast<BufferType>(getB().getType());
  for (auto [name, type] : {std::pair("D", d), {"A", a}, {"B", b}})
    if (type.getRank() != 2 || !type.hasStaticShape())
      return emitOpError("operand ")
             << name << " must be a static matrix, not " << type;
  if (failed(verifyCtaGroup(*this, getCtaGroup())))
    return failure();
  int64_t m = d.getShape()[0], n = d.getShape()[1], k = a.getShape()[1];
  if (a.getShape()[0] != m)
    return emitOpError("M of A is ") << a.getShape()[0] << ", M of D is " << m;
  if (getCtaGroup() == 2 && 2 * b.getShape()[0] != n)
    return emitOpError("N of B is 2 x ")
           << b.getShape()[0] << " over the pair of CTAs, N of D is " << n
           << ": with cta_group(2) each CTA holds half of B's rows and all of "
              "D's columns";
  if (getCtaGroup() == 1 && b.getShape()[0] != n)
    return emitOpError("N of B is ") << b.getShape()[0] << ", N of D is " << n;
  if (b.getShape()[1] != k)
    return emitOpError("K of A is ") << k << ", K of B is " << b.getShape()[1];
  return success();
}
