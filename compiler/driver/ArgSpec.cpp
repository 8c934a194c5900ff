//===- ArgSpec.cpp - where an argument's value comes from -----------------===//
#include "ArgSpec.h"

#include "CommandLine.h"

#include "llvm/Support/MathExtras.h"

namespace tirx::driver {
namespace {

/// Most bytes of a tensor that tirxc makes itself, so that a mistyped shape is
/// an error and not an exhausted machine.
constexpr int64_t largestGenerated = int64_t(16) << 30;

rt::Expected<rt::DType> parseDTypeName(const std::string &name,
                                       llvm::StringRef text) {
  if (auto dtype = rt::parseDType({text.data(), text.size()}))
    return *dtype;
  return rt::makeError("--arg {}: '{}' is no dtype (f16, bf16, f32, i32, ...)",
                       name, text.str());
}

/// "256x64"; nullopt if it does not look like a shape.
std::optional<std::vector<int64_t>> parseShape(llvm::StringRef text) {
  std::vector<int64_t> shape;
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, 'x');
  for (llvm::StringRef part : parts) {
    int64_t extent;
    if (part.getAsInteger(10, extent) || extent < 0)
      return std::nullopt;
    shape.push_back(extent);
  }
  return shape;
}

rt::Expected<ArgSource> parseGenerated(const std::string &name,
                                       std::vector<int64_t> shape,
                                       llvm::StringRef rest) {
  using Fill = GeneratedTensor::Fill;
  static const Choice<Fill> fills[] = {{"random", Fill::random},
                                       {"zero", Fill::zero},
                                       {"one", Fill::one},
                                       {"poison", Fill::poison}};
  auto [dtypeText, fillText] = rest.split(':');
  auto dtype = parseDTypeName(name, dtypeText);
  if (!dtype)
    return tl::unexpected(dtype.error());
  auto fill = parseChoice("--arg " + name, fillText, fills);
  if (!fill)
    return tl::unexpected(fill.error());
  int64_t bytes = rt::sizeOf(*dtype);
  for (int64_t extent : shape)
    if (llvm::MulOverflow(bytes, extent, bytes) || bytes > largestGenerated)
      return rt::makeError(
          "--arg {}: a tensor of {} {} elements is larger than "
          "the {} bytes that tirxc makes",
          name, fmt::join(shape, "x"), rt::nameOf(*dtype), largestGenerated);
  return GeneratedTensor{std::move(shape), *dtype, *fill};
}

template <typename... Fs> struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <typename... Fs> Overloaded(Fs...) -> Overloaded<Fs...>;

} // namespace

rt::Expected<std::pair<std::string, std::string>>
splitAssignment(const std::string &option, const std::string &text) {
  auto [name, value] = llvm::StringRef(text).split('=');
  if (name.empty() || value.empty())
    return rt::makeError("{} {}: NAME=VALUE was expected", option, text);
  return std::pair(name.str(), value.str());
}

rt::Expected<ArgSource> parseArgSource(const std::string &name,
                                       const std::string &text) {
  llvm::StringRef source = text;
  if (source.ends_with(".npy"))
    return NpySource{text, std::nullopt};
  if (auto [path, dtypeText] = source.rsplit(':'); path.ends_with(".npy")) {
    auto dtype = parseDTypeName(name, dtypeText);
    if (!dtype)
      return tl::unexpected(dtype.error());
    return NpySource{path.str(), *dtype};
  }
  constexpr llvm::StringLiteral extension(".safetensors");
  if (source.ends_with(extension))
    return rt::makeError("--arg {}: '{}' needs the name of a tensor: "
                         "FILE.safetensors:TENSOR",
                         name, text);
  if (size_t at = source.find(".safetensors:"); at != llvm::StringRef::npos)
    return SafetensorsSource{
        source.take_front(at + extension.size()).str(),
        source.drop_front(at + extension.size() + 1).str()};
  if (size_t colon = source.find(':'); colon != llvm::StringRef::npos)
    if (auto shape = parseShape(source.take_front(colon)))
      return parseGenerated(name, std::move(*shape),
                            source.drop_front(colon + 1));
  int64_t integer;
  if (!source.getAsInteger(0, integer))
    return rt::ScalarArg(integer);
  double number;
  if (!source.getAsDouble(number))
    return rt::ScalarArg(number);
  return rt::makeError("--arg {}: '{}' is neither FILE.npy[:DTYPE], "
                       "FILE.safetensors:TENSOR, SHAPE:DTYPE:FILL (such as "
                       "256x64:f16:random) nor a number",
                       name, text);
}

rt::Expected<rt::HostTensor> makeTensor(const ArgSource &source,
                                        uint64_t seed) {
  using Fill = GeneratedTensor::Fill;
  return std::visit(
      Overloaded{
          [](const NpySource &s) { return rt::readNpy(s.path, s.reinterpret); },
          [](const SafetensorsSource &s) {
            return rt::readSafetensors(s.path, s.tensor);
          },
          [&](const GeneratedTensor &s) -> rt::Expected<rt::HostTensor> {
            if (s.fill == Fill::random)
              return rt::randomNormal(s.dtype, s.shape, seed);
            rt::HostTensor tensor = rt::poisoned(s.dtype, s.shape);
            if (s.fill != Fill::poison) {
              unsigned size = rt::sizeOf(s.dtype);
              for (size_t at = 0; at < tensor.bytes.size(); at += size)
                rt::fromDouble(s.dtype, s.fill == Fill::one ? 1 : 0,
                               &tensor.bytes[at]);
            }
            return tensor;
          },
          [](const rt::ScalarArg &) -> rt::Expected<rt::HostTensor> {
            return rt::makeError("a number is no tensor");
          }},
      source);
}

} // namespace tirx::driver
