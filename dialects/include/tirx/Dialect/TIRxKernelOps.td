//===- TIRxKernelOps.td - kernels, launch rules, arguments -*- tablegen -*-===//

#ifndef TIRX_KERNEL_OPS_TD
#define TIRX_KERNEL_OPS_TD

include "tirx/Dialect/TIRxOpBase.td"

def TIRx_KernelOp : TIRx_Op<"kernel", [
    IsolatedFromAbove, Symbol, SingleBlock, NoTerminator,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "A kernel: its arguments, launch rules and device code";
  let description = [{
    The body runs on the host side of a launch: it computes the grid and checks
    the arguments with `tirx.dim`, `tirx.stride`, `tirx.require` and integer
    `arith` operations, and ends in one `tirx.launch` that holds the device
    code. The runtime evaluates it for every launch; nothing of it is compiled
    for a host. Values of the host part that the device part uses become
    parameters of the PTX entry.

    The argument names are those that callers use (`--arg A=...`).

    **Preconditions:** arguments are global buffers, integers or floats; their
    names are distinct identifiers.

    **Postconditions:** the module can be compiled to one PTX entry of the
    kernel's name.

    **Example:**

    ```mlir module
    tirx.kernel @scale(%X: !tirx.buffer<?x?xf32, global>, %alpha: f32) {
      %c1 = arith.constant 1 : index
      %c128 = arith.constant 128 : index
      %rows = tirx.dim %X, 0 : !tirx.buffer<?x?xf32, global>
      %grid = arith.ceildivui %rows, %c128 : index
      tirx.launch grid(%grid, %c1, %c1) threads(128) {
        tirx.cta_sync
      }
    }
    ```

    **Errors:** `argument 'X' appears twice`; `argument name '0' is not an
    identifier`; `must end in a tirx.launch`; `'scf.for' op is not allowed in
    the host part of a kernel`.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeArrayAttr:$argument_types,
                       StrArrayAttr:$argument_names);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::StringRef getArgumentName(unsigned index);
    ::mlir::Block::BlockArgListType getKernelArguments() {
      return getBody().getArguments();
    }
  }];
}

def TIRx_LaunchOp : TIRx_Op<"launch", [
    ParentOneOf<["KernelOp"]>, SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "Run device code on a grid of CTAs";
  let description = [{
    The region is what every thread of every CTA executes. `cluster` groups CTAs
    that can reach each other's shared memory; x runs fastest in the rank.

    **Preconditions:** `threads` is a multiple of 32 in [32, 1024] (PTX ISA,
    "Performance-Tuning Directives: .reqntid"). A cluster has at most 16 CTAs,
    and its extents divide those of the grid (the runtime refuses others). A
    grid extent of zero is an empty launch.

    **Postconditions:** the kernel has finished when the launch has.

    **Example:**

    ```mlir host
    tirx.launch grid(%c2, %c1, %c1) cluster(2, 1, 1) threads(128) {
      tirx.cta_sync
    }
    ```

    **Errors:** `threads(48) must be a multiple of 32 between 32 and 1024`;
    `cluster(4, 8, 1) has 32 CTAs, a cluster at most 16`.
  }];
  let arguments = (ins Index:$grid_x, Index:$grid_y, Index:$grid_z,
                       OptionalAttr<DenseI64ArrayAttr>:$cluster,
                       I64Attr:$threads);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `grid` `(` $grid_x `,` $grid_y `,` $grid_z `)`
    (`cluster` `` custom<ClusterSize>($cluster)^)? `threads` `(` $threads `)`
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Extents of a cluster in CTAs: x, y, z; 1 each without `cluster`.
    std::array<int64_t, 3> getClusterSize();
    /// CTAs of a cluster.
    int64_t getClusterCtas();
  }];
}

def TIRx_ReturnOp : TIRx_Op<"return", [Pure, Terminator,
    ParentOneOf<["LaunchOp", "ElectOp", "RolesOp", "RoleOp", "ForTilesOp"]>]> {
  let summary = "End of a device region";
  let description = [{
    Ends the region of `tirx.launch`, `tirx.elect`, `tirx.roles`, `tirx.role` or
    `tirx.for_tiles`; implied in text. Only a `tirx.role` that carries values
    returns any.

    **Preconditions:** none. **Postconditions:** none.

    **Example:**

    ```mlir
    tirx.elect {
      tirx.return
    }
    ```

    **Errors:** `expects parent op to be one of 'tirx.launch, ...'`.
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins)>];
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let hasVerifier = 1;
}

def TIRx_LaunchFuncOp : TIRx_Op<"launch_func", [ParentOneOf<["KernelOp"]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Launch outlined device code";
  let description = [{
    What `tirx-outline-kernels` leaves of a `tirx.launch`: the grid, and the
    host values that become the entry's parameters, in order.

    **Preconditions:** `callee` names a function with as many inputs as there
    are `parameters`. **Postconditions:** as `tirx.launch`.

    **Example:**

    ```mlir module
    func.func @k_device(%n: index) { return }
    tirx.kernel @k(%X: !tirx.buffer<?xf32, global>) {
      %c1 = arith.constant 1 : index
      %n = tirx.dim %X, 0 : !tirx.buffer<?xf32, global>
      tirx.launch_func @k_device grid(%c1, %c1, %c1) threads(128) shared_bytes(0)
        args(%n : index)
    }
    ```

    **Errors:** `callee @k_device is not a function of the module`; `passes 2
    parameters to @k_device, which has 1`.
  }];
  let hasVerifier = 1;
  let arguments = (ins FlatSymbolRefAttr:$callee,
                       Index:$grid_x, Index:$grid_y, Index:$grid_z,
                       OptionalAttr<DenseI64ArrayAttr>:$cluster,
                       I64Attr:$threads, I64Attr:$shared_bytes,
                       Variadic<AnyType>:$parameters);
  let assemblyFormat = [{
    $callee `grid` `(` $grid_x `,` $grid_y `,` $grid_z `)`
    (`cluster` `` custom<ClusterSize>($cluster)^)? `threads` `(` $threads `)` `shared_bytes` `(` $shared_bytes `)`
    `args` `(` ($parameters^ `:` qualified(type($parameters)))? `)` attr-dict
  }];
}

def TIRx_DimOp : TIRx_Op<"dim", [Pure]> {
  let summary = "An extent of a kernel argument";
  let description = [{
    The extent of `axis`, as the caller passed it. Usable in the host and the
    device part.

    **Preconditions:** `axis` is below the buffer's rank; the buffer is a kernel
    argument. **Postconditions:** the result is between 0 and 2^31 - 1 (the
    runtime refuses larger extents).

    **Example:**

    ```mlir
    %rows = tirx.dim %A, 0 : !tirx.buffer<?x?xf16, global>
    ```

    **Errors:** `axis 2 is out of range: the buffer has rank 2`;
    `operand must be a kernel argument`.
  }];
  let arguments = (ins TIRx_GlobalBuffer:$buffer, I64Attr:$axis);
  let results = (outs Index:$result);
  let assemblyFormat = "$buffer `,` $axis attr-dict `:` qualified(type($buffer))";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TIRx_StrideOp : TIRx_Op<"stride", [Pure]> {
  let summary = "A stride of a kernel argument, in elements";
  let description = [{
    The distance in elements between neighbours along `axis`.

    **Preconditions:** as `tirx.dim`. **Postconditions:** the stride of the last
    axis is 1.

    **Example:**

    ```mlir
    %pitch = tirx.stride %A, 0 : !tirx.buffer<?x?xf16, global>
    ```

    **Errors:** as `tirx.dim`.
  }];
  let arguments = (ins TIRx_GlobalBuffer:$buffer, I64Attr:$axis);
  let results = (outs I64:$result);
  let assemblyFormat = "$buffer `,` $axis attr-dict `:` qualified(type($buffer))";
  let hasVerifier = 1;
}

def TIRx_RequireOp : TIRx_Op<"require", [ParentOneOf<["KernelOp"]>]> {
  let summary = "Refuse a launch unless a condition holds";
  let description = [{
    The runtime evaluates the condition before a launch; if it is false nothing
    is launched and the caller gets `message`.

    **Preconditions:** the condition is computed in the host part.
    **Postconditions:** the device part may rely on the condition.

    **Example:**

    ```mlir host
    %rows = tirx.dim %A, 0 : !tirx.buffer<?x?xf16, global>
    %c128 = arith.constant 128 : index
    %rest = arith.remui %rows, %c128 : index
    %whole = arith.cmpi eq, %rest, %c0 : index
    tirx.require %whole, "M (A's rows) must be a multiple of 128"
    ```

    **Errors:** `expects parent op 'tirx.kernel'`.
  }];
  let arguments = (ins I1:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict";
}

def TIRx_TensorMapOp : TIRx_Op<"tensor_map", [Pure, ParentOneOf<["KernelOp"]>]> {
  let summary = "A TMA tensor map of a kernel argument";
  let description = [{
    The runtime encodes the 128-byte map before the launch (PTX ISA,
    "Tensor-map"; cuTensorMapEncodeTiled); it reaches the kernel as a
    `grid_constant` parameter. Elements outside of the tensor read as zero and
    are not written.

    **Preconditions:** the box has the buffer's rank, extents in [1, 256], an
    innermost extent of a multiple of 16 bytes that does not exceed the swizzle
    width. **Postconditions:** none.

    **Example:**

    ```mlir host
    %map = tirx.tensor_map %A : !tirx.buffer<?x?xf16, global>
      to !tirx.tensor_map<128x64xf16, swizzle128B>
    ```

    **Errors:** `box extent 512 of axis 0 is outside [1, 256] (cuTensorMapEncodeTiled, boxDim)`.
  }];
  let arguments = (ins TIRx_GlobalBuffer:$buffer);
  let results = (outs TIRx_TensorMapType:$result);
  let assemblyFormat = "$buffer attr-dict `:` qualified(type($buffer)) `to` qualified(type($result))";
  let hasVerifier = 1;
}

#endif // TIRX_KERNEL_OPS_TD
