// RUN: xla-opt %s --xla-simplify-operations --split-input-file | FileCheck %s

// A product in blocks whose sums run over all blocks is one product.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:.*]]: tensor<8x6xf32>, %[[Y:.*]]: tensor<6x10xf32>)
// CHECK:         %[[YT:.*]] = stablehlo.transpose %[[Y]], dims = [1, 0]
// CHECK-NEXT:    %[[P:.*]] = stablehlo.dot_general %[[X]], %[[YT]], contracting_dims = [1] x [1]
// CHECK-NEXT:    return %[[P]] : tensor<8x10xf32>
func.func @main(%x: tensor<8x6xf32>, %y: tensor<6x10xf32>) -> tensor<8x10xf32> {
  %0 = stablehlo.reshape %x : (tensor<8x6xf32>) -> tensor<2x4x3x2xf32>
  %1 = stablehlo.transpose %0, dims = [0, 2, 1, 3] : (tensor<2x4x3x2xf32>) -> tensor<2x3x4x2xf32>
  %2 = stablehlo.reshape %y : (tensor<6x10xf32>) -> tensor<3x2x2x5xf32>
  %3 = stablehlo.transpose %2, dims = [2, 0, 1, 3] : (tensor<3x2x2x5xf32>) -> tensor<2x3x2x5xf32>
  %4 = stablehlo.dot_general %1, %3, contracting_dims = [1, 3] x [1, 2] : (tensor<2x3x4x2xf32>, tensor<2x3x2x5xf32>) -> tensor<2x4x2x5xf32>
  %5 = stablehlo.reshape %4 : (tensor<2x4x2x5xf32>) -> tensor<8x10xf32>
  return %5 : tensor<8x10xf32>
}

// -----

// Nothing is joined where the parts of a dimension are summed in another order,
// or only some of them are.

// CHECK-LABEL: func.func @main(
// CHECK-COUNT-2: stablehlo.dot_general {{.*}}(tensor<2x4x3x2xf32>
func.func @main(%x: tensor<8x6xf32>, %y: tensor<6x5xf32>, %z: tensor<2x5xf32>) -> (tensor<2x4x5xf32>, tensor<2x4x3x5xf32>) {
  %0 = stablehlo.reshape %x : (tensor<8x6xf32>) -> tensor<2x4x3x2xf32>
  %1 = stablehlo.reshape %y : (tensor<6x5xf32>) -> tensor<2x3x5xf32>
  %2 = stablehlo.dot_general %0, %1, contracting_dims = [2, 3] x [1, 0] : (tensor<2x4x3x2xf32>, tensor<2x3x5xf32>) -> tensor<2x4x5xf32>
  %3 = stablehlo.dot_general %0, %z, contracting_dims = [3] x [0] : (tensor<2x4x3x2xf32>, tensor<2x5xf32>) -> tensor<2x4x3x5xf32>
  return %2, %3 : tensor<2x4x5xf32>, tensor<2x4x3x5xf32>
}

// -----

// Batch dimensions that were split stay one; a result that is returned keeps
// its shape, and is not copied for that.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:.*]]: tensor<6x4x8xf32>, %[[Y:.*]]: tensor<6x8x5xf32>)
// CHECK:         %[[P:.*]] = stablehlo.dot_general %[[X]], %[[Y]], batching_dims = [0] x [0], contracting_dims = [2] x [1]
// CHECK-NEXT:    %[[N:.*]] = stablehlo.negate %[[P]]
// CHECK:         stablehlo.dot_general {{.*}}(tensor<2x3x4x8xf32>
func.func @main(%x: tensor<6x4x8xf32>, %y: tensor<6x8x5xf32>) -> (tensor<6x4x5xf32>, tensor<2x3x4x5xf32>) {
  %0 = stablehlo.reshape %x : (tensor<6x4x8xf32>) -> tensor<2x3x4x8xf32>
  %1 = stablehlo.reshape %y : (tensor<6x8x5xf32>) -> tensor<2x3x8x5xf32>
  %2 = stablehlo.dot_general %0, %1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x3x4x8xf32>, tensor<2x3x8x5xf32>) -> tensor<2x3x4x5xf32>
  %3 = stablehlo.reshape %2 : (tensor<2x3x4x5xf32>) -> tensor<6x4x5xf32>
  %4 = stablehlo.negate %3 : tensor<6x4x5xf32>
  %5 = stablehlo.dot_general %0, %1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x3x4x8xf32>, tensor<2x3x8x5xf32>) -> tensor<2x3x4x5xf32>
  return %4, %5 : tensor<6x4x5xf32>, tensor<2x3x4x5xf32>
}
