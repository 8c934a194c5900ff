//===- gemm_demo.cpp - a GEMM kernel from text to checked result ----------===//
//
// Compiles a kernel with arguments A, B and D (D = A * B^T), runs it on the
// simulator, compares every element with a float64 product and prints what
// each stage took and what ptxas said of the kernel.
//
//===----------------------------------------------------------------------===//

#include "tirx/Compiler/Compiler.h"
#include "tirx/Runtime/Compare.h"
#include "tirx/Runtime/Device.h"
#include "tirx/Runtime/Tensor.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

using namespace tirx;

namespace {
struct DemoOptions {
  std::string kernel, a, b;
  int64_t m = 512, n = 384, k = 1024;
  rt::DType dtype = rt::DType::f16;
  std::string device = "sim:sm_100a", target = "sm_100a";
  uint64_t seed = 0;
};

const char *usage =
    "usage: gemm-demo KERNEL.mlir [--a FILE --b FILE] [--size MxNxK] [--bf16]\n"
    "                 [--device NAME] [--seed N]\n"
    "FILE is MATRIX.npy or MATRIX.safetensors:TENSOR. Without files A and B "
    "are\nstandard normals. D = A * B^T; A is MxK, B is NxK.\n";

int fail(const std::string &message) {
  std::fprintf(stderr, "gemm-demo: error: %s\n", message.c_str());
  return 1;
}

rt::Expected<DemoOptions> parseOptions(int argc, char **argv) {
  DemoOptions options;
  for (int i = 1; i < argc; ++i) {
    std::string_view option = argv[i];
    if (option == "--bf16") {
      options.dtype = rt::DType::bf16;
      continue;
    }
    if (!option.starts_with("--")) {
      options.kernel = option;
      continue;
    }
    if (i + 1 == argc)
      return rt::makeError("option '{}' needs a value\n{}", option, usage);
    std::string value = argv[++i];
    if (option == "--a") {
      options.a = value;
    } else if (option == "--b") {
      options.b = value;
    } else if (option == "--device") {
      options.device = value;
    } else if (option == "--seed") {
      options.seed = std::strtoull(value.c_str(), nullptr, 10);
    } else if (option == "--size") {
      if (std::sscanf(value.c_str(), "%ldx%ldx%ld", &options.m, &options.n,
                      &options.k) != 3)
        return rt::makeError("--size '{}' is not of the form MxNxK", value);
    } else {
      return rt::makeError("unknown option '{}'\n{}", option, usage);
    }
  }
  if (options.kernel.empty())
    return rt::makeError("no kernel given\n{}", usage);
  if (options.a.empty() != options.b.empty())
    return rt::makeError("--a and --b go together");
  return options;
}

rt::Expected<rt::HostTensor> readMatrix(const std::string &source) {
  size_t colon = source.rfind(':');
  if (colon != std::string::npos && colon > 12 &&
      source.compare(colon - 12, 12, ".safetensors") == 0)
    return rt::readSafetensors(source.substr(0, colon),
                               source.substr(colon + 1));
  return rt::readNpy(source);
}

double seconds(auto &&work) {
  auto start = std::chrono::steady_clock::now();
  work();
  std::chrono::duration<double> taken =
      std::chrono::steady_clock::now() - start;
  return taken.count();
}

void row(std::string_view name, const std::string &value,
         std::string_view kind) {
  fmt::print("  {:<26} {:>14}  {}\n", name, value, kind);
}

std::string milliseconds(double s) { return fmt::format("{:.1f} ms", s * 1e3); }
} // namespace

int main(int argc, char **argv) {
  auto options = parseOptions(argc, argv);
  if (!options)
    return fail(options.error().message);

  rt::Expected<rt::HostTensor> a =
      options->a.empty()
          ? rt::randomNormal(options->dtype, {options->m, options->k},
                             options->seed)
          : readMatrix(options->a);
  rt::Expected<rt::HostTensor> b =
      options->b.empty()
          ? rt::randomNormal(options->dtype, {options->n, options->k},
                             options->seed + 1)
          : readMatrix(options->b);
  if (!a || !b)
    return fail((a ? b : a).error().message);
  if (a->shape.size() != 2 || b->shape.size() != 2)
    return fail("A and B must be matrices");
  if (a->dtype != b->dtype ||
      (a->dtype != rt::DType::f16 && a->dtype != rt::DType::bf16))
    return fail(fmt::format("A is {} and B is {}; both must be f16 or bf16",
                            rt::nameOf(a->dtype), rt::nameOf(b->dtype)));

  auto text = rt::readFile(options->kernel);
  if (!text)
    return fail(text.error().message);
  CompileOptions compileOptions;
  compileOptions.target = options->target;
  compileOptions.cache = false; // so that the time is that of ptxas
  if (a->dtype == rt::DType::bf16)
    compileOptions.retype = {{"f16", "bf16"}};
  auto compiled =
      compile(llvm::StringRef(reinterpret_cast<const char *>(text->data()),
                              text->size()),
              options->kernel, compileOptions);
  if (!compiled)
    return fail(compiled.error().message);
  if (compiled->artifact.kernels.size() != 1)
    return fail(fmt::format("{} holds {} kernels, expected one",
                            options->kernel,
                            compiled->artifact.kernels.size()));
  const rt::Kernel &kernel = compiled->artifact.kernels.front();

  auto device = rt::openDevice(options->device);
  if (!device)
    return fail(device.error().message);
  rt::HostTensor d = rt::poisoned(a->dtype, {a->shape[0], b->shape[0]});
  rt::ArgMap arguments;
  struct Bound {
    const char *name;
    rt::HostTensor *tensor;
    void *data;
  };
  std::vector<Bound> bound = {
      {"A", &*a, nullptr}, {"B", &*b, nullptr}, {"D", &d, nullptr}};
  for (Bound &argument : bound) {
    auto data = (*device)->allocate(argument.tensor->bytes.size());
    if (!data)
      return fail(data.error().message);
    argument.data = *data;
    if (auto copied =
            (*device)->copyToDevice(*data, argument.tensor->bytes.data(),
                                    argument.tensor->bytes.size());
        !copied)
      return fail(copied.error().message);
    arguments[argument.name] = rt::TensorArg{
        *data, argument.tensor->dtype, argument.tensor->shape, {}};
  }
  auto stats = (*device)->launch(kernel, arguments);
  if (!stats)
    return fail(stats.error().message);
  if (auto copied =
          (*device)->copyToHost(d.bytes.data(), bound[2].data, d.bytes.size());
      !copied)
    return fail(copied.error().message);

  rt::Expected<rt::HostTensor> reference = rt::HostTensor();
  rt::Expected<rt::HostTensor> limit = rt::HostTensor();
  double checking = seconds([&] {
    reference = rt::gemmReference(*a, *b);
    limit = rt::gemmErrorBound(*a, *b, d.dtype);
  });
  if (!reference || !limit)
    return fail((reference ? limit : reference).error().message);
  auto comparison = rt::compare(d, *reference, *limit);
  if (!comparison)
    return fail(comparison.error().message);

  fmt::print("{}: {}x{}x{} {} on {}\n", kernel.name, a->shape[0], b->shape[0],
             a->shape[1], rt::nameOf(a->dtype), (*device)->name());
  for (const StageTime &stage : compiled->times)
    row(stage.stage, milliseconds(stage.seconds), "measured");
  row("compile, total", milliseconds(compiled->totalSeconds), "measured");
  row("run", milliseconds(stats->seconds), "measured (simulator)");
  row("float64 reference", milliseconds(checking), "measured");
  for (const rt::TargetCode &code : kernel.codes) {
    row("PTX lines",
        fmt::format("{}", std::count(code.ptx.begin(), code.ptx.end(), '\n')),
        "static");
    if (!code.resources) {
      row("registers, spills", "-", "no ptxas: PTX only");
      continue;
    }
    row("registers", fmt::format("{}", code.resources->registers), "static");
    row("spills",
        fmt::format("{} B", code.resources->spill_store_bytes +
                                code.resources->spill_load_bytes),
        "static");
  }
  row("shared memory", fmt::format("{} B", kernel.dynamic_shared_bytes),
      "static");
  row("warp-instructions", fmt::format("{}", stats->warp_instructions),
      "simulator");
  row("tensor-core operations", fmt::format("{}", stats->tensor_core_ops),
      "simulator");
  row("largest error", fmt::format("{:.3g}", comparison->max_abs_error),
      "against float64");
  row("elements over the bound",
      fmt::format("{} of {}", comparison->mismatches, comparison->elements),
      "bound: docs/numerics.md");
  for (const std::string &warning : compiled->warnings)
    fmt::print("warning: {}\n", warning);
  for (const std::string &warning : stats->warnings)
    fmt::print("warning: {}\n", warning);
  if (!comparison->ok())
    return fail(rt::toString(*comparison));
  fmt::print("PASS\n");
  return 0;
}
