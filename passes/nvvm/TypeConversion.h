//===- TypeConversion.h - tirx types and addresses in LLVM ------*- C++ -*-===//
#pragma once

#include "tirx/Dialect/TIRx.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tirx::passes {

/// LLVM address spaces of NVPTX.
enum AddressSpace : unsigned {
  genericSpace = 0,
  globalSpace = 1,
  sharedSpace = 3,
  tmemSpace = 6,
  sharedClusterSpace = 7,
};

/// Global buffers are pointers to their first element, shared buffers and
/// barriers pointers into the CTA's shared memory, TMEM buffers tensor-memory
/// addresses, tensor maps generic pointers; an index has 32 bits.
class TIRxTypeConverter : public mlir::LLVMTypeConverter {
public:
  explicit TIRxTypeConverter(mlir::MLIRContext *context);
};

/// The symbol of the dynamic shared memory.
inline constexpr llvm::StringLiteral sharedSymbol = "tirx_shared";

/// Pointer to `offset` bytes into the CTA's dynamic shared memory, whose symbol
/// the module has.
mlir::Value buildSharedAddress(mlir::OpBuilder &builder, mlir::Location loc,
                               int64_t offset);

/// `pointer` plus a constant number of bytes.
mlir::Value buildByteOffset(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value pointer, int64_t bytes);

mlir::Value buildI32(mlir::OpBuilder &builder, mlir::Location loc,
                     int64_t value);
mlir::Value buildI64(mlir::OpBuilder &builder, mlir::Location loc,
                     int64_t value);

/// Patterns for allocation, ld and st.
void populateMemoryPatterns(const TIRxTypeConverter &converter,
                            mlir::RewritePatternSet &patterns);
/// Patterns for coordinates, scopes, fences and mbarriers.
void populateSyncPatterns(const TIRxTypeConverter &converter,
                          mlir::RewritePatternSet &patterns);
/// Patterns for TMA.
void populateTmaPatterns(const TIRxTypeConverter &converter,
                         mlir::RewritePatternSet &patterns);
/// Patterns for clusterlaunchcontrol.
void populateClcPatterns(const TIRxTypeConverter &converter,
                         mlir::RewritePatternSet &patterns);
/// Patterns for tensor cores and tensor memory.
void populateTcgen05Patterns(const TIRxTypeConverter &converter,
                             mlir::RewritePatternSet &patterns);

} // namespace tirx::passes
