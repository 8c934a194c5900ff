// Step 9: two tiles of A for one of B.
//
//   D[M, N] = A[M, K] * B[N, K]^T, any M, N and K whose rows are multiples of
//   16 bytes
//
// New against step 8:
// - A cluster computes 512 x 256: two consumers, each an "mma" role with its own
//   rows of A and its own accumulator, multiply by the same tile of B, which is
//   loaded once. A stage is free when both have released it.
// - Two accumulators of 256 columns fill the tensor memory; two warpgroups write
//   them back side by side.

#operand = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
#accumulator = #tirx.layout<S[(128,256):(1@TLane,1@TCol)]>
#piece = #tirx.layout<S[(128,64):(1@TLane,1@TCol)]>
#rows = #tirx.layout<S[(128,64):(1@tid_in_wg,1)]>

!matrix = !tirx.buffer<?x?xf16, global>
!tile = !tirx.buffer<128x64xf16, global>
!operand = !tirx.buffer<128x64xf16, #operand, shared>
!accumulator = !tirx.buffer<128x256xf32, #accumulator, tmem>
!piece = !tirx.buffer<128x64xf32, #piece, tmem>
// A for either consumer, and B.
!ring = !tirx.pipeline<4 x !operand, !operand, !operand>
!result = !tirx.pipeline<1 x !accumulator>

tirx.kernel @gemm_step09(%A: !matrix, %B: !matrix, %D: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %c512 = arith.constant 512 : index
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
  %tilesM = arith.ceildivui %M, %c512 : index
  %tilesN = arith.ceildivui %N, %c256 : index
  %tilesK = arith.ceildivui %K, %c64 : index
  %tiles = tirx.schedule persistent group(8) over(%tilesM, %tilesN) : !tirx.schedule<2>
  %ctas = tirx.grid_size %tiles : !tirx.schedule<2>

  tirx.launch grid(%ctas, %c1, %c1) cluster(2, 1, 1) threads(384) {
    %ring = tirx.pipeline full(tma) empty(mma) cta_group(2) : !ring
    %result0 = tirx.pipeline full(mma) empty(threads) cta_group(2) : !result
    %result1 = tirx.pipeline full(mma) empty(threads) cta_group(2) : !result
    %Ds0 = tirx.shared.alloc : !operand
    %Ds1 = tirx.shared.alloc : !operand
    // This CTA's half of the rows of A, D and B.
    %rank = tirx.id cta_rank
    %half = arith.muli %rank, %c128 : index

    tirx.roles {
      tirx.role "load" warps(11) registers(72) {
        tirx.for_tiles (%tm, %tn) in %tiles : !tirx.schedule<2> {
          %mTile = arith.muli %tm, %c512 : index
          %nTile = arith.muli %tn, %c256 : index
          %m0 = arith.addi %mTile, %half : index
          %m1 = arith.addi %m0, %c256 : index
          %n = arith.addi %nTile, %half : index
          scf.for %i = %c0 to %tilesK step %c1 {
            %k = arith.muli %i, %c64 : index
            %A0 = tirx.slice %A[%m0, %k] : !matrix to !tile
            %A1 = tirx.slice %A[%m1, %k] : !matrix to !tile
            %Bk = tirx.slice %B[%n, %k] : !matrix to !tile
            %a0, %a1, %b = tirx.acquire %ring : !ring
            tirx.copy_async %A0 to %a0 : !tile to !operand
            tirx.copy_async %A1 to %a1 : !tile to !operand
            tirx.copy_async %Bk to %b : !tile to !operand
            tirx.publish %ring : !ring
          }
        }
      }

      tirx.role "mma0" warps(8) registers(72) leader {
        tirx.for_tiles (%tm, %tn) in %tiles : !tirx.schedule<2> {
          %acc = tirx.acquire %result0 : !result
          scf.for %i = %c0 to %tilesK step %c1 {
            %accumulate = arith.cmpi ne, %i, %c0 : index
            %a0, %a1, %b = tirx.wait %ring : !ring
            tirx.gemm_async %acc, %a0, %b accumulate(%accumulate) cta_group(2) : !accumulator, !operand, !operand
            tirx.release %ring : !ring
          }
          tirx.publish %result0 : !result
        }
      }

      tirx.role "mma1" warps(9) registers(72) leader {
        tirx.for_tiles (%tm, %tn) in %tiles : !tirx.schedule<2> {
          %acc = tirx.acquire %result1 : !result
          scf.for %i = %c0 to %tilesK step %c1 {
            %accumulate = arith.cmpi ne, %i, %c0 : index
            %a0, %a1, %b = tirx.wait %ring : !ring
            tirx.gemm_async %acc, %a1, %b accumulate(%accumulate) cta_group(2) : !accumulator, !operand, !operand
            tirx.release %ring : !ring
          }
          tirx.publish %result1 : !result
        }
      }

      tirx.role "epilogue0" warps(0 to 4) registers(216) {
        tirx.for_tiles (%tm, %tn) in %tiles : !tirx.schedule<2> {
          %m0 = arith.muli %tm, %c512 : index
          %m = arith.addi %m0, %half : index
          %n = arith.muli %tn, %c256 : index
          %acc = tirx.wait %result0 : !result
          scf.for %column = %c0 to %c256 step %c64 {
            %part = tirx.slice %acc[%c0, %column] : !accumulator to !piece
            %f32 = tirx.copy %part : !piece to tensor<128x64xf32, #rows>
            %f16 = arith.truncf %f32 : tensor<128x64xf32, #rows> to tensor<128x64xf16, #rows>
            tirx.elect {
              tirx.bulk.wait_group 0 read
            }
            tirx.role_sync
            tirx.copy %f16 to %Ds0 : tensor<128x64xf16, #rows> to !operand
            tirx.fence proxy_async
            tirx.role_sync
            tirx.elect {
              %nColumn = arith.addi %n, %column : index
              %D0 = tirx.slice %D[%m, %nColumn] : !matrix to !tile
              tirx.copy_async %Ds0 to %D0 : !operand to !tile
              tirx.bulk.commit_group
            }
          }
          tirx.release %result0 : !result
        }
        tirx.elect {
          tirx.bulk.wait_group 0
        }
      }

      tirx.role "epilogue1" warps(4 to 8) registers(216) {
        tirx.for_tiles (%tm, %tn) in %tiles : !tirx.schedule<2> {
          %m0 = arith.muli %tm, %c512 : index
          %m1 = arith.addi %m0, %c256 : index
          %m = arith.addi %m1, %half : index
          %n = arith.muli %tn, %c256 : index
          %acc = tirx.wait %result1 : !result
          scf.for %column = %c0 to %c256 step %c64 {
            %part = tirx.slice %acc[%c0, %column] : !accumulator to !piece
            %f32 = tirx.copy %part : !piece to tensor<128x64xf32, #rows>
            %f16 = arith.truncf %f32 : tensor<128x64xf32, #rows> to tensor<128x64xf16, #rows>
            tirx.elect {
              tirx.bulk.wait_group 0 read
            }
            tirx.role_sync
            tirx.copy %f16 to %Ds1 : tensor<128x64xf16, #rows> to !operand
            tirx.fence proxy_async
            tirx.role_sync
            tirx.elect {
              %nColumn = arith.addi %n, %column : index
              %D0 = tirx.slice %D[%m, %nColumn] : !matrix to !tile
              tirx.copy_async %Ds1 to %D0 : !operand to !tile
              tirx.bulk.commit_group
            }
          }
          tirx.release %result1 : !result
        }
        tirx.elect {
          tirx.bulk.wait_group 0
        }
      }
    }
  }
}
