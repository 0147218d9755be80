// RUN: xla-opt %s --xla-make-sums-reproducible --split-input-file | FileCheck %s

// A sum of floats is one of multiples of a unit, in f64, times what the largest
// term was divided by.
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:.*]]: tensor<4x8xf32>
// CHECK:         %[[W:.*]] = stablehlo.convert %[[X]] : (tensor<4x8xf32>) -> tensor<4x8xf64>
// CHECK:         stablehlo.reduce({{.*}}) applies stablehlo.maximum across dimensions = [1]
// CHECK:         %[[P:.*]] = stablehlo.select {{.*}} : tensor<4xi1>, tensor<4xf64>
// CHECK:         %[[A:.*]] = stablehlo.add %[[R:.*]], %[[C:.*]] : tensor<4x8xf64>
// CHECK:         %[[T:.*]] = stablehlo.subtract %[[A]], %[[C]]
// CHECK:         stablehlo.reduce({{.*}}) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf64>, tensor<f64>) -> tensor<4xf64>
// CHECK:         stablehlo.multiply {{.*}}, %[[P]]
// CHECK:         stablehlo.convert {{.*}} : (tensor<4xf64>) -> tensor<4xf32>
module attributes {jax.reproducible} {
  func.func @main(%x: tensor<4x8xf32>) -> tensor<4xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// Two slices of each factor: three products without rounding, and one of signs,
// which says where a product is not finite.
// CHECK-LABEL: func.func @main(
// CHECK-COUNT-3: stablehlo.dot_general {{.*}} -> tensor<4x6xf64>
// CHECK:         stablehlo.dot_general {{.*}} -> tensor<4x6xf32>
// CHECK-NOT:     stablehlo.dot_general
module attributes {jax.reproducible} {
  func.func @main(%x: tensor<4x8xf32>, %y: tensor<8x6xf32>) -> tensor<4x6xf32> {
    %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    return %0 : tensor<4x6xf32>
  }
}

// -----

// A factor without a dimension of its own is multiplied and summed.
// CHECK-LABEL: func.func @main(
// CHECK-NOT:     stablehlo.dot_general
// CHECK:         stablehlo.multiply {{.*}} : tensor<4x8xf64>
// CHECK:         applies stablehlo.add across dimensions = [1]
module attributes {jax.reproducible} {
  func.func @main(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> tensor<4xf32> {
    %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// Products of numbers are folded in halves.
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:.*]]: tensor<5xf32>
// CHECK-DAG:     %[[A:.*]] = stablehlo.slice %[[X]] [0:2]
// CHECK-DAG:     %[[B:.*]] = stablehlo.slice %[[X]] [3:5]
// CHECK:         stablehlo.multiply %[[A]], %[[B]] : tensor<2xf32>
module attributes {jax.reproducible} {
  func.func @main(%x: tensor<5xf32>) -> tensor<f32> {
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %0 = stablehlo.reduce(%x init: %one) applies stablehlo.multiply across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}

// -----

// Whole numbers have one sum, and other modules stay as they are.
// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    stablehlo.dot_general {{.*}} -> tensor<4x6xi32>
module attributes {jax.reproducible} {
  func.func @main(%x: tensor<4x8xi32>, %y: tensor<8x6xi32>) -> tensor<4x6xi32> {
    %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<4x8xi32>, tensor<8x6xi32>) -> tensor<4x6xi32>
    return %0 : tensor<4x6xi32>
  }
}

// -----

// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    stablehlo.dot_general {{.*}} -> tensor<4x6xf32>
func.func @main(%x: tensor<4x8xf32>, %y: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
