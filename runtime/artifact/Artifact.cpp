//===- Artifact.cpp - .txk bytes to an Artifact and back --------*- C++ -*-===//
#include "tirx/Runtime/Artifact.h"

#include "artifact/Container.h"
#include "artifact/Manifest.h"
#include "support/Json.h"
#include "tirx/Runtime/File.h"

using namespace tirx::rt;

namespace {

// An expression level is an object and an array; the rest of a manifest nests
// nine levels (kernels, kernel, parameters, parameter, map, list, ...).
constexpr int kMaxJsonDepth = 2 * static_cast<int>(kMaxExprDepth) + 16;

std::string dump(const nlohmann::ordered_json &json, int indent) {
  // Strings that are not UTF-8 are damaged rather than thrown at the caller;
  // validateArtifact refuses them beforehand.
  return json.dump(indent, ' ', /*ensure_ascii=*/false,
                   nlohmann::ordered_json::error_handler_t::replace);
}

} // namespace

std::vector<std::byte> tirx::rt::writeArtifact(const Artifact &artifact) {
  const ManifestAndCode contents = writeManifest(artifact);
  const std::string manifest = dump(contents.manifest, -1);
  std::vector<Section> sections = {
      {SectionKind::manifest, std::as_bytes(std::span(manifest))}};
  sections.insert(sections.end(), contents.codeSections.begin(),
                  contents.codeSections.end());
  return writeContainer(sections);
}

Expected<Artifact> tirx::rt::readArtifact(std::span<const std::byte> bytes) {
  const auto sections = readContainer(bytes);
  if (!sections)
    return tl::unexpected(sections.error());
  if (sections->empty() || sections->front().kind != SectionKind::manifest)
    return makeError("the first section is not the manifest");

  const std::span<const std::byte> text = sections->front().bytes;
  const auto json =
      parseJson({reinterpret_cast<const char *>(text.data()), text.size()},
                kMaxJsonDepth);
  if (!json)
    return addContext("manifest", json.error());
  auto artifact = readManifest(*json, *sections);
  if (!artifact)
    return addContext("manifest", artifact.error());
  if (const auto valid = validateArtifact(*artifact); !valid)
    return addContext("manifest", valid.error());
  return artifact;
}

Expected<Artifact> tirx::rt::readArtifactFile(const std::string &path) {
  const auto bytes = readFile(path);
  if (!bytes)
    return tl::unexpected(bytes.error());
  auto artifact = readArtifact(*bytes);
  if (!artifact)
    return addContext(path, artifact.error());
  return artifact;
}

std::string tirx::rt::manifestJson(const Artifact &artifact) {
  return dump(writeManifest(artifact).manifest, 2);
}
