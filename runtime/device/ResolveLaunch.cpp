//===- ResolveLaunch.cpp - a launch with everything evaluated ---*- C++ -*-===//
#include "device/BindArguments.h"
#include "device/Evaluate.h"
#include "tirx/Runtime/Device.h"
#include "tirx/Runtime/Limits.h"

#include <cstring>

using namespace tirx::rt;

namespace {

constexpr std::string_view kTiled = "cuTensorMapEncodeTiled";
constexpr std::array<char, 3> kAxisNames = {'x', 'y', 'z'};

class Resolver {
public:
  Resolver(const Kernel &kernel, const std::vector<BoundArgument> &arguments,
           uint32_t smCount)
      : kernel(kernel), arguments(arguments), smCount(smCount) {}

  Expected<ResolvedLaunch> run() {
    return checks()
        .and_then([&] { return grid(); })
        .and_then([&] { return parameters(); })
        .map([&] {
          launch.block = kernel.block;
          launch.cluster = kernel.cluster;
          launch.dynamic_shared_bytes = kernel.dynamic_shared_bytes;
          for (const BoundArgument &argument : arguments)
            launch.ranges.push_back(
                {argument.bytes ? argument.data : nullptr, argument.bytes});
          return std::move(launch);
        });
  }

private:
  const Kernel &kernel;
  const std::vector<BoundArgument> &arguments;
  const uint32_t smCount;
  ResolvedLaunch launch = {};

  Expected<int64_t> value(const HostExpr &expr, const std::string &what) const {
    auto result = evaluate(expr, kernel, arguments, smCount);
    if (!result)
      return addContext(what, result.error());
    return result;
  }

  Expected<void> checks() const {
    for (const LaunchCheck &check : kernel.checks) {
      const auto holds = value(check.condition, "launch check");
      if (!holds)
        return tl::unexpected(holds.error());
      if (*holds == 0)
        return makeError("launch check failed: {} (condition {})",
                         check.message, toString(check.condition, kernel));
    }
    return {};
  }

  Expected<void> grid() {
    for (size_t i = 0; i < 3; ++i) {
      const std::string what = fmt::format("grid.{}", kAxisNames[i]);
      const auto size = value(kernel.grid[i], what);
      if (!size)
        return tl::unexpected(size.error());
      if (*size < 1 || *size > kMaxGridDim[i])
        return makeError("{} = {} = {}, must be in 1..{} (CUDA's limit of a "
                         "grid)",
                         what, toString(kernel.grid[i], kernel), *size,
                         kMaxGridDim[i]);
      if (*size % kernel.cluster[i] != 0)
        return makeError("{} = {} = {}, must be a multiple of cluster.{} = {}",
                         what, toString(kernel.grid[i], kernel), *size,
                         kAxisNames[i], kernel.cluster[i]);
      launch.grid[i] = static_cast<uint32_t>(*size);
    }
    return {};
  }

  /// Room for a parameter at its natural alignment.
  std::byte *place(size_t bytes, size_t alignment) {
    const size_t offset =
        (launch.parameters.size() + alignment - 1) / alignment * alignment;
    launch.parameter_offsets.push_back(offset);
    launch.parameters.resize(offset + bytes);
    return launch.parameters.data() + offset;
  }

  Expected<void> parameters() {
    for (size_t i = 0; i < kernel.parameters.size(); ++i)
      if (const auto placed = parameter(kernel.parameters[i], i); !placed)
        return placed;
    if (launch.parameters.size() > kMaxParameterBytes)
      return makeError("{} bytes of parameters, more than {} (PTX ISA, kernel "
                       "parameters)",
                       launch.parameters.size(), kMaxParameterBytes);
    return {};
  }

  Expected<void> parameter(const Parameter &parameter, size_t index) {
    switch (parameter.kind) {
    case Parameter::Kind::pointer: {
      const auto address =
          reinterpret_cast<uint64_t>(arguments[parameter.argument].data);
      std::memcpy(place(8, 8), &address, 8);
      return {};
    }
    case Parameter::Kind::scalar: {
      const unsigned bytes = sizeOf(kernel.arguments[parameter.argument].dtype);
      std::memcpy(place(bytes, bytes),
                  arguments[parameter.argument].scalar_bytes.data(), bytes);
      return {};
    }
    case Parameter::Kind::value: {
      const std::string what = fmt::format("parameter {}", index);
      const auto integer = value(parameter.expr, what);
      if (!integer)
        return tl::unexpected(integer.error());
      if (!fits(*integer, parameter.bytes))
        return makeError("{} = {} = {} does not fit {} bytes", what,
                         toString(parameter.expr, kernel), *integer,
                         parameter.bytes);
      std::memcpy(place(parameter.bytes, parameter.bytes), &*integer,
                  parameter.bytes);
      return {};
    }
    case Parameter::Kind::tensor_map:
      place(kTensorMapBytes, kTensorMapParameterAlignment);
      return tensorMap(parameter.tensor_map, static_cast<unsigned>(index));
    }
    return makeError("parameter {}: invalid kind", index);
  }

  /// As a signed or as an unsigned integer: PTX types have no sign.
  static bool fits(int64_t value, unsigned bytes) {
    if (bytes == 8)
      return true;
    const int64_t limit = int64_t(1) << (8 * bytes);
    return value >= -limit / 2 && value < limit;
  }

  Expected<void> tensorMap(const TensorMapRecipe &recipe, unsigned index) {
    const Argument &argument = kernel.arguments[recipe.argument];
    const BoundArgument &bound = arguments[recipe.argument];
    const std::string what =
        fmt::format("tensor map of argument '{}'", argument.name);
    ResolvedLaunch::TensorMap map = {index, bound.data, {}, {}};
    const auto address = reinterpret_cast<uintptr_t>(bound.data);
    if (address % kTensorMapAlignment != 0)
      return makeError("{}: address {:#x} is not a multiple of {} bytes ({})",
                       what, address, kTensorMapAlignment, kTiled);
    for (size_t axis = 0; axis < recipe.global_dim.size(); ++axis) {
      const auto dim = value(recipe.global_dim[axis], what);
      if (!dim)
        return tl::unexpected(dim.error());
      if (*dim < 1 || *dim > kMaxTensorMapDim)
        return makeError("{}: extent {} = {} = {}, must be in 1..2^32 ({})",
                         what, axis, toString(recipe.global_dim[axis], kernel),
                         *dim, kTiled);
      map.global_dim.push_back(static_cast<uint64_t>(*dim));
    }
    for (size_t axis = 0; axis < recipe.global_stride.size(); ++axis) {
      const auto stride = value(recipe.global_stride[axis], what);
      if (!stride)
        return tl::unexpected(stride.error());
      if (*stride < 0 || *stride >= kTensorMapStrideLimit ||
          *stride % kTensorMapAlignment != 0)
        return makeError("{}: stride {} = {} = {} bytes, must be a multiple of "
                         "{} below 2^40 ({})",
                         what, axis + 1,
                         toString(recipe.global_stride[axis], kernel), *stride,
                         kTensorMapAlignment, kTiled);
      map.global_stride.push_back(static_cast<uint64_t>(*stride));
    }
    launch.tensor_maps.push_back(std::move(map));
    return {};
  }
};

Expected<ResolvedLaunch> resolve(const Kernel &kernel, const ArgMap &args,
                                 uint32_t smCount) {
  const auto arguments = bindArguments(kernel, args);
  if (!arguments)
    return tl::unexpected(arguments.error());
  return Resolver(kernel, *arguments, smCount).run();
}

} // namespace

Expected<ResolvedLaunch> tirx::rt::resolveLaunch(const Kernel &kernel,
                                                 const ArgMap &args,
                                                 uint32_t smCount) {
  if (const auto valid = validateKernel(kernel); !valid)
    return tl::unexpected(valid.error());
  auto launch = resolve(kernel, args, smCount);
  if (!launch)
    return makeError("{} (kernel {})", launch.error().message, kernel.name);
  return launch;
}
