// Step 5: load ahead of the tensor core.
//
//   D[M, N] = A[M, K] * B[N, K]^T, any M, N and K whose rows are multiples of
//   16 bytes
//
// New against step 4:
// - The operand tiles are a ring of two stages, a `tirx.pipeline`: TMA fills one
//   while the tensor core reads the other. What step 4 wrote by hand follows from
//   who uses the ring: two barriers a stage, how many arrivals and bytes each
//   counts, which parity to wait for. `tirxc --dump-after=tirx-lower-pipelines`
//   shows them.
// - One warp does all of this in a role of its own; nobody else need keep up with
//   its rounds. The others wait for the accumulator, once.

#operand = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
#accumulator = #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>
#rows = #tirx.layout<S[(128,128):(1@tid_in_wg,1)]>
#staging = #tirx.layout<S[(128,2,64):(64,8192,1)] swizzle(3,3,3)>

!matrix = !tirx.buffer<?x?xf16, global>
!tile = !tirx.buffer<128x64xf16, global>
!out = !tirx.buffer<128x128xf16, global>
!operand = !tirx.buffer<128x64xf16, #operand, shared>
!staging = !tirx.buffer<128x128xf16, #staging, shared>
!accumulator = !tirx.buffer<128x128xf32, #accumulator, tmem>
!ring = !tirx.pipeline<2 x !operand, !operand>
!result = !tirx.pipeline<1 x !accumulator>

tirx.kernel @gemm_step05(%A: !matrix, %B: !matrix, %D: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
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
  %gridM = arith.ceildivui %M, %c128 : index
  %gridN = arith.ceildivui %N, %c128 : index
  %tilesK = arith.ceildivui %K, %c64 : index
  %ahead = arith.minui %tilesK, %c2 : index

  tirx.launch grid(%gridM, %gridN, %c1) threads(128) {
    %ring = tirx.pipeline full(tma) empty(mma) : !ring
    %result = tirx.pipeline full(mma) empty(threads) : !result
    %Ds = tirx.shared.alloc : !staging
    %bx = tirx.id bx
    %by = tirx.id by
    %m = arith.muli %bx, %c128 : index
    %n = arith.muli %by, %c128 : index

    tirx.role "main" warps(0) {
      // Fill the ring: these loads wait for nothing.
      scf.for %i = %c0 to %ahead step %c1 {
        %k = arith.muli %i, %c64 : index
        %Ak = tirx.slice %A[%m, %k] : !matrix to !tile
        %Bk = tirx.slice %B[%n, %k] : !matrix to !tile
        %a, %b = tirx.acquire %ring : !ring
        tirx.copy_async %Ak to %a : !tile to !operand
        tirx.copy_async %Bk to %b : !tile to !operand
        tirx.publish %ring : !ring
      }
      %acc = tirx.acquire %result : !result
      scf.for %i = %c0 to %tilesK step %c1 {
        %accumulate = arith.cmpi ne, %i, %c0 : index
        %a, %b = tirx.wait %ring : !ring
        tirx.gemm_async %acc, %a, %b accumulate(%accumulate) : !accumulator, !operand, !operand
        tirx.release %ring : !ring

        // Refill the stage as soon as it has been read.
        %next = arith.addi %i, %c2 : index
        %more = arith.cmpi ult, %next, %tilesK : index
        scf.if %more {
          %k = arith.muli %next, %c64 : index
          %Ak = tirx.slice %A[%m, %k] : !matrix to !tile
          %Bk = tirx.slice %B[%n, %k] : !matrix to !tile
          %a2, %b2 = tirx.acquire %ring : !ring
          tirx.copy_async %Ak to %a2 : !tile to !operand
          tirx.copy_async %Bk to %b2 : !tile to !operand
          tirx.publish %ring : !ring
        }
      }
      tirx.publish %result : !result
    }

    %acc = tirx.wait %result : !result
    %f32 = tirx.copy %acc : !accumulator to tensor<128x128xf32, #rows>
    tirx.release %result : !result
    %f16 = arith.truncf %f32 : tensor<128x128xf32, #rows> to tensor<128x128xf16, #rows>
    tirx.copy %f16 to %Ds : tensor<128x128xf16, #rows> to !staging
    tirx.fence proxy_async
    tirx.cta_sync
    tirx.elect {
      %D0 = tirx.slice %D[%m, %n] : !matrix to !out
      tirx.copy_async %Ds to %D0 : !staging to !out
      tirx.bulk.commit_group
      tirx.bulk.wait_group 0
    }
  }
}
