//===- compile_benchmark.cpp - how long compilation takes -----------------===//
//
// Compiles two GEMM kernels, step 4 of the tutorial and the generator's default
// for 4096x4096x4096 bf16, to PTX, to a cubin, and to a cubin that is in the
// cache. The counters are milliseconds a compilation of each stage.
//
//===----------------------------------------------------------------------===//
#include "tirx/Compiler/Compiler.h"
#include "tirx/Compiler/Ptxas.h"
#include "tirx/Kernels/Gemm.h"

#include <benchmark/benchmark.h>

#include <fstream>
#include <iterator>
#include <map>

using tirx::CompileOptions;

namespace {

struct Source {
  std::string name, text;
};

Source step4() {
  std::ifstream file(TIRX_BENCHMARK_KERNEL);
  return {TIRX_BENCHMARK_KERNEL,
          std::string{std::istreambuf_iterator<char>(file), {}}};
}

Source defaultGemm() {
  auto choice = tirx::kernels::chooseGemm({}, {4096, 4096, 4096});
  return {"gemm.mlir", *tirx::kernels::generateGemm(choice->config)};
}

void measure(benchmark::State &state, const Source &source,
             const CompileOptions &options) {
  std::map<std::string, double> seconds;
  for (auto _ : state) {
    auto result = tirx::compile(source.text, source.name, options);
    if (!result) {
      state.SkipWithError(result.error().message.c_str());
      return;
    }
    for (const tirx::StageTime &time : result->times)
      seconds[time.stage] += time.seconds;
  }
  for (const auto &[stage, sum] : seconds)
    state.counters[stage + "_ms"] =
        benchmark::Counter(1e3 * sum, benchmark::Counter::kAvgIterations);
}

/// The generator's own part.
void generate(benchmark::State &state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(defaultGemm().text);
}
BENCHMARK(generate)->Unit(benchmark::kMicrosecond);

void compileToPTX(benchmark::State &state, Source (*source)()) {
  CompileOptions options;
  options.emit = CompileOptions::Emit::ptx;
  measure(state, source(), options);
}
BENCHMARK_CAPTURE(compileToPTX, step4, step4)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(compileToPTX, default, defaultGemm)
    ->Unit(benchmark::kMillisecond);

void compileToCubin(benchmark::State &state, Source (*source)()) {
  if (auto ptxas = tirx::findPtxas(); !ptxas) {
    state.SkipWithError(ptxas.error().message.c_str());
    return;
  }
  CompileOptions options;
  options.emit = CompileOptions::Emit::cubin;
  options.cache = state.range(0) != 0;
  measure(state, source(), options);
}
BENCHMARK_CAPTURE(compileToCubin, step4, step4)
    ->Arg(0)
    ->Arg(1)
    ->ArgName("cache")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(compileToCubin, default, defaultGemm)
    ->Arg(0)
    ->Arg(1)
    ->ArgName("cache")
    ->Unit(benchmark::kMillisecond);

} // namespace
