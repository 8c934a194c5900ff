//===- compile_benchmark.cpp - how long compilation takes -----------------===//
//
// Compiles one GEMM kernel to PTX, to a cubin, and to a cubin that is in the
// cache. The counters are milliseconds a compilation of each stage.
//
//===----------------------------------------------------------------------===//
#include "tirx/Compiler/Compiler.h"
#include "tirx/Compiler/Ptxas.h"

#include <benchmark/benchmark.h>

#include <fstream>
#include <iterator>
#include <map>

using tirx::CompileOptions;

static void measure(benchmark::State &state, const CompileOptions &options) {
  std::ifstream file(TIRX_BENCHMARK_KERNEL);
  std::string source{std::istreambuf_iterator<char>(file), {}};
  std::map<std::string, double> seconds;
  for (auto _ : state) {
    auto result = tirx::compile(source, TIRX_BENCHMARK_KERNEL, options);
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

static void compileToPTX(benchmark::State &state) {
  CompileOptions options;
  options.emit = CompileOptions::Emit::ptx;
  measure(state, options);
}
BENCHMARK(compileToPTX)->Unit(benchmark::kMillisecond);

static void compileToCubin(benchmark::State &state) {
  if (auto ptxas = tirx::findPtxas(); !ptxas) {
    state.SkipWithError(ptxas.error().message.c_str());
    return;
  }
  CompileOptions options;
  options.emit = CompileOptions::Emit::cubin;
  options.cache = state.range(0) != 0;
  measure(state, options);
}
BENCHMARK(compileToCubin)
    ->Arg(0)
    ->Arg(1)
    ->ArgName("cache")
    ->Unit(benchmark::kMillisecond);
