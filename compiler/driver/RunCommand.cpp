//===- RunCommand.cpp - tirxc run FILE ------------------------------------===//
#include "Bindings.h"
#include "CommandLine.h"
#include "Commands.h"
#include "tirx/Runtime/Compare.h"
#include "tirx/Runtime/Device.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace tirx::driver {
namespace {

const OptionSpec options[] = {
    {"--arg", "NAME=VALUE",
     "a kernel argument, one of\n"
     "  FILE.npy[:DTYPE]           the file's bytes as another dtype: "
     "x.npy:bf16\n"
     "  FILE.safetensors:TENSOR\n"
     "  SHAPE:DTYPE:FILL           256x64:f16:random; also zero, one, poison\n"
     "  NUMBER                     a scalar",
     true},
    {"--out", "NAME=FILE.npy", "write a tensor after the launch", true},
    {"--expect", "[NAME=]VALUE",
     "fail unless a tensor is as expected; NAME may be left out if the\n"
     "kernel writes one tensor only. VALUE is one of\n"
     "  FILE.npy    to within --atol + --rtol * |expected|\n"
     "  gemm:A,B    the matrix product A * B^T of two arguments, to within\n"
     "              what tensor cores may differ by",
     true},
    {"--rtol", "X",
     "tolerance of --expect, relative to the expected value (0)"},
    {"--atol", "X", "tolerance of --expect, absolute (0)"},
    {"--device", "NAME",
     "sim:sm_100a, cuda:0; by default sim: with the target"},
    {"--kernel", "NAME", "which kernel, if there are several"},
    {"--seed", "N", "for random arguments and random delivery or schedule (0)"},
    {"--delivery", "HOW",
     "when the simulator completes asynchronous work: eager, lazy, random"},
    {"--schedule", "HOW", "how it picks warps: round_robin, random"},
    {"--numerics", "HOW", "tensor-core arithmetic: exact, fast"},
    {"--sm-count", "N",
     "SMs of the simulated device (148 for sm_100a, 132 for sm_90a)"},
    {"--target", "GPU", "when compiling: sm_100a (default) or sm_90a"},
    {"--retype", "FROM:TO", "when compiling: replace an element type", true},
    {"--no-cache", "", "when compiling: no cubin cache"},
};

const CommandSpec spec = {
    "tirxc run FILE.mlir|FILE.txk [options]",
    "Launches a kernel on a device, with arguments from files or made up, and\n"
    "writes or checks what it computed.",
    options};

using Delivery = rt::SimOptions::Delivery;
using Schedule = rt::SimOptions::Schedule;
using Numerics = rt::SimOptions::Numerics;
const Choice<Delivery> deliveries[] = {{"eager", Delivery::eager},
                                       {"lazy", Delivery::lazy},
                                       {"random", Delivery::random}};
const Choice<Schedule> schedules[] = {{"round_robin", Schedule::round_robin},
                                      {"random", Schedule::random}};
const Choice<Numerics> numericsModes[] = {{"exact", Numerics::exact},
                                          {"fast", Numerics::fast}};

/// Everything that the command line says, checked.
struct Plan {
  std::string file;
  std::map<std::string, ArgSource> sources;
  std::map<std::string, std::string> outputs; ///< by argument
  /// NAME (or "") and FILE.npy or gemm:A,B
  std::vector<std::pair<std::string, std::string>> expectations;
  double rtol = 0, atol = 0;
  std::string device, kernel;
  rt::SimOptions sim;
  CompileOptions compile;
};

/// Sets `target` to what `parse` makes of an option's value, if it is given.
template <typename T, typename Parse>
rt::Expected<void> set(const ParsedLine &line, llvm::StringRef option,
                       T &target, Parse parse) {
  auto text = line.value(option);
  if (!text)
    return {};
  auto value = parse(option, *text);
  if (!value)
    return tl::unexpected(value.error());
  target = *value;
  return {};
}

rt::Expected<Plan> makePlan(const ParsedLine &line) {
  Plan plan;
  auto file = onlyOperand(line.positional, "input file (.mlir or .txk)");
  if (!file)
    return tl::unexpected(file.error());
  plan.file = *file;
  for (const std::string &text : line.values("--arg")) {
    auto assignment = splitAssignment("--arg", text);
    if (!assignment)
      return tl::unexpected(assignment.error());
    auto source = parseArgSource(assignment->first, assignment->second);
    if (!source)
      return tl::unexpected(source.error());
    if (!plan.sources.emplace(assignment->first, *source).second)
      return rt::makeError("--arg {} is given twice", assignment->first);
  }
  for (const std::string &text : line.values("--out")) {
    auto assignment = splitAssignment("--out", text);
    if (!assignment)
      return tl::unexpected(assignment.error());
    if (!plan.outputs.insert(*assignment).second)
      return rt::makeError("--out {} is given twice", assignment->first);
  }
  for (const std::string &text : line.values("--expect")) {
    auto [name, path] = llvm::StringRef(text).split('=');
    if (path.empty())
      std::swap(name, path);
    plan.expectations.emplace_back(name.str(), path.str());
  }
  auto retype = parseRetype(line.list("--retype"));
  if (!retype)
    return tl::unexpected(retype.error());
  plan.compile.retype = std::move(*retype);
  plan.compile.target = line.value("--target").value_or("sm_100a");
  plan.compile.cache = !line.has("--no-cache");
  plan.device = line.value("--device").value_or("");
  plan.kernel = line.value("--kernel").value_or("");

  auto choice = [](auto &choices) {
    return [&choices](llvm::StringRef option, llvm::StringRef text) {
      return parseChoice(option, text, choices);
    };
  };
  auto smCount = [](llvm::StringRef option,
                    llvm::StringRef text) -> rt::Expected<uint32_t> {
    auto value = parseUnsigned(option, text);
    if (!value)
      return tl::unexpected(value.error());
    // A grid has at most 2^31 - 1 CTAs; no device has more SMs.
    if (*value < 1 || *value > 0x7FFFFFFF)
      return rt::makeError("{}: {} is not in 1..2147483647", option.str(),
                           *value);
    return static_cast<uint32_t>(*value);
  };
  for (const rt::Expected<void> &done :
       {set(line, "--rtol", plan.rtol, parseTolerance),
        set(line, "--atol", plan.atol, parseTolerance),
        set(line, "--seed", plan.sim.seed, parseUnsigned),
        set(line, "--sm-count", plan.sim.sm_count, smCount),
        set(line, "--delivery", plan.sim.delivery, choice(deliveries)),
        set(line, "--schedule", plan.sim.schedule, choice(schedules)),
        set(line, "--numerics", plan.sim.numerics, choice(numericsModes))})
    if (!done)
      return tl::unexpected(done.error());
  return plan;
}

bool isArtifact(llvm::StringRef path) { return path.ends_with(".txk"); }

rt::Expected<rt::Artifact> loadOrCompile(const Plan &plan) {
  if (isArtifact(plan.file))
    return rt::readArtifactFile(plan.file);
  auto source = readSource(plan.file);
  if (!source)
    return tl::unexpected(source.error());
  CompileOptions compileOptions = plan.compile;
  compileOptions.emit = CompileOptions::Emit::txk;
  // The simulator executes PTX; only a GPU needs what ptxas makes of it.
  compileOptions.assemble = llvm::StringRef(plan.device).starts_with("cuda");
  auto result = compile(*source, plan.file == "-" ? "<stdin>" : plan.file,
                        compileOptions);
  if (!result)
    return tl::unexpected(result.error());
  printWarnings(result->warnings);
  return std::move(result->artifact);
}

/// Device memory of one tensor.
class DeviceTensor {
public:
  DeviceTensor(rt::Device &device, void *pointer)
      : device(&device), pointer(pointer) {}
  DeviceTensor(DeviceTensor &&other)
      : device(other.device), pointer(std::exchange(other.pointer, nullptr)) {}
  DeviceTensor &operator=(DeviceTensor &&) = delete;
  ~DeviceTensor() {
    if (pointer)
      (void)device->free(pointer);
  }
  void *get() const { return pointer; }

private:
  rt::Device *device;
  void *pointer;
};

/// The names of the tensors that the kernel writes.
std::vector<std::string> writtenTensors(const rt::Kernel &kernel) {
  std::vector<std::string> names;
  for (const rt::Argument &argument : kernel.arguments)
    if (argument.kind == rt::Argument::Kind::tensor &&
        argument.access != rt::Argument::Access::read)
      names.push_back(argument.name);
  return names;
}

/// Checks the names of --out and --expect, and fills in those left out.
rt::Expected<void> resolveResults(Plan &plan, const rt::Kernel &kernel) {
  std::vector<std::string> written = writtenTensors(kernel);
  auto check = [&](llvm::StringRef option,
                   const std::string &name) -> rt::Expected<void> {
    if (std::find(written.begin(), written.end(), name) != written.end())
      return {};
    return rt::makeError("{} {}: kernel '{}' writes no such tensor; it writes "
                         "{}",
                         option.str(), name, kernel.name,
                         fmt::join(written, ", "));
  };
  for (auto &[name, path] : plan.outputs)
    if (auto done = check("--out", name); !done)
      return done;
  for (auto &[name, path] : plan.expectations) {
    if (name.empty() && written.size() == 1)
      name = written.front();
    if (name.empty())
      return rt::makeError("--expect {}: kernel '{}' writes {} tensors; say "
                           "which: --expect NAME={}",
                           path, kernel.name, written.size(), path);
    if (auto done = check("--expect", name); !done)
      return done;
  }
  return {};
}

/// Launches, and replaces each written tensor in `bindings` by its new value.
rt::Expected<rt::LaunchStats>
launch(rt::Device &device, const rt::Kernel &kernel, Bindings &bindings) {
  std::map<std::string, DeviceTensor> memory;
  rt::ArgMap arguments;
  for (auto &[name, value] : bindings) {
    if (auto *scalar = std::get_if<rt::ScalarArg>(&value)) {
      arguments.emplace(name, *scalar);
      continue;
    }
    auto &tensor = std::get<rt::HostTensor>(value);
    auto pointer = device.allocate(std::max<size_t>(tensor.bytes.size(), 1));
    if (!pointer)
      return rt::addContext("argument '" + name + "'", pointer.error());
    memory.emplace(name, DeviceTensor(device, *pointer));
    if (auto done = device.copyToDevice(*pointer, tensor.bytes.data(),
                                        tensor.bytes.size());
        !done)
      return rt::addContext("argument '" + name + "'", done.error());
    arguments.emplace(name,
                      rt::TensorArg{*pointer, tensor.dtype, tensor.shape, {}});
  }
  auto stats = device.launch(kernel, arguments);
  if (!stats)
    return stats;
  for (const std::string &name : writtenTensors(kernel)) {
    auto &tensor = std::get<rt::HostTensor>(bindings.at(name));
    if (auto done = device.copyToHost(
            tensor.bytes.data(), memory.at(name).get(), tensor.bytes.size());
        !done)
      return rt::addContext("argument '" + name + "'", done.error());
  }
  return stats;
}

rt::Expected<const rt::HostTensor *> tensorArgument(const Bindings &bindings,
                                                    llvm::StringRef name) {
  auto it = bindings.find(name.str());
  if (it != bindings.end())
    if (auto *tensor = std::get_if<rt::HostTensor>(&it->second))
      return tensor;
  return rt::makeError("there is no tensor argument '{}'", name.str());
}

/// Compares with a file, or with the product of two arguments.
rt::Expected<rt::Comparison> compareOne(const Plan &plan,
                                        const Bindings &bindings,
                                        const rt::HostTensor &actual,
                                        llvm::StringRef expectation) {
  if (!expectation.consume_front("gemm:")) {
    auto expected = rt::readNpy(expectation.str());
    if (!expected)
      return tl::unexpected(expected.error());
    return rt::compare(actual, *expected, plan.rtol, plan.atol);
  }
  auto [left, right] = expectation.split(',');
  auto a = tensorArgument(bindings, left), b = tensorArgument(bindings, right);
  if (!a || !b)
    return tl::unexpected(a ? b.error() : a.error());
  rt::GemmProblem problem;
  problem.a = *a;
  problem.b = *b;
  problem.output = actual.dtype;
  auto expected = rt::expectGemm(problem);
  if (!expected)
    return tl::unexpected(expected.error());
  return rt::compare(actual, expected->reference, expected->bound);
}

rt::Expected<void> compareAll(const Plan &plan, const Bindings &bindings) {
  for (const auto &[name, expectation] : plan.expectations) {
    auto comparison =
        compareOne(plan, bindings, std::get<rt::HostTensor>(bindings.at(name)),
                   expectation);
    if (!comparison)
      return rt::addContext("--expect " + name + "=" + expectation,
                            comparison.error());
    std::string text = rt::toString(*comparison);
    if (!comparison->ok())
      return rt::makeError("'{}' is not as expected ({}): {}", name,
                           expectation, text);
    if (auto done = writeStdout(name + ": " + text + "\n"); !done)
      return done;
  }
  return {};
}

} // namespace

rt::Expected<void> runCommand(Arguments arguments) {
  auto line = parseCommandLine(spec, arguments);
  if (!line)
    return tl::unexpected(line.error());
  if (line->has("--help"))
    return writeStdout(renderHelp(spec));
  auto plan = makePlan(*line);
  if (!plan)
    return tl::unexpected(plan.error());
  auto artifact = loadOrCompile(*plan);
  if (!artifact)
    return tl::unexpected(artifact.error());
  auto kernel = selectKernel(*artifact, plan->kernel);
  if (!kernel)
    return rt::addContext(plan->file, kernel.error());
  if (auto done = resolveResults(*plan, **kernel); !done)
    return done;
  if (plan->device.empty())
    plan->device =
        "sim:" + ((*kernel)->codes.empty() ? plan->compile.target
                                           : (*kernel)->codes.front().target);
  auto device = rt::openDevice(plan->device, plan->sim);
  if (!device)
    return tl::unexpected(device.error());
  auto bindings = bindArguments(**kernel, plan->sources, plan->sim.seed);
  if (!bindings)
    return tl::unexpected(bindings.error());
  auto stats = launch(**device, **kernel, *bindings);
  if (!stats)
    return tl::unexpected(stats.error());
  printWarnings(stats->warnings);
  if (auto done = writeStdout(
          fmt::format("{} on {}: {:.3f} s, {} warp instructions, {} "
                      "tensor-core ops, {} TMA "
                      "ops, seed {}\n",
                      (*kernel)->name, (*device)->name(), stats->seconds,
                      stats->warp_instructions, stats->tensor_core_ops,
                      stats->tma_ops, plan->sim.seed));
      !done)
    return done;
  for (const auto &[name, path] : plan->outputs)
    if (auto done =
            rt::writeNpy(path, std::get<rt::HostTensor>(bindings->at(name)));
        !done)
      return rt::addContext("--out " + name, done.error());
  return compareAll(*plan, *bindings);
}

} // namespace tirx::driver
