//===- ConvertTcgen05.cpp - tensor cores and tensor memory ----------------===//

#include "../dispatch/SwizzleModes.h"
#include "HardwarePatterns.h"

#include "tirx/Dialect/MmaTypes.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;
namespace layout = tirx::layout;

namespace {
layout::Major toLayoutMajor(MajorMode major) {
  return major == MajorMode::K ? layout::Major::K : layout::Major::MN;
}

/// The descriptor: its constant part, and bits 4 to 17 of the address (PTX ISA,
/// "Shared memory descriptor").
Value buildSmemDescriptor(OpBuilder &b, Location loc, Value buffer,
                          int64_t offset, SmemDescAttr attr) {
  layout::SmemDescriptor descriptor;
  descriptor.leadingByteOffset = attr.getLbo();
  descriptor.strideByteOffset = attr.getSbo();
  descriptor.swizzle = toLayoutSwizzle(attr.getSwizzle());
  // SmemDescAttr has verified the fields.
  uint64_t constant = *layout::encode(descriptor);
  Value address = LLVM::PtrToIntOp::create(
      b, loc, b.getI32Type(), buildByteOffset(b, loc, buffer, offset));
  Value field = LLVM::AndOp::create(
      b, loc, LLVM::LShrOp::create(b, loc, address, buildI32(b, loc, 4)),
      buildI32(b, loc, 0x3FFF));
  Value wide = LLVM::ZExtOp::create(b, loc, b.getI64Type(), field);
  return LLVM::OrOp::create(b, loc, wide, buildI64(b, loc, constant));
}

NVVM::CTAGroupKind toNvvmGroup(int64_t group) {
  return group == 2 ? NVVM::CTAGroupKind::CTA_2 : NVVM::CTAGroupKind::CTA_1;
}

NVVM::Tcgen05MMAKind toNvvmKind(layout::MmaKind kind) {
  switch (kind) {
  case layout::MmaKind::TF32:
    return NVVM::Tcgen05MMAKind::TF32;
  case layout::MmaKind::F8F6F4:
    return NVVM::Tcgen05MMAKind::F8F6F4;
  default: // getMmaTypes has no others.
    return NVVM::Tcgen05MMAKind::F16;
  }
}

/// The same memory: only the compiler's view of it changed.
Value convertTranspose(TransposeOp, TransposeOp::Adaptor adaptor, OpBuilder &,
                       Location) {
  return adaptor.getSource();
}

Value convertMma(Tcgen05MmaOp op, Tcgen05MmaOp::Adaptor adaptor, OpBuilder &b,
                 Location loc) {
  // The operation has verified the types.
  MmaTypes types =
      *getMmaTypes(cast<BufferType>(op.getA().getType()).getElementType(),
                   cast<BufferType>(op.getB().getType()).getElementType());
  layout::InstrDescriptor instruction;
  instruction.kind = types.kind;
  instruction.aType = types.a;
  instruction.bType = types.b;
  instruction.aMajor = toLayoutMajor(op.getADesc().getMajor());
  instruction.bMajor = toLayoutMajor(op.getBDesc().getMajor());
  instruction.m = op.getM();
  instruction.n = op.getN();
  // The operation has verified the shape.
  uint32_t idesc = *layout::encode(instruction);
  Value a = buildSmemDescriptor(b, loc, adaptor.getA(), op.getAOffset(),
                                op.getADesc());
  Value bOperand = buildSmemDescriptor(b, loc, adaptor.getB(), op.getBOffset(),
                                       op.getBDesc());
  Value d = buildByteOffset(b, loc, adaptor.getD(), op.getColumn());
  NVVM::Tcgen05MMAOp::create(
      b, loc, toNvvmKind(types.kind), toNvvmGroup(op.getCtaGroup()),
      NVVM::Tcgen05MMACollectorOp::DISCARD, /*aShift=*/false, d, a, bOperand,
      buildI32(b, loc, (int32_t)idesc), adaptor.getAccumulate(),
      /*scaleInputD=*/Value(), /*disableOutputLane=*/Value());
  return {};
}

Value convertCommit(Tcgen05CommitOp op, Tcgen05CommitOp::Adaptor adaptor,
                    OpBuilder &b, Location loc) {
  NVVM::Tcgen05CommitOp::create(
      b, loc, buildSlotAddress(b, loc, adaptor.getBarrier(), adaptor.getSlot()),
      adaptor.getMulticast(), toNvvmGroup(op.getCtaGroup()));
  return {};
}

Value convertTcgen05Wait(Tcgen05WaitOp op, Tcgen05WaitOp::Adaptor, OpBuilder &b,
                         Location loc) {
  NVVM::Tcgen05WaitOp::create(b, loc,
                              op.getKind() == Tcgen05WaitKind::ld
                                  ? NVVM::Tcgen05WaitKind::LOAD
                                  : NVVM::Tcgen05WaitKind::STORE);
  return {};
}

Value convertTcgen05Alloc(Tcgen05AllocOp op, Tcgen05AllocOp::Adaptor,
                          OpBuilder &b, Location loc) {
  NVVM::Tcgen05AllocOp::create(
      b, loc, buildSharedAddress(b, loc, op.getAddressOffset()),
      buildI32(b, loc, op.getColumns()), toNvvmGroup(op.getCtaGroup()));
  NVVM::Tcgen05RelinquishAllocPermitOp::create(b, loc,
                                               toNvvmGroup(op.getCtaGroup()));
  return {};
}

Value convertTcgen05Dealloc(Tcgen05DeallocOp op,
                            Tcgen05DeallocOp::Adaptor adaptor, OpBuilder &b,
                            Location loc) {
  NVVM::Tcgen05DeallocOp::create(b, loc, adaptor.getBuffer(),
                                 buildI32(b, loc, op.getColumns()),
                                 toNvvmGroup(op.getCtaGroup()));
  return {};
}

NVVM::Tcgen05LdStShape toNvvmShape(Tcgen05LdStShape shape) {
  switch (shape) {
  case Tcgen05LdStShape::shape_32x32b:
    return NVVM::Tcgen05LdStShape::SHAPE_32X32B;
  case Tcgen05LdStShape::shape_16x64b:
    return NVVM::Tcgen05LdStShape::SHAPE_16X64B;
  case Tcgen05LdStShape::shape_16x128b:
    return NVVM::Tcgen05LdStShape::SHAPE_16X128B;
  case Tcgen05LdStShape::shape_16x256b:
    return NVVM::Tcgen05LdStShape::SHAPE_16X256B;
  }
  llvm_unreachable("unknown shape");
}

/// A warp reaches the 32 lanes of its place in the warpgroup; the lane is in
/// the upper half of an address (PTX ISA, "Tensor Memory Addressing").
Value buildWarpTmemAddress(OpBuilder &b, Location loc, Value buffer,
                           int64_t column) {
  Value warp = buildId(b, loc, ThreadAxis::wid_in_wg);
  Value lane = LLVM::ShlOp::create(b, loc, warp, buildI32(b, loc, 16 + 5));
  Value address = LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), buffer);
  address = LLVM::AddOp::create(b, loc, address, lane);
  if (column)
    address = LLVM::AddOp::create(b, loc, address, buildI32(b, loc, column));
  return LLVM::IntToPtrOp::create(b, loc, buffer.getType(), address);
}

/// tcgen05.ld and st move 32-bit integers: a scalar for one register.
Type getRegisterType(OpBuilder &b, VectorType type) {
  if (type.getNumElements() == 1)
    return b.getI32Type();
  return VectorType::get(type.getShape(), b.getI32Type());
}

Value convertTcgen05Ld(Tcgen05LdOp op, Tcgen05LdOp::Adaptor adaptor,
                       OpBuilder &b, Location loc) {
  auto type = cast<VectorType>(op.getResult().getType());
  Value loaded = NVVM::Tcgen05LdOp::create(
      b, loc, getRegisterType(b, type), /*pack=*/false,
      toNvvmShape(op.getShape()),
      buildWarpTmemAddress(b, loc, adaptor.getBuffer(), op.getColumn()),
      /*offset=*/Value());
  return LLVM::BitcastOp::create(b, loc, type, loaded);
}

Value convertTcgen05St(Tcgen05StOp op, Tcgen05StOp::Adaptor adaptor,
                       OpBuilder &b, Location loc) {
  auto type = cast<VectorType>(op.getValue().getType());
  Value registers = LLVM::BitcastOp::create(b, loc, getRegisterType(b, type),
                                            adaptor.getValue());
  NVVM::Tcgen05StOp::create(
      b, loc, /*unpack=*/false, toNvvmShape(op.getShape()),
      buildWarpTmemAddress(b, loc, adaptor.getBuffer(), op.getColumn()),
      registers, /*offset=*/Value());
  return {};
}
} // namespace

void tirx::passes::populateTcgen05Patterns(const TIRxTypeConverter &converter,
                                           RewritePatternSet &patterns) {
  addPattern<Tcgen05MmaOp>(converter, patterns, convertMma);
  addPattern<TransposeOp>(converter, patterns, convertTranspose);
  addPattern<Tcgen05CommitOp>(converter, patterns, convertCommit);
  addPattern<Tcgen05WaitOp>(converter, patterns, convertTcgen05Wait);
  addPattern<Tcgen05AllocOp>(converter, patterns, convertTcgen05Alloc);
  addPattern<Tcgen05DeallocOp>(converter, patterns, convertTcgen05Dealloc);
  addPattern<Tcgen05LdOp>(converter, patterns, convertTcgen05Ld);
  addPattern<Tcgen05StOp>(converter, patterns, convertTcgen05St);
}
