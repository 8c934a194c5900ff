//===- PtxKernels.h - small kernels in PTX ----------------------*- C++ -*-===//
#pragma once

#include "tirx/Runtime/Artifact.h"

namespace tirx::rt::test {

/// D[i] = alpha * A[i] for i < n, f32, 128 threads a CTA.
/// Parameters in PTX order: pointer A, value n (b32), pointer D, scalar alpha.
Artifact scaleArtifact(const char *target = "sm_100a");

/// Copies a ragged matrix A tile by tile (8 rows, 16 columns) into D, whose
/// extents are whole tiles: A[r, c] times the CTAs of the cluster (2), and 0
/// beyond A's edges. f32; tensor map of A, pointer D, value D.shape[1];
/// clusters of 2 CTAs; the tile is placed at the end of 64 KiB of dynamic
/// shared memory.
Artifact tileArtifact(const char *target = "sm_100a");

/// What ptxas makes of the code's PTX; empty if ptxas is not at hand.
std::vector<std::byte> assemble(const TargetCode &code);

} // namespace tirx::rt::test
