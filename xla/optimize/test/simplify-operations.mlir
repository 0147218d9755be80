// RUN: xla-opt %s --xla-simplify-operations --split-input-file | FileCheck %s

// What is exact for floats: products with 1, and zeros of the sign that changes
// nothing.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT:    return %[[X]], %[[X]], %[[X]], %[[X]]
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %ones = stablehlo.broadcast_in_dim %one, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
  %minus = stablehlo.constant dense<-0.0> : tensor<4xf32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<4xf32>
  %0 = stablehlo.multiply %ones, %x : tensor<4xf32>
  %1 = stablehlo.divide %0, %ones : tensor<4xf32>
  %2 = stablehlo.subtract %x, %zero : tensor<4xf32>
  %3 = stablehlo.add %minus, %x : tensor<4xf32>
  %4 = stablehlo.maximum %x, %least : tensor<4xf32>
  return %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// What is not: -0 + 0 is +0, -0 - -0 is +0, infinity times 0 is NaN.

// CHECK-LABEL: func.func @main(
// CHECK:         stablehlo.add
// CHECK:         stablehlo.subtract
// CHECK:         stablehlo.multiply
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
  %minus = stablehlo.constant dense<-0.0> : tensor<4xf32>
  %0 = stablehlo.add %x, %zero : tensor<4xf32>
  %1 = stablehlo.subtract %x, %minus : tensor<4xf32>
  %2 = stablehlo.multiply %x, %zero : tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Integers, bits and choices.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:.*]]: tensor<4xi32>, %[[P:.*]]: tensor<4xi1>)
// CHECK-NEXT:    %[[NO:.*]] = stablehlo.constant dense<false>
// CHECK-NEXT:    return %[[X]], %[[X]], %[[P]], %[[NO]]
func.func @main(%x: tensor<4xi32>, %p: tensor<4xi1>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi1>, tensor<4xi1>) {
  %zero = stablehlo.constant dense<0> : tensor<4xi32>
  %yes = stablehlo.constant dense<true> : tensor<4xi1>
  %no = stablehlo.constant dense<false> : tensor<4xi1>
  %0 = stablehlo.add %zero, %x : tensor<4xi32>
  %1 = stablehlo.select %yes, %x, %zero : tensor<4xi1>, tensor<4xi32>
  %2 = stablehlo.not %p : tensor<4xi1>
  %3 = stablehlo.not %2 : tensor<4xi1>
  %4 = stablehlo.and %p, %no : tensor<4xi1>
  return %0, %1, %3, %4 : tensor<4xi32>, tensor<4xi32>, tensor<4xi1>, tensor<4xi1>
}

// -----

// Movements of movements.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:.*]]: tensor<2x3x4xf32>)
// CHECK-DAG:     %[[T:.*]] = stablehlo.transpose %[[X]], dims = [2, 0, 1]
// CHECK-DAG:     %[[R:.*]] = stablehlo.reshape %[[X]] : (tensor<2x3x4xf32>) -> tensor<24xf32>
// CHECK:         return %[[T]], %[[R]], %[[X]]
func.func @main(%x: tensor<2x3x4xf32>) -> (tensor<4x2x3xf32>, tensor<24xf32>, tensor<2x3x4xf32>) {
  %0 = stablehlo.transpose %x, dims = [1, 2, 0] : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %1 = stablehlo.transpose %0, dims = [1, 2, 0] : (tensor<3x4x2xf32>) -> tensor<4x2x3xf32>
  %2 = stablehlo.reshape %x : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %3 = stablehlo.reshape %2 : (tensor<6x4xf32>) -> tensor<24xf32>
  %4 = stablehlo.slice %x [0:2, 0:3, 0:4] : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %1, %3, %4 : tensor<4x2x3xf32>, tensor<24xf32>, tensor<2x3x4xf32>
}

// -----

// A product that sums nothing.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:.*]]: tensor<5x2xf32>, %[[Y:.*]]: tensor<3x5x1xf32>)
// CHECK-DAG:     %[[LEFT:.*]] = stablehlo.broadcast_in_dim %[[X]], dims = [0, 1] : (tensor<5x2xf32>) -> tensor<5x2x3xf32>
// CHECK-DAG:     %[[FLAT:.*]] = stablehlo.reshape %[[Y]] : (tensor<3x5x1xf32>) -> tensor<3x5xf32>
// CHECK-DAG:     %[[RIGHT:.*]] = stablehlo.broadcast_in_dim %[[FLAT]], dims = [2, 0]
// CHECK:         stablehlo.multiply %[[LEFT]], %[[RIGHT]]
func.func @main(%x: tensor<5x2xf32>, %y: tensor<3x5x1xf32>) -> tensor<5x2x3xf32> {
  %0 = stablehlo.reshape %x : (tensor<5x2xf32>) -> tensor<5x1x2xf32>
  %1 = stablehlo.dot_general %0, %y, batching_dims = [0] x [1], contracting_dims = [1] x [2] : (tensor<5x1x2xf32>, tensor<3x5x1xf32>) -> tensor<5x2x3xf32>
  return %1 : tensor<5x2x3xf32>
}

// -----

// transpose(a b) = b' a'.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:.*]]: tensor<7x2x3xf32>, %[[Y:.*]]: tensor<7x3x4x5xf32>)
// CHECK-NEXT:    %[[P:.*]] = stablehlo.dot_general %[[Y]], %[[X]], batching_dims = [0] x [0], contracting_dims = [1] x [2]
// CHECK-NEXT:    return %[[P]] : tensor<7x4x5x2xf32>
func.func @main(%x: tensor<7x2x3xf32>, %y: tensor<7x3x4x5xf32>) -> tensor<7x4x5x2xf32> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<7x2x3xf32>, tensor<7x3x4x5xf32>) -> tensor<7x2x4x5xf32>
  %1 = stablehlo.transpose %0, dims = [0, 2, 3, 1] : (tensor<7x2x4x5xf32>) -> tensor<7x4x5x2xf32>
  return %1 : tensor<7x4x5x2xf32>
}

// -----

// What is spread and then reshaped is computed before it is reshaped.

// CHECK-LABEL: func.func @main(
// CHECK:         %[[SPREAD:.*]] = stablehlo.broadcast_in_dim
// CHECK:         %[[TWO:.*]] = stablehlo.constant dense<2.000000e+00> : tensor<5x9x2xf32>
// CHECK:         %[[TWICE:.*]] = stablehlo.multiply %[[SPREAD]], %[[TWO]]
// CHECK:         %[[HALF:.*]] = stablehlo.convert %[[TWICE]] : (tensor<5x9x2xf32>) -> tensor<5x9x2xf16>
// CHECK:         %[[RESULT:.*]] = stablehlo.reshape %[[HALF]]
// CHECK:         return %[[RESULT]]
func.func @main(%x: tensor<9x2xf32>) -> tensor<45x2xf16> {
  %two = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = stablehlo.broadcast_in_dim %x, dims = [1, 2] : (tensor<9x2xf32>) -> tensor<5x9x2xf32>
  %1 = stablehlo.reshape %0 : (tensor<5x9x2xf32>) -> tensor<45x2xf32>
  %2 = stablehlo.broadcast_in_dim %two, dims = [] : (tensor<f32>) -> tensor<45x2xf32>
  %3 = stablehlo.multiply %1, %2 : tensor<45x2xf32>
  %4 = stablehlo.convert %3 : (tensor<45x2xf32>) -> tensor<45x2xf16>
  return %4 : tensor<45x2xf16>
}

// -----

// Not with another array, nor what is only reshaped.

// CHECK-LABEL: func.func @main(
// CHECK:         stablehlo.reshape
// CHECK-NEXT:    stablehlo.multiply
// CHECK-NEXT:    stablehlo.reshape
// CHECK-NEXT:    stablehlo.negate
func.func @main(%x: tensor<9x2xf32>, %y: tensor<45x2xf32>) -> (tensor<45x2xf32>, tensor<18xf32>) {
  %0 = stablehlo.broadcast_in_dim %x, dims = [1, 2] : (tensor<9x2xf32>) -> tensor<5x9x2xf32>
  %1 = stablehlo.reshape %0 : (tensor<5x9x2xf32>) -> tensor<45x2xf32>
  %2 = stablehlo.multiply %1, %y : tensor<45x2xf32>
  %3 = stablehlo.reshape %x : (tensor<9x2xf32>) -> tensor<18xf32>
  %4 = stablehlo.negate %3 : tensor<18xf32>
  return %2, %4 : tensor<45x2xf32>, tensor<18xf32>
}

// -----

// The logarithm of the exponential of one number, from which the number was
// taken away, is 0 or what is not finite.
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:.*]]: tensor<7x1xf32>
// CHECK-NOT:     stablehlo.exponential
// CHECK:         %[[F:.*]] = stablehlo.is_finite %{{.*}} : (tensor<7xf32>) -> tensor<7xi1>
// CHECK:         stablehlo.select %[[F]], %{{.*}} : tensor<7xi1>, tensor<7xf32>
// CHECK-NOT:     stablehlo.log
func.func @main(%x: tensor<7x1xf32>) -> tensor<7xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.constant dense<0.0> : tensor<7x1xf32>
  %0 = stablehlo.is_finite %x : (tensor<7x1xf32>) -> tensor<7x1xi1>
  %1 = stablehlo.select %0, %x, %zeros : tensor<7x1xi1>, tensor<7x1xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<7x1xf32>
  %3 = stablehlo.exponential %2 : tensor<7x1xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<7x1xf32>, tensor<f32>) -> tensor<7xf32>
  %5 = stablehlo.log %4 : tensor<7xf32>
  return %5 : tensor<7xf32>
}

// -----

// That of another number is computed.
// CHECK-LABEL: func.func @main(
// CHECK:         stablehlo.exponential
// CHECK:         stablehlo.log
func.func @main(%x: tensor<7xf32>, %y: tensor<7xf32>) -> tensor<7xf32> {
  %zeros = stablehlo.constant dense<0.0> : tensor<7xf32>
  %0 = stablehlo.is_finite %x : (tensor<7xf32>) -> tensor<7xi1>
  %1 = stablehlo.select %0, %x, %zeros : tensor<7xi1>, tensor<7xf32>
  %2 = stablehlo.subtract %y, %1 : tensor<7xf32>
  %3 = stablehlo.exponential %2 : tensor<7xf32>
  %4 = stablehlo.log %3 : tensor<7xf32>
  return %4 : tensor<7xf32>
}
