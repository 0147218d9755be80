// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// The body writes its carry without reading it, and the condition reads it early: its memory must
// not be reused later in the condition, after which the loop may end with it as the result.
// CHECK: 3
func.func @main() -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %start = stablehlo.iota dim = 0 : tensor<3xf32>
  %square = stablehlo.constant dense<[[1.0, 1.0, 1.0], [2.0, 2.0, 2.0], [3.0, 3.0, 3.0]]> : tensor<3x3xf32>
  %r:2 = stablehlo.while(%x = %start, %step = %zero) : tensor<3xf32>, tensor<f32>
  cond {
    %product = stablehlo.dot_general %square, %x, contracting_dims = [1] x [0] : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %sorted = "stablehlo.sort"(%product) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %less = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    }) : (tensor<3xf32>) -> tensor<3xf32>
    %sum = stablehlo.reduce(%sorted init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %p = stablehlo.compare LT, %sum, %zero, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %step, %step : tensor<f32>
    %all = stablehlo.broadcast_in_dim %next, dims = [] : (tensor<f32>) -> tensor<3xf32>
    stablehlo.return %all, %next : tensor<3xf32>, tensor<f32>
  }
  %sum = stablehlo.reduce(%r#0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  return %sum : tensor<f32>
}
