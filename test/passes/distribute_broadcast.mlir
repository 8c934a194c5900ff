// Broadcasts pick the registers of one thread: no data moves between threads.
//
// RUN: tirx-opt %s --tirx-dispatch --tirx-distribute | FileCheck %s

// A bias: every thread of the warpgroup loads all of it, 4 elements at a time,
// and has what a row needs. A column of one element a thread is repeated along
// its row; so is the bias where columns are spread over lanes.
#all = #tirx.layout<S[8:1] + R[128:1@tid_in_wg]>
#rows = #tirx.layout<S[(128,8):(1@tid_in_wg,1)]>
#column = #tirx.layout<S[(128,1):(1@tid_in_wg,1)]>
#spread = #tirx.layout<S[(4,8,4,2):(1@wid_in_wg,4@laneid,1@laneid,1)]>
#spreadBias = #tirx.layout<S[(4,2):(1@laneid,1)] + R[(8,4):(4@laneid,1@wid_in_wg)]>
!bias = !tirx.buffer<8xf32, #tirx.layout<S[8:1]>, shared>
!spread = tensor<32x8xf32, #tirx.layout<S[(4,8,4,2):(1@wid_in_wg,4@laneid,1@laneid,1)]>>
// CHECK-LABEL: tirx.kernel @broadcast
tirx.kernel @broadcast() {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %s = tirx.shared.alloc : !bias
    // CHECK: %[[LOW:.*]] = tirx.ld %{{.*}}[%c0{{.*}}] : {{.*}} -> vector<4xf32>
    // CHECK: %[[V0:.*]] = vector.insert_strided_slice %[[LOW]]
    // CHECK: %[[HIGH:.*]] = tirx.ld %{{.*}}[%c4{{.*}}] : {{.*}} -> vector<4xf32>
    // CHECK: %[[V:.*]] = vector.insert_strided_slice %[[HIGH]], %[[V0]]
    %v = tirx.copy %s dispatch("vector") : !bias to tensor<8xf32, #all>
    // CHECK: %[[B:.*]] = vector.shuffle %[[V]], %[[V]] [0, 1, 2, 3, 4, 5, 6, 7] : vector<8xf32>, vector<8xf32>
    %b = tirx.broadcast %v : tensor<8xf32, #all> to tensor<128x8xf32, #rows>
    // CHECK: arith.addf %[[B]], %{{.*}} : vector<8xf32>
    %x = arith.addf %b, %b : tensor<128x8xf32, #rows>
    %one = arith.constant dense<1.0> : tensor<128x1xf32, #column>
    // CHECK: vector.shuffle %{{.*}}, %{{.*}} [0, 0, 0, 0, 0, 0, 0, 0] : vector<1xf32>, vector<1xf32>
    %c = tirx.broadcast %one : tensor<128x1xf32, #column> to tensor<128x8xf32, #rows>
    %p = arith.constant dense<2.0> : tensor<8xf32, #spreadBias>
    // CHECK: vector.shuffle %{{.*}}, %{{.*}} [0, 1] : vector<2xf32>, vector<2xf32>
    %q = tirx.broadcast %p : tensor<8xf32, #spreadBias> to !spread
    %y = arith.addf %q, %q : !spread
  }
}
