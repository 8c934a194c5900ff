// RUN: tirx-opt %s --canonicalize | FileCheck %s
// RUN: tirx-opt --help | FileCheck %s --check-prefix=HELP

// HELP: --canonicalize
// HELP: --cse

// CHECK-LABEL: func.func @fold
// CHECK: %[[C:.*]] = arith.constant 7 : i32
// CHECK: return %[[C]]
func.func @fold() -> i32 {
  %a = arith.constant 3 : i32
  %b = arith.constant 4 : i32
  %c = arith.addi %a, %b : i32
  return %c : i32
}
