// RUN: xla-opt %s --xla-lower-chlo --split-input-file --verify-diagnostics

func.func @kernel_of_complex(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  // expected-error @+1 {{'chlo._asin_acos_kernel' op is not supported for these types}}
  %0 = chlo._asin_acos_kernel %x : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}

// -----

func.func @erf_of_dynamic_shape(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'chlo.erf' op is not supported for dynamic shapes}}
  %0 = chlo.erf %x : tensor<?xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @complex(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  // expected-error @+1 {{'chlo.broadcast_next_after' op is defined for floating-point numbers only}}
  %0 = chlo.broadcast_next_after %x, %x : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
