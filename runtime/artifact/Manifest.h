//===- Manifest.h - the JSON of a .txk file ---------------------*- C++ -*-===//
#pragma once

#include "artifact/Container.h"
#include "tirx/Runtime/Artifact.h"

#include <nlohmann/json.hpp>
#include <span>
#include <vector>

namespace tirx::rt {

/// The manifest, and the code sections it refers to by index; index 0 is the
/// manifest's own. The views are into `artifact`.
struct ManifestAndCode {
  nlohmann::ordered_json manifest;
  std::vector<Section> codeSections;
};

ManifestAndCode writeManifest(const Artifact &artifact);

/// Types, names, ranges and section references; validateArtifact does the rest.
/// `sections` are all of the file's, the manifest first.
Expected<Artifact> readManifest(const nlohmann::json &manifest,
                                std::span<const Section> sections);

} // namespace tirx::rt
