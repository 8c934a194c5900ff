//===- ClusterRolesTest.cpp - roles and clusters on both targets ----------===//
//
// Kernels without tensor cores, so that they run on Hopper, too: the same
// artifacts for sm_90a gave the same bits on an H200 (driver 580), at such
// shapes.
//
//===----------------------------------------------------------------------===//

#include "GemmHarness.h"

#include "tirx/Compiler/Compiler.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <map>

using namespace tirx;

namespace {
using Tensors = std::map<std::string, rt::HostTensor>;

/// Runs an example of examples/tma; tensors are copied there and back.
void run(const std::string &example, const std::string &target,
         const rt::SimOptions &options, Tensors &tensors) {
  CompileOptions compileOptions;
  compileOptions.target = target;
  compileOptions.assemble = false;
  auto compiled =
      compile(test::readExample(std::string(TIRX_EXAMPLES) + "/tma/" + example),
              example, compileOptions);
  if (!compiled)
    FAIL(compiled.error().message);
  auto device = rt::openDevice("sim:" + target, options);
  REQUIRE(device);
  rt::ArgMap arguments;
  std::map<std::string, void *> data;
  for (auto &[name, tensor] : tensors) {
    auto pointer = (*device)->allocate(tensor.bytes.size());
    REQUIRE(pointer);
    data[name] = *pointer;
    REQUIRE((*device)->copyToDevice(*pointer, tensor.bytes.data(),
                                    tensor.bytes.size()));
    arguments.emplace(name,
                      rt::TensorArg{*pointer, tensor.dtype, tensor.shape, {}});
  }
  auto stats = (*device)->launch(compiled->artifact.kernels.front(), arguments);
  if (!stats)
    FAIL(stats.error().message);
  for (const std::string &warning : stats->warnings)
    FAIL_CHECK(warning);
  for (auto &[name, tensor] : tensors)
    REQUIRE((*device)->copyToHost(tensor.bytes.data(), data[name],
                                  tensor.bytes.size()));
}

std::vector<float> toFloats(const rt::HostTensor &tensor) {
  std::vector<float> values(tensor.elementCount());
  std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

rt::SimOptions optionsFor(rt::SimOptions::Delivery delivery, uint64_t seed) {
  rt::SimOptions options;
  options.delivery = delivery;
  options.schedule = rt::SimOptions::Schedule::random;
  options.seed = seed;
  options.sm_count = 6; // more tiles than CTAs
  return options;
}

const auto deliveries = {rt::SimOptions::Delivery::eager,
                         rt::SimOptions::Delivery::lazy,
                         rt::SimOptions::Delivery::random};
} // namespace

TEST_CASE("a persistent kernel with roles adds matrices") {
  std::string target = GENERATE("sm_90a", "sm_100a");
  for (auto delivery : deliveries)
    for (auto [rows, columns] : {std::pair<int64_t, int64_t>(600, 200),
                                 {1, 8},
                                 {257, 68},
                                 {1024, 256}}) {
      uint64_t seed = rows + columns;
      INFO(target << ", delivery " << int(delivery) << ", " << rows << "x"
                  << columns << ", seed " << seed);
      std::vector<int64_t> shape = {rows, columns};
      Tensors tensors = {
          {"X", rt::randomNormal(rt::DType::f32, shape, seed)},
          {"Y", rt::randomNormal(rt::DType::f32, shape, seed + 1)},
          {"Z", rt::poisoned(rt::DType::f32, shape)}};
      run("pipelined_add.mlir", target, optionsFor(delivery, seed), tensors);
      std::vector<float> x = toFloats(tensors["X"]), y = toFloats(tensors["Y"]),
                         z = toFloats(tensors["Z"]);
      int64_t wrong = 0;
      for (size_t i = 0; i < x.size(); ++i)
        wrong += z[i] != x[i] + y[i];
      CHECK(wrong == 0);
    }
}

TEST_CASE("threads of two CTAs hand stages to one of them") {
  std::string target = GENERATE("sm_90a", "sm_100a");
  for (auto delivery : deliveries)
    for (uint64_t seed = 0; seed < 5; ++seed) {
      INFO(target << ", delivery " << int(delivery) << ", seed " << seed);
      std::vector<int64_t> shape = {256, 72};
      Tensors tensors = {{"X", rt::randomNormal(rt::DType::f32, shape, seed)},
                         {"Z", rt::poisoned(rt::DType::f32, shape)}};
      run("handshake.mlir", target, optionsFor(delivery, seed), tensors);
      CHECK(tensors["Z"].bytes == tensors["X"].bytes);
    }
}
