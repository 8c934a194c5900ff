// Z = X + Y on matrices of f32: a persistent, warp-specialised kernel for Hopper and
// Blackwell alike.
//
// What steps 6 and 7 of the GEMM ladder add, without a tensor core: tiles dealt out
// to as many clusters as the device holds, a role that loads ahead through a
// pipeline, a role that computes and stores, register budgets. Each cluster of two
// CTAs takes 256 rows.
//
//   tirxc pipelined_add.mlir --target=sm_90a -o pipelined_add.txk
//   launch pipelined_add.txk --device=cuda:0 X=X.npy Y=Y.npy Z=Z.npy

#staging = #tirx.layout<S[(128,2,32):(32,4096,1)] swizzle(2,3,3)>
#rows = #tirx.layout<S[(128,64):(1@tid_in_wg,1)]>

!matrix = !tirx.buffer<?x?xf32, global>
!tile = !tirx.buffer<128x64xf32, global>
!staging = !tirx.buffer<128x64xf32, #staging, shared>
!registers = tensor<128x64xf32, #rows>
!ring = !tirx.pipeline<2 x !staging, !staging>
!tiles = !tirx.schedule<2>

tirx.kernel @pipelined_add(%X: !matrix, %Y: !matrix, %Z: !matrix) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %M = tirx.dim %X, 0 : !matrix
  %N = tirx.dim %X, 1 : !matrix
  %MY = tirx.dim %Y, 0 : !matrix
  %NY = tirx.dim %Y, 1 : !matrix
  %MZ = tirx.dim %Z, 0 : !matrix
  %NZ = tirx.dim %Z, 1 : !matrix
  %okMY = arith.cmpi eq, %M, %MY : index
  tirx.require %okMY, "X and Y must have the same number of rows"
  %okNY = arith.cmpi eq, %N, %NY : index
  tirx.require %okNY, "X and Y must have the same number of columns"
  %okMZ = arith.cmpi eq, %M, %MZ : index
  tirx.require %okMZ, "X and Z must have the same number of rows"
  %okNZ = arith.cmpi eq, %N, %NZ : index
  tirx.require %okNZ, "X and Z must have the same number of columns"
  %tilesM = arith.ceildivui %M, %c256 : index
  %tilesN = arith.ceildivui %N, %c64 : index
  %tiles = tirx.schedule persistent group(4) over(%tilesM, %tilesN) : !tiles
  %ctas = tirx.grid_size %tiles : !tiles

  tirx.launch grid(%ctas, %c1, %c1) cluster(2, 1, 1) threads(256) {
    %ring = tirx.pipeline full(tma) empty(threads) : !ring
    %Zs = tirx.shared.alloc : !staging
    %rank = tirx.id cta_rank
    %half = arith.muli %rank, %c128 : index

    tirx.roles {
      tirx.role "load" warps(4) registers(40) {
        tirx.for_tiles (%tm, %tn) in %tiles : !tiles {
          %m0 = arith.muli %tm, %c256 : index
          %m = arith.addi %m0, %half : index
          %n = arith.muli %tn, %c64 : index
          %Xt = tirx.slice %X[%m, %n] : !matrix to !tile
          %Yt = tirx.slice %Y[%m, %n] : !matrix to !tile
          %x, %y = tirx.acquire %ring : !ring
          tirx.copy_async %Xt to %x : !tile to !staging
          tirx.copy_async %Yt to %y : !tile to !staging
          tirx.publish %ring : !ring
        }
      }

      tirx.role "add" warps(0 to 4) registers(232) {
        tirx.for_tiles (%tm, %tn) in %tiles : !tiles {
          %m0 = arith.muli %tm, %c256 : index
          %m = arith.addi %m0, %half : index
          %n = arith.muli %tn, %c64 : index
          %xs, %ys = tirx.wait %ring : !ring
          %x = tirx.copy %xs : !staging to !registers
          %y = tirx.copy %ys : !staging to !registers
          tirx.release %ring : !ring
          %z = arith.addf %x, %y : !registers
          tirx.elect {
            tirx.bulk.wait_group 0 read
          }
          tirx.role_sync
          tirx.copy %z to %Zs : !registers to !staging
          tirx.fence proxy_async
          tirx.role_sync
          tirx.elect {
            %Zt = tirx.slice %Z[%m, %n] : !matrix to !tile
            tirx.copy_async %Zs to %Zt : !staging to !tile
            tirx.bulk.commit_group
          }
        }
        tirx.elect {
          tirx.bulk.wait_group 0
        }
      }
    }
  }
}
