// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Columns of windows that are in the padding as a whole: a chain of so many
// choices between a sum and the one before took hours to compile.
func.func @main() -> tensor<35xf32> {
  %i = stablehlo.iota dim = 0 : tensor<32x32xf32>
  %one = stablehlo.constant dense<1.0> : tensor<32x32xf32>
  %x = stablehlo.dot_general %one, %i, contracting_dims = [1] x [0] : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %windows = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 32, 1>, padding = dense<[[31, 0], [2, 1]]> : tensor<2x2xi64>}> ({
    ^bb0(%u: tensor<f32>, %v: tensor<f32>):
      %sum = stablehlo.add %u, %v : tensor<f32>
      stablehlo.return %sum : tensor<f32>
  }) : (tensor<32x32xf32>, tensor<f32>) -> tensor<32x35xf32>
  %last = stablehlo.slice %windows [31:32, 0:35] : (tensor<32x35xf32>) -> tensor<1x35xf32>
  %line = stablehlo.reshape %last : (tensor<1x35xf32>) -> tensor<35xf32>
  return %line : tensor<35xf32>
}
// CHECK: f32[35] 0 0 15872 {{(15872 )*}}0
