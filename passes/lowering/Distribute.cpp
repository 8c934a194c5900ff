//===- Distribute.cpp - register tiles over threads -----------------------===//

#include "../dispatch/CopyTiles.h"
#include "../dispatch/LayoutArithmetic.h"
#include "../dispatch/Plans.h"
#include "GlobalAddress.h"
#include "HostChecks.h"

#include "tirx/Layout/Algebra.h"
#include "tirx/Passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tirx::passes {
#define GEN_PASS_DEF_TIRXDISTRIBUTE
#include "tirx/Passes/Passes.h.inc"
} // namespace tirx::passes

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;
namespace layout = tirx::layout;

static const layout::TileLayout *getRegisterLayout(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  auto attr =
      tile ? dyn_cast_or_null<LayoutAttr>(tile.getEncoding()) : LayoutAttr();
  return attr ? &attr.getValue().tile : nullptr;
}

namespace {
/// A register tile becomes the elements of one thread, indexed by m.
struct RegisterTileConverter : TypeConverter {
  RegisterTileConverter() {
    addConversion([](Type type) { return type; });
    addConversion([](RankedTensorType type) -> std::optional<Type> {
      const layout::TileLayout *layout = getRegisterLayout(type);
      if (!layout)
        return std::nullopt;
      return VectorType::get({layout::size(*layout, layout::Axis::m)},
                             type.getElementType());
    });
  }
};

//===----------------------------------------------------------------------===//
// Elementwise operations and constants
//===----------------------------------------------------------------------===//

struct DistributeElementwise : ConversionPattern {
  DistributeElementwise(const TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumRegions())
      return failure();
    const layout::TileLayout *first = nullptr;
    SmallVector<Type> tiles(op->getOperandTypes());
    llvm::append_range(tiles, op->getResultTypes());
    for (Type type : tiles) {
      const layout::TileLayout *current = getRegisterLayout(type);
      if (!current)
        continue;
      if (first && !layout::equivalent(*first, *current))
        return op->emitOpError("mixes register tiles of different layouts, ")
               << layout::toString(*first) << " and "
               << layout::toString(*current);
      first = current;
    }
    SmallVector<Type> results;
    if (failed(getTypeConverter()->convertTypes(op->getResultTypes(), results)))
      return failure();
    OperationState state(op->getLoc(), op->getName(), operands, results,
                         op->getAttrs());
    rewriter.replaceOp(op, rewriter.create(state)->getResults());
    return success();
  }
};

struct DistributeConstant : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto splat = dyn_cast<SplatElementsAttr>(op.getValue());
    auto type = dyn_cast_or_null<VectorType>(
        getTypeConverter()->convertType(op.getType()));
    if (!splat || !type)
      return op.emitOpError("of a register tile must have one value for all "
                            "elements");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, SplatElementsAttr::get(type, splat.getSplatValue<Attribute>()));
    return success();
  }
};

/// A scalar in every element.
struct DistributeSplat : OpConversionPattern<tensor::SplatOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tensor::SplatOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<vector::BroadcastOp>(
        op, getTypeConverter()->convertType(op.getType()), adaptor.getInput());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Copies between registers and global or shared memory
//===----------------------------------------------------------------------===//

/// Where a thread's registers lie in the tile: coordinates that depend on the
/// thread, plus constants for each register.
class RegisterCoordinates {
public:
  RegisterCoordinates(IndexBuilder &index, OpBuilder &builder, Location loc,
                      RankedTensorType tile)
      : grouped(*layout::group(*getRegisterLayout(tile), tile.getShape())) {
    for (int64_t axis = 0; axis < tile.getRank(); ++axis)
      ofThread.push_back(buildThreadPart(index, builder, loc, axis));
  }

  ArrayRef<OpFoldResult> getThreadPart() const { return ofThread; }

  /// The constant part for register `r`.
  SmallVector<int64_t> getRegisterPart(int64_t r) const {
    SmallVector<int64_t> coordinates;
    for (size_t axis = 0; axis < ofThread.size(); ++axis) {
      int64_t coordinate = 0, weight = 1;
      for (const layout::Iter &iter : llvm::reverse(grouped.dim(axis))) {
        if (iter.axis == layout::Axis::m)
          coordinate += r / iter.stride % iter.extent * weight;
        weight *= iter.extent;
      }
      coordinates.push_back(coordinate);
    }
    return coordinates;
  }

private:
  OpFoldResult buildThreadPart(IndexBuilder &index, OpBuilder &builder,
                               Location loc, size_t axis) {
    OpFoldResult coordinate = index.constant(0);
    int64_t weight = 1;
    for (const layout::Iter &iter : llvm::reverse(grouped.dim(axis))) {
      if (iter.axis != layout::Axis::m && iter.extent > 1) {
        // Axes that no thread coordinate stands for were refused by the plan.
        std::optional<ThreadAxis> name =
            symbolizeThreadAxis(StringRef(layout::toString(iter.axis)));
        OpFoldResult id = IdOp::create(builder, loc, *name).getResult();
        OpFoldResult digit = index.rem(index.div(id, iter.stride), iter.extent);
        coordinate = index.add(coordinate, index.mul(digit, weight));
      }
      weight *= iter.extent;
    }
    return coordinate;
  }

  layout::Grouped grouped;
  SmallVector<OpFoldResult> ofThread;
};

/// Addresses of a copy's accesses, in global or shared memory.
class AccessAddress {
public:
  AccessAddress(OpBuilder &builder, Location loc, IndexBuilder &index,
                const CopyTiles &tiles, const RegisterCoordinates &coordinates)
      : builder(builder), loc(loc), index(index), tiles(tiles),
        coordinates(coordinates) {
    if (!tiles.getMemoryType().isGlobal())
      return;
    global = *findGlobalTile(tiles.getMemory());
    base = buildElementOffset(builder, loc, *global,
                              buildTileBase(builder, loc, *global),
                              coordinates.getThreadPart());
  }

  Value getBuffer() const {
    return global ? Value(global->argument) : tiles.getMemory();
  }

  Value getOffset(int64_t r) {
    SmallVector<OpFoldResult> ofRegister;
    for (int64_t coordinate : coordinates.getRegisterPart(r))
      ofRegister.push_back(index.constant(coordinate));
    if (global)
      return buildElementOffset(builder, loc, *global, base, ofRegister);
    for (auto [sum, ofThread] :
         llvm::zip(ofRegister, coordinates.getThreadPart()))
      sum = index.add(ofThread, sum);
    return index.value(applyLayout(index,
                                   tiles.getMemoryType().getLayout().getValue(),
                                   ofRegister, tiles.getShape()));
  }

private:
  OpBuilder &builder;
  Location loc;
  IndexBuilder &index;
  const CopyTiles &tiles;
  const RegisterCoordinates &coordinates;
  std::optional<GlobalTile> global;
  Value base;
};
} // namespace

/// `registers` is what a store writes, null for a load, whose result it
/// returns.
static Value lowerRegisterCopy(OpBuilder &builder, Operation *op,
                               const RegisterCopyPlan &plan, Value registers) {
  Location loc = op->getLoc();
  CopyTiles tiles(op);
  IndexBuilder index(builder, loc);
  RegisterCoordinates coordinates(index, builder, loc, tiles.getRegisterTile());
  AccessAddress address(builder, loc, index, tiles, coordinates);
  if (auto argument = dyn_cast<BlockArgument>(address.getBuffer()))
    if (tiles.getMemoryType().isGlobal())
      requireStrideMultiple(builder, op->getParentOfType<LaunchOp>(), argument,
                            plan.vectorElements);
  int64_t width = plan.vectorElements;
  auto accessType = VectorType::get({width}, tiles.getElementType());
  Value loaded;
  if (!registers)
    loaded = arith::ConstantOp::create(
        builder, loc,
        builder.getZeroAttr(
            VectorType::get({plan.registers}, tiles.getElementType())));
  for (int64_t r = 0; r < plan.registers; r += width) {
    Value offset = address.getOffset(r);
    if (registers) {
      Value part = vector::ExtractStridedSliceOp::create(
          builder, loc, registers, ArrayRef<int64_t>{r},
          ArrayRef<int64_t>{width}, ArrayRef<int64_t>{1});
      StOp::create(builder, loc, part, address.getBuffer(), offset);
    } else {
      Value part =
          LdOp::create(builder, loc, accessType, address.getBuffer(), offset);
      loaded = vector::InsertStridedSliceOp::create(builder, loc, part, loaded,
                                                    ArrayRef<int64_t>{r},
                                                    ArrayRef<int64_t>{1});
    }
  }
  return loaded;
}

//===----------------------------------------------------------------------===//
// Copies between registers and tensor memory
//===----------------------------------------------------------------------===//

static Value lowerTmemCopy(OpBuilder &builder, Operation *op,
                           const TmemCopyPlan &plan, Value registers) {
  Location loc = op->getLoc();
  CopyTiles tiles(op);
  Type element = tiles.getElementType();
  int64_t total = 0;
  for (const TmemCopyPlan::Issue &issue : plan.issues)
    total += issue.registers;
  bool synchronous = isa<CopyOp>(op);
  auto wait = [&](Tcgen05WaitKind kind) {
    if (synchronous)
      Tcgen05WaitOp::create(builder, loc, kind);
  };

  if (registers) {
    int64_t at = 0;
    for (const TmemCopyPlan::Issue &issue : plan.issues) {
      Value part = registers;
      if (issue.registers != total)
        part = vector::ExtractStridedSliceOp::create(
            builder, loc, registers, ArrayRef<int64_t>{at},
            ArrayRef<int64_t>{issue.registers}, ArrayRef<int64_t>{1});
      Tcgen05StOp::create(builder, loc, part, tiles.destination, issue.column,
                          plan.shape, issue.num);
      at += issue.registers;
    }
    wait(Tcgen05WaitKind::st);
    return {};
  }

  SmallVector<Value> parts;
  for (const TmemCopyPlan::Issue &issue : plan.issues)
    parts.push_back(Tcgen05LdOp::create(
        builder, loc, VectorType::get({issue.registers}, element), tiles.source,
        issue.column, plan.shape, issue.num));
  wait(Tcgen05WaitKind::ld);
  if (parts.size() == 1)
    return parts.front();
  Value all = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(VectorType::get({total}, element)));
  int64_t at = 0;
  for (auto [part, issue] : llvm::zip(parts, plan.issues)) {
    all = vector::InsertStridedSliceOp::create(
        builder, loc, part, all, ArrayRef<int64_t>{at}, ArrayRef<int64_t>{1});
    at += issue.registers;
  }
  return all;
}

namespace {
template <typename OpT> struct DistributeCopy : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (failed(verifyDispatched(op)))
      return failure();
    Value registers = isa<RankedTensorType>(op.getSource().getType())
                          ? adaptor.getSource()
                          : Value();
    Value loaded =
        op.getDispatch() == "vector"
            ? lowerRegisterCopy(rewriter, op, *planRegisterCopy(op), registers)
            : lowerTmemCopy(rewriter, op, *planTmemCopy(op), registers);
    if (loaded)
      rewriter.replaceOp(op, loaded);
    else
      rewriter.eraseOp(op);
    return success();
  }
};

struct DistributeBroadcast : OpConversionPattern<BroadcastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(BroadcastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto registers = planBroadcast(op);
    if (!registers)
      return op.emitOpError("cannot be distributed: ") << registers.error();
    rewriter.replaceOpWithNewOp<vector::ShuffleOp>(
        op, adaptor.getSource(), adaptor.getSource(), *registers);
    return success();
  }
};

/// Hardware operations written by hand on register tiles.
template <typename OpT> struct DistributeTmemAccess : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    constexpr bool load = std::is_same_v<OpT, Tcgen05LdOp>;
    Value value;
    if constexpr (load)
      value = op.getResult();
    else
      value = op.getValue();
    auto tile = cast<RankedTensorType>(value.getType());
    if (auto fits = checkTmemAccess(op.getShape(), op.getNum(), tile); !fits)
      return op.emitOpError("cannot be distributed: ") << fits.error();
    if constexpr (load)
      rewriter.replaceOpWithNewOp<Tcgen05LdOp>(
          op, this->getTypeConverter()->convertType(tile), op.getBuffer(),
          op.getColumn(), op.getShape(), op.getNum());
    else
      rewriter.replaceOpWithNewOp<Tcgen05StOp>(op, adaptor.getValue(),
                                               op.getBuffer(), op.getColumn(),
                                               op.getShape(), op.getNum());
    return success();
  }
};

struct DistributePass : tirx::passes::impl::TIRxDistributeBase<DistributePass> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RegisterTileConverter converter;
    RewritePatternSet patterns(context);
    patterns.add<DistributeElementwise, DistributeConstant, DistributeSplat,
                 DistributeCopy<CopyOp>, DistributeCopy<CopyAsyncOp>,
                 DistributeBroadcast, DistributeTmemAccess<Tcgen05LdOp>,
                 DistributeTmemAccess<Tcgen05StOp>>(converter, context);
    ConversionTarget target(*context);
    target.markUnknownOpDynamicallyLegal(
        [&](Operation *op) { return converter.isLegal(op); });
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    if (failed(
            applyFullConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
