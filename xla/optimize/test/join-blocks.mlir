// RUN: xla-opt %s --xla-join-blocks --split-input-file | FileCheck %s

// The last row of the block before, and zeros for the first block.
// CHECK-LABEL: func.func @above(
// CHECK-SAME:    %[[X:.*]]: tensor<12x5xf32>)
// CHECK:         %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:         %[[ROWS:.*]] = stablehlo.slice %[[X]] [0:11, 0:5]
// CHECK-NEXT:    %[[MOVED:.*]] = stablehlo.pad %[[ROWS]], %[[ZERO]], low = [1, 0], high = [0, 0]
// CHECK-NEXT:    %[[BLOCKS:.*]] = stablehlo.reshape %[[MOVED]] : (tensor<12x5xf32>) -> tensor<3x4x5xf32>
// CHECK-NEXT:    return %[[BLOCKS]]
func.func @above(%x: tensor<12x5xf32>) -> tensor<3x4x5xf32> {
  %blocks = stablehlo.reshape %x : (tensor<12x5xf32>) -> tensor<3x4x5xf32>
  %a = stablehlo.slice %x [0:1, 0:5] : (tensor<12x5xf32>) -> tensor<1x5xf32>
  %b = stablehlo.slice %x [3:8:4, 0:5] : (tensor<12x5xf32>) -> tensor<2x5xf32>
  %ab = stablehlo.concatenate %a, %b, dim = 0 : (tensor<1x5xf32>, tensor<2x5xf32>) -> tensor<3x5xf32>
  %edges = stablehlo.reshape %ab : (tensor<3x5xf32>) -> tensor<3x1x5xf32>
  %ids = stablehlo.iota dim = 0 : tensor<3xi32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %cs = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
  %later = stablehlo.compare GT, %ids, %cs, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
  %mask = stablehlo.broadcast_in_dim %later, dims = [0] : (tensor<3xi1>) -> tensor<3x1x5xi1>
  %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<3x1x5xf32>
  %first = stablehlo.select %mask, %edges, %zeros : tensor<3x1x5xi1>, tensor<3x1x5xf32>
  %rest = stablehlo.slice %blocks [0:3, 0:3, 0:5] : (tensor<3x4x5xf32>) -> tensor<3x3x5xf32>
  %0 = stablehlo.concatenate %first, %rest, dim = 1 : (tensor<3x1x5xf32>, tensor<3x3x5xf32>) -> tensor<3x4x5xf32>
  return %0 : tensor<3x4x5xf32>
}

// -----

// Blocks of columns, with a column of the block behind, the first behind the last.
// CHECK-LABEL: func.func @columns(
// CHECK-SAME:    %[[X:.*]]: tensor<5x6xf32>)
// CHECK-DAG:     %[[LAST:.*]] = stablehlo.slice %[[X]] [0:5, 1:6]
// CHECK-DAG:     %[[FIRST:.*]] = stablehlo.slice %[[X]] [0:5, 0:1]
// CHECK:         %[[TURNED:.*]] = stablehlo.concatenate %[[LAST]], %[[FIRST]], dim = 1
// CHECK-NEXT:    %[[SPLIT:.*]] = stablehlo.reshape %[[TURNED]] : (tensor<5x6xf32>) -> tensor<5x3x2xf32>
// CHECK-NEXT:    %[[BLOCKS:.*]] = stablehlo.transpose %[[SPLIT]], dims = [1, 0, 2]
// CHECK-NEXT:    return %[[BLOCKS]]
func.func @columns(%x: tensor<5x6xf32>) -> tensor<3x5x2xf32> {
  %split = stablehlo.reshape %x : (tensor<5x6xf32>) -> tensor<5x3x2xf32>
  %blocks = stablehlo.transpose %split, dims = [1, 0, 2] : (tensor<5x3x2xf32>) -> tensor<3x5x2xf32>
  %heads = stablehlo.slice %blocks [0:3, 0:5, 0:1] : (tensor<3x5x2xf32>) -> tensor<3x5x1xf32>
  %later = stablehlo.slice %heads [1:3, 0:5, 0:1] : (tensor<3x5x1xf32>) -> tensor<2x5x1xf32>
  %first = stablehlo.slice %heads [0:1, 0:5, 0:1] : (tensor<3x5x1xf32>) -> tensor<1x5x1xf32>
  %next = stablehlo.concatenate %later, %first, dim = 0 : (tensor<2x5x1xf32>, tensor<1x5x1xf32>) -> tensor<3x5x1xf32>
  %rest = stablehlo.slice %blocks [0:3, 0:5, 1:2] : (tensor<3x5x2xf32>) -> tensor<3x5x1xf32>
  %0 = stablehlo.concatenate %rest, %next, dim = 2 : (tensor<3x5x1xf32>, tensor<3x5x1xf32>) -> tensor<3x5x2xf32>
  return %0 : tensor<3x5x2xf32>
}

// -----

// Rows of two arrays, and a mask that is not known, stay as they are.
// CHECK-LABEL: func.func @others(
// CHECK:         stablehlo.concatenate {{.*}} dim = 1
// CHECK:         stablehlo.concatenate {{.*}} dim = 1
func.func @others(%x: tensor<12x5xf32>, %y: tensor<3x1x5xf32>, %m: tensor<3x1x5xi1>) -> (tensor<3x4x5xf32>, tensor<3x4x5xf32>) {
  %blocks = stablehlo.reshape %x : (tensor<12x5xf32>) -> tensor<3x4x5xf32>
  %rest = stablehlo.slice %blocks [0:3, 0:3, 0:5] : (tensor<3x4x5xf32>) -> tensor<3x3x5xf32>
  %0 = stablehlo.concatenate %y, %rest, dim = 1 : (tensor<3x1x5xf32>, tensor<3x3x5xf32>) -> tensor<3x4x5xf32>
  %last = stablehlo.slice %blocks [0:3, 3:4, 0:5] : (tensor<3x4x5xf32>) -> tensor<3x1x5xf32>
  %head = stablehlo.slice %blocks [0:3, 0:1, 0:5] : (tensor<3x4x5xf32>) -> tensor<3x1x5xf32>
  %edge = stablehlo.select %m, %last, %head : tensor<3x1x5xi1>, tensor<3x1x5xf32>
  %1 = stablehlo.concatenate %edge, %rest, dim = 1 : (tensor<3x1x5xf32>, tensor<3x3x5xf32>) -> tensor<3x4x5xf32>
  return %0, %1 : tensor<3x4x5xf32>, tensor<3x4x5xf32>
}
