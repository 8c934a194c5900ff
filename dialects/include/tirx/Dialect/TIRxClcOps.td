//===- TIRxClcOps.td - clusterlaunchcontrol ----------------*- tablegen -*-===//

#ifndef TIRX_CLC_OPS_TD
#define TIRX_CLC_OPS_TD

include "tirx/Dialect/TIRxOpBase.td"

def TIRx_ClcTryCancelOp : TIRx_Op<"clc.try_cancel", [AttrSizedOperandSegments]> {
  let summary = "Ask to cancel a cluster that has not started";
  let description = [{
    `clusterlaunchcontrol.try_cancel.async`: writes a response of 16 bytes, which
    says whether a cluster was canceled and which, and completes as many bytes at
    the barrier. `responses` is a shared buffer of one response a row. With
    `multicast` the response and the bytes go to the same places of every CTA of
    the cluster.

    **Preconditions:** executed by one thread; the barrier expects 16 bytes (in
    every CTA); earlier responses at this place have been read, and a `proxy_async`
    fence and a synchronisation lie in between; no earlier request of the cluster
    is known to have failed; with `multicast` no CTA of the cluster has exited
    (PTX ISA, "clusterlaunchcontrol.try_cancel").
    **Postconditions:** none at once.

    **Example:**

    ```mlir module
    !responses = !tirx.buffer<2x16xi8, #tirx.layout<S[(2,16):(16,1)]>, shared>
    func.func @f(%responses: !responses, %bar: !tirx.barrier<2>, %slot: index) {
      tirx.elect {
        tirx.clc.try_cancel %responses[%slot] signal(%bar[%slot])
          : !responses, !tirx.barrier<2>
        tirx.clc.try_cancel %responses[%slot] signal(%bar[%slot]) multicast
          : !responses, !tirx.barrier<2>
      }
      return
    }
    ```

    **Errors:** `responses must be Nx16xi8 without gaps, not ...`; `must say which
    of the 2 responses it means`.
  }];
  let arguments = (ins TIRx_SharedBuffer:$responses, Optional<Index>:$index,
                       TIRx_BarrierType:$barrier, Optional<Index>:$slot,
                       UnitAttr:$multicast);
  let assemblyFormat = [{
    $responses (`[` $index^ `]`)? `signal` `(` $barrier (`[` $slot^ `]`)? `)`
    (`multicast` $multicast^)? attr-dict
    `:` qualified(type($responses)) `,` qualified(type($barrier))
  }];
  let hasVerifier = 1;
}

def TIRx_ClcQueryCancelOp : TIRx_Op<"clc.query_cancel"> {
  let summary = "Read a response of tirx.clc.try_cancel";
  let description = [{
    `clusterlaunchcontrol.query_cancel`: `is_canceled` says whether a cluster was
    canceled; `first_ctaid_x`, `y`, `z` give the place in the grid of its first
    CTA. The result is the same in all lanes, and the compiler knows it.

    **Preconditions:** executed by whole warps; the barrier that the request
    signals has been waited for; `first_ctaid` only of a response that
    `is_canceled` (PTX ISA, "clusterlaunchcontrol.query_cancel").
    **Postconditions:** none.

    **Example:**

    ```mlir module
    !responses = !tirx.buffer<2x16xi8, #tirx.layout<S[(2,16):(16,1)]>, shared>
    func.func @f(%responses: !responses, %slot: index) {
      %more = tirx.clc.query_cancel is_canceled %responses[%slot] : !responses -> i1
      scf.if %more {
        %x = tirx.clc.query_cancel first_ctaid_x %responses[%slot] : !responses -> index
      }
      return
    }
    ```

    **Errors:** as `tirx.clc.try_cancel`; `is_canceled gives i1, not 'index'`.
  }];
  let arguments = (ins TIRx_ClcQueryAttr:$query, TIRx_SharedBuffer:$responses,
                       Optional<Index>:$index);
  let results = (outs AnyTypeOf<[I1, Index]>:$result);
  let assemblyFormat = [{
    `` $query $responses (`[` $index^ `]`)? attr-dict
    `:` qualified(type($responses)) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // TIRX_CLC_OPS_TD
