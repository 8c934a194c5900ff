//===- BindingsTest.cpp ---------------------------------------------------===//
#include "Bindings.h"

#include <catch2/catch.hpp>

using namespace tirx;
using namespace tirx::driver;
using Kind = rt::HostExpr::Kind;

static rt::HostExpr dim(unsigned argument, unsigned axis) {
  rt::HostExpr expr;
  expr.kind = Kind::dim;
  expr.argument = argument;
  expr.axis = axis;
  return expr;
}

static rt::HostExpr binary(Kind kind, rt::HostExpr left, rt::HostExpr right) {
  rt::HostExpr expr;
  expr.kind = kind;
  expr.operands = {std::move(left), std::move(right)};
  return expr;
}

/// D[m, n] = A[m, k] * B[n, k] * alpha
static rt::Kernel gemm(bool checks = true) {
  rt::Kernel kernel;
  kernel.name = "gemm";
  auto tensor = [](const char *name, rt::Argument::Access access) {
    rt::Argument argument;
    argument.name = name;
    argument.shape = {std::nullopt, std::nullopt};
    argument.access = access;
    return argument;
  };
  rt::Argument alpha;
  alpha.name = "alpha";
  alpha.kind = rt::Argument::Kind::scalar;
  alpha.dtype = rt::DType::f32;
  kernel.arguments = {tensor("A", rt::Argument::Access::read),
                      tensor("B", rt::Argument::Access::read),
                      tensor("D", rt::Argument::Access::write), alpha};
  if (checks)
    kernel.checks = {
        {binary(Kind::logical_and, binary(Kind::eq, dim(0, 1), dim(1, 1)),
                binary(Kind::eq, dim(2, 1), dim(1, 0))),
         "k and n"},
        {binary(Kind::eq, dim(0, 0), dim(2, 0)), "m"},
        {binary(Kind::ge, dim(2, 0), rt::HostExpr::constant(7)),
         "no equality"}};
  return kernel;
}

static std::map<std::string, ArgSource>
sources(std::initializer_list<std::pair<const char *, const char *>> list) {
  std::map<std::string, ArgSource> map;
  for (auto [name, text] : list)
    map.emplace(name, *parseArgSource(name, text));
  return map;
}

TEST_CASE("an output's shape follows from equalities", "[bindings]") {
  auto bindings = bindArguments(
      gemm(),
      sources(
          {{"A", "3x5:f16:random"}, {"B", "4x5:f16:random"}, {"alpha", "2"}}),
      1);
  REQUIRE(bindings);
  auto &d = std::get<rt::HostTensor>(bindings->at("D"));
  CHECK(d.shape == std::vector<int64_t>{3, 4});
  CHECK(d.dtype == rt::DType::f16);
  CHECK(d.bytes == rt::poisoned(rt::DType::f16, {3, 4}).bytes);
  // Different arguments get different numbers.
  CHECK(std::get<rt::HostTensor>(bindings->at("A")).bytes ==
        rt::randomNormal(rt::DType::f16, {3, 5}, 1).bytes);
  CHECK(std::get<rt::HostTensor>(bindings->at("B")).bytes ==
        rt::randomNormal(rt::DType::f16, {4, 5}, 2).bytes);
}

TEST_CASE("what cannot be bound is an error", "[bindings]") {
  struct Case {
    bool checks;
    std::map<std::string, ArgSource> given;
    const char *message;
  };
  for (const Case &c : std::vector<Case>{
           {false,
            sources(
                {{"A", "3x5:f16:one"}, {"B", "4x5:f16:one"}, {"alpha", "2"}}),
            "the shape of output 'D' (?x?xf16) of kernel 'gemm' does not "
            "follow"},
           {true, sources({{"A", "3x5:f16:one"}, {"alpha", "2"}}),
            "argument 'B' (?x?xf16) of kernel 'gemm' needs a value"},
           {true, sources({{"A", "3x5:f16:one"}, {"B", "4x5:f16:one"}}),
            "argument 'alpha' (f32) of kernel 'gemm' needs a value"},
           {true, sources({{"C", "1"}}),
            "--arg C: kernel 'gemm' has no such argument; it has A: ?x?xf16, "
            "B: "
            "?x?xf16, D: ?x?xf16, alpha: f32"},
           {true, sources({{"A", "1"}}),
            "argument 'A' of kernel 'gemm' is a tensor (?x?xf16), but a number "
            "was given"},
           {true, sources({{"alpha", "1:f32:one"}}),
            "argument 'alpha' of kernel 'gemm' is a scalar (f32), but a tensor "
            "was given"},
           {true, sources({{"A", "/absent/a.npy"}}), "--arg A: "}}) {
    auto bindings = bindArguments(gemm(c.checks), c.given, 0);
    REQUIRE_FALSE(bindings);
    CHECK_THAT(bindings.error().message, Catch::Contains(c.message));
  }
}

TEST_CASE("the only kernel needs no name", "[bindings]") {
  rt::Artifact artifact;
  artifact.kernels = {gemm()};
  CHECK((*selectKernel(artifact, ""))->name == "gemm");
  artifact.kernels.push_back(gemm());
  artifact.kernels.back().name = "other";
  CHECK((*selectKernel(artifact, "other"))->name == "other");
  CHECK(selectKernel(artifact, "").error().message ==
        "there are 2 kernels; choose one with --kernel: gemm, other");
  CHECK(selectKernel(artifact, "x").error().message ==
        "there is no kernel 'x'; there are: gemm, other");
}
