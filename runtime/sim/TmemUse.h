//===- TmemUse.h - tensor memory that operations still use ------*- C++ -*-===//
#pragma once

#include "Handlers.h"

namespace tirx::rt::sim {

/// What an outstanding operation does to a region of tensor memory.
enum class TmemAccessKind : uint8_t { mma_read, mma_write, load, store };

struct TmemUse {
  TmemRegion region;
  TmemAccessKind kind;
  uint32_t line;
  const AsyncOp *op;
};

/// Checks that `kind` over `regions` conflicts with no outstanding operation of
/// `cta` that the pipeline does not order before it (mma after mma is ordered).
/// False after a fault.
bool checkTmemUse(Context &context, unsigned lane, const Cta &cta,
                  std::span<const TmemRegion> regions, TmemAccessKind kind,
                  std::string_view what);
void addTmemUse(Cta &cta, std::span<const TmemRegion> regions,
                TmemAccessKind kind, uint32_t line, const AsyncOp &op);
void removeTmemUse(Cta &cta, const AsyncOp &op);

} // namespace tirx::rt::sim
