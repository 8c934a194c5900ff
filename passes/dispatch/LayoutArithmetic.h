//===- LayoutArithmetic.h - layouts as index arithmetic ---------*- C++ -*-===//
#pragma once

#include "tirx/Layout/Layout.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace tirx::passes {

/// Index arithmetic that folds as it is built: operands are constants or
/// values of type index, all of them non-negative.
class IndexBuilder {
public:
  IndexBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::OpFoldResult constant(int64_t value) {
    return builder.getIndexAttr(value);
  }
  mlir::OpFoldResult add(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult mul(mlir::OpFoldResult a, int64_t b);
  mlir::OpFoldResult div(mlir::OpFoldResult a, int64_t b);
  mlir::OpFoldResult rem(mlir::OpFoldResult a, int64_t b);
  mlir::OpFoldResult xorWith(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::Value value(mlir::OpFoldResult a);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

/// Coordinates of row-major index `linear` in `shape`, slowest axis first.
llvm::SmallVector<mlir::OpFoldResult> unflatten(IndexBuilder &b,
                                                mlir::OpFoldResult linear,
                                                llvm::ArrayRef<int64_t> shape);

/// The place on memory axis `m`, in elements, of the element at `coordinates`
/// of a tile of `shape`. The layout covers the shape and uses no other axis.
mlir::OpFoldResult applyLayout(IndexBuilder &b, const layout::Layout &layout,
                               llvm::ArrayRef<mlir::OpFoldResult> coordinates,
                               llvm::ArrayRef<int64_t> shape);

/// A power of two that divides `index` for certain; 1 if nothing is known.
int64_t getKnownDivisor(mlir::Value index);

} // namespace tirx::passes
