//===- TestKernels.cpp - kernels and arguments for tests --------*- C++ -*-===//
#include "TestKernels.h"

using namespace tirx::rt;
using Kind = HostExpr::Kind;

HostExpr test::constant(int64_t value) { return HostExpr::constant(value); }

HostExpr test::dim(unsigned argument, unsigned axis) {
  return {Kind::dim, 0, argument, axis, {}};
}

HostExpr test::stride(unsigned argument, unsigned axis) {
  return {Kind::stride, 0, argument, axis, {}};
}

HostExpr test::scalar(unsigned argument) {
  return {Kind::scalar, 0, argument, 0, {}};
}

HostExpr test::smCount() {
  HostExpr expr;
  expr.kind = HostExpr::Kind::sm_count;
  return expr;
}

HostExpr test::op(HostExpr::Kind kind, std::vector<HostExpr> operands) {
  return {kind, 0, 0, 0, std::move(operands)};
}

Argument test::tensorArgument(std::string name, DType dtype,
                              std::vector<std::optional<int64_t>> shape) {
  Argument argument;
  argument.name = std::move(name);
  argument.dtype = dtype;
  argument.shape = std::move(shape);
  return argument;
}

Argument test::scalarArgument(std::string name, DType dtype) {
  Argument argument;
  argument.name = std::move(name);
  argument.kind = Argument::Kind::scalar;
  argument.dtype = dtype;
  return argument;
}

namespace {

Parameter tensorMapOf(unsigned argument) {
  Parameter parameter;
  parameter.kind = Parameter::Kind::tensor_map;
  TensorMapRecipe &map = parameter.tensor_map;
  map.argument = argument;
  map.global_dim = {test::dim(argument, 1), test::dim(argument, 0)};
  map.global_stride = {
      test::op(Kind::mul, {test::stride(argument, 0), test::constant(2)})};
  map.box_dim = {64, 128};
  map.element_stride = {1, 1};
  map.swizzle = TensorMapRecipe::Swizzle::b128;
  return parameter;
}

} // namespace

Kernel test::gemmKernel() {
  Kernel kernel;
  kernel.name = "gemm_step04";
  kernel.arguments = {
      tensorArgument("A", DType::f16, {std::nullopt, std::nullopt}),
      tensorArgument("B", DType::f16, {std::nullopt, std::nullopt}),
      tensorArgument("D", DType::f16, {std::nullopt, std::nullopt}),
      scalarArgument("alpha", DType::f32),
  };
  kernel.arguments[2].access = Argument::Access::write;
  kernel.arguments[2].contiguous = true;
  Parameter pointer, value, alpha;
  pointer.argument = 2;
  value.kind = Parameter::Kind::value;
  value.bytes = 4;
  value.expr = dim(0, 0);
  alpha.kind = Parameter::Kind::scalar;
  alpha.argument = 3;
  kernel.parameters = {tensorMapOf(0), tensorMapOf(1), pointer, value, alpha};
  kernel.checks = {
      {op(Kind::eq, {op(Kind::mod, {dim(1, 0), constant(128)}), constant(0)}),
       "N must be a multiple of 128"}};
  kernel.grid = {op(Kind::ceildiv, {dim(0, 0), constant(128)}),
                 op(Kind::floordiv, {dim(1, 0), constant(128)}), constant(1)};
  kernel.block = {128, 1, 1};
  kernel.dynamic_shared_bytes = 65536;
  kernel.codes.resize(1);
  kernel.codes[0].target = "sm_100a";
  kernel.codes[0].ptx = "// not executed";
  return kernel;
}

test::GemmArguments::GemmArguments(int64_t m, int64_t n, int64_t k) {
  const size_t sizes[] = {size_t(m * k * 2), size_t(n * k * 2),
                          size_t(m * n * 2)};
  memory.resize(sizes[0] + sizes[1] + sizes[2] + 4 * 256);
  auto address = reinterpret_cast<uintptr_t>(memory.data());
  const auto take = [&](size_t bytes) {
    address = (address + 255) / 256 * 256;
    void *result = reinterpret_cast<void *>(address);
    address += bytes;
    return result;
  };
  map["A"] = TensorArg{take(sizes[0]), DType::f16, {m, k}, {}};
  map["B"] = TensorArg{take(sizes[1]), DType::f16, {n, k}, {}};
  map["D"] = TensorArg{take(sizes[2]), DType::f16, {m, n}, {}};
  map["alpha"] = ScalarArg(0.5);
}
