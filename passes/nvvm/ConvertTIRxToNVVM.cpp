//===- ConvertTIRxToNVVM.cpp - device functions to LLVM and NVVM ----------===//

#include "../lowering/RegisterBudget.h"
#include "../lowering/StorageAttrs.h"
#include "TypeConversion.h"

#include "tirx/Passes/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"

namespace tirx::passes {
#define GEN_PASS_DEF_CONVERTTIRXTONVVM
#include "tirx/Passes/Passes.h.inc"
} // namespace tirx::passes

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;

/// CUtensorMap: 128 bytes, which the hardware wants 64-byte aligned (PTX ISA,
/// "Tensor-map"); CUDA 13 declares 128.
constexpr int64_t tensorMapBytes = 128;
constexpr int64_t tensorMapAlignment = 128;

namespace {
/// A device function becomes a kernel; tensor maps are passed by value as
/// grid constants, so that TMA reads them where the launch put them.
struct ConvertDeviceFunction : OpConversionPattern<func::FuncOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(func::FuncOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto threads = op->getAttrOfType<IntegerAttr>(threadsAttr);
    if (!threads || threads.getInt() < 1 || op.isExternal() ||
        op.getNumResults())
      return op.emitOpError("is no outlined kernel: device code may not call "
                            "functions");
    MLIRContext *context = getContext();
    TypeConverter::SignatureConversion signature(op.getNumArguments());
    if (failed(getTypeConverter()->convertSignatureArgs(op.getArgumentTypes(),
                                                        signature)))
      return op.emitOpError("has parameters that cannot be passed to a kernel");
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                            signature.getConvertedTypes());
    auto kernel =
        LLVM::LLVMFuncOp::create(rewriter, op.getLoc(), op.getName(), type);
    kernel->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                    rewriter.getUnitAttr());
    kernel->setAttr("nvvm.reqntid",
                    rewriter.getDenseI32ArrayAttr({(int32_t)threads.getInt()}));
    kernel->setAttr("nvvm.maxnreg", rewriter.getI32IntegerAttr(
                                        getMaxRegisters(threads.getInt())));
    if (auto cluster = op->getAttrOfType<DenseI64ArrayAttr>(clusterAttr))
      kernel->setAttr(NVVM::NVVMDialect::getClusterDimAttrName(),
                      rewriter.getDenseI32ArrayAttr(
                          llvm::to_vector_of<int32_t>(cluster.asArrayRef())));
    // Role dispatch by branches keeps warps uniform; jump tables do not.
    kernel.setPassthroughAttr(rewriter.getArrayAttr(
        {rewriter.getStrArrayAttr({"no-jump-tables", "true"})}));
    for (auto [index, argument] : llvm::enumerate(op.getArgumentTypes()))
      if (isa<TensorMapType>(argument))
        setTensorMapAttributes(kernel, index);
    if (Attribute offset = op->getAttr(tmemAddressOffsetAttr))
      kernel->setAttr(tmemAddressOffsetAttr, offset);
    rewriter.inlineRegionBefore(op.getBody(), kernel.getBody(), kernel.end());
    if (failed(rewriter.convertRegionTypes(&kernel.getBody(),
                                           *getTypeConverter(), &signature)))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }

  static void setTensorMapAttributes(LLVM::LLVMFuncOp kernel, unsigned index) {
    MLIRContext *context = kernel.getContext();
    auto bytes =
        LLVM::LLVMArrayType::get(IntegerType::get(context, 8), tensorMapBytes);
    kernel.setArgAttr(index, LLVM::LLVMDialect::getByValAttrName(),
                      TypeAttr::get(bytes));
    kernel.setArgAttr(
        index, LLVM::LLVMDialect::getAlignAttrName(),
        IntegerAttr::get(IntegerType::get(context, 64), tensorMapAlignment));
    // Without it LLVM copies the map to local memory, where TMA cannot read it.
    kernel.setArgAttr(index, "nvvm.grid_constant", UnitAttr::get(context));
  }
};

struct ConvertReturn : OpConversionPattern<func::ReturnOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(func::ReturnOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::ReturnOp>(op, ValueRange());
    return success();
  }
};

struct ConvertPass : tirx::passes::impl::ConvertTIRxToNVVMBase<ConvertPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    MLIRContext *context = &getContext();
    if (failed(declareSharedMemory(module)))
      return signalPassFailure();

    TIRxTypeConverter converter(context);
    RewritePatternSet patterns(context);
    patterns.add<ConvertDeviceFunction, ConvertReturn>(converter, context);
    populateMemoryPatterns(converter, patterns);
    populateSyncPatterns(converter, patterns);
    populateTmaPatterns(converter, patterns);
    populateClcPatterns(converter, patterns);
    populateTcgen05Patterns(converter, patterns);
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    populateMathToLLVMConversionPatterns(converter, patterns);
    vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns);

    LLVMConversionTarget target(*context);
    target.addLegalDialect<NVVM::NVVMDialect>();
    target.addLegalOp<ModuleOp>();
    // The host part of a kernel is data for the runtime, not code.
    target.addLegalOp<KernelOp>();
    target.markOpRecursivelyLegal<KernelOp>();
    // What nothing converts could not be translated either.
    if (failed(applyFullConversion(module, target, std::move(patterns))))
      signalPassFailure();
  }

  /// Swizzle patterns repeat every 1024 bytes at most (PTX ISA, "Swizzling
  /// modes"); offsets were assigned relative to such a base.
  LogicalResult declareSharedMemory(ModuleOp module) {
    if (Operation *known = module.lookupSymbol(sharedSymbol)) {
      if (isa<LLVM::GlobalOp>(known))
        return success();
      return known->emitOpError("may not be called '")
             << sharedSymbol << "': that is the CTA's shared memory";
    }
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), 0);
    LLVM::GlobalOp::create(builder, module.getLoc(), type, /*isConstant=*/false,
                           LLVM::Linkage::External, sharedSymbol, Attribute(),
                           /*alignment=*/1024, sharedSpace);
    return success();
  }
};
} // namespace
