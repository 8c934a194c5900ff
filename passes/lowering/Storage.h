//===- Storage.h - how much room tiles and barriers need --------*- C++ -*-===//
#pragma once

#include "tirx/Dialect/TIRx.h"

namespace tirx::passes {

/// PTX ISA, mbarrier: an opaque 64-bit object, 8-byte aligned.
inline constexpr int64_t mbarrierBytes = 8;

/// Alignment in bytes of a shared tile. Swizzles act on absolute addresses: a
/// tile must begin where the pattern does (PTX ISA, "Swizzling modes": 1024
/// bytes for 128B, 512 for 64B, 256 for 32B), and where TMA may write.
int64_t getSharedAlignment(ir::BufferType type);

/// 32-bit columns of a tile in tensor memory, from the layout's span on TCol.
int64_t getTmemColumns(ir::BufferType type);

} // namespace tirx::passes
