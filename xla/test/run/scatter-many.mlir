// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Many updates of few elements go by partial results: what was there before counts once, and updates out of bounds do not count.
func.func @main() -> (tensor<4xi32>, tensor<3x2xf32>) {
  %n = stablehlo.iota dim = 0 : tensor<70001x1xi32>
  %five = stablehlo.constant dense<5> : tensor<70001x1xi32>
  %i = stablehlo.remainder %n, %five : tensor<70001x1xi32>
  %one = stablehlo.constant dense<1> : tensor<70001xi32>
  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  // CHECK: s32[4] 14002 14002 14003 14004
  %0 = "stablehlo.scatter"(%x, %i, %one) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<4xi32>, tensor<70001x1xi32>, tensor<70001xi32>) -> tensor<4xi32>
  // Windows of two; those at row 3 are outside.
  %u = stablehlo.iota dim = 0 : tensor<70001x2xf32>
  %y = stablehlo.constant dense<[[7.0, 80000.0], [7.0, 7.0], [7.0, 7.0]]> : tensor<3x2xf32>
  %four = stablehlo.constant dense<4> : tensor<70001x1xi32>
  %j = stablehlo.remainder %n, %four : tensor<70001x1xi32>
  // CHECK: f32[3,2] 7.0E+4 8.0E+4 69997 69997 69998 69998
  %1 = "stablehlo.scatter"(%y, %j, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x2xf32>, tensor<70001x1xi32>, tensor<70001x2xf32>) -> tensor<3x2xf32>
  return %0, %1 : tensor<4xi32>, tensor<3x2xf32>
}
