//===- Register.h - dialects and passes that tirx uses ----------*- C++ -*-===//
#pragma once

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tirx {

/// The tirx dialect and the upstream ones that it is mixed with and lowered to,
/// with their translations to LLVM IR.
void registerDialects(mlir::DialectRegistry &registry);

/// Every pass that tirx-opt offers: tirx's own, and the upstream ones that are
/// of use around them. Call once a process.
void registerPasses();

} // namespace tirx
