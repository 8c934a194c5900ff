// Device code becomes a function of the host values that it uses.
//
// RUN: tirx-opt %s --tirx-outline-kernels -split-input-file | FileCheck %s

// Parameters in order of use, each once; unused arguments are none. Extents and
// strides are asked for on the host, once each. Constants are repeated instead.
!matrix = !tirx.buffer<?x?xf32, global>
// CHECK: func.func @k_device(%[[N:.*]]: index, %[[X:.*]]: !tirx.buffer<?x?xf32, global>, %[[AT:.*]]: i64, %[[ROWS:.*]]: index, %[[PITCH:.*]]: i64)
// CHECK-SAME: attributes {tirx.shared_bytes = 256 : i64, tirx.threads = 96 : i64, tirx.tmem_address_offset = 0 : i64, tirx.tmem_columns = 32 : i64} {
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C7:.*]] = arith.constant 7 : i64
// CHECK: arith.addi %[[N]], %[[N]] : index
// CHECK: arith.addi %[[N]], %[[C1]]
// CHECK: %[[V:.*]] = tirx.ld %[[X]][%[[AT]]]
// CHECK: arith.addi %[[ROWS]], %[[ROWS]] : index
// CHECK: arith.addi %[[PITCH]], %[[C7]] : i64
// CHECK: tirx.st %[[V]], %[[X]]
// CHECK: return
// CHECK-NOT: tirx.launch grid
// CHECK: tirx.kernel @k(%X: {{.*}}, %unused: {{.*}}, %n: index, %at: i64)
// CHECK-SAME: attributes {tirx.reads = array<i64: 0>, tirx.writes = array<i64: 0>}
tirx.kernel @k(%X: !matrix, %unused: !matrix, %n: index, %at: i64) {
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : i64
  // CHECK: %[[HOSTROWS:.*]] = tirx.dim %X, 0
  %rows = tirx.dim %X, 0 : !matrix
  // CHECK: %[[HOSTPITCH:.*]] = tirx.stride %X, 0
  // CHECK-NOT: tirx.dim
  // CHECK-NOT: tirx.stride
  // CHECK: tirx.launch_func @k_device grid(%[[HOSTROWS]], %c1, %c1) threads(96) shared_bytes(256) args(%n, %X, %at, %[[HOSTROWS]], %[[HOSTPITCH]] : index, !tirx.buffer<?x?xf32, global>, i64, index, i64)
  tirx.launch grid(%rows, %c1, %c1) threads(96) attributes {tirx.shared_bytes = 256 : i64, tirx.tmem_columns = 32 : i64, tirx.tmem_address_offset = 0 : i64} {
    %a = arith.addi %n, %n : index
    %b = arith.addi %n, %c1 : index
    %v = tirx.ld %X[%at] : i64, !matrix -> vector<1xf32>
    %r = tirx.dim %X, 0 : !matrix
    %r2 = arith.addi %r, %rows : index
    %p = tirx.stride %X, 0 : !matrix
    %p2 = tirx.stride %X, 0 : !matrix
    %p3 = arith.addi %p, %c7 : i64
    %p4 = arith.addi %p2, %p3 : i64
    tirx.st %v, %X[%at] : vector<1xf32>, i64 to !matrix
  }
}

// -----

// What is read and written, through pointers and tensor maps, in any depth; the
// numbers are those of the arguments. Shared memory is nobody's argument.
!matrix = !tirx.buffer<?x?xf16, global>
!map = !tirx.tensor_map<64x64xf16, none>
!shared = !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(64,1)]>, shared>
// CHECK: tirx.kernel @accesses
// CHECK-SAME: tirx.reads = array<i64: 2, 0>, tirx.writes = array<i64: 1, 3>
tirx.kernel @accesses(%A: !matrix, %B: !matrix, %C: !matrix, %D: !matrix, %E: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %at = arith.constant 0 : i64
  %mapA = tirx.tensor_map %A : !matrix to !map
  %mapB = tirx.tensor_map %B : !matrix to !map
  %mapE = tirx.tensor_map %E : !matrix to !map
  // CHECK: args(%C, %{{[0-9]+}}, %{{[0-9]+}}, %D : !tirx.buffer<?x?xf16, global>, !tirx.tensor_map<64x64xf16, none>, !tirx.tensor_map<64x64xf16, none>, !tirx.buffer<?x?xf16, global>)
  tirx.launch grid(%c1, %c1, %c1) threads(32) attributes {tirx.shared_bytes = 8320 : i64} {
    %bar = tirx.mbarrier.alloc offset(0) : !tirx.barrier<1>
    %s = tirx.shared.alloc offset(128) : !shared
    %v = tirx.ld %C[%at] : i64, !matrix -> vector<1xf16>
    tirx.st %v, %s[%c0] : vector<1xf16>, index to !shared
    %w = tirx.ld %s[%c0] : index, !shared -> vector<1xf16>
    %one = tirx.elect_sync
    scf.if %one {
      tirx.tma.load %mapA[%c0, %c0] to %s offset(0) signal(%bar) : !map to !shared, !tirx.barrier<1>
      tirx.tma.store %s offset(0) to %mapB[%c0, %c0] : !shared to !map
      tirx.st %v, %D[%at] : vector<1xf16>, i64 to !matrix
    }
  }
}

// -----

// Two kernels in a module; one without arguments; one whose function's name is
// taken.
// CHECK: func.func @a_device() attributes {
// CHECK: tirx.kernel @a()
// CHECK: tirx.launch_func @a_device grid(%c1, %c1, %c1) threads(32) shared_bytes(0) args()
tirx.kernel @a() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(32) attributes {tirx.shared_bytes = 0 : i64} {
    tirx.cta_sync
  }
}
// CHECK: func.func @[[B:b_device_[0-9]+]](%{{.*}}: f32)
// CHECK: tirx.kernel @b(%x: f32)
// CHECK: tirx.launch_func @[[B]] grid
tirx.kernel @b(%x: f32) {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(32) attributes {tirx.shared_bytes = 0 : i64} {
    %y = arith.addf %x, %x : f32
  }
}
func.func private @b_device()

// -----

// A kernel that waits for the grid before it may be launched before that ends.
// CHECK-LABEL: tirx.kernel @dependent(
// CHECK-SAME: tirx.programmatic_dependent_launch
tirx.kernel @dependent() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) attributes {tirx.shared_bytes = 0 : i64} {
    tirx.griddepcontrol wait
    tirx.griddepcontrol launch_dependents
  }
}
