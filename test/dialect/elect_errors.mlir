// RUN: tirx-opt %s -split-input-file -verify-diagnostics

// No such coordinate.
func.func @f() {
  // expected-error@+1 {{unknown thread axis 'threadIdx': expected bx, by, bz, tx, warpid, laneid, wgid, tid_in_wg, wid_in_wg, cta_rank, cbx, cby, cbz, clx, cly or clz}}
  %0 = tirx.id threadIdx
  return
}

// -----

// No coordinate at all.
func.func @f() {
  // expected-error@+1 {{expected a thread axis: bx, by, bz, tx, warpid, laneid, wgid, tid_in_wg, wid_in_wg, cta_rank, cbx, cby, cbz, clx, cly or clz}}
  %0 = tirx.id 0
  return
}

// -----

// One thread elects nobody.
func.func @f() {
  tirx.elect {
    // expected-error@+1 {{'tirx.elect' op may not be nested in another tirx.elect}}
    tirx.elect {
    }
  }
  return
}

// -----

// Under control flow it is nested all the same.
func.func @f(%n: index) {
  tirx.elect warp(1) {
    scf.for %i = %n to %n step %n {
      // expected-error@+1 {{'tirx.elect' op may not be nested in another tirx.elect}}
      tirx.elect warp(2) {
      }
    }
  }
  return
}

// -----

// Warps count from 0.
func.func @f() {
  // expected-error@+1 {{'tirx.elect' op warp(-1) is negative}}
  tirx.elect warp(-1) {
  }
  return
}

// -----

// 128 threads are warps 0 to 3.
tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(128) {
    // expected-error@+1 {{'tirx.elect' op warp(4) is out of range: the launch has 4 warps}}
    tirx.elect warp(4) {
    }
  }
}

// -----

// The region takes its values from around it.
func.func @f() {
  // expected-error@+1 {{'tirx.elect' op region takes no arguments}}
  tirx.elect {
  ^bb0(%x: index):
    tirx.return
  }
  return
}

// -----

// Device code has structured control flow only.
func.func @f() {
  // expected-error@+1 {{'tirx.elect' op expects region #0 to have 0 or 1 blocks}}
  tirx.elect {
    cf.br ^next
  ^next:
    tirx.return
  }
  return
}
