// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Extremes of two scalars: NaNs stay, and +0 is larger than -0, whichever comes first.
func.func @main() -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf64>, tensor<8xf64>) {
  %i = stablehlo.iota dim = 0 : tensor<8x1xi32>
  %x = stablehlo.constant dense<[-1.0, 2.0, -0.0, 0.0, 0x7FC00000, 1.0, 0xFF800000, 3.0]> : tensor<8xf32>
  %u = stablehlo.constant dense<[1.0, -2.0, 0.0, -0.0, 5.0, 0xFFC00000, -7.0, 3.0]> : tensor<8xf32>
  // CHECK: f32[8] 1 2 0 0 NaN NaN -7 3
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8xf32>, tensor<8x1xi32>, tensor<8xf32>) -> tensor<8xf32>
  // CHECK: f32[8] -1 -2 -0 -0 NaN NaN -Inf 3
  %1 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.minimum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8xf32>, tensor<8x1xi32>, tensor<8xf32>) -> tensor<8xf32>
  %y = stablehlo.convert %x : (tensor<8xf32>) -> tensor<8xf64>
  %v = stablehlo.convert %u : (tensor<8xf32>) -> tensor<8xf64>
  // CHECK: f64[8] 1 2 0 0 NaN NaN -7 3
  %2 = "stablehlo.scatter"(%y, %i, %v) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %s = stablehlo.maximum %a, %b : tensor<f64>
    stablehlo.return %s : tensor<f64>
  }) : (tensor<8xf64>, tensor<8x1xi32>, tensor<8xf64>) -> tensor<8xf64>
  // CHECK: f64[8] -1 -2 -0 -0 NaN NaN -Inf 3
  %3 = "stablehlo.scatter"(%y, %i, %v) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %s = stablehlo.minimum %a, %b : tensor<f64>
    stablehlo.return %s : tensor<f64>
  }) : (tensor<8xf64>, tensor<8x1xi32>, tensor<8xf64>) -> tensor<8xf64>
  return %0, %1, %2, %3 : tensor<8xf32>, tensor<8xf32>, tensor<8xf64>, tensor<8xf64>
}
