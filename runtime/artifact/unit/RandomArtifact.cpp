//===- RandomArtifact.cpp - artifacts with every field in use ---*- C++ -*-===//
#include "RandomArtifact.h"

#include "artifact/Names.h"
#include "tirx/Runtime/Limits.h"

#include <random>

using namespace tirx::rt;

namespace {

class Generator {
public:
  explicit Generator(uint64_t seed) : random(seed) {}

  Artifact artifact() {
    Artifact result;
    result.compiler = text();
    result.source = text();
    for (uint64_t i = 0, count = below(3) + 1; i < count; ++i)
      result.kernels.push_back(kernel(fmt::format("kernel_{}", i)));
    return result;
  }

private:
  std::mt19937_64 random;
  Kernel current;

  uint64_t below(uint64_t limit) { return random() % limit; }
  bool coin() { return below(2) == 0; }
  template <typename Enum> Enum any() {
    return static_cast<Enum>(below(EnumNames<Enum>::names.size()));
  }

  std::string text() {
    static const char *const pieces[] = {"a", "B",  "\"", "\\",   "\n", "\t",
                                         "é", "漢", "😀", "\x01", " ",  "/"};
    std::string result;
    for (uint64_t i = 0, count = below(12); i < count; ++i)
      result += pieces[below(std::size(pieces))];
    return result;
  }

  std::string code() {
    std::string result = "//";
    for (uint64_t i = 0, count = below(300); i < count; ++i)
      result += static_cast<char>(random());
    return result;
  }

  DType dtype() { return static_cast<DType>(below(15)); }

  int64_t integer() {
    static const int64_t corners[] = {0, 1, -1, INT64_MAX, INT64_MIN, 128};
    return coin() ? corners[below(std::size(corners))]
                  : static_cast<int64_t>(random());
  }

  HostExpr expr(unsigned depth) {
    using Kind = HostExpr::Kind;
    HostExpr result;
    // Argument 0 is a tensor of rank 5, argument 1 an integer scalar.
    const Kind kind = depth == 0 ? static_cast<Kind>(below(5)) : any<Kind>();
    result.kind = kind;
    if (kind == Kind::constant)
      result.value = integer();
    else if (kind == Kind::dim || kind == Kind::stride)
      result.axis = static_cast<unsigned>(below(5));
    else if (kind == Kind::scalar)
      result.argument = 1;
    for (size_t i = 0; i < operandCount(kind); ++i)
      result.operands.push_back(expr(depth - 1));
    return result;
  }

  Argument tensor(std::string name, size_t rank) {
    Argument result;
    result.name = std::move(name);
    result.dtype = dtype();
    for (size_t axis = 0; axis < rank; ++axis)
      result.shape.push_back(
          coin() ? std::nullopt
                 : std::optional<int64_t>(coin() ? below(10000) : INT64_MAX));
    result.contiguous = coin();
    result.alignment = 1u << below(13);
    result.access = any<Argument::Access>();
    return result;
  }

  TensorMapRecipe tensorMap() {
    TensorMapRecipe result;
    const size_t rank = below(5) + 1;
    do
      result.dtype = dtype();
    while (sizeOf(result.dtype) > 4);
    for (size_t axis = 0; axis < rank; ++axis) {
      result.global_dim.push_back(expr(3));
      if (axis > 0)
        result.global_stride.push_back(expr(3));
      result.box_dim.push_back(static_cast<uint32_t>(below(256) + 1));
      result.element_stride.push_back(static_cast<uint32_t>(below(8) + 1));
    }
    result.swizzle = any<TensorMapRecipe::Swizzle>();
    const uint32_t width = result.swizzle == TensorMapRecipe::Swizzle::none
                               ? 64
                               : swizzleBytes(result.swizzle);
    result.box_dim[0] = width / sizeOf(result.dtype);
    result.l2_promotion = any<TensorMapRecipe::L2Promotion>();
    if (isFloat(result.dtype) && sizeOf(result.dtype) > 1)
      result.oob_fill = any<TensorMapRecipe::OobFill>();
    return result;
  }

  Parameter parameter() {
    Parameter result;
    result.kind = any<Parameter::Kind>();
    switch (result.kind) {
    case Parameter::Kind::pointer:
      break;
    case Parameter::Kind::scalar:
      result.argument = 1;
      break;
    case Parameter::Kind::value:
      result.bytes = 1u << below(4);
      result.expr = expr(4);
      break;
    case Parameter::Kind::tensor_map:
      result.tensor_map = tensorMap();
      break;
    }
    return result;
  }

  Kernel kernel(std::string name) {
    Kernel result;
    result.name = std::move(name);
    result.arguments.push_back(tensor("A", 5));
    Argument scalar;
    scalar.name = "n " + text();
    scalar.kind = Argument::Kind::scalar;
    scalar.dtype = DType::i64;
    result.arguments.push_back(scalar);
    for (uint64_t i = 0, count = below(4); i < count; ++i)
      result.arguments.push_back(tensor(fmt::format("T{}", i), below(6)));
    for (uint64_t i = 0, count = below(8); i < count; ++i)
      result.parameters.push_back(parameter());
    for (uint64_t i = 0, count = below(3); i < count; ++i)
      result.checks.push_back({expr(4), text()});
    for (HostExpr &size : result.grid)
      size = expr(5);
    result.block = {static_cast<uint32_t>(below(256) + 1),
                    static_cast<uint32_t>(below(4) + 1), 1};
    result.cluster = {static_cast<uint32_t>(below(4) + 1),
                      static_cast<uint32_t>(below(4) + 1), 1};
    result.dynamic_shared_bytes = static_cast<uint32_t>(below(232449));
    result.programmatic_dependent_launch = coin();
    for (const char *target : {"sm_90a", "sm_100a"}) {
      TargetCode targetCode;
      targetCode.target = target;
      const uint64_t which = below(3);
      if (which != 0)
        targetCode.ptx = code();
      if (which != 1)
        for (char byte : code())
          targetCode.cubin.push_back(static_cast<std::byte>(byte));
      if (coin()) {
        auto number = [&] { return static_cast<unsigned>(random()); };
        targetCode.resources = {number(), number(), number(),
                                number(), number(), number()};
      }
      result.codes.push_back(targetCode);
    }
    return result;
  }
};

} // namespace

Artifact test::randomArtifact(uint64_t seed) {
  return Generator(seed).artifact();
}

Artifact test::smallArtifact() {
  Kernel kernel;
  kernel.name = "copy";
  Argument tensor;
  tensor.name = "A";
  tensor.shape = {std::nullopt, 64};
  Argument scalar;
  scalar.name = "n";
  scalar.kind = Argument::Kind::scalar;
  scalar.dtype = DType::i32;
  kernel.arguments = {tensor, scalar};
  Parameter pointer, value, number, map;
  value.kind = Parameter::Kind::value;
  value.expr.kind = HostExpr::Kind::dim;
  number.kind = Parameter::Kind::scalar;
  number.argument = 1;
  map.kind = Parameter::Kind::tensor_map;
  map.tensor_map.global_dim = {HostExpr::constant(64), value.expr};
  map.tensor_map.global_stride = {HostExpr::constant(128)};
  map.tensor_map.box_dim = {64, 128};
  map.tensor_map.element_stride = {1, 1};
  map.tensor_map.swizzle = TensorMapRecipe::Swizzle::b128;
  kernel.parameters = {pointer, value, number, map};
  kernel.checks = {{HostExpr::constant(1), "never fails"}};
  kernel.codes.resize(1);
  kernel.codes[0].target = "sm_100a";
  kernel.codes[0].ptx = ".version 8.8";
  kernel.codes[0].cubin = {std::byte(1), std::byte(2)};
  return {"tirx test", "small.mlir", {kernel}};
}
