//===- Variant.h - hardware paths of tile operations ------------*- C++ -*-===//
#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <tl/expected.hpp>

namespace tirx::passes {

/// A plan, or the reason why there is none.
template <typename T> using Planned = tl::expected<T, std::string>;

inline tl::unexpected<std::string> refuse(const llvm::Twine &reason) {
  return tl::unexpected<std::string>(reason.str());
}

/// One way to implement a tile operation. `check` says whether it applies.
struct Variant {
  llvm::StringRef name;
  Planned<void> (*check)(mlir::Operation *op);
};

/// The variants of an operation, best first; empty for other operations.
llvm::ArrayRef<Variant> getVariants(mlir::Operation *op);

/// Fails, with a diagnostic, unless `op` names one of its variants and that
/// applies: what the lowerings rely on.
mlir::LogicalResult verifyDispatched(mlir::Operation *op);

} // namespace tirx::passes
