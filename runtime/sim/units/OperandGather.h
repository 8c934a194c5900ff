//===- OperandGather.h - whole operand tiles from shared memory -*- C++ -*-===//
#pragma once

#include "MatrixDescriptor.h"

#include <memory>

namespace tirx::rt::sim {

/// Offsets of a tile's 16-byte chunks, relative to the descriptor's start and
/// before the swizzle; depends on (tile, swizzle, LBO, SBO) only and is cached
/// for the life of the thread.
struct OperandPlan {
  OperandTile tile;
  std::vector<uint32_t> chunks; ///< K-major: [row][k chunk]; MN-major:
                                ///< [k][row chunk]
  uint32_t extent = 0;          ///< largest offset + 16
};

/// The cached plan. Call after checkOperand.
std::shared_ptr<const OperandPlan> operandPlan(const MatrixDescriptor &desc,
                                               const OperandTile &tile);

/// Copies the tile to `dense`, rows x k elements, k contiguous, as raw bits.
/// Error: a chunk outside the window (names operand, address and window).
Expected<void> gatherOperand(ConstSharedSpan shared,
                             const MatrixDescriptor &desc,
                             const OperandPlan &plan, std::string_view what,
                             std::byte *dense);

/// Physical addresses of the 16-byte chunks that the tile occupies (unordered,
/// may repeat), for race detection. Error: outside the window.
Expected<std::vector<uint32_t>> operandChunks(const MatrixDescriptor &desc,
                                              const OperandTile &tile,
                                              uint64_t windowBytes,
                                              std::string_view what);

} // namespace tirx::rt::sim
