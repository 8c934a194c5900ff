//===- TIRxTypes.td - buffers, barriers, tensor maps -------*- tablegen -*-===//

#ifndef TIRX_TYPES_TD
#define TIRX_TYPES_TD

include "tirx/Dialect/TIRxAttrs.td"

class TIRx_Type<string name, string typeMnemonic>
    : TypeDef<TIRx_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def TIRx_BufferType : TIRx_Type<"Buffer", "buffer"> {
  let summary = "a tile of memory";
  let description = [{
    Shape, element type, layout and memory space of a tile.

    ```mlir type
    !tirx.buffer<?x?xf16, global>                                   // a kernel argument
    !tirx.buffer<128x64xf16, global>                                // a slice of it
    !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
    !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
    ```

    Global buffers have no layout: their strides are those of the argument they
    come from, known at launch, with an innermost stride of one element. Shared
    and TMEM buffers have static extents and a layout that must cover the shape
    and be injective; a TMEM layout must stay within 128 lanes and 512 32-bit
    columns (PTX ISA, "Tensor Memory Addressing").
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape,
                        "::mlir::Type":$elementType,
                        OptionalParameter<"::tirx::ir::LayoutAttr">:$layout,
                        EnumParameter<TIRx_MemorySpace>:$space);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getShape().size(); }
    bool hasStaticShape() const;
    /// Elements of a buffer with a static shape.
    int64_t getNumElements() const;
    unsigned getElementBits() const;
    /// Bytes of a shared buffer: the layout's span, padding included.
    int64_t getStorageBytes() const;
    /// Bytes that a copy of the whole buffer moves.
    int64_t getTileBytes() const;
    bool isGlobal() const { return getSpace() == MemorySpace::global; }
    bool isShared() const { return getSpace() == MemorySpace::shared; }
    bool isTmem() const { return getSpace() == MemorySpace::tmem; }
  }];
}

def TIRx_BarrierType : TIRx_Type<"Barrier", "barrier"> {
  let summary = "an array of mbarrier objects in shared memory";
  let description = [{
    The number of objects ("slots"), 8 bytes each. Operations on one of several
    name it: `%bar[%slot]`.

    ```mlir type
    !tirx.barrier<4>
    ```
  }];
  let parameters = (ins "int64_t":$slots);
  let assemblyFormat = "`<` $slots `>`";
  let genVerifyDecl = 1;
}

def TIRx_TensorMapType : TIRx_Type<"TensorMap", "tensor_map"> {
  let summary = "a TMA tensor map: box, element type, swizzle";
  let description = [{
    The box is written slowest axis first, like a tile's shape.

    ```mlir type
    !tirx.tensor_map<128x64xf16, swizzle128B>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$box,
                        "::mlir::Type":$elementType,
                        EnumParameter<TIRx_SwizzleMode>:$swizzle);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def TIRx_PipelineType : TIRx_Type<"Pipeline", "pipeline"> {
  let summary = "a ring of stages that one role fills and another empties";
  let description = [{
    The number of stages, and the tiles of one stage: shared buffers, or TMEM
    buffers.

    ```mlir type
    !tirx.pipeline<4 x !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>>
    ```
  }];
  let parameters = (ins "int64_t":$stages,
                        ArrayRefParameter<"::tirx::ir::BufferType">:$tiles);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Whether the tiles lie in tensor memory, else in shared memory.
    bool isTmem() const { return getTiles().front().isTmem(); }
    /// Bytes that filling one stage moves, in one CTA.
    int64_t getStageBytes() const;
  }];
}

def TIRx_ScheduleType : TIRx_Type<"Schedule", "schedule"> {
  let summary = "which CTA or cluster computes which tiles, in which order";
  let description = [{
    The number of tile coordinates, 1 to 3.

    ```mlir type
    !tirx.schedule<2>
    ```
  }];
  let parameters = (ins "int64_t":$rank);
  let assemblyFormat = "`<` $rank `>`";
  let genVerifyDecl = 1;
}

class TIRx_BufferIn<string space>
    : Type<And<[CPred<"::llvm::isa<::tirx::ir::BufferType>($_self)">,
                CPred<"::llvm::cast<::tirx::ir::BufferType>($_self).getSpace() == "
                      "::tirx::ir::MemorySpace::" # space>]>,
           space # " buffer", "::tirx::ir::BufferType">;
def TIRx_GlobalBuffer : TIRx_BufferIn<"global">;
def TIRx_SharedBuffer : TIRx_BufferIn<"shared">;
def TIRx_TmemBuffer : TIRx_BufferIn<"tmem">;

def TIRx_RegisterTile
    : Type<And<[CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">,
                CPred<"::llvm::isa_and_present<::tirx::ir::LayoutAttr>("
                      "::llvm::cast<::mlir::RankedTensorType>($_self).getEncoding())">]>,
           "register tile (a tensor with a #tirx.layout encoding)",
           "::mlir::RankedTensorType">;
def TIRx_Tile : AnyTypeOf<[TIRx_BufferType, TIRx_RegisterTile]>;

#endif // TIRX_TYPES_TD
