//===- HardwareOps.cpp - one PTX instruction each -------------------------===//

#include "CtaGroup.h"
#include "Slots.h"

#include "tirx/Dialect/MmaTypes.h"
#include "tirx/Layout/Factories.h"
#include "tirx/Layout/InstrDescriptor.h"

using namespace mlir;
using namespace tirx::ir;
namespace layout = tirx::layout;

//===----------------------------------------------------------------------===//
// TMA
//===----------------------------------------------------------------------===//

static LogicalResult verifyBox(Operation *op, TensorMapType map,
                               unsigned coordinates, BufferType buffer,
                               int64_t offset) {
  if (map.getBox().size() != coordinates)
    return op->emitOpError("has ")
           << coordinates << " coordinates, but the box has rank "
           << map.getBox().size();
  if (map.getElementType() != buffer.getElementType())
    return op->emitOpError("maps elements of ")
           << map.getElementType() << ", but the buffer has "
           << buffer.getElementType();
  int64_t bytes = map.getElementType().getIntOrFloatBitWidth() / 8;
  for (int64_t extent : map.getBox())
    bytes *= extent;
  if (offset < 0 || offset + bytes > buffer.getStorageBytes())
    return op->emitOpError("box of ")
           << bytes << " bytes at offset " << offset << " exceeds the buffer's "
           << buffer.getStorageBytes() << " bytes";
  if (offset % 128)
    return op->emitOpError("offset ")
           << offset << " is not a multiple of 128 (PTX ISA, "
           << "cp.async.bulk.tensor: shared memory alignment)";
  return success();
}

LogicalResult TmaLoadOp::verify() {
  if (failed(verifySlot(*this, getBarrier(), getSlot())) ||
      failed(verifyCtaGroup(*this, getCtaGroup())))
    return failure();
  return verifyBox(*this, getMap().getType(), getCoordinates().size(),
                   cast<BufferType>(getBuffer().getType()), getOffset());
}

LogicalResult TmaStoreOp::verify() {
  return verifyBox(*this, getMap().getType(), getCoordinates().size(),
                   cast<BufferType>(getBuffer().getType()), getOffset());
}

//===----------------------------------------------------------------------===//
// tcgen05
//===----------------------------------------------------------------------===//

/// PTX ISA, "Tensor Memory": 512 columns of 32 bits.
static LogicalResult verifyColumn(Operation *op, int64_t column) {
  if (column < 0 || column >= 512)
    return op->emitOpError("column(")
           << column << ") is outside [0, 511] (PTX ISA, Tensor Memory)";
  return success();
}

/// PTX ISA, tcgen05.alloc.
template <typename OpT> static LogicalResult verifyColumns(OpT op) {
  if (failed(verifyCtaGroup(op, op.getCtaGroup())))
    return failure();
  int64_t columns = op.getColumns();
  if (columns < 32 || columns > 512 || !llvm::isPowerOf2_64(columns))
    return op.emitOpError("columns(")
           << columns << ") must be a power of two between 32 and 512";
  return success();
}

LogicalResult Tcgen05AllocOp::verify() {
  int64_t offset = getAddressOffset();
  if (offset < 0 || offset % 4)
    return emitOpError("address_offset(")
           << offset << ") must be a non-negative multiple of 4";
  return verifyColumns(*this);
}
LogicalResult Tcgen05DeallocOp::verify() { return verifyColumns(*this); }

static layout::Major toLayoutMajor(MajorMode major) {
  return major == MajorMode::K ? layout::Major::K : layout::Major::MN;
}

LogicalResult Tcgen05MmaOp::verify() {
  auto a = cast<BufferType>(getA().getType());
  auto b = cast<BufferType>(getB().getType());
  auto types = getMmaTypes(a.getElementType(), b.getElementType());
  if (!types)
    return emitOpError("cannot multiply ")
           << a.getElementType() << " by " << b.getElementType()
           << ": tcgen05.mma multiplies " << listMmaTypes();
  if (!cast<BufferType>(getD().getType()).getElementType().isF32())
    return emitOpError("the accumulator must be f32, not ")
           << cast<BufferType>(getD().getType()).getElementType();
  if (failed(verifyColumn(*this, getColumn())) ||
      failed(verifyCtaGroup(*this, getCtaGroup())))
    return failure();
  layout::InstrDescriptor instruction;
  instruction.kind = types->kind;
  instruction.aType = types->a;
  instruction.bType = types->b;
  instruction.aMajor = toLayoutMajor(getADesc().getMajor());
  instruction.bMajor = toLayoutMajor(getBDesc().getMajor());
  instruction.m = getM();
  instruction.n = getN();
  layout::MmaForm form;
  form.ctaGroup = (int)getCtaGroup();
  if (auto legal = layout::checkInstrDescriptor(instruction, form); !legal)
    return emitOpError() << legal.error().message;
  if ((int64_t)getK() != layout::mmaK(types->kind))
    return emitOpError("k is ")
           << getK() << ", kind::" << layout::toString(types->kind) << " has "
           << layout::mmaK(types->kind)
           << " (PTX ISA, tcgen05.mma: matrix shape)";
  for (auto [name, type, offset] :
       {std::tuple("a_offset", a, getAOffset()), {"b_offset", b, getBOffset()}})
    if ((int64_t)offset < 0 || (int64_t)offset >= type.getStorageBytes() ||
        offset % 16)
      return emitOpError(name)
             << "(" << (int64_t)offset
             << ") must be a multiple of 16 inside the "
             << type.getStorageBytes() << " bytes of " << type;
  return success();
}

static layout::TmemAccess toLayoutAccess(Tcgen05LdStShape shape) {
  switch (shape) {
  case Tcgen05LdStShape::shape_32x32b:
    return layout::TmemAccess::L32x32b;
  case Tcgen05LdStShape::shape_16x64b:
    return layout::TmemAccess::L16x64b;
  case Tcgen05LdStShape::shape_16x128b:
    return layout::TmemAccess::L16x128b;
  case Tcgen05LdStShape::shape_16x256b:
    return layout::TmemAccess::L16x256b;
  }
  llvm_unreachable("unknown shape");
}

static LogicalResult verifyLdSt(Operation *op, int64_t column,
                                Tcgen05LdStShape shape, int64_t num,
                                Type value) {
  const layout::TmemAccessInfo &access =
      layout::tmemAccessInfo(toLayoutAccess(shape));
  if (failed(verifyColumn(op, column)))
    return failure();
  llvm::StringRef name = access.name;
  if (num > access.maxRepeat)
    return op->emitOpError("num(") << num << ") exceeds " << access.maxRepeat
                                   << ", the most that " << name << " takes";
  if (num < 1 || !llvm::isPowerOf2_64(num))
    return op->emitOpError("num(") << num << ") must be a power of two";
  auto tile = dyn_cast<RankedTensorType>(value);
  if (tile && isa_and_present<LayoutAttr>(tile.getEncoding()))
    return success();
  auto vector = dyn_cast<VectorType>(value);
  if (!vector)
    return op->emitOpError("value must be a register tile or a vector, not ")
           << value;
  int64_t registers = num * access.registers;
  if (vector.isScalable() || vector.getRank() != 1 ||
      vector.getNumElements() != registers ||
      vector.getElementTypeBitWidth() != 32)
    return op->emitOpError(name)
           << " num(" << num << ") moves " << registers
           << " 32-bit registers a thread, not " << vector;
  return success();
}

LogicalResult Tcgen05LdOp::verify() {
  return verifyLdSt(*this, getColumn(), getShape(), getNum(),
                    getResult().getType());
}

LogicalResult Tcgen05StOp::verify() {
  return verifyLdSt(*this, getColumn(), getShape(), getNum(),
                    getValue().getType());
}

//===----------------------------------------------------------------------===//
// ld, st
//===----------------------------------------------------------------------===//

static LogicalResult verifyAccess(Operation *op, BufferType buffer,
                                  VectorType vector) {
  if (buffer.isTmem())
    return op->emitOpError("cannot access tensor memory: use tirx.tcgen05.ld "
                           "and tirx.tcgen05.st");
  if (vector.getElementType() != buffer.getElementType())
    return op->emitOpError("vector element ")
           << vector.getElementType() << " is not the buffer's "
           << buffer.getElementType();
  int64_t bits =
      vector.getNumElements() * vector.getElementType().getIntOrFloatBitWidth();
  if (bits > 128 || !llvm::isPowerOf2_64(bits))
    return op->emitOpError()
           << vector << " has " << bits << " bits, "
           << op->getName().stripDialect() << " takes 8, 16, 32, 64 or 128";
  return success();
}

LogicalResult LdOp::verify() {
  return verifyAccess(*this, cast<BufferType>(getBuffer().getType()),
                      getResult().getType());
}

LogicalResult StOp::verify() {
  return verifyAccess(*this, cast<BufferType>(getBuffer().getType()),
                      cast<VectorType>(getValue().getType()));
}
