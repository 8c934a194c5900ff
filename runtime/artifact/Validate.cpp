//===- Validate.cpp - what readers of an artifact may rely on ---*- C++ -*-===//
#include "artifact/Names.h"
#include "tirx/Runtime/Artifact.h"
#include "tirx/Runtime/Limits.h"

#include <bit>
#include <set>

using namespace tirx::rt;

namespace {

constexpr std::string_view kTiled = "cuTensorMapEncodeTiled";

/// Checks one kernel; the first problem found is the result.
class KernelValidator {
public:
  explicit KernelValidator(const Kernel &kernel) : kernel(kernel) {}

  Expected<void> run() {
    if (kernel.name.empty())
      return makeError("a kernel has an empty name");
    arguments();
    for (size_t i = 0; i < kernel.parameters.size(); ++i)
      parameter(kernel.parameters[i], fmt::format("parameters[{}]", i));
    for (size_t i = 0; i < kernel.checks.size(); ++i)
      expression(kernel.checks[i].condition, fmt::format("checks[{}]", i));
    for (size_t i = 0; i < 3; ++i)
      expression(kernel.grid[i], fmt::format("grid[{}]", i));
    launchShape();
    if (failure.empty())
      return {};
    return tl::unexpected(
        Error{fmt::format("kernel '{}': {}", kernel.name, failure)});
  }

private:
  const Kernel &kernel;
  std::string failure;

  template <typename... Args>
  void fail(fmt::format_string<Args...> format, Args &&...args) {
    if (failure.empty())
      failure = fmt::format(format, std::forward<Args>(args)...);
  }

  void arguments() {
    std::set<std::string_view> names;
    for (const Argument &argument : kernel.arguments) {
      if (argument.name.empty())
        fail("an argument has an empty name");
      if (!names.insert(argument.name).second)
        fail("two arguments are named '{}'", argument.name);
      if (argument.kind == Argument::Kind::scalar) {
        if (!argument.shape.empty())
          fail("argument '{}': a scalar has no shape", argument.name);
        continue;
      }
      for (size_t axis = 0; axis < argument.shape.size(); ++axis)
        if (argument.shape[axis].value_or(0) < 0)
          fail("argument '{}': extent of axis {} is {}, must not be negative",
               argument.name, axis, *argument.shape[axis]);
      if (!std::has_single_bit(argument.alignment) ||
          argument.alignment > kMaxArgumentAlignment)
        fail("argument '{}': alignment {} is not a power of two up to {}",
             argument.name, argument.alignment, kMaxArgumentAlignment);
    }
  }

  const Argument *argumentOf(unsigned index, Argument::Kind kind,
                             std::string_view where) {
    if (index >= kernel.arguments.size()) {
      fail("{}: argument {}, but the kernel has {}", where, index,
           kernel.arguments.size());
      return nullptr;
    }
    const Argument &argument = kernel.arguments[index];
    if (argument.kind != kind) {
      fail("{}: argument '{}' is a {}, expected a {}", where, argument.name,
           nameOfEnum(argument.kind), nameOfEnum(kind));
      return nullptr;
    }
    return &argument;
  }

  void expression(const HostExpr &expr, const std::string &where,
                  unsigned depth = 1) {
    using Kind = HostExpr::Kind;
    if (!failure.empty())
      return;
    if (depth > kMaxExprDepth)
      return fail("{}: expression deeper than {} levels", where, kMaxExprDepth);
    const size_t count = operandCount(expr.kind);
    if (expr.operands.size() != count)
      return fail("{}: {} has {} operands, expected {}", where,
                  nameOfEnum(expr.kind), expr.operands.size(), count);
    if (expr.kind == Kind::dim || expr.kind == Kind::stride) {
      const Argument *argument =
          argumentOf(expr.argument, Argument::Kind::tensor, where);
      if (argument && expr.axis >= argument->shape.size())
        fail("{}: axis {} of argument '{}', which has rank {}", where,
             expr.axis, argument->name, argument->shape.size());
    } else if (expr.kind == Kind::scalar) {
      const Argument *argument =
          argumentOf(expr.argument, Argument::Kind::scalar, where);
      if (argument && isFloat(argument->dtype))
        fail("{}: argument '{}' is {}, expressions take integers only", where,
             argument->name, nameOf(argument->dtype));
    }
    for (const HostExpr &operand : expr.operands)
      expression(operand, where, depth + 1);
  }

  void parameter(const Parameter &parameter, const std::string &where) {
    switch (parameter.kind) {
    case Parameter::Kind::pointer:
      argumentOf(parameter.argument, Argument::Kind::tensor, where);
      return;
    case Parameter::Kind::scalar:
      argumentOf(parameter.argument, Argument::Kind::scalar, where);
      return;
    case Parameter::Kind::value:
      if (!std::has_single_bit(parameter.bytes) || parameter.bytes > 8)
        fail("{}: {} bytes, expected 1, 2, 4 or 8", where, parameter.bytes);
      return expression(parameter.expr, where);
    case Parameter::Kind::tensor_map:
      return tensorMap(parameter.tensor_map, where);
    }
    fail("{}: invalid kind", where);
  }

  /// The limits that hold for every launch; extents and strides, which are
  /// known at launch only, are resolveLaunch's to check.
  void tensorMap(const TensorMapRecipe &map, const std::string &where) {
    if (!argumentOf(map.argument, Argument::Kind::tensor, where))
      return;
    const size_t rank = map.global_dim.size();
    if (rank < 1 || rank > kMaxTensorMapRank)
      return fail("{}: rank {} is not in 1..{} ({})", where, rank,
                  kMaxTensorMapRank, kTiled);
    const std::tuple<std::string_view, size_t, size_t> lengths[] = {
        {"global_stride", map.global_stride.size(), rank - 1},
        {"box_dim", map.box_dim.size(), rank},
        {"element_stride", map.element_stride.size(), rank}};
    for (const auto &[name, length, expected] : lengths)
      if (length != expected)
        return fail("{}: {} has {} entries, expected {} for rank {}", where,
                    name, length, expected, rank);
    for (size_t axis = 0; axis < rank; ++axis) {
      if (map.box_dim[axis] < 1 || map.box_dim[axis] > kMaxTensorMapBoxDim)
        return fail("{}: box_dim[{}] = {} is not in 1..{} ({})", where, axis,
                    map.box_dim[axis], kMaxTensorMapBoxDim, kTiled);
      if (map.element_stride[axis] < 1 ||
          map.element_stride[axis] > kMaxTensorMapElementStride)
        return fail("{}: element_stride[{}] = {} is not in 1..{} ({})", where,
                    axis, map.element_stride[axis], kMaxTensorMapElementStride,
                    kTiled);
    }
    const uint32_t innerBytes = map.box_dim[0] * sizeOf(map.dtype);
    if (innerBytes % kTensorMapAlignment != 0)
      return fail("{}: box_dim[0] = {} elements of {} are {} bytes, must be a "
                  "multiple of {} ({})",
                  where, map.box_dim[0], nameOf(map.dtype), innerBytes,
                  kTensorMapAlignment, kTiled);
    if (const uint32_t width = swizzleBytes(map.swizzle);
        width != 0 && innerBytes > width)
      return fail("{}: box_dim[0] = {} elements of {} are {} bytes, more than "
                  "the swizzle's {} ({})",
                  where, map.box_dim[0], nameOf(map.dtype), innerBytes, width,
                  kTiled);
    // The driver has no f8 type: f8 tensors are encoded as bytes.
    if (map.oob_fill == TensorMapRecipe::OobFill::nan &&
        (!isFloat(map.dtype) || sizeOf(map.dtype) == 1))
      return fail(
          "{}: out-of-bounds fill with NaN needs f16, bf16, f32 or f64, "
          "not {} ({})",
          where, nameOf(map.dtype), kTiled);
    for (const HostExpr &expr : map.global_dim)
      expression(expr, where + ".global_dim");
    for (const HostExpr &expr : map.global_stride)
      expression(expr, where + ".global_stride");
  }

  void launchShape() {
    uint64_t threads = 1, ctas = 1;
    for (size_t i = 0; i < 3; ++i) {
      if (kernel.block[i] < 1 || kernel.block[i] > kMaxBlockDim[i])
        fail("block[{}] = {} is not in 1..{} (CUDA's limit of a block)", i,
             kernel.block[i], kMaxBlockDim[i]);
      if (kernel.cluster[i] < 1 || kernel.cluster[i] > kMaxClusterCtas)
        fail("cluster[{}] = {} is not in 1..{} (sm_90 and later)", i,
             kernel.cluster[i], kMaxClusterCtas);
      threads *= kernel.block[i];
      ctas *= kernel.cluster[i];
    }
    if (threads > kMaxBlockThreads)
      fail("block {} x {} x {} has {} threads, more than {} (CUDA's limit of a "
           "block)",
           kernel.block[0], kernel.block[1], kernel.block[2], threads,
           kMaxBlockThreads);
    if (ctas > kMaxClusterCtas)
      fail("cluster {} x {} x {} has {} CTAs, more than {} (the non-portable "
           "limit of sm_90 and sm_100)",
           kernel.cluster[0], kernel.cluster[1], kernel.cluster[2], ctas,
           kMaxClusterCtas);
    if (kernel.dynamic_shared_bytes > kMaxSharedBytes)
      fail("{} bytes of dynamic shared memory, more than {} (227 KiB a CTA, "
           "sm_90a and sm_100a)",
           kernel.dynamic_shared_bytes, kMaxSharedBytes);
  }
};

/// RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
bool isUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const size_t length = lead < 0x80   ? 1
                          : lead < 0xC2 ? 0
                          : lead < 0xE0 ? 2
                          : lead < 0xF0 ? 3
                          : lead < 0xF5 ? 4
                                        : 0;
    if (length == 0 || text.size() - i < length)
      return false;
    for (size_t k = 1; k < length; ++k) {
      const auto byte = static_cast<unsigned char>(text[i + k]);
      unsigned char low = 0x80, high = 0xBF;
      if (k == 1) {
        low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : low;
        high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : high;
      }
      if (byte < low || byte > high)
        return false;
    }
    i += length;
  }
  return true;
}

Expected<void> validateText(const Artifact &artifact) {
  const auto check = [](std::string_view text,
                        std::string_view what) -> Expected<void> {
    if (isUtf8(text))
      return {};
    return makeError("{} is not valid UTF-8", what);
  };
  auto result = check(artifact.compiler, "the compiler's name").and_then([&] {
    return check(artifact.source, "source");
  });
  for (const Kernel &kernel : artifact.kernels) {
    result =
        result.and_then([&] { return check(kernel.name, "a kernel's name"); });
    for (const Argument &argument : kernel.arguments)
      result = result.and_then(
          [&] { return check(argument.name, "an argument's name"); });
    for (const LaunchCheck &launchCheck : kernel.checks)
      result = result.and_then(
          [&] { return check(launchCheck.message, "a check's message"); });
    for (const TargetCode &code : kernel.codes)
      result = result.and_then(
          [&] { return check(code.target, "a target's name"); });
  }
  return result;
}

Expected<void> validateCodes(const Kernel &kernel) {
  if (kernel.codes.empty())
    return makeError("kernel '{}': has no code for any target", kernel.name);
  std::set<std::string_view> targets;
  for (const TargetCode &code : kernel.codes) {
    if (code.target.empty())
      return makeError("kernel '{}': a target has an empty name", kernel.name);
    if (!targets.insert(code.target).second)
      return makeError("kernel '{}': two codes for {}", kernel.name,
                       code.target);
    if (code.ptx.empty() && code.cubin.empty())
      return makeError("kernel '{}': neither PTX nor a cubin for {}",
                       kernel.name, code.target);
  }
  return {};
}

} // namespace

Expected<void> tirx::rt::validateKernel(const Kernel &kernel) {
  return KernelValidator(kernel).run();
}

Expected<void> tirx::rt::validateArtifact(const Artifact &artifact) {
  if (const auto text = validateText(artifact); !text)
    return text;
  std::set<std::string_view> names;
  for (const Kernel &kernel : artifact.kernels) {
    if (const auto valid = validateKernel(kernel); !valid)
      return valid;
    if (!names.insert(kernel.name).second)
      return makeError("two kernels are named '{}'", kernel.name);
    if (const auto valid = validateCodes(kernel); !valid)
      return valid;
  }
  return {};
}
