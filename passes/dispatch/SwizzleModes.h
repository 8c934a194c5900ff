//===- SwizzleModes.h - the dialect's swizzles and the library's -*- C++
//-*-===//
#pragma once

#include "tirx/Dialect/TIRx.h"
#include "tirx/Layout/SwizzleMode.h"

namespace tirx::passes {

/// nullopt for modes that the dialect does not have.
inline std::optional<ir::SwizzleMode>
toDialectSwizzle(layout::SwizzleMode mode) {
  switch (mode) {
  case layout::SwizzleMode::None:
    return ir::SwizzleMode::none;
  case layout::SwizzleMode::B32:
    return ir::SwizzleMode::swizzle32B;
  case layout::SwizzleMode::B64:
    return ir::SwizzleMode::swizzle64B;
  case layout::SwizzleMode::B128:
    return ir::SwizzleMode::swizzle128B;
  case layout::SwizzleMode::B128Atom32B:
    return ir::SwizzleMode::swizzle128B_atom32B;
  default:
    return std::nullopt;
  }
}

inline layout::SwizzleMode toLayoutSwizzle(ir::SwizzleMode mode) {
  switch (mode) {
  case ir::SwizzleMode::none:
    return layout::SwizzleMode::None;
  case ir::SwizzleMode::swizzle32B:
    return layout::SwizzleMode::B32;
  case ir::SwizzleMode::swizzle64B:
    return layout::SwizzleMode::B64;
  case ir::SwizzleMode::swizzle128B:
    return layout::SwizzleMode::B128;
  case ir::SwizzleMode::swizzle128B_atom32B:
    return layout::SwizzleMode::B128Atom32B;
  }
  llvm_unreachable("unknown swizzle");
}

} // namespace tirx::passes
