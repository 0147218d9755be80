// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Vectors and matrices in all four pairs, and a type that is widened.
func.func @main() -> (tensor<i32>, tensor<2xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<2x2xf8E5M2>) {
  %k = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %v = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %m = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %s = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf8E5M2>
  // CHECK: s32[] 14
  %0 = stablehlo.dot %k, %k : (tensor<3xi32>, tensor<3xi32>) -> tensor<i32>
  // CHECK: f32[2] 7 10
  %1 = stablehlo.dot %v, %m : (tensor<2xf32>, tensor<2x2xf32>) -> tensor<2xf32>
  // CHECK: f32[2] 5 11
  %2 = stablehlo.dot %m, %v : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // CHECK: f32[2,2] 7 10 15 22
  %3 = stablehlo.dot %m, %m, precision = [HIGHEST, HIGHEST] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  // CHECK: f8e5m2[2,2] 7 10 16 24
  %4 = stablehlo.dot %s, %s : (tensor<2x2xf8E5M2>, tensor<2x2xf8E5M2>) -> tensor<2x2xf8E5M2>
  return %0, %1, %2, %3, %4 : tensor<i32>, tensor<2xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<2x2xf8E5M2>
}
