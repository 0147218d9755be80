// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// A convolution of floats of 8 bits by its definition sums in f32, in memory of
// its own: an array that is read before and after it stays as it is.
func.func @main() -> (tensor<i32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.iota dim = 0 : tensor<4096xi32>
  %seven = stablehlo.constant dense<7> : tensor<4096xi32>
  %r = stablehlo.remainder %n, %seven : tensor<4096xi32>
  %f = stablehlo.convert %r : (tensor<4096xi32>) -> tensor<4096xf32>
  %a = stablehlo.reshape %f : (tensor<4096xf32>) -> tensor<64x64xf32>
  %product = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0]
    : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %part = stablehlo.slice %product [0:4, 0:64] : (tensor<64x64xf32>) -> tensor<4x64xf32>
  %flat = stablehlo.reshape %part : (tensor<4x64xf32>) -> tensor<1x8x8x4xf32>
  %two = stablehlo.constant dense<2.0> : tensor<1x8x8x4xf32>
  %bit = stablehlo.remainder %flat, %two : tensor<1x8x8x4xf32>
  %x = stablehlo.convert %bit : (tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf8E5M2>
  %m = stablehlo.iota dim = 0 : tensor<144xi32>
  %five = stablehlo.constant dense<5> : tensor<144xi32>
  %zeros = stablehlo.constant dense<0> : tensor<144xi32>
  %q = stablehlo.remainder %m, %five : tensor<144xi32>
  %isFifth = stablehlo.compare EQ, %q, %zeros : (tensor<144xi32>, tensor<144xi32>) -> tensor<144xi1>
  %taps = stablehlo.convert %isFifth : (tensor<144xi1>) -> tensor<144xf8E5M2>
  %w = stablehlo.reshape %taps : (tensor<144xf8E5M2>) -> tensor<3x3x4x4xf8E5M2>
  %y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x8x8x4xf8E5M2>, tensor<3x3x4x4xf8E5M2>) -> tensor<1x8x8x4xf8E5M2>
  %whole = stablehlo.convert %y : (tensor<1x8x8x4xf8E5M2>) -> tensor<1x8x8x4xi32>
  // CHECK: s32[] 655
  %sum = stablehlo.reduce(%whole init: %zero) applies stablehlo.add across dimensions = [0, 1, 2, 3]
    : (tensor<1x8x8x4xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 2358405
  %total = stablehlo.reduce(%product init: %none) applies stablehlo.add across dimensions = [0, 1]
    : (tensor<64x64xf32>, tensor<f32>) -> tensor<f32>
  %rounded = stablehlo.convert %total : (tensor<f32>) -> tensor<i32>
  return %sum, %rounded : tensor<i32>, tensor<i32>
}
