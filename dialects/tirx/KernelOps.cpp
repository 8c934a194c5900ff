//===- KernelOps.cpp - kernels, launch rules, arguments -------------------===//

#include "Directives.h"

#include "tirx/Layout/ClusterSets.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tirx::ir;

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

llvm::StringRef KernelOp::getArgumentName(unsigned index) {
  return cast<StringAttr>(getArgumentNames()[index]).getValue();
}

void KernelOp::getAsmBlockArgumentNames(Region &region,
                                        OpAsmSetValueNameFn setName) {
  for (auto [argument, name] :
       llvm::zip(region.getArguments(), getArgumentNames()))
    setName(argument, cast<StringAttr>(name).getValue());
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseSymbolName(name, SymbolTable::getSymbolAttrName(),
                             result.attributes) ||
      parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren,
                               /*allowType=*/true) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();

  Builder &builder = parser.getBuilder();
  SmallVector<Attribute> names, types;
  for (OpAsmParser::Argument &argument : arguments) {
    // The name is part of the kernel's interface: callers pass arguments by it.
    names.push_back(
        builder.getStringAttr(argument.ssaName.name.drop_front())); // '%'
    types.push_back(TypeAttr::get(argument.type));
  }
  Properties &properties = result.getOrAddProperties<Properties>();
  properties.argument_names = builder.getArrayAttr(names);
  properties.argument_types = builder.getArrayAttr(types);

  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  if (body->empty())
    body->emplaceBlock();
  return success();
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << '(';
  llvm::interleaveComma(
      getKernelArguments(), printer,
      [&](BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ')';
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {getSymNameAttrName(), getArgumentNamesAttrName(),
                            getArgumentTypesAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

static bool isIdentifierStart(char c) { return llvm::isAlpha(c) || c == '_'; }
static bool isIdentifierChar(char c) {
  return isIdentifierStart(c) || llvm::isDigit(c);
}

LogicalResult KernelOp::verify() {
  if (getArgumentNames().size() != getArgumentTypes().size())
    return emitOpError("has ")
           << getArgumentNames().size() << " argument names for "
           << getArgumentTypes().size() << " arguments";
  llvm::StringSet<> seen;
  for (Attribute attr : getArgumentNames()) {
    llvm::StringRef name = cast<StringAttr>(attr).getValue();
    // Also what the printer keeps as it is in an SSA name.
    if (name.empty() || !isIdentifierStart(name.front()) ||
        !llvm::all_of(name, isIdentifierChar))
      return emitOpError("argument name '")
             << name << "' is not an identifier: callers pass arguments by it";
    if (!seen.insert(name).second)
      return emitOpError("argument '") << name << "' appears twice";
  }
  for (auto [index, attr] : llvm::enumerate(getArgumentTypes())) {
    Type type = cast<TypeAttr>(attr).getValue();
    auto buffer = dyn_cast<BufferType>(type);
    if (buffer ? !buffer.isGlobal() : !type.isIntOrIndexOrFloat())
      return emitOpError("argument '")
             << getArgumentName(index)
             << "' must be a global buffer, an integer or a float, not "
             << type;
  }
  return success();
}

/// What may compute grid sizes, parameters and launch checks: the operations
/// that the artifact's host expressions can say.
static bool isHostOperation(Operation &op) {
  return isa<DimOp, StrideOp, RequireOp, TensorMapOp, LaunchOp, LaunchFuncOp,
             SmCountOp, ScheduleOp, GridSizeOp, arith::ConstantOp,
             arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivUIOp,
             arith::DivSIOp, arith::CeilDivUIOp, arith::CeilDivSIOp,
             arith::FloorDivSIOp, arith::RemUIOp, arith::RemSIOp,
             arith::MinUIOp, arith::MinSIOp, arith::MaxUIOp, arith::MaxSIOp,
             arith::CmpIOp, arith::SelectOp, arith::AndIOp, arith::OrIOp,
             arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
             arith::ExtUIOp>(op);
}

LogicalResult KernelOp::verifyRegions() {
  Block &body = getBody().front();
  if (body.getArgumentTypes().size() != getArgumentTypes().size() ||
      !llvm::equal(body.getArgumentTypes(),
                   getArgumentTypes().getAsValueRange<TypeAttr>()))
    return emitOpError("has block arguments that differ from its types");
  for (Operation &op : body)
    if (!isHostOperation(op))
      return op.emitOpError("is not allowed in the host part of a kernel, "
                            "which the runtime evaluates: use tirx.dim, "
                            "tirx.stride, tirx.require and integer arith "
                            "operations");
  if (body.empty() || !isa<LaunchOp, LaunchFuncOp>(body.back()))
    return emitOpError("must end in a tirx.launch");
  if (llvm::count_if(body, llvm::IsaPred<LaunchOp, LaunchFuncOp>) != 1)
    return emitOpError("must contain one tirx.launch");
  return success();
}

//===----------------------------------------------------------------------===//
// LaunchOp
//===----------------------------------------------------------------------===//

/// PTX ISA, ".reqntid"; CUDA programming guide: 1024 threads a block.
template <typename OpT> static LogicalResult verifyThreads(OpT op) {
  int64_t threads = op.getThreads();
  if (threads < 32 || threads > 1024 || threads % 32)
    return op.emitOpError("threads(")
           << threads << ") must be a multiple of 32 between 32 and 1024";
  return success();
}

template <typename OpT> static LogicalResult verifyCluster(OpT op) {
  if (!op.getCluster())
    return success();
  llvm::ArrayRef<int64_t> cluster = *op.getCluster();
  if (cluster.size() != 3)
    return op.emitOpError("cluster has ")
           << cluster.size() << " extents, not 3";
  int64_t ctas = 1;
  for (int64_t extent : cluster) {
    if (extent < 1 || extent > tirx::layout::kMaxClusterSize)
      return op.emitOpError("cluster extent ")
             << extent << " is outside [1, " << tirx::layout::kMaxClusterSize
             << "]";
    ctas *= extent;
  }
  if (ctas > tirx::layout::kMaxClusterSize)
    return op.emitOpError("cluster(")
           << cluster[0] << ", " << cluster[1] << ", " << cluster[2] << ") has "
           << ctas << " CTAs, a cluster at most "
           << tirx::layout::kMaxClusterSize
           << " (CUDA programming guide, thread block clusters)";
  return success();
}

ParseResult tirx::ir::parseClusterSize(OpAsmParser &parser,
                                       DenseI64ArrayAttr &cluster) {
  SmallVector<int64_t, 3> extents;
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&] {
        return parser.parseInteger(extents.emplace_back());
      }))
    return failure();
  cluster = parser.getBuilder().getDenseI64ArrayAttr(extents);
  return success();
}

void tirx::ir::printClusterSize(OpAsmPrinter &printer, Operation *,
                                DenseI64ArrayAttr cluster) {
  printer << '(';
  llvm::interleaveComma(cluster.asArrayRef(), printer);
  printer << ')';
}

std::array<int64_t, 3> LaunchOp::getClusterSize() {
  if (!getCluster())
    return {1, 1, 1};
  llvm::ArrayRef<int64_t> cluster = *getCluster();
  return {cluster[0], cluster[1], cluster[2]};
}

int64_t LaunchOp::getClusterCtas() {
  auto [x, y, z] = getClusterSize();
  return x * y * z;
}

LogicalResult LaunchOp::verify() {
  if (getBody().getNumArguments())
    return emitOpError("region takes no arguments");
  if (failed(verifyCluster(*this)))
    return failure();
  return verifyThreads(*this);
}

//===----------------------------------------------------------------------===//
// ReturnOp
//===----------------------------------------------------------------------===//

void ReturnOp::build(OpBuilder &, OperationState &) {}

LogicalResult ReturnOp::verify() {
  auto role = dyn_cast_or_null<RoleOp>((*this)->getParentOp());
  TypeRange expected = role ? TypeRange(role.getResultTypes()) : TypeRange();
  if (getValues().getTypes() != expected)
    return emitOpError("returns ")
           << getValues().size() << " values, but "
           << (*this)->getParentOp()->getName() << " carries "
           << expected.size() << " of these types";
  return success();
}

//===----------------------------------------------------------------------===//
// LaunchFuncOp
//===----------------------------------------------------------------------===//

LogicalResult LaunchFuncOp::verify() {
  if ((int64_t)getSharedBytes() < 0)
    return emitOpError("shared_bytes(")
           << (int64_t)getSharedBytes() << ") is negative";
  if (failed(verifyCluster(*this)))
    return failure();
  return verifyThreads(*this);
}

LogicalResult
LaunchFuncOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  Operation *callee =
      symbolTable.lookupNearestSymbolFrom(*this, getCalleeAttr());
  auto function = dyn_cast_or_null<FunctionOpInterface>(callee);
  if (!function)
    return emitOpError("callee ")
           << getCalleeAttr() << " is not a function of the module";
  // Types may differ: conversion to LLVM changes those of the function only.
  if (function.getNumArguments() != getParameters().size())
    return emitOpError("passes ")
           << getParameters().size() << " parameters to " << getCalleeAttr()
           << ", which has " << function.getNumArguments();
  return success();
}

//===----------------------------------------------------------------------===//
// DimOp, StrideOp
//===----------------------------------------------------------------------===//

template <typename OpT> static LogicalResult verifyArgumentAxis(OpT op) {
  auto type = cast<BufferType>(op.getBuffer().getType());
  int64_t axis = op.getAxis();
  if (axis < 0 || axis >= type.getRank())
    return op.emitOpError("axis ")
           << axis << " is out of range: the buffer has rank "
           << type.getRank();
  // Extents and strides are known for what the caller passed, not for windows.
  auto argument = dyn_cast<BlockArgument>(op.getBuffer());
  if (!argument ||
      !isa<KernelOp, FunctionOpInterface>(argument.getOwner()->getParentOp()))
    return op.emitOpError("operand must be a kernel argument");
  return success();
}

LogicalResult DimOp::verify() { return verifyArgumentAxis(*this); }
LogicalResult StrideOp::verify() { return verifyArgumentAxis(*this); }

OpFoldResult DimOp::fold(FoldAdaptor) {
  int64_t extent =
      cast<BufferType>(getBuffer().getType()).getShape()[getAxis()];
  if (ShapedType::isDynamic(extent))
    return {};
  return IntegerAttr::get(IndexType::get(getContext()), extent);
}

//===----------------------------------------------------------------------===//
// TensorMapOp
//===----------------------------------------------------------------------===//

LogicalResult TensorMapOp::verify() {
  auto buffer = cast<BufferType>(getBuffer().getType());
  auto map = cast<TensorMapType>(getResult().getType());
  if (map.getElementType() != buffer.getElementType())
    return emitOpError("maps elements of ")
           << map.getElementType() << ", but the buffer has "
           << buffer.getElementType();
  if ((int64_t)map.getBox().size() != buffer.getRank())
    return emitOpError("box has rank ")
           << map.getBox().size() << ", but the buffer has rank "
           << buffer.getRank();
  return success();
}
