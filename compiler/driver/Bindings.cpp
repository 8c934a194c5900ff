//===- Bindings.cpp - values for a kernel's arguments ---------------------===//
#include "Bindings.h"

#include <fmt/ranges.h>

namespace tirx::driver {
namespace {

using Kind = rt::HostExpr::Kind;
/// Extents by argument index; nullopt where not known yet.
using Shapes = std::vector<std::vector<std::optional<int64_t>>>;

std::optional<int64_t> extentOf(const rt::HostExpr &expr,
                                const Shapes &shapes) {
  if (expr.kind == Kind::constant)
    return expr.value;
  if (expr.kind == Kind::dim && expr.argument < shapes.size() &&
      expr.axis < shapes[expr.argument].size())
    return shapes[expr.argument][expr.axis];
  return std::nullopt;
}

/// Fills in extents that an equality of a launch check decides. True if it did.
bool deduce(const rt::HostExpr &condition, Shapes &shapes) {
  if (condition.operands.size() != 2)
    return false;
  const rt::HostExpr &left = condition.operands[0];
  const rt::HostExpr &right = condition.operands[1];
  if (condition.kind == Kind::logical_and) {
    bool first = deduce(left, shapes), second = deduce(right, shapes);
    return first || second;
  }
  if (condition.kind != Kind::eq)
    return false;
  auto decide = [&](const rt::HostExpr &unknown, const rt::HostExpr &known) {
    if (unknown.kind != Kind::dim || extentOf(unknown, shapes) ||
        unknown.argument >= shapes.size() ||
        unknown.axis >= shapes[unknown.argument].size())
      return false;
    auto extent = extentOf(known, shapes);
    if (!extent || *extent < 0)
      return false;
    shapes[unknown.argument][unknown.axis] = extent;
    return true;
  };
  return decide(left, right) || decide(right, left);
}

std::string describeShape(const rt::Argument &argument) {
  std::string text;
  for (const std::optional<int64_t> &extent : argument.shape)
    text += (extent ? fmt::to_string(*extent) : "?") + "x";
  return text + std::string(rt::nameOf(argument.dtype));
}

std::string describe(const rt::Argument &argument) {
  if (argument.kind == rt::Argument::Kind::scalar)
    return std::string(rt::nameOf(argument.dtype));
  return describeShape(argument);
}

} // namespace

std::string describeArguments(const rt::Kernel &kernel) {
  std::vector<std::string> items;
  for (const rt::Argument &argument : kernel.arguments)
    items.push_back(argument.name + ": " + describe(argument));
  return fmt::format("{}", fmt::join(items, ", "));
}

rt::Expected<const rt::Kernel *> selectKernel(const rt::Artifact &artifact,
                                              const std::string &name) {
  if (name.empty() && artifact.kernels.size() == 1)
    return &artifact.kernels.front();
  std::vector<std::string> names;
  for (const rt::Kernel &kernel : artifact.kernels) {
    if (kernel.name == name)
      return &kernel;
    names.push_back(kernel.name);
  }
  if (name.empty())
    return rt::makeError("there are {} kernels; choose one with --kernel: {}",
                         names.size(), fmt::join(names, ", "));
  return rt::makeError("there is no kernel '{}'; there are: {}", name,
                       fmt::join(names, ", "));
}

rt::Expected<Bindings>
bindArguments(const rt::Kernel &kernel,
              const std::map<std::string, ArgSource> &sources, uint64_t seed) {
  std::map<std::string, unsigned> indices;
  Shapes shapes;
  for (unsigned index = 0; index < kernel.arguments.size(); ++index) {
    indices[kernel.arguments[index].name] = index;
    shapes.push_back(kernel.arguments[index].shape);
  }

  Bindings bindings;
  for (const auto &[name, source] : sources) {
    auto it = indices.find(name);
    if (it == indices.end())
      return rt::makeError("--arg {}: kernel '{}' has no such argument; it has "
                           "{}",
                           name, kernel.name, describeArguments(kernel));
    const rt::Argument &argument = kernel.arguments[it->second];
    const auto *scalar = std::get_if<rt::ScalarArg>(&source);
    bool wantsScalar = argument.kind == rt::Argument::Kind::scalar;
    if (wantsScalar != (scalar != nullptr))
      return rt::makeError(
          "--arg {}: argument '{}' of kernel '{}' is a {} ({}), "
          "but a {} was given",
          name, name, kernel.name, wantsScalar ? "scalar" : "tensor",
          describe(argument), wantsScalar ? "tensor" : "number");
    if (scalar) {
      bindings.emplace(name, *scalar);
      continue;
    }
    auto tensor = makeTensor(source, seed + it->second);
    if (!tensor)
      return rt::addContext("--arg " + name, tensor.error());
    std::vector<std::optional<int64_t>> &shape = shapes[it->second];
    shape.assign(tensor->shape.begin(), tensor->shape.end());
    bindings.emplace(name, std::move(*tensor));
  }

  for (bool changed = true; changed;) {
    changed = false;
    for (const rt::LaunchCheck &check : kernel.checks)
      changed |= deduce(check.condition, shapes);
  }

  for (const rt::Argument &argument : kernel.arguments) {
    if (bindings.count(argument.name))
      continue;
    if (argument.kind == rt::Argument::Kind::scalar ||
        argument.access != rt::Argument::Access::write)
      return rt::makeError("argument '{}' ({}) of kernel '{}' needs a value: "
                           "--arg {}=...",
                           argument.name, describe(argument), kernel.name,
                           argument.name);
    std::vector<int64_t> shape;
    for (auto &extent : shapes[indices[argument.name]])
      if (extent)
        shape.push_back(*extent);
    if (shape.size() != argument.shape.size())
      return rt::makeError(
          "the shape of output '{}' ({}) of kernel '{}' does not follow from "
          "the "
          "other arguments; give it as --arg {}=SHAPE:{}:poison",
          argument.name, describe(argument), kernel.name, argument.name,
          rt::nameOf(argument.dtype));
    bindings.emplace(argument.name, rt::poisoned(argument.dtype, shape));
  }
  return bindings;
}

} // namespace tirx::driver
