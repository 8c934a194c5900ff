//===- TIRxPipelineOps.td - rings of tiles between roles ---*- tablegen -*-===//

#ifndef TIRX_PIPELINE_OPS_TD
#define TIRX_PIPELINE_OPS_TD

include "tirx/Dialect/TIRxOpBase.td"

def TIRx_PipelineOp : TIRx_Op<"pipeline", [MemoryEffects<[MemAlloc]>]> {
  let summary = "A ring of stages that some threads fill and others empty";
  let description = [{
    Owns the storage of its stages and two mbarriers a stage. `full` says who
    signals that a stage is full: `tma` (the bytes that copies deliver), `mma`
    (a `tcgen05.commit`) or `threads` (an arrival each). `empty` says who signals
    that it may be filled again: `mma` (a commit: the tensor core has read it) or
    `threads`.

    Producers are the roles with `tirx.acquire`, consumers those with
    `tirx.wait`; outside of a role it is the whole CTA. From them follow, and
    `tirx-plan-pipelines` writes down: `full_count` and `empty_count`, the
    arrivals of a phase; `bytes`, what a phase of a `tma` pipeline expects. Where
    they are written already they must agree.

    With `cta_group(2)` two CTAs of a cluster that differ in the last bit of
    their rank fill and empty a stage together (PTX ISA, "tcgen05: CTA pair"):
    both load their halves, the bytes of both arrive at the even CTA's barrier,
    its `leader` roles consume them, and a commit releases the stage in both.
    Copies with `multicast` reach further CTAs; their consumers' releases are
    counted, too.

    Initialised, visible to the cluster and, in tensor memory, allocated before
    any role starts; given back when all roles have ended.

    **Preconditions:** directly in the device region. `tma` needs shared tiles.
    **Postconditions:** all stages are empty.

    **Example:**

    ```mlir
    %ring = tirx.pipeline full(tma) empty(mma) : !tirx.pipeline<4 x !As, !Bs>
    %out = tirx.pipeline full(mma) empty(threads) : !tirx.pipeline<2 x !Acc>
    tirx.roles {
      tirx.role "load" warps(1) {
        %a, %b = tirx.acquire %ring : !tirx.pipeline<4 x !As, !Bs>
        tirx.copy_async %A_tile to %a : !A_tile to !As
        tirx.copy_async %B_tile to %b : !A_tile to !Bs
        tirx.publish %ring : !tirx.pipeline<4 x !As, !Bs>
      }
      tirx.role "mma" warps(0) {
        %d = tirx.acquire %out : !tirx.pipeline<2 x !Acc>
        %a, %b = tirx.wait %ring : !tirx.pipeline<4 x !As, !Bs>
        tirx.gemm_async %d, %a, %b accumulate(%flag) : !Acc, !As, !Bs
        tirx.release %ring : !tirx.pipeline<4 x !As, !Bs>
        tirx.publish %out : !tirx.pipeline<2 x !Acc>
      }
      tirx.role "epilogue" warps(4 to 8) {
        %d = tirx.wait %out : !tirx.pipeline<2 x !Acc>
        %f = tirx.copy %d : !Acc to tensor<128x128xf32, #rows>
        tirx.release %out : !tirx.pipeline<2 x !Acc>
      }
    }
    ```

    **Errors:** `full(tma) needs tiles in shared memory`; from planning: `is
    filled, but no role waits for it`; `is never released by role "mma"`;
    `full_count is 2, its producers arrive 1 times a phase`; a copy that a stage
    lacks or gets twice; from `tirx-verify`: `unequal trip counts: role "mma"
    waits for stages 3 times, role "load" acquires them 4 times`.
  }];
  let arguments = (ins TIRx_PipelineSignalAttr:$full,
                       TIRx_PipelineSignalAttr:$empty,
                       DefaultValuedAttr<I64Attr, "1">:$cta_group,
                       OptionalAttr<I64Attr>:$full_count,
                       OptionalAttr<I64Attr>:$empty_count,
                       OptionalAttr<I64Attr>:$bytes);
  let results = (outs TIRx_PipelineType:$result);
  let assemblyFormat = [{
    `full` `(` custom<Signal>($full) `)`
    `empty` `(` custom<Signal>($empty) `)`
    (`cta_group` `(` $cta_group^ `)`)?
    (`full_count` `(` $full_count^ `)`)? (`empty_count` `(` $empty_count^ `)`)?
    (`bytes` `(` $bytes^ `)`)?
    attr-dict `:` qualified(type($result))
  }];
  let hasVerifier = 1;
}

class TIRx_PipelineStageOp<string mnemonic, list<Trait> traits = []>
    : TIRx_Op<mnemonic, !listconcat(traits, [AttrSizedOperandSegments])> {
  let arguments = (ins TIRx_PipelineType:$pipeline, Optional<Index>:$stage,
                       Optional<I1>:$phase);
  let assemblyFormat = [{
    $pipeline (`at` `(` $stage^ `,` $phase `)`)? attr-dict
    `:` qualified(type($pipeline))
  }];
  let hasVerifier = 1;
}

class TIRx_OpenStageOp<string mnemonic>
    : TIRx_PipelineStageOp<mnemonic,
        [DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let results = (outs Variadic<TIRx_BufferType>:$tiles);
}

def TIRx_AcquireOp : TIRx_OpenStageOp<"acquire"> {
  let summary = "Wait until the next stage is empty, and take it";
  let description = [{
    Returns the stage's tiles to fill. On a `tma` pipeline it also expects their
    bytes; a `tirx.copy_async` into a tile needs no `signal`. A role walks over
    the stages in order. `at(stage, phase)` is that position, which
    `tirx-thread-pipeline-state` writes out as SSA values.

    **Preconditions:** reached by all threads of the role; `tirx.publish` of the
    pipeline follows in the same block. **Postconditions:** the consumers of the
    stage's last filling have released it.

    **Example:** see `tirx.pipeline`.

    ```mlir
    %ring = tirx.pipeline full(tma) empty(mma) : !tirx.pipeline<4 x !As, !Bs>
    %a, %b = tirx.acquire %ring : !tirx.pipeline<4 x !As, !Bs>
    tirx.publish %ring : !tirx.pipeline<4 x !As, !Bs>
    ```

    **Errors:** `is not followed by a tirx.publish of the pipeline in its
    block`.
  }];
}

def TIRx_PublishOp : TIRx_PipelineStageOp<"publish"> {
  let summary = "Say that the stage is full, and go on to the next";
  let description = [{
    On a `tma` pipeline nothing is left to do: the copies signal. `mma` commits,
    `threads` arrive, after the fence towards the async proxy or the tensor core
    that their writes need.

    **Preconditions:** follows the `tirx.acquire` in the same block.
    **Postconditions:** consumers may read the stage once the signal has come.

    **Example:** see `tirx.pipeline`.

    ```mlir
    %out = tirx.pipeline full(mma) empty(threads) : !tirx.pipeline<2 x !Acc>
    %d = tirx.acquire %out : !tirx.pipeline<2 x !Acc>
    tirx.publish %out : !tirx.pipeline<2 x !Acc>
    ```

    **Errors:** `has no tirx.acquire of the pipeline before it in its block`.
  }];
}

def TIRx_WaitOp : TIRx_OpenStageOp<"wait"> {
  let summary = "Wait until the next stage is full";
  let description = [{
    Returns the stage's tiles to read. In tensor memory the
    `tcgen05.fence::after_thread_sync` that a read needs is included.

    **Preconditions:** reached by all threads of the role; `tirx.release` of the
    pipeline follows in the same block. **Postconditions:** what the producers
    wrote is visible.

    **Example:** see `tirx.pipeline`.

    ```mlir
    %out = tirx.pipeline full(mma) empty(threads) : !tirx.pipeline<2 x !Acc>
    %d = tirx.wait %out : !tirx.pipeline<2 x !Acc>
    tirx.release %out : !tirx.pipeline<2 x !Acc>
    ```

    **Errors:** `is not followed by a tirx.release of the pipeline in its block:
    a consumer that never releases stops the producer`.
  }];
}

def TIRx_ReleaseOp : TIRx_PipelineStageOp<"release"> {
  let summary = "Say that the stage may be filled again, and go on to the next";
  let description = [{
    `mma` commits: the stage is released when the tensor core has read it.
    `threads` arrive, in tensor memory after
    `tcgen05.fence::before_thread_sync`.

    **Preconditions:** follows the `tirx.wait` in the same block; what the
    threads read of the stage is in their registers.
    **Postconditions:** the tiles may not be used any more.

    **Example:** see `tirx.pipeline`.

    ```mlir
    %out = tirx.pipeline full(mma) empty(threads) : !tirx.pipeline<2 x !Acc>
    %d = tirx.wait %out : !tirx.pipeline<2 x !Acc>
    tirx.release %out : !tirx.pipeline<2 x !Acc>
    ```

    **Errors:** `has no tirx.wait of the pipeline before it in its block`; `uses
    a tile of a stage that was released`.
  }];
}

def TIRx_DrainOp : TIRx_PipelineStageOp<"drain"> {
  let summary = "Wait until all stages are empty";
  let description = [{
    For producers: every stage that they filled has been released. Added at the
    end of a role whose stages other CTAs release, so that no CTA ends while
    others signal it.

    **Preconditions:** reached by all threads of the role; outside of acquire and
    publish. **Postconditions:** as said.

    **Example:**

    ```mlir
    %out = tirx.pipeline full(mma) empty(threads) : !tirx.pipeline<2 x !Acc>
    tirx.drain %out : !tirx.pipeline<2 x !Acc>
    ```

    **Errors:** `needs both or neither of stage and phase`.
  }];
}

#endif // TIRX_PIPELINE_OPS_TD
