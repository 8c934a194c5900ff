//===- TypeConversion.cpp - tirx types and addresses in LLVM --------------===//

#include "TypeConversion.h"

#include "mlir/Conversion/LLVMCommon/LoweringOptions.h"

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;

static LowerToLLVMOptions getLoweringOptions(MLIRContext *context) {
  LowerToLLVMOptions options(context);
  // Coordinates and shared-memory offsets fit 32 bits, and so do the registers
  // that hold them; addresses in global memory are computed in i64.
  options.overrideIndexBitwidth(32);
  return options;
}

TIRxTypeConverter::TIRxTypeConverter(MLIRContext *context)
    : LLVMTypeConverter(context, getLoweringOptions(context)) {
  addConversion([context](BufferType type) -> Type {
    switch (type.getSpace()) {
    case MemorySpace::global:
      return LLVM::LLVMPointerType::get(context, globalSpace);
    case MemorySpace::shared:
      return LLVM::LLVMPointerType::get(context, sharedSpace);
    case MemorySpace::tmem:
      return LLVM::LLVMPointerType::get(context, tmemSpace);
    }
    llvm_unreachable("unknown memory space");
  });
  addConversion([context](BarrierType) -> Type {
    return LLVM::LLVMPointerType::get(context, sharedSpace);
  });
  addConversion([context](TensorMapType) -> Type {
    return LLVM::LLVMPointerType::get(context, genericSpace);
  });
}

Value tirx::passes::buildI32(OpBuilder &builder, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(),
                                  builder.getI32IntegerAttr(value));
}

Value tirx::passes::buildI64(OpBuilder &builder, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                  builder.getI64IntegerAttr(value));
}

Value tirx::passes::buildByteOffset(OpBuilder &builder, Location loc,
                                    Value pointer, int64_t bytes) {
  if (bytes == 0)
    return pointer;
  return LLVM::GEPOp::create(builder, loc, pointer.getType(),
                             builder.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{(int32_t)bytes});
}

Value tirx::passes::buildSharedAddress(OpBuilder &builder, Location loc,
                                       int64_t offset) {
  auto type = LLVM::LLVMPointerType::get(builder.getContext(), sharedSpace);
  Value base = LLVM::AddressOfOp::create(builder, loc, type, sharedSymbol);
  return buildByteOffset(builder, loc, base, offset);
}
