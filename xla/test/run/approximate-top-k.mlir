// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// ApproxTopK finds all of the greatest elements here; equal ones keep their order.
func.func private @greater(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  stablehlo.return %0 : tensor<i1>
}

func.func private @less(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
  func.return %0 : tensor<i1>
}

func.func public @main() -> (tensor<2x3xf32>, tensor<2x3xi32>, tensor<2x2xi32>) {
  %x = stablehlo.constant dense<[[1.0, 4.0, 2.0, 4.0, -3.0], [0.0, -1.0, -2.0, 0.5, 9.0]]> : tensor<2x5xf32>
  %i = stablehlo.iota dim = 1 : tensor<2x5xi32>
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  // CHECK: f32[2,3] 4 4 2 9 0.5 0
  // CHECK: s32[2,3] 1 3 2 4 3 0
  %0:2 = stablehlo.custom_call @ApproxTopK(%x, %i, %least, %none) {backend_config = "", called_computations = [@greater], mhlo.backend_config = {aggregate_to_topk = true, is_fallback = true, recall_target = 0.95 : f32, reduction_dim = 1 : i64, reduction_input_size_override = -1 : i64, top_k = 3 : i64}} : (tensor<2x5xf32>, tensor<2x5xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)

  // Along the first dimension, one array.
  %m = stablehlo.constant dense<[[3, 4], [1, 6], [2, 5]]> : tensor<3x2xi32>
  // CHECK: s32[2,2] 1 4 2 5
  %1 = stablehlo.custom_call @ApproxTopK(%m, %none) {called_computations = [@less], mhlo.backend_config = {reduction_dim = 0 : i64}} : (tensor<3x2xi32>, tensor<i32>) -> tensor<2x2xi32>
  return %0#0, %0#1, %1 : tensor<2x3xf32>, tensor<2x3xi32>, tensor<2x2xi32>
}
