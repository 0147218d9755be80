// RUN: xla-opt %s --xla-order-convolutions --split-input-file | FileCheck %s

// The gradient by a kernel, spatial dimensions last: the batch goes there.
// CHECK-LABEL: func.func @main(
// CHECK-DAG:     %[[X:.*]] = stablehlo.transpose %{{.*}}, dims = [0, 2, 3, 1] : {{.*}} -> tensor<8x32x32x16xf32>
// CHECK-DAG:     %[[G:.*]] = stablehlo.transpose %{{.*}}, dims = [0, 2, 3, 1] : {{.*}} -> tensor<8x32x32x24xf32>
// CHECK:         %[[Y:.*]] = stablehlo.convolution(%[[X]], %[[G]]) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]
// CHECK-SAME:      -> tensor<3x3x16x24xf32>
// CHECK:         stablehlo.transpose %[[Y]], dims = [3, 2, 0, 1]
func.func @main(%x: tensor<8x16x32x32xf32>, %g: tensor<8x24x32x32xf32>) -> tensor<24x16x3x3xf32> {
  %0 = stablehlo.convolution(%x, %g) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<8x16x32x32xf32>, tensor<8x24x32x32xf32>) -> tensor<24x16x3x3xf32>
  return %0 : tensor<24x16x3x3xf32>
}

// -----

// A small window at many positions stays as it is.
// CHECK-LABEL: func.func @main(
// CHECK-NOT:     stablehlo.transpose
func.func @main(%x: tensor<8x16x32x32xf32>, %w: tensor<24x16x3x3xf32>) -> tensor<8x24x30x30xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<8x16x32x32xf32>, tensor<24x16x3x3xf32>) -> tensor<8x24x30x30xf32>
  return %0 : tensor<8x24x30x30xf32>
}

// -----

// Few features, and groups of one, are together too.
// CHECK-LABEL: func.func @main(
// CHECK-DAG:     stablehlo.transpose %{{.*}}, dims = [0, 2, 3, 1] : {{.*}} -> tensor<8x32x32x3xf32>
// CHECK:         stablehlo.convolution(%{{.*}}, %{{.*}}) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]
// CHECK-SAME:      -> tensor<7x7x3x24xf32>
func.func @main(%x: tensor<8x3x32x32xf32>, %g: tensor<8x24x32x32xf32>) -> tensor<24x3x7x7xf32> {
  %0 = stablehlo.convolution(%x, %g) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {pad = [[3, 3], [3, 3]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<8x3x32x32xf32>, tensor<8x24x32x32xf32>) -> tensor<24x3x7x7xf32>
  return %0 : tensor<24x3x7x7xf32>
}

// -----

// CHECK-LABEL: func.func @main(
// CHECK:         stablehlo.convolution(%{{.*}}, %{{.*}}) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]
// CHECK-SAME:      -> tensor<3x3x1x16xf32>
func.func @main(%x: tensor<8x16x32x32xf32>, %g: tensor<8x16x32x32xf32>) -> tensor<16x1x3x3xf32> {
  %0 = stablehlo.convolution(%x, %g) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 16 : i64, feature_group_count = 1 : i64}
    : (tensor<8x16x32x32xf32>, tensor<8x16x32x32xf32>) -> tensor<16x1x3x3xf32>
  return %0 : tensor<16x1x3x3xf32>
}
