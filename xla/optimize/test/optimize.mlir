// RUN: xla-opt %s --xla-optimize --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT:    %[[TWICE:.*]] = stablehlo.add %[[X]], %[[X]]
// CHECK-NEXT:    %[[FOURFOLD:.*]] = stablehlo.add %[[TWICE]], %[[TWICE]]
// CHECK-NEXT:    return %[[FOURFOLD]]
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

// -----

// Two copies of one callee on the same argument are one computation.

// CHECK-LABEL: func.func @main(
// CHECK:         stablehlo.sine
// CHECK-NOT:     stablehlo.sine
// CHECK:         stablehlo.add
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @wave(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = func.call @wave(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @wave(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.sine %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
