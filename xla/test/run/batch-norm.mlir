// RUN: xla-run %s --backend=reference > %t.reference
// RUN: xla-run %s --backend=native > %t.native
// RUN: diff %t.reference %t.native
// RUN: FileCheck %s < %t.native

// Numbers chosen so that every step is exact.
// CHECK:      f32[2,2] 1 0 3 2
// CHECK-NEXT: f32[2,2] 0 5 2 5
// CHECK-NEXT: f32[2] 2 6
// CHECK-NEXT: f32[2] 1 0
// CHECK-NEXT: bf16[2,2] 1 0 3 2

func.func @main() -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x2xbf16>,
    tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %x = stablehlo.constant dense<[[1.0, 6.0], [3.0, 10.0]]> : tensor<2x2xf32>
  %y = stablehlo.constant dense<[[1.0, 6.0], [3.0, 6.0]]> : tensor<2x2xf32>
  %scale = stablehlo.constant dense<[2.0, 1.0]> : tensor<2xf32>
  %offset = stablehlo.constant dense<[1.0, 5.0]> : tensor<2xf32>
  %center = stablehlo.constant dense<[1.0, 16.0]> : tensor<2xf32>
  %spread = stablehlo.constant dense<[3.0, 3.0]> : tensor<2xf32>
  %0 = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %center, %spread)
    {epsilon = 1.0 : f32, feature_index = 1 : i64}
    : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %1:3 = "stablehlo.batch_norm_training"(%y, %scale, %offset) {epsilon = 3.0 : f32, feature_index = 1 : i64}
    : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>)
  %hx = stablehlo.convert %x : (tensor<2x2xf32>) -> tensor<2x2xbf16>
  %hscale = stablehlo.convert %scale : (tensor<2xf32>) -> tensor<2xbf16>
  %hoffset = stablehlo.convert %offset : (tensor<2xf32>) -> tensor<2xbf16>
  %hcenter = stablehlo.convert %center : (tensor<2xf32>) -> tensor<2xbf16>
  %hspread = stablehlo.convert %spread : (tensor<2xf32>) -> tensor<2xbf16>
  %2 = "stablehlo.batch_norm_inference"(%hx, %hscale, %hoffset, %hcenter, %hspread)
    {epsilon = 1.0 : f32, feature_index = 1 : i64}
    : (tensor<2x2xbf16>, tensor<2xbf16>, tensor<2xbf16>, tensor<2xbf16>, tensor<2xbf16>) -> tensor<2x2xbf16>
  %g = stablehlo.constant dense<[[1.0, 2.0], [3.0, -2.0]]> : tensor<2x2xf32>
  %3:3 = "stablehlo.batch_norm_grad"(%x, %scale, %center, %spread, %g) {epsilon = 1.0 : f32, feature_index = 1 : i64}
    : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x2xf32>)
    -> (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>)
  return %0, %1#0, %1#1, %1#2, %2, %3#0, %3#1, %3#2 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>,
    tensor<2x2xbf16>, tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>
}
