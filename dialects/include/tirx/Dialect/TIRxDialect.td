//===- TIRxDialect.td - the tirx dialect -------------------*- tablegen -*-===//

#ifndef TIRX_DIALECT_TD
#define TIRX_DIALECT_TD

include "mlir/IR/OpBase.td"

def TIRx_Dialect : Dialect {
  let name = "tirx";
  let cppNamespace = "::tirx::ir";
  let summary = "Tensor kernels against explicit GPU hardware";
  let description = [{
    A kernel in `tirx` says which threads run an operation (scope), where each
    element of a tile lies (layout) and, if the author cares, which hardware
    path implements it (dispatch). Structured control flow comes from `scf`,
    scalar and register-tile arithmetic from `arith` and `math`.

    The operations form three levels, all of which can be written by hand:
    tile operations (`copy`, `copy_async`, `gemm_async`), protocol operations
    (`mbarrier.*`, fences, allocation) and hardware operations, one PTX
    instruction each (`tma.*`, `tcgen05.*`).
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // TIRX_DIALECT_TD
