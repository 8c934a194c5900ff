//===- TIRxScheduleOps.td - which CTA computes which tiles -*- tablegen -*-===//

#ifndef TIRX_SCHEDULE_OPS_TD
#define TIRX_SCHEDULE_OPS_TD

include "tirx/Dialect/TIRxOpBase.td"

def TIRx_SmCountOp : TIRx_Op<"sm_count", [Pure, ParentOneOf<["KernelOp"]>]> {
  let summary = "The number of SMs of the device";
  let description = [{
    Asked of the device at launch.

    **Preconditions:** in the host part. **Postconditions:** positive.

    **Example:**

    ```mlir host
    %sms = tirx.sm_count
    ```

    **Errors:** `expects parent op 'tirx.kernel'`.
  }];
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}

def TIRx_ScheduleOp : TIRx_Op<"schedule", [Pure, ParentOneOf<["KernelOp"]>]> {
  let summary = "Deal tiles out to CTAs, or to clusters";
  let description = [{
    Tiles are numbered so that `group` rows (the first coordinate) are walked
    together, column by column, which keeps their operands in L2; what is left
    of the rows forms a smaller group, so that every tile has exactly one number.
    Further coordinates run slowest. A cluster works on one tile at a time.

    - `one_tile`: as many clusters as tiles;
    - `persistent`: as many clusters as fit the device at one CTA an SM; cluster
      c takes the tiles c, c + clusters, ...;
    - `clc`: as many clusters as tiles; those that run take over tiles of those
      that have not started (PTX ISA, "clusterlaunchcontrol"). A role must run
      `tirx.fetch_tiles`.

    **Preconditions:** one to three extents, in tiles; `group` is positive; the
    grid's x extent is the `tirx.grid_size` of the schedule, its y and z extents
    are the cluster's (1 without clusters); the launch is refused if there are
    more than 2^31 - 1 tiles. **Postconditions:** every tile is visited once.

    **Example:**

    ```mlir host
    %c8 = arith.constant 8 : index
    %tiles = tirx.schedule persistent group(8) over(%c8, %c8) : !tirx.schedule<2>
    %ctas = tirx.grid_size %tiles : !tirx.schedule<2>
    ```

    **Errors:** `group(0) must be positive`; `deals out 1 coordinates, its type
    has 2`; from lowering: `the grid's y extent must be the constant 2, that of
    the cluster`.
  }];
  let arguments = (ins TIRx_ScheduleKindAttr:$kind,
                       DefaultValuedAttr<I64Attr, "1">:$group,
                       Variadic<Index>:$extents);
  let results = (outs TIRx_ScheduleType:$result);
  let assemblyFormat = [{
    `` $kind (`group` `(` $group^ `)`)? `over` `(` $extents `)`
    attr-dict `:` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def TIRx_GridSizeOp : TIRx_Op<"grid_size", [Pure, ParentOneOf<["KernelOp"]>]> {
  let summary = "The CTAs that a schedule wants, for the grid's x";
  let description = [{
    The number of clusters that the schedule wants, times the x extent of the
    launch's cluster. The grid's y and z extents are those of the cluster.

    **Preconditions:** as `tirx.schedule`. **Postconditions:** not negative.

    **Example:** see `tirx.schedule`.

    ```mlir host
    %c8 = arith.constant 8 : index
    %tiles = tirx.schedule one_tile over(%c8) : !tirx.schedule<1>
    %ctas = tirx.grid_size %tiles : !tirx.schedule<1>
    ```

    **Errors:** none of its own.
  }];
  let arguments = (ins TIRx_ScheduleType:$schedule);
  let results = (outs Index:$result);
  let assemblyFormat = "$schedule attr-dict `:` qualified(type($schedule))";
}

def TIRx_ForTilesOp : TIRx_Op<"for_tiles", [
    SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "Run a region for every tile of this CTA";
  let description = [{
    The region's arguments are the coordinates of the tile, in tiles. All CTAs
    of a cluster get the same tile.

    **Preconditions:** reached by all threads of the role (or of the CTA outside
    of roles); not in another `tirx.for_tiles`. Of clc schedules: directly in a
    role beside the one that fetches, once in a role.
    **Postconditions:** the region has run once for every tile that the schedule
    gives to the cluster.

    **Example:** in device code, with a schedule of the host part:

    ```mlir module
    tirx.kernel @k(%X: !tirx.buffer<?x?xf32, global>) {
      %c1 = arith.constant 1 : index
      %rows = tirx.dim %X, 0 : !tirx.buffer<?x?xf32, global>
      %columns = tirx.dim %X, 1 : !tirx.buffer<?x?xf32, global>
      %tiles = tirx.schedule persistent group(8) over(%rows, %columns) : !tirx.schedule<2>
      %ctas = tirx.grid_size %tiles : !tirx.schedule<2>
      tirx.launch grid(%ctas, %c1, %c1) threads(128) {
        tirx.for_tiles (%m, %n) in %tiles : !tirx.schedule<2> {
          tirx.cta_sync
        }
      }
    }
    ```

    **Errors:** `has 1 coordinates, the schedule 2`; from lowering: `lies in
    control flow that depends on the thread; only a tirx.role selects those that
    walk the tiles`; `takes tiles of a schedule that the launch does not follow`.
  }];
  let arguments = (ins TIRx_ScheduleType:$schedule);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def TIRx_FetchTilesOp : TIRx_Op<"fetch_tiles"> {
  let summary = "Ask for the tiles of a clc schedule";
  let description = [{
    The loop that cancels clusters which have not started and hands their tiles
    to the `tirx.for_tiles` loops of all roles of the cluster, until there are
    none. Of other schedules nothing need be fetched: it does nothing.

    **Preconditions:** of clc schedules: once in a kernel, in a role of one warp
    that runs in every CTA and walks no tiles itself.
    **Postconditions:** no tiles are left.

    **Example:**

    ```mlir module
    tirx.kernel @k(%X: !tirx.buffer<?x?xf32, global>) {
      %c1 = arith.constant 1 : index
      %rows = tirx.dim %X, 0 : !tirx.buffer<?x?xf32, global>
      %tiles = tirx.schedule clc over(%rows) : !tirx.schedule<1>
      %ctas = tirx.grid_size %tiles : !tirx.schedule<1>
      tirx.launch grid(%ctas, %c1, %c1) threads(160) {
        tirx.roles {
          tirx.role "work" warps(0 to 4) {
            tirx.for_tiles (%m) in %tiles : !tirx.schedule<1> {
              tirx.role_sync
            }
          }
          tirx.role "schedule" warps(4) {
            tirx.fetch_tiles %tiles : !tirx.schedule<1>
          }
        }
      }
    }
    ```

    **Errors:** from lowering, of clc schedules: `clc needs a role that runs
    tirx.fetch_tiles`; `is the second one of a clc schedule in the kernel`; `must
    lie directly in a tirx.role of tirx.roles`; `lies in role "schedule" of 2
    warps: one warp fetches the tiles`; `lies in the leader role "schedule":
    every CTA of the cluster expects its responses`.
  }];
  let arguments = (ins TIRx_ScheduleType:$schedule);
  let assemblyFormat = "$schedule attr-dict `:` qualified(type($schedule))";
}

#endif // TIRX_SCHEDULE_OPS_TD
