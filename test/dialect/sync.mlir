// RUN: tirx-opt %s | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-op-generic | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --emit-bytecode | tirx-opt | FileCheck %s
// RUN: tirx-opt %s --mlir-print-debuginfo | tirx-opt | FileCheck %s

// CHECK-LABEL: func.func @barriers
func.func @barriers() {
  // CHECK-NEXT: tirx.cta_sync
  tirx.cta_sync
  // CHECK-NEXT: tirx.cluster_sync
  tirx.cluster_sync
  // CHECK-NEXT: tirx.warp_sync
  tirx.warp_sync
  // The first and the last barrier; 0 is tirx.cta_sync's.
  // CHECK-NEXT: tirx.barrier_sync id(1) threads(32)
  tirx.barrier_sync id(1) threads(32)
  // CHECK-NEXT: tirx.barrier_sync id(15) threads(1024) {note = "kept"}
  tirx.barrier_sync id(15) threads(1024) {note = "kept"}
  // CHECK-NEXT: tirx.barrier_arrive id(1) threads(32)
  tirx.barrier_arrive id(1) threads(32)
  // CHECK-NEXT: tirx.barrier_arrive id(15) threads(1024) {note = "kept"}
  tirx.barrier_arrive id(15) threads(1024) {note = "kept"}
  return
}

// CHECK-LABEL: tirx.kernel @all_threads_of_the_launch
tirx.kernel @all_threads_of_the_launch(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(128) {
    // CHECK: tirx.barrier_sync id(2) threads(128)
    tirx.barrier_sync id(2) threads(128)
  }
}

// CHECK-LABEL: func.func @fences
func.func @fences() {
  // CHECK-NEXT: tirx.fence proxy_async
  tirx.fence proxy_async
  // CHECK-NEXT: tirx.fence proxy_async_global
  tirx.fence proxy_async_global
  // CHECK-NEXT: tirx.fence mbarrier_init
  tirx.fence mbarrier_init
  // CHECK-NEXT: tirx.fence tcgen05_before_thread_sync
  tirx.fence tcgen05_before_thread_sync
  // CHECK-NEXT: tirx.fence tcgen05_after_thread_sync {note = "kept"}
  tirx.fence tcgen05_after_thread_sync {note = "kept"}
  return
}

// CHECK-LABEL: func.func @bulk_groups
func.func @bulk_groups() {
  // CHECK-NEXT: tirx.bulk.commit_group
  tirx.bulk.commit_group
  // CHECK-NEXT: tirx.bulk.wait_group 0{{$}}
  tirx.bulk.wait_group 0
  // CHECK-NEXT: tirx.bulk.wait_group 3 read{{$}}
  tirx.bulk.wait_group 3 read
  return
}

// CHECK-LABEL: func.func @dependent_launch
func.func @dependent_launch() {
  // CHECK-NEXT: tirx.griddepcontrol wait{{$}}
  tirx.griddepcontrol wait
  // CHECK-NEXT: tirx.griddepcontrol launch_dependents {note = "kept"}
  tirx.griddepcontrol launch_dependents {note = "kept"}
  return
}

// The fewest and the most registers.
// CHECK-LABEL: func.func @registers
func.func @registers() {
  // CHECK-NEXT: tirx.setmaxnreg decrease 24{{$}}
  tirx.setmaxnreg decrease 24
  // CHECK-NEXT: tirx.setmaxnreg increase 256 {note = "kept"}
  tirx.setmaxnreg increase 256 {note = "kept"}
  return
}
