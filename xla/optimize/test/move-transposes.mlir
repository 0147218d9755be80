// RUN: xla-opt %s --xla-move-transposes --split-input-file | FileCheck %s

// Through what is computed from one array, a line and a number.
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:.*]]: tensor<32x64xf32>, %[[V:.*]]: tensor<64xf32>
// CHECK-DAG:     %[[T:.*]] = stablehlo.transpose %[[X]], dims = [1, 0] : (tensor<32x64xf32>) -> tensor<64x32xf32>
// CHECK-DAG:     %[[LINE:.*]] = stablehlo.broadcast_in_dim %[[V]], dims = [0] : (tensor<64xf32>) -> tensor<64x32xf32>
// CHECK-DAG:     %[[P:.*]] = stablehlo.multiply %[[T]], %[[LINE]] : tensor<64x32xf32>
// CHECK-DAG:     %[[ONE:.*]] = stablehlo.constant dense<1.0{{.*}}> : tensor<64x32xf32>
// CHECK:         %[[S:.*]] = stablehlo.add %[[P]], %[[ONE]] : tensor<64x32xf32>
// CHECK:         return %[[S]]
func.func @main(%x: tensor<32x64xf32>, %v: tensor<64xf32>) -> tensor<64x32xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<32x64xf32>
  %line = stablehlo.broadcast_in_dim %v, dims = [1] : (tensor<64xf32>) -> tensor<32x64xf32>
  %0 = stablehlo.multiply %x, %line : tensor<32x64xf32>
  %1 = stablehlo.add %0, %one : tensor<32x64xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<32x64xf32>) -> tensor<64x32xf32>
  return %2 : tensor<64x32xf32>
}

// -----

// A choice by one truth value, a comparison, and three dimensions.
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:.*]]: tensor<2x3x4xf32>, %[[B:.*]]: tensor<i1>
// CHECK:         %[[T:.*]] = stablehlo.transpose %[[X]], dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
// CHECK:         %[[Y:.*]] = stablehlo.select %[[B]], %[[T]], %{{.*}} : tensor<i1>, tensor<4x2x3xf32>
// CHECK:         stablehlo.compare GT, %[[Y]], %{{.*}} -> tensor<4x2x3xi1>
func.func @main(%x: tensor<2x3x4xf32>, %b: tensor<i1>) -> tensor<4x2x3xi1> {
  %zero = stablehlo.constant dense<0.0> : tensor<2x3x4xf32>
  %0 = stablehlo.select %b, %x, %zero : tensor<i1>, tensor<2x3x4xf32>
  %1 = stablehlo.compare GT, %0, %zero : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xi1>
  %2 = stablehlo.transpose %1, dims = [2, 0, 1] : (tensor<2x3x4xi1>) -> tensor<4x2x3xi1>
  return %2 : tensor<4x2x3xi1>
}

// -----

// A product reads it as it is; of two arrays both would have to be moved; what
// is wanted twice is computed once; lines that stay lines need no move.
// CHECK-LABEL: func.func @main(
// CHECK:         %[[EXP:.*]] = stablehlo.exponential %arg0 : tensor<32x64xf32>
// CHECK:         stablehlo.transpose %[[EXP]]
// CHECK:         %[[SUM:.*]] = stablehlo.add %arg0, %arg1
// CHECK:         stablehlo.transpose %[[SUM]]
// CHECK:         %[[SINE:.*]] = stablehlo.sine %arg0
// CHECK:         stablehlo.transpose %[[SINE]]
// CHECK:         %[[COSINE:.*]] = stablehlo.cosine %arg2
// CHECK:         stablehlo.transpose %[[COSINE]]
func.func @main(%x: tensor<32x64xf32>, %y: tensor<32x64xf32>, %z: tensor<2x3x4xf32>)
    -> (tensor<64x8xf32>, tensor<64x32xf32>, tensor<64x32xf32>, tensor<32x64xf32>, tensor<3x2x4xf32>) {
  %w = stablehlo.constant dense<2.0> : tensor<32x8xf32>
  %0 = stablehlo.exponential %x : tensor<32x64xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<32x64xf32>) -> tensor<64x32xf32>
  %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x8xf32>) -> tensor<64x8xf32>
  %3 = stablehlo.add %x, %y : tensor<32x64xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<32x64xf32>) -> tensor<64x32xf32>
  %5 = stablehlo.sine %x : tensor<32x64xf32>
  %6 = stablehlo.transpose %5, dims = [1, 0] : (tensor<32x64xf32>) -> tensor<64x32xf32>
  %7 = stablehlo.cosine %z : tensor<2x3x4xf32>
  %8 = stablehlo.transpose %7, dims = [1, 0, 2] : (tensor<2x3x4xf32>) -> tensor<3x2x4xf32>
  return %2, %4, %6, %5, %8 : tensor<64x8xf32>, tensor<64x32xf32>, tensor<64x32xf32>, tensor<32x64xf32>, tensor<3x2x4xf32>
}

// -----

// The search for a product that reads it ends after a few changes of shape: of a million, each would take some stack.

// CHECK-LABEL: func.func @main(
// CHECK:         %[[X:.*]] = stablehlo.transpose %{{.*}} : (tensor<4x6xf32>) -> tensor<6x4xf32>
// CHECK:         %[[Y:.*]] = stablehlo.transpose %{{.*}} : (tensor<4x6xf32>) -> tensor<6x4xf32>
// CHECK:         stablehlo.add %[[X]], %[[Y]]
func.func @main(%x: tensor<4x6xf32>, %w: tensor<4x5xf32>) -> tensor<6x5xf32> {
  %y = stablehlo.add %x, %x : tensor<4x6xf32>
  %0 = stablehlo.transpose %y, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %1 = stablehlo.reshape %0 : (tensor<6x4xf32>) -> tensor<24xf32>
  %2 = stablehlo.reshape %1 : (tensor<24xf32>) -> tensor<6x4xf32>
  %3 = stablehlo.reshape %2 : (tensor<6x4xf32>) -> tensor<24xf32>
  %4 = stablehlo.reshape %3 : (tensor<24xf32>) -> tensor<6x4xf32>
  %5 = stablehlo.reshape %4 : (tensor<6x4xf32>) -> tensor<24xf32>
  %6 = stablehlo.reshape %5 : (tensor<24xf32>) -> tensor<6x4xf32>
  %7 = stablehlo.reshape %6 : (tensor<6x4xf32>) -> tensor<24xf32>
  %8 = stablehlo.reshape %7 : (tensor<24xf32>) -> tensor<6x4xf32>
  %9 = stablehlo.reshape %8 : (tensor<6x4xf32>) -> tensor<24xf32>
  %10 = stablehlo.reshape %9 : (tensor<24xf32>) -> tensor<6x4xf32>
  %p = stablehlo.dot_general %10, %w, contracting_dims = [1] x [0] : (tensor<6x4xf32>, tensor<4x5xf32>) -> tensor<6x5xf32>
  return %p : tensor<6x5xf32>
}

// -----

// Nothing of a unit matrix, scaled, cut, filled up and reshaped is in memory: it is computed in the other order.

// CHECK-LABEL: func.func @main(
// CHECK-NOT:     stablehlo.transpose
// CHECK:         %[[PAD:.*]] = stablehlo.pad %{{.*}}, %{{.*}}, low = [0, 1, 0], high = [0, 0, 0], interior = [0, 0, 0] : (tensor<1x4x6xf32>, tensor<f32>) -> tensor<1x5x6xf32>
// CHECK:         %[[ALL:.*]] = stablehlo.reshape %[[PAD]]
// CHECK:         return %[[ALL]]
func.func @main(%x: tensor<4xf32>) -> tensor<5x6xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.iota dim = 0 : tensor<6x5xi32>
  %1 = stablehlo.iota dim = 1 : tensor<6x5xi32>
  %2 = stablehlo.compare EQ, %0, %1 : (tensor<6x5xi32>, tensor<6x5xi32>) -> tensor<6x5xi1>
  %3 = stablehlo.convert %2 : (tensor<6x5xi1>) -> tensor<6x5xf32>
  %4 = stablehlo.slice %3 [0:6, 1:5] : (tensor<6x5xf32>) -> tensor<6x4xf32>
  %5 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<4xf32>) -> tensor<6x4xf32>
  %6 = stablehlo.multiply %4, %5 : tensor<6x4xf32>
  %7 = stablehlo.broadcast_in_dim %6, dims = [0, 2] : (tensor<6x4xf32>) -> tensor<6x1x4xf32>
  %8 = stablehlo.pad %7, %zero, low = [0, 0, 1], high = [0, 0, 0], interior = [0, 0, 0] : (tensor<6x1x4xf32>, tensor<f32>) -> tensor<6x1x5xf32>
  %9 = stablehlo.reshape %8 : (tensor<6x1x5xf32>) -> tensor<6x5xf32>
  %10 = stablehlo.transpose %9, dims = [1, 0] : (tensor<6x5xf32>) -> tensor<5x6xf32>
  return %10 : tensor<5x6xf32>
}

// -----

// What is also wanted as it is, is computed once.

// CHECK-LABEL: func.func @main(
// CHECK:         stablehlo.transpose
func.func @main(%x: tensor<4xf32>) -> (tensor<4x6xf32>, tensor<6x4xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<6x4xf32>
  %1 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<4xf32>) -> tensor<6x4xf32>
  %2 = stablehlo.power %0, %1 : tensor<6x4xf32>
  %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<6x4xf32>) -> tensor<4x6xf32>
  return %3, %2 : tensor<4x6xf32>, tensor<6x4xf32>
}
