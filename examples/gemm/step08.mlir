// Step 8: let two CTAs multiply together.
//
//   D[M, N] = A[M, K] * B[N, K]^T, any M, N and K whose rows are multiples of
//   16 bytes
//
// New against step 7:
// - Clusters of two CTAs compute tiles of 256 x 256. Each holds 128 rows of A and
//   128 rows of B, and the tensor cores of both read both halves of B: per byte
//   that is loaded there is twice the work.
// - `cta_group(2)`: both CTAs load, the bytes of both arrive at the barrier of the
//   even one, whose "mma" role (`leader`) issues for the pair and releases the
//   stage in both. All of these counts follow from the roles.
// - D leaves in four pieces of 64 columns, through two staging tiles: one is
//   written while TMA reads the other.

#operand = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
#accumulator = #tirx.layout<S[(128,256):(1@TLane,1@TCol)]>
#piece = #tirx.layout<S[(128,64):(1@TLane,1@TCol)]>
#rows = #tirx.layout<S[(128,64):(1@tid_in_wg,1)]>
// As many swizzled tiles as there are stages.
#staging = #tirx.layout<S[(2,128,64):(8192,64,1)] swizzle(3,3,3)>

!matrix = !tirx.buffer<?x?xf16, global>
!tile = !tirx.buffer<128x64xf16, global>
!operand = !tirx.buffer<128x64xf16, #operand, shared>
!staging = !tirx.buffer<2x128x64xf16, #staging, shared>
!accumulator = !tirx.buffer<128x256xf32, #accumulator, tmem>
!piece = !tirx.buffer<128x64xf32, #piece, tmem>
!ring = !tirx.pipeline<4 x !operand, !operand>
!result = !tirx.pipeline<2 x !accumulator>

tirx.kernel @gemm_step08(%A: !matrix, %B: !matrix, %D: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %M = tirx.dim %A, 0 : !matrix
  %K = tirx.dim %A, 1 : !matrix
  %N = tirx.dim %B, 0 : !matrix
  %KB = tirx.dim %B, 1 : !matrix
  %MD = tirx.dim %D, 0 : !matrix
  %ND = tirx.dim %D, 1 : !matrix
  %okKB = arith.cmpi eq, %K, %KB : index
  tirx.require %okKB, "A and B must have the same number of columns (K)"
  %someK = arith.cmpi ne, %K, %c0 : index
  tirx.require %someK, "K (columns of A) must not be 0"
  %okMD = arith.cmpi eq, %M, %MD : index
  tirx.require %okMD, "D must have as many rows as A (M)"
  %okND = arith.cmpi eq, %N, %ND : index
  tirx.require %okND, "D must have as many columns as B has rows (N)"
  %tilesM = arith.ceildivui %M, %c256 : index
  %tilesN = arith.ceildivui %N, %c256 : index
  %tilesK = arith.ceildivui %K, %c64 : index
  %tiles = tirx.schedule persistent group(8) over(%tilesM, %tilesN) : !tirx.schedule<2>
  %ctas = tirx.grid_size %tiles : !tirx.schedule<2>

  tirx.launch grid(%ctas, %c1, %c1) cluster(2, 1, 1) threads(256) {
    %ring = tirx.pipeline full(tma) empty(mma) cta_group(2) : !ring
    %result = tirx.pipeline full(mma) empty(threads) cta_group(2) : !result
    %Ds = tirx.shared.alloc : !staging
    // This CTA's half of the rows of A, D and B.
    %rank = tirx.id cta_rank
    %half = arith.muli %rank, %c128 : index

    tirx.roles {
      tirx.role "load" warps(5) registers(48) {
        tirx.for_tiles (%tm, %tn) in %tiles : !tirx.schedule<2> {
          %m0 = arith.muli %tm, %c256 : index
          %n0 = arith.muli %tn, %c256 : index
          %m = arith.addi %m0, %half : index
          %n = arith.addi %n0, %half : index
          scf.for %i = %c0 to %tilesK step %c1 {
            %k = arith.muli %i, %c64 : index
            %Ak = tirx.slice %A[%m, %k] : !matrix to !tile
            %Bk = tirx.slice %B[%n, %k] : !matrix to !tile
            %a, %b = tirx.acquire %ring : !ring
            tirx.copy_async %Ak to %a : !tile to !operand
            tirx.copy_async %Bk to %b : !tile to !operand
            tirx.publish %ring : !ring
          }
        }
      }

      tirx.role "mma" warps(4) registers(48) leader {
        tirx.for_tiles (%tm, %tn) in %tiles : !tirx.schedule<2> {
          %acc = tirx.acquire %result : !result
          scf.for %i = %c0 to %tilesK step %c1 {
            %accumulate = arith.cmpi ne, %i, %c0 : index
            %a, %b = tirx.wait %ring : !ring
            tirx.gemm_async %acc, %a, %b accumulate(%accumulate) cta_group(2) : !accumulator, !operand, !operand
            tirx.release %ring : !ring
          }
          tirx.publish %result : !result
        }
      }

      tirx.role "epilogue" warps(0 to 4) registers(200) {
        tirx.for_tiles (%tm, %tn) in %tiles : !tirx.schedule<2> {
          %m0 = arith.muli %tm, %c256 : index
          %m = arith.addi %m0, %half : index
          %n = arith.muli %tn, %c256 : index
          %acc = tirx.wait %result : !result
          scf.for %column = %c0 to %c256 step %c64 {
            %part = tirx.slice %acc[%c0, %column] : !accumulator to !piece
            %f32 = tirx.copy %part : !piece to tensor<128x64xf32, #rows>
            %f16 = arith.truncf %f32 : tensor<128x64xf32, #rows> to tensor<128x64xf16, #rows>

            // TMA may still read the other staging tile, but not this one.
            tirx.elect {
              tirx.bulk.wait_group 1 read
            }
            tirx.role_sync
            %piece = arith.divui %column, %c64 : index
            %stage = arith.remui %piece, %c2 : index
            %Dp = tirx.slice %Ds[%stage, %c0, %c0] : !staging to !operand
            tirx.copy %f16 to %Dp : tensor<128x64xf16, #rows> to !operand
            tirx.fence proxy_async
            tirx.role_sync
            tirx.elect {
              %nColumn = arith.addi %n, %column : index
              %D0 = tirx.slice %D[%m, %nColumn] : !matrix to !tile
              tirx.copy_async %Dp to %D0 : !operand to !tile
              tirx.bulk.commit_group
            }
          }
          tirx.release %result : !result
        }
        tirx.elect {
          tirx.bulk.wait_group 0
        }
      }
    }
  }
}
