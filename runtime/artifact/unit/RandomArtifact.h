//===- RandomArtifact.h - artifacts with every field in use -----*- C++ -*-===//
#pragma once

#include "tirx/Runtime/Artifact.h"

#include <cstdint>

namespace tirx::rt::test {

/// A valid artifact, a pure function of the seed.
Artifact randomArtifact(uint64_t seed);

/// A small valid artifact: one kernel with one argument of each kind.
Artifact smallArtifact();

} // namespace tirx::rt::test
