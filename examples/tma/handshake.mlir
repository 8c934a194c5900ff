// Z = X, handed from two CTAs to one: arrivals across a cluster.
//
// Threads of both CTAs of a pair fill their own stage; a `leader` role, in the even
// CTA only, empties it, and threads arrive at barriers of the other CTA: of the
// even one to say that a stage is full, of both to say that it is empty. The
// odd CTA's data goes nowhere: this is about the signals. It compiles for sm_90a and
// sm_100a alike.
#rows = #tirx.layout<S[(128,8):(1@tid_in_wg,1)]>
#tile = #tirx.layout<S[(128,8):(8,1)]>
!matrix = !tirx.buffer<?x?xf32, global>
!gtile = !tirx.buffer<128x8xf32, global>
!tile = !tirx.buffer<128x8xf32, #tile, shared>
!regs = tensor<128x8xf32, #rows>
!pipe = !tirx.pipeline<2 x !tile>
tirx.kernel @handshake(%X: !matrix, %Z: !matrix) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c128 = arith.constant 128 : index
  %n = tirx.dim %X, 1 : !matrix
  %rows = tirx.dim %X, 0 : !matrix
  %pairs = arith.ceildivui %rows, %c128 : index
  %ctas = arith.muli %pairs, %c2 : index
  tirx.launch grid(%ctas, %c1, %c1) cluster(2, 1, 1) threads(256) {
    %c0 = arith.constant 0 : index
    %pipe = tirx.pipeline full(threads) empty(threads) cta_group(2) : !pipe
    %pair = tirx.id clx
    %row = arith.muli %pair, %c128 : index
    tirx.roles {
      tirx.role "fill" warps(0 to 4) {
        scf.for %i = %c0 to %n step %c8 {
          %t = tirx.acquire %pipe : !pipe
          %x = tirx.slice %X[%row, %i] : !matrix to !gtile
          %v = tirx.copy %x : !gtile to !regs
          tirx.copy %v to %t : !regs to !tile
          tirx.publish %pipe : !pipe
        }
      }
      tirx.role "empty" warps(4 to 8) leader {
        scf.for %i = %c0 to %n step %c8 {
          %t = tirx.wait %pipe : !pipe
          %v = tirx.copy %t : !tile to !regs
          tirx.release %pipe : !pipe
          %z = tirx.slice %Z[%row, %i] : !matrix to !gtile
          tirx.copy %v to %z : !regs to !gtile
        }
      }
    }
  }
}
