//===- ConvertMemory.cpp - allocation, ld, st -----------------------------===//

#include "../lowering/StorageAttrs.h"
#include "TypeConversion.h"

#include "tirx/Dialect/SliceOffset.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;
namespace layout = tirx::layout;

namespace {
template <typename OpT>
struct ConvertSharedAlloc : ConvertOpToLLVMPattern<OpT> {
  using ConvertOpToLLVMPattern<OpT>::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getOffset())
      return op.emitOpError("has no offset: run tirx-assign-storage first");
    rewriter.replaceOp(
        op, buildSharedAddress(rewriter, op.getLoc(), *op.getOffset()));
    return success();
  }
};

/// The address of the columns lies in shared memory since the allocation.
struct ConvertTmemAlloc : ConvertOpToLLVMPattern<TmemAllocOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(TmemAllocOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto function = op->getParentOfType<FunctionOpInterface>();
    auto slot = function->getAttrOfType<IntegerAttr>(tmemAddressOffsetAttr);
    if (!op.getColumn() || !slot)
      return op.emitOpError("has no column: run tirx-assign-storage first");
    Location loc = op.getLoc();
    Value address = LLVM::LoadOp::create(
        rewriter, loc, rewriter.getI32Type(),
        buildSharedAddress(rewriter, loc, slot.getInt()), /*alignment=*/4);
    if (int64_t column = *op.getColumn())
      address = LLVM::AddOp::create(rewriter, loc, address,
                                    buildI32(rewriter, loc, column));
    rewriter.replaceOpWithNewOp<LLVM::IntToPtrOp>(
        op, getTypeConverter()->convertType(op.getType()), address);
    return success();
  }
};

/// A window of a shared or TMEM buffer is its pointer moved on.
struct ConvertSlice : ConvertOpToLLVMPattern<SliceOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(SliceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<BufferType>(op.getSource().getType());
    if (type.isGlobal())
      return op.emitOpError("of a global buffer is used by an operation that "
                            "was not lowered: run tirx-lower-tiles first");
    auto offset = getSliceOffset(op);
    if (!offset)
      return op.emitOpError() << offset.error();
    Location loc = op.getLoc();
    int64_t constant = 0;
    offset->constant.forEach([&](layout::Axis axis, int64_t value) {
      constant += scale(type, axis, value);
    });
    Value pointer =
        buildByteOffset(rewriter, loc, adaptor.getSource(), constant);
    for (auto [term, value] :
         llvm::zip(offset->terms, getDynamicOffsets(op, adaptor))) {
      Value moved = LLVM::MulOp::create(
          rewriter, loc, value,
          buildI32(rewriter, loc, scale(type, term.axis, term.stride)));
      pointer = LLVM::GEPOp::create(rewriter, loc, pointer.getType(),
                                    rewriter.getI8Type(), pointer,
                                    ArrayRef<LLVM::GEPArg>{moved});
    }
    rewriter.replaceOp(op, pointer);
    return success();
  }

private:
  /// Bytes of shared memory; in tensor memory 32-bit columns, and lanes in the
  /// upper half of the address (PTX ISA, "Tensor Memory Addressing").
  static int64_t scale(BufferType type, layout::Axis axis, int64_t elements) {
    if (axis == layout::Axis::TLane)
      return elements << 16;
    return elements * type.getElementBits() / (type.isTmem() ? 32 : 8);
  }

  /// The converted values of those offsets that are no constants, in order.
  static SmallVector<Value> getDynamicOffsets(SliceOp op, OpAdaptor adaptor) {
    SmallVector<Value> dynamic;
    for (auto [original, converted] :
         llvm::zip(op.getOffsets(), adaptor.getOffsets()))
      if (!matchPattern(original, m_Constant()))
        dynamic.push_back(converted);
    return dynamic;
  }
};

/// The address is a multiple of the vector's bytes; alignments are powers of
/// two.
unsigned getAlignment(VectorType type) {
  unsigned bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
  return bytes & -bytes;
}

template <typename OpT>
Value buildAccessAddress(ConversionPatternRewriter &rewriter, OpT op,
                         Value buffer, Value offset) {
  // Elements that LLVM has no type for, fp8 say, are integers there.
  unsigned bits = cast<BufferType>(op.getBuffer().getType()).getElementBits();
  Type element = rewriter.getIntegerType(bits);
  return LLVM::GEPOp::create(rewriter, op.getLoc(), buffer.getType(), element,
                             buffer, ArrayRef<LLVM::GEPArg>{offset},
                             LLVM::GEPNoWrapFlags::inbounds);
}

struct ConvertLd : ConvertOpToLLVMPattern<LdOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(LdOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    VectorType type = op.getResult().getType();
    Value address = buildAccessAddress(rewriter, op, adaptor.getBuffer(),
                                       adaptor.getOffset());
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(
        op, getTypeConverter()->convertType(type), address, getAlignment(type));
    return success();
  }
};

struct ConvertSt : ConvertOpToLLVMPattern<StOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(StOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<VectorType>(op.getValue().getType());
    Value address = buildAccessAddress(rewriter, op, adaptor.getBuffer(),
                                       adaptor.getOffset());
    rewriter.replaceOpWithNewOp<LLVM::StoreOp>(op, adaptor.getValue(), address,
                                               getAlignment(type));
    return success();
  }
};
} // namespace

void tirx::passes::populateMemoryPatterns(const TIRxTypeConverter &converter,
                                          RewritePatternSet &patterns) {
  patterns.add<ConvertSharedAlloc<SharedAllocOp>,
               ConvertSharedAlloc<MbarrierAllocOp>, ConvertTmemAlloc,
               ConvertSlice, ConvertLd, ConvertSt>(converter);
}
