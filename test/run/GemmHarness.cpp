//===- GemmHarness.cpp - run a GEMM kernel on the simulator ---------------===//

#include "GemmHarness.h"

#include "tirx/Compiler/Compiler.h"
#include "tirx/Runtime/Compare.h"

#include <catch2/catch.hpp>
#include <map>

using namespace tirx;
using namespace tirx::test;

std::string tirx::test::readExample(const std::string &path) {
  auto bytes = rt::readFile(path);
  if (!bytes)
    FAIL(bytes.error().message);
  return std::string(reinterpret_cast<const char *>(bytes->data()),
                     bytes->size());
}

GemmRun tirx::test::runGemm(const rt::Kernel &kernel, rt::DType dtype,
                            GemmSize size, const rt::SimOptions &options,
                            uint64_t dataSeed) {
  auto device = rt::openDevice("sim:sm_100a", options);
  REQUIRE(device);
  GemmRun run{rt::randomNormal(dtype, {size.m, size.k}, dataSeed),
              rt::randomNormal(dtype, {size.n, size.k}, dataSeed + 1),
              rt::poisoned(dtype, {size.m, size.n}),
              {}};
  rt::ArgMap arguments;
  std::map<std::string, void *> data;
  for (auto [name, tensor] :
       {std::pair("A", &run.a), {"B", &run.b}, {"D", &run.d}}) {
    auto memory = (*device)->allocate(tensor->bytes.size());
    REQUIRE(memory);
    data[name] = *memory;
    REQUIRE((*device)->copyToDevice(data[name], tensor->bytes.data(),
                                    tensor->bytes.size()));
    arguments[name] = rt::TensorArg{data[name], dtype, tensor->shape, {}};
  }
  run.stats = (*device)->launch(kernel, arguments);
  REQUIRE(
      (*device)->copyToHost(run.d.bytes.data(), data["D"], run.d.bytes.size()));
  return run;
}

int64_t tirx::test::countWrong(const GemmRun &run, std::string &text) {
  if (!run.stats) {
    text = run.stats.error().message;
    return -1;
  }
  rt::GemmProblem problem;
  problem.a = &run.a;
  problem.b = &run.b;
  problem.output = run.d.dtype;
  auto expected = rt::expectGemm(problem);
  REQUIRE(expected);
  auto comparison = rt::compare(run.d, expected->reference, expected->bound);
  REQUIRE(comparison);
  text = rt::toString(*comparison);
  return comparison->mismatches;
}

const rt::Kernel &tirx::test::kernelOf(int step, rt::DType dtype) {
  static std::map<std::pair<int, rt::DType>, rt::Artifact> compiled;
  auto [it, isNew] = compiled.try_emplace({step, dtype});
  if (isNew) {
    std::string path = std::string(TIRX_EXAMPLES) + "/gemm/step0" +
                       std::to_string(step) + ".mlir";
    CompileOptions options;
    options.assemble = false;
    if (dtype == rt::DType::bf16)
      options.retype = {{"f16", "bf16"}};
    auto result = compile(readExample(path), path, options);
    if (!result)
      FAIL(result.error().message);
    it->second = result->artifact;
  }
  return it->second.kernels.front();
}

void tirx::test::checkResult(const GemmRun &run) {
  std::string text;
  int64_t wrong = countWrong(run, text);
  INFO(text);
  CHECK(wrong == 0);
  if (run.stats)
    for (const std::string &warning : run.stats->warnings)
      FAIL_CHECK(warning);
}
