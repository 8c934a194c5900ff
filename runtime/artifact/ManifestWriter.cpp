//===- ManifestWriter.cpp - artifact to JSON --------------------*- C++ -*-===//
#include "artifact/Manifest.h"
#include "artifact/Names.h"

using namespace tirx::rt;
using Json = nlohmann::ordered_json;

namespace {

Json toJson(const HostExpr &expr);
Json toJson(const Argument &argument);
Json toJson(const Parameter &parameter);
Json toJson(const LaunchCheck &check);

template <typename Range> Json toJsonArray(const Range &range) {
  Json array = Json::array();
  for (const auto &element : range)
    array.push_back(toJson(element));
  return array;
}

Json toJson(const HostExpr &expr) {
  using Kind = HostExpr::Kind;
  switch (expr.kind) {
  case Kind::constant:
    return expr.value;
  case Kind::dim:
  case Kind::stride:
    return {{nameOfEnum(expr.kind), Json::array({expr.argument, expr.axis})}};
  case Kind::scalar:
    return {{nameOfEnum(expr.kind), expr.argument}};
  default:
    break;
  }
  Json operands = Json::array();
  for (const HostExpr &operand : expr.operands)
    operands.push_back(toJson(operand));
  return {{nameOfEnum(expr.kind), std::move(operands)}};
}

Json toJson(const Argument &argument) {
  Json json;
  json["name"] = argument.name;
  json["kind"] = nameOfEnum(argument.kind);
  json["dtype"] = nameOf(argument.dtype);
  if (argument.kind == Argument::Kind::scalar)
    return json;
  json["shape"] = Json::array();
  for (const std::optional<int64_t> &extent : argument.shape)
    json["shape"].push_back(extent ? Json(*extent) : Json(nullptr));
  json["contiguous"] = argument.contiguous;
  json["alignment"] = argument.alignment;
  json["access"] = nameOfEnum(argument.access);
  return json;
}

Json toJson(const TensorMapRecipe &recipe) {
  Json json;
  json["argument"] = recipe.argument;
  json["dtype"] = nameOf(recipe.dtype);
  json["global_dim"] = toJsonArray(recipe.global_dim);
  json["global_stride"] = toJsonArray(recipe.global_stride);
  json["box_dim"] = recipe.box_dim;
  json["element_stride"] = recipe.element_stride;
  json["swizzle"] = nameOfEnum(recipe.swizzle);
  json["l2_promotion"] = nameOfEnum(recipe.l2_promotion);
  json["oob_fill"] = nameOfEnum(recipe.oob_fill);
  return json;
}

Json toJson(const Parameter &parameter) {
  Json json;
  json["kind"] = nameOfEnum(parameter.kind);
  switch (parameter.kind) {
  case Parameter::Kind::pointer:
  case Parameter::Kind::scalar:
    json["argument"] = parameter.argument;
    break;
  case Parameter::Kind::value:
    json["bytes"] = parameter.bytes;
    json["expr"] = toJson(parameter.expr);
    break;
  case Parameter::Kind::tensor_map:
    json["tensor_map"] = toJson(parameter.tensor_map);
    break;
  }
  return json;
}

Json toJson(const LaunchCheck &check) {
  Json json;
  json["condition"] = toJson(check.condition);
  json["message"] = check.message;
  return json;
}

Json toJson(const ResourceReport &report) {
  Json json;
  json["registers"] = report.registers;
  json["stack_bytes"] = report.stack_bytes;
  json["spill_store_bytes"] = report.spill_store_bytes;
  json["spill_load_bytes"] = report.spill_load_bytes;
  json["static_shared_bytes"] = report.static_shared_bytes;
  json["named_barriers"] = report.named_barriers;
  return json;
}

class SectionList {
public:
  std::vector<Section> sections;

  /// Adds a section; gives the reference to it.
  Json add(SectionKind kind, std::span<const std::byte> bytes) {
    sections.push_back({kind, bytes});
    Json json;
    json["section"] = sections.size(); // 0 is the manifest
    json["bytes"] = bytes.size();
    return json;
  }
};

Json toJson(const TargetCode &code, SectionList &list) {
  Json json;
  json["target"] = code.target;
  if (!code.ptx.empty())
    json["ptx"] =
        list.add(SectionKind::ptx, std::as_bytes(std::span(code.ptx)));
  if (!code.cubin.empty())
    json["cubin"] = list.add(SectionKind::cubin, code.cubin);
  if (code.resources)
    json["resources"] = toJson(*code.resources);
  return json;
}

Json toJson(const Kernel &kernel, SectionList &list) {
  Json json;
  json["name"] = kernel.name;
  json["arguments"] = toJsonArray(kernel.arguments);
  json["parameters"] = toJsonArray(kernel.parameters);
  json["checks"] = toJsonArray(kernel.checks);
  json["grid"] = toJsonArray(kernel.grid);
  json["block"] = kernel.block;
  json["cluster"] = kernel.cluster;
  json["dynamic_shared_bytes"] = kernel.dynamic_shared_bytes;
  json["programmatic_dependent_launch"] = kernel.programmatic_dependent_launch;
  json["codes"] = Json::array();
  for (const TargetCode &code : kernel.codes)
    json["codes"].push_back(toJson(code, list));
  return json;
}

} // namespace

ManifestAndCode tirx::rt::writeManifest(const Artifact &artifact) {
  SectionList list;
  Json json;
  json["compiler"] = artifact.compiler;
  json["source"] = artifact.source;
  json["kernels"] = Json::array();
  for (const Kernel &kernel : artifact.kernels)
    json["kernels"].push_back(toJson(kernel, list));
  return {std::move(json), std::move(list.sections)};
}
