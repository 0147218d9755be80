// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Matrices with a few long lines or columns, too large for in-line code, times vectors.
func.func @main() -> (tensor<f32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // Nine thousand lines 0, 1, ..., 7, squared and summed: 140 each.
  %lines = stablehlo.iota dim = 1 : tensor<9000x8xf32>
  %v = stablehlo.iota dim = 0 : tensor<8xf32>
  %0 = stablehlo.dot_general %lines, %v, contracting_dims = [1] x [0] : (tensor<9000x8xf32>, tensor<8xf32>) -> tensor<9000xf32>
  // CHECK: f32[] 1.26E+6
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<9000xf32>, tensor<f32>) -> tensor<f32>
  // Thirty thousand columns 0, 1, 2: 5 each.
  %columns = stablehlo.iota dim = 0 : tensor<3x30000xf32>
  %w = stablehlo.iota dim = 0 : tensor<3xf32>
  %2 = stablehlo.dot_general %columns, %w, contracting_dims = [0] x [0] : (tensor<3x30000xf32>, tensor<3xf32>) -> tensor<30000xf32>
  // CHECK: f32[] 1.5E+5
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<30000xf32>, tensor<f32>) -> tensor<f32>
  return %1, %3 : tensor<f32>, tensor<f32>
}
