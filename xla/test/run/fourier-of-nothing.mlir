// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Real signals of length 0: their spectrum is nothing, and of nothing or of one number they come back.
func.func @main() -> (tensor<0xf32>, tensor<2x0xf32>, tensor<0xcomplex<f32>>) {
  %one = stablehlo.constant dense<(1.0, 2.0)> : tensor<1xcomplex<f32>>
  %two = stablehlo.constant dense<(1.0, 2.0)> : tensor<2x0xcomplex<f32>>
  %none = stablehlo.constant dense<1.0> : tensor<0xf32>
  // CHECK: f32[0]
  %0 = stablehlo.fft %one, type = IRFFT, length = [0] : (tensor<1xcomplex<f32>>) -> tensor<0xf32>
  // CHECK: f32[2,0]
  %1 = stablehlo.fft %two, type = IRFFT, length = [0] : (tensor<2x0xcomplex<f32>>) -> tensor<2x0xf32>
  // CHECK: c64[0]
  %2 = stablehlo.fft %none, type = RFFT, length = [0] : (tensor<0xf32>) -> tensor<0xcomplex<f32>>
  return %0, %1, %2 : tensor<0xf32>, tensor<2x0xf32>, tensor<0xcomplex<f32>>
}
