//===- ScheduleOps.cpp - which CTA computes which tiles -------------------===//

#include "tirx/Dialect/TIRx.h"

using namespace mlir;
using namespace tirx::ir;

LogicalResult ScheduleOp::verify() {
  int64_t rank = cast<ScheduleType>(getResult().getType()).getRank();
  if ((int64_t)getExtents().size() != rank)
    return emitOpError("deals out ")
           << getExtents().size() << " coordinates, its type has " << rank;
  if ((int64_t)getGroup() < 1)
    return emitOpError("group(") << (int64_t)getGroup() << ") must be positive";
  return success();
}

ParseResult ForTilesOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> coordinates;
  OpAsmParser::UnresolvedOperand schedule;
  Type type;
  if (parser.parseArgumentList(coordinates, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("in") || parser.parseOperand(schedule) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type) ||
      parser.resolveOperand(schedule, type, result.operands))
    return failure();
  for (OpAsmParser::Argument &coordinate : coordinates)
    coordinate.type = parser.getBuilder().getIndexType();
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, coordinates))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void ForTilesOp::print(OpAsmPrinter &printer) {
  printer << " (";
  llvm::interleaveComma(
      getBody().getArguments(), printer,
      [&](BlockArgument argument) { printer.printOperand(argument); });
  printer << ") in " << getSchedule();
  printer.printOptionalAttrDict((*this)->getAttrs());
  printer << " : " << getSchedule().getType() << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/false);
}

LogicalResult ForTilesOp::verify() {
  int64_t rank = cast<ScheduleType>(getSchedule().getType()).getRank();
  if ((int64_t)getBody().getNumArguments() != rank)
    return emitOpError("has ") << getBody().getNumArguments()
                               << " coordinates, the schedule " << rank;
  for (Type type : getBody().getArgumentTypes())
    if (!type.isIndex())
      return emitOpError("has a coordinate of type ") << type << ", not index";
  return success();
}
