//===- MmaGeometry.h - sizes of one tcgen05.mma -----------------*- C++ -*-===//
#pragma once

#include "TensorCore.h"

namespace tirx::rt::sim {

/// A in tensor memory always covers 32 bytes a row: eight columns.
inline constexpr unsigned aTmemColumns = 8;

/// What each CTA of an instruction holds.
struct MmaGeometry {
  DatapathLayout layout;
  unsigned rows;          ///< rows of A and D in one CTA
  unsigned columnsPerCta; ///< columns of B that one CTA's memory holds
  unsigned dColumns;      ///< TMEM columns of D
  OperandTile aTile, bTile;
};

/// Sizes of a dense, non-.ws request.
MmaGeometry mmaGeometry(const MmaRequest &request);

} // namespace tirx::rt::sim
