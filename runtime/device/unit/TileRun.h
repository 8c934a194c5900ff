//===- TileRun.h - the tile kernel against its definition -------*- C++ -*-===//
#pragma once

#include "PtxKernels.h"
#include "tirx/Runtime/Device.h"

namespace tirx::rt::test {

/// Runs tileArtifact's kernel on `device` with a ragged A of 21 rows and 57
/// columns (rows 60 elements apart, NaN between them), random by `seed`. Gives
/// "" if every element of D is right, else what is wrong.
std::string runTile(Device &device, const Kernel &kernel, uint64_t seed);

} // namespace tirx::rt::test
