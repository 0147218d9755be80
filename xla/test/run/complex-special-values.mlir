// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Annex G of C99: the modulus of what has an infinite part, directions at infinity,
// quotients with infinities beside NaN.
func.func @main() -> (tensor<4xf32>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>, tensor<2xf64>) {
  %re = stablehlo.constant dense<[0x7F800000, 0x7FC00000, 0xFF800000, 3.0]> : tensor<4xf32>
  %im = stablehlo.constant dense<[0x7FC00000, 0x7F800000, 1.0, 4.0]> : tensor<4xf32>
  %z0 = stablehlo.complex %re, %im : tensor<4xcomplex<f32>>
  %z = stablehlo.optimization_barrier %z0 : tensor<4xcomplex<f32>>
  // CHECK: f32[4] +Inf +Inf +Inf 5
  %0 = stablehlo.abs %z : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  // CHECK: c64[4] 1:0 0:1 -1:0 0.600000024:0.800000011
  %1 = stablehlo.sign %z : tensor<4xcomplex<f32>>
  %one = stablehlo.constant dense<(1.0, 1.0)> : tensor<4xcomplex<f32>>
  // CHECK: c64[4] +Inf:-Inf +Inf:+Inf -Inf:+Inf 3.5:0.5
  %2 = stablehlo.divide %z, %one : tensor<4xcomplex<f32>>
  %wide = stablehlo.convert %z : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f64>>
  %part = stablehlo.slice %wide [0:2] : (tensor<4xcomplex<f64>>) -> tensor<2xcomplex<f64>>
  // CHECK: f64[2] +Inf +Inf
  %3 = stablehlo.abs %part : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>, tensor<2xf64>
}
