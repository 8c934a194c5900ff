//===- StorageAttrs.h - what storage assignment leaves behind ---*- C++ -*-===//
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tirx::passes {

/// Attributes of tirx.launch, and of the function it becomes: dynamic shared
/// memory of a CTA, TMEM columns to allocate, shared-memory offset of the word
/// that receives their address. All in bytes but the columns.
inline constexpr llvm::StringLiteral sharedBytesAttr = "tirx.shared_bytes";
inline constexpr llvm::StringLiteral tmemColumnsAttr = "tirx.tmem_columns";
inline constexpr llvm::StringLiteral tmemAddressOffsetAttr =
    "tirx.tmem_address_offset";
/// Threads of a CTA, on the outlined function.
inline constexpr llvm::StringLiteral threadsAttr = "tirx.threads";
/// Extents of a cluster in CTAs, on the outlined function.
inline constexpr llvm::StringLiteral clusterAttr = "tirx.cluster";

} // namespace tirx::passes
