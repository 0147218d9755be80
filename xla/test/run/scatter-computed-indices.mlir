// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Indices of updates that are computed where they are needed: from what the
// scatter itself changes, with two components, and for windows in stretches.
func.func @main() -> (tensor<8xi32>, tensor<8xi32>, tensor<3x4xi32>, tensor<i32>) {
  %x = stablehlo.constant dense<[3, 1, 7, -1, 0, 2, 9, 4]> : tensor<8xi32>
  %b = stablehlo.optimization_barrier %x : tensor<8xi32>
  %zero = stablehlo.constant dense<0> : tensor<8xi32>
  %eight = stablehlo.constant dense<8> : tensor<8xi32>
  %below = stablehlo.compare LT, %b, %zero : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
  %up = stablehlo.add %b, %eight : tensor<8xi32>
  %at = stablehlo.select %below, %up, %b : tensor<8xi1>, tensor<8xi32>
  %indices = stablehlo.reshape %at : (tensor<8xi32>) -> tensor<8x1xi32>
  %u = stablehlo.constant dense<[10, 20, 30, 40, 50, 60, 70, 80]> : tensor<8xi32>
  // CHECK: s32[8] 53 21 67 9 80 2 9 74
  %0 = "stablehlo.scatter"(%b, %indices, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %s = stablehlo.add %p, %q : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<8xi32>, tensor<8x1xi32>, tensor<8xi32>) -> tensor<8xi32>
  // CHECK: s32[8] 50 20 60 10 80 0 0 40
  %1 = "stablehlo.scatter"(%zero, %indices, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %s = stablehlo.maximum %p, %q : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<8xi32>, tensor<8x1xi32>, tensor<8xi32>) -> tensor<8xi32>

  %i = stablehlo.iota dim = 0 : tensor<8x1xi32>
  %three = stablehlo.constant dense<3> : tensor<8x1xi32>
  %row = stablehlo.remainder %i, %three : tensor<8x1xi32>
  %both = stablehlo.concatenate %row, %indices, dim = 1 : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x2xi32>
  %table = stablehlo.constant dense<0> : tensor<3x4xi32>
  // CHECK: s32[3,4] 0 0 0 10 50 20 0 0 0 0 60 0
  %2 = "stablehlo.scatter"(%table, %both, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    stablehlo.return %q : tensor<i32>
  }) : (tensor<3x4xi32>, tensor<8x2xi32>, tensor<8xi32>) -> tensor<3x4xi32>

  %wide = stablehlo.iota dim = 1 : tensor<8x300xi32>
  %low = stablehlo.constant dense<-5> : tensor<6x300xi32>
  %3 = "stablehlo.scatter"(%low, %indices, %wide) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %s = stablehlo.add %p, %q : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<6x300xi32>, tensor<8x1xi32>, tensor<8x300xi32>) -> tensor<6x300xi32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  // CHECK: s32[] 215250
  %sum = stablehlo.reduce(%3 init: %none) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x300xi32>, tensor<i32>) -> tensor<i32>
  return %0, %1, %2, %sum : tensor<8xi32>, tensor<8xi32>, tensor<3x4xi32>, tensor<i32>
}
