// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Windows of a dimension beside an empty one, and windows that leave nothing.
// CHECK: f32[2,0]
// CHECK: f32[0,3]
func.func @main() -> (tensor<2x0xf32>, tensor<0x3xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 2, 1>, padding = dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<2x0xf32>, tensor<f32>) -> tensor<2x0xf32>
  %y = stablehlo.iota dim = 0 : tensor<5x3xf32>
  %1 = "stablehlo.reduce_window"(%y, %zero) <{window_dimensions = array<i64: 9, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<5x3xf32>, tensor<f32>) -> tensor<0x3xf32>
  return %0, %1 : tensor<2x0xf32>, tensor<0x3xf32>
}
