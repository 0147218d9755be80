// RUN: xla-opt %s --xla-pad-convolutions --split-input-file | FileCheck %s

// Spatial dimensions last: the zeros around them are in memory.
// CHECK-LABEL: func.func @main(
// CHECK:         %[[X:.*]] = stablehlo.pad %{{.*}}, %{{.*}}, low = [0, 0, 1, 0], high = [0, 0, 1, 2], interior = [0, 0, 0, 0] : {{.*}} -> tensor<2x16x34x34xf32>
// CHECK:         stablehlo.convolution(%[[X]], %{{.*}})
// CHECK-NOT:     pad = {{\[\[}}1
// CHECK:         return
func.func @main(%x: tensor<2x16x32x32xf32>, %w: tensor<24x16x3x3xf32>) -> tensor<2x24x32x32xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [0, 2]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<2x16x32x32xf32>, tensor<24x16x3x3xf32>) -> tensor<2x24x32x32xf32>
  return %0 : tensor<2x24x32x32xf32>
}

// -----

// The features of a position are together, whether it exists or not.
// CHECK-LABEL: func.func @main(
// CHECK-NOT:     stablehlo.pad
func.func @main(%x: tensor<2x32x32x16xf32>, %w: tensor<3x3x16x24xf32>) -> tensor<2x32x32x24xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<2x32x32x16xf32>, tensor<3x3x16x24xf32>) -> tensor<2x32x32x24xf32>
  return %0 : tensor<2x32x32x24xf32>
}

// -----

// Groups of a feature go by rows, which stand between zeros of their own.
// CHECK-LABEL: func.func @main(
// CHECK-NOT:     stablehlo.pad
func.func @main(%x: tensor<2x16x32x32xf32>, %w: tensor<16x1x3x3xf32>) -> tensor<2x16x32x32xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 16 : i64}
    : (tensor<2x16x32x32xf32>, tensor<16x1x3x3xf32>) -> tensor<2x16x32x32xf32>
  return %0 : tensor<2x16x32x32xf32>
}

// -----

// Most of a window falls on zeros.
// CHECK-LABEL: func.func @main(
// CHECK-NOT:     stablehlo.pad
func.func @main(%x: tensor<8x64x1x2xf32>, %w: tensor<24x64x3x3xf32>) -> tensor<8x24x1x2xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<8x64x1x2xf32>, tensor<24x64x3x3xf32>) -> tensor<8x24x1x2xf32>
  return %0 : tensor<8x24x1x2xf32>
}
