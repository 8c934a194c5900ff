//===- HardwarePatterns.h - one NVVM operation each -------------*- C++ -*-===//
#pragma once

#include "TypeConversion.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"

namespace tirx::passes {

/// A pattern whose body is a function of the operation, its converted operands
/// and a builder; the result, if any, replaces the operation.
template <typename OpT>
struct ConvertByFunction : mlir::ConvertOpToLLVMPattern<OpT> {
  using Function = mlir::Value (*)(OpT, typename OpT::Adaptor,
                                   mlir::OpBuilder &, mlir::Location);
  ConvertByFunction(const mlir::LLVMTypeConverter &converter, Function function)
      : mlir::ConvertOpToLLVMPattern<OpT>(converter), function(function) {}

  mlir::LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  mlir::ConversionPatternRewriter &rewriter) const override {
    mlir::Value result = function(op, adaptor, rewriter, op.getLoc());
    if (op->getNumResults())
      rewriter.replaceOp(op, result);
    else
      rewriter.eraseOp(op);
    return mlir::success();
  }
  Function function;
};

/// Adds the pattern that `function` is the body of.
template <typename OpT>
void addPattern(const TIRxTypeConverter &converter,
                mlir::RewritePatternSet &patterns,
                mlir::Value (*function)(OpT, typename OpT::Adaptor,
                                        mlir::OpBuilder &, mlir::Location)) {
  patterns.add<ConvertByFunction<OpT>>(converter, function);
}

/// Pointer to slot `slot` of a barrier array; no slot is the only one.
mlir::Value buildSlotAddress(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value barrier, mlir::Value slot);

/// The i32 `value` of lane 0 in all lanes, as a value that ptxas knows to be
/// the same in them, so that branches on it are uniform. All lanes get here.
mlir::Value buildFirstLaneValue(mlir::OpBuilder &builder, mlir::Location loc,
                                mlir::Value value);

/// A coordinate of the executing thread, as i32.
mlir::Value buildId(mlir::OpBuilder &builder, mlir::Location loc,
                    ir::ThreadAxis axis);

} // namespace tirx::passes
