// RUN: xla-opt %s --xla-inline-calls | FileCheck %s

// Every call is its callee's body, and no other function is left.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT:    %[[ONCE:.*]] = stablehlo.add %[[X]], %[[X]]
// CHECK-NEXT:    %[[TWICE:.*]] = stablehlo.add %[[ONCE]], %[[ONCE]]
// CHECK-NEXT:    return %[[TWICE]]
// CHECK-NOT:   func.func
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @double(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = func.call @double(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @double(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
