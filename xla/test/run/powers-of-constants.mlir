// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Powers with a constant become other functions on the way, which generated code must find.
func.func @main() -> (tensor<f64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf32>) {
  %negative = stablehlo.constant dense<-1.0> : tensor<f64>
  %half = stablehlo.constant dense<0.5> : tensor<f64>
  // CHECK: f64[] NaN
  %0 = stablehlo.power %negative, %half : tensor<f64>
  %x = stablehlo.constant dense<[0.0, 1.0, 2.0]> : tensor<3xf64>
  %varying = stablehlo.optimization_barrier %x : tensor<3xf64>
  %ten = stablehlo.constant dense<10.0> : tensor<3xf64>
  // CHECK: f64[3] 1 10 100
  %1 = stablehlo.power %ten, %varying : tensor<3xf64>
  %two = stablehlo.constant dense<2.0> : tensor<3xf64>
  // CHECK: f64[3] 1 2 4
  %2 = stablehlo.power %two, %varying : tensor<3xf64>
  %narrow = stablehlo.convert %varying : (tensor<3xf64>) -> tensor<3xf32>
  %tens = stablehlo.constant dense<10.0> : tensor<3xf32>
  // CHECK: f32[3] 1 10 100
  %3 = stablehlo.power %tens, %narrow : tensor<3xf32>
  return %0, %1, %2, %3 : tensor<f64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf32>
}
