//===- GenCommand.cpp - tirxc gen gemm ------------------------------------===//
#include "CommandLine.h"
#include "Commands.h"
#include "tirx/Kernels/Gemm.h"
#include "tirx/Runtime/File.h"

namespace tirx::driver {
namespace {

using kernels::Activation;
using kernels::GemmConfig;
using kernels::GemmOperation;
using kernels::GemmSchedule;
using kernels::GemmShape;
using kernels::Major;
using kernels::Scheduler;
using rt::DType;

const OptionSpec options[] = {
    {"-o", "FILE", "where to write the kernel; stdout by default, or -"},
    {"--name", "NAME", "of the kernel; gemm by default"},
    {"--dtype", "DTYPE",
     "of A and B: f16, bf16 (default), tf32 (stored as f32), e4m3, e5m2"},
    {"--dtype-b", "DTYPE", "of B, where it differs from A's: e4m3 or e5m2"},
    {"--out-dtype", "DTYPE",
     "of D, C and bias: f16, bf16, f32; by default A's if it is one of them,\n"
     "else bf16"},
    {"--a-major", "K|MN", "K: A is [M, K] (default); MN: A is [K, M]"},
    {"--b-major", "K|MN", "K: B is [N, K] (default); MN: B is [K, N]"},
    {"--batch", "", "a batch axis in front of A, B, C and D"},
    {"--alpha", "", "multiply by the argument alpha"},
    {"--residual", "", "add beta * C"},
    {"--bias", "", "add bias[n]"},
    {"--activation", "NAME", "none (default), relu, gelu (tanh form), silu"},
    {"--shape", "MxNxK[xL]",
     "what to choose the rest for, 4096x4096x4096 by default; the kernel\n"
     "takes any shape"},
    {"--sms", "N", "SMs of the device that is chosen for; 148 by default"},
    {"--tile", "MxNxK",
     "what a CTA, or a pair of them, computes at a time, and the K of a "
     "stage"},
    {"--cta-group", "N", "2: pairs of CTAs share their MMAs"},
    {"--consumers", "N", "MMA roles, 128 rows a CTA each: 1 or 2"},
    {"--cluster", "MxN",
     "tiles of a cluster; those along M share B, along N share A\n"
     "(multicast)"},
    {"--stages", "N", "of the ring of A and B tiles"},
    {"--accumulator-stages", "N", "accumulators of a consumer"},
    {"--epilogue-columns", "N", "of D, handled at a time"},
    {"--store-stages", "N", "of chunks on their way to D"},
    {"--residual-stages", "N", "of chunks of C on their way"},
    {"--scheduler", "NAME", "one_tile, persistent or clc"},
    {"--group", "N", "rows of tiles that are walked together"},
    {"--pdl", "", "programmatic dependent launch"},
    {"--explain", "",
     "print the choice and its reasons; with -o FILE also write the kernel"},
};

const CommandSpec spec = {
    "tirxc gen gemm [options]",
    "Writes a GEMM kernel, D = activation(alpha * A * B + beta * C + bias), "
    "as\n"
    "tirx IR for sm_100a. What no option fixes is chosen for --shape.",
    options};

constexpr Choice<DType> operandTypes[] = {
    {"f16", DType::f16},       {"bf16", DType::bf16},    {"tf32", DType::f32},
    {"e4m3", DType::f8e4m3},   {"e5m2", DType::f8e5m2},  {"f32", DType::f32},
    {"f8e4m3", DType::f8e4m3}, {"f8e5m2", DType::f8e5m2}};
constexpr Choice<DType> outputTypes[] = {
    {"f16", DType::f16}, {"bf16", DType::bf16}, {"f32", DType::f32}};
constexpr Choice<Major> majors[] = {{"K", Major::K}, {"MN", Major::MN}};
constexpr Choice<Activation> activations[] = {{"none", Activation::none},
                                              {"relu", Activation::relu},
                                              {"gelu", Activation::gelu},
                                              {"silu", Activation::silu}};
constexpr Choice<Scheduler> schedulers[] = {
    {"one_tile", Scheduler::one_tile},
    {"persistent", Scheduler::persistent},
    {"clc", Scheduler::clc}};

/// More than this is no count of anything here.
constexpr int64_t kMost = 1 << 20;

/// Reads the options of one line; the first error is kept.
class Reader {
public:
  explicit Reader(const ParsedLine &line) : line(line) {}

  template <typename T, size_t N>
  void choice(llvm::StringRef option, const Choice<T> (&known)[N], T &value) {
    if (auto text = line.value(option))
      set(parseChoice(option, *text, known), value);
  }

  void count(llvm::StringRef option, int64_t &value) {
    if (auto text = line.value(option))
      set(parseCount(option, *text), value);
  }

  /// Counts with an x between them, as many as there are values; those behind
  /// the first `least` may be missing.
  void counts(llvm::StringRef option, llvm::StringRef form, size_t least,
              std::initializer_list<int64_t *> values) {
    auto text = line.value(option);
    if (!text)
      return;
    llvm::SmallVector<llvm::StringRef> parts;
    llvm::StringRef(*text).split(parts, 'x');
    if (parts.size() < least || parts.size() > values.size()) {
      fail(rt::makeError("{}={}: {} was expected", option.str(), *text,
                         form.str()));
      return;
    }
    for (size_t i = 0; i < parts.size(); ++i)
      set(parseCount(option, parts[i]), *values.begin()[i]);
  }

  const std::optional<rt::Error> &error() const { return failure; }

private:
  static rt::Expected<int64_t> parseCount(llvm::StringRef option,
                                          llvm::StringRef text) {
    int64_t value;
    if (text.getAsInteger(10, value) || value < 1 || value > kMost)
      return rt::makeError("{}: '{}' is no integer from 1 to {}", option.str(),
                           text.str(), kMost);
    return value;
  }

  template <typename T> void set(rt::Expected<T> parsed, T &value) {
    if (parsed)
      value = *parsed;
    else
      fail(tl::unexpected(parsed.error()));
  }
  void fail(const tl::unexpected<rt::Error> &error) {
    if (!failure)
      failure = error.value();
  }

  const ParsedLine &line;
  std::optional<rt::Error> failure;
};

struct Request {
  GemmOperation operation;
  GemmSchedule wanted;
  GemmShape shape;
};

rt::Expected<Request> readRequest(const ParsedLine &line) {
  Request request;
  Reader reader(line);
  GemmOperation &op = request.operation;
  reader.choice("--dtype", operandTypes, op.a);
  op.b = op.a;
  reader.choice("--dtype-b", operandTypes, op.b);
  op.d = rt::sizeOf(op.a) == 1 ? DType::bf16 : op.a;
  reader.choice("--out-dtype", outputTypes, op.d);
  reader.choice("--a-major", majors, op.aMajor);
  reader.choice("--b-major", majors, op.bMajor);
  reader.choice("--activation", activations, op.activation);
  op.batch = line.has("--batch");
  op.alpha = line.has("--alpha");
  op.residual = line.has("--residual");
  op.bias = line.has("--bias");

  GemmShape &shape = request.shape;
  reader.counts("--shape", "MxNxK or MxNxKxL", 3,
                {&shape.m, &shape.n, &shape.k, &shape.batch});
  reader.count("--sms", shape.sms);

  GemmSchedule &s = request.wanted;
  reader.counts("--tile", "MxNxK", 3, {&s.tileM, &s.tileN, &s.tileK});
  reader.counts("--cluster", "MxN", 2, {&s.clusterM, &s.clusterN});
  reader.count("--cta-group", s.ctaGroup);
  reader.count("--consumers", s.consumers);
  reader.count("--stages", s.stages);
  reader.count("--accumulator-stages", s.accumulatorStages);
  reader.count("--epilogue-columns", s.epilogueColumns);
  reader.count("--store-stages", s.storeStages);
  reader.count("--residual-stages", s.residualStages);
  reader.count("--group", s.group);
  reader.choice("--scheduler", schedulers, s.scheduler);
  s.pdl = line.has("--pdl");
  if (reader.error())
    return tl::unexpected(*reader.error());
  if (shape.batch > 1 && !op.batch)
    return rt::makeError("--shape has a batch of {}; that goes with --batch",
                         shape.batch);
  return request;
}

rt::Expected<void> write(const std::string &path, const std::string &text) {
  if (path == "-")
    return writeStdout(text);
  return rt::writeFileAtomically(path, text.data(), text.size());
}

rt::Expected<void> genGemm(const ParsedLine &line) {
  auto request = readRequest(line);
  if (!request)
    return tl::unexpected(request.error());
  auto choice =
      kernels::chooseGemm(request->operation, request->shape, request->wanted);
  if (!choice)
    return tl::unexpected(choice.error());
  choice->config.name = line.value("--name").value_or("gemm");
  auto text = kernels::generateGemm(choice->config);
  if (!text)
    return tl::unexpected(text.error());
  const bool explain = line.has("--explain");
  if (line.has("-o") || !explain)
    if (auto done = write(line.value("-o").value_or("-"), *text); !done)
      return done;
  if (!explain)
    return {};
  std::string reasons = toString(choice->config.schedule) + "\n";
  for (const std::string &reason : choice->reasons)
    reasons += "  " + reason + "\n";
  return writeStdout(reasons);
}

} // namespace

rt::Expected<void> genCommand(Arguments arguments) {
  auto line = parseCommandLine(spec, arguments);
  if (!line)
    return tl::unexpected(line.error());
  if (line->has("--help"))
    return writeStdout(renderHelp(spec));
  auto kind = onlyOperand(line->positional, "generator");
  if (!kind)
    return tl::unexpected(kind.error());
  if (*kind != "gemm")
    return rt::makeError("'{}' is no generator; there is gemm", *kind);
  return genGemm(*line);
}

} // namespace tirx::driver
