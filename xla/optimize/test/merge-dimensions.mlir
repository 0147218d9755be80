// RUN: xla-opt %s --xla-merge-dimensions --split-input-file | FileCheck %s

// A softmax of rows in blocks of four is one of the rows.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[X:.*]]: tensor<8x5xf32>)
// CHECK-NOT:     stablehlo.reshape
// CHECK:         %[[SUM:.*]] = stablehlo.reduce(%[[X]] init: {{.*}} across dimensions = [1] : (tensor<8x5xf32>, tensor<f32>) -> tensor<8xf32>
// CHECK-NEXT:    %[[COLUMN:.*]] = stablehlo.broadcast_in_dim %[[SUM]], dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
// CHECK-NEXT:    %[[WIDE:.*]] = stablehlo.broadcast_in_dim %[[COLUMN]], dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x5xf32>
// CHECK-NEXT:    %[[RESULT:.*]] = stablehlo.divide %[[X]], %[[WIDE]] : tensor<8x5xf32>
// CHECK-NEXT:    return %[[RESULT]]
func.func @rows(%x: tensor<8x5xf32>) -> tensor<8x5xf32> {
  %blocks = stablehlo.reshape %x : (tensor<8x5xf32>) -> tensor<2x4x5xf32>
  %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %sum = stablehlo.reduce(%blocks init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<2x4x5xf32>, tensor<f32>) -> tensor<2x4xf32>
  %column = stablehlo.broadcast_in_dim %sum, dims = [0, 1] : (tensor<2x4xf32>) -> tensor<2x4x1xf32>
  %wide = stablehlo.broadcast_in_dim %column, dims = [0, 1, 2] : (tensor<2x4x1xf32>) -> tensor<2x4x5xf32>
  %0 = stablehlo.divide %blocks, %wide : tensor<2x4x5xf32>
  %1 = stablehlo.reshape %0 : (tensor<2x4x5xf32>) -> tensor<8x5xf32>
  return %1 : tensor<8x5xf32>
}

// -----

// Movements along the dimension that is alone.
// CHECK-LABEL: func.func @movements(
// CHECK-SAME:    %[[X:.*]]: tensor<8x5xf32>, %[[Y:.*]]: tensor<5xf32>)
// CHECK-DAG:     stablehlo.slice %[[X]] [0:8, 0:4] : (tensor<8x5xf32>) -> tensor<8x4xf32>
// CHECK-DAG:     stablehlo.pad {{.*}} low = [0, 1], high = [0, 0], interior = [0, 0] : {{.*}} -> tensor<8x5xf32>
// CHECK-DAG:     stablehlo.reverse %[[X]], dims = [1] : tensor<8x5xf32>
// CHECK-DAG:     stablehlo.broadcast_in_dim %[[Y]], dims = [1] : (tensor<5xf32>) -> tensor<8x5xf32>
// CHECK-DAG:     stablehlo.iota dim = 1 : tensor<8x5xf32>
// CHECK:         return {{.*}} : tensor<8x5xf32>
func.func @movements(%x: tensor<8x5xf32>, %y: tensor<5xf32>) -> tensor<8x5xf32> {
  %blocks = stablehlo.reshape %x : (tensor<8x5xf32>) -> tensor<2x4x5xf32>
  %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %part = stablehlo.slice %blocks [0:2, 0:4, 0:4] : (tensor<2x4x5xf32>) -> tensor<2x4x4xf32>
  %moved = stablehlo.pad %part, %zero, low = [0, 0, 1], high = [0, 0, 0], interior = [0, 0, 0] : (tensor<2x4x4xf32>, tensor<f32>) -> tensor<2x4x5xf32>
  %turned = stablehlo.reverse %blocks, dims = [2] : tensor<2x4x5xf32>
  %wide = stablehlo.broadcast_in_dim %y, dims = [2] : (tensor<5xf32>) -> tensor<2x4x5xf32>
  %number = stablehlo.iota dim = 2 : tensor<2x4x5xf32>
  %0 = stablehlo.add %moved, %turned : tensor<2x4x5xf32>
  %1 = stablehlo.add %0, %wide : tensor<2x4x5xf32>
  %2 = stablehlo.add %1, %number : tensor<2x4x5xf32>
  %3 = stablehlo.reshape %2 : (tensor<2x4x5xf32>) -> tensor<8x5xf32>
  return %3 : tensor<8x5xf32>
}

// -----

// What differs between rows of a block, or is needed as it is, stays.
// CHECK-LABEL: func.func @apart(
// CHECK:         stablehlo.iota dim = 1 : tensor<2x4x5xf32>
// CHECK:         stablehlo.reverse {{.*}}, dims = [1] : tensor<2x4x5xf32>
// CHECK:         stablehlo.negate {{.*}} : tensor<2x4x5xf32>
func.func @apart(%x: tensor<8x5xf32>) -> (tensor<8x5xf32>, tensor<8x5xf32>, tensor<8x5xf32>, tensor<2x4x5xf32>) {
  %blocks = stablehlo.reshape %x : (tensor<8x5xf32>) -> tensor<2x4x5xf32>
  %number = stablehlo.iota dim = 1 : tensor<2x4x5xf32>
  %0 = stablehlo.add %blocks, %number : tensor<2x4x5xf32>
  %1 = stablehlo.reshape %0 : (tensor<2x4x5xf32>) -> tensor<8x5xf32>
  %2 = stablehlo.reverse %blocks, dims = [1] : tensor<2x4x5xf32>
  %3 = stablehlo.reshape %2 : (tensor<2x4x5xf32>) -> tensor<8x5xf32>
  %4 = stablehlo.negate %blocks : tensor<2x4x5xf32>
  %5 = stablehlo.reshape %4 : (tensor<2x4x5xf32>) -> tensor<8x5xf32>
  return %1, %3, %5, %4 : tensor<8x5xf32>, tensor<8x5xf32>, tensor<8x5xf32>, tensor<2x4x5xf32>
}
