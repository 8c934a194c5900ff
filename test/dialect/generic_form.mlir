// What the generic form says of properties, enumerations and implied terminators.
//
// RUN: tirx-opt %s --mlir-print-op-generic | FileCheck %s

// CHECK-DAG: #[[ROWS:.+]] = #tirx.layout<S[(128,64):(1@tid_in_wg,1)]>
#rows = #tirx.layout<S[(128,64):(1@tid_in_wg,1)]>
!Acc = !tirx.buffer<128x64xf32, #tirx.layout<S[(128,64):(1@TLane,1@TCol)]>, tmem>
!As = !tirx.buffer<128x64xf16, #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>, shared>

// CHECK: "tirx.kernel"() <{argument_names = ["A", "n"], argument_types = [!tirx.buffer<?x?xf16, global>, index], sym_name = "k"}> ({
// CHECK-NEXT: ^bb0(%[[A:.+]]: !tirx.buffer<?x?xf16, global>, %[[N:.+]]: index):
tirx.kernel @k(%A: !tirx.buffer<?x?xf16, global>, %n: index) {
  // CHECK: "tirx.dim"(%[[A]]) <{axis = 1 : i64}> : (!tirx.buffer<?x?xf16, global>) -> index
  %0 = tirx.dim %A, 1 : !tirx.buffer<?x?xf16, global>
  // CHECK: "tirx.launch"(%{{.*}}, %[[N]], %[[N]]) <{threads = 64 : i64}> ({
  tirx.launch grid(%0, %n, %n) threads(64) {
    // CHECK: "tirx.elect"() <{warp = 1 : i64}> ({
    // CHECK-NEXT: "tirx.bulk.wait_group"() <{pending = 2 : i64, read}> : () -> ()
    // CHECK-NEXT: "tirx.return"() : () -> ()
    tirx.elect warp(1) {
      tirx.bulk.wait_group 2 read
    }
    // CHECK: "tirx.return"() : () -> ()
  }
}

// CHECK: sym_name = "f"
func.func @f(%acc: !Acc, %A: !tirx.buffer<128x64xf16, global>, %As: !As, %ring: !tirx.barrier<2>, %i: index) {
  // CHECK: "tirx.id"() <{axis = #tirx<thread_axis tid_in_wg>}> : () -> index
  %0 = tirx.id tid_in_wg
  // CHECK: "tirx.fence"() <{kind = #tirx<fence_kind proxy_async>}> : () -> ()
  tirx.fence proxy_async
  // CHECK: "tirx.tcgen05.wait"() <{kind = #tirx<tcgen05_wait_kind st>}> : () -> ()
  tirx.tcgen05.wait st
  // CHECK: "tirx.tcgen05.ld"(%{{.*}}) <{column = 0 : i64, num = 64 : i64, shape = #tirx<tcgen05_ldst_shape shape_32x32b>}>
  // CHECK-SAME: -> tensor<128x64xf32, #[[ROWS]]>
  %1 = tirx.tcgen05.ld %acc column(0) shape_32x32b num(64) : !Acc -> tensor<128x64xf32, #rows>
  // Operands that may be absent: source, destination, barrier, slot.
  // CHECK: "tirx.copy_async"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) <{cta_group = 1 : i64, dispatch = "tma", operandSegmentSizes = array<i32: 1, 1, 1, 1>}>
  tirx.copy_async %A to %As signal(%ring[%i] : !tirx.barrier<2>) dispatch("tma") : !tirx.buffer<128x64xf16, global> to !As
  // CHECK: "tirx.copy"(%{{.*}}) : ({{.*}}) -> tensor<128x64xf32, #[[ROWS]]>
  %2 = tirx.copy %acc : !Acc to tensor<128x64xf32, #rows>
  return
}
