// RUN: tirx-opt %s -split-input-file -verify-diagnostics

// Barrier 0 is tirx.cta_sync's.
func.func @f() {
  // expected-error@+1 {{'tirx.barrier_sync' op id(0) is outside [1, 15] (PTX ISA, bar: 16 barriers, 0 is tirx.cta_sync's)}}
  tirx.barrier_sync id(0) threads(128)
  return
}

// -----

// A CTA has 16 barriers.
func.func @f() {
  // expected-error@+1 {{'tirx.barrier_sync' op id(16) is outside [1, 15] (PTX ISA, bar: 16 barriers, 0 is tirx.cta_sync's)}}
  tirx.barrier_sync id(16) threads(128)
  return
}

// -----

// Warps meet, not threads.
func.func @f() {
  // expected-error@+1 {{'tirx.barrier_sync' op threads(100) must be a multiple of the warp size 32}}
  tirx.barrier_sync id(1) threads(100)
  return
}

// -----

// Somebody must come.
func.func @f() {
  // expected-error@+1 {{'tirx.barrier_sync' op threads(0) must be a multiple of the warp size 32}}
  tirx.barrier_sync id(1) threads(0)
  return
}

// -----

// More than there are would wait for ever.
tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(128) {
    // expected-error@+1 {{'tirx.barrier_sync' op threads(160) exceeds the launch's 128}}
    tirx.barrier_sync id(1) threads(160)
  }
}

// -----

// No such fence.
func.func @f() {
  // expected-error@+1 {{unknown fence 'proxy': expected proxy_async, mbarrier_init, tcgen05_before_thread_sync, tcgen05_after_thread_sync or proxy_async_global}}
  tirx.fence proxy
  return
}

// -----

// A number of groups.
func.func @f() {
  // expected-error@+1 {{'tirx.bulk.wait_group' op pending count -1 is negative}}
  tirx.bulk.wait_group -1
  return
}

// -----

// tirx.cta_sync takes nothing.
func.func @f() {
  // expected-error@+1 {{expected operation name in quotes}}
  tirx.cta_sync 0
  return
}

// -----

// Arriving is at the same barriers.
func.func @f() {
  // expected-error@+1 {{'tirx.barrier_arrive' op id(0) is outside [1, 15] (PTX ISA, bar: 16 barriers, 0 is tirx.cta_sync's)}}
  tirx.barrier_arrive id(0) threads(128)
  return
}

// -----

// Likewise.
func.func @f() {
  // expected-error@+1 {{'tirx.barrier_arrive' op threads(48) must be a multiple of the warp size 32}}
  tirx.barrier_arrive id(1) threads(48)
  return
}

// -----

// Too few registers.
func.func @f() {
  // expected-error@+1 {{'tirx.setmaxnreg' op count 16 must be a multiple of 8 in [24, 256] (PTX ISA, setmaxnreg)}}
  tirx.setmaxnreg decrease 16
  return
}

// -----

// Too many.
func.func @f() {
  // expected-error@+1 {{'tirx.setmaxnreg' op count 264 must be a multiple of 8 in [24, 256] (PTX ISA, setmaxnreg)}}
  tirx.setmaxnreg increase 264
  return
}

// -----

// Registers come in eights.
func.func @f() {
  // expected-error@+1 {{'tirx.setmaxnreg' op count 100 must be a multiple of 8 in [24, 256] (PTX ISA, setmaxnreg)}}
  tirx.setmaxnreg increase 100
  return
}

// -----

// Up or down.
func.func @f() {
  // expected-error@+1 {{unknown setmaxnreg action 'set': expected increase or decrease}}
  tirx.setmaxnreg set 64
  return
}

// -----

// Two instructions.
func.func @f() {
  // expected-error@+1 {{unknown griddepcontrol action 'launch': expected wait or launch_dependents}}
  tirx.griddepcontrol launch
  return
}

// -----

// More than there are would never all come.
tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(128) {
    // expected-error@+1 {{'tirx.barrier_arrive' op threads(160) exceeds the launch's 128}}
    tirx.barrier_arrive id(1) threads(160)
  }
}
