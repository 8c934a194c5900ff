//===- TIRxTileOps.td - copies and matrix products of tiles *- tablegen -*-===//

#ifndef TIRX_TILE_OPS_TD
#define TIRX_TILE_OPS_TD

include "tirx/Dialect/TIRxOpBase.td"

defvar dispatchText = [{
    `dispatch("name")` demands a variant; without it the first whose conditions
    hold is taken. Either way the choice, and why others were refused, can be
    read after `tirx-dispatch`.
}];

def TIRx_CopyOp : TIRx_Op<"copy"> {
  let summary = "Copy a tile; done when the operation is";
  let description = !strconcat([{
    Source and destination are buffers or register tiles of one shape and
    element type. All threads of the CTA (buffer to buffer) or those that the
    register tile's layout names take part. When a thread goes on, its part is
    done; others need a barrier to know.
    }], dispatchText, [{
    Variants: `vector` (global and shared memory, register tiles; 16-byte
    accesses where layout and strides allow), `tcgen05_ld` and `tcgen05_st`
    (tensor memory, register tiles; includes the wait). A tile with replicas, such
    as a bias that every thread holds, is loaded by each of its holders.

    **Preconditions:** shapes and element types agree, where a slice of a global
    buffer may have more leading extents of 1 (a 1x128x64 slice of a batch is a
    128x64 tile); a window of a global buffer lies within it; not in
    `tirx.elect`. **Postconditions:** the
    destination holds the source's elements.

    **Example:**

    ```mlir
    tirx.copy %A_tile to %As : !A_tile to !As
    %f = tirx.copy %acc : !Acc to tensor<128x128xf32, #rows>
    %h = arith.truncf %f : tensor<128x128xf32, #rows> to tensor<128x128xf16, #rows>
    tirx.copy %h to %D_tile : tensor<128x128xf16, #rows> to !D_tile
    ```

    **Errors:** `copies 128x64xf16 into 64x64xf16`; `no dispatch variant of
    tirx.copy applies` with every variant and its reason.
  }]);
  let arguments = (ins TIRx_Tile:$source, Optional<TIRx_BufferType>:$destination,
                       OptionalAttr<StrAttr>:$dispatch);
  let results = (outs Optional<TIRx_RegisterTile>:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def TIRx_CopyAsyncOp : TIRx_Op<"copy_async", [AttrSizedOperandSegments]> {
  let summary = "Start copying a tile";
  let description = !strconcat([{
    As `tirx.copy`, but only started. TMA loads complete at the mbarrier that
    `signal` names (by bytes: somebody must expect them), TMA stores by
    `tirx.bulk.commit_group` and `wait_group`, TMEM copies by
    `tirx.tcgen05.wait`.
    }], dispatchText, [{
    Variants: `tma` (global to shared, in `tirx.elect`, with `signal`; shared to
    global, in `tirx.elect`), `tcgen05_ld`, `tcgen05_st` (whole warpgroups).

    With `multicast(cbx)` (or `cby`, `cbz`) the CTAs of the cluster along that
    axis load the tile together: each its part of the rows, for all of them. So
    each receives the whole tile, and expects as many bytes as without. With
    `cta_group(2)` the bytes go to the barrier of the even CTA of the pair, which
    expects those of both.

    **Preconditions:** shapes and element types agree as for `tirx.copy`; the CTAs of a multicast
    name the same tile and the same place, and all of them execute it.
    **Postconditions:** none at once.

    **Example:**

    ```mlir
    tirx.elect {
      tirx.copy_async %A_tile to %As signal(%bar : !tirx.barrier<1>) : !A_tile to !As
      tirx.copy_async %B_tile to %Bs signal(%bar : !tirx.barrier<1>) multicast(cby) cta_group(2)
        : !A_tile to !Bs
      tirx.copy_async %Ds to %D_tile : !Ds to !D_tile
    }
    %f = tirx.copy_async %acc : !Acc to tensor<128x128xf32, #rows>
    tirx.tcgen05.wait ld
    ```

    **Errors:** as `tirx.copy`; `a TMA load needs signal(...)`; `multicast(tx)
    must name an axis of the cluster: cbx, cby or cbz`; refused by `tma`: rows
    that the CTAs cannot share evenly, or parts that are no whole number of
    swizzle atoms.
  }]);
  let arguments = (ins TIRx_Tile:$source, Optional<TIRx_BufferType>:$destination,
                       Optional<TIRx_BarrierType>:$barrier, Optional<Index>:$slot,
                       OptionalAttr<TIRx_ThreadAxisAttr>:$multicast,
                       DefaultValuedAttr<I64Attr, "1">:$cta_group,
                       OptionalAttr<StrAttr>:$dispatch);
  let results = (outs Optional<TIRx_RegisterTile>:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def TIRx_BroadcastOp : TIRx_Op<"broadcast", [Pure]> {
  let summary = "Repeat a register tile along new dimensions";
  let description = [{
    As NumPy broadcasts: dimensions are added in front, and extents of 1 become
    those of the result. No data moves between threads: each must hold what it
    needs already, which is the case where the source is replicated over the
    threads along which it is repeated.

    **Preconditions:** none. **Postconditions:** none.

    **Example:**

    ```mlir
    %row = arith.constant dense<1.0>
      : tensor<128xf32, #tirx.layout<S[128:1] + R[128:1@tid_in_wg]>>
    %rows = tirx.broadcast %row
      : tensor<128xf32, #tirx.layout<S[128:1] + R[128:1@tid_in_wg]>>
        to tensor<128x128xf32, #rows>
    ```

    **Errors:** `cannot broadcast 64xf32 to 128x32xf32`; refused by
    `tirx-distribute`: elements that other threads hold.
  }];
  let arguments = (ins TIRx_RegisterTile:$source);
  let results = (outs TIRx_RegisterTile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
}

def TIRx_TransposeOp : TIRx_Op<"transpose", [Pure]> {
  let summary = "A shared matrix with its dimensions exchanged";
  let description = [{
    The same memory under the transposed shape and layout; no code runs for it. A
    tile that TMA loaded from a K x M matrix is the MN-major M x K operand of
    `tirx.gemm_async`.

    **Preconditions:** none. **Postconditions:** the result aliases the source.

    **Example:**

    ```mlir
    %At = tirx.transpose %As : !As
      to !tirx.buffer<64x128xf16, #tirx.layout<S[(64,128):(1,64)] swizzle(3,3,3)>, shared>
    ```

    **Errors:** `the transposed layout is ..., the result's ...`.
  }];
  let arguments = (ins TIRx_SharedBuffer:$source);
  let results = (outs TIRx_SharedBuffer:$result);
  let assemblyFormat = [{
    $source attr-dict `:` qualified(type($source)) `to` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def TIRx_GemmAsyncOp : TIRx_Op<"gemm_async"> {
  let summary = "Start D += A * B^T on a tensor core";
  let description = !strconcat([{
    D[m, n] = (accumulate ? D[m, n] : 0) + sum over k of A[m, k] * B[n, k].
    A is M x K and B is N x K; which of their dimensions is contiguous is read
    off their layouts.

    With `cta_group(2)` two CTAs multiply together, and shapes are those of one
    of them: A holds half of the rows (the even CTA's come first), D the same
    rows and all columns, B the half of D's columns.
    }], dispatchText, [{
    Variants: `tcgen05` (D in TMEM, A and B in shared memory, inputs as
    `tirx.tcgen05.mma`, f32 accumulator, M of 64 or 128, N a multiple of 8, K a
    multiple of 32 bytes; over a pair N is at most 256). MN-major f32 operands
    need the 128-byte swizzle of 32-byte atoms.

    **Preconditions:** in `tirx.elect` (of one CTA of the pair, by convention the
    even one); A and B are visible to the async proxy; D is not in use; over a
    pair all of that in both CTAs. **Postconditions:** none at once; `tirx.tcgen05.commit`
    tells when.

    **Example:**

    ```mlir
    tirx.elect {
      tirx.gemm_async %acc, %As, %Bs accumulate(%flag) : !Acc, !As, !Bs
      tirx.gemm_async %acc, %As, %Bs_half accumulate(%flag) cta_group(2) : !Acc, !As, !Bs_half
    }
    ```

    **Errors:** `K of A is 64, K of B is 32`; `no dispatch variant of
    tirx.gemm_async applies` with the reasons.
  }]);
  let arguments = (ins TIRx_BufferType:$d, TIRx_BufferType:$a, TIRx_BufferType:$b,
                       I1:$accumulate,
                       DefaultValuedAttr<I64Attr, "1">:$cta_group,
                       OptionalAttr<StrAttr>:$dispatch);
  let assemblyFormat = [{
    $d `,` $a `,` $b `accumulate` `(` $accumulate `)`
    (`cta_group` `(` $cta_group^ `)`)?
    (`dispatch` `(` $dispatch^ `)`)? attr-dict
    `:` qualified(type($d)) `,` qualified(type($a)) `,` qualified(type($b))
  }];
  let hasVerifier = 1;
}

#endif // TIRX_TILE_OPS_TD
