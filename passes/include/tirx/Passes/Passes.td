//===- Passes.td - from tile operations to NVVM ------------*- tablegen -*-===//

#ifndef TIRX_PASSES_TD
#define TIRX_PASSES_TD

include "mlir/Pass/PassBase.td"

def TIRxVerify : Pass<"tirx-verify", "::mlir::ModuleOp"> {
  let summary = "Check the protocol rules that can be checked statically";
  let description = [{
    Changes nothing, and refuses, each with the places involved:

    - operations in the wrong threads: a CTA-wide barrier in one thread or in a
      role, an MMA in all threads, part of a warp or of a role where all must
      come;
    - named barriers that other threads reach than they count, or that two
      groups of threads share;
    - mbarriers that are not initialised once and before the roles, whose count
      no sum of arrivals can reach, or at which nothing arrives;
    - tensor memory that is not given back, or used afterwards;
    - `cta_group` mixed in a kernel, without a cluster of pairs, or issued by
      both CTAs of a pair;
    - pipelines that nobody fills or empties, whose signals do not fit the roles,
      or whose copies do not deliver the bytes that a stage expects;
    - tiles of a stage that are used after it was published or released, or
      written by a consumer;
    - roles that pass the stages of a pipeline a different number of times.
      Counts are sums of products of what loops count; where they cannot be
      compared, nothing is said.

    Who reaches an operation is computed from the thread coordinates in the
    conditions around it, where these can be followed.

    Before and after:

    ```mlir
    tirx.elect {
      tirx.cta_sync   // error: needs all threads of the CTA, but tirx.elect leaves one
    }
    ```
  }];
}

def TIRxRetype : Pass<"tirx-retype", "::mlir::ModuleOp"> {
  let summary = "Replace a float type by another of the same width";
  let description = [{
    Makes the twin of a kernel for another element type; everything else stays,
    and is verified again. Constants are rounded; one that is too large for the
    new type is an error.

    Before (`from=f16 to=bf16`):

    ```mlir
    tirx.kernel @k(%A: !tirx.buffer<?x?xf16, global>)
    ```

    After:

    ```mlir
    tirx.kernel @k(%A: !tirx.buffer<?x?xbf16, global>)
    ```
  }];
  let options = [
    Option<"from", "from", "std::string", "", "the element type to replace, e.g. f16">,
    Option<"to", "to", "std::string", "", "its replacement, e.g. bf16">];
}

def TIRxLowerSchedules : Pass<"tirx-lower-schedules", "::mlir::ModuleOp"> {
  let summary = "Make loops of schedules of tiles";
  let description = [{
    `tirx.grid_size` becomes arithmetic of the host part, `tirx.for_tiles` a loop
    over the numbers of the cluster's tiles (persistent) or its body (one_tile),
    with the coordinates computed from the number. The launch is refused if
    numbers do not fit 32 bits.

    Of a clc schedule, `tirx.fetch_tiles` becomes a loop that asks for tiles and
    `tirx.for_tiles` one that ends with the response; responses go through a ring
    of two with barriers whose counts follow from the roles.

    Before:

    ```mlir
    %tiles = tirx.schedule persistent over(%rows, %columns) : !tirx.schedule<2>
    %ctas = tirx.grid_size %tiles : !tirx.schedule<2>
    tirx.launch grid(%ctas, %c1, %c1) threads(128) {
      tirx.for_tiles (%m, %n) in %tiles : !tirx.schedule<2> { ... }
    }
    ```

    After:

    ```mlir
    %count = arith.muli %rows, %columns : index
    %sms = tirx.sm_count
    %some = arith.minui %count, %sms : index
    %ctas = arith.maxui %some, %c1 : index
    tirx.launch grid(%ctas, %c1, %c1) threads(128) {
      %bx = tirx.id bx
      scf.for %number = %bx to %count step %ctas {
        %m = arith.divui %number, %columns : index
        %before = arith.muli %m, %columns : index
        %n = arith.subi %number, %before : index
        ...
      }
    }
    ```
  }];
  let options = [Option<"launchControl", "launch-control", "bool", "true",
                        "whether the target has clusterlaunchcontrol">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TIRxPlanPipelines : Pass<"tirx-plan-pipelines", "::mlir::ModuleOp"> {
  let summary = "Write down the counts and bytes that the roles imply";
  let description = [{
    Who acquires and who waits says how many arrivals complete a phase of a
    pipeline's barriers, and its tiles how many bytes. Where they are written
    already, they are compared. Producers whose stages other CTAs release get a
    `tirx.drain` at the end of their role.

    Before:

    ```mlir
    %ring = tirx.pipeline full(tma) empty(mma) : !tirx.pipeline<4 x !As, !Bs>
    ```

    After:

    ```mlir
    %ring = tirx.pipeline full(tma) empty(mma) full_count(1) empty_count(1) bytes(32768)
      : !tirx.pipeline<4 x !As, !Bs>
    ```
  }];
}

def TIRxThreadPipelineState : Pass<"tirx-thread-pipeline-state", "::mlir::ModuleOp"> {
  let summary = "Make positions in pipelines SSA values";
  let description = [{
    Every role has its own position at each side of a pipeline that it uses: a
    stage and the parity that it waits for. Loops and branches carry them.

    Before:

    ```mlir
    scf.for %k = %c0 to %n step %c1 {
      %a = tirx.acquire %ring : !ring
      tirx.publish %ring : !ring
    }
    ```

    After:

    ```mlir
    scf.for %k = %c0 to %n step %c1 iter_args(%stage = %c0, %phase = %true) -> (index, i1) {
      %a = tirx.acquire %ring at(%stage, %phase) : !ring
      tirx.publish %ring at(%stage, %phase) : !ring
      %next = arith.addi %stage, %c1 : index
      %wraps = arith.cmpi eq, %next, %c4 : index
      %stage1 = arith.select %wraps, %c0, %next : index
      %phase1 = arith.xori %phase, %wraps : i1
      scf.yield %stage1, %phase1 : index, i1
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TIRxLowerPipelines : Pass<"tirx-lower-pipelines", "::mlir::ModuleOp"> {
  let summary = "Turn pipelines into buffers and mbarriers";
  let description = [{
    Storage and barriers, their initialisation, waits, expected bytes, arrivals
    and commits at every CTA that the plan names, with the fences that the
    memories need; tensor memory is given back at the end.

    Before:

    ```mlir
    %a, %b = tirx.acquire %ring at(%stage, %phase) : !ring
    tirx.copy_async %A_tile to %a : !A_tile to !As
    ```

    After:

    ```mlir
    tirx.mbarrier.wait %empty[%stage] parity(%phase) : !tirx.barrier<4>
    tirx.elect warp(5) {
      tirx.mbarrier.arrive %full[%stage] expect_tx(32768) : !tirx.barrier<4>
    }
    %a = tirx.slice %As[%stage, %c0, %c0] : !As_ring to !As
    tirx.copy_async %A_tile to %a signal(%full[%stage] : !tirx.barrier<4>) : !A_tile to !As
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TIRxElectThreads : Pass<"tirx-elect-threads", "::mlir::ModuleOp"> {
  let summary = "Elect a thread for what one thread must do";
  let description = [{
    In roles of one warp, TMA and MMA operations, commits and the like are
    gathered into `tirx.elect` regions, one for each run of them.

    Before:

    ```mlir
    tirx.role "mma" warps(4) {
      tirx.gemm_async %acc, %a, %b accumulate(%flag) : !Acc, !As, !Bs
      tirx.tcgen05.commit %done : !tirx.barrier<1>
    }
    ```

    After:

    ```mlir
    tirx.role "mma" warps(4) {
      tirx.elect warp(4) {
        tirx.gemm_async %acc, %a, %b accumulate(%flag) : !Acc, !As, !Bs
        tirx.tcgen05.commit %done : !tirx.barrier<1>
      }
    }
    ```
  }];
}

def TIRxLowerRoles : Pass<"tirx-lower-roles", "::mlir::ModuleOp"> {
  let summary = "Turn roles into branches of warps";
  let description = [{
    A role becomes a branch on the warp's number, which all lanes take together;
    `registers` a `setmaxnreg` of the warpgroup at the head of a branch that holds
    its roles; `tirx.role_sync` a named barrier.

    Before:

    ```mlir
    tirx.roles {
      tirx.role "load" warps(4) registers(48) { ... }
      tirx.role "epilogue" warps(0 to 4) registers(200) { tirx.role_sync }
    }
    ```

    After:

    ```mlir
    scf.if %isWarp4To8 {
      tirx.setmaxnreg decrease 48
      scf.if %isWarp4 { ... }
    }
    scf.if %isWarp0To4 {
      tirx.setmaxnreg increase 200
      tirx.barrier_sync id(1) threads(128)
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TIRxDispatch : Pass<"tirx-dispatch", "::mlir::ModuleOp"> {
  let summary = "Choose the hardware path of every tile operation";
  let description = [{
    Records the variant of each tile operation, and why better ones were
    refused. An operation without a variant is an error that lists them all.

    Before:

    ```mlir
    tirx.copy %tile to %As : !A_tile to !As
    ```

    After:

    ```mlir
    tirx.copy %tile to %As dispatch("vector")
      {tirx.refused = ["tcgen05_ld: the source is in global memory, not in tmem"]}
      : !A_tile to !As
    ```
  }];
}

def TIRxLowerTiles : Pass<"tirx-lower-tiles", "::mlir::ModuleOp"> {
  let summary = "Expand dispatched tile operations on memory";
  let description = [{
    Copies between memories become TMA instructions or loops of vector accesses,
    `gemm_async` becomes one `tcgen05.mma` per 16 elements of K. Tensor maps and
    the launch checks that a variant relies on are added to the host part.

    Before:

    ```mlir
    tirx.copy_async %tile to %As signal(%bar : !tirx.barrier<1>) dispatch("tma") : !A_tile to !As
    ```

    After:

    ```mlir
    tirx.tma.load %map[%m, %k] to %As offset(0) signal(%bar)
      : !tirx.tensor_map<128x64xf16, swizzle128B> to !As, !tirx.barrier<1>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TIRxDistribute : Pass<"tirx-distribute", "::mlir::ModuleOp"> {
  let summary = "Distribute register tiles over threads";
  let description = [{
    A register tile becomes the vector of those elements that the layout gives
    to one thread; elementwise operations stay what they are. `tensor.splat` gives
    every element the value of a scalar.

    Before:

    ```mlir
    %f = tirx.copy %acc dispatch("tcgen05_ld") : !Acc to tensor<128x128xf32, #rows>
    %h = arith.truncf %f : tensor<128x128xf32, #rows> to tensor<128x128xf16, #rows>
    ```

    After:

    ```mlir
    %f = tirx.tcgen05.ld %acc column(0) shape_32x32b num(128) : !Acc -> vector<128xf32>
    tirx.tcgen05.wait ld
    %h = arith.truncf %f : vector<128xf32> to vector<128xf16>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
}

def TIRxAssignStorage : Pass<"tirx-assign-storage", "::mlir::ModuleOp"> {
  let summary = "Give shared tiles, barriers and TMEM tiles their places";
  let description = [{
    Shared memory begins with the slot for the TMEM address and the barriers;
    tiles follow at their alignment. TMEM tiles get columns.

    Before:

    ```mlir
    %As = tirx.shared.alloc : !As
    %bar = tirx.mbarrier.alloc : !tirx.barrier<1>
    ```

    After:

    ```mlir
    %As = tirx.shared.alloc offset(1024) : !As
    %bar = tirx.mbarrier.alloc offset(8) : !tirx.barrier<1>
    ```
  }];
  let options = [Option<"maxSharedBytes", "max-shared-bytes", "int64_t", "232448",
                        "dynamic shared memory a CTA may have, in bytes">,
                 Option<"tmemColumns", "tmem-columns", "int64_t", "512",
                        "32-bit columns of tensor memory an SM has, 0 for none">];
}

def TIRxLowerProtocol : Pass<"tirx-lower-protocol", "::mlir::ModuleOp"> {
  let summary = "Spell out elections, waits and TMEM allocation";
  let description = [{
    `tirx.elect` becomes a branch of the warp (a uniform comparison) around a
    branch of the lane (`elect.sync`); `tirx.mbarrier.wait` a loop of
    `try_wait`; the first TMEM allocation and the last deallocation become those
    of one warp, with the barriers and fences that the other warps need. Warp
    numbers are taken at the start of the kernel, where all lanes are together.

    Before:

    ```mlir
    tirx.elect warp(0) { ... }
    tirx.mbarrier.wait %bar parity(%phase) : !tirx.barrier<1>
    ```

    After:

    ```mlir
    %warp = tirx.id warpid
    %mine = arith.cmpi eq, %warp, %c0 : index
    scf.if %mine {
      %one = tirx.elect_sync
      scf.if %one { ... }
    }
    scf.while : () -> () {
      %done = tirx.mbarrier.try_wait %bar parity(%phase) : !tirx.barrier<1>
      %again = arith.xori %done, %true : i1
      scf.condition(%again)
    } do { scf.yield }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TIRxOutlineKernels : Pass<"tirx-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "Move device code into functions";
  let description = [{
    The region of `tirx.launch` becomes a function whose arguments are the host
    values that it used.

    Before:

    ```mlir
    tirx.kernel @k(%X: !tirx.buffer<?xf32, global>) {
      tirx.launch grid(%c1, %c1, %c1) threads(128) { ... }
    }
    ```

    After:

    ```mlir
    func.func @k_device(%X: !tirx.buffer<?xf32, global>) attributes {...} { ... }
    tirx.kernel @k(%X: !tirx.buffer<?xf32, global>) {
      tirx.launch_func @k_device grid(%c1, %c1, %c1) threads(128) shared_bytes(0)
        args(%X : !tirx.buffer<?xf32, global>)
    }
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def ConvertTIRxToNVVM : Pass<"convert-tirx-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "Convert device functions to the LLVM and NVVM dialects";
  let description = [{
    Expects outlined kernels with assigned storage and without structured
    control flow. `tirx.kernel` operations stay, for the manifest.

    Before:

    ```mlir
    tirx.cta_sync
    ```

    After:

    ```mlir
    nvvm.barrier
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

#endif // TIRX_PASSES_TD
