//===- TIRxRoleOps.td - warps that do different things -----*- tablegen -*-===//

#ifndef TIRX_ROLE_OPS_TD
#define TIRX_ROLE_OPS_TD

include "tirx/Dialect/TIRxOpBase.td"

def TIRx_RolesOp : TIRx_Op<"roles", [
    SingleBlockImplicitTerminator<"ReturnOp">, ParentOneOf<["LaunchOp"]>]> {
  let summary = "Let each warp of the CTA play its role";
  let description = [{
    The region holds `tirx.role` operations only; their warps run them side by
    side. Warps without a role go on at once. If roles state `registers`, the
    register file is divided first, by `setmaxnreg` in whole warpgroups (PTX ISA,
    "setmaxnreg").

    **Preconditions:** reached by all threads; roles do not share a warp; the
    roles of one warpgroup state the same `registers`.
    **Postconditions:** none: warps that have finished do not wait for others.

    **Example:**

    ```mlir
    tirx.roles {
      tirx.role "load" warps(0) {
        tirx.warp_sync
      }
      tirx.role "store" warps(1 to 4) {
        tirx.role_sync
      }
    }
    ```

    **Errors:** `holds tirx.role operations only`; `role "store" takes warp 0,
    which role "load" has`; `role "a" states registers(48), role "b" of the same
    warpgroup 56: setmaxnreg is executed by whole warpgroups`; `the roles take
    73728 registers, an SM has 65536`.
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether the roles state register budgets; then all warpgroups do.
    bool statesRegisters();
  }];
}

def TIRx_RoleOp : TIRx_Op<"role", [
    SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "Run a region in some warps of the CTA";
  let description = [{
    Warps `first` to `last` (not included) of the CTA run the region; the others
    skip it. With `leader` it runs only in the even CTA of each pair of CTAs
    that share their MMAs (`cta_group(2)`).

    In a role of one warp, operations that one thread must execute (TMA, MMA,
    commit) need no `tirx.elect` around them: the compiler adds it, and the
    role's loops stay uniform for the whole warp.

    Outside of `tirx.roles` it may `carry` values: results are what the role's
    `tirx.return` gives, in warps that skip the role the values themselves.

    **Preconditions:** the warps exist; `registers` is a multiple of 8 in [24,
    256] and stands in `tirx.roles` only; `leader` needs a cluster of an even
    x extent; not in another role. Outside of `tirx.roles` all threads reach it.
    **Postconditions:** none: nothing is synchronised.

    **Example:**

    ```mlir
    tirx.role "issue" warps(0) {
      tirx.gemm_async %acc, %As, %Bs accumulate(%flag) : !Acc, !As, !Bs
      tirx.tcgen05.commit %bar : !tirx.barrier<1>
    }
    ```

    **Errors:** `warps(4 to 4) is no range of the 32 warps that a CTA can have`;
    `may not be in tirx.elect, which leaves one thread`; `warps(4 to 9) exceed
    the launch's 8 warps`; `registers(50) must
    be a multiple of 8 between 24 and 256`; `leader needs a cluster of CTA
    pairs`; `carries 2 values, but returns 1`.
  }];
  let arguments = (ins StrAttr:$role_name, I64Attr:$first_warp, I64Attr:$warps,
                       OptionalAttr<I64Attr>:$registers, UnitAttr:$leader,
                       Variadic<AnyType>:$carried);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $role_name `warps` `` custom<WarpRange>($first_warp, $warps)
    (`registers` `(` $registers^ `)`)? (`leader` $leader^)?
    (`carry` `(` $carried^ `:` type($carried) `)` `->` type($results))?
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getThreads() { return getWarps() * 32; }
    int64_t getLastWarp() { return getFirstWarp() + getWarps() - 1; }
  }];
}

def TIRx_RoleSyncOp : TIRx_Op<"role_sync"> {
  let summary = "Wait for all threads of the role";
  let description = [{
    A barrier of the threads of the enclosing `tirx.role`: `bar.warp.sync` for
    one warp, else a named barrier whose number is assigned; outside of a role
    `tirx.cta_sync`.

    **Preconditions:** reached by all threads of the role.
    **Postconditions:** all of them have reached it; their generic-proxy
    accesses before it are visible to them after it.

    **Example:**

    ```mlir
    tirx.role "store" warps(0 to 4) {
      tirx.role_sync
    }
    ```

    **Errors:** from lowering: `needs a named barrier, but all 15 are in use`;
    inside `tirx.elect` or a branch that depends on the thread: refused by
    `tirx-verify`.
  }];
  let assemblyFormat = "attr-dict";
}

#endif // TIRX_ROLE_OPS_TD
