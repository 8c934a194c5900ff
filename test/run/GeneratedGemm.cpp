//===- GeneratedGemm.cpp - run a generated GEMM on the simulator ----------===//

#include "GeneratedGemm.h"

#include "tirx/Runtime/Compare.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <vector>

using namespace tirx;
using namespace tirx::test;
using kernels::GemmOperation;
using kernels::Major;

kernels::GemmConfig
tirx::test::chosenConfig(const GemmOperation &operation, GemmExtents extents,
                         const kernels::GemmSchedule &wanted) {
  auto choice = kernels::chooseGemm(
      operation, {extents.m, extents.n, extents.k, extents.batch}, wanted);
  if (!choice)
    FAIL(choice.error().message);
  return choice->config;
}

rt::Expected<rt::Artifact> tirx::test::compileText(const std::string &source) {
  CompileOptions options;
  options.assemble = false;
  auto compiled = compile(source, "gemm.mlir", options);
  if (!compiled)
    return tl::unexpected(compiled.error());
  return std::move(compiled->artifact);
}

rt::Artifact tirx::test::compileGemm(const kernels::GemmConfig &config) {
  auto source = kernels::generateGemm(config);
  if (!source)
    FAIL(source.error().message);
  auto compiled = compileText(*source);
  if (!compiled)
    FAIL(compiled.error().message);
  return *compiled;
}

namespace {

/// A tensor in device memory with gaps between its rows and matrices.
class DeviceTensor {
public:
  DeviceTensor(rt::Device &device, rt::HostTensor &host, int64_t padding)
      : device(device), host(host) {
    const int64_t element = rt::sizeOf(host.dtype);
    row = host.shape.back() * element;
    pitch = row + padding;
    rows = host.shape.size() > 1 ? host.shape[host.shape.size() - 2] : 1;
    matrices = host.shape.size() > 2 ? host.shape[0] : 1;
    const int64_t matrix = pitch * (rows + padding);
    bytes.assign(static_cast<size_t>(matrix * matrices), std::byte(0xA5));
    forEachRow([&](std::byte *device, std::byte *host) {
      std::memcpy(device, host, static_cast<size_t>(row));
    });
    auto memory = device.allocate(bytes.size());
    REQUIRE(memory);
    data = *memory;
    REQUIRE(device.copyToDevice(data, bytes.data(), bytes.size()));
    argument = rt::TensorArg{data, host.dtype, host.shape, {}};
    if (host.shape.size() > 2)
      argument.strides.push_back(matrix / element);
    if (host.shape.size() > 1)
      argument.strides.push_back(pitch / element);
    argument.strides.push_back(1);
  }

  /// Reads the tensor back; what lies in the gaps must be as it was.
  void read() {
    const std::vector<std::byte> before = bytes;
    REQUIRE(device.copyToHost(bytes.data(), data, bytes.size()));
    std::vector<std::byte> gaps = bytes;
    size_t at = 0;
    forEachRow([&](std::byte *device, std::byte *host) {
      std::memcpy(host, device, static_cast<size_t>(row));
      at = static_cast<size_t>(device - bytes.data());
      std::memcpy(&gaps[at], &before[at], static_cast<size_t>(row));
    });
    CHECK(gaps == before);
  }

  rt::TensorArg argument;

private:
  template <typename F> void forEachRow(F &&f) {
    for (int64_t l = 0; l < matrices; ++l)
      for (int64_t r = 0; r < rows; ++r)
        f(bytes.data() + (l * (rows + (pitch - row)) + r) * pitch,
          host.bytes.data() + (l * rows + r) * row);
  }

  rt::Device &device;
  rt::HostTensor &host;
  int64_t row = 0, pitch = 0, rows = 1, matrices = 1;
  std::vector<std::byte> bytes;
  void *data = nullptr;
};

std::vector<int64_t> matrixShape(const GemmOperation &op, int64_t batch,
                                 Major major, int64_t rows, int64_t columns) {
  std::vector<int64_t> shape;
  if (op.batch)
    shape.push_back(batch);
  shape.push_back(major == Major::K ? rows : columns);
  shape.push_back(major == Major::K ? columns : rows);
  return shape;
}

rt::GemmEpilogue::Activation activationOf(kernels::Activation activation) {
  using enum rt::GemmEpilogue::Activation;
  switch (activation) {
  case kernels::Activation::none:
    return none;
  case kernels::Activation::relu:
    return relu;
  case kernels::Activation::gelu:
    return gelu;
  case kernels::Activation::silu:
    return silu;
  }
  return none;
}

} // namespace

GeneratedRun tirx::test::runGenerated(const rt::Kernel &kernel,
                                      const GemmOperation &op,
                                      GemmExtents extents,
                                      const rt::SimOptions &options,
                                      uint64_t dataSeed, int64_t padding) {
  auto device = rt::openDevice("sim:sm_100a", options);
  REQUIRE(device);
  const auto [m, n, k, batch] = extents;
  const std::vector<int64_t> ofD = matrixShape(op, batch, Major::K, m, n);
  GeneratedRun run{
      rt::randomNormal(op.a, matrixShape(op, batch, op.aMajor, m, k), dataSeed),
      rt::randomNormal(op.b, matrixShape(op, batch, op.bMajor, n, k),
                       dataSeed + 1),
      rt::randomNormal(op.d, ofD, dataSeed + 2),
      rt::randomNormal(op.d, {n}, dataSeed + 3),
      rt::poisoned(op.d, ofD),
      op.alpha ? 0.75 : 1,
      op.residual ? -1.5 : 0,
      {}};
  DeviceTensor a(**device, run.a, padding), b(**device, run.b, padding),
      c(**device, run.c, padding), bias(**device, run.bias, 0),
      d(**device, run.d, padding);
  rt::ArgMap arguments = {
      {"A", a.argument}, {"B", b.argument}, {"D", d.argument}};
  if (op.residual) {
    arguments["C"] = c.argument;
    arguments["beta"] = rt::ScalarArg(run.beta);
  }
  if (op.bias)
    arguments["bias"] = bias.argument;
  if (op.alpha)
    arguments["alpha"] = rt::ScalarArg(run.alpha);
  run.stats = (*device)->launch(kernel, arguments);
  d.read();
  return run;
}

int64_t tirx::test::countWrong(const GeneratedRun &run, const GemmOperation &op,
                               std::string &text) {
  if (!run.stats) {
    text = run.stats.error().message;
    return -1;
  }
  rt::GemmProblem problem;
  problem.a = &run.a;
  problem.b = &run.b;
  problem.a_is_mn_major = op.aMajor == Major::MN;
  problem.b_is_mn_major = op.bMajor == Major::MN;
  problem.output = run.d.dtype;
  problem.epilogue.alpha = run.alpha;
  problem.epilogue.beta = run.beta;
  problem.epilogue.c = op.residual ? &run.c : nullptr;
  problem.epilogue.bias = op.bias ? &run.bias : nullptr;
  problem.epilogue.activation = activationOf(op.activation);
  auto expected = rt::expectGemm(problem);
  if (!expected)
    FAIL(expected.error().message);
  auto comparison = rt::compare(run.d, expected->reference, expected->bound);
  REQUIRE(comparison);
  text = rt::toString(*comparison);
  for (const std::string &warning : run.stats->warnings)
    text += "\nwarning: " + warning;
  return comparison->mismatches + int64_t(run.stats->warnings.size());
}

std::string tirx::test::describe(const GemmOperation &op) {
  auto major = [](Major m) { return m == Major::K ? "K" : "MN"; };
  std::string text = fmt::format("{} x {} -> {}, A {}, B {}", rt::nameOf(op.a),
                                 rt::nameOf(op.b), rt::nameOf(op.d),
                                 major(op.aMajor), major(op.bMajor));
  for (auto [used, name] : {std::pair(op.batch, "batch"),
                            {op.alpha, "alpha"},
                            {op.residual, "residual"},
                            {op.bias, "bias"}})
    if (used)
      text += fmt::format(", {}", name);
  if (op.activation != kernels::Activation::none)
    text += fmt::format(", {}", toString(op.activation));
  return text;
}
