//===- TIRxOpBase.td - what all operations share -----------*- tablegen -*-===//

#ifndef TIRX_OP_BASE_TD
#define TIRX_OP_BASE_TD

include "tirx/Dialect/TIRxTypes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class TIRx_Op<string mnemonic, list<Trait> traits = []>
    : Op<TIRx_Dialect, mnemonic, traits>;

#endif // TIRX_OP_BASE_TD
