// Y = 2 * X + 1 on a matrix of f32, tile by tile through TMA.
//
// The smallest kernel that uses what steps 1 to 4 of the GEMM share with Hopper:
// TMA loads and stores with swizzle and ragged edges, an mbarrier that counts
// bytes, proxy fences. It compiles for sm_90a and sm_100a alike.
//
//   tirxc scale_add.mlir --target=sm_90a -o scale_add.txk
//   launch scale_add.txk --device=cuda:0 X=X.npy Y=Y.npy

// 32 f32 fill the 128 bytes of a swizzled row; two columns of rows side by side.
#staging = #tirx.layout<S[(128,2,32):(32,4096,1)] swizzle(2,3,3)>
#rows = #tirx.layout<S[(128,64):(1@tid_in_wg,1)]>

!matrix = !tirx.buffer<?x?xf32, global>
!tile = !tirx.buffer<128x64xf32, global>
!staging = !tirx.buffer<128x64xf32, #staging, shared>
!registers = tensor<128x64xf32, #rows>

tirx.kernel @scale_add(%X: !matrix, %Y: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %M = tirx.dim %X, 0 : !matrix
  %N = tirx.dim %X, 1 : !matrix
  %MY = tirx.dim %Y, 0 : !matrix
  %NY = tirx.dim %Y, 1 : !matrix
  %okM = arith.cmpi eq, %M, %MY : index
  tirx.require %okM, "X and Y must have the same number of rows"
  %okN = arith.cmpi eq, %N, %NY : index
  tirx.require %okN, "X and Y must have the same number of columns"
  %gridM = arith.ceildivui %M, %c128 : index
  %gridN = arith.ceildivui %N, %c64 : index

  tirx.launch grid(%gridM, %gridN, %c1) threads(128) {
    %false = arith.constant false
    %Xs = tirx.shared.alloc : !staging
    %Ys = tirx.shared.alloc : !staging
    %loaded = tirx.mbarrier.alloc : !tirx.barrier<1>
    tirx.elect {
      tirx.mbarrier.init %loaded count(1) : !tirx.barrier<1>
      tirx.fence mbarrier_init
    }
    tirx.cta_sync

    %bx = tirx.id bx
    %by = tirx.id by
    %m = arith.muli %bx, %c128 : index
    %n = arith.muli %by, %c64 : index
    tirx.elect {
      %tile = tirx.slice %X[%m, %n] : !matrix to !tile
      tirx.mbarrier.arrive %loaded expect(%Xs : !staging) : !tirx.barrier<1>
      tirx.copy_async %tile to %Xs signal(%loaded : !tirx.barrier<1>) : !tile to !staging
    }
    tirx.mbarrier.wait %loaded parity(%false) : !tirx.barrier<1>

    %two = arith.constant dense<2.0> : !registers
    %one = arith.constant dense<1.0> : !registers
    %x = tirx.copy %Xs : !staging to !registers
    %twice = arith.mulf %x, %two : !registers
    %y = arith.addf %twice, %one : !registers
    tirx.copy %y to %Ys : !registers to !staging
    tirx.fence proxy_async
    tirx.cta_sync
    tirx.elect {
      %tile = tirx.slice %Y[%m, %n] : !matrix to !tile
      tirx.copy_async %Ys to %tile : !staging to !tile
      tirx.bulk.commit_group
      tirx.bulk.wait_group 0
    }
  }
}
