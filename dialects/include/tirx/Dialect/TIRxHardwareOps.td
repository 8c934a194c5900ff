//===- TIRxHardwareOps.td - one PTX instruction each -------*- tablegen -*-===//

#ifndef TIRX_HARDWARE_OPS_TD
#define TIRX_HARDWARE_OPS_TD

include "tirx/Dialect/TIRxOpBase.td"

def TIRx_ElectSyncOp : TIRx_Op<"elect_sync"> {
  let summary = "True in one lane of the warp (elect.sync)";
  let description = [{
    **Preconditions:** reached by all lanes of the warp together.
    **Postconditions:** true in exactly one lane; which one is not specified
    (PTX ISA, "elect.sync").

    **Example:**

    ```mlir
    %one = tirx.elect_sync
    ```

    **Errors:** none of its own.
  }];
  let results = (outs I1:$result);
  let assemblyFormat = "attr-dict";
}

def TIRx_MbarrierTryWaitOp : TIRx_Op<"mbarrier.try_wait"> {
  let summary = "Ask whether a phase of an mbarrier has completed";
  let description = [{
    True when the phase of parity `parity` has completed; may take a while to
    say false, and may say false although it has (PTX ISA, "mbarrier.try_wait").

    **Preconditions:** as `tirx.mbarrier.wait`. **Postconditions:** if true, as
    there.

    **Example:**

    ```mlir
    %done = tirx.mbarrier.try_wait %bar parity(%phase) : !tirx.barrier<1>
    %done2 = tirx.mbarrier.try_wait %bar parity(%phase) cluster : !tirx.barrier<1>
    ```

    **Errors:** as `tirx.mbarrier.wait`.
  }];
  let arguments = (ins TIRx_BarrierType:$barrier, Optional<Index>:$slot,
                       I1:$parity, UnitAttr:$cluster);
  let results = (outs I1:$result);
  let assemblyFormat = [{
    $barrier (`[` $slot^ `]`)? `parity` `(` $parity `)` (`cluster` $cluster^)? attr-dict `:` qualified(type($barrier))
  }];
  let hasVerifier = 1;
}

class TIRx_Tcgen05ColumnsOp<string mnemonic> : TIRx_Op<mnemonic> {
  let hasVerifier = 1;
}

def TIRx_Tcgen05AllocOp : TIRx_Tcgen05ColumnsOp<"tcgen05.alloc"> {
  let summary = "Allocate columns of tensor memory, and no more afterwards";
  let description = [{
    `tcgen05.alloc`, then `tcgen05.relinquish_alloc_permit`: allocates `columns`
    32-bit columns of tensor memory and writes their address to the word
    `address_offset` bytes into the CTA's dynamic shared memory. Blocks until
    they are free. `cta_group(2)` allocates in both CTAs of a pair; all tcgen05
    operations of a kernel have one `cta_group` (PTX ISA, "tcgen05: CTA pair").

    **Preconditions:** executed by one whole warp of the CTA (of each CTA of the
    pair, with the same operands); `columns` is a power of two in [32, 512].
    **Postconditions:** the address is visible to other warps after a CTA-wide
    barrier.

    **Example:**

    ```mlir
    tirx.tcgen05.alloc columns(128) address_offset(0)
    tirx.tcgen05.alloc columns(128) address_offset(0) cta_group(2)
    ```

    **Errors:** `columns(96) must be a power of two between 32 and 512`;
    `address_offset(2) must be a non-negative multiple of 4`; `cta_group(3) must
    be 1 or 2`.
  }];
  let arguments = (ins I64Attr:$columns, I64Attr:$address_offset,
                       DefaultValuedAttr<I64Attr, "1">:$cta_group);
  let assemblyFormat = [{
    `columns` `(` $columns `)` `address_offset` `(` $address_offset `)`
    (`cta_group` `(` $cta_group^ `)`)? attr-dict
  }];
}

def TIRx_Tcgen05DeallocOp : TIRx_Tcgen05ColumnsOp<"tcgen05.dealloc"> {
  let summary = "Free columns of tensor memory";
  let description = [{
    Frees the columns that begin at `buffer`; with `cta_group(2)` in both CTAs
    of the pair.

    **Preconditions:** executed by one whole warp (of each CTA of the pair); an
    allocation of exactly these columns is live; no tcgen05 operation on them is
    outstanding, not from the other CTA either.
    **Postconditions:** they are free.

    **Example:**

    ```mlir
    tirx.tcgen05.dealloc %acc columns(128) : !Acc
    ```

    **Errors:** as `tirx.tcgen05.alloc`.
  }];
  let arguments = (ins TIRx_TmemBuffer:$buffer, I64Attr:$columns,
                       DefaultValuedAttr<I64Attr, "1">:$cta_group);
  let assemblyFormat = [{
    $buffer `columns` `(` $columns `)` (`cta_group` `(` $cta_group^ `)`)? attr-dict
    `:` qualified(type($buffer))
  }];
}

def TIRx_TmaLoadOp : TIRx_Op<"tma.load", [AttrSizedOperandSegments]> {
  let summary = "Load a box by TMA (cp.async.bulk.tensor, global to shared)";
  let description = [{
    Loads one box. Coordinates are written slowest axis first, as in a slice;
    the box lands `offset` bytes into the buffer, plus those of an optional
    second offset that is a value.

    With `multicast` the box lands at the same place of every CTA of the cluster
    whose rank's bit is set in the mask, and each one's barrier gets the bytes.
    With `cta_group(2)` the bytes go to the barrier of the even CTA of the pair
    instead: bit 24 of its shared::cluster address, the lowest of the CTA's rank,
    is cleared (PTX ISA, "cp.async.bulk.tensor: .cta_group").

    **Preconditions:** executed by one thread; the destination is inside the
    buffer and 128-byte aligned; coordinates fit 32 bits; the mask names CTAs of
    the cluster. **Postconditions:** the barrier gets the box's bytes when they
    are written.

    **Example:**

    ```mlir
    tirx.elect {
      tirx.tma.load %A_map[%m, %k] to %As offset(0) signal(%bar)
        : !tirx.tensor_map<128x64xf16, swizzle128B> to !As, !tirx.barrier<1>
      %at = arith.constant 0 : index
      %mask = arith.constant 3 : i16
      tirx.tma.load %A_map[%m, %k] to %As offset(0, %at) signal(%bar)
        multicast(%mask) cta_group(2)
        : !tirx.tensor_map<128x64xf16, swizzle128B> to !As, !tirx.barrier<1>
    }
    ```

    **Errors:** `has 1 coordinates, but the box has rank 2`; `box of 16384 bytes
    at offset 8192 exceeds the buffer's 16384 bytes`.
  }];
  let arguments = (ins TIRx_TensorMapType:$map, Variadic<Index>:$coordinates,
                       TIRx_SharedBuffer:$buffer, I64Attr:$offset,
                       Optional<Index>:$dynamic_offset,
                       TIRx_BarrierType:$barrier, Optional<Index>:$slot,
                       Optional<I16>:$multicast,
                       DefaultValuedAttr<I64Attr, "1">:$cta_group);
  let assemblyFormat = [{
    $map `[` $coordinates `]` `to` $buffer
    `offset` `(` $offset (`,` $dynamic_offset^)? `)`
    `signal` `(` $barrier (`[` $slot^ `]`)? `)` (`multicast` `(` $multicast^ `)`)?
    (`cta_group` `(` $cta_group^ `)`)? attr-dict
    `:` qualified(type($map)) `to` qualified(type($buffer)) `,` qualified(type($barrier))
  }];
  let hasVerifier = 1;
}

def TIRx_TmaStoreOp : TIRx_Op<"tma.store"> {
  let summary = "Store a box by TMA (cp.async.bulk.tensor, shared to global)";
  let description = [{
    Stores one box from `offset` bytes into the buffer; elements outside of the
    tensor are not written.

    **Preconditions:** executed by one thread; coordinates are not negative.
    **Postconditions:** `tirx.bulk.commit_group` and `wait_group` tell when.

    **Example:**

    ```mlir
    tirx.elect {
      tirx.tma.store %As offset(0) to %A_map[%m, %k]
        : !As to !tirx.tensor_map<128x64xf16, swizzle128B>
    }
    ```

    **Errors:** as `tirx.tma.load`.
  }];
  let arguments = (ins TIRx_SharedBuffer:$buffer, I64Attr:$offset,
                       TIRx_TensorMapType:$map, Variadic<Index>:$coordinates);
  let assemblyFormat = [{
    $buffer `offset` `(` $offset `)` `to` $map `[` $coordinates `]` attr-dict
    `:` qualified(type($buffer)) `to` qualified(type($map))
  }];
  let hasVerifier = 1;
}

def TIRx_Tcgen05MmaOp : TIRx_Op<"tcgen05.mma"> {
  let summary = "One tcgen05.mma, operands in shared memory";
  let description = [{
    D += A * B^T for one instruction's K, 32 bytes: 16 elements of f16 or bf16
    (kind::f16), 8 of f32 (kind::tf32, which ignores their low 13 bits), 32 of
    f8E4M3FN and f8E5M2 in any pairing (kind::f8f6f4). `a_desc` and `b_desc`
    are the operands' descriptors without the address; the addresses are those
    of the buffers plus `a_offset` and `b_offset` bytes. `column` is added to
    D's first column, in 32-bit columns.

    With `cta_group(2)` the pair of CTAs multiplies together: each has, at the
    same places, half of A's rows, half of B's rows, and its half of D's rows
    with all columns; m and n count both halves.

    **Preconditions:** executed by one thread (by convention of the pair's even
    CTA); m is 64 or 128 (128 or 256 over a pair) and n a multiple of 8 (32) up
    to 256 (PTX ISA, "tcgen05.mma: matrix shape"). **Postconditions:** none at
    once.

    **Example:**

    ```mlir
    tirx.elect {
      tirx.tcgen05.mma %acc column(0), %As offset(32), %Bs offset(32) accumulate(%flag)
        shape(128, 128, 16)
        a_desc(<lbo = 16, sbo = 1024, swizzle128B, K>)
        b_desc(<lbo = 16, sbo = 1024, swizzle128B, K>)
        : !Acc, !As, !Bs
      tirx.tcgen05.mma %acc column(0), %As offset(32), %Bs offset(32) accumulate(%flag)
        shape(256, 128, 16)
        a_desc(<lbo = 16, sbo = 1024, swizzle128B, K>)
        b_desc(<lbo = 16, sbo = 1024, swizzle128B, K>) cta_group(2)
        : !Acc, !As, !Bs
    }
    ```

    **Errors:** an m or n that the kind does not have, with those it has;
    `cannot multiply f16 by bf16: tcgen05.mma multiplies ...`.
  }];
  let arguments = (ins TIRx_TmemBuffer:$d, I64Attr:$column,
                       TIRx_SharedBuffer:$a, I64Attr:$a_offset,
                       TIRx_SharedBuffer:$b, I64Attr:$b_offset,
                       I1:$accumulate,
                       I64Attr:$m, I64Attr:$n, I64Attr:$k,
                       TIRx_SmemDescAttr:$a_desc, TIRx_SmemDescAttr:$b_desc,
                       DefaultValuedAttr<I64Attr, "1">:$cta_group);
  let assemblyFormat = [{
    $d `column` `(` $column `)` `,` $a `offset` `(` $a_offset `)` `,`
    $b `offset` `(` $b_offset `)` `accumulate` `(` $accumulate `)`
    `shape` `(` $m `,` $n `,` $k `)`
    `a_desc` `(` $a_desc `)` `b_desc` `(` $b_desc `)`
    (`cta_group` `(` $cta_group^ `)`)? attr-dict
    `:` qualified(type($d)) `,` qualified(type($a)) `,` qualified(type($b))
  }];
  let hasVerifier = 1;
}

def TIRx_Tcgen05LdOp : TIRx_Op<"tcgen05.ld"> {
  let summary = "Load tensor memory into registers";
  let description = [{
    Each warp reads its 32 lanes of `num` repetitions of `shape`, starting
    `column` columns into the buffer. The result is a register tile, or (after
    distribution) the thread's registers as a vector.

    **Preconditions:** executed by whole warps; `num` is a power of two up to
    128 (32x32b, 16x64b), 64 (16x128b) or 32 (16x256b).
    **Postconditions:** the registers are valid when used; `tirx.tcgen05.wait ld`
    says when the tensor memory may be overwritten.

    **Example:**

    ```mlir
    %f = tirx.tcgen05.ld %acc column(0) shape_32x32b num(128)
      : !Acc -> tensor<128x128xf32, #rows>
    ```

    **Errors:** `num(256) exceeds 128, the most that 32x32b takes`; `32x32b
    num(32) moves 32 32-bit registers a thread, not 'vector<16xf32>'`.
  }];
  let arguments = (ins TIRx_TmemBuffer:$buffer, I64Attr:$column,
                       TIRx_Tcgen05LdStShapeAttr:$shape, I64Attr:$num);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $buffer `column` `(` $column `)` `` $shape `num` `(` $num `)` attr-dict
    `:` qualified(type($buffer)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def TIRx_Tcgen05StOp : TIRx_Op<"tcgen05.st"> {
  let summary = "Store registers to tensor memory";
  let description = [{
    The counterpart of `tirx.tcgen05.ld`.

    **Preconditions:** as there. **Postconditions:** `tirx.tcgen05.wait st` says
    when the data is there.

    **Example:**

    ```mlir
    tirx.tcgen05.st %tile_f32, %acc column(0) shape_32x32b num(128)
      : tensor<128x128xf32, #rows> to !Acc
    tirx.tcgen05.wait st
    ```

    **Errors:** as there.
  }];
  let arguments = (ins AnyType:$value, TIRx_TmemBuffer:$buffer, I64Attr:$column,
                       TIRx_Tcgen05LdStShapeAttr:$shape, I64Attr:$num);
  let assemblyFormat = [{
    $value `,` $buffer `column` `(` $column `)` `` $shape `num` `(` $num `)`
    attr-dict `:` qualified(type($value)) `to` qualified(type($buffer))
  }];
  let hasVerifier = 1;
}

def TIRx_LdOp : TIRx_Op<"ld", [MemoryEffects<[MemRead]>]> {
  let summary = "Load a vector from global or shared memory";
  let description = [{
    Loads the vector's elements from `offset` elements behind the start of the
    buffer (32 bits as an index, 64 as i64); no layout is applied. One
    `ld.global` or `ld.shared`.

    **Preconditions:** the address is aligned to the vector's size (at most 16
    bytes). **Postconditions:** none.

    **Example:**

    ```mlir
    %at = arith.constant 64 : i64
    %v = tirx.ld %A[%at] : i64, !tirx.buffer<?x?xf16, global> -> vector<8xf16>
    ```

    **Errors:** `'vector<16xf16>' has 256 bits, ld takes 8, 16, 32, 64 or 128`;
    `vector element 'f32' is not the buffer's 'f16'`.
  }];
  let arguments = (ins Arg<TIRx_BufferType, "", [MemRead]>:$buffer,
                       AnyTypeOf<[I64, Index]>:$offset);
  let results = (outs FixedVectorOfRankAndType<[1], [AnyType]>:$result);
  let assemblyFormat = "$buffer `[` $offset `]` attr-dict `:` qualified(type($offset)) `,` qualified(type($buffer)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def TIRx_StOp : TIRx_Op<"st", [MemoryEffects<[MemWrite]>]> {
  let summary = "Store a vector to global or shared memory";
  let description = [{
    The counterpart of `tirx.ld`.

    **Preconditions:** as there. **Postconditions:** none.

    **Example:**

    ```mlir
    %at = arith.constant 64 : index
    %v = arith.constant dense<1.0> : vector<8xf16>
    tirx.st %v, %As[%at] : vector<8xf16>, index to !As
    ```

    **Errors:** as there.
  }];
  let arguments = (ins FixedVectorOfRankAndType<[1], [AnyType]>:$value,
                       Arg<TIRx_BufferType, "", [MemWrite]>:$buffer,
                       AnyTypeOf<[I64, Index]>:$offset);
  let assemblyFormat = "$value `,` $buffer `[` $offset `]` attr-dict `:` qualified(type($value)) `,` qualified(type($offset)) `to` qualified(type($buffer))";
  let hasVerifier = 1;
}

#endif // TIRX_HARDWARE_OPS_TD
