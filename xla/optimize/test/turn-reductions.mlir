// RUN: xla-opt %s --xla-turn-reductions --split-input-file | FileCheck %s

// A transposed array is folded along the dimension that it has in memory.
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:.*]]: tensor<20x30xf32>
// CHECK:         %[[S:.*]] = stablehlo.reduce(%[[X]] init
// CHECK-SAME:      dimensions = [1]
// CHECK:         return %[[S]]
func.func @main(%x: tensor<20x30xf32>) -> tensor<20xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<20x30xf32>) -> tensor<30x20xf32>
  %0 = stablehlo.reduce(%t init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<30x20xf32>, tensor<f32>) -> tensor<20xf32>
  return %0 : tensor<20xf32>
}

// -----

// So is what is computed from such, a number and a line.
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:.*]]: tensor<20x30xf32>, %[[V:.*]]: tensor<20xf32>
// CHECK-DAG:     %[[LINE:.*]] = stablehlo.broadcast_in_dim %[[V]], dims = [0] : (tensor<20xf32>) -> tensor<20x30xf32>
// CHECK-DAG:     %[[TWO:.*]] = stablehlo.constant dense<2.0{{.*}}> : tensor<20x30xf32>
// CHECK-DAG:     %[[D:.*]] = stablehlo.subtract %[[X]], %[[LINE]]
// CHECK:         %[[P:.*]] = stablehlo.multiply %[[D]], %[[TWO]]
// CHECK:         stablehlo.reduce(%[[P]] init
// CHECK-SAME:      dimensions = [0]
func.func @main(%x: tensor<20x30xf32>, %v: tensor<20xf32>) -> tensor<30xf32> {
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %two = stablehlo.constant dense<2.0> : tensor<30x20xf32>
  %line = stablehlo.broadcast_in_dim %v, dims = [1] : (tensor<20xf32>) -> tensor<30x20xf32>
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<20x30xf32>) -> tensor<30x20xf32>
  %d = stablehlo.subtract %t, %line : tensor<30x20xf32>
  %p = stablehlo.multiply %d, %two : tensor<30x20xf32>
  %0 = stablehlo.reduce(%p init: %lowest) applies stablehlo.maximum across dimensions = [1] : (tensor<30x20xf32>, tensor<f32>) -> tensor<30xf32>
  return %0 : tensor<30xf32>
}

// -----

// Results that are left in another order are transposed.
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:.*]]: tensor<2x3x4xf32>
// CHECK:         %[[S:.*]] = stablehlo.reduce(%[[X]] init
// CHECK-SAME:      dimensions = [1] : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x4xf32>
// CHECK:         %[[T:.*]] = stablehlo.transpose %[[S]], dims = [1, 0] : (tensor<2x4xf32>) -> tensor<4x2xf32>
// CHECK:         return %[[T]]
func.func @main(%x: tensor<2x3x4xf32>) -> tensor<4x2xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %t = stablehlo.transpose %x, dims = [2, 1, 0] : (tensor<2x3x4xf32>) -> tensor<4x3x2xf32>
  %0 = stablehlo.reduce(%t init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x3x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

// Where a fold is no operation that may take its elements in any order, those
// of one result stay in theirs.
// CHECK-LABEL: func.func @main(
// CHECK:         %[[T:.*]] = stablehlo.transpose
// CHECK:         stablehlo.reduce(%[[T]] init
func.func @main(%x: tensor<2x3xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %0 = stablehlo.reduce(%t init: %zero) applies stablehlo.subtract across dimensions = [0, 1] : (tensor<3x2xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// What is read in two orders stays.
// CHECK-LABEL: func.func @main(
// CHECK:         %[[S:.*]] = stablehlo.add
// CHECK:         stablehlo.reduce(%[[S]] init
// CHECK-SAME:      dimensions = [0]
func.func @main(%y: tensor<5x5xf32>) -> tensor<5xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %u = stablehlo.transpose %y, dims = [1, 0] : (tensor<5x5xf32>) -> tensor<5x5xf32>
  %s = stablehlo.add %u, %y : tensor<5x5xf32>
  %1 = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<5x5xf32>, tensor<f32>) -> tensor<5xf32>
  return %1 : tensor<5xf32>
}
