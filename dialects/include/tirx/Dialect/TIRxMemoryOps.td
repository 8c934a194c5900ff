//===- TIRxMemoryOps.td - allocation and views -------------*- tablegen -*-===//

#ifndef TIRX_MEMORY_OPS_TD
#define TIRX_MEMORY_OPS_TD

include "tirx/Dialect/TIRxOpBase.td"

def TIRx_SharedAllocOp : TIRx_Op<"shared.alloc", [
    MemoryEffects<[MemAlloc]>]> {
  let summary = "Allocate a tile of shared memory";
  let description = [{
    One tile for the whole CTA, live until the kernel ends. The offset in the
    CTA's dynamic shared memory is assigned by `tirx-assign-storage`, aligned to
    the swizzle atom (1024 bytes for a 128-byte swizzle) and at least to the 128
    bytes that TMA asks for.

    **Preconditions:** directly in the device region (not under control flow).
    **Postconditions:** the contents are undefined.

    **Example:**

    ```mlir
    %tile = tirx.shared.alloc
      : !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>
    ```

    **Errors:** `must be directly in the region of tirx.launch`; `offset(3) must
    be a non-negative multiple of 128`; from storage assignment: `shared memory
    needs 240000 bytes, a CTA may have 232448`.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs TIRx_SharedBuffer:$result);
  let assemblyFormat = "(`offset` `(` $offset^ `)`)? attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

def TIRx_TmemAllocOp : TIRx_Op<"tmem.alloc", [MemoryEffects<[MemAlloc]>]> {
  let summary = "Allocate a tile of tensor memory";
  let description = [{
    Executed by all threads of the CTA. The lowering lets one warp allocate the
    columns of all tiles of the kernel at once (`tcgen05.alloc`: a power of two,
    32 to 512), gives up the right to allocate more, and makes the address known
    to every thread through shared memory and a CTA-wide barrier.

    **Preconditions:** directly in the device region.
    **Postconditions:** the contents are undefined; every thread has passed a
    CTA-wide barrier.

    **Example:**

    ```mlir
    %tile = tirx.tmem.alloc
      : !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
    tirx.tmem.dealloc %tile
      : !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
    ```

    **Errors:** `column(512) is outside [0, 511]`; from `tirx-verify`: `is never
    deallocated`, `is deallocated 2 times`; from storage assignment: `tensor
    memory needs 640 columns, an SM has 512`.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$column);
  let results = (outs TIRx_TmemBuffer:$result);
  let assemblyFormat = "(`column` `(` $column^ `)`)? attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

def TIRx_TmemDeallocOp : TIRx_Op<"tmem.dealloc", [MemoryEffects<[MemFree]>]> {
  let summary = "Give a tile of tensor memory back";
  let description = [{
    Executed by all threads of the CTA. The columns are freed by the warp that
    allocated them, after a CTA-wide barrier, at the last dealloc of the kernel.

    **Preconditions:** directly in the device region; all tcgen05 operations on
    the tile have completed. **Postconditions:** the tile is dead.

    **Example:**

    ```mlir
    %tile = tirx.tmem.alloc
      : !tirx.buffer<128x64xf32, #tirx.layout<S[(128,64):(1@TLane,1@TCol)]>, tmem>
    tirx.tmem.dealloc %tile
      : !tirx.buffer<128x64xf32, #tirx.layout<S[(128,64):(1@TLane,1@TCol)]>, tmem>
    ```

    **Errors:** `operand must be the result of a tirx.tmem.alloc`.
  }];
  let arguments = (ins Arg<TIRx_TmemBuffer, "", [MemFree]>:$buffer);
  let assemblyFormat = "$buffer attr-dict `:` qualified(type($buffer))";
  let hasVerifier = 1;
}

def TIRx_MbarrierAllocOp : TIRx_Op<"mbarrier.alloc", [MemoryEffects<[MemAlloc]>]> {
  let summary = "Allocate mbarrier objects in shared memory";
  let description = [{
    Eight bytes a slot. They must be initialised by `tirx.mbarrier.init`.

    **Preconditions:** directly in the device region.
    **Postconditions:** the barriers are uninitialised.

    **Example:**

    ```mlir
    %ready = tirx.mbarrier.alloc : !tirx.barrier<4>
    ```

    **Errors:** `must be directly in the region of tirx.launch`.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs TIRx_BarrierType:$result);
  let assemblyFormat = "(`offset` `(` $offset^ `)`)? attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

def TIRx_SliceOp : TIRx_Op<"slice", [Pure]> {
  let summary = "A static window of a buffer";
  let description = [{
    The window starts at `offsets` and has the extents of the result's shape;
    no code runs for it. It may reach over the edge: TMA fills what lies outside
    with zeros and does not write it, other copies must not touch it.

    In shared and tensor memory the result's layout is that of the window; it
    may lack leading axes of extent 1, so that a stage of a ring is a tile.

    **Preconditions:** as many offsets as axes; result extents static. In shared
    and tensor memory the window lies within the buffer and moves by whole
    swizzle periods. **Postconditions:** the result aliases the source.

    **Example:**

    ```mlir
    %tile = tirx.slice %A[%m, %k]
      : !tirx.buffer<?x?xf16, global> to !tirx.buffer<128x64xf16, global>
    %part = tirx.slice %acc[%c0, %c64] : !Acc
      to !tirx.buffer<128x64xf32, #tirx.layout<S[(128,64):(1@TLane,1@TCol)]>, tmem>
    ```

    **Errors:** `has 1 offsets, but the source has rank 2`; `the window [96,
    160) of axis 1 exceeds the extent 128`; `the window's layout is ..., the
    result's ...`; `the offset along axis 1 must be constant: it moves the tile
    by 1 elements, no multiple of the swizzle's period of 512`.
  }];
  let arguments = (ins TIRx_BufferType:$source, Variadic<Index>:$offsets);
  let results = (outs TIRx_BufferType:$result);
  let assemblyFormat = [{
    $source `[` $offsets `]` attr-dict `:` qualified(type($source)) `to` qualified(type($result))
  }];
  let hasVerifier = 1;
}

#endif // TIRX_MEMORY_OPS_TD
