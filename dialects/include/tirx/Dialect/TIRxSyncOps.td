//===- TIRxSyncOps.td - scopes, barriers, fences -----------*- tablegen -*-===//

#ifndef TIRX_SYNC_OPS_TD
#define TIRX_SYNC_OPS_TD

include "tirx/Dialect/TIRxOpBase.td"

def TIRx_IdOp : TIRx_Op<"id", [Pure]> {
  let summary = "A coordinate of the executing thread";
  let description = [{
    `bx by bz`: the CTA in the grid; `tx`: the thread in the CTA; `warpid
    laneid`: its warp in the CTA, its lane in the warp; `wgid tid_in_wg
    wid_in_wg`: its warpgroup, and thread and warp in that. `warpid`, `wgid` and
    `wid_in_wg` are warp-uniform for the compiler too.

    `clx cly clz`: the cluster in the grid of clusters; `cbx cby cbz`: the CTA in
    its cluster; `cta_rank`: its number there, x fastest (`%cluster_ctarank`).
    Without a cluster these are the CTA itself and 0.

    **Preconditions:** in device code. **Postconditions:** none.

    **Example:**

    ```mlir
    %row = tirx.id tid_in_wg
    ```

    **Errors:** none of its own.
  }];
  let arguments = (ins TIRx_ThreadAxisAttr:$axis);
  let results = (outs Index:$result);
  let assemblyFormat = "`` $axis attr-dict";
}

def TIRx_ElectOp : TIRx_Op<"elect", [
    SingleBlockImplicitTerminator<"ReturnOp">, RecursiveMemoryEffects,
    RecursivelySpeculatable]> {
  let summary = "Run a region in one thread of the CTA";
  let description = [{
    The thread is elected by `elect.sync` in warp `warp` of the CTA; by default
    in the first of the role, or of the CTA. The other threads skip the region;
    nothing is synchronised.

    **Preconditions:** all threads of the warp reach it together; not nested.
    **Postconditions:** none.

    **Example:**

    ```mlir
    tirx.elect warp(0) {
      tirx.mbarrier.init %bar count(1) : !tirx.barrier<1>
    }
    ```

    **Errors:** `may not be nested in another tirx.elect`; `warp(9) is out of
    range: the launch has 4 warps`; `warp(0) is none of role "store", which has
    the warps 4 to 7`; inside: `'tirx.cta_sync' needs all threads
    of the CTA, but tirx.elect leaves one`.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$warp);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "(`warp` `(` $warp^ `)`)? attr-dict-with-keyword $body";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The warp that elects: `warp`, else the first of the role or of the CTA.
    int64_t getElectedWarp();
  }];
}

def TIRx_CtaSyncOp : TIRx_Op<"cta_sync"> {
  let summary = "Wait for all threads of the CTA";
  let description = [{
    `bar.sync 0`: generic-proxy accesses before it are visible to all threads
    after it (PTX ISA, "bar, barrier").

    **Preconditions:** reached by all threads. **Postconditions:** all threads
    have reached it.

    **Example:**

    ```mlir
    tirx.cta_sync
    ```

    **Errors:** inside `tirx.elect` or a branch that depends on the thread:
    refused by `tirx-verify`.
  }];
  let assemblyFormat = "attr-dict";
}

def TIRx_BarrierSyncOp : TIRx_Op<"barrier_sync"> {
  let summary = "Wait for some threads of the CTA at a named barrier";
  let description = [{
    `bar.sync id, threads`.

    **Preconditions:** `id` in [1, 15]; `threads` a multiple of 32, not more
    than the launch has; exactly these threads reach it. **Postconditions:**
    all of them have reached it.

    **Example:**

    ```mlir
    tirx.barrier_sync id(10) threads(128)
    ```

    **Errors:** `id(16) is outside [1, 15] (PTX ISA, bar: 16 barriers, 0 is
    tirx.cta_sync's)`; `threads(100) must be a multiple of the warp size 32`;
    from `tirx-verify`: `id(1) waits for 128 threads, but 256 reach it: give each
    group of threads an id of its own`.
  }];
  let arguments = (ins I64Attr:$id, I64Attr:$threads);
  let assemblyFormat = "`id` `(` $id `)` `threads` `(` $threads `)` attr-dict";
  let hasVerifier = 1;
}

def TIRx_BarrierArriveOp : TIRx_Op<"barrier_arrive"> {
  let summary = "Arrive at a named barrier without waiting";
  let description = [{
    `bar.arrive id, threads`: counts towards the threads that a
    `tirx.barrier_sync` of the same `id` and `threads` waits for.

    **Preconditions:** as `tirx.barrier_sync`; `threads` counts those that
    arrive and those that wait. **Postconditions:** accesses before it are
    visible to the threads that waited.

    **Example:**

    ```mlir
    tirx.barrier_arrive id(10) threads(64)
    ```

    **Errors:** as `tirx.barrier_sync`.
  }];
  let arguments = (ins I64Attr:$id, I64Attr:$threads);
  let assemblyFormat = "`id` `(` $id `)` `threads` `(` $threads `)` attr-dict";
  let hasVerifier = 1;
}

def TIRx_ClusterSyncOp : TIRx_Op<"cluster_sync"> {
  let summary = "Wait for all threads of the cluster";
  let description = [{
    `barrier.cluster.arrive.aligned` (release), `barrier.cluster.wait.aligned`
    (acquire): generic-proxy accesses before it, also to the shared memory of
    other CTAs, are visible to all threads of the cluster after it. It says
    nothing about asynchronous copies (PTX ISA, "barrier.cluster").

    **Preconditions:** reached by all threads of all CTAs of the cluster.
    **Postconditions:** all of them have reached it.

    **Example:**

    ```mlir
    tirx.cluster_sync
    ```

    **Errors:** as `tirx.cta_sync`.
  }];
  let assemblyFormat = "attr-dict";
}

def TIRx_GridDepControlOp : TIRx_Op<"griddepcontrol"> {
  let summary = "Programmatic dependent launch";
  let description = [{
    - `wait`: returns when the grids that this one depends on have completed
      and their writes are visible (`griddepcontrol.wait`);
    - `launch_dependents`: the grids that depend on this one may start once all
      its CTAs have said so or ended (`griddepcontrol.launch_dependents`).

    Both do nothing in a launch without such a dependence.

    **Preconditions:** none. **Postconditions:** as said.

    **Example:**

    ```mlir
    tirx.griddepcontrol wait
    tirx.griddepcontrol launch_dependents
    ```

    **Errors:** none of its own.
  }];
  let arguments = (ins TIRx_GridDepActionAttr:$action);
  let assemblyFormat = "`` $action attr-dict";
}

def TIRx_SetMaxNRegOp : TIRx_Op<"setmaxnreg"> {
  let summary = "Change how many registers a thread may use";
  let description = [{
    `increase` waits until the CTA's pool has the registers, `decrease` gives
    some back to it (PTX ISA, "setmaxnreg").

    **Preconditions:** executed by all warps of a warpgroup; `count` is a
    multiple of 8 in [24, 256], not below (above) what the threads have now.
    **Postconditions:** each thread has `count` registers; what new ones hold is
    undefined.

    **Example:**

    ```mlir
    tirx.setmaxnreg increase 200
    tirx.setmaxnreg decrease 48
    ```

    **Errors:** `count 100 must be a multiple of 8 in [24, 256] (PTX ISA,
    setmaxnreg)`.
  }];
  let arguments = (ins TIRx_SetMaxNRegActionAttr:$action, I64Attr:$count);
  let assemblyFormat = "`` $action $count attr-dict";
  let hasVerifier = 1;
}

def TIRx_WarpSyncOp : TIRx_Op<"warp_sync"> {
  let summary = "Wait for all lanes of the warp";
  let description = [{
    `bar.warp.sync -1`.

    **Preconditions:** reached by all lanes of the warp. **Postconditions:**
    memory accesses of the lanes before it are visible to them after it.

    **Example:**

    ```mlir
    tirx.warp_sync
    ```

    **Errors:** as `tirx.cta_sync`.
  }];
  let assemblyFormat = "attr-dict";
}

def TIRx_FenceOp : TIRx_Op<"fence"> {
  let summary = "Order memory accesses";
  let description = [{
    - `proxy_async`: generic-proxy accesses to shared memory before it, against
      async-proxy accesses (TMA, MMA operands) after it
      (`fence.proxy.async.shared::cta`);
    - `proxy_async_global`: the same for global memory
      (`fence.proxy.async.global`);
    - `mbarrier_init`: `mbarrier.init` before it, against arrivals of the async
      proxy and of the cluster (`fence.mbarrier_init.release.cluster`);
    - `tcgen05_before_thread_sync`, `tcgen05_after_thread_sync`: carry the order
      of tcgen05 operations over a synchronisation of threads.

    **Preconditions:** none. **Postconditions:** as said.

    **Example:**

    ```mlir
    tirx.fence proxy_async
    ```

    **Errors:** none of its own.
  }];
  let arguments = (ins TIRx_FenceKindAttr:$kind);
  let assemblyFormat = "`` $kind attr-dict";
}

def TIRx_MbarrierInitOp : TIRx_Op<"mbarrier.init"> {
  let summary = "Initialise mbarriers";
  let description = [{
    Every slot of the array gets phase 0 and expects `count` arrivals a phase.

    **Preconditions:** executed by one thread, once; `count` in [1, 2^20 - 1]
    (PTX ISA, "mbarrier.init"). **Postconditions:** visible to the other threads
    after `tirx.fence mbarrier_init` and a CTA-wide barrier.

    **Example:**

    ```mlir
    tirx.elect {
      tirx.mbarrier.init %bar count(1) : !tirx.barrier<1>
      tirx.fence mbarrier_init
    }
    ```

    **Errors:** `count(0) is outside [1, 1048575]`; from `tirx-verify`: outside
    of `tirx.elect`; `count(127) cannot be reached: arrivals come in multiples of
    128`.
  }];
  let arguments = (ins TIRx_BarrierType:$barrier, I64Attr:$count);
  let assemblyFormat = "$barrier `count` `(` $count `)` attr-dict `:` qualified(type($barrier))";
  let hasVerifier = 1;
}

def TIRx_MbarrierArriveOp : TIRx_Op<"mbarrier.arrive", [AttrSizedOperandSegments]> {
  let summary = "Arrive at an mbarrier, maybe expecting bytes";
  let description = [{
    One arrival of the executing thread (release, CTA scope). With `expect` the
    phase also waits for the bytes of the buffers named, which asynchronous
    copies will deliver: the count is derived from their types. `expect_tx`
    gives a number of bytes instead.

    `cta` arrives at the barrier at the same place of another CTA of the cluster
    (`mapa`), the one of that rank; the scope is then the cluster. `cluster`
    takes that scope for a barrier of the CTA itself, on which threads of other
    CTAs wait or arrive.

    **Preconditions:** the barrier is initialised; `slot` is in range; bytes in
    [0, 2^20 - 1]; the rank is below the cluster's size, and that CTA has not
    exited. **Postconditions:** the pending count is one lower.

    **Example:**

    ```mlir
    tirx.elect {
      tirx.mbarrier.arrive %bar expect(%As, %Bs : !As, !Bs) : !tirx.barrier<1>
    }
    tirx.mbarrier.arrive %bar : !tirx.barrier<1>
    tirx.mbarrier.arrive %bar expect_tx(32768) : !tirx.barrier<1>
    tirx.mbarrier.arrive %bar cluster : !tirx.barrier<1>
    %rank = arith.constant 1 : index
    tirx.mbarrier.arrive %bar cta(%rank) : !tirx.barrier<1>
    ```

    **Errors:** `takes either expect(...) or expect_tx(...), not both`; `an
    arrival at another CTA cannot expect bytes`;
    `expects 2097152 bytes, outside the [0, 1048575] that an mbarrier can
    count`.
  }];
  let arguments = (ins TIRx_BarrierType:$barrier, Optional<Index>:$slot,
                       Variadic<TIRx_BufferType>:$expected,
                       Optional<Index>:$cta,
                       OptionalAttr<I64Attr>:$expect_tx,
                       UnitAttr:$cluster);
  let assemblyFormat = [{
    $barrier (`[` $slot^ `]`)?
    (`expect` `(` $expected^ `:` qualified(type($expected)) `)`)?
    (`expect_tx` `(` $expect_tx^ `)`)? (`cta` `(` $cta^ `)`)? (`cluster` $cluster^)?
    attr-dict `:` qualified(type($barrier))
  }];
  let hasVerifier = 1;
}

def TIRx_MbarrierWaitOp : TIRx_Op<"mbarrier.wait"> {
  let summary = "Wait for a phase of an mbarrier";
  let description = [{
    Returns when the phase of parity `parity` has completed (acquire, CTA
    scope). A fresh barrier is in phase 0: waiting for parity 1 returns at once.
    `cluster` acquires at cluster scope: for accesses before arrivals of other
    CTAs.

    **Preconditions:** the barrier is initialised and not two phases ahead.
    **Postconditions:** bytes that the phase waited for have arrived; accesses
    before its arrivals are visible.

    **Example:**

    ```mlir
    tirx.mbarrier.wait %bar parity(%phase) : !tirx.barrier<1>
    tirx.mbarrier.wait %bar parity(%phase) cluster : !tirx.barrier<1>
    ```

    **Errors:** none of its own; `slot` out of a static range is refused.
  }];
  let arguments = (ins TIRx_BarrierType:$barrier, Optional<Index>:$slot,
                       I1:$parity, UnitAttr:$cluster);
  let assemblyFormat = [{
    $barrier (`[` $slot^ `]`)? `parity` `(` $parity `)` (`cluster` $cluster^)? attr-dict `:` qualified(type($barrier))
  }];
  let hasVerifier = 1;
}

def TIRx_Tcgen05CommitOp : TIRx_Op<"tcgen05.commit", [AttrSizedOperandSegments]> {
  let summary = "Let an mbarrier track the MMAs issued so far";
  let description = [{
    When all tcgen05 operations that the executing thread has issued are
    complete, one arrival is made at the barrier (PTX ISA, "tcgen05.commit").
    `cta_group` is that of the operations tracked. With `multicast` the arrival
    is made at the barrier at the same place of every CTA of the cluster whose
    rank's bit is set in the mask.

    **Preconditions:** executed by the thread that issued the MMAs; the mask
    names CTAs of the cluster. **Postconditions:** none at once.

    **Example:**

    ```mlir
    tirx.elect {
      tirx.gemm_async %acc, %As, %Bs accumulate(%flag) : !Acc, !As, !Bs
      tirx.tcgen05.commit %bar : !tirx.barrier<1>
      %pair = arith.constant 3 : i16
      tirx.tcgen05.commit %bar multicast(%pair) cta_group(2) : !tirx.barrier<1>
    }
    ```

    **Errors:** `cta_group(3) must be 1 or 2`; outside of `tirx.elect`: refused by `tirx-verify`, as 31 lanes
    with nothing issued would arrive at once.
  }];
  let arguments = (ins TIRx_BarrierType:$barrier, Optional<Index>:$slot,
                       Optional<I16>:$multicast,
                       DefaultValuedAttr<I64Attr, "1">:$cta_group);
  let assemblyFormat = [{
    $barrier (`[` $slot^ `]`)? (`multicast` `(` $multicast^ `)`)?
    (`cta_group` `(` $cta_group^ `)`)? attr-dict `:` qualified(type($barrier))
  }];
  let hasVerifier = 1;
}

def TIRx_Tcgen05WaitOp : TIRx_Op<"tcgen05.wait"> {
  let summary = "Wait for tcgen05 loads or stores of this thread";
  let description = [{
    `ld`: the tensor memory read may be overwritten; `st`: what was stored can
    be read after a synchronisation (PTX ISA, "tcgen05.wait").

    **Preconditions:** executed by whole warps. **Postconditions:** as said.

    **Example:**

    ```mlir
    tirx.tcgen05.wait ld
    ```

    **Errors:** none of its own.
  }];
  let arguments = (ins TIRx_Tcgen05WaitKindAttr:$kind);
  let assemblyFormat = "`` $kind attr-dict";
}

def TIRx_BulkCommitGroupOp : TIRx_Op<"bulk.commit_group"> {
  let summary = "Put the TMA stores issued so far into a group";
  let description = [{
    `cp.async.bulk.commit_group`, of the executing thread.

    **Preconditions:** executed by the thread that issued the stores.
    **Postconditions:** `tirx.bulk.wait_group` can wait for them.

    **Example:**

    ```mlir
    tirx.elect {
      tirx.bulk.commit_group
    }
    ```

    **Errors:** none of its own.
  }];
  let assemblyFormat = "attr-dict";
}

def TIRx_BulkWaitGroupOp : TIRx_Op<"bulk.wait_group"> {
  let summary = "Wait for groups of TMA stores";
  let description = [{
    Returns when at most `pending` of the executing thread's groups are
    incomplete: written, or with `read` only read from shared memory
    (`cp.async.bulk.wait_group`).

    **Preconditions:** `pending` is not negative. **Postconditions:** as said.

    **Example:**

    ```mlir
    tirx.elect {
      tirx.bulk.wait_group 0 read
    }
    ```

    **Errors:** `pending count -1 is negative`.
  }];
  let arguments = (ins I64Attr:$pending, UnitAttr:$read);
  let assemblyFormat = "$pending (`read` $read^)? attr-dict";
  let hasVerifier = 1;
}

#endif // TIRX_SYNC_OPS_TD
