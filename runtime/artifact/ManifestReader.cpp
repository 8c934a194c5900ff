//===- ManifestReader.cpp - JSON to artifact --------------------*- C++ -*-===//
#include "artifact/Manifest.h"
#include "artifact/Names.h"

#include <algorithm>
#include <initializer_list>
#include <limits>

using namespace tirx::rt;
using nlohmann::json;

namespace {

/// The first thing found wrong. Later reads give defaults and report nothing,
/// so the reading code below needs no check after each step.
struct Failure {
  std::string message;
  bool failed() const { return !message.empty(); }
};

/// One JSON value and the path to it, "kernels[0].arguments[2].dtype".
class Value {
public:
  Value(const json &value, std::string path, Failure &failure)
      : value(&value), path(std::move(path)), failure(failure) {}

  /// An object with no other fields than these.
  void expectObject(std::initializer_list<std::string_view> fields) const {
    if (!value->is_object())
      return fail("expected an object, got {}", value->type_name());
    for (const auto &[key, unused] : value->items())
      if (std::find(fields.begin(), fields.end(), key) == fields.end())
        return fail("unknown field \"{}\"", key);
  }

  Value field(std::string_view name) const {
    static const json missing;
    std::string fieldPath =
        path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
    if (value->is_object())
      if (const auto found = value->find(name); found != value->end())
        return Value(*found, std::move(fieldPath), failure);
    fail("lacks the field \"{}\"", name);
    return Value(missing, std::move(fieldPath), failure);
  }

  bool has(std::string_view name) const {
    return value->is_object() && value->contains(name);
  }

  /// The only field of an object that has one.
  std::pair<std::string, Value> onlyField() const {
    if (!value->is_object() || value->size() != 1) {
      fail("expected an integer or an object with one field, got {}",
           value->is_object() ? fmt::format("{} fields", value->size())
                              : value->type_name());
      return {"", *this};
    }
    const auto first = value->begin();
    return {
        first.key(),
        Value(first.value(), fmt::format("{}.{}", path, first.key()), failure)};
  }

  std::vector<Value> elements() const {
    if (!value->is_array()) {
      fail("expected an array, got {}", value->type_name());
      return {};
    }
    std::vector<Value> result;
    for (size_t i = 0; i < value->size(); ++i)
      result.emplace_back((*value)[i], fmt::format("{}[{}]", path, i), failure);
    return result;
  }

  std::vector<Value> elements(size_t count) const {
    auto result = elements();
    if (result.size() == count || failure.failed())
      return failure.failed() ? std::vector<Value>() : result;
    fail("expected {} elements, got {}", count, result.size());
    return {};
  }

  bool isNull() const { return value->is_null(); }
  bool isInteger() const { return value->is_number_integer(); }

  std::string asString() const {
    if (!value->is_string()) {
      fail("expected a string, got {}", value->type_name());
      return {};
    }
    return value->get<std::string>();
  }

  bool asBool() const {
    if (!value->is_boolean()) {
      fail("expected true or false, got {}", value->type_name());
      return false;
    }
    return value->get<bool>();
  }

  /// An integer that T holds and that is at least `minimum`.
  template <typename T>
  T asInteger(T minimum = std::numeric_limits<T>::min()) const {
    if (!value->is_number_integer()) {
      fail("expected an integer, got {}",
           value->is_number() ? value->dump() : value->type_name());
      return minimum;
    }
    constexpr T maximum = std::numeric_limits<T>::max();
    const bool aboveInt64 =
        value->is_number_unsigned() &&
        value->get<uint64_t>() >
            static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    const bool fits =
        aboveInt64 ? value->get<uint64_t>() <= static_cast<uint64_t>(maximum)
                   : std::in_range<T>(value->get<int64_t>()) &&
                         value->get<T>() >= minimum;
    if (!fits) {
      fail("{} is not in {}..{}", value->dump(), minimum, maximum);
      return minimum;
    }
    return value->get<T>();
  }

  template <typename Enum> Enum asEnum() const {
    const std::string name = asString();
    if (const auto result = parseEnum<Enum>(name))
      return *result;
    fail("unknown {} \"{}\"; known: {}", EnumNames<Enum>::what, name,
         fmt::join(EnumNames<Enum>::names, ", "));
    return {};
  }

  DType asDType() const {
    const std::string name = asString();
    if (const auto dtype = parseDType(name))
      return *dtype;
    fail("unknown dtype \"{}\"", name);
    return {};
  }

  bool failed() const { return failure.failed(); }

  template <typename... Args>
  void fail(fmt::format_string<Args...> format, Args &&...args) const {
    if (failure.failed())
      return;
    const std::string what = fmt::format(format, std::forward<Args>(args)...);
    failure.message = path.empty() ? what : fmt::format("{}: {}", path, what);
  }

private:
  const json *value;
  std::string path;
  Failure &failure;
};

HostExpr readExpr(const Value &value, unsigned depth = 1) {
  using Kind = HostExpr::Kind;
  HostExpr expr;
  if (depth > kMaxExprDepth) {
    value.fail("expression deeper than {} levels", kMaxExprDepth);
    return expr;
  }
  if (value.isInteger()) {
    expr.value = value.asInteger<int64_t>();
    return expr;
  }
  const auto [name, contents] = value.onlyField();
  if (value.failed())
    return expr;
  const auto kind = parseEnum<Kind>(name);
  if (!kind || *kind == Kind::constant) {
    value.fail("unknown expression \"{}\"", name);
    return expr;
  }
  expr.kind = *kind;
  if (expr.kind == Kind::scalar) {
    expr.argument = contents.asInteger<unsigned>();
  } else if (expr.kind == Kind::dim || expr.kind == Kind::stride) {
    const auto pair = contents.elements(2);
    if (pair.size() == 2) {
      expr.argument = pair[0].asInteger<unsigned>();
      expr.axis = pair[1].asInteger<unsigned>();
    }
  } else {
    for (const Value &operand : contents.elements(operandCount(expr.kind)))
      expr.operands.push_back(readExpr(operand, depth + 1));
  }
  return expr;
}

std::vector<HostExpr> readExprs(const Value &value) {
  std::vector<HostExpr> result;
  for (const Value &element : value.elements())
    result.push_back(readExpr(element));
  return result;
}

std::vector<uint32_t> readU32s(const Value &value) {
  std::vector<uint32_t> result;
  for (const Value &element : value.elements())
    result.push_back(element.asInteger<uint32_t>());
  return result;
}

std::array<uint32_t, 3> readDim3(const Value &value) {
  std::array<uint32_t, 3> result = {};
  const auto elements = value.elements(3);
  for (size_t i = 0; i < elements.size(); ++i)
    result[i] = elements[i].asInteger<uint32_t>();
  return result;
}

Argument readArgument(const Value &value) {
  Argument argument;
  argument.name = value.field("name").asString();
  argument.kind = value.field("kind").asEnum<Argument::Kind>();
  argument.dtype = value.field("dtype").asDType();
  if (argument.kind == Argument::Kind::scalar) {
    value.expectObject({"name", "kind", "dtype"});
    return argument;
  }
  value.expectObject(
      {"name", "kind", "dtype", "shape", "contiguous", "alignment", "access"});
  for (const Value &extent : value.field("shape").elements())
    argument.shape.push_back(
        extent.isNull() ? std::nullopt
                        : std::optional<int64_t>(extent.asInteger<int64_t>(0)));
  argument.contiguous = value.field("contiguous").asBool();
  argument.alignment = value.field("alignment").asInteger<unsigned>(1);
  argument.access = value.field("access").asEnum<Argument::Access>();
  return argument;
}

TensorMapRecipe readTensorMap(const Value &value) {
  value.expectObject({"argument", "dtype", "global_dim", "global_stride",
                      "box_dim", "element_stride", "swizzle", "l2_promotion",
                      "oob_fill"});
  TensorMapRecipe recipe;
  recipe.argument = value.field("argument").asInteger<unsigned>();
  recipe.dtype = value.field("dtype").asDType();
  recipe.global_dim = readExprs(value.field("global_dim"));
  recipe.global_stride = readExprs(value.field("global_stride"));
  recipe.box_dim = readU32s(value.field("box_dim"));
  recipe.element_stride = readU32s(value.field("element_stride"));
  recipe.swizzle = value.field("swizzle").asEnum<TensorMapRecipe::Swizzle>();
  recipe.l2_promotion =
      value.field("l2_promotion").asEnum<TensorMapRecipe::L2Promotion>();
  recipe.oob_fill = value.field("oob_fill").asEnum<TensorMapRecipe::OobFill>();
  return recipe;
}

Parameter readParameter(const Value &value) {
  Parameter parameter;
  parameter.kind = value.field("kind").asEnum<Parameter::Kind>();
  switch (parameter.kind) {
  case Parameter::Kind::pointer:
  case Parameter::Kind::scalar:
    value.expectObject({"kind", "argument"});
    parameter.argument = value.field("argument").asInteger<unsigned>();
    break;
  case Parameter::Kind::value:
    value.expectObject({"kind", "bytes", "expr"});
    parameter.bytes = value.field("bytes").asInteger<unsigned>();
    parameter.expr = readExpr(value.field("expr"));
    break;
  case Parameter::Kind::tensor_map:
    value.expectObject({"kind", "tensor_map"});
    parameter.tensor_map = readTensorMap(value.field("tensor_map"));
    break;
  }
  return parameter;
}

ResourceReport readResources(const Value &value) {
  value.expectObject({"registers", "stack_bytes", "spill_store_bytes",
                      "spill_load_bytes", "static_shared_bytes",
                      "named_barriers"});
  ResourceReport report;
  report.registers = value.field("registers").asInteger<unsigned>();
  report.stack_bytes = value.field("stack_bytes").asInteger<unsigned>();
  report.spill_store_bytes =
      value.field("spill_store_bytes").asInteger<unsigned>();
  report.spill_load_bytes =
      value.field("spill_load_bytes").asInteger<unsigned>();
  report.static_shared_bytes =
      value.field("static_shared_bytes").asInteger<unsigned>();
  report.named_barriers = value.field("named_barriers").asInteger<unsigned>();
  return report;
}

/// Hands out sections by index, each once.
class SectionUse {
public:
  explicit SectionUse(std::span<const Section> sections)
      : sections(sections), used(sections.size()) {
    used[0] = true; // the manifest
  }

  std::span<const std::byte> take(const Value &value, SectionKind kind) {
    value.expectObject({"section", "bytes"});
    const Value section = value.field("section");
    const auto index = section.asInteger<uint32_t>();
    const auto size = value.field("bytes").asInteger<uint64_t>();
    if (value.failed())
      return {};
    if (index >= sections.size())
      section.fail("{}, but the file has {} sections", index, sections.size());
    else if (used[index])
      section.fail("{} is used twice", index);
    else if (sections[index].kind != kind)
      section.fail("section {} holds {}, expected {}", index,
                   nameOf(sections[index].kind), nameOf(kind));
    else if (sections[index].bytes.size() != size)
      section.fail("section {} has {} bytes, the manifest says {}", index,
                   sections[index].bytes.size(), size);
    if (value.failed())
      return {};
    used[index] = true;
    return sections[index].bytes;
  }

  std::optional<size_t> firstUnused() const {
    const auto found = std::find(used.begin(), used.end(), false);
    if (found == used.end())
      return std::nullopt;
    return found - used.begin();
  }

private:
  std::span<const Section> sections;
  std::vector<bool> used;
};

TargetCode readCode(const Value &value, SectionUse &sections) {
  value.expectObject({"target", "ptx", "cubin", "resources"});
  TargetCode code;
  code.target = value.field("target").asString();
  if (value.has("ptx")) {
    const auto bytes = sections.take(value.field("ptx"), SectionKind::ptx);
    code.ptx.assign(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  }
  if (value.has("cubin")) {
    const auto bytes = sections.take(value.field("cubin"), SectionKind::cubin);
    code.cubin.assign(bytes.begin(), bytes.end());
  }
  if (value.has("resources"))
    code.resources = readResources(value.field("resources"));
  return code;
}

Kernel readKernel(const Value &value, SectionUse &sections) {
  value.expectObject({"name", "arguments", "parameters", "checks", "grid",
                      "block", "cluster", "dynamic_shared_bytes",
                      "programmatic_dependent_launch", "codes"});
  Kernel kernel;
  kernel.name = value.field("name").asString();
  for (const Value &argument : value.field("arguments").elements())
    kernel.arguments.push_back(readArgument(argument));
  for (const Value &parameter : value.field("parameters").elements())
    kernel.parameters.push_back(readParameter(parameter));
  for (const Value &check : value.field("checks").elements()) {
    check.expectObject({"condition", "message"});
    kernel.checks.push_back({readExpr(check.field("condition")),
                             check.field("message").asString()});
  }
  const auto grid = value.field("grid").elements(3);
  for (size_t i = 0; i < grid.size(); ++i)
    kernel.grid[i] = readExpr(grid[i]);
  kernel.block = readDim3(value.field("block"));
  kernel.cluster = readDim3(value.field("cluster"));
  kernel.dynamic_shared_bytes =
      value.field("dynamic_shared_bytes").asInteger<uint32_t>();
  // Files of format version 1 lack it.
  if (value.has("programmatic_dependent_launch"))
    kernel.programmatic_dependent_launch =
        value.field("programmatic_dependent_launch").asBool();
  for (const Value &code : value.field("codes").elements())
    kernel.codes.push_back(readCode(code, sections));
  return kernel;
}

} // namespace

Expected<Artifact> tirx::rt::readManifest(const json &manifest,
                                          std::span<const Section> sections) {
  Failure failure;
  const Value root(manifest, "", failure);
  SectionUse use(sections);
  Artifact artifact;
  root.expectObject({"compiler", "source", "kernels"});
  artifact.compiler = root.field("compiler").asString();
  artifact.source = root.field("source").asString();
  for (const Value &kernel : root.field("kernels").elements())
    artifact.kernels.push_back(readKernel(kernel, use));
  if (failure.failed())
    return tl::unexpected(Error{std::move(failure.message)});
  if (const auto unused = use.firstUnused())
    return makeError("section {} ({}) is not referred to", *unused,
                     nameOf(sections[*unused].kind));
  return artifact;
}
