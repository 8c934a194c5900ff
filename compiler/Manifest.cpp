//===- Manifest.cpp - from tirx.kernel to what the runtime reads ----------===//

#include "tirx/Compiler/Manifest.h"

#include "tirx/Dialect/TIRx.h"
#include "tirx/Passes/KernelAttrs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

#include <optional>

using namespace mlir;
using namespace tirx;
using namespace tirx::ir;
using rt::HostExpr;

/// What the runtime's dtypes call an element type.
static std::optional<rt::DType> getDType(Type type) {
  if (type.isF16())
    return rt::DType::f16;
  if (type.isBF16())
    return rt::DType::bf16;
  if (type.isF32())
    return rt::DType::f32;
  if (type.isF64())
    return rt::DType::f64;
  if (isa<Float8E4M3FNType>(type))
    return rt::DType::f8e4m3;
  if (isa<Float8E5M2Type>(type))
    return rt::DType::f8e5m2;
  if (type.isIndex())
    return rt::DType::i32;
  bool isUnsigned = type.isUnsignedInteger();
  switch (type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0) {
  case 8:
    return isUnsigned ? rt::DType::u8 : rt::DType::i8;
  case 16:
    return isUnsigned ? rt::DType::u16 : rt::DType::i16;
  case 32:
    return isUnsigned ? rt::DType::u32 : rt::DType::i32;
  case 64:
    return isUnsigned ? rt::DType::u64 : rt::DType::i64;
  }
  return std::nullopt;
}

static std::string toText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

//===----------------------------------------------------------------------===//
// Host expressions
//===----------------------------------------------------------------------===//

static rt::Expected<HostExpr> translate(Value value);

static rt::Expected<HostExpr> translateOperands(HostExpr::Kind kind,
                                                OperandRange operands) {
  HostExpr expr;
  expr.kind = kind;
  for (Value operand : operands) {
    auto translated = translate(operand);
    if (!translated)
      return translated;
    expr.operands.push_back(std::move(*translated));
  }
  return expr;
}

static HostExpr ofArgument(HostExpr::Kind kind, Value argument, unsigned axis) {
  HostExpr expr;
  expr.kind = kind;
  expr.argument = cast<BlockArgument>(argument).getArgNumber();
  expr.axis = axis;
  return expr;
}

/// Extents, strides and sizes are not negative, so that signed and unsigned
/// comparisons and divisions agree.
static HostExpr::Kind getComparison(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return HostExpr::Kind::eq;
  case arith::CmpIPredicate::ne:
    return HostExpr::Kind::ne;
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::ult:
    return HostExpr::Kind::lt;
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::ule:
    return HostExpr::Kind::le;
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::ugt:
    return HostExpr::Kind::gt;
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::uge:
    return HostExpr::Kind::ge;
  }
  llvm_unreachable("unknown predicate");
}

/// arith operations whose operands and meaning carry over as they are.
static std::optional<HostExpr::Kind> getKind(Operation *op) {
  using Kind = HostExpr::Kind;
  return llvm::TypeSwitch<Operation *, std::optional<Kind>>(op)
      .Case<arith::AddIOp>([](auto) { return Kind::add; })
      .Case<arith::SubIOp>([](auto) { return Kind::sub; })
      .Case<arith::MulIOp>([](auto) { return Kind::mul; })
      .Case<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(
          [](auto) { return Kind::floordiv; })
      .Case<arith::CeilDivUIOp, arith::CeilDivSIOp>(
          [](auto) { return Kind::ceildiv; })
      .Case<arith::RemUIOp, arith::RemSIOp>([](auto) { return Kind::mod; })
      .Case<arith::MinUIOp, arith::MinSIOp>([](auto) { return Kind::min; })
      .Case<arith::MaxUIOp, arith::MaxSIOp>([](auto) { return Kind::max; })
      .Case<arith::SelectOp>([](auto) { return Kind::select; })
      .Case<arith::CmpIOp>(
          [](auto cmp) { return getComparison(cmp.getPredicate()); })
      .Default([](auto) { return std::nullopt; });
}

static rt::Expected<HostExpr> translate(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    // A true i1 is 1, not -1.
    return HostExpr::constant(constant.getBitWidth() == 1
                                  ? constant.getZExtValue()
                                  : constant.getSExtValue());
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (!value.getType().isIntOrIndex())
      return rt::makeError("'{}' is used in a host computation, but is no "
                           "integer",
                           toText(value.getType()));
    return ofArgument(HostExpr::Kind::scalar, argument, 0);
  }
  Operation *op = value.getDefiningOp();
  if (isa<SmCountOp>(op)) {
    HostExpr expr;
    expr.kind = HostExpr::Kind::sm_count;
    return expr;
  }
  if (auto dim = dyn_cast<DimOp>(op))
    return ofArgument(HostExpr::Kind::dim, dim.getBuffer(), dim.getAxis());
  if (auto stride = dyn_cast<StrideOp>(op))
    return ofArgument(HostExpr::Kind::stride, stride.getBuffer(),
                      stride.getAxis());
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
          arith::ExtUIOp>(op))
    return translate(op->getOperand(0));
  // On conditions; on wider integers they are bit operations, which host
  // expressions do not have.
  if (isa<arith::AndIOp, arith::OrIOp>(op) && value.getType().isInteger(1))
    return translateOperands(isa<arith::AndIOp>(op)
                                 ? HostExpr::Kind::logical_and
                                 : HostExpr::Kind::logical_or,
                             op->getOperands());
  if (std::optional<HostExpr::Kind> kind = getKind(op))
    return translateOperands(*kind, op->getOperands());
  return rt::makeError("'{}' cannot be evaluated by the runtime",
                       op->getName().getStringRef().str());
}

//===----------------------------------------------------------------------===//
// Arguments and parameters
//===----------------------------------------------------------------------===//

/// How the device code uses an argument, from what outlining recorded.
static rt::Argument::Access getAccess(KernelOp kernel, int64_t argument) {
  auto contains = [&](llvm::StringRef name) {
    auto accesses = kernel->getAttrOfType<DenseI64ArrayAttr>(name);
    return accesses && llvm::is_contained(accesses.asArrayRef(), argument);
  };
  if (!contains(passes::writtenArgumentsAttr))
    return rt::Argument::Access::read;
  return contains(passes::readArgumentsAttr) ? rt::Argument::Access::read_write
                                             : rt::Argument::Access::write;
}

static rt::Expected<rt::Argument> describeArgument(KernelOp kernel,
                                                   BlockArgument argument) {
  rt::Argument described;
  described.name = kernel.getArgumentName(argument.getArgNumber());
  Type element = argument.getType();
  if (auto buffer = dyn_cast<BufferType>(element)) {
    described.kind = rt::Argument::Kind::tensor;
    for (int64_t extent : buffer.getShape())
      described.shape.push_back(ShapedType::isDynamic(extent)
                                    ? std::optional<int64_t>()
                                    : std::optional<int64_t>(extent));
    element = buffer.getElementType();
  } else {
    described.kind = rt::Argument::Kind::scalar;
  }
  std::optional<rt::DType> dtype = getDType(element);
  if (!dtype)
    return rt::makeError("argument '{}': callers cannot pass elements of {}",
                         described.name, toText(element));
  described.dtype = *dtype;
  described.access = getAccess(kernel, argument.getArgNumber());
  return described;
}

static rt::TensorMapRecipe::Swizzle toRecipeSwizzle(SwizzleMode mode) {
  switch (mode) {
  case SwizzleMode::none:
    return rt::TensorMapRecipe::Swizzle::none;
  case SwizzleMode::swizzle32B:
    return rt::TensorMapRecipe::Swizzle::b32;
  case SwizzleMode::swizzle64B:
    return rt::TensorMapRecipe::Swizzle::b64;
  case SwizzleMode::swizzle128B:
    return rt::TensorMapRecipe::Swizzle::b128;
  case SwizzleMode::swizzle128B_atom32B:
    return rt::TensorMapRecipe::Swizzle::b128_atom_32b;
  }
  llvm_unreachable("unknown swizzle");
}

/// The recipe lists axes fastest first, the operation slowest first.
static rt::TensorMapRecipe describeTensorMap(TensorMapOp op, rt::DType dtype) {
  TensorMapType type = cast<TensorMapType>(op.getResult().getType());
  rt::TensorMapRecipe recipe;
  recipe.argument = cast<BlockArgument>(op.getBuffer()).getArgNumber();
  recipe.dtype = dtype;
  recipe.swizzle = toRecipeSwizzle(type.getSwizzle());
  // Tiles of one operand follow each other along a row: fetch whole sectors.
  recipe.l2_promotion = rt::TensorMapRecipe::L2Promotion::b128;
  int64_t rank = type.getBox().size();
  for (int64_t axis = rank; axis-- > 0;) {
    recipe.global_dim.push_back(
        ofArgument(HostExpr::Kind::dim, op.getBuffer(), axis));
    recipe.box_dim.push_back(type.getBox()[axis]);
    recipe.element_stride.push_back(1);
    if (axis == rank - 1)
      continue;
    HostExpr bytes;
    bytes.kind = HostExpr::Kind::mul;
    bytes.operands = {ofArgument(HostExpr::Kind::stride, op.getBuffer(), axis),
                      HostExpr::constant(rt::sizeOf(dtype))};
    recipe.global_stride.push_back(std::move(bytes));
  }
  return recipe;
}

static rt::Expected<rt::Parameter> describeParameter(Value value,
                                                     const rt::Kernel &kernel) {
  rt::Parameter parameter;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    parameter.argument = argument.getArgNumber();
    parameter.kind = isa<BufferType>(value.getType())
                         ? rt::Parameter::Kind::pointer
                         : rt::Parameter::Kind::scalar;
    parameter.bytes =
        parameter.kind == rt::Parameter::Kind::pointer
            ? 8
            : rt::sizeOf(kernel.arguments[parameter.argument].dtype);
    return parameter;
  }
  if (auto map = value.getDefiningOp<TensorMapOp>()) {
    parameter.kind = rt::Parameter::Kind::tensor_map;
    parameter.argument = cast<BlockArgument>(map.getBuffer()).getArgNumber();
    parameter.bytes = 128;
    parameter.tensor_map =
        describeTensorMap(map, kernel.arguments[parameter.argument].dtype);
    return parameter;
  }
  parameter.kind = rt::Parameter::Kind::value;
  // An index has 32 bits on the device; a condition one byte.
  unsigned bits =
      value.getType().isIndex() ? 32 : value.getType().getIntOrFloatBitWidth();
  parameter.bytes = std::max(bits, 8u) / 8;
  auto expr = translate(value);
  if (!expr)
    return tl::unexpected(expr.error());
  parameter.expr = std::move(*expr);
  return parameter;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static rt::Expected<rt::Kernel> describeKernel(KernelOp op) {
  rt::Kernel kernel;
  kernel.name = op.getSymName();
  for (BlockArgument argument : op.getKernelArguments()) {
    auto described = describeArgument(op, argument);
    if (!described)
      return tl::unexpected(described.error());
    kernel.arguments.push_back(std::move(*described));
  }
  for (auto require : op.getBody().getOps<RequireOp>()) {
    auto condition = translate(require.getCondition());
    if (!condition)
      return tl::unexpected(condition.error());
    kernel.checks.push_back(
        {std::move(*condition), require.getMessage().str()});
  }
  auto launches = op.getBody().getOps<LaunchFuncOp>();
  if (launches.empty())
    return rt::makeError("its device code has not been outlined");
  LaunchFuncOp launch = *launches.begin();
  const Value grid[] = {launch.getGridX(), launch.getGridY(),
                        launch.getGridZ()};
  for (auto [axis, value] : llvm::enumerate(grid)) {
    auto extent = translate(value);
    if (!extent)
      return tl::unexpected(extent.error());
    kernel.grid[axis] = std::move(*extent);
  }
  kernel.block = {(uint32_t)launch.getThreads(), 1, 1};
  if (auto cluster = launch.getCluster())
    llvm::copy(*cluster, kernel.cluster.begin());
  kernel.programmatic_dependent_launch =
      op->hasAttr(passes::dependentLaunchAttr);
  kernel.dynamic_shared_bytes = launch.getSharedBytes();
  for (Value value : launch.getParameters()) {
    auto parameter = describeParameter(value, kernel);
    if (!parameter)
      return tl::unexpected(parameter.error());
    kernel.parameters.push_back(std::move(*parameter));
  }
  return kernel;
}

rt::Expected<std::vector<rt::Kernel>> tirx::buildManifest(ModuleOp module) {
  std::vector<rt::Kernel> kernels;
  for (auto op : module.getOps<KernelOp>()) {
    auto kernel = describeKernel(op);
    if (!kernel)
      return rt::addContext("kernel '" + op.getSymName().str() + "'",
                            kernel.error());
    kernels.push_back(std::move(*kernel));
  }
  return kernels;
}
